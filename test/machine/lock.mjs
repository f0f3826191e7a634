import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Failure } from './failure.mjs';

const POLL_MS = 200;

/**
 * Runs an action while no other process runs one under the same lock file. A lock whose process has
 * ended is taken over.
 *
 * @template T
 * @param {string} file
 * @param {() => Promise<T>} action
 * @param {import('./program.mjs').Bounds} bounds of the wait for the lock
 * @returns {Promise<T>}
 */
export async function withLock(file, action, { timeout, signal }) {
	mkdirSync(dirname(file), { recursive: true });
	const own = `${file}.${randomUUID()}`;
	writeFileSync(own, String(process.pid));
	try {
		const deadline = Date.now() + timeout;
		// A link appears with its content in one step, so nobody reads a half-written lock.
		while (!succeeds(() => linkSync(own, file))) {
			let holder = 0;
			// It was given free meanwhile.
			if (!succeeds(() => (holder = Number(readFileSync(file, 'utf8'))))) continue;
			if (!succeeds(() => process.kill(holder, 0))) {
				rmSync(file, { force: true });
				continue;
			}
			if (Date.now() > deadline) {
				throw new Failure(`Another run (process ${holder}) has held ${file} for too long.`, {
					remedy: 'Wait for it or end it, then run the command again.',
				});
			}
			signal?.throwIfAborted();
			await delay(POLL_MS);
		}
	} finally {
		rmSync(own);
	}
	try {
		return await action();
	} finally {
		rmSync(file, { force: true });
	}
}

/** @param {() => void} action */
function succeeds(action) {
	try {
		action();
		return true;
	} catch {
		return false;
	}
}
