/**
 * @file What people install: the files of the tarball. What may not be in them, n8n's package scanner holds (`scan/`): scripts
 * that run on install, dependencies, code that it forbids.
 */

import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';

import { afterAll, beforeAll, expect, test } from 'vitest';

import { root } from '../machine/paths.mjs';
import { installPackage } from '../hosts/package.mts';

let userFolder: string;
let folder: string;

beforeAll(async () => {
	userFolder = await mkdtemp(join(tmpdir(), 'tarball-'));
	const name = await installPackage(userFolder);
	folder = join(userFolder, '.n8n', 'nodes', 'node_modules', name);
});

afterAll(async () => await rm(userFolder, { recursive: true, force: true }));

async function filesIn(path: string): Promise<string[]> {
	const entries = await readdir(path, { recursive: true, withFileTypes: true });
	return entries
		.filter((entry) => entry.isFile())
		.map(({ parentPath, name }) =>
			join(parentPath, name)
				.slice(path.length + 1)
				.replaceAll(sep, '/'),
		)
		.toSorted();
}

/** Every source with what it is built to. */
async function builtFrom(source: string): Promise<string[]> {
	const files = await filesIn(join(root, source));
	return files
		.filter((file) => /\.(?:ts|json|svg)$/.test(file) && !file.startsWith('masters/'))
		.map((file) => `dist/${source}/${file.replace(/\.ts$/, '.js')}`);
}

test('holds what is built of the sources, and no file else', async () => {
	const built = await Promise.all(['credentials', 'icons', 'nodes'].map(builtFrom));
	expect(await filesIn(folder)).toEqual(
		[...built.flat(), 'LICENSE.md', 'README.md', 'package.json'].toSorted(),
	);
});

test('brings no other package along, and loads none but that of n8n', async () => {
	const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
	const { optionalDependencies, bundledDependencies, bundleDependencies } = manifest;
	expect([optionalDependencies, bundledDependencies, bundleDependencies]).toEqual(
		Array(3).fill(undefined),
	);
	expect(manifest.n8n.strict).toBe(true);
	const scripts = (await filesIn(folder)).filter((file) => file.endsWith('.js'));
	expect(scripts.length).toBeGreaterThan(50);
	const required = new Set<string>();
	for (const file of scripts) {
		const text = await readFile(join(folder, file), 'utf8');
		for (const [, name] of text.matchAll(/require\(["']([^."'][^"']*)["']\)/g)) required.add(name);
	}
	expect([...required].toSorted()).toEqual(['crypto', 'n8n-workflow']);
});
