import { setTimeout as delay } from 'node:timers/promises';

import { Failure } from './failure.mjs';
import { HANG_MS } from './hang.mts';
import type { Program } from './program.mjs';

interface Start {
	/** As people call it: n8n. */
	title: string;
	isReady: () => Promise<boolean>;
	signal?: AbortSignal | undefined;
}

const POLL_MS = 200;

/**
 * Waits until a server that was started a moment ago can be used.
 *
 * @throws {Failure} when it ended instead, or takes too long
 */
export async function ready(
	{ exited, log }: Program,
	{ title, isReady, signal }: Start,
): Promise<void> {
	const deadline = Date.now() + HANG_MS;
	while (Date.now() < deadline) {
		if (await isReady()) return;
		const exitCode = await Promise.race([exited, delay(POLL_MS, undefined, { signal })]);
		if (exitCode !== undefined) {
			throw new Failure(`${title} ended with code ${exitCode} while it started.`, { log });
		}
	}
	throw new Failure(`${title} was not ready within ${HANG_MS / 1000} seconds.`, { log });
}
