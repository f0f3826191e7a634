import { isDeepStrictEqual } from 'node:util';

import fastify, { type FastifyInstance } from 'fastify';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { afterEach, describe, expect, test } from 'vitest';

import type { BodyEffect } from '../service/faults.mts';
import type { Lead } from '../service/fixtures.mts';
import type { Variants } from '../service/variants.mts';
import { runNode, type NodeTest } from '../support/engine.mts';
import { fixtures, known, list, some } from '../support/expected.mts';
import { whenSent } from '../support/lookups.mts';
import { giveJson, queryOf, useServer } from '../support/ownServer.mts';
import { saveLeads } from '../support/saveLeads.mts';
import { credentialFor, useService } from '../support/service.mts';

/**
 * Reading page after page, in the real engine: every result once, in order, in the fewest requests,
 * and never fewer results than there are without saying so.
 */
const service = useService();

const newestFirst = list(101).leads.toReversed();
const company = known(fixtures.companies[0]);
const employees = fixtures.peopleOf(company);

const ids = (leads: readonly Lead[]) => leads.map(({ id }) => id);
const idsOf = (items: readonly IDataObject[]) => items.map(({ id }) => id);
const names = (people: typeof employees) => people.map(({ full }) => full);
const namesOf = (items: readonly IDataObject[]) => items.map(({ fullName }) => fullName);

const range = (from: number, to: number) =>
	Array.from({ length: to - from }, (_, index) => from + index);

/** The items of the output that come from one item of the input. */
function linkedTo(items: INodeExecutionData[], item: number): INodeExecutionData[] {
	return items.filter(({ pairedItem }) => isDeepStrictEqual(pairedItem, { item }));
}

type Settings = NonNullable<Parameters<typeof credentialFor>[1]>;

/** Get List Leads of the list with 1,000 leads. */
async function listLeads(
	parameters: NodeTest['parameters'],
	test: Partial<NodeTest> = {},
	settings?: Settings,
) {
	return await runNode({
		node: 'contactDataList',
		parameters: {
			operation: 'getLeads',
			listId: { __rl: true, mode: 'id', value: '101' },
			...parameters,
		},
		credential: credentialFor(service(), settings),
		...test,
	});
}

/** Get Company Leads of the company with 400 people. */
async function companyLeads(parameters: NodeTest['parameters'], test: Partial<NodeTest> = {}) {
	return await runNode({
		node: 'contactDataCompany',
		parameters: { operation: 'getLeads', companyWebsite: company.domain, ...parameters },
		credential: credentialFor(service()),
		...test,
	});
}

/** A query parameter of every request, as sent. */
function sent(name: string): Array<string | null> {
	return service().requests.map(({ rawQuery }) => new URLSearchParams(rawQuery).get(name));
}

const requestCount = () => service().requests.length;

test('people at a company: a page that is gone is no end of them', async () => {
	service().options.pageCap = 10;
	service().faults.add({ status: 404, on: { operation: 'getCompanyLeads', nth: 3 } });
	const { error } = await companyLeads({ returnAll: true });
	expect(error).toBeDefined();
	service().faults.clear();
	service().faults.add({ status: 404, on: { operation: 'getCompanyLeads', nth: 3 } });
	const { json } = await companyLeads({ returnAll: true }, { onError: 'continueRegularOutput' });
	expect(json).toHaveLength(21);
	expect(json.at(-1)).toMatchObject({ status: 'failed', httpCode: 404 });
});

test('the fixtures have what is read here', () => {
	expect(new Set(ids(newestFirst)).size).toBe(1_000);
	expect(new Set(names(employees)).size).toBe(400);
});

describe.each(['id', 'offset'] as const)('leads of a list, start is an %s', (leadsStart) => {
	/** What the next page is asked for with, after so many leads. */
	const startAfter = (leads: number) =>
		String(leadsStart === 'offset' ? leads : known(newestFirst[leads - 1]).id);

	test('all of them: full pages, and an empty one at the end', async () => {
		service().variants.leadsStart = leadsStart;
		const { json, items } = await listLeads({ returnAll: true });
		expect(idsOf(json)).toEqual(ids(newestFirst));
		expect(linkedTo(items, 0)).toHaveLength(1_000);
		expect(sent('start')).toEqual([null, startAfter(500), startAfter(1_000)]);
		expect(sent('size')).toEqual(['500', '500', '500']);
		expect(service().ledger.total()).toBe(0);
	});

	test('a service that gives 100 leads at most', async () => {
		Object.assign(service().variants, { leadsStart, leadsMaxSize: 100 });
		const { json } = await listLeads({ returnAll: true }, {}, { listPageSize: 100 });
		expect(idsOf(json)).toEqual(ids(newestFirst));
		expect(sent('start')).toEqual([null, ...range(1, 11).map((pages) => startAfter(pages * 100))]);
		expect(new Set(sent('size'))).toEqual(new Set(['100']));
	});

	test.each([
		[7, 144],
		[33, 32],
	])('pages of %i although 500 are asked for', async (pageCap, requests) => {
		service().variants.leadsStart = leadsStart;
		service().options.pageCap = pageCap;
		const { json } = await listLeads({ returnAll: true });
		expect(idsOf(json)).toEqual(ids(newestFirst));
		expect(requestCount()).toBe(requests);
	});

	test('pages of 33, up to a limit', async () => {
		service().variants.leadsStart = leadsStart;
		service().options.pageCap = 33;
		const { json } = await listLeads({ limit: 100 });
		expect(idsOf(json)).toEqual(ids(newestFirst.slice(0, 100)));
		expect(sent('size')).toEqual(['100', '67', '34', '1']);
	});

	test.each([
		[1, ['1']],
		[50, ['50']],
		[500, ['500']],
		[501, ['500', '1']],
		[999, ['500', '499']],
		[1_000, ['500', '500']],
		[1_001, ['500', '500', '1']],
	])('limit %i', async (limit, sizes) => {
		service().variants.leadsStart = leadsStart;
		const { json } = await listLeads({ limit });
		expect(idsOf(json)).toEqual(ids(newestFirst.slice(0, limit)));
		expect(sent('size')).toEqual(sizes);
	});

	test('count_results without a keyword counts a page, and does not end the reading', async () => {
		Object.assign(service().variants, { leadsStart, leadsCount: 'page' });
		const { json } = await listLeads({ returnAll: true });
		expect(idsOf(json)).toEqual(ids(newestFirst));
	});

	test.each([{ returnAll: true }, { limit: 600 }, { limit: 999 }])(
		'leads that come on two pages come out once, %o',
		async (parameters: { returnAll?: boolean; limit?: number }) => {
			service().variants.leadsStart = leadsStart;
			service().faults.add({ duplicatesAcrossPages: true });
			const { json } = await listLeads(parameters);
			expect(idsOf(json)).toEqual(ids(newestFirst.slice(0, parameters.limit)));
		},
	);

	test('leads that come on two pages, with small pages', async () => {
		service().variants.leadsStart = leadsStart;
		service().options.pageCap = 33;
		service().faults.add({ duplicatesAcrossPages: true });
		const { json } = await listLeads({ returnAll: true });
		expect(idsOf(json)).toEqual(ids(newestFirst));
	});

	test('a cursor that leads to the same page again ends the reading, nothing is doubled', async () => {
		service().variants.leadsStart = leadsStart;
		service().options.pageCap = 100;
		service().faults.add({ repeatCursor: true, on: { nth: 3 } });
		const { json, error } = await listLeads({ returnAll: true });
		expect(error).toBeUndefined();
		expect(idsOf(json)).toEqual(ids(newestFirst.slice(0, 300)));
		expect(requestCount()).toBe(3);
	});

	test('the keyword goes with every page, and the count ends the reading', async () => {
		service().variants.leadsStart = leadsStart;
		service().options.pageCap = 33;
		const keyword = 'Manager';
		const matching = some(newestFirst, ({ person }) => person.title.includes(keyword));
		expect(matching.length).toBeGreaterThan(99);
		const { json } = await listLeads({ returnAll: true, options: { keyword } });
		expect(idsOf(json)).toEqual(ids(matching));
		expect(requestCount()).toBe(Math.ceil(matching.length / 33));
		expect(new Set(sent('kw'))).toEqual(new Set([keyword]));
	});

	test('two items with different keywords, and one without: no filter leaks', async () => {
		service().variants.leadsStart = leadsStart;
		service().options.pageCap = 80;
		const { items } = await listLeads(
			{ limit: 200, options: { keyword: '={{ $json.kw }}' } },
			{ items: [{ kw: 'Manager' }, { kw: 'Director' }, {}] },
		);
		const of = (item: number) => idsOf(linkedTo(items, item).map(({ json }) => json));
		const with200 = (word: string) =>
			ids(some(newestFirst, ({ person }) => person.title.includes(word)).slice(0, 200));
		expect(of(0)).toEqual(with200('Manager'));
		expect(of(1)).toEqual(with200('Director'));
		expect(of(2)).toEqual(ids(newestFirst.slice(0, 200)));
		expect(items).toHaveLength(of(0).length + of(1).length + of(2).length);
	});
});

describe('a list that changes while it is read', () => {
	const leadList = () => known(service().fixtures.list(101));

	/** Deletes leads from the list, by their ids. */
	function deleteLeads(gone: Set<number>): void {
		const left = leadList().leads.filter(({ id }) => !gone.has(id));
		leadList().leads.splice(0, Infinity, ...left);
	}

	test('with a keyword: leads that are read and deleted then hide none that are unread', async () => {
		const pageCap = 50;
		service().options.pageCap = pageCap;
		const keyword = 'Manager';
		const matching = some(newestFirst, ({ person }) => person.title.includes(keyword));
		const pages = Math.ceil(matching.length / pageCap);
		expect(pages).toBeGreaterThan(2);
		// Those of the first pages, while the last page but one is asked for.
		const read = new Set(ids(matching.slice(0, (pages - 2) * pageCap)));
		whenSent(service(), pages - 1, () => deleteLeads(read));
		const { json, error } = await listLeads({ returnAll: true, options: { keyword } });
		expect(error).toBeUndefined();
		expect(idsOf(json)).toEqual(ids(matching));
	});

	test.each([501, 600])(
		'where start is an offset: 150 leads more after the first page, limit %i',
		async (limit) => {
			service().variants.leadsStart = 'offset';
			whenSent(service(), 2, () => saveLeads(leadList(), 150));
			const { json, error } = await listLeads({ limit });
			expect(error).toBeUndefined();
			expect(idsOf(json)).toEqual(ids(newestFirst.slice(0, limit)));
		},
	);
});

describe('people of a company', () => {
	test('all of them, in pages of 150', async () => {
		const { json } = await companyLeads({ returnAll: true });
		expect(namesOf(json)).toEqual(names(employees));
		expect(sent('size')).toEqual(['150', '150', '150']);
		expect(new Set(sent('nextId')).size).toBe(3);
	});

	test.each([7, 33])('pages of %i although 150 are asked for', async (pageCap) => {
		service().options.pageCap = pageCap;
		const { json } = await companyLeads({ returnAll: true });
		expect(namesOf(json)).toEqual(names(employees));
		expect(requestCount()).toBe(Math.ceil(400 / pageCap));
	});

	test.each([
		[1, ['1']],
		[50, ['50']],
		[150, ['150']],
		[151, ['150', '1']],
		[399, ['150', '150', '99']],
		[500, ['150', '150', '150']],
		[501, ['150', '150', '150']],
		[999, ['150', '150', '150']],
	])('limit %i', async (limit, sizes) => {
		const { json } = await companyLeads({ limit });
		expect(namesOf(json)).toEqual(names(employees.slice(0, limit)));
		expect(sent('size')).toEqual(sizes);
	});

	test.each<Partial<Variants>>([
		{ companyLeadsTotal: 'total' },
		{ companyLeadsTotal: 'total_results' },
	])('the count of a page does not end the reading, %o', async (variants) => {
		Object.assign(service().variants, variants);
		service().options.pageCap = 33;
		const { json } = await companyLeads({ returnAll: true });
		expect(namesOf(json)).toEqual(names(employees));
	});

	test('an id that leads to the same page again ends the reading, nothing is doubled', async () => {
		service().faults.add({ repeatCursor: true, on: { nth: 2 } });
		const { json, error } = await companyLeads({ returnAll: true });
		expect(error).toBeUndefined();
		expect(namesOf(json)).toEqual(names(employees.slice(0, 300)));
		expect(requestCount()).toBe(2);
	});

	test('the filters go with every page', async () => {
		service().options.pageCap = 7;
		const matching = some(
			employees,
			({ title, location }) => title.includes('Manager') && /Kyoto|Bristol/.test(location),
		);
		expect(matching.length).toBeGreaterThan(14);
		const { json } = await companyLeads({
			returnAll: true,
			options: { title: 'manager', location: 'Kyoto, Bristol', locationMatch: 'any' },
		});
		expect(namesOf(json)).toEqual(names(matching));
		expect(requestCount()).toBe(Math.ceil(matching.length / 7));
		expect(new Set(sent('title'))).toEqual(new Set(['manager']));
		expect(new Set(sent('location'))).toEqual(new Set(['{Kyoto,Bristol}']));
		expect(new Set(sent('companyWebsite'))).toEqual(new Set([company.domain]));
	});

	test('two items with different titles: no filter leaks', async () => {
		service().options.pageCap = 20;
		const { items } = await companyLeads(
			{ returnAll: true, options: { title: '={{ $json.title }}' } },
			{ items: [{ title: 'sales manager' }, { title: 'finance director' }] },
		);
		const titled = (title: string) => names(some(employees, (person) => person.title === title));
		const of = (item: number) => namesOf(linkedTo(items, item).map(({ json }) => json));
		expect(of(0)).toEqual(titled('Sales Manager'));
		expect(of(1)).toEqual(titled('Finance Director'));
		expect(items).toHaveLength(of(0).length + of(1).length);
	});
});

describe('people of a company whose service', () => {
	const serve = useServer();

	/** Everybody at a company, from a service that gives each page as the test says, counted from 1. */
	async function everybody(page: (number: number, start: number) => object) {
		let pages = 0;
		const baseUrl = await serve((request, response) => {
			const start = Number(queryOf(request).get('nextId') ?? 0);
			giveJson(response, page(++pages, start));
		});
		const result = await companyLeads(
			{ returnAll: true },
			{ credential: { baseUrl, apiKey: 'test-key' }, onError: 'continueRegularOutput' },
		);
		return { ...result, pages };
	}

	const people = (length: number) => range(0, length).map((n) => ({ full_name: `Ann Test ${n}` }));

	/** Four people from a place on, of these. */
	const fourOf = (all: object[], start: number, total_all: number | null) => ({
		meta: { total_all, next_results_id: start + 4 < all.length ? String(start + 4) : null },
		results: all.slice(start, start + 4),
	});

	test('counts fewer and fewer: all are read', async () => {
		const ten = people(10);
		const { json } = await everybody((_, start) => fourOf(ten, start, start > 0 ? 8 : 10));
		expect(namesOf(json)).toEqual(ten.map(({ full_name }) => full_name));
	});

	test('moves them all by one between two pages: nobody comes out twice', async () => {
		const ten = people(10);
		const { json } = await everybody((page, start) => {
			const all = page > 1 ? [{ full_name: 'Somebody New' }, ...ten] : ten;
			return fourOf(all, start, null);
		});
		expect(namesOf(json)).toEqual(ten.map(({ full_name }) => full_name));
	});

	test('gives two pages in turn under ever new ids: says so after the first that came before', async () => {
		const { json, pages } = await everybody((page) => ({
			meta: page < 50 ? { next_results_id: `page-${page}` } : {},
			results: [{ full_name: page % 2 === 0 ? 'Ann Even' : 'Ann Odd' }],
		}));
		expect(namesOf(json.slice(0, -1))).toEqual(['Ann Odd', 'Ann Even']);
		expect(json.at(-1)).toMatchObject({
			status: 'failed',
			message: expect.stringContaining('without new results'),
		});
		expect(pages).toBe(3);
	});
});

describe('a page in the middle that is none', () => {
	const bodies: Array<BodyEffect['body']> = ['text', 'html', 'json-scalar', 'truncated', 'empty'];

	test.each(bodies)('%s instead of leads of a list', async (body) => {
		service().options.pageCap = 100;
		service().faults.add({ body, on: { nth: 4 } });
		const { error, items } = await listLeads({ returnAll: true });
		expect(error?.message).toMatch(/\S/);
		expect(items).toEqual([]);
		expect(requestCount()).toBe(4);
	});

	test.each(bodies)('%s instead of people of a company', async (body) => {
		service().options.pageCap = 100;
		service().faults.add({ body, on: { nth: 2 } });
		const { error, items } = await companyLeads({ returnAll: true });
		expect(error?.message).toMatch(/\S/);
		expect(items).toEqual([]);
		expect(requestCount()).toBe(2);
	});

	test.each(bodies)('%s below a limit, On Error continues: an item that says why', async (body) => {
		service().faults.add({ body, on: { nth: 2 } });
		const { error, json } = await listLeads({ limit: 800 }, { onError: 'continueRegularOutput' });
		expect(error).toBeUndefined();
		expect(json.at(-1)).toMatchObject({ status: 'failed', message: expect.any(String) });
	});

	test('one of two items: what was read comes out, and the other one has all of its leads', async () => {
		service().faults.add({
			body: 'text',
			on: { nth: 2, where: ({ rawQuery }) => rawQuery.includes('kw=Manager') },
		});
		service().options.pageCap = 50;
		const { items, errorItems } = await listLeads(
			{ returnAll: true, options: { keyword: '={{ $json.kw }}' } },
			{ items: [{ kw: 'Manager' }, { kw: 'Director' }], onError: 'continueErrorOutput' },
		);
		const directors = some(newestFirst, ({ person }) => person.title.includes('Director'));
		const managers = some(newestFirst, ({ person }) => person.title.includes('Manager'));
		expect(idsOf(items.map(({ json }) => json))).toEqual([
			...ids(managers).slice(0, 50),
			...ids(directors),
		]);
		expect(errorItems).toHaveLength(1);
		expect(errorItems[0]).toMatchObject({ json: { kw: 'Manager' }, pairedItem: { item: 0 } });
	});

	test('leads that are no objects', async () => {
		const app = serve();
		app.get('/api/v2/list/101/leads', () => ({ count_results: 2, next_start: 1, data: ['a', 7] }));
		const { error, items } = await fromOwn(app, { returnAll: true });
		expect(error?.message).toMatch(/page of leads/);
		expect(items).toEqual([]);
	});
});

/* Servers of the tests, for answers that the service never gives. */
const servers: FastifyInstance[] = [];

function serve(): FastifyInstance {
	const app = fastify({ forceCloseConnections: true });
	servers.push(app);
	return app;
}

afterEach(async () => {
	await Promise.all(servers.splice(0).map(async (app) => await app.close()));
});

async function fromOwn(
	app: FastifyInstance,
	parameters: NodeTest['parameters'],
	test: Partial<NodeTest> = {},
) {
	const baseUrl = await app.listen({ host: '127.0.0.1', port: 0 });
	return await listLeads(parameters, {
		credential: { baseUrl, apiKey: 'test-key', customizeInterface: false },
		...test,
	});
}

test('a page without next_start is the last', async () => {
	const app = serve();
	let requests = 0;
	app.get('/api/v2/list/101/leads', () => {
		requests++;
		return { count_results: 9, data: [{ id: 2 }, { id: 1 }] };
	});
	const { json } = await fromOwn(app, { returnAll: true });
	expect(idsOf(json)).toEqual([2, 1]);
	expect(requests).toBe(1);
});

test('cursors that go round in a circle end the reading', async () => {
	const app = serve();
	const next: Record<string, number> = { none: 8, 8: 6, 6: 8 };
	app.get<{ Querystring: { start?: string } }>('/api/v2/list/101/leads', ({ query }) => {
		const start = query.start ?? 'none';
		const first = start === 'none' ? 10 : Number(start);
		return { next_start: next[start], data: [{ id: first }, { id: first - 1 }] };
	});
	const { json } = await fromOwn(app, { returnAll: true });
	expect(idsOf(json)).toEqual([10, 9, 8, 7, 6, 5]);
});

// n8n's declarative engine takes no more than some 125,000 results from one item.
describe('a list of 130,000 leads', () => {
	const TOTAL = 130_000;

	/** Serves leads with the ids 130000 to 1, in pages of up to 500. */
	function serveLeads(): { app: FastifyInstance; requests: () => number } {
		const app = serve();
		let requests = 0;
		app.get<{ Querystring: { size: string; start?: string } }>(
			'/api/v2/list/101/leads',
			({ query }) => {
				requests++;
				const newest = Number(query.start ?? TOTAL + 1) - 1;
				const length = Math.max(0, Math.min(Number(query.size), 500, newest));
				const data = Array.from({ length }, (_, index) => ({ id: newest - index }));
				return { count_results: TOTAL, next_start: newest - length + 1, data };
			},
		);
		return { app, requests: () => requests };
	}

	const downFrom = (id: number, length: number) => Array.from({ length }, (_, index) => id - index);

	test.each([true, false])('Return All reads it in one run, Simplify %s', async (simple) => {
		const { app, requests } = serveLeads();
		const { error, items, json } = await fromOwn(app, { returnAll: true, simple });
		expect(error).toBeUndefined();
		expect(idsOf(json)).toEqual(downFrom(TOTAL, TOTAL));
		expect(linkedTo(items, 0)).toHaveLength(TOTAL);
		// The last page is known by the empty one behind it.
		expect(requests()).toBe(TOTAL / 500 + 1);
	});

	test('a limit near its end is kept', async () => {
		const { app, requests } = serveLeads();
		const limit = TOTAL - 700;
		const { error, json } = await fromOwn(app, { limit });
		expect(error).toBeUndefined();
		expect(idsOf(json)).toEqual(downFrom(TOTAL, limit));
		expect(requests()).toBe(Math.ceil(limit / 500));
	});
});
