/** @file What n8n's AI workflow builder is told of the nodes, by n8n's own generator and its own language. */

import { createRequire } from 'node:module';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';

import type { IDataObject, INodeParameters, INodeTypeDescription } from 'n8n-workflow';
import { beforeAll, expect, test } from 'vitest';
import { z } from 'zod';

import { makeFolder } from '../hosts/folder.mts';
import { installHost } from '../hosts/install.mts';
import { installPackage } from '../hosts/package.mts';
import { n8n2 } from '../hosts/versions.mts';
import { root } from '../machine/paths.mjs';
import { ourNodes, runNode, type OurNode } from '../support/node/engine.mts';
import { peopleIn } from '../operations.mts';
import { report } from '../support/measures/report.mts';
import { credentialFor, useService } from '../support/servers/service.mts';

/** A node as the builder writes it. */
const patternSchema = z.object({
	type: z.string(),
	config: z.object({
		parameters: z.custom<INodeParameters>(),
		output: z.tuple([z.custom<IDataObject>()]),
	}),
});

const service = useService();
/** What the builder is told, by the name of the node. */
const told = new Map<string, { definition: string; code: string }>();
let parse: (code: string) => { nodes: Array<{ type: string; parameters?: INodeParameters }> };

beforeAll(async () => {
	const fromHost = createRequire(
		join(await installHost(n8n2), 'node_modules', 'n8n', 'package.json'),
	);
	parse = fromHost('@n8n/workflow-sdk').parseWorkflowCode;
	const generator = './dist/modules/mcp-registry/synthesize-type-def.js';
	const { synthesizeNodeTypeDef: generate } = fromHost(generator);
	await using folder = await makeFolder();
	const packageName = await installPackage(folder.path);
	// The folder of the checkout has what was packed, and n8n-workflow beside it.
	const fromBuild = createRequire(join(root, 'package.json'));
	for (const file of z.array(z.string()).parse(fromBuild('./package.json').n8n.nodes)) {
		const [Node] = Object.values<new () => { description: INodeTypeDescription }>(
			fromBuild(`./${file}`),
		);
		if (!Node) throw new Error(`${file} exports no node`);
		const { description } = new Node();
		const { name } = description;
		const definition: string = generate({ ...description, name: `${packageName}.${name}` });
		const [, code = ''] =
			/<pattern title="[^"]+">([^]*)<\/pattern>/.exec(definition.replace(/^ \* ?/gm, '')) ?? [];
		told.set(name, { definition, code });
	}
});

test.each<OurNode>([
	'contactDataAccount',
	'contactDataList',
	'contactDataFinder',
	'contactDataVerifier',
	'contactDataCompany',
])('%s: its pattern gives the output that it shows', async (name) => {
	const [{ fullName, domain, email }] = peopleIn(service(), 1);
	const fields = { 'Full Name': fullName, Website: domain, Email: email };
	const { output, parameters } = patternOf(name);
	const [shown] = output;
	const [resource] = ourNodes[name].description.properties;
	const { json } = await runNode({
		node: name,
		parameters: { resource: String(resource?.default), ...parameters },
		credential: credentialFor(service()),
		// The finder looks up who has no email.
		items: [{ ...fields, ...(name === 'contactDataFinder' && { Email: '' }) }],
	});
	expect(json[0]?.status).toEqual(shown.status);
	expect(keysOf(json[0])).toEqual(expect.arrayContaining(keysOf(shown)));
});

test('the trigger gives leads as their list does', () => {
	const { parameters, output } = patternOf('contactDataTrigger');
	expect(output).toEqual(patternOf('contactDataList').output);
	expect(parameters).toMatchObject({ event: 'newLead' });
});

test('is short, and says what the statuses are and how to limit what is spent', () => {
	for (const { definition, code } of told.values()) {
		expect(definition).toContain('@builderHint');
		expect(code.length).toBeGreaterThan(200);
		expect(code.length).toBeLessThan(1_000);
	}
	for (const name of ['contactDataFinder', 'contactDataVerifier', 'contactDataCompany']) {
		const { code } = told.get(name) ?? {};
		expect(code).toMatch(/status: .*not_processed.* failed, with reason and message/i);
		expect(code).toContain('maxCredits');
	}
	const { definition = '' } = told.get('contactDataFinder') ?? {};
	report(
		`n8n ${n8n2.name}: ${told.size} definitions for the AI workflow builder, that of the finder with ` +
			`${definition.length} characters`,
	);
});

/** The names of all fields, also of the objects inside. */
function keysOf(item: IDataObject = {}): string[] {
	return Object.entries(item).flatMap(([key, value]) => [
		key,
		...(isObject(value) ? keysOf(value).map((inner) => `${key}.${inner}`) : []),
	]);
}

function isObject(value: unknown): value is IDataObject {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The node of a pattern. */
function patternOf(name: string) {
	const { code = '' } = told.get(name) ?? {};
	const [, variable] = /const (\w+)/.exec(code) ?? [];
	const same = (node: unknown) => node;
	const language = { node: same, trigger: same, expr: (text: string) => `=${text}` };
	const { type, config } = patternSchema.parse(runInNewContext(`${code};${variable}`, language));
	// What n8n makes of it is the same.
	const { nodes } = parse(`${code}\nexport default workflow('id', 'name').add(${variable});`);
	expect(nodes).toMatchObject([{ type, parameters: config.parameters }]);
	return config;
}
