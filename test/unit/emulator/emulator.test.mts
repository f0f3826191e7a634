/**
 * @file The emulator keeps to the contract, takes every form and is never overdrawn. What its faults do, what it charges
 * and logs, and its jobs, the tests of the nodes see: faultMatrix, jobs and operations in test/engine.
 */

import { request } from 'undici';
import { describe, expect, it, vi } from 'vitest';

import { expectedEmail, expectedVerification } from '../../emulator/addresses.mts';
import { Fixtures } from '../../emulator/fixtures.mts';
import { variantValues, type Variants } from '../../emulator/variants.mts';
import { KEY, useService } from '../../support/servers/service.mts';

const service = useService();

interface Question {
	method?: 'GET' | 'POST';
	headers?: Record<string, string>;
	body?: unknown;
}

/** Sends one request as a well-behaved client does; what is given replaces its headers. */
async function ask(path: string, { body, headers, ...question }: Question = {}) {
	const answer = await request(service().baseUrl + path, {
		method: body === undefined ? 'GET' : 'POST',
		headers: {
			'x-access-key': KEY,
			accept: 'application/json',
			...(body !== undefined && { 'content-type': 'application/json' }),
			...headers,
		},
		body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
		...question,
	});
	const text = await answer.body.text();
	return { status: answer.statusCode, headers: answer.headers, text, json: () => JSON.parse(text) };
}

async function statuses(count: number, path = account): Promise<number[]> {
	const seen: number[] = [];
	for (let index = 0; index < count; index++) seen.push((await ask(path)).status);
	return seen;
}

/** A path with a query string in which every value is percent-encoded. */
const at = (path: string, query: Record<string, string>): string =>
	`${path}?${new URLSearchParams(query)}`;

const domain = 'big.bulk.example';
const account = '/api/v2/account';
const leads = '/api/v2/list/101/leads';
const bulk = '/api/v2/find_bulk';
const verifyBulk = '/v3/verify_bulk';
const profiles = '/profile/search/email';
const find = (query: Record<string, string>): string => at('/api/v2/find', query);
const row = { name: 'Ann Lee', domain };
const emails = Array.from({ length: 51 }, (_, index) => `a${index}@one.example`);
const ann = (lastName: string) => ({ firstName: 'Ann', lastName, domain });
const everybody = Array.from({ length: 100 }, (_, index) => `Lee${index}`);
const emailOf = (lastName: string) => expectedEmail('Ann', lastName, domain)?.email;
const found = everybody.filter(emailOf);
const [hit] = found;
const comma = { verifyBulkQuery: 'comma' } as const;

describe('a breach of the contract is refused, recorded and free', () => {
	it.each<[names: string, path: string, question?: Question, variants?: Partial<Variants>]>([
		// By the document.
		['(debug)', `${account}?debug=1`],
		["'lastName'", find({ firstName: 'Ann', domain })],
		['more than 100 items', bulk, { body: Array(101).fill(row) }],
		['body/0 must NOT have additional', bulk, { body: [{ ...row, email: 'a@b.example' }] }],
		['not valid JSON', bulk, { body: '[{' }],
		['more than 50 items', `${verifyBulk}?email=${emails.join('&email=')}`],
		['querystring/title', at(profiles, { companyName: 'Hazel Law', title: 'sales+manager' })],
		['is not in the document', '/v2/account'],
		// By the variants.
		['companyName is called company', find({ fullName: 'A', companyName: 'B' })],
		['size is over 100', `${leads}?size=101`, {}, { leadsMaxSize: 100 }],
		['the same tId', bulk, { body: [1, '1'].map((tId) => ({ tId, ...row })) }],
		['not in the form people', bulk, { body: [row] }, { bulkBody: 'people' }],
		['over 50 addresses', at(verifyBulk, { email: emails.join() }), {}, comma],
		['a comma list, but', `${verifyBulk}?email=a@b.example,c@d.example`],
		['repeated, but', `${verifyBulk}?email=a@b.example&email=c@d.example`, {}, comma],
		// By its way here.
		['headers/accept', account, { headers: { accept: '*/*' } }],
		['a GET request has a body', account, { method: 'GET', body: {} }],
		['its header: headers/auth', account, { headers: { authorization: `Bearer ${KEY}` } }],
		['its header: query string', find({ ...row, fullName: 'A', country: KEY })],
		['its header: body', bulk, { body: [{ ...row, country: KEY }] }],
		[
			'its header: path',
			'/api/v2/list/mistyped-key',
			{ headers: { 'x-access-key': 'mistyped-key' } },
		],
	])('%s: %s', async (names, path, question, variants) => {
		Object.assign(service().variants, variants);
		service().faults.add({ status: 503 });
		const { status, text } = await ask(path, question);
		expect(status).toBe(path === '/v2/account' ? 404 : 400);
		const violations = service().violations.splice(0);
		expect(violations).toMatchObject([{ kind: 'request', requestId: service().requests[0].id }]);
		expect(violations[0].problems.join()).toContain(names);
		if (status === 400) expect(JSON.parse(text).violations).toEqual(violations[0].problems);
		expect(service().ledger.charges).toEqual([]);
	});

	it.each([
		`${profiles}?companyName=hazel+law&title=sales+manager`,
		at(profiles, { companyName: 'Hazel Law', title: '{sales,growth marketing}' }),
	])('but not: %s', async (path) => {
		const { status } = await ask(path, { headers: { 'content-type': 'application/json' } });
		expect(status).toBe(200);
	});

	it('also by the emulator itself', async () => {
		service().fixtures.lists[0].createdAt = 'yesterday';
		expect((await ask('/api/v2/list/101')).status).toBe(500);
		const [{ kind, problems }] = service().violations.splice(0);
		expect([kind, problems[0]]).toEqual(['response', expect.stringContaining('creation_date')]);
	});
});

describe('every form of the interface differs from the others, and keeps to the document', () => {
	const { people } = new Fixtures();
	const isValid = (email = '') => expectedVerification(email).email_status === 'valid';
	const [found] = people.filter(({ email }) => email && isValid(email));
	const [missed] = people.filter(({ email }) => email === null);
	const [who, nobody] = [found, missed].map(({ full: name, company }) => ({
		name,
		domain: company.domain,
	}));
	const rows = [
		{ ...who, tId: 7 },
		{ ...nobody, tId: '8' },
	];
	const paths = [
		...[account, '/api/v2/list', '/api/v2/list/101'],
		...[
			leads,
			'/api/v2/list/102/leads?size=101',
			`${leads}?kw=manager&size=2`,
			`${leads}?size=2&start=60000`,
		],
		...[who, nobody].map(({ name, domain }) => find({ fullName: name, domain })),
		find({ fullName: who.name, domain: who.domain, includeCompanyData: 'true' }),
		find({ fullName: who.name, companyName: found.company.name }),
		...[1, 2, 3].flatMap(() => [`${bulk}/9001`, `${bulk}?id=9001`]),
		...[at('/v3/verify', { email: found.email ?? '', enrich: 'true' }), '/v3/verify'],
		...[verifyBulk, bulk].map((path) => `${path}?email=a@b.example`),
		`${verifyBulk}?email=a@b.example,c@d.example`,
		...['/company/search', '/lwh/company/search'].map((path) => at(path, { kw: who.domain })),
		at(profiles, { companyName: found.company.name, size: '3' }),
	];
	const questions: Array<[path: string, question?: Question]> = [
		[find({ fullName: 'Ann Lee', domain }), { headers: { 'x-access-key': 'free-key' } }],
		[bulk, { body: rows }],
		[bulk, { body: { people: rows } }],
		...paths.map((path): [string] => [path]),
	];

	it.each(Object.entries(variantValues))('%s: %o', async (name, values) => {
		const seen = new Set<string>();
		for (const value of values) {
			service().reset();
			// What it says of jobs can be seen only where there are some.
			const bulkAnswer = name.startsWith('job') ? 'job' : 'rows';
			Object.assign(service().variants, { bulkAnswer, [name]: value });
			const answers: string[] = [];
			for (const [path, question] of questions) answers.push((await ask(path, question)).text);
			seen.add(answers.join('\n'));
			const violations = service().violations.splice(0);
			expect(violations.filter(({ kind }) => kind === 'response')).toEqual([]);
		}
		expect(seen.size).toBe(values.length);
	});
});

describe('a fault', () => {
	it('repeats the key, as pages for debugging do', async () => {
		service().faults.add({ body: 'echo' });
		expect((await ask(account)).text).toContain(KEY);
	});

	it.each(['id', 'offset'] as const)('makes pages overlap: start is an %s', async (leadsStart) => {
		service().variants.leadsStart = leadsStart;
		service().faults.add({ duplicatesAcrossPages: true });
		const ids: number[] = [];
		let start = '';
		for (const _ of [1, 2, 3, 4]) {
			const page = (await ask(`/api/v2/list/102/leads?size=10${start}`)).json();
			ids.push(...page.data.map(({ id }: { id: number }) => id));
			start = `&start=${page.next_start}`;
		}
		expect([new Set(ids).size, ids[9], ids[19]]).toEqual([30, ids[10], ids[20]]);
	});

	it.each([
		['missing', [0, 1, 2]],
		['doubled', [0, 0, 1, 2, 3]],
		['unknown', [0, 1, 2, 3, 'nobody-asked-for-this']],
		['shuffled', [3, 2, 1, 0]],
		['half', [0, 1]],
		['from zero', [-1, 0, 1, 2]],
		['swapped', [1, 0, 2, 3]],
		['decimal', ['0.0', '1.0', '2.0', '3.0']],
	] as const)('makes rows %s', async (rows, expected) => {
		service().faults.add({ rows });
		const answer = await ask(bulk, { body: [0, 1, 2, 3].map((tId) => ({ ...row, tId })) });
		expect(answer.json().map(({ tId }: { tId: unknown }) => tId)).toEqual(expected);
	});
});

it('credits are never overdrawn, a bulk request is refused as a whole, and they can be topped up', async () => {
	const { options, ledger, variants } = service();
	options.creditsLeft = { email: found.length - 1 };
	const refused = await ask(bulk, { body: everybody.map(ann) });
	expect([refused.status, refused.json().remaining]).toEqual([402, found.length - 1]);
	expect(ledger.total()).toBe(0);
	options.latencyMs = 5;
	const replies = await Promise.all(found.map((lastName) => ask(find(ann(lastName)))));
	expect(replies.filter(({ status }) => status === 200)).toHaveLength(found.length - 1);
	const one = find(ann(hit));
	expect((await ask(one)).json()).toMatchObject({ error: 'insufficient_credits', remaining: 0 });
	expect(await statuses(1, '/v3/verify?email=a@one.example')).toEqual([200]);
	ledger.topUp(1);
	expect(await statuses(2, one)).toEqual([200, 402]);
	variants.paymentWording = 'refused';
	expect((await ask(one)).json()).not.toHaveProperty('remaining');
});

it('limits the rate per key', async () => {
	vi.useFakeTimers({ toFake: ['performance'] });
	service().options.rateLimit = { perSecond: 2, retryAfter: 'seconds' };
	expect(await statuses(3)).toEqual([200, 200, 429]);
	expect((await ask(account)).headers['retry-after']).toBe('1');
	expect((await ask(account, { headers: { 'x-access-key': 'second-key' } })).status).toBe(200);
	vi.advanceTimersByTime(1_000);
	expect(await statuses(3)).toEqual([200, 200, 429]);
	vi.useRealTimers();
});

it('states what a limit of windows still takes', async () => {
	vi.useFakeTimers({ toFake: ['performance'], now: 0 });
	service().options.rateLimit = { perSecond: 0.1, window: 20, retryAfter: 'seconds' };
	vi.advanceTimersByTime(20_000 - (performance.now() % 20_000) + 5_000);
	const stated = async () => {
		const { status, headers } = await ask(account);
		const { 'x-ratelimit-remaining': left, 'x-ratelimit-reset': reset } = headers;
		return [status, left, headers['retry-after'] ?? reset];
	};
	expect(await stated()).toEqual([200, '1', '15']);
	expect(await stated()).toEqual([200, '0', '15']);
	expect(await stated()).toEqual([429, '0', '15']);
	vi.advanceTimersByTime(15_000);
	expect(await stated()).toEqual([200, '1', '20']);
	vi.useRealTimers();
});

it('goes back to how it was started', async () => {
	const before = structuredClone({ ...service().variants, ...service().fixtures });
	Object.assign(service().variants, { accountShape: 'credits' });
	service().options.latencyMs = 1;
	service().faults.add({ status: 500 });
	service().fixtures.lists[0].leads[0].email = 'other@one.example';
	for (const values of [service().fixtures.accounts, service().fixtures.people]) values.pop();
	await ask('/v3/verify?email=a@one.example', { headers: { accept: '*/*' } });
	service().reset();
	expect({ ...service().variants, ...service().fixtures }).toEqual(before);
	expect([service().options, service().requests, service().violations]).toEqual([{}, [], []]);
	expect(await statuses(1)).toEqual([200]);
});
