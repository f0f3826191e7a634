import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withLock } from '../machine/lock.mjs';
import { npm } from '../machine/npm.mjs';
import { logFile } from '../machine/paths.mjs';
import { environment } from '../machine/program.mjs';
import type { HostVersion } from './versions.mts';

export interface Progress {
	signal?: AbortSignal;
	/** Told what is being done, for people who wait. */
	note?: (text: string) => void;
}

const TIMEOUT_MS = 30 * 60_000;

/**
 * Installs an n8n unless it is there already.
 *
 * It lives outside the checkout under the hash of its lockfile, so that every checkout shares it. It
 * is built beside its place and moved there when complete: what is in the place can be relied on.
 *
 * @returns the folder with its node_modules
 */
export async function installHost(
	host: HostVersion,
	{ signal, note }: Progress = {},
): Promise<string> {
	const source = fileURLToPath(new URL(`n8n-${host.version}`, import.meta.url));
	const folder = join(hostsFolder(), `${host.version}-${await lockfileHash(source)}`);
	if (existsSync(folder)) return folder;

	const bounds = { timeout: TIMEOUT_MS, signal };
	await withLock(
		`${folder}.lock`,
		async () => {
			if (existsSync(folder)) return;
			const partial = `${folder}.partial`;
			await rm(partial, { recursive: true, force: true });
			await mkdir(partial);
			for (const file of ['package.json', 'package-lock.json']) {
				await cp(join(source, file), join(partial, file));
			}
			const options = { ...bounds, cwd: partial, env: compilerEnvironment(partial) };
			note?.('downloading, about 3 minutes');
			await npm(['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
				...options,
				log: logFile(`n8n-${host.version}-install`),
			});
			note?.('compiling, about 2 minutes');
			await npm(['rebuild', ...host.nativePackages], {
				...options,
				log: logFile(`n8n-${host.version}-compile`),
			});
			await rename(partial, folder);
		},
		bounds,
	);
	return folder;
}

function hostsFolder(): string {
	const caches = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
	return join(caches, 'n8n-nodes-contact-data', 'hosts');
}

async function lockfileHash(folder: string): Promise<string> {
	const lockfile = await readFile(join(folder, 'package-lock.json'));
	return createHash('sha256').update(lockfile).digest('hex').slice(0, 12);
}

/**
 * The host's lockfile brings the Node headers for Linux; elsewhere the compiler fetches them itself.
 */
function compilerEnvironment(folder: string): NodeJS.ProcessEnv {
	return environment(
		process.platform === 'linux'
			? { npm_config_nodedir: join(folder, 'node_modules', `node-linux-${process.arch}`) }
			: {},
	);
}
