import { setTimeout as delay } from 'node:timers/promises';

import { Failure } from './failure.mjs';

/** A server that was started a moment ago. */
export interface Starting {
	/** As people call it: n8n. */
	title: string;
	/** Its exit code, when it ended. */
	exited: Promise<number>;
	log: string;
	isReady: () => Promise<boolean>;
	/** In milliseconds. */
	timeout: number;
	signal?: AbortSignal | undefined;
}

const POLL_MS = 200;

/**
 * Waits until a server can be used.
 *
 * @throws {Failure} when it ended instead, or takes too long
 */
export async function ready(starting: Starting): Promise<void> {
	const { title, exited, log, isReady, timeout, signal } = starting;
	const deadline = Date.now() + timeout;
	while (Date.now() < deadline) {
		if (await isReady()) return;
		const pause = delay(POLL_MS, undefined, { ...(signal && { signal }) });
		const exitCode = await Promise.race([exited, pause]);
		if (exitCode !== undefined) {
			throw new Failure(`${title} ended with code ${exitCode} while it started.`, { log });
		}
	}
	throw new Failure(`${title} was not ready within ${timeout / 1000} seconds.`, { log });
}
