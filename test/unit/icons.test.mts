/** @file The derived icons follow from their masters, and gulp's check sees whenever they do not. */

import { execFile } from 'node:child_process';
import {
	appendFile,
	cp,
	mkdtemp,
	readdir,
	readFile,
	rm,
	symlink,
	writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const ICONS = join(ROOT, 'icons');

/** The names of the SVG files in a folder. */
async function drawings(folder: string): Promise<string[]> {
	return (await readdir(folder)).filter((file) => file.endsWith('.svg')).sort();
}

describe('gulp icons:check', { timeout: 30_000 }, () => {
	let copy: string;

	beforeEach(async () => {
		copy = await mkdtemp(join(tmpdir(), 'icons-'));
		await cp(join(ROOT, 'gulpfile.js'), join(copy, 'gulpfile.js'));
		await cp(ICONS, join(copy, 'icons'), { recursive: true });
		await symlink(join(ROOT, 'node_modules'), join(copy, 'node_modules'), 'junction');
	});

	afterEach(() => rm(copy, { recursive: true, force: true }));

	/** Runs gulp on the copy: whether it succeeded, and all it printed. */
	function gulp(...args: string[]): Promise<{ passed: boolean; output: string }> {
		const program = join(copy, 'node_modules', '.bin', 'gulp');
		return new Promise((resolve) => {
			execFile(process.execPath, [program, ...args], { cwd: copy }, (error, stdout, stderr) =>
				resolve({ passed: error === null, output: stdout + stderr }),
			);
		});
	}

	it('passes on the icons as they are, sees what does not follow from a master, and puts it right', async () => {
		expect(await gulp('icons:check')).toMatchObject({ passed: true });
		const inCopy = (...path: string[]) => join(copy, 'icons', ...path);
		const master = await readFile(inCopy('masters', 'list.svg'), 'utf8');
		const circle = '<circle cx="9" cy="9" r="9" fill="var(--ink)" /></svg>';
		await writeFile(inCopy('masters', 'list.svg'), master.replace('</svg>', circle));
		await appendFile(inCopy('finder.svg'), '\n');
		await rm(inCopy('company.dark.svg'));
		await rm(inCopy('masters', 'trigger.svg'));
		const { passed, output } = await gulp('icons:check');
		expect(passed).toBe(false);
		const faults = [...output.matchAll(/icons\/\S+\.svg (?:is|has)[\w ]+/g)].map(
			([fault]) => fault,
		);
		expect(faults.toSorted()).toEqual([
			'icons/company.dark.svg is missing',
			'icons/finder.svg is out of date',
			'icons/list.dark.svg is out of date',
			'icons/list.svg is out of date',
			'icons/trigger.dark.svg has no master',
			'icons/trigger.svg has no master',
		]);
		expect(await gulp()).toMatchObject({ passed: true });
		expect(await gulp('icons:check')).toMatchObject({ passed: true });
	});
});

it('the icons share no id: they stand on one page', async () => {
	const owners = new Map<string, string>();
	for (const file of await drawings(join(ICONS, 'masters'))) {
		const text = await readFile(join(ICONS, file), 'utf8');
		for (const [, id = ''] of text.matchAll(/ id="([^"]+)"/g)) {
			expect(owners.get(id)).toBeUndefined();
			owners.set(id, file);
		}
	}
	expect(owners.size).toBeGreaterThan(0);
});
