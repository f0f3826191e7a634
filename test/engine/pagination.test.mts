/**
 * @file Reading page after page, in the real engine: every result once, in order, in the fewest requests, and never
 * fewer results than there are without saying so.
 */

import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';

import { forgetRecentAnswers } from '../../nodes/shared/execution/recent.ts';
import type { Variants } from '../emulator/variants.mts';
import { runNode, type NodeResult, type NodeTest } from '../support/node/engine.mts';
import { listWithId } from '../operations.mts';
import { fixtures, known, list, listLead, some } from '../support/leads/expected.mts';
import { numbers, whenSent } from '../support/leads/lookups.mts';
import { giveJson, queryOf, useServer } from '../support/servers/ownServer.mts';
import { credentialFor, useService } from '../support/servers/service.mts';

const service = useService();

/** The 1,000 leads of a list, and the 400 people of a company. */
const newestFirst = list(101).leads.toReversed();
const company = known(fixtures.companies[0]);
const employees = fixtures.peopleOf(company);

const titled = (word: string, leads = newestFirst) =>
	some(leads, ({ person }) => person.title.includes(word));
const namesOf = (items: readonly IDataObject[]) => items.map(({ fullName }) => fullName);
/** By what each is told apart: the leads by their ids, the people by their names. */
const idsOf = (items: ReadonlyArray<{ id?: unknown }>) => items.map(({ id }) => id);

type Read = (
	parameters: NodeTest['parameters'],
	test?: Partial<NodeTest>,
	settings?: Parameters<typeof credentialFor>[1],
) => Promise<NodeResult>;

const reads =
	(node: NodeTest['node'], own: NodeTest['parameters']): Read =>
	async (parameters, test, settings) =>
		await runNode({
			node,
			credential: credentialFor(service(), settings),
			...test,
			parameters: { operation: 'getLeads', ...own, ...parameters },
		});

const listLeads = reads('contactDataList', { listId: listWithId('101') });
const companyLeads = reads('contactDataCompany', { companyWebsite: company.domain });

/** A query parameter of every request, as sent. */
function sent(name: string): Array<string | null> {
	return service().requests.map(({ rawQuery }) => new URLSearchParams(rawQuery).get(name));
}

const requestCount = () => service().requests.length;

const everyPage = { returnAll: true };

/** The leads that the option Email gives. */
const byEmail = {
	all: newestFirst,
	with: some(newestFirst, ({ email }) => email !== null),
	without: some(newestFirst, ({ email }) => email === null),
};

const limits = fc.constantFrom(1, 2, 50, 99, 100, 101, 399, 500, 501, 1_000, 1_001, 5_000);
/** Return All, or a limit; the default unless another one is set. */
const howMany = fc.oneof(
	fc.constant(everyPage),
	fc.constant({}),
	fc.oneof(limits, fc.integer({ min: 1, max: 1_100 })).map((limit) => ({ limit })),
);
const most = (given: { limit?: number; returnAll?: boolean }, byDefault: number) =>
	given.returnAll ? Infinity : (given.limit ?? byDefault);
const caps = fc.constantFrom(27, 33, 37, 80, Infinity, Infinity);
const numRuns = 80;

/** How many results each page has to be asked for, where each of those that are there is wanted. */
function expectSizes(wanted: number, there: number, pageSize: number, pageCap: number): void {
	const left = (page: number) => wanted - Math.min(there, page * Math.min(pageSize, pageCap));
	const sizes = numbers(requestCount()).map((page) => String(Math.min(pageSize, left(page))));
	expect(sent('size')).toEqual(sizes);
}

test('however the leads of a list are wanted and paged: each once, newest first, and no page too many', async () => {
	const given = fc.record({
		parameters: howMany,
		email: fc.constantFrom('all', 'with', 'without'),
		keyword: fc.constantFrom('', '', 'Manager', 'Director'),
		simple: fc.boolean(),
		leadsStart: fc.constantFrom('id', 'offset'),
		size: fc.constantFrom(100, 500),
		pageCap: caps,
		variants: fc.constantFrom<Partial<Variants>>(
			{ leadsCount: 'page' },
			{ leadSpelling: 'misspelt' },
			{},
		),
		overlap: fc.boolean(),
	});
	const property = fc.asyncProperty(given, async (one) => {
		const { parameters, email, keyword, simple, leadsStart, size, pageCap, overlap } = one;
		service().reset();
		Object.assign(service().variants, { leadsStart, leadsMaxSize: size, ...one.variants });
		Object.assign(service().options, { pageCap });
		if (overlap) service().faults.add({ duplicatesAcrossPages: true });
		const options = { email, ...(keyword && { keyword }) };
		const all = { ...parameters, simple, options };
		const { json, error } = await listLeads(all, {}, { listPageSize: size });
		expect(error).toBeUndefined();
		const limit = most(parameters, 50);
		const matching = titled(keyword);
		const expected = matching.filter((lead) => byEmail[email].includes(lead)).slice(0, limit);
		if (simple) expect(json).toStrictEqual(expected.map(listLead));
		else expect(idsOf(json)).toEqual(idsOf(expected));
		if (!simple) for (const lead of json) expect(lead).toHaveProperty('network_url');
		expect(new Set(sent('kw'))).toEqual(new Set([keyword || null]));
		if (overlap) return;
		expectSizes(email === 'all' ? limit : Infinity, matching.length, size, pageCap);
		const pages = (leads: number) => Math.ceil(leads / Math.min(size, pageCap));
		// The last lead that is wanted ends the reading, or what is behind the last one.
		const last = expected.at(limit - 1);
		if (last) expect(requestCount()).toBe(pages(matching.indexOf(last) + 1));
		else expect(requestCount()).toBeLessThanOrEqual(pages(matching.length) + 1);
	});
	await fc.assert(property, { numRuns });
});

test('however the people of a company are wanted and paged: each once, in order, in the fewest requests', async () => {
	const given = fc.record({
		parameters: howMany,
		pageCap: caps,
		isFiltered: fc.boolean(),
		companyLeadsTotal: fc.constantFrom('total', 'total_results'),
	});
	const property = fc.asyncProperty(given, async (one) => {
		const { parameters, isFiltered, pageCap, companyLeadsTotal } = one;
		const filter = { title: 'manager', location: 'Kyoto, Bristol', locationMatch: 'any' };
		const asked = isFiltered && { title: 'manager', location: '{Kyoto,Bristol}' };
		const isMatch = ({ title, location }: (typeof employees)[number]) =>
			!isFiltered || (title.includes('Manager') && /Kyoto|Bristol/.test(location));
		service().reset();
		forgetRecentAnswers();
		Object.assign(service().variants, { companyLeadsTotal });
		Object.assign(service().options, { pageCap });
		const { json } = await companyLeads({ ...parameters, ...(isFiltered && filter) });
		const limit = most(parameters, 10);
		const expected = some(employees, isMatch).slice(0, limit);
		expect(namesOf(json)).toEqual(expected.map(({ full }) => full));
		expect(requestCount()).toBe(Math.ceil(expected.length / Math.min(150, pageCap)));
		expectSizes(limit, expected.length, 150, pageCap);
		for (const [name, value] of Object.entries({ ...asked, companyWebsite: company.domain })) {
			expect(new Set(sent(name))).toEqual(new Set([value]));
		}
	});
	await fc.assert(property, { numRuns });
});

test('Email and Keyword are read for each item: no filter leaks', async () => {
	service().options.pageCap = 80;
	const wanted = (['all', 'with', 'without'] as const).flatMap((email) =>
		['Manager', 'Director', ''].map((keyword) => ({ email, keyword })),
	);
	const { items } = await listLeads(
		{ limit: 120, options: { email: '={{ $json.email }}', keyword: '={{ $json.keyword }}' } },
		{ items: wanted },
	);
	wanted.forEach(({ email, keyword }, item) => {
		const own = items.filter(({ pairedItem }) => Object(pairedItem).item === item);
		const expected = titled(keyword, byEmail[email]).slice(0, 120);
		expect(idsOf(own.map(({ json }) => json))).toEqual(idsOf(expected));
	});
});

test('with a keyword: leads that are read and deleted then hide none that are unread', async () => {
	const pageCap = 50;
	service().options.pageCap = pageCap;
	const keyword = 'Manager';
	const pages = Math.ceil(titled(keyword).length / pageCap);
	expect(pages).toBeGreaterThan(2);
	// Those of the first pages, while the last page but one is asked for.
	const read = new Set(idsOf(titled(keyword).slice(0, (pages - 2) * pageCap)));
	const { leads } = known(service().fixtures.list(101));
	const remove = () => leads.splice(0, Infinity, ...leads.filter(({ id }) => !read.has(id)));
	whenSent(service(), pages - 1, remove);
	const { json, error } = await listLeads({ ...everyPage, options: { keyword } });
	expect(error).toBeUndefined();
	expect(idsOf(json)).toEqual(idsOf(titled(keyword)));
});

describe('a service', () => {
	const serve = useServer();

	/** A page of it, counted from 1, from a place on. */
	type PageAt = (page: number, start: number) => object;

	const people = numbers(10).map((number) => ({ full_name: `Ann Test ${number}` }));
	const allTen = people.map(({ full_name: fullName }) => ({ fullName }));
	const acme = { name: 'Acme', domain: 'acme.example' };
	const others = { name: 'Others', domain: 'others.example' };
	const ofAcme = allTen
		.slice(0, 3)
		.map((one) => ({ ...one, company: 'Acme', domain: 'acme.example' }));

	/** Four people from a place on. */
	const fewer: PageAt = (_, start) => ({
		meta: {
			total_all: start > 0 ? 8 : 10,
			next_results_id: start + 4 < people.length ? String(start + 4) : null,
		},
		results: people.slice(start, start + 4),
	});

	/** Three pages of one person each, on some of which the company is named. */
	const naming =
		(companies: unknown[]): PageAt =>
		(page) => ({
			meta: { total_all: 3, ...(page < 3 && { next_results_id: `${page}` }) },
			company: companies[page - 1],
			results: [people[page - 1]],
		});

	/** Two pages in turn, under ever new ids. */
	const inTurn: PageAt = (page) => ({
		meta: page < 50 ? { next_results_id: `page-${page}` } : {},
		results: [people[page % 2]],
	});
	const [first, second] = allTen;
	const lookupMessage = expect.stringContaining('without new results');
	const both = [second, first, { lookupStatus: 'failed', lookupMessage }];

	const ended: PageAt = () => ({ count_results: 9, data: [{ id: 2 }, { id: 1 }] });

	test.each<[string, Read, PageAt, expected: object[], pages: number]>([
		['that counts fewer and fewer: all are read', companyLeads, fewer, allTen, 3],
		...[
			[acme, acme, undefined],
			[acme, acme, {}],
			[acme, acme, null],
			[undefined, acme, others],
			[{}, acme, undefined],
		].map((companies): [string, Read, PageAt, object[], number] => [
			`that names the company on some pages, ${JSON.stringify(companies)}: all have it`,
			...([companyLeads, naming(companies), ofAcme, 3] as const),
		]),
		['that gives two pages in turn: says so at the first again', companyLeads, inTurn, both, 3],
		['that says no next_start: that page is the last', listLeads, ended, [{ id: 2 }, { id: 1 }], 1],
	])('%s', async (_, read, pageAt, expected, most) => {
		let pages = 0;
		const baseUrl = await serve((request, response) => {
			const query = queryOf(request);
			const start = Number(query.get('nextId') ?? query.get('start') ?? 0);
			giveJson(response, pageAt(++pages, start));
		});
		const credential = { baseUrl, apiKey: 'test-key' };
		const { json } = await read(everyPage, { credential, onError: 'continueRegularOutput' });
		expect(json).toMatchObject(expected);
		expect(pages).toBe(most);
	});
});
