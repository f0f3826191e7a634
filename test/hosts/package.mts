import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { x as extract } from 'tar';
import { z } from 'zod';
import { withLock } from '../machine/lock.mjs';
import { npm } from '../machine/npm.mjs';
import { cache, logFile, root } from '../machine/paths.mjs';

const TIMEOUT_MS = 5 * 60_000;

/** What is packed and what it is built from. */
const SOURCES = ['credentials', 'icons', 'nodes', 'gulpfile.js', 'package.json', 'tsconfig.json'];
const TEXTS = ['LICENSE.md', 'README.md'];

const manifestSchema = z.object({
	name: z.string(),
	version: z.string(),
	n8n: z.object({ credentials: z.array(z.string()), nodes: z.array(z.string()) }),
});

/**
 * Puts the package where n8n has the community packages that its users install, unpacked from the
 * tarball that is published. It is built and packed first if it changed since it was last.
 *
 * @returns the package's name, with which n8n prefixes its node types
 */
export async function installPackage(userFolder: string, signal?: AbortSignal): Promise<string> {
	const manifest = manifestSchema.parse(
		JSON.parse(await readFile(join(root, 'package.json'), 'utf8')),
	);
	const bounds = { timeout: TIMEOUT_MS, signal };
	const { credentials, nodes } = manifest.n8n;
	const built = [...credentials, ...nodes];
	const file = join(cache, `${manifest.name}-${manifest.version}.tgz`);
	await withLock(
		join(cache, 'build.lock'),
		async () => {
			if (!(await areNewer(built, SOURCES))) {
				await npm(['run', 'build'], { ...bounds, log: logFile('build') });
			}
			if (await areNewer([file], [...SOURCES, ...TEXTS, ...built])) return;
			await npm(['pack', '--pack-destination', cache], { ...bounds, log: logFile('pack') });
		},
		bounds,
	);
	const folder = join(userFolder, '.n8n', 'nodes', 'node_modules', manifest.name);
	await mkdir(folder, { recursive: true });
	await extract({ file, cwd: folder, strip: 1 });
	return manifest.name;
}

/** Whether files are there, and were made after all of these. */
async function areNewer(files: string[], sources: string[]): Promise<boolean> {
	const paths = files.map((file) => resolve(root, file));
	if (!paths.every((path) => existsSync(path))) return false;
	const oldest = Math.min(...(await Promise.all(paths.map(modified))));
	const newest = Math.max(...(await Promise.all(sources.map(newestIn))));
	return oldest > newest;
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
