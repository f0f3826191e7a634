/** @file The derived icons follow from their masters, and gulp's check sees whenever they do not. */

import { spawnSync } from 'node:child_process';
import { appendFile, cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, it, onTestFinished } from 'vitest';

import { root } from '../machine/paths.mjs';

it('gulp icons:check passes on the icons, sees what does not follow from a master, and gulp puts it right', async () => {
	const copy = await mkdtemp(join(tmpdir(), 'icons-'));
	onTestFinished(async () => await rm(copy, { recursive: true, force: true }));
	await cp(join(root, 'gulpfile.js'), join(copy, 'gulpfile.js'));
	await cp(join(root, 'icons'), join(copy, 'icons'), { recursive: true });
	await symlink(join(root, 'node_modules'), join(copy, 'node_modules'), 'junction');
	const program = join(copy, 'node_modules', '.bin', 'gulp');
	const gulp = (...args: string[]) =>
		spawnSync(process.execPath, [program, ...args], { cwd: copy, encoding: 'utf8' });

	expect(gulp('icons:check').status).toBe(0);
	const inCopy = (...path: string[]) => join(copy, 'icons', ...path);
	const master = await readFile(inCopy('masters', 'list.svg'), 'utf8');
	const circle = '<circle cx="9" cy="9" r="9" fill="var(--ink)" /></svg>';
	await writeFile(inCopy('masters', 'list.svg'), master.replace('</svg>', circle));
	await appendFile(inCopy('finder.svg'), '\n');
	await rm(inCopy('company.dark.svg'));
	await rm(inCopy('masters', 'trigger.svg'));
	const { status, stdout, stderr } = gulp('icons:check');
	expect(status).not.toBe(0);
	const faults = (stdout + stderr).match(/icons\/\S+\.svg (?:is|has)[\w ]+/g) ?? [];
	expect(faults.toSorted()).toEqual([
		'icons/company.dark.svg is missing',
		'icons/finder.svg is out of date',
		'icons/list.dark.svg is out of date',
		'icons/list.svg is out of date',
		'icons/trigger.dark.svg has no master',
		'icons/trigger.svg has no master',
	]);
	expect(gulp().status).toBe(0);
	expect(gulp('icons:check').status).toBe(0);
});

it('the icons share no id: they stand on one page', () => {
	const owners = new Map<string, string>();
	const names = readdirSync(join(root, 'icons', 'masters'));
	for (const file of names.filter((name) => name.endsWith('.svg'))) {
		const text = readFileSync(join(root, 'icons', file), 'utf8');
		for (const [, id = ''] of text.matchAll(/ id="([^"]+)"/g)) {
			expect(owners.get(id)).toBeUndefined();
			owners.set(id, file);
		}
	}
	expect(owners.size).toBeGreaterThan(0);
});
