import { chmod, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { Failure } from '../machine/failure.mjs';
import { logFile } from '../machine/paths.mjs';
import { run, start } from '../machine/program.mjs';
import { makeFolder } from '../hosts/folder.mts';
import { freePorts } from '../machine/ports.mts';
import { ready } from '../machine/ready.mts';
import { ensureProgram, realPrograms, versionOf } from './program.mts';

interface Postgres extends AsyncDisposable {
	/** e.g. 15.20 */
	readonly version: string;
	/** With which n8n keeps its data there. */
	readonly settings: NodeJS.ProcessEnv;
}

const HOST = '127.0.0.1';
const USER = 'n8n';
const START_TIMEOUT_MS = 60_000;
/** PostgreSQL refuses to run as root; then it runs as the user that its package brings. */
const isRoot = process.getuid?.() === 0;

/**
 * Starts a PostgreSQL of our own, whose data is thrown away at the end.
 *
 * @throws {ProgramMissing}
 */
export async function startPostgres(): Promise<Postgres> {
	await using resources = new AsyncDisposableStack();
	const file = await realpath(await ensureProgram(realPrograms.postgres));
	const log = logFile('postgres');
	const folder = resources.use(await makeFolder());
	if (isRoot) await chmod(folder.path, 0o777);
	const data = join(folder.path, 'data');
	const tool = (name: string) => join(dirname(file), name);
	const init = ['-D', data, '-U', USER, '-A', 'trust', '-E', 'UTF8', '--no-locale'];
	if ((await exitCode(asUser(tool('initdb'), ...init), log)) !== 0) {
		throw new Failure('`initdb` did not succeed.', { log });
	}

	const [port = 0] = await freePorts(1);
	const options = {
		listen_addresses: HOST,
		port,
		unix_socket_directories: '',
		max_connections: 200,
	};
	const flags = Object.entries(options).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
	const [command, ...args] = asUser(file, '-D', data, ...flags);
	const server = start(command, args, { log, cwd: folder.path });
	resources.defer(server.stop);

	const asks: Command = [tool('pg_isready'), '-h', HOST, '-p', String(port)];
	await ready({
		title: realPrograms.postgres.title,
		exited: server.exited,
		log,
		isReady: async () => (await exitCode(asks, logFile('pg_isready'))) === 0,
		timeout: START_TIMEOUT_MS,
	});
	const started = resources.move();
	return {
		version: await versionOf(file),
		settings: {
			DB_TYPE: 'postgresdb',
			DB_POSTGRESDB_HOST: HOST,
			DB_POSTGRESDB_PORT: String(port),
			DB_POSTGRESDB_DATABASE: 'postgres',
			DB_POSTGRESDB_USER: USER,
		},
		[Symbol.asyncDispose]: async () => await started.disposeAsync(),
	};
}

type Command = [program: string, ...args: string[]];

function asUser(...command: Command): Command {
	if (!isRoot) return command;
	return ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups', ...command];
}

async function exitCode([command, ...args]: Command, log: string): Promise<number> {
	return await run(command, args, { log, cwd: '/', timeout: START_TIMEOUT_MS });
}
