import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Failure } from '../commands/failure.mjs';
import { logFile, programs } from '../commands/paths.mjs';
import { start } from '../commands/program.mjs';
import { hostSettings } from './settings.mts';
import { freePorts } from './ports.mts';

export interface HostOptions {
	/** The folder of an installed n8n. */
	folder: string;
	/** Where n8n keeps its database and community packages. */
	userFolder: string;
	/** Any free one unless told. */
	port?: number;
	/** Name of the log file. */
	name?: string;
	/** Further settings of n8n. */
	settings?: NodeJS.ProcessEnv;
	signal?: AbortSignal;
}

/** A real n8n that runs on this machine. */
export interface Host extends AsyncDisposable {
	/** Of its editor, without a slash at the end. */
	readonly url: string;
	readonly folder: string;
	readonly log: string;
	readonly pid: number;
	/** Its exit code, when it ended for whatever reason. */
	readonly exited: Promise<number>;
	stop(): Promise<void>;
	/** Starts it again after a stop, at the same address and with the same data. */
	start(): Promise<void>;
}

/** It takes 10 seconds on an idle machine. */
const START_TIMEOUT_MS = 180_000;
const ANSWER_TIMEOUT_MS = 10_000;
const POLL_MS = 200;

/** Starts n8n and waits until it answers. */
export async function startHost(options: HostOptions): Promise<Host> {
	return await startProcess(options, ['start'], '/rest/settings');
}

/** Starts a worker, which executes what a main n8n puts into their queue: so many at once. */
export async function startWorker(options: HostOptions, concurrency: number): Promise<Host> {
	const args = ['worker', `--concurrency=${concurrency}`];
	return await startProcess(options, args, '/healthz/readiness');
}

async function startProcess(
	{ folder, userFolder, port, name = 'n8n', settings = {}, signal }: HostOptions,
	args: string[],
	readyPath: string,
): Promise<Host> {
	const [freePort = 0, brokerPort = 0] = await freePorts(2);
	const ownPort = port ?? freePort;
	const entry = join(folder, 'node_modules', 'n8n', 'bin', 'n8n');
	const log = logFile(name);
	const env = { ...hostSettings({ port: ownPort, brokerPort, userFolder }), ...settings };
	const launch = () =>
		start(join(programs, 'node'), [entry, ...args], { log, cwd: userFolder, env });
	let program = launch();
	const stop = async () => await program.stop();
	const host: Host = {
		url: `http://127.0.0.1:${ownPort}`,
		folder,
		log,
		get pid() {
			return program.pid;
		},
		get exited() {
			return program.exited;
		},
		stop,
		async start() {
			program = launch();
			await ready(host, readyPath, signal);
		},
		[Symbol.asyncDispose]: stop,
	};
	try {
		await ready(host, readyPath, signal);
		return host;
	} catch (error) {
		await host.stop();
		throw error;
	}
}

async function ready(host: Host, path: string, signal?: AbortSignal): Promise<void> {
	const deadline = Date.now() + START_TIMEOUT_MS;
	while (Date.now() < deadline) {
		if (await answers(`${host.url}${path}`)) return;
		const exitCode = await Promise.race([
			host.exited,
			delay(POLL_MS, undefined, { ...(signal && { signal }) }),
		]);
		if (exitCode !== undefined) {
			throw new Failure(`n8n ended with code ${exitCode} while it started.`, { log: host.log });
		}
	}
	throw new Failure(`n8n did not answer within ${START_TIMEOUT_MS / 1000} seconds.`, {
		log: host.log,
	});
}

/** n8n listens, and says it is healthy, before its REST interface is there. */
async function answers(url: string): Promise<boolean> {
	try {
		const response = await fetch(url, { signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS) });
		const isJson = response.headers.get('content-type')?.startsWith('application/json');
		await response.text();
		return response.ok && isJson === true;
	} catch {
		return false;
	}
}
