import { start } from '../commands/program.mjs';
import { logFile } from '../commands/paths.mjs';
import { makeFolder } from '../hosts/folder.mts';
import { freePorts } from '../hosts/ports.mts';
import { ensureProgram, versionOf, type RealProgram } from './program.mts';

const program: RealProgram = {
	title: 'Redis server',
	files: ['redis-server'],
	variable: 'REDIS',
	debianPackage: 'redis-server',
};

interface Redis extends AsyncDisposable {
	/** e.g. 7.0.15 */
	readonly version: string;
	/** With which n8n keeps its queue there. */
	readonly settings: NodeJS.ProcessEnv;
}

const HOST = '127.0.0.1';

/**
 * Starts a Redis of our own, whose data is thrown away at the end. Who connects waits for it.
 *
 * @throws {ProgramMissing}
 */
export async function startRedis(): Promise<Redis> {
	await using resources = new AsyncDisposableStack();
	const file = await ensureProgram(program);
	const folder = resources.use(await makeFolder());
	const [port = 0] = await freePorts(1);
	const args = ['--bind', HOST, '--port', String(port), '--save', '', '--dir', folder.path];
	const server = start(file, args, { log: logFile('redis'), cwd: folder.path });
	resources.defer(server.stop);
	const started = resources.move();
	return {
		version: await versionOf(file),
		settings: { QUEUE_BULL_REDIS_HOST: HOST, QUEUE_BULL_REDIS_PORT: String(port) },
		[Symbol.asyncDispose]: async () => await started.disposeAsync(),
	};
}
