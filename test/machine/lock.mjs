import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Failure } from './failure.mjs';

const POLL_MS = 500;

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
	const deadline = Date.now() + timeout;
	while (!acquire(file)) {
		const holder = holderOf(file);
		if (!isRunning(holder)) {
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
	try {
		return await action();
	} finally {
		rmSync(file, { force: true });
	}
}

/**
 * A link appears with its content in one step, so nobody reads a half-written lock.
 *
 * @param {string} file
 */
function acquire(file) {
	const own = `${file}.${process.pid}`;
	writeFileSync(own, String(process.pid));
	try {
		linkSync(own, file);
		return true;
	} catch {
		return false;
	} finally {
		rmSync(own);
	}
}

/** @param {string} file */
function holderOf(file) {
	try {
		return Number(readFileSync(file, 'utf8'));
	} catch {
		return Number.NaN;
	}
}

/** @param {number} pid */
function isRunning(pid) {
	try {
		process.kill(pid, 0);
		return true;
	} catch {
		return false;
	}
}
