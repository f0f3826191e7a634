import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { startService, type Service } from '../../service/service.mts';
import type { Variants } from '../../service/variants.mts';
import { ask, json, key, query, type Question } from './ask.mts';

let service: Service;

beforeAll(async () => {
	service = await startService();
});
beforeEach(() => service.reset());
afterAll(() => service.close());

const person = { firstName: 'Ann', lastName: 'Lee', domain: 'big.bulk.example' };
const row = { name: 'Ann Lee', domain: 'big.bulk.example' };
const addresses = (count: number): string[] =>
	Array.from({ length: count }, (_, index) => `a${index}@one.example`);

interface Breach extends Question {
	path: string;
	variants?: Partial<Variants>;
	/** What the answer names. */
	names: string;
}

const find = (values: Record<string, string>): string => `/api/v2/find?${query(values)}`;
const bulk = (body: unknown): Question & { path: string } => ({ path: '/api/v2/find_bulk', body });
const repeat = (emails: string[]): string => emails.map((email) => query({ email })).join('&');
const leads = (values: Record<string, string>): string =>
	`/profile/search/email?${query({ companyName: 'Hazel Law', ...values })}`;

const breaches: Record<string, Breach> = {
	'an unknown query parameter': { path: '/api/v2/account?debug=1', names: 'debug' },
	'an unknown parameter of the finder': { path: find({ ...person, title: 'CEO' }), names: 'title' },
	'a first name alone': {
		path: find({ firstName: 'Ann', domain: 'a.example' }),
		names: 'lastName',
	},
	'a full name with half a name': {
		path: find({ fullName: 'Ann Lee', firstName: 'Ann', domain: 'a.example' }),
		names: 'firstName',
	},
	'no name': { path: find({ domain: 'a.example' }), names: 'fullName' },
	'no company': { path: find({ fullName: 'Ann Lee' }), names: 'domain' },
	'an empty name': { path: find({ ...person, lastName: '' }), names: 'lastName' },
	'a blank domain': { path: find({ ...person, domain: ' ' }), names: 'domain' },
	'a name sent twice': { path: `${find(person)}&lastName=Loo`, names: 'lastName' },
	'a flag that is none': { path: find({ ...person, includeCompanyData: 'yes' }), names: 'boolean' },
	'the other name of the company': {
		path: find({ fullName: 'Ann Lee', companyName: 'Hazel Law' }),
		names: 'companyName',
	},
	'the main name of the company in the variant': {
		path: find({ fullName: 'Ann Lee', company: 'Hazel Law' }),
		variants: { finderCompanyParameter: 'companyName' },
		names: 'company',
	},
	'a list that is no number': { path: '/api/v2/list/spring', names: 'listId' },
	'too large a page of leads': { path: '/api/v2/list/101/leads?size=501', names: 'size' },
	'too large a page for the variant': {
		path: '/api/v2/list/101/leads?size=101',
		variants: { leadsMaxSize: 100 },
		names: 'size',
	},
	'a page of nothing': { path: '/api/v2/list/101/leads?size=0', names: 'size' },
	'a negative start': { path: '/api/v2/list/101/leads?start=-1', names: 'start' },
	'an empty keyword': { path: '/api/v2/list/101/leads?kw=', names: 'kw' },
	'over 100 rows': {
		...bulk(Array.from({ length: 101 }, (_, tId) => ({ tId, ...row }))),
		names: '100',
	},
	'no rows': { ...bulk([]), names: 'fewer than 1' },
	'an unknown field in a row': { ...bulk([{ ...row, email: 'a@b.example' }]), names: 'email' },
	'a number for a name': { ...bulk([{ ...row, name: 5 }]), names: 'body/0/name' },
	'a null in a row': { ...bulk([{ ...row, country: null }]), names: 'country' },
	'an empty text in a row': { ...bulk([{ ...row, country: '' }]), names: 'country' },
	'a row without a company': { ...bulk([{ name: 'Ann Lee' }]), names: 'domain' },
	'the same row id twice': {
		...bulk([
			{ tId: 1, ...row },
			{ tId: '1', ...row },
		]),
		names: 'tId',
	},
	'people where an array is due': { ...bulk({ people: [row] }), names: 'array' },
	'an array where people are due': {
		...bulk([row]),
		variants: { bulkBody: 'people' },
		names: 'people',
	},
	'broken JSON': { ...bulk('[{'), names: 'JSON' },
	'another content type': {
		...bulk([row]),
		headers: { 'content-type': 'text/plain' },
		names: 'Media Type',
	},
	'a parameter next to a body': { ...bulk([row]), path: '/api/v2/find_bulk?x=1', names: '(x)' },
	'a poll without a number': { path: '/api/v2/find_bulk', names: 'id' },
	'no address': { path: '/v3/verify', names: 'email' },
	'an empty address': { path: '/v3/verify?email=', names: 'email' },
	'an empty address among others': {
		path: '/v3/verify_bulk?email=a@b.example&email=',
		names: 'email/1',
	},
	'over 50 addresses': { path: `/v3/verify_bulk?${repeat(addresses(51))}`, names: '50' },
	'over 50 addresses with commas': {
		path: `/v3/verify_bulk?${query({ email: addresses(51).join(',') })}`,
		variants: { verifyBulkQuery: 'comma' },
		names: '50',
	},
	'an empty address between commas': {
		path: '/v3/verify_bulk?email=a@b.example,,c@d.example',
		variants: { verifyBulkQuery: 'comma' },
		names: 'empty',
	},
	'commas where addresses are repeated': {
		path: '/v3/verify_bulk?email=a@b.example,c@d.example',
		names: 'comma',
	},
	'repeated addresses where commas are due': {
		path: `/v3/verify_bulk?${repeat(addresses(2))}`,
		variants: { verifyBulkQuery: 'comma' },
		names: 'repeated',
	},
	'too large a page of company leads': { path: leads({ size: '151' }), names: 'size' },
	'company leads without a company': {
		path: '/profile/search/email?size=5',
		names: 'companyWebsite',
	},
	'an encoded plus between keywords': { path: leads({ title: 'sales+manager' }), names: 'title' },
	'a brace left open': { path: leads({ location: '{Kyoto,Austin' }), names: 'location' },
	'an empty word in a list': { path: leads({ title: '{sales,}' }), names: 'title' },
	'a page nobody offered': { path: leads({ nextId: 'abc' }), names: 'nextId' },
	'a company search without a word': { path: '/company/search', names: 'kw' },
	'no Accept header': {
		path: '/api/v2/account',
		headers: { accept: '*/*' },
		names: 'application/json',
	},
	'a GET with a body': { path: '/api/v2/account', method: 'GET', body: {}, names: 'body' },
	'the key in another header': {
		path: '/api/v2/account',
		headers: { authorization: `Bearer ${key}` },
		names: 'headers/authorization',
	},
	'the key in the query string': { path: find({ ...person, country: key }), names: 'query string' },
	'the key in a body': { ...bulk([{ ...row, country: key }]), names: 'body' },
	'a wrong key elsewhere too': {
		path: find({ ...person, country: 'mistyped-key' }),
		headers: { 'x-access-key': 'mistyped-key' },
		names: 'query string',
	},
};

describe('a breach of the contract', () => {
	it.each(Object.entries(breaches))('is %s', async (_, breach) => {
		const { path, variants, names, ...question } = breach;
		Object.assign(service.variants, variants);
		const refusal = await json(service, path, { ...question, status: 400 });
		expect(refusal.error).toBe('contract_violation');
		expect(refusal.violations.join('\n')).toContain(names);
		expect(service.violations).toEqual([
			expect.objectContaining({
				kind: 'request',
				requestId: service.requests[0]?.id,
				problems: refusal.violations,
			}),
		]);
		expect(service.ledger.charges).toEqual([]);
	});

	it.each([
		['GET', '/v2/account'],
		['POST', '/api/v2/account'],
	] as const)('is a path outside the document: %s %s', async (method, path) => {
		const body = method === 'POST' ? {} : undefined;
		await json(service, path, { method, body, status: 404 });
		expect(service.violations).toMatchObject([{ kind: 'request', path, operation: null }]);
	});

	it('is told before any fault has its turn', async () => {
		service.faults.add({ status: 503 });
		await json(service, find({ fullName: 'Ann Lee' }), { status: 400 });
		await json(service, find(person), { status: 503 });
	});

	it('is none of: a plus for a space, lists of keywords, a content type on a GET', async () => {
		for (const path of [
			'/profile/search/email?companyName=hazel+law&title=sales+manager',
			'/profile/search/email?companyName=hazel%20law&title=%7Bsales,growth%20marketing%7D',
			'/api/v2/account',
		]) {
			await json(service, path, { headers: { 'content-type': 'application/json' } });
		}
		expect(service.violations).toEqual([]);
	});
});

describe('a breach by the emulator itself', () => {
	it('is answered 500 and recorded', async () => {
		const broken = await startService();
		const [list] = broken.fixtures.lists;
		if (list) list.createdAt = 'yesterday';
		const reply = await ask(broken, '/api/v2/list/101');
		await broken.close();
		expect(reply.status).toBe(500);
		expect(broken.violations).toMatchObject([
			{
				kind: 'response',
				operation: 'getList',
				problems: expect.arrayContaining([
					expect.stringContaining('creation_date must match pattern'),
				]),
			},
		]);
	});
});
