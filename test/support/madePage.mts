import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { format, resolveConfig } from 'prettier';
import { expect } from 'vitest';

import { root } from '../machine/paths.mjs';

/** The page of `docs/` with this name. */
export async function readPage(name: string): Promise<string> {
	return await readFile(join(root, 'docs', name), 'utf8');
}

/**
 * Expects a page of `docs/` to have these blocks between its marks; `UPDATE_DOCS=1` writes them.
 *
 * @param blocks by the names in the marks, `<!-- made: name -->` and `<!-- end: name -->`
 */
export async function expectMade(page: string, blocks: Record<string, string>): Promise<void> {
	const file = join(root, 'docs', page);
	let text = await readPage(page);
	for (const [name, block] of Object.entries(blocks)) {
		const [begin, end] = [`<!-- made: ${name} -->`, `<!-- end: ${name} -->`];
		const [before, , after] = text.split(new RegExp(`(?<=${begin})([^]*)(?=${end})`));
		text = `${before}\n\n${block}\n\n${after}`;
	}
	const formatted = await format(text, { ...(await resolveConfig(file)), parser: 'markdown' });
	if (process.env.UPDATE_DOCS) await writeFile(file, formatted);
	expect(await readPage(page)).toBe(formatted);
}
