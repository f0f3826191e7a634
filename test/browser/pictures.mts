import { setTimeout as delay } from 'node:timers/promises';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect } from 'vitest';

import { cache, root } from '../machine/paths.mjs';
import { movingPicture, type Frame } from './movingPicture.mts';

/** Whether the pictures are to be renewed: `npm run pictures`. */
const areRenewed = process.env.UPDATE_SCREENSHOTS === '1';

/** Where the README finds pictures. */
const documented = join(root, 'docs', 'images');

/** Buttons and connections on the canvas change gradually after a run. */
const SETTLE_MS = 2_000;

/** The pictures that the tests of this file have come by. */
const seen = new Set<string>();

/**
 * Compares what can be read with the text that is kept beside a picture of the README, and so tells when the picture is
 * out of date; or renews both.
 *
 * @param shown what can be read in the picture
 */
export async function expectPicture(
	name: string,
	shown: () => Promise<string>,
	take: () => Promise<Buffer>,
): Promise<void> {
	seen.add(name);
	const text = async () => lasting(await shown());
	const file = join(documented, `${name}.txt`);
	if (areRenewed) {
		await delay(SETTLE_MS);
		await keep(`${name}.png`, await take(), documented);
		await writeFile(file, await text());
		return;
	}
	const message = '`npm run pictures` renews it';
	await expect.poll(text, { message }).toBe(await readFile(file, 'utf8'));
}

/** Renews a moving picture of the README. Its last frame, a picture of its own, tells when it is out of date. */
export class MovingPicture {
	readonly #frames: Frame[] = [];

	/** Adds the page as it is now, to be shown for so many milliseconds. */
	async add(take: () => Promise<Buffer>, delayMs: number): Promise<void> {
		if (!areRenewed) return;
		await delay(SETTLE_MS);
		this.#frames.push({ png: await take(), delay: delayMs });
	}

	async keep(name: string): Promise<void> {
		if (!areRenewed) return;
		const gif = movingPicture(this.#frames);
		expect(gif.length).toBeLessThan(3_000_000);
		await keep(`${name}.gif`, gif, documented);
	}
}

/**
 * Expects the pictures of the README to be those that the tests of this file have come by.
 *
 * @param isOurs tells a picture that the tests of this file take
 * @returns how many these are
 */
export async function expectDocumented(isOurs: (name: string) => boolean): Promise<number> {
	const files = await readdir(documented);
	const names = files.flatMap((file) => /^(.*)\.png$/.exec(file)?.[1] ?? []).filter(isOurs);
	expect(names.toSorted()).toEqual([...seen].toSorted());
	return names.length;
}

/** @returns where the picture is to be seen */
export async function keep(
	name: string,
	picture: Buffer,
	folder = join(cache, 'screenshots'),
): Promise<string> {
	const file = join(folder, name);
	await mkdir(folder, { recursive: true });
	await writeFile(file, picture);
	return file;
}

/** A text without what differs from run to run. */
function lasting(text: string): string {
	const timeless = text.replaceAll(/\d{4}-\d{2}-\d{2}T[\d:.]+Z/g, '(time)');
	const lines = timeless.split('\n').map((line) => line.replaceAll(/\s+/g, ' ').trim());
	return `${lines.filter((line) => line !== '').join('\n')}\n`;
}
