import { chmod, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { makeFolder } from '../hosts/folder.mts';
import { Failure } from '../machine/failure.mjs';
import { HANG_MS } from '../machine/hang.mts';
import { logFile } from '../machine/paths.mjs';
import { freePorts } from '../machine/ports.mts';
import { run, start } from '../machine/program.mjs';
import { ready } from '../machine/ready.mts';
import { ensureProgram, realPrograms, versionOf } from './program.mts';

/** A server of our own, whose data is thrown away at the end. */
interface Server extends AsyncDisposable {
	/** With its version, e.g. PostgreSQL server 15.20. */
	readonly title: string;
	/** With which n8n uses it. */
	readonly settings: NodeJS.ProcessEnv;
}

type Command = [program: string, ...args: string[]];

/** What a server is started with. */
interface Start {
	command: Command;
	/** Succeeds once the server can be used. */
	check: Command;
	settings: NodeJS.ProcessEnv;
}

const HOST = '127.0.0.1';
const USER = 'n8n';
/** PostgreSQL refuses to run as root; then it runs as the user that its package brings. */
const isRoot = process.getuid?.() === 0;

/** @throws {ProgramMissing} */
export async function startPostgres(): Promise<Server> {
	return await startServer('postgres', async (file, tool, folder, port) => {
		if (isRoot) await chmod(folder, 0o777);
		const data = join(folder, 'data');
		const init = ['-D', data, '-U', USER, '-A', 'trust', '-E', 'UTF8', '--no-locale'];
		const log = logFile('initdb');
		if ((await exitCode(asUser(tool('initdb'), ...init), log)) !== 0) {
			throw new Failure('`initdb` did not succeed.', { log });
		}
		const options = {
			listen_addresses: HOST,
			port,
			unix_socket_directories: '',
			max_connections: 200,
		};
		const flags = Object.entries(options).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
		return {
			command: asUser(file, '-D', data, ...flags),
			check: [tool('pg_isready'), '-h', HOST, '-p', port],
			settings: {
				DB_TYPE: 'postgresdb',
				DB_POSTGRESDB_HOST: HOST,
				DB_POSTGRESDB_PORT: port,
				DB_POSTGRESDB_DATABASE: 'postgres',
				DB_POSTGRESDB_USER: USER,
			},
		};
	});
}

/** @throws {ProgramMissing} */
export async function startRedis(): Promise<Server> {
	return await startServer('redis', async (file, tool, folder, port) => ({
		command: [file, '--bind', HOST, '--port', port, '--save', '', '--dir', folder],
		check: [tool('redis-cli'), '-h', HOST, '-p', port, 'ping'],
		settings: { QUEUE_BULL_REDIS_HOST: HOST, QUEUE_BULL_REDIS_PORT: port },
	}));
}

type Prepare = (
	file: string,
	/** Gives the file of a program that comes with it. */
	tool: (name: string) => string,
	folder: string,
	port: string,
) => Promise<Start>;

/** Starts a server and waits until it can be used. */
async function startServer(name: 'postgres' | 'redis', prepare: Prepare): Promise<Server> {
	await using resources = new AsyncDisposableStack();
	const file = await ensureProgram(realPrograms[name]);
	const tools = dirname(await realpath(file));
	const tool = (program: string) => join(tools, program);
	const folder = resources.use(await makeFolder());
	const [port] = await freePorts(1);
	const prepared = await prepare(file, tool, folder.path, String(port));
	const { command, check, settings } = prepared;
	const [program, ...args] = command;
	const server = start(program, args, { log: logFile(name), cwd: folder.path });
	resources.defer(server.stop);
	const title = `${realPrograms[name].title} ${await versionOf(file)}`;
	const isReady = async () => (await exitCode(check, logFile(`${name}-check`))) === 0;
	await ready(server, { title, isReady });
	const started = resources.move();
	return { title, settings, [Symbol.asyncDispose]: async () => await started.disposeAsync() };
}

function asUser(...command: Command): Command {
	if (!isRoot) return command;
	return ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups', ...command];
}

async function exitCode([program, ...args]: Command, log: string): Promise<number> {
	return await run(program, args, { log, cwd: '/', timeout: HANG_MS });
}
