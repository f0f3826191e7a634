import { startPostgres, startRedis } from '../components/servers.mts';
import { startWorker } from './host.mts';
import { openHost } from './open.mts';
import { leanSettings } from './settings.mts';
import { n8n2, type HostVersion } from './versions.mts';

interface QueueOptions {
	version?: HostVersion;
	workers: number;
	/** How many executions a worker has under way at most. */
	concurrency: number;
	/** Further settings of all processes. */
	settings?: NodeJS.ProcessEnv;
}

/**
 * Starts n8n in queue mode, with PostgreSQL and Redis: a lean main process that takes the calls, and lean workers that
 * execute.
 *
 * @throws {ProgramMissing}
 */
export async function openQueue({
	version = n8n2,
	workers: count,
	concurrency,
	settings,
}: QueueOptions) {
	await using resources = new AsyncDisposableStack();
	const postgres = resources.use(await startPostgres());
	const redis = resources.use(await startRedis());
	const queueSettings = {
		...postgres.settings,
		...redis.settings,
		EXECUTIONS_MODE: 'queue',
		// In milliseconds: it notices after 20 seconds, not after a minute, that a worker is gone.
		QUEUE_WORKER_LOCK_DURATION: '20000',
		QUEUE_WORKER_LOCK_RENEW_TIME: '5000',
		QUEUE_WORKER_STALLED_INTERVAL: '5000',
		...settings,
	};
	const main = resources.use(
		await openHost({ name: 'n8n-main', version, isLean: true, settings: queueSettings }),
	);
	const starting = Array.from({ length: count }, async (_, index) => {
		const options = {
			folder: main.host.folder,
			userFolder: main.userFolder,
			name: `n8n-worker-${index + 1}`,
			settings: { ...version.settings, ...leanSettings(version), ...queueSettings },
		};
		return resources.use(await startWorker(options, concurrency));
	});
	const workers = await Promise.all(starting);
	const opened = resources.move();
	return {
		main,
		workers,
		/** Of all that is real here. */
		versions: `n8n ${version.name} with ${postgres.title} and ${redis.title}`,
		[Symbol.asyncDispose]: async () => await opened.disposeAsync(),
	};
}
