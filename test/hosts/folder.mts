import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder in the system's folder for temporary files, removed with all that is in it. */
export async function makeFolder(): Promise<AsyncDisposable & { path: string }> {
	const path = await mkdtemp(join(tmpdir(), 'n8n-nodes-contact-data-'));
	const remove = async () =>
		await rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
	return { path, [Symbol.asyncDispose]: remove };
}
