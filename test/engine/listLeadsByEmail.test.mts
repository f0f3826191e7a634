/** @file The option Email of Get List Leads: which leads it gives, over any pages, and up to which limit. */

import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';

import type { Lead } from '../service/fixtures.mts';
import { runNode, type NodeResult, type NodeTest } from '../support/engine.mts';
import { listWithId } from '../support/everyOperation.mts';
import { list, listLead, some } from '../support/expected.mts';
import { credentialFor, useService } from '../support/service.mts';

const service = useService();

const newestFirst = list(101).leads.toReversed();
const withEmail = some(newestFirst, ({ email }) => email !== null);
const withoutEmail = some(newestFirst, ({ email }) => email === null);

const filters = [
	{ email: 'all', leads: newestFirst },
	{ email: 'with', leads: withEmail },
	{ email: 'without', leads: withoutEmail },
];

const idsOf = (leads: ReadonlyArray<Lead | IDataObject>) => leads.map(({ id }) => id);

/** Get List Leads of the list with 1,000 leads. */
async function listLeads(
	options: INodeParameters,
	parameters: INodeParameters = { returnAll: true },
	test: Partial<NodeTest> = {},
	settings = {},
): Promise<NodeResult> {
	return await runNode({
		node: 'contactDataList',
		parameters: { operation: 'getLeads', listId: listWithId('101'), options, ...parameters },
		credential: credentialFor(service(), settings),
		...test,
	});
}

/** How many leads from the newest on have to be seen to have so many of these. */
function depthOf(leads: readonly Lead[], limit: number): number {
	const last = leads[limit - 1];
	return last ? newestFirst.indexOf(last) + 1 : newestFirst.length;
}

const sizes = () =>
	service().requests.map(({ rawQuery }) => Number(new URLSearchParams(rawQuery).get('size')));

describe.each(filters)('Email: $email', ({ email, leads }) => {
	test('gives all such leads, newest first, each as it is', async () => {
		const { json, error } = await listLeads({ email });
		expect(error).toBeUndefined();
		expect(json).toStrictEqual(leads.map(listLead));
		expect(service().ledger.charges).toEqual([]);
	});

	test("gives the service's own leads with Simplify off", async () => {
		const { json } = await listLeads({ email }, { returnAll: true, simple: false });
		expect(idsOf(json)).toEqual(idsOf(leads));
		for (const lead of json) expect(lead).toHaveProperty('network_url');
	});

	test.each([1, 2, 50, 99, 100, 101])('gives the first %i, and reads no further', async (limit) => {
		const { json } = await listLeads({ email }, { limit }, {}, { listPageSize: 100 });
		expect(idsOf(json)).toEqual(idsOf(leads.slice(0, limit)));
		expect(sizes()).toHaveLength(Math.ceil(depthOf(leads, limit) / 100));
	});

	test('gives all where there are fewer than the limit', async () => {
		const { json, error } = await listLeads({ email }, { limit: 5_000 });
		expect(error).toBeUndefined();
		expect(idsOf(json)).toEqual(idsOf(leads));
	});

	test('gives 50 unless another limit is set', async () => {
		const { json } = await listLeads({ email }, {});
		expect(idsOf(json)).toEqual(idsOf(leads.slice(0, 50)));
	});

	test.each([
		['a cursor that is an offset', { leadsStart: 'offset' }],
		['pages of 100 at most', { leadsMaxSize: 100 }],
		['a count of the page', { leadsCount: 'page' }],
		['misspelt keys', { leadSpelling: 'misspelt' }],
	] as const)('with %s', async (_, variants) => {
		Object.assign(service().variants, variants);
		const settings = 'leadsMaxSize' in variants ? { listPageSize: 100 } : {};
		for (const parameters of [{ returnAll: true }, { limit: 120 }]) {
			const { json } = await listLeads({ email }, parameters, {}, settings);
			const wanted = 'limit' in parameters ? leads.slice(0, 120) : leads;
			expect(json).toStrictEqual(wanted.map(listLead));
		}
	});

	test('with pages that are shorter than asked for', async () => {
		service().options.pageCap = 37;
		for (const limit of [36, 37, 38, 200]) {
			const { json } = await listLeads({ email }, { limit });
			expect(idsOf(json)).toEqual(idsOf(leads.slice(0, limit)));
		}
	});

	test('with leads that come twice', async () => {
		service().faults.add({ duplicatesAcrossPages: true });
		const { json } = await listLeads({ email }, { returnAll: true }, {}, { listPageSize: 100 });
		expect(idsOf(json)).toEqual(idsOf(leads));
	});

	test('with a cursor that leads to the second page again: what was read comes out', async () => {
		service().faults.add({ repeatCursor: true });
		const { json } = await listLeads({ email }, { returnAll: true }, {}, { listPageSize: 100 });
		expect(idsOf(json)).toEqual(idsOf(leads.filter((lead) => newestFirst.indexOf(lead) < 200)));
	});

	test('with a keyword: both hold', async () => {
		const [example] = some(leads, (lead) => lead.person.company.name.length > 3);
		const { name } = example.person.company;
		const { json: all } = await listLeads({ keyword: name });
		const { json } = await listLeads({ email, keyword: name });
		const isWanted = new Set<unknown>(idsOf(leads));
		expect(json).toStrictEqual(all.filter(({ id }) => isWanted.has(id)));
		expect(json.length).toBeGreaterThan(0);
		const [one] = (await listLeads({ email, keyword: name }, { limit: 1 })).json;
		expect(one).toStrictEqual(json[0]);
		const keywords = service().requests.map(({ rawQuery }) =>
			new URLSearchParams(rawQuery).get('kw'),
		);
		expect(new Set(keywords)).toEqual(new Set([name]));
	});

	test('with a page that cannot be read: what came before it is not lost', async () => {
		service().faults.add({ status: 403, on: { nth: 3 } });
		const { json } = await listLeads(
			{ email },
			{ returnAll: true },
			{ onError: 'continueRegularOutput' },
			{ listPageSize: 100 },
		);
		const read = leads.filter((lead) => newestFirst.indexOf(lead) < 200);
		expect(idsOf(json.slice(0, -1))).toEqual(idsOf(read));
		expect(json.at(-1)).toMatchObject({ status: 'failed', httpCode: 403 });
	});
});

test('Email is read for each item', async () => {
	const { items } = await listLeads(
		{ email: '={{ $json.email }}' },
		{ limit: 30 },
		{ items: filters.map(({ email }) => ({ email })) },
	);
	filters.forEach(({ leads }, item) => {
		const own = items.filter(({ pairedItem }) =>
			expect.objectContaining({ item }).asymmetricMatch(pairedItem),
		);
		expect(idsOf(own.map(({ json }) => json))).toEqual(idsOf(leads.slice(0, 30)));
	});
});

test('a list in which nobody is wanted gives nothing, and is read once', async () => {
	const { leads } = list(102);
	const own = service().fixtures.lists.find(({ id }) => id === 102);
	const before = own?.leads ?? [];
	if (own) own.leads = leads.filter(({ email }) => email !== null);
	try {
		const { json, error } = await listLeads(
			{ email: 'without' },
			{ listId: listWithId('102'), limit: 5 },
		);
		expect([error, json]).toEqual([undefined, []]);
		expect(service().requests.length).toBeLessThan(3);
	} finally {
		if (own) own.leads = before;
	}
});
