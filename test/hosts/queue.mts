import { startPostgres } from '../components/postgres.mts';
import { startRedis } from '../components/redis.mts';
import { startWorker, type Host } from './host.mts';
import { openHost, type OpenHost } from './open.mts';
import { n8n2 } from './versions.mts';

interface QueueOptions {
	workers: number;
	/** How many executions a worker has under way at most. */
	concurrency: number;
	/** Further settings of all processes. */
	settings?: NodeJS.ProcessEnv;
}

/** An n8n in queue mode: a main process that takes the calls, and workers that execute. */
export interface OpenQueue extends AsyncDisposable {
	readonly main: OpenHost;
	readonly workers: readonly Host[];
	/** Of all that is real here. */
	readonly versions: string;
}

/**
 * Starts PostgreSQL, Redis and n8n's processes, one after the other.
 *
 * @throws {ProgramMissing}
 */
export async function openQueue({
	workers: count,
	concurrency,
	settings,
}: QueueOptions): Promise<OpenQueue> {
	await using resources = new AsyncDisposableStack();
	const postgres = resources.use(await startPostgres());
	const redis = resources.use(await startRedis());
	const queueSettings = {
		...postgres.settings,
		...redis.settings,
		EXECUTIONS_MODE: 'queue',
		...settings,
	};
	const main = resources.use(
		await openHost({ name: 'n8n-main', version: n8n2, settings: queueSettings }),
	);
	const workers: Host[] = [];
	for (let number = 1; number <= count; number++) {
		const options = {
			folder: main.host.folder,
			userFolder: main.userFolder,
			name: `n8n-worker-${number}`,
			settings: { ...n8n2.settings, ...queueSettings },
		};
		workers.push(resources.use(await startWorker(options, concurrency)));
	}
	const opened = resources.move();
	return {
		main,
		workers,
		versions: `n8n ${n8n2.version} with PostgreSQL ${postgres.version} and Redis ${redis.version}`,
		[Symbol.asyncDispose]: async () => await opened.disposeAsync(),
	};
}
