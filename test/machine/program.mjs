import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { delimiter, dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Failure } from './failure.mjs';
import { programs, root } from './paths.mjs';

/**
 * @typedef {object} Program
 * @property {number} pid also the id of its process group
 * @property {string} log the file that holds its output
 * @property {Promise<number>} exited its exit code, 128 if a signal ended it; rejects if it could not be started
 * @property {() => Promise<void>} kill ends it and everything it started as a power cut does
 * @property {() => Promise<void>} stop ends it and everything it started
 *
 * @typedef {object} ProgramOptions
 * @property {string} log where its output goes; the file is started afresh
 * @property {string} [cwd] the checkout unless told
 * @property {NodeJS.ProcessEnv} [env]
 * @property {number} [grace] milliseconds that it gets to end by itself
 *
 * @typedef {object} Bounds
 * @property {number} timeout milliseconds
 * @property {AbortSignal} [signal]
 */

const GRACE_MS = 10_000;
const POLL_MS = 20;

/** @type {Set<number>} the process groups that we started and have not seen end */
const groups = new Set();

process.on('exit', () => {
	for (const group of groups) send(group, 'SIGKILL');
});

/**
 * The environment of what we start: the project's own Node comes first on the PATH.
 *
 * @param {NodeJS.ProcessEnv} [changes]
 * @returns {NodeJS.ProcessEnv}
 */
export function environment(changes = {}) {
	return { ...process.env, PATH: [programs, process.env.PATH].join(delimiter), ...changes };
}

/**
 * Starts a program in a process group of its own, so that Ctrl-C reaches only us and everything the
 * program starts can be ended together.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {ProgramOptions} options
 * @returns {Program}
 */
export function start(command, args, { log, cwd = root, env = environment(), grace = GRACE_MS }) {
	mkdirSync(dirname(log), { recursive: true });
	const output = openSync(log, 'w');
	const child = spawn(command, args, {
		cwd,
		env,
		detached: true,
		stdio: ['ignore', output, output],
	});
	closeSync(output);
	const group = child.pid ?? 0;
	if (group) groups.add(group);

	/** @type {Promise<number>} */
	const exited = new Promise((resolve, reject) => {
		child.once('error', reject);
		child.once('exit', (code) => resolve(code ?? 128));
	});
	exited.catch(() => {});

	const kill = async () => {
		send(group, 'SIGKILL');
		groups.delete(group);
		await exited;
	};
	const stop = async () => {
		if (!groups.has(group)) return;
		const deadline = Date.now() + grace;
		send(group, 'SIGTERM');
		while (send(group, 0) && Date.now() < deadline) await delay(POLL_MS);
		await kill();
	};
	return { pid: group, log, exited, kill, stop };
}

/**
 * Runs a program to its end.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {ProgramOptions & Bounds} options
 * @returns {Promise<number>} its exit code
 * @throws {Failure} when it ran out of time or we were interrupted; it is ended then
 */
export async function run(command, args, { timeout, signal, ...options }) {
	const program = start(command, args, options);
	const late = async () => {
		await delay(timeout, undefined, { signal, ref: false }).catch(() => signal?.throwIfAborted());
		const line = [command, ...args].join(' ');
		const seconds = Math.round(timeout / 1000);
		throw new Failure(`\`${line}\` did not end within ${seconds} seconds.`, { log: options.log });
	};
	try {
		return await Promise.race([program.exited, late()]);
	} finally {
		await program.stop();
	}
}

/**
 * @param {number} group
 * @param {NodeJS.Signals | 0} name 0 only asks
 * @returns {boolean} whether anything of the group is left
 */
function send(group, name) {
	try {
		return process.kill(-group, name);
	} catch {
		return false;
	}
}
