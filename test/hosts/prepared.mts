import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { HANG_MS } from '../machine/hang.mts';
import { withLock } from '../machine/lock.mjs';
import { makeFolder } from './folder.mts';
import { startHost, type HostOptions } from './host.mts';
import { RestClient } from './rest.mts';

/**
 * The database of a new n8n that has its tables and its owner: made once for each installed n8n and copied from
 * then on, as it takes longer than a start.
 */
export async function preparedDatabase(options: Pick<HostOptions, 'folder' | 'signal'>) {
	const { folder, signal } = options;
	const file = join(folder, 'new.sqlite');
	const prepare = async () => {
		if (existsSync(file)) return;
		await using userFolder = await makeFolder();
		await using host = await startHost({
			...options,
			userFolder: userFolder.path,
			name: 'n8n-new',
		});
		await RestClient.setUp(host, signal);
		using database = new DatabaseSync(join(userFolder.path, '.n8n', 'database.sqlite'));
		const partial = `${file}.partial`;
		await rm(partial, { force: true });
		database.exec(`VACUUM INTO '${partial.replaceAll("'", "''")}'`);
		await rename(partial, file);
	};
	if (!existsSync(file)) {
		await withLock(`${file}.lock`, prepare, { timeout: HANG_MS, signal });
	}
	return file;
}
