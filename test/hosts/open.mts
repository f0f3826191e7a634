import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from './folder.mts';
import { startHost } from './host.mts';
import { installHost } from './install.mts';
import { installPackage } from './package.mts';
import { preparedDatabase } from './prepared.mts';
import { RestClient } from './rest.mts';
import { leanSettings } from './settings.mts';
import { n8n2, type HostVersion } from './versions.mts';

/** Runs one step of the way under a title; `note` says more while it runs. */
export type Step = <T>(
	title: string,
	action: (note: (text: string) => void) => Promise<T>,
) => Promise<T>;

export interface OpenOptions {
	version?: HostVersion;
	/** Name of its log file. */
	name?: string;
	/** Any free port unless told. */
	port?: number;
	/** Further settings of n8n. */
	settings?: NodeJS.ProcessEnv;
	/** Without what only its editor needs: it starts in less than half the time. */
	isLean?: boolean;
	/** Shows the steps to somebody; silent unless told. */
	step?: Step;
	signal?: AbortSignal;
}

/** A running n8n with the package in it, whose data is thrown away at the end. */
export type OpenHost = Awaited<ReturnType<typeof openHost>>;

/** Installs n8n where it is missing, gives it the packed package, starts it and signs in. */
export async function openHost({
	version = n8n2,
	name,
	step = silently,
	port,
	settings,
	isLean = false,
	signal,
}: OpenOptions = {}) {
	await using resources = new AsyncDisposableStack();
	const folder = await step(
		`Install n8n ${version.version}`,
		async (note) => await installHost(version, { note, signal }),
	);
	const userFolder = resources.use(await makeFolder());
	const packageName = await step(
		'Build and pack the package',
		async () => await installPackage(userFolder.path, signal),
	);
	return await step(`Start n8n ${version.version}`, async () => {
		const isNew = settings?.DB_TYPE !== undefined;
		if (!isNew) {
			const database = join(userFolder.path, '.n8n', 'database.sqlite');
			await copyFile(await preparedDatabase({ folder, signal }), database);
		}
		const all = { ...version.settings, ...(isLean && leanSettings(version)), ...settings };
		const options = { folder, userFolder: userFolder.path, name, port, settings: all, signal };
		const host = resources.use(await startHost(options));
		const client = await RestClient[isNew ? 'setUp' : 'signIn'](host, signal);
		const opened = resources.move();
		return {
			host,
			client,
			/** Where it keeps its data and the package. */
			userFolder: userFolder.path,
			/** With which n8n prefixes the package's node types. */
			packageName,
			[Symbol.asyncDispose]: async () => await opened.disposeAsync(),
		};
	});
}

const silently: Step = async (_title, action) => await action(() => {});
