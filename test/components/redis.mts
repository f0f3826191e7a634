import { once } from 'node:events';
import { connect } from 'node:net';

import { logFile } from '../machine/paths.mjs';
import { start } from '../machine/program.mjs';
import { makeFolder } from '../hosts/folder.mts';
import { freePorts } from '../machine/ports.mts';
import { ready } from '../machine/ready.mts';
import { ensureProgram, realPrograms, versionOf } from './program.mts';

interface Redis extends AsyncDisposable {
	/** e.g. 7.0.15 */
	readonly version: string;
	/** With which n8n keeps its queue there. */
	readonly settings: NodeJS.ProcessEnv;
}

const HOST = '127.0.0.1';
const START_TIMEOUT_MS = 30_000;
const ANSWER_TIMEOUT_MS = 5_000;

/**
 * Starts a Redis of our own, whose data is thrown away at the end.
 *
 * @throws {ProgramMissing}
 */
export async function startRedis(): Promise<Redis> {
	await using resources = new AsyncDisposableStack();
	const file = await ensureProgram(realPrograms.redis);
	const folder = resources.use(await makeFolder());
	const [port = 0] = await freePorts(1);
	const args = ['--bind', HOST, '--port', String(port), '--save', '', '--dir', folder.path];
	const log = logFile('redis');
	const server = start(file, args, { log, cwd: folder.path });
	resources.defer(server.stop);
	await ready({
		title: realPrograms.redis.title,
		exited: server.exited,
		log,
		isReady: async () => await answersPing(port),
		timeout: START_TIMEOUT_MS,
	});
	const started = resources.move();
	return {
		version: await versionOf(file),
		settings: { QUEUE_BULL_REDIS_HOST: HOST, QUEUE_BULL_REDIS_PORT: String(port) },
		[Symbol.asyncDispose]: async () => await started.disposeAsync(),
	};
}

async function answersPing(port: number): Promise<boolean> {
	const socket = connect(port, HOST);
	const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS);
	try {
		await once(socket, 'connect', { signal });
		socket.write('PING\r\n');
		const [answer] = await once(socket, 'data', { signal });
		return String(answer).startsWith('+PONG');
	} catch {
		return false;
	} finally {
		socket.destroy();
	}
}
