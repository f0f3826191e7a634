import { parseArgs } from 'node:util';
import { describe, Failure } from '../machine/failure.mjs';

/** The exit code of a command that was interrupted, as shells have it for Ctrl-C. */
export const INTERRUPTED = 130;

const PARENT_CHECK_MS = 500;

/**
 * Runs a command to its end and sets the exit code. The signal is aborted by Ctrl-C, SIGTERM, a closed terminal and
 * the end of the process that started us: a SIGTERM sent to npm ends the shell between it and us, and does not get
 * here. What comes later changes nothing, since the clean-up is in progress, and bounded.
 *
 * @param {(signal: AbortSignal) => Promise<number | void>} action may resolve to an exit code; it has cleaned up when
 *   it settles
 */
export async function runCommand(action) {
	const controller = new AbortController();
	const { signal } = controller;
	const interrupt = (/** @type {string} */ by) =>
		controller.abort(new Failure(`Interrupted (${by}).`));
	for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => interrupt(name));
	const parent = process.ppid;
	setInterval(() => {
		if (process.ppid !== parent) interrupt('the calling process ended');
	}, PARENT_CHECK_MS).unref();
	try {
		process.exitCode = (await action(signal)) ?? 0;
	} catch (error) {
		console.error(`\n${describe(signal.aborted ? signal.reason : error)}`);
		process.exitCode = signal.aborted ? INTERRUPTED : 1;
	}
}

/**
 * Reads a command's options.
 *
 * @template {import('node:util').ParseArgsOptionsConfig} Options
 * @param {string} command how it is called, e.g. `npm start`
 * @param {Options} options
 */
export function readOptions(command, options) {
	try {
		return parseArgs({ options }).values;
	} catch (error) {
		const message = error instanceof Error ? error.message : String(error);
		throw new Failure(message, { remedy: `See \`${command} -- --help\`.` });
	}
}
