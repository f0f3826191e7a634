import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect } from 'vitest';

import { cache, root } from '../machine/paths.mjs';

/** Where pictures are only to be looked at. */
const seen = join(cache, 'screenshots');
/** Where the README finds them. `UPDATE_SCREENSHOTS=1` says that they are to be renewed. */
const documented = join(root, 'docs', 'images');

/** The size and the text of the pictures that the tests of this file took for the README. */
const taken: Record<string, Content> = {};

interface Content {
	width: number;
	height: number;
	text: string;
}

/** @returns where the picture is to be seen */
export async function keep(name: string, picture: Buffer, folder = seen): Promise<string> {
	const file = join(folder, `${name}.png`);
	await mkdir(folder, { recursive: true });
	await writeFile(file, picture);
	return file;
}

/**
 * Keeps a picture that the README shows, and beside it its text, which tells when it is out of date.
 *
 * @param shown what can be read in the picture
 */
export async function keepForReadme(name: string, picture: Buffer, shown: string): Promise<void> {
	const text = lasting(shown);
	taken[name] = { ...sizeOf(picture), text };
	const folders = process.env.UPDATE_SCREENSHOTS === '1' ? [seen, documented] : [seen];
	for (const folder of folders) {
		await keep(name, picture, folder);
		await writeFile(join(folder, `${name}.txt`), text);
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
	const files = await readdir(documented);
	const found: Record<string, Content> = {};
	for (const file of files.filter((one) => one.endsWith('.png'))) {
		const name = file.replace(/\.png$/, '');
		const text = await readFile(join(documented, `${name}.txt`), 'utf8');
		if (isOurs(name)) found[name] = { ...sizeOf(await readFile(join(documented, file))), text };
	}
	expect(found, '`npm run pictures` renews them').toEqual(taken);
	return Object.keys(taken).length;
}

/** Keeps a moving picture for the README. Its last frame, a picture of its own, tells when it is out of date. */
export async function keepMoving(name: string, gif: Buffer): Promise<void> {
	for (const folder of process.env.UPDATE_SCREENSHOTS === '1' ? [seen, documented] : [seen]) {
		await mkdir(folder, { recursive: true });
		await writeFile(join(folder, `${name}.gif`), gif);
	}
}

/** The width and height of a picture, from the first chunk of its PNG. */
function sizeOf(png: Buffer): Pick<Content, 'width' | 'height'> {
	return { width: png.readUInt32BE(16), height: png.readUInt32BE(20) };
}

/** A text without what differs from run to run. */
function lasting(text: string): string {
	const timeless = text.replaceAll(/\d{4}-\d{2}-\d{2}T[\d:.]+Z/g, '(time)');
	const lines = timeless.split('\n').map((line) => line.replaceAll(/\s+/g, ' ').trim());
	return `${lines.filter((line) => line !== '').join('\n')}\n`;
}
