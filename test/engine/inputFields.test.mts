/** @file What a result does to the fields of its input: it adds to them, and erases nothing. */

import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';

import { findBulk } from '../support/bulk.mts';
import { runNode, runWorkflow, type NodeResult, type OurNode } from '../support/engine.mts';
import { find, lookups, runLookup, verify } from '../support/lookups.mts';
import {
	besideInput,
	bringAbout,
	everyOutcome,
	hit,
	miss,
	STALE,
	STATUSES,
	timeless,
	WHO,
} from '../support/outcomes.mts';
import { credentialFor, useService } from '../support/service.mts';
import { callTool } from '../support/tool.mts';

const service = useService();

const included = { includeInputFields: true };

/** What a CRM knows of a lead. */
const lead = {
	id: 'crm-1',
	note: { by: 'Eve', words: ['call', 'back'] },
	score: 0,
	isVip: false,
	comment: '',
	owner: null,
	status: 'new',
	reason: 'met at a fair',
	message: 'Hello',
	httpCode: 418,
	email: 'old@acme.com',
	emailStatus: 'valid',
	emailStatusMessage: 'Checked by hand.',
	pattern: '{first}',
	result: 'safe',
	credits: 7,
	checkedAt: '2020-01-01',
	...Object.fromEntries(WHO.map((name) => [name, `${name} of the user`])),
};

const inputs: Array<{ title: string; input: IDataObject }> = [
	{ title: 'all that a lead can have', input: lead },
	{
		title: 'an earlier lookup that failed',
		input: { ...lead, status: 'failed', httpCode: 503, jobId: '12', jobRow: 3 },
	},
	{
		title: 'nothing about who the lead is',
		input: { id: 1, firstName: '', lastName: ' ', company: null, country: '\n' },
	},
	{ title: 'an error', input: { ...lead, error: { message: 'of an earlier node' } } },
	{ title: 'names that every object has', input: { toString: 'x', constructor: 'y', id: 2 } },
];

describe.each(everyOutcome)(
	'$operation: $what ($status)',
	({ lookup, status, item, ...outcome }) => {
		const run = async (input: IDataObject, test: Parameters<typeof bringAbout>[4]) =>
			await bringAbout(lookup, outcome, service(), [{ ...input, ...item }], test);

		test.each(inputs)('beside $title', async ({ input }) => {
			const all = { ...input, ...item };
			for (const simple of [true, false]) {
				const alone = await run(input, { parameters: { simple } });
				if (simple) expect(alone.json).toMatchObject([{ status }]);
				const beside = await run(input, { parameters: { ...included, simple } });
				expect(timeless(beside.json)).toStrictEqual(
					timeless(alone.json.map((result) => besideInput(all, result))),
				);
				expect(beside.items[0].pairedItem).toEqual({ item: 0 });
				const replaced = ['status', ...STALE];
				const lasting = Object.keys(all).filter((name) => !replaced.includes(name));
				const names = lasting.filter((name) => Object.hasOwn(beside.json[0], name));
				const order = Object.keys(beside.json[0]).filter((name) => !replaced.includes(name));
				expect(order.slice(0, names.length)).toEqual(names);
			}
		});

		test('under a name of its own: all that it says, and the input as it came', async () => {
			const options = { ...outcome.options, resultField: 'a look.up' };
			const input = { ...lead, ...item, error: 'x' };
			const { error: _, ...left } = input;
			const bare = await run(input, {});
			expect(bare.json).toMatchObject([{ status }]);
			const beside = await run(input, { options, parameters: included });
			expect(timeless(beside.json)).toStrictEqual(
				timeless(bare.json.map((result) => ({ ...left, 'a look.up': result }))),
			);
			const alone = await run(input, { options });
			expect(timeless(alone.json)).toStrictEqual(
				timeless(bare.json.map((result) => ({ 'a look.up': result }))),
			);
		});

		test('on the error output, if it goes there, has the shape that n8n gives it', async () => {
			const isProblem = ['invalid_input', 'not_processed', 'failed', 'pending'].includes(status);
			const ofRun = ({ json, errorItems }: NodeResult) => [timeless(json).length, errorItems];
			const input = { id: 'crm-1', status: 'failed', message: 'old', jobId: '12' };
			const wanted = isProblem
				? {
						...input,
						...item,
						message: expect.stringMatching(/^\S.+\. \S.+\.$/s),
						error: expect.objectContaining({
							status,
							reason: expect.any(String),
							message: expect.any(String),
						}),
					}
				: undefined;
			const onError = 'continueErrorOutput';
			for (const parameters of [included, {}]) {
				for (const resultField of ['', 'lookup']) {
					const result = await run(input, { onError, parameters, options: { resultField } });
					expect(ofRun(result)).toEqual(
						wanted ? [0, [{ json: wanted, pairedItem: { item: 0 } }]] : [1, []],
					);
					if (wanted) expect(result.errorItems[0].json).not.toHaveProperty('lookup');
				}
			}
		});
	},
);

describe.each([find, findBulk])('a lead that $operation does not find', (lookup) => {
	const input = { email: 'old@acme.com', firstName: 'Ada', status: 'new' };
	const parameters = {
		...included,
		firstName: '={{ $json.firstName }}',
		lastName: 'Lovelace',
		domain: 'acme.com',
	};
	const says = {
		emailStatus: null,
		emailStatusMessage: null,
		result: null,
		pattern: null,
		lastName: 'Lovelace',
		fullName: 'Ada Lovelace',
		company: null,
		domain: 'acme.com',
		country: null,
		companyId: null,
		accuracy: null,
		credits: 0,
		checkedAt: 'then',
	};

	test('keeps all that it had, but for its status', async () => {
		const { json } = await runLookup(lookup, service(), [input], { parameters });
		expect(timeless(json)).toStrictEqual([{ ...input, ...says, status: 'not_found' }]);
	});

	test('keeps even that with Put Result in Field', async () => {
		const options = { resultField: 'lookup' };
		const { json } = await runLookup(lookup, service(), [input], { parameters, options });
		const result = { status: 'not_found', email: null, firstName: 'Ada', ...says };
		expect(timeless(json)).toStrictEqual([{ ...input, lookup: result }]);
	});
});

describe.each(lookups)('the words of an earlier lookup before $operation', (lookup) => {
	const told = { reason: 'r', message: 'm', httpCode: 500, jobId: '9', jobRow: 4 };

	test.each(STATUSES)('go with its status %s', async (status) => {
		const { json } = await runLookup(
			lookup,
			service(),
			[{ ...lookup.item(hit), status, ...told }],
			{
				parameters: included,
			},
		);
		expect(json[0].status).toBe(lookup.answer(hit).status);
		for (const name of STALE) expect(json[0][name]).not.toBe(Reflect.get(told, name));
	});

	test.each(['new', 'Found', 'FAILED', '', null, 5])(
		'stay beside the status %j',
		async (status) => {
			const { json } = await runLookup(
				lookup,
				service(),
				[{ ...lookup.item(hit), status, ...told }],
				{
					parameters: included,
				},
			);
			expect(json[0]).toMatchObject({ reason: 'r', httpCode: 500, jobId: '9', jobRow: 4 });
		},
	);
});

describe('Put Result in Field', () => {
	const refused = ['__proto__', 'constructor', 'prototype', '__defineGetter__', 'error', ' error '];

	test.each(
		lookups.flatMap((lookup) => refused.map((name) => [lookup.operation, name, lookup] as const)),
	)('of %s refuses the name "%s" before anything is sent', async (_, resultField, lookup) => {
		const items = [lookup.item(hit), lookup.item(miss)];
		const goesOn = await runLookup(lookup, service(), items, {
			options: { resultField },
			onError: 'continueRegularOutput',
		});
		expect(goesOn.json).toEqual(
			items.map(() =>
				expect.objectContaining({
					status: 'invalid_input',
					reason: 'invalid: Put Result in Field',
					credits: 0,
				}),
			),
		);
		const stops = await runLookup(lookup, service(), items, { options: { resultField } });
		expect(stops.error?.message).toContain(`"${resultField.trim()}"`);
		expect(service().requests).toEqual([]);
		expect({}).not.toHaveProperty('status');
	});

	test.each(['a.b', 'a[0]', '0', 'hasOwnProperty', 'Ergebnis für Ada', 'status', 'email', '$json'])(
		'takes the name "%s" literally',
		async (resultField) => {
			const item = find.item(hit);
			const { json } = await runLookup(find, service(), [item], {
				options: { resultField },
				parameters: included,
			});
			expect(Object.keys(json[0]).toSorted()).toEqual(
				[...Object.keys(item), resultField].toSorted(),
			);
			const [, result] = Object.entries(json[0]).find(([name]) => name === resultField) ?? [];
			expect(result).toMatchObject(find.answer(hit));
		},
	);
});

/** Runs a node over items that have a file each. */
async function withFiles(
	type: OurNode,
	parameters: INodeParameters,
	items: IDataObject[],
	onError?: 'continueErrorOutput',
): Promise<INodeExecutionData[][]> {
	const run = await runWorkflow({
		nodes: [
			{
				name: 'Start',
				type: 'start',
				parameters: { items: JSON.stringify(items), file: 'QWRh' },
			},
			{ name: 'Node', type, parameters, onError },
			{ name: 'End', type: 'end' },
			{ name: 'Failed', type: 'end' },
		],
		connections: ['Start > Node', 'Node > End', 'Node !> Failed'],
		credential: credentialFor(service()),
	});
	return (run.data.resultData.runData.Node?.[0]?.data?.main ?? []).map((items) => items ?? []);
}

const file = { data: { data: 'QWRh', fileName: 'card.txt', mimeType: 'text/plain' } };

describe('binary data', () => {
	test.each(lookups)(
		'comes along with the input fields of $operation, and only then',
		async (one) => {
			const items = [one.item(hit), {}, one.item(miss)];
			for (const includeInputFields of [true, false]) {
				for (const options of [{}, { resultField: 'lookup' }]) {
					const parameters = { ...one.parameters, includeInputFields, options };
					const [output] = await withFiles(one.node, parameters, items);
					expect(output.map(({ binary }) => binary)).toEqual(
						items.map(() => (includeInputFields ? file : undefined)),
					);
				}
			}
		},
	);

	test('comes along with the items on the error output', async () => {
		const { node, parameters } = find;
		const [, errors] = await withFiles(node, parameters, [{}], 'continueErrorOutput');
		expect(errors).toMatchObject([{ json: { error: expect.anything() }, binary: file }]);
	});

	test('comes along with every match of a company, and with every lead of one', async () => {
		const [company] = service().fixtures.companies;
		for (const includeInputFields of [true, false]) {
			const [leads] = await withFiles(
				'contactDataCompany',
				{ operation: 'getLeads', companyWebsite: company.domain, limit: 3, includeInputFields },
				[{}],
			);
			const [matches] = await withFiles(
				'contactDataCompany',
				{ operation: 'search', keyword: 'a', returnAllMatches: true, includeInputFields },
				[{}],
			);
			expect(matches.length).toBeGreaterThan(1);
			expect(leads).toHaveLength(3);
			for (const { binary } of [...matches, ...leads]) {
				expect(binary).toEqual(includeInputFields ? file : undefined);
			}
		}
	});
});

describe('Search Company', () => {
	/** Runs it for these keywords, each of an item with the fields of a CRM. */
	async function search(items: IDataObject[], parameters: INodeParameters = {}) {
		return await runNode({
			node: 'contactDataCompany',
			parameters: {
				operation: 'search',
				keyword: '={{ $json.keyword }}',
				returnAllMatches: true,
				...parameters,
			},
			items,
			credential: credentialFor(service()),
			onError: 'continueRegularOutput',
		});
	}

	const input = { crm: 'crm-1', name: 'What we call it', city: 'Somewhere', note: { a: 1 } };

	test.each([true, false])(
		'puts the fields of the input beside every match, with Simplify %s',
		async (simple) => {
			const items = ['a', 'nobody has such a name', ''].map((keyword) => ({ ...input, keyword }));
			const alone = await search(items, { simple });
			const beside = await search(items, { simple, ...included });
			expect(alone.items.length).toBeGreaterThan(4);
			expect(timeless(beside.json)).toStrictEqual(
				timeless(
					alone.items.map(({ json, pairedItem }) => {
						const item =
							typeof pairedItem === 'object' && 'item' in pairedItem ? pairedItem.item : 0;
						return besideInput(items[item], json, []);
					}),
				),
			);
			for (const { crm, note } of beside.json) expect([crm, note]).toEqual(['crm-1', { a: 1 }]);
		},
	);

	test('leaves the input out unless it is asked for', async () => {
		const { json } = await search([{ ...input, keyword: 'a' }]);
		for (const match of json) expect(match).not.toHaveProperty('crm');
	});

	test('puts each match under a name of its own', async () => {
		const options = { resultField: 'company' };
		const item = { ...input, keyword: 'a' };
		const alone = await search([item]);
		const beside = await search([item], { options, ...included });
		expect(timeless(beside.json)).toStrictEqual(
			timeless(alone.json.map((company) => ({ ...item, company }))),
		);
	});
});

describe('Get Company Leads', () => {
	test.each([true, false])(
		"keeps the CRM's id on every person, with Simplify %s",
		async (simple) => {
			const [one, two] = service().fixtures.companies;
			const items = [one, two].map(({ domain }, index) => ({
				id: `crm-${index}`,
				site: domain,
				companyName: 'What we call it',
				title: 'of the company',
			}));
			const run = async (parameters: INodeParameters) =>
				await runNode({
					node: 'contactDataCompany',
					parameters: {
						operation: 'getLeads',
						companyWebsite: '={{ $json.site }}',
						limit: 5,
						simple,
						...parameters,
					},
					items,
					credential: credentialFor(service()),
				});
			const alone = await run({});
			const beside = await run(included);
			expect(beside.json).toHaveLength(10);
			expect(beside.json).toStrictEqual(
				alone.json.map((person, index) => besideInput(items[index < 5 ? 0 : 1], person, [])),
			);
			expect(beside.json.map(({ id }) => id)).toEqual(
				beside.json.map((_, index) => `crm-${index < 5 ? 0 : 1}`),
			);
			for (const person of alone.json) expect(person).not.toHaveProperty('site');
		},
	);
});

test.each([find, verify])(
	'as a tool, $operation never has the fields of the input',
	async (lookup) => {
		const told = await callTool({
			node: lookup.node,
			parameters: { ...lookup.parameters, ...included },
			credential: credentialFor(service()),
			input: { ...lookup.item(hit), secretOfTheAgent: 1 },
		});
		expect(told).toMatchObject([lookup.answer(hit)]);
		expect(told[0]).not.toHaveProperty('secretOfTheAgent');
	},
);
