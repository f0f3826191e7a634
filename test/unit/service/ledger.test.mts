import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { expectedEmail } from '../../service/addresses.mts';
import { startService, type Service } from '../../service/service.mts';
import { ask, json, query } from './ask.mts';

const domain = 'big.bulk.example';
const everybody = Array.from({ length: 100 }, (_, index) => `Lee${index}`);
const found = everybody.filter((last) => expectedEmail('Ann', last, domain));
const [hit = ''] = found;
const miss = everybody.find((last) => !expectedEmail('Ann', last, domain)) ?? '';

let service: Service;

beforeAll(async () => {
	service = await startService();
});
beforeEach(() => service.reset());
afterEach(() => expect(service.violations).toEqual([]));
afterAll(() => service.close());

const find = (lastName: string): string =>
	`/api/v2/find?${query({ firstName: 'Ann', lastName, domain })}`;
const rows = (lastNames: string[]) =>
	lastNames.map((lastName, tId) => ({ tId, firstName: 'Ann', lastName, domain }));
const bulk = (lastNames: string[], status = 200) =>
	json(service, '/api/v2/find_bulk', { body: rows(lastNames), status });

describe('the ledger', () => {
	it('has one credit per address found and none for a miss', async () => {
		await ask(service, find(hit));
		await ask(service, find(miss));
		expect(service.ledger.charges).toEqual([
			{
				at: expect.any(Number),
				account: 'test-key',
				operation: 'find',
				subject: expectedEmail('Ann', hit, domain)?.email,
				credits: 1,
				requestId: service.requests[0]?.id,
			},
		]);
	});

	it('adds up what operations cost', async () => {
		await bulk(everybody);
		await ask(service, '/v3/verify?email=nonsense');
		await ask(service, '/v3/verify_bulk?email=a@one.example&email=b@one.example');
		await ask(service, '/company/search?kw=hazel');
		await ask(service, '/api/v2/list/102/leads');
		const { ledger } = service;
		expect(ledger.total('findBulk')).toBe(found.length);
		expect(ledger.total('verify')).toBe(1);
		expect(ledger.total('verifyBulk')).toBe(2);
		expect(ledger.total('searchCompany')).toBe(1);
		expect(ledger.total()).toBe(found.length + 4);
		expect(ledger.spent('test-key', 'verifier')).toBe(3);
		expect(ledger.spent('second-key', 'verifier')).toBe(0);
	});

	it('tells what was paid for twice', async () => {
		await ask(service, '/v3/verify?email=a@one.example');
		await ask(service, '/v3/verify?email=a@one.example');
		await ask(service, '/v3/verify?email=b@one.example');
		expect(service.ledger.bySubject()).toEqual(
			new Map([
				['a@one.example', 2],
				['b@one.example', 1],
			]),
		);
	});
});

describe('credits that run out', () => {
	it('are refused with what is left, until topped up', async () => {
		service.options.creditsLeft = { email: 1 };
		await json(service, find(hit));
		expect(await json(service, find(hit), { status: 402 })).toEqual({
			error: 'insufficient_credits',
			message: expect.any(String),
			remaining: 0,
		});
		await json(service, '/v3/verify?email=a@one.example');
		service.ledger.topUp(1);
		await json(service, find(hit));
		expect(service.ledger.total('find')).toBe(2);
	});

	it('refuse a bulk request as a whole', async () => {
		service.options.creditsLeft = { email: found.length - 1, verifier: 1 };
		expect(await bulk(everybody, 402)).toMatchObject({ remaining: found.length - 1 });
		expect(service.ledger.total()).toBe(0);
		expect(await bulk(found.slice(1))).toHaveLength(found.length - 1);
		await bulk([miss], 402);
		const two = '/v3/verify_bulk?email=a@one.example&email=b@one.example';
		expect(await json(service, two, { status: 402 })).toMatchObject({ remaining: 1 });
	});

	it('are never overdrawn by requests at once', async () => {
		service.options.creditsLeft = { email: 5 };
		service.options.latencyMs = 5;
		const replies = await Promise.all(found.slice(0, 20).map((last) => ask(service, find(last))));
		expect(replies.filter(({ status }) => status === 200)).toHaveLength(5);
		expect(service.ledger.total()).toBe(5);
	});

	it('are worded differently in a variant', async () => {
		service.options.creditsLeft = { search: 0 };
		service.variants.paymentWording = 'refused';
		const refusal = await json(service, '/company/search?kw=hazel', { status: 402 });
		expect(refusal.error).toBe('request_failed');
		expect(refusal).not.toHaveProperty('remaining');
	});
});
