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

	/** Sees the check fail for these faults alone, and the default task put them right. */
	async function expectRepair(...faults: string[]): Promise<void> {
		const broken = await gulp('icons:check');
		expect(broken.passed).toBe(false);
		expect(broken.output).toContain([...faults, 'run npm run icons'].join('\n'));
		expect(broken.output.match(/icons\/\S+\.svg (is|has)/g)).toHaveLength(faults.length);
		expect(await gulp()).toMatchObject({ passed: true });
		expect(await gulp('icons:check')).toMatchObject({ passed: true });
	}

	it('passes on the icons as they are', async () => {
		expect(await gulp('icons:check')).toMatchObject({ passed: true });
	});

	it('writes the same bytes every time', async () => {
		expect(await gulp('icons')).toMatchObject({ passed: true });
		const files = await drawings(ICONS);
		expect(await drawings(join(copy, 'icons'))).toEqual(files);
		for (const file of files) {
			expect(await readFile(join(copy, 'icons', file), 'utf8')).toBe(
				await readFile(join(ICONS, file), 'utf8'),
			);
		}
	});

	it('sees a changed master', async () => {
		const master = join(copy, 'icons', 'masters', 'list.svg');
		const drawing = await readFile(master, 'utf8');
		await writeFile(
			master,
			drawing.replace('</svg>', '<circle cx="9" cy="9" r="9" fill="var(--ink)" /></svg>'),
		);
		await expectRepair('icons/list.dark.svg is out of date', 'icons/list.svg is out of date');
	});

	it('sees an edited derived file', async () => {
		await appendFile(join(copy, 'icons', 'finder.svg'), '\n');
		await expectRepair('icons/finder.svg is out of date');
	});

	it('sees a missing derived file', async () => {
		await rm(join(copy, 'icons', 'company.dark.svg'));
		await expectRepair('icons/company.dark.svg is missing');
	});

	it('sees a derived file without a master', async () => {
		await cp(join(copy, 'icons', 'account.svg'), join(copy, 'icons', 'orphan.svg'));
		await expectRepair('icons/orphan.svg has no master');
	});

	it('names every fault at once', async () => {
		await rm(join(copy, 'icons', 'masters', 'trigger.svg'));
		await rm(join(copy, 'icons', 'verifier.svg'));
		await expectRepair(
			'icons/trigger.dark.svg has no master',
			'icons/trigger.svg has no master',
			'icons/verifier.svg is missing',
		);
	});

	it('refuses a master with a colour no palette has', async () => {
		await writeFile(
			join(copy, 'icons', 'masters', 'list.svg'),
			'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><path fill="var(--pink)" d="M0 0h9v9z" /></svg>',
		);
		const { passed, output } = await gulp('icons');
		expect(passed).toBe(false);
		expect(output).toContain('icons/masters/list.svg: no palette has the colour "pink"');
	});
});

describe('the derived icons', async () => {
	const masters = await drawings(join(ICONS, 'masters'));

	it('are two for each master', async () => {
		expect(masters).toEqual([
			'account.svg',
			'company.svg',
			'contactData.svg',
			'finder.svg',
			'list.svg',
			'trigger.svg',
			'verifier.svg',
		]);
		const both = masters.flatMap((file) => [file, file.replace('.svg', '.dark.svg')]);
		expect(await drawings(ICONS)).toEqual(both.sort());
	});

	it.each(await drawings(ICONS))('%s is a small square drawing', async (file) => {
		const text = await readFile(join(ICONS, file), 'utf8');
		const [, width, height] = text.match(/ viewBox="0 0 (\d+) (\d+)"/) ?? [];
		expect(Number(width)).toBeGreaterThan(0);
		expect(height).toBe(width);
		expect(Buffer.byteLength(text)).toBeLessThan(4000);
		expect(text).not.toContain('var(');
	});

	it.each(masters)('%s differs between light and dark', async (file) => {
		const light = await readFile(join(ICONS, file), 'utf8');
		const dark = await readFile(join(ICONS, file.replace('.svg', '.dark.svg')), 'utf8');
		expect(light).not.toBe(dark);
	});

	it('share no id between drawings', async () => {
		const owners = new Map<string, string>();
		for (const file of masters) {
			const text = await readFile(join(ICONS, file), 'utf8');
			for (const [, id = ''] of text.matchAll(/ id="([^"]+)"/g)) {
				expect(owners.get(id)).toBeUndefined();
				owners.set(id, file);
			}
		}
		expect(owners.size).toBeGreaterThan(0);
	});
});
