import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect } from 'vitest';

import { cache, root } from '../commands/paths.mjs';

/** Where pictures are only to be looked at. */
const seen = join(cache, 'screenshots');
/** Where the README finds them. `UPDATE_SCREENSHOTS=1` says that they are to be renewed. */
const documented = join(root, 'docs', 'images');

/** The names of the pictures that the tests of this file took for the README. */
const taken: string[] = [];

/** @returns where the picture is to be seen */
export async function keep(name: string, picture: Buffer): Promise<string> {
	return await write(seen, name, picture);
}

/** Keeps a picture that the README shows. */
export async function keepForReadme(name: string, picture: Buffer): Promise<void> {
	taken.push(name);
	await keep(name, picture);
	if (process.env.UPDATE_SCREENSHOTS === '1') await write(documented, name, picture);
}

/**
 * Expects the pictures for the README to be those that the tests of this file took, as large as
 * these are: otherwise they show what has changed since.
 *
 * @param isOurs tells a picture that the tests of this file take
 * @returns how many these are
 */
export async function expectDocumented(isOurs: (name: string) => boolean): Promise<number> {
	const names = (await readdir(documented))
		.map((file) => file.replace(/\.png$/, ''))
		.filter(isOurs);
	const sizes = async (folder: string, of: readonly string[]) =>
		Object.fromEntries(
			await Promise.all(of.map(async (name) => [name, await sizeOf(join(folder, `${name}.png`))])),
		);
	expect(await sizes(documented, names), '`npm run pictures` renews them').toEqual(
		await sizes(seen, taken),
	);
	return taken.length;
}

async function write(folder: string, name: string, picture: Buffer): Promise<string> {
	const file = join(folder, `${name}.png`);
	await mkdir(folder, { recursive: true });
	await writeFile(file, picture);
	return file;
}

/** The width and height of a PNG, from its first chunk. */
async function sizeOf(file: string): Promise<[width: number, height: number]> {
	const png = await readFile(file);
	return [png.readUInt32BE(16), png.readUInt32BE(20)];
}
