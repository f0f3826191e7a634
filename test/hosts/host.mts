import { join } from 'node:path';
import { logFile, programs } from '../machine/paths.mjs';
import { start } from '../machine/program.mjs';
import { freePorts } from '../machine/ports.mts';
import { ready } from '../machine/ready.mts';
import { hostSettings } from './settings.mts';

/** Each request has a connection of its own: n8n may close an idle one in the moment in which it is used again. */
export const ALONE = { connection: 'close' };

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
export type Host = Awaited<ReturnType<typeof startProcess>>;

const ANSWER_TIMEOUT_MS = 10_000;

/** Starts n8n and waits until it answers. */
export async function startHost(options: HostOptions): Promise<Host> {
	return await startProcess(options, ['start'], '/rest/login');
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
) {
	const [freePort = 0, brokerPort = 0] = await freePorts(2);
	const ownPort = port || freePort;
	const entry = join(folder, 'node_modules', 'n8n', 'bin', 'n8n');
	const log = logFile(name);
	const env = {
		...hostSettings({ port: ownPort, brokerPort, userFolder }),
		// It starts in a tenth less time with its code compiled.
		NODE_COMPILE_CACHE: join(folder, 'compiled'),
		...settings,
	};
	const launch = () =>
		start(join(programs, 'node'), [entry, ...args], { log, cwd: userFolder, env });
	let program = launch();
	const stop = async () => await program.stop();
	const url = `http://127.0.0.1:${ownPort}`;
	const isReady = async () => await answers(`${url}${readyPath}`);
	const untilReady = async () => await ready(program, { title: 'n8n', isReady, signal });
	const host = {
		/** Of its editor, without a slash at the end. */
		url,
		folder,
		log,
		get pid() {
			return program.pid;
		},
		/** Its exit code, when it ended for whatever reason. */
		get exited() {
			return program.exited;
		},
		stop,
		/** Ends it as a power cut does, unless it has ended. */
		kill: async () => await program.kill(),
		/** Starts it again after a stop, at the same address and with the same data. */
		async start() {
			program = launch();
			await untilReady();
		},
		[Symbol.asyncDispose]: stop,
	};
	try {
		await untilReady();
		return host;
	} catch (error) {
		await host.stop();
		throw error;
	}
}

/** n8n listens, and says it is healthy, before its REST interface is there, to which nobody has signed in yet. */
async function answers(url: string): Promise<boolean> {
	try {
		const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS);
		const response = await fetch(url, { headers: ALONE, signal });
		const isJson = response.headers.get('content-type')?.startsWith('application/json');
		await response.text();
		return (response.ok || response.status === 401) && isJson === true;
	} catch {
		return false;
	}
}
