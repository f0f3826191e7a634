/** @file The `.node.json` beside each node: a node in a category that n8n does not know is not found in the node panel. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import manifest from '../../package.json' with { type: 'json' };
import { root } from '../machine/paths.mjs';

/**
 * The categories of n8n's page on codex files. Its lint has a rule for them, `valid-node-categories`, that no release of
 * the plugin on npm holds yet.
 */
const CATEGORIES = [
	'Analytics',
	'Communication',
	'Data & Storage',
	'Development',
	'Finance & Accounting',
	'Marketing & Content',
	'Miscellaneous',
	'Productivity',
	'Sales',
	'Utility',
];

const nodes = manifest.n8n.nodes.map((path) => path.slice('dist/nodes/'.length, -'.js'.length));
const files = readdirSync(join(root, 'nodes'), { recursive: true, encoding: 'utf8' });

test('each node has one, and there is no other', () => {
	const codices = files.filter((file) => file.endsWith('.node.json'));
	expect(codices.toSorted()).toEqual(nodes.map((node) => `${node}.json`).toSorted());
});

test.each(nodes)('%s: its node, and categories that n8n has', (node) => {
	const codex = JSON.parse(readFileSync(join(root, 'nodes', `${node}.json`), 'utf8'));
	const type = /ContactData\w+/.exec(node)?.[0].replace('C', 'c');
	expect(codex.node).toBe(`${manifest.name}.${type}`);
	expect(CATEGORIES).toEqual(expect.arrayContaining(codex.categories));
	expect(codex.categories).not.toEqual([]);
});

test.each([
	['find emails', 'Finder'],
	['lead enrichment', 'Finder'],
	['verify emails', 'Verifier'],
	['search company', 'Company'],
])('whoever types "%s" into the node panel finds the %s', (typed, name) => {
	const node = nodes.find((one) => one.startsWith(name));
	const { alias } = JSON.parse(readFileSync(join(root, 'nodes', `${node}.json`), 'utf8'));
	expect(alias).toContain(typed);
});
