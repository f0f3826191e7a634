/**
 * @file The panel of each operation as users see it: saved workflows depend on names and defaults, which n8n does not
 * save. And what the editor shows besides: hints, and the dropdown of the lists.
 */

import {
	NodeHelpers,
	type INodeParameters,
	type INodeProperties,
	type INodeType,
} from 'n8n-workflow';
import { describe, expect, test } from 'vitest';

import { ContactDataTrigger } from '../../nodes/Trigger/ContactDataTrigger.node.ts';
import { ourNodes, type OurNode } from '../support/node/engine.mts';
import { listWithId, operations, type Sample } from '../operations.mts';
import { bulks, runLookup } from '../support/leads/lookups.mts';
import { credentialFor, useService } from '../support/servers/service.mts';
import { searchLists } from '../support/node/contexts.mts';
import { soleNode } from '../support/node/soleNode.mts';

const service = useService();

const trigger = new ContactDataTrigger();
const version = { typeVersion: 1 };

/** What the editor makes of an expression of a description, for these parameters and so many items. */
function evaluated(
	nodeType: INodeType,
	parameters: INodeParameters,
	expression = '',
	items = 0,
): unknown {
	const { description } = nodeType;
	const { properties } = description;
	const { getNodeParameters } = NodeHelpers;
	const all = getNodeParameters(properties, parameters, true, false, version, description);
	const { node, workflow } = soleNode(nodeType, { parameters: all ?? {} });
	const input = Array.from({ length: items }, () => ({ json: {} }));
	const evaluator = workflow.expression;
	return evaluator.getParameterValue(expression, null, 0, 0, node.name, input, 'manual', {});
}

const isProperty = (option: object): option is INodeProperties => 'type' in option;

/** The properties that n8n shows for these values, but for notices: of a node in a workflow, or of an agent's tool. */
function shown(
	{ description }: INodeType,
	properties: INodeProperties[],
	values: INodeParameters,
	root = values,
	isTool = false,
): INodeProperties[] {
	const name = `${description.name}${isTool ? 'Tool' : ''}`;
	return properties.filter(
		(property) =>
			property.type !== 'notice' &&
			NodeHelpers.displayParameter(values, property, version, { ...description, name }, root),
	);
}

/** Properties that are no fields of an operation; n8n adds the last one. */
const OF_ALL = ['resource', 'operation', 'toolDescription', 'requestOptions'];

/** What tools have in place of Simplify. */
const OF_TOOLS = ['output', 'fields'];

/** The fields that the editor shows for an operation, options included, by their names. */
function shownFields({ node: type, parameters }: Sample, isTool = false, returnAll = false) {
	const nodeType = ourNodes[type];
	const { resource, operation } = parameters;
	const filters = { title: 'a', location: 'a' };
	const values = { resource, operation, returnAll, ...filters };
	const fields = shown(nodeType, nodeType.description.properties, values, values, isTool)
		.filter(({ name }) => !OF_ALL.includes(name))
		.flatMap((property): Array<[string, INodeProperties]> => {
			const inside = (outer: INodeProperties, path: string): Array<[string, INodeProperties]> => {
				if (outer.type !== 'collection') return [[path, outer]];
				const options = (outer.options ?? []).filter(isProperty);
				const shownNow = shown(nodeType, options, {}, values, isTool);
				return shownNow.flatMap((option) => inside(option, `${path}.${option.name}`));
			};
			return inside(property, property.name);
		});
	const names = fields.map(([name]) => name);
	expect(names, 'a field is shown twice').toEqual([...new Set(names)]);
	return new Map(fields);
}

const defaultsOf = (fields: Iterable<[string, INodeProperties]>) =>
	Object.fromEntries([...fields].map(([name, property]) => [name, property.default]));

/** The fields in their order; that of the options has a test of its own. */
const withoutOptions = (names: Iterable<string>) =>
	[...names].filter((name) => !name.startsWith('options.'));

const types = Object.keys(ourNodes).filter((type): type is OurNode => type in ourNodes);

describe.each(types)('%s', (type) => {
	const { description } = ourNodes[type];
	const named = (wanted: string) => description.properties.find(({ name }) => name === wanted);
	const own = operations.filter(({ node }) => node === type);

	test('name, version, and a resource by which the node panel lists the operations', () => {
		expect(description).toMatchObject({ name: type, version: 1, usableAsTool: true });
		const [{ resource }] = own.map(({ parameters }) => parameters);
		expect(named('resource')).toMatchObject({
			type: 'hidden',
			default: resource,
			options: [{ name: expect.stringMatching(/^[A-Z][a-z]+$/), value: resource }],
		});
		expect(description.credentials).toEqual([{ name: 'contactDataApi', required: true }]);
		expect(description.displayName).toMatch(/^Contact Data [A-Z][a-z]+$/);
	});

	test('operations and their labels', () => {
		const options = (named('operation')?.options ?? []).map(
			(option) => ['value' in option ? option.value : '', option.name] as const,
		);
		expect(new Map(options)).toEqual(
			new Map(own.map(({ operation, label }) => [operation, label])),
		);
	});

	test.each(own)('$operation: fields, defaults, and what the canvas says', (sample) => {
		const { operation, fields, cost } = sample;
		const shownNow = shownFields(sample);
		expect(defaultsOf(shownNow)).toEqual(fields);
		expect(withoutOptions(shownNow.keys())).toEqual(withoutOptions(Object.keys(fields)));
		expect(evaluated(ourNodes[type], { operation }, description.subtitle)).toBe(cost);
	});

	test.each(own)('$operation as a tool: for the model, and its options', (sample) => {
		const { output, ...asTool } = defaultsOf(shownFields(sample, true));
		const isSimplified = Object.keys(sample.fields).some((name) => name.endsWith('.simple'));
		expect(output).toBe(isSimplified ? 'simple' : undefined);
		const options = Object.keys(asTool).filter((name) => name.startsWith('options.'));
		expect(asTool).not.toHaveProperty('leadFields');
		expect(Object.keys(asTool)).toEqual(expect.arrayContaining(sample.byModel ?? []));
		const ofTool = sample.toolOptions?.map((name) => `options.${name}`);
		if (ofTool) expect(options.toSorted()).toEqual(ofTool.toSorted());
		for (const [name, value] of Object.entries(asTool)) {
			if (sample.byModel?.includes(name)) expect(value, name).toContain('$fromAI(');
			else expect(value, name).toEqual(sample.fields[name]);
		}
	});

	test.each(own.filter(({ toolOutput }) => toolOutput))(
		'$operation as a tool: the fields that may be selected',
		({ parameters, toolOutput }) => {
			const { resource, operation } = parameters;
			const values = { resource, operation, output: 'fields' };
			const nodeType = ourNodes[type];
			const fields = shown(nodeType, description.properties, values, values, true)
				.filter(({ name }) => name === 'fields')
				.flatMap(({ options = [] }) => options.map(({ name }) => name));
			expect(fields).toEqual(expect.arrayContaining(toolOutput ?? []));
			expect(new Set(fields).size).toBe(fields.length);
		},
	);

	test('a change of the operation loses nothing: what operations share is one property', () => {
		const seen = new Map<string, INodeProperties>();
		for (const sample of own) {
			for (const [name, property] of shownFields(sample)) {
				// A person is not the item that asked: there Include Input Fields is another switch.
				const isOwn = type === 'contactDataCompany' && name === 'options.includeInputFields';
				if (!isOwn && seen.has(name)) expect(property).toBe(seen.get(name));
				seen.set(name, property);
			}
		}
		const collections = description.properties.filter(({ name }) => name === 'options');
		expect(collections.length).toBeLessThanOrEqual(1);
	});

	test('the options are in the order of their names', () => {
		const options = (named('options')?.options ?? []).filter(isProperty);
		const names = options.map(({ displayName }) => displayName);
		expect(names).toEqual(names.toSorted());
	});

	test('no field but those of an operation', () => {
		const ofOperations = own.flatMap(({ fields }) =>
			Object.keys(fields).map((name) => name.replace(/\..*/, '')),
		);
		const fields = description.properties.filter(({ type: kind }) => kind !== 'notice');
		expect(new Set(fields.map(({ name }) => name))).toEqual(
			new Set([
				...OF_ALL,
				...OF_TOOLS,
				...ofOperations,
				...own.flatMap(({ byModel = [] }) => byModel),
			]),
		);
	});
});

test.each(operations.filter(({ fields }) => 'limit' in fields))(
	'$label: Limit is hidden while Return All is on',
	(sample) => expect(shownFields(sample, false, true).has('limit')).toBe(false),
);

describe('the trigger', () => {
	const { properties, subtitle } = trigger.description;

	test("the field for the event has n8n's name for it", () => {
		expect(properties[0]).toMatchObject({ name: 'event', displayName: 'Trigger On' });
	});

	test.each([
		['newLead', 'On New Lead in List', { listId: { mode: 'list', value: '' }, simple: true }],
		['lowCredits', 'On Low Credits', { creditKind: 'any', threshold: 100, simple: true }],
	])('%s: fields, defaults, and what the canvas says', (event, label, fields) => {
		const own = shown(trigger, properties, { event });
		const defaults = defaultsOf(own.map((property) => [property.name, property]));
		expect(defaults).toEqual({ event: 'newLead', ...fields });
		expect(evaluated(trigger, { event }, subtitle)).toBe(label);
	});
});

test.each<[INodeType, INodeParameters, said: string]>([
	[ourNodes.contactDataList, { operation: 'getLeads' }, 'Fair "2026"'],
	[trigger, { event: 'newLead' }, 'Fair "2026"'],
	[trigger, { event: 'lowCredits' }, 'On Low Credits'],
])('the canvas names the list that was picked, where one is read', (nodeType, parameters, said) => {
	const listId = { ...listWithId('102'), cachedResultName: 'Fair "2026"' };
	const { subtitle } = nodeType.description;
	expect(evaluated(nodeType, { ...parameters, listId }, subtitle)).toBe(said);
});

type Case = [string, INodeParameters, items: number, hints: number];

describe.each([
	['contactDataFinder' as const, 'find', ['findBulk', 'getBulkJob'], 'Find Emails in Bulk'],
	['contactDataVerifier' as const, 'verify', ['verifyBulk'], 'Verify Emails in Bulk'],
])('the hint at the bulk operation of %s', (type, operation, others, name) => {
	const nodeType = ourNodes[type];
	const { hints = [] } = nodeType.description;

	test.each<Case>([
		['more than 20 items', { operation }, 21, 1],
		['10,000, with nothing set', {}, 10_000, 1],
		['options', { operation, options: { maxCredits: 5 } }, 21, 1],
		['20 items', { operation }, 20, 0],
		...others.map((other): Case => [other, { operation: other }, 500, 0]),
	])('with %s', (_, parameters, items, count) => {
		const shown = hints.filter(({ displayCondition }) =>
			evaluated(nodeType, parameters, displayCondition, items),
		);
		const expected = expect.objectContaining({
			message: expect.stringContaining(`Switch to ${name}`),
		});
		expect(shown).toEqual(count === 1 ? [expected] : []);
	});

	test('is not shown to a tool of an AI agent, which has no input items', () => {
		const own = hints.filter(({ message }) => message.includes(name));
		for (const { displayCondition } of own) {
			expect(() => evaluated(nodeType, { operation }, displayCondition)).toThrow();
		}
	});
});

test.each(bulks)('the hint at Retry On Fail of $operation', async (bulk) => {
	for (const retryOnFail of [true, false, undefined]) {
		const { hints = [] } = await runLookup(bulk, service(), [bulk.item(1)], { retryOnFail });
		expect(hints).toHaveLength(1);
		expect(hints[0].message.includes('Turn Retry On Fail off')).toBe(retryOnFail === true);
	}
});

describe('the dropdown of the saved lists', () => {
	const springCampaign = { name: 'Spring Campaign (1000 leads)', value: '101' };
	const tradeFair = { name: 'Trade Fair (30 leads)', value: '102' };

	const search = async (typed?: string, apiKey = 'test-key') =>
		await searchLists(credentialFor(service(), { apiKey }), typed);

	const paths = () =>
		service().requests.map(({ method, path, rawQuery }) => `${method} ${path}?${rawQuery}`);

	test.each(['entry', 'list'] as const)(
		'all lists, read once, in the form %s: typing filters',
		async (listIndexShape) => {
			service().variants.listIndexShape = listIndexShape;
			const both = [springCampaign, tradeFair];
			expect(await search()).toEqual({ results: both });
			expect(paths()).toEqual(['GET /api/v2/list?']);
			for (const [typed, results] of [
				['fair', [tradeFair]],
				['SPRING', [springCampaign]],
				['  trade ', [tradeFair]],
				['a', both],
				['', both],
				// What follows the name is not searched.
				['lead', []],
				['nothing like it', []],
			] as const) {
				expect(await search(typed)).toEqual({ results });
			}
		},
	);

	test('the lists of the account where the service has no index, which does not count leads', async () => {
		service().variants.listIndex = 'missing';
		const named = { name: 'Trade Fair', value: '102' };
		expect(await search('fair')).toEqual({ results: [named] });
		expect(paths()).toEqual(['GET /api/v2/list?', 'GET /api/v2/account?']);
		service().variants.accountShape = 'credits';
		// An account that names no lists may have some.
		await expect(search()).rejects.toThrow('The service sent a response without a list of lists');
	});

	test('a wrong key: what happened and what to do, without the key, and no second try', async () => {
		const thrown = await search('', 'wrong-key-123').catch((error: unknown) => error);
		expect(thrown).toMatchObject({
			message: expect.stringContaining('The service did not accept the API key'),
			description: expect.stringContaining('Check the API Key of the credential'),
		});
		expect(`${String(thrown)} ${JSON.stringify(thrown)}`).not.toContain('wrong-key-123');
		expect(paths()).toEqual(['GET /api/v2/list?']);
	});
});
