import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { startService, type Service } from '../../service/service.mts';
import type { WireRequest } from '../../service/wireLog.mts';
import { ask, json, query } from './ask.mts';

const verify = '/v3/verify?email=a@one.example';
const people = ['Ann', 'Ben', 'Cleo', 'Dan'].map((firstName, tId) => ({
	tId,
	firstName,
	lastName: 'Lee',
	domain: 'big.bulk.example',
}));

let service: Service;

beforeAll(async () => {
	service = await startService();
});
beforeEach(() => service.reset());
afterAll(() => service.close());

async function statuses(count: number, path = '/api/v2/account'): Promise<number[]> {
	const seen: number[] = [];
	for (let index = 0; index < count; index++) seen.push((await ask(service, path)).status);
	return seen;
}

describe('a trigger', () => {
	it.each([
		[{ nth: 2 }, [200, 503, 200, 200]],
		[{ every: 2 }, [200, 503, 200, 503]],
		[{ times: 2 }, [503, 503, 200, 200]],
		[{ every: 2, times: 1 }, [200, 503, 200, 200]],
		[{ operation: 'getLists' }, [200, 200, 200, 200]],
		[{ where: ({ path }: WireRequest) => path.endsWith('/list') }, [200, 200, 200, 200]],
		[{ where: ({ method }: WireRequest) => method === 'GET' }, [503, 503, 503, 503]],
		[{}, [503, 503, 503, 503]],
	] as const)('%o picks requests', async (on, expected) => {
		service.faults.add({ on, status: 503 });
		expect(await statuses(4)).toEqual(expected);
		expect(service.requests.map(({ status }) => status)).toEqual(expected);
	});

	it('counts the requests of its operation only', async () => {
		service.faults.add({ on: { operation: 'getLists', nth: 1 }, status: 500 });
		expect(await statuses(1)).toEqual([200]);
		expect(await statuses(2, '/api/v2/list')).toEqual([500, 200]);
	});
});

describe('faults that each decide the answer', () => {
	it('take turns', async () => {
		service.faults.add({ on: { times: 1 }, status: 500 });
		service.faults.add({ on: { times: 1 }, status: 502 });
		expect(await statuses(3)).toEqual([500, 502, 200]);
	});
});

describe('a status', () => {
	it.each([403, 408, 409, 429, 500, 502, 503, 504])(
		'%i comes with an error body, free',
		async (status) => {
			service.faults.add({ status });
			const body = await json(service, verify, { status });
			expect(body.message).toEqual(expect.any(String));
			expect(service.ledger.total()).toBe(0);
			expect(service.violations).toEqual([]);
		},
	);

	it('says when to come back, in seconds, as a date, nonsensically or not at all', async () => {
		const interval = async (): Promise<string> =>
			String((await ask(service, verify)).headers['retry-after']);
		for (const retryAfter of ['seconds', 'date', 'nonsense'] as const) {
			service.faults.add({ on: { times: 1 }, status: 429, retryAfter, seconds: 7 });
		}
		service.faults.add({ status: 429 });
		expect(await interval()).toBe('7');
		const until = Date.parse(await interval()) - Date.now();
		expect(until).toBeGreaterThan(6_000);
		expect(until).toBeLessThan(8_000);
		expect(Date.parse(await interval())).toBeNaN();
		expect(await interval()).toBe('undefined');
	});
});

describe('a connection', () => {
	it('is reset before the charge', async () => {
		service.faults.add({ reset: 'before-charge' });
		await expect(ask(service, verify)).rejects.toMatchObject({ code: 'ECONNRESET' });
		expect(service.ledger.total()).toBe(0);
		expect(service.requests).toMatchObject([{ status: null }]);
	});

	it('is reset after the charge', async () => {
		service.faults.add({ on: { times: 1 }, reset: 'after-charge' });
		await expect(ask(service, verify)).rejects.toMatchObject({ code: 'ECONNRESET' });
		expect(service.ledger.total()).toBe(1);
		expect(service.requests).toMatchObject([{ status: null }]);
		expect((await ask(service, verify)).status).toBe(200);
	});

	it('ends in the middle of an answer', async () => {
		service.faults.add({ body: 'cut-off' });
		await expect(ask(service, verify)).rejects.toMatchObject({
			code: 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
		});
	});
});

describe('a body', () => {
	it('is cut in half with a length that fits', async () => {
		const whole = await ask(service, verify);
		service.faults.add({ body: 'truncated' });
		const half = await ask(service, verify);
		expect(half.status).toBe(200);
		expect(half.headers['content-length']).toBe(String(half.text.length));
		expect(whole.text.startsWith(half.text)).toBe(true);
		expect(() => JSON.parse(half.text)).toThrow(SyntaxError);
	});

	it.each([
		['html', 200, 'text/html; charset=utf-8', /^<!doctype html>/],
		['html', 404, 'text/html; charset=utf-8', /^<!doctype html>/],
		['text', 502, 'text/plain; charset=utf-8', /^Something/],
		['json-scalar', 200, 'application/json; charset=utf-8', /^42$/],
		['empty', 200, 'application/json; charset=utf-8', /^$/],
	] as const)('is %s with status %i', async (body, status, type, text) => {
		service.faults.add({ body, status });
		const reply = await ask(service, verify);
		expect(reply).toMatchObject({ status, headers: { 'content-type': type } });
		expect(reply.text).toMatch(text);
		expect(service.requests).toMatchObject([{ status }]);
	});

	it('is any JSON text, as it is', async () => {
		service.faults.add({ body: { json: '{"__proto__":1e400}' }, status: 402 });
		const reply = await ask(service, verify);
		const type = 'application/json; charset=utf-8';
		expect(reply).toMatchObject({ status: 402, headers: { 'content-type': type } });
		expect(reply.text).toBe('{"__proto__":1e400}');
		expect(service.violations).toEqual([]);
	});

	it('costs a credit only if the fault says so', async () => {
		service.faults.add({ on: { nth: 1 }, body: 'html' });
		service.faults.add({ on: { nth: 2 }, body: 'html', charge: true });
		await ask(service, verify);
		expect(service.ledger.total()).toBe(0);
		await ask(service, verify);
		expect(service.ledger.total()).toBe(1);
	});
});

describe('a redirect', () => {
	it('leads elsewhere', async () => {
		service.faults.add({ redirect: 'https://elsewhere.example/' });
		const reply = await ask(service, verify);
		expect(reply).toMatchObject({
			status: 302,
			headers: { location: 'https://elsewhere.example/' },
		});
		expect(service.ledger.total()).toBe(0);
	});
});

describe('pages', () => {
	it('repeat for ever', async () => {
		service.faults.add({ repeatCursor: true });
		const path = '/api/v2/list/101/leads?size=10';
		const { next_start: start } = await json(service, path);
		const second = await json(service, `${path}&start=${start}`);
		expect(second.next_start).toBe(start);
		expect(second.data).toHaveLength(10);

		const [company] = service.fixtures.companies;
		const leads = `/profile/search/email?${query({ companyName: company?.name ?? '', size: 150 })}`;
		const { meta } = await json(service, leads);
		const next = await json(service, `${leads}&nextId=${meta.next_results_id}`);
		expect(next.meta.next_results_id).toBe(meta.next_results_id);
	});

	it.each(['id', 'offset'] as const)('overlap by one lead with start as %s', async (leadsStart) => {
		service.variants.leadsStart = leadsStart;
		service.faults.add({ duplicatesAcrossPages: true });
		const path = '/api/v2/list/102/leads?size=10';
		const ids: number[] = [];
		for (let start = ''; ids.length < 33; ) {
			const page = await json(service, path + start);
			ids.push(...page.data.map(({ id }: { id: number }) => id));
			start = `&start=${page.next_start}`;
		}
		expect(new Set(ids).size).toBe(30);
		expect(ids[9]).toBe(ids[10]);
		expect(ids[19]).toBe(ids[20]);
	});
});

describe('bulk rows', () => {
	it.each([
		['missing', [0, 1, 2]],
		['doubled', [0, 0, 1, 2, 3]],
		['unknown', [0, 1, 2, 3, 'nobody-asked-for-this']],
		['shuffled', [3, 2, 1, 0]],
	] as const)('are %s', async (rows, expected) => {
		service.faults.add({ rows });
		const answer = await json(service, '/api/v2/find_bulk', { body: people });
		expect(answer.map(({ tId }: { tId: unknown }) => tId)).toEqual(expected);
		expect(service.violations).toEqual([]);
	});

	it('are spoilt in a job and by the verifier too', async () => {
		Object.assign(service.variants, { bulkAnswer: 'job', jobPolls: 0 });
		service.faults.add({ on: { operation: 'getBulkJob' }, rows: 'missing' });
		service.faults.add({ on: { operation: 'verifyBulk' }, rows: 'unknown' });
		const { id } = await json(service, '/api/v2/find_bulk', { body: people, status: 202 });
		expect(await json(service, `/api/v2/find_bulk/${id}`)).toHaveLength(3);
		const verified = await json(service, '/v3/verify_bulk?email=a@one.example');
		expect(verified.map(({ email }: { email: string }) => email)).toEqual([
			'a@one.example',
			'nobody@unasked.example',
		]);
	});
});
