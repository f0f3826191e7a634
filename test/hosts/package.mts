import { existsSync } from 'node:fs';
import { mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { x as extract } from 'tar';
import manifest from '../../package.json' with { type: 'json' };
import { HANG_MS } from '../machine/hang.mts';
import { withLock } from '../machine/lock.mjs';
import { npm } from '../machine/npm.mjs';
import { cache, logFile, root } from '../machine/paths.mjs';

/** What is packed or what that is built from. */
const SOURCES = [
	'credentials',
	'gulpfile.js',
	'icons',
	'LICENSE.md',
	'nodes',
	'package.json',
	'README.md',
	'tsconfig.json',
];

/**
 * Puts the package where n8n has the community packages that its users install, unpacked from the
 * tarball that is published. It is built and packed first, each if it changed since it was last.
 *
 * @returns the package's name, with which n8n prefixes its node types
 */
export async function installPackage(userFolder: string, signal?: AbortSignal): Promise<string> {
	const { name, version } = manifest;
	const bounds = { timeout: HANG_MS, signal };
	const file = join(cache, `${name}-${version}.tgz`);
	await withLock(
		join(cache, 'build.lock'),
		async () => {
			const changed = Math.max(...(await Promise.all(SOURCES.map(newestIn))));
			if (existsSync(file) && (await modified(file)) > changed) return;
			// A build copies the icons last: with them it is whole, as `npm test` has made it before.
			const built = await modified(join(root, 'dist', 'icons')).catch(() => 0);
			if (built < changed) await npm(['run', 'build'], { ...bounds, log: logFile('build') });
			await npm(['pack', '--pack-destination', cache], { ...bounds, log: logFile('pack') });
		},
		bounds,
	);
	const folder = join(userFolder, '.n8n', 'nodes', 'node_modules', name);
	await mkdir(folder, { recursive: true });
	await extract({ file, cwd: folder, strip: 1 });
	return name;
}

/** When a file, or anything in a folder, was last changed, added or removed. */
async function newestIn(source: string): Promise<number> {
	const path = join(root, source);
	const inside = (await stat(path)).isDirectory() ? await readdir(path, { recursive: true }) : [];
	const times = [path, ...inside.map((name) => join(path, name))].map(modified);
	return Math.max(...(await Promise.all(times)));
}

async function modified(path: string): Promise<number> {
	return (await stat(path)).mtimeMs;
}
