import { Failure } from '../machine/failure.mjs';

/** The exit code of a command that was interrupted, as shells have it for Ctrl-C. */
export const INTERRUPTED = 130;

const PARENT_CHECK_MS = 500;

/**
 * Turns Ctrl-C, SIGTERM, a closed terminal and the end of the process that started us into an abort
 * signal: a SIGTERM sent to npm ends the shell between it and us, and does not get here. What comes
 * later changes nothing, since the clean-up is under way, and bounded.
 *
 * @returns {AbortSignal}
 */
export function interruption() {
	const controller = new AbortController();
	const interrupt = (/** @type {string} */ by) =>
		controller.abort(new Failure(`Interrupted (${by}).`));

	for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => interrupt(name));
	const parent = process.ppid;
	setInterval(() => {
		if (process.ppid !== parent) interrupt('the calling process ended');
	}, PARENT_CHECK_MS).unref();
	return controller.signal;
}
