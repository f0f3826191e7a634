/** @file The icons stand on one page. That they follow from their masters, `gulp icons:check` sees in each build. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { root } from '../machine/paths.mjs';

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
