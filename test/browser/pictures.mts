import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect } from 'vitest';

import { cache, root } from '../machine/paths.mjs';

/** Where pictures are only to be looked at. */
const seen = join(cache, 'screenshots');
/** Where the README finds them. `UPDATE_SCREENSHOTS=1` says that they are to be renewed. */
const documented = join(root, 'docs', 'images');

/** The names of the pictures that the tests of this file took for the README. */
const taken: string[] = [];

/** @returns where the picture is to be seen */
export async function keep(name: string, picture: Buffer): Promise<string> {
	return await write(seen, `${name}.png`, picture);
}

/**
 * Keeps a picture that the README shows, and beside it its text, which tells when it is out of date.
 *
 * @param text what can be read in the picture
 */
export async function keepForReadme(name: string, picture: Buffer, text: string): Promise<void> {
	taken.push(name);
	const folders = process.env.UPDATE_SCREENSHOTS === '1' ? [seen, documented] : [seen];
	for (const folder of folders) {
		await write(folder, `${name}.png`, picture);
		await write(folder, `${name}.txt`, lasting(text));
	}
}

/**
 * Expects the pictures for the README to be those that the tests of this file took, as large as
 * these are and with the same text: otherwise they show what has changed since.
 *
 * @param isOurs tells a picture that the tests of this file take
 * @returns how many these are
 */
export async function expectDocumented(isOurs: (name: string) => boolean): Promise<number> {
	const names = (await readdir(documented))
		.filter((file) => file.endsWith('.png'))
		.map((file) => file.replace(/\.png$/, ''))
		.filter(isOurs);
	const contents = async (folder: string, of: readonly string[]) =>
		Object.fromEntries(
			await Promise.all(of.map(async (name) => [name, await contentOf(folder, name)])),
		);
	expect(await contents(documented, names), '`npm run pictures` renews them').toEqual(
		await contents(seen, taken),
	);
	return taken.length;
}

async function write(folder: string, name: string, content: Buffer | string): Promise<string> {
	const file = join(folder, name);
	await mkdir(folder, { recursive: true });
	await writeFile(file, content);
	return file;
}

/** The width and height of a picture, from the first chunk of its PNG, and its text. */
async function contentOf(
	folder: string,
	name: string,
): Promise<{ width: number; height: number; text: string }> {
	const png = await readFile(join(folder, `${name}.png`));
	const text = await readFile(join(folder, `${name}.txt`), 'utf8');
	return { width: png.readUInt32BE(16), height: png.readUInt32BE(20), text };
}

/** A text without what differs from run to run. */
function lasting(text: string): string {
	const timeless = text.replaceAll(/\d{4}-\d{2}-\d{2}T[\d:.]+Z/g, '(time)');
	const lines = timeless.split('\n').map((line) => line.replaceAll(/\s+/g, ' ').trim());
	return `${lines.filter((line) => line !== '').join('\n')}\n`;
}
