/**
 * @file n8n's package scanner over what it reads once the package is published: the source, and the tarball. It passes
 * both, with the newest rules too, and fails each for a fault that is planted there.
 */

import { cp, glob, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { ESLint } from 'eslint';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import scanner from '@n8n/scan-community-package/package.json' with { type: 'json' };
import { installPackage } from '../hosts/package.mts';
import { root } from '../machine/paths.mjs';
import { report } from '../support/measures/report.mts';
import { analyzePackage, buildNewestConfig, SOURCE_FILE_PATTERNS } from './support/scanner.mts';

/** The two legs of the scanner: which files it reads of each. */
const legs = {
	source: SOURCE_FILE_PATTERNS,
	tarball: ['**/*.js', 'package.json'],
};

type Leg = keyof typeof legs;

let folder: string;

/** What the scanner says of a leg: its findings, none if it passes. */
async function scan(leg: Leg): Promise<string> {
	const { passed, message, details } = await analyzePackage(join(folder, leg), legs[leg]);
	return passed ? '' : `${message} ${details}`;
}

/** What the newest rules say of a leg. The scanner will have them with one of its next releases. */
async function lint(leg: Leg): Promise<string> {
	const eslint = new ESLint({
		cwd: join(folder, leg),
		allowInlineConfig: false,
		overrideConfigFile: true,
		overrideConfig: await buildNewestConfig(),
	});
	const formatter = await eslint.loadFormatter('stylish');
	return await formatter.format(await eslint.lintFiles(legs[leg]));
}

/** What is found once a file is changed. The file is then as it was. */
async function findPlanted(
	leg: Leg,
	file: string,
	change: (text: string) => string,
	find = scan,
): Promise<string> {
	const path = join(folder, leg, file);
	const before = await readFile(path, 'utf8');
	await writeFile(path, change(before));
	const found = await find(leg);
	await writeFile(path, before);
	return found;
}

beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), 'scan-'));
	for (const part of ['credentials', 'icons', 'nodes', 'package.json']) {
		await cp(join(root, part), join(folder, 'source', part), { recursive: true });
	}
	const name = await installPackage(folder);
	// ESLint passes over what stands in `node_modules`.
	const installed = join(folder, '.n8n', 'nodes', 'node_modules', name);
	await cp(installed, join(folder, 'tarball'), { recursive: true });
});

afterAll(async () => await rm(folder, { recursive: true, force: true }));

test.each<[Leg, least: number]>([
	['source', 100],
	['tarball', 80],
])('the scanner passes the %s', async (leg, least) => {
	expect(await scan(leg)).toBe('');
	expect(await lint(leg)).toBe('');
	let files = 0;
	for await (const _ of glob(legs[leg], { cwd: join(folder, leg) })) files++;
	expect(files).toBeGreaterThan(least);
	report(`@n8n/scan-community-package ${scanner.version}: the ${leg} passes, ${files} files`);
});

describe('a fault that is planted fails', () => {
	test.each<[Leg, fault: string, file: string, rule: string]>([
		['source', 'console.log(1);', 'nodes/List/leads.ts', 'no-console'],
		['source', 'process.env.KEY;', 'nodes/List/leads.ts', 'no-restricted-globals'],
		[
			'source',
			'export class Other implements ICredentialType {}',
			'credentials/ContactDataApi.credentials.ts',
			'n8n-nodes-base/cred-class-name-unsuffixed',
		],
		['tarball', 'eval("1");', 'dist/nodes/List/leads.js', 'no-dangerous-functions'],
		['tarball', 'console.log(1);', 'dist/nodes/List/leads.js', 'no-console'],
		['tarball', 'require("fs");', 'dist/nodes/List/leads.js', 'no-restricted-imports'],
	])('the %s: %s', async (leg, fault, file, rule) => {
		expect(await findPlanted(leg, file, (code) => `${code}\n${fault}\n`)).toContain(rule);
	});

	test.each<Leg>(['source', 'tarball'])('the %s: a script that runs on install', async (leg) => {
		const change = (text: string) =>
			text.replace('"scripts": {', '"scripts": { "postinstall": "x",');
		const found = await findPlanted(leg, 'package.json', change);
		expect(found).toContain('no-forbidden-lifecycle-scripts');
	});

	test('the tarball: a package that it needs', async () => {
		const change = (text: string) =>
			text.replace('"scripts": {', '"dependencies": { "lodash": "4" }, "scripts": {');
		const found = await findPlanted('tarball', 'package.json', change);
		expect(found).toContain('no-runtime-dependencies');
	});

	test.each<Leg>(['source', 'tarball'])('the %s: what only the newest rules find', async (leg) => {
		const change = (text: string) =>
			text.replace('"scripts": {', '"resolutions": {}, "scripts": {');
		const found = await findPlanted(leg, 'package.json', change, lint);
		expect(found).toContain('no-overrides-field');
	});
});
