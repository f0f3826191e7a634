import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { cp, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Failure } from '../machine/failure.mjs';
import { withLock } from '../machine/lock.mjs';
import { logFile } from '../machine/paths.mjs';
import { environment, run } from '../machine/program.mjs';
import type { HostVersion } from './versions.mts';

export interface Progress {
	signal?: AbortSignal;
	/** Told what is being done, for people who wait. */
	note?: (text: string) => void;
}

const TIMEOUT_MS = 30 * 60_000;

/** Where an n8n is, once it is installed. */
export function folderOf({ version }: HostVersion): string {
	const source = sourceOf(version);
	const files = ['pnpm-lock.yaml', 'pnpm-workspace.yaml'].map((file) =>
		readFileSync(join(source, file)),
	);
	const hash = createHash('sha256').update(Buffer.concat(files)).digest('hex').slice(0, 12);
	const caches = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
	return join(caches, 'n8n-nodes-contact-data', 'hosts', `${version}-${hash}`);
}

function sourceOf(version: string): string {
	return fileURLToPath(new URL(`n8n-${version}`, import.meta.url));
}

/**
 * Installs an n8n unless it is there already.
 *
 * It lives outside the checkout under the hash of what pnpm reads, so that every checkout shares it. It
 * is built beside its place and moved there when complete: what is in the place can be relied on.
 * pnpm takes a third of npm's time for it, and the hosts share files.
 *
 * @returns the folder with its node_modules
 */
export async function installHost(
	host: HostVersion,
	{ signal, note }: Progress = {},
): Promise<string> {
	const folder = folderOf(host);
	if (existsSync(folder)) return folder;

	const bounds = { timeout: TIMEOUT_MS, signal };
	await withLock(
		`${folder}.lock`,
		async () => {
			if (existsSync(folder)) return;
			const partial = `${folder}.partial`;
			await rm(partial, { recursive: true, force: true });
			await cp(sourceOf(host.version), partial, { recursive: true });
			const env = environment({
				// pnpm does not read npm's setting that names certificates.
				NODE_USE_SYSTEM_CA: '1',
				// The lockfile brings the Node headers for Linux; elsewhere the compiler fetches them itself.
				...(process.platform === 'linux' && {
					npm_config_nodedir: join(partial, 'node_modules', `node-linux-${process.arch}`),
				}),
			});
			const log = logFile(`n8n-${host.version}-install`);
			const args = ['install', '--frozen-lockfile', '--store-dir', join(dirname(folder), 'store')];
			note?.('about 2 minutes');
			const code = await run('pnpm', args, { ...bounds, cwd: partial, env, log });
			if (code !== 0) throw new Failure(`\`pnpm install\` ended with code ${code}.`, { log });
			await rename(partial, folder);
		},
		bounds,
	);
	return folder;
}
