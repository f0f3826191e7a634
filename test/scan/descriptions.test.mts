/**
 * @file What n8n's lint says of the descriptions as the editor has them. In the code they are computed, and a lint reads
 * only what is written: so they are evaluated and written out as literals first.
 */

import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { ESLint } from 'eslint';
import { NodeConnectionTypes } from 'n8n-workflow';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { ContactDataApi } from '../../credentials/ContactDataApi.credentials.ts';
import { ContactDataAccount } from '../../nodes/Account/ContactDataAccount.node.ts';
import { ContactDataCompany } from '../../nodes/Company/ContactDataCompany.node.ts';
import { ContactDataFinder } from '../../nodes/Finder/ContactDataFinder.node.ts';
import { ContactDataList } from '../../nodes/List/ContactDataList.node.ts';
import { ContactDataTrigger } from '../../nodes/Trigger/ContactDataTrigger.node.ts';
import { ContactDataVerifier } from '../../nodes/Verifier/ContactDataVerifier.node.ts';
import { root } from '../machine/paths.mjs';
import { report } from '../support/measures/report.mts';
import { buildNewestConfig } from './support/scanner.mts';

/** What n8n's lint finds and stays as it is, and why. What it no longer finds goes from here. */
const ACCEPTED: Array<{ rule: string; text?: string; why: string }> = [
	{
		rule: 'n8n-nodes-base/node-param-display-name-not-first-position',
		why: "n8n's own `updateDisplayOptions` puts `displayOptions` first; nobody sees the order of keys",
	},
	{
		rule: 'n8n-nodes-base/node-param-option-name-wrong-for-get-many',
		text: 'Get Many Lists',
		why: "n8n's UX guidelines name the object where no Resource is shown above",
	},
	{
		rule: 'n8n-nodes-base/node-param-default-wrong-for-limit',
		text: 'default: 10,',
		why: 'people at a company may cost credits: Limit begins at 10 instead of 50',
	},
	...['node-param-display-name-miscased', 'node-param-display-name-miscased-id'].map((rule) => ({
		rule: `n8n-nodes-base/${rule}`,
		text: 'name: "',
		why: 'Selected Fields of a tool names fields as they come out, e.g. emailStatus',
	})),
];

const nodes = [
	new ContactDataAccount(),
	new ContactDataCompany(),
	new ContactDataFinder(),
	new ContactDataList(),
	new ContactDataTrigger(),
	new ContactDataVerifier(),
];

/** A value as TypeScript; functions are left out. */
function literal(value: unknown, key = ''): string {
	const isConnection = ['inputs', 'outputs'].includes(key) && Array.isArray(value);
	if (isConnection && value.every((one) => one === NodeConnectionTypes.Main)) {
		return `[${value.map(() => 'NodeConnectionTypes.Main').join(', ')}]`;
	}
	if (Array.isArray(value)) return `[\n${value.map((one) => `${literal(one)},\n`).join('')}]`;
	if (typeof value !== 'object' || value === null) return JSON.stringify(value);
	return `{\n${entriesOf(value)
		.map(([name, one]) => `${name}: ${one},\n`)
		.join('')}}`;
}

function entriesOf(object: object): Array<[name: string, literal: string]> {
	return Object.entries(object).flatMap(([name, value]): Array<[string, string]> => {
		if (value === undefined || typeof value === 'function') return [];
		return [[/^[a-z]\w*$/i.test(name) ? name : JSON.stringify(name), literal(value, name)]];
	});
}

let folder: string;
let eslint: ESLint;

beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), 'descriptions-'));
	for (const part of ['credentials', 'icons', 'package.json']) {
		await cp(join(root, part), join(folder, part), { recursive: true });
	}
	eslint = new ESLint({
		cwd: folder,
		overrideConfigFile: true,
		overrideConfig: await buildNewestConfig(),
	});
});

afterAll(async () => await rm(folder, { recursive: true, force: true }));

/** Lints a class with these fields, where n8n expects it. */
async function lint(name: string, path: string, ofType: string, fields: object) {
	const members = entriesOf(fields).map(([field, value]) => `\t${field} = ${value};\n`);
	const code = `import { NodeConnectionTypes, type ${ofType} } from 'n8n-workflow';

export class ${name} implements ${ofType} {
${members.join('')}}
`;
	const filePath = join(folder, path);
	await mkdir(join(filePath, '..'), { recursive: true });
	await writeFile(filePath, code);
	const [{ messages }] = await eslint.lintText(code, { filePath });
	const lines = code.split('\n');
	return messages.map(({ ruleId, message, line }) => ({
		rule: ruleId,
		text: lines[line - 1],
		message,
	}));
}

const lintNode = async (node: { description: object }, description = node.description) => {
	const { name } = node.constructor;
	const place = `nodes/${name.replace('ContactData', '')}/${name}.node.ts`;
	return await lint(name, place, 'INodeType', { description });
};

test('the nodes and the credential have nothing that is not accepted, with a reason', async () => {
	const credential = new ContactDataApi();
	const place = 'credentials/ContactDataApi.credentials.ts';
	const found = [
		...(await Promise.all(nodes.map(async (node) => await lintNode(node)))).flat(),
		...(await lint('ContactDataApi', place, 'ICredentialType', credential)),
	];
	const rest = ACCEPTED.reduce((left, { rule, text = '', why }) => {
		const others = left.filter((one) => one.rule !== rule || !one.text.includes(text));
		expect(others.length, `${rule} finds nothing any more`).toBeLessThan(left.length);
		report(`Accepted ${left.length - others.length} ×: ${rule} ${text} (${why})`);
		return others;
	}, found);
	expect(rest).toEqual([]);
});

test.each<[fault: string, change: object, rule: string]>([
	['a name in lower case', { displayName: 'Max credits' }, 'node-param-display-name-miscased'],
	[
		'a switch that says no "whether"',
		{ description: 'Adds it' },
		'node-param-description-boolean-without-whether',
	],
])('finds %s', async (_, change, rule) => {
	const [node] = nodes;
	const { description } = node;
	const field = {
		displayName: 'Switch',
		name: 'switch',
		type: 'boolean',
		default: false,
		description: 'Whether to',
	};
	const planted = {
		...description,
		properties: [...description.properties, { ...field, ...change }],
	};
	const found = await lintNode(node, planted);
	expect(found.map((one) => one.rule)).toContain(`n8n-nodes-base/${rule}`);
});
