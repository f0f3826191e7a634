import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { startService, type Service } from '../../service/service.mts';
import { ask, json } from './ask.mts';

let service: Service;

beforeAll(async () => {
	service = await startService({ variants: { accountShape: 'credits' }, pageCap: 5 });
});
beforeEach(() => service.reset());
afterAll(() => service.close());

describe('the wire log', () => {
	it('has every request as it came', async () => {
		await ask(service, '/v3/verify?email=a%40one.example&enrich=true', {
			headers: { 'user-agent': 'test' },
		});
		expect(service.requests).toMatchObject([
			{
				method: 'GET',
				path: '/v3/verify',
				rawQuery: 'email=a%40one.example&enrich=true',
				query: { email: 'a@one.example', enrich: true },
				headers: { 'user-agent': 'test', 'x-access-key': 'test-key' },
				status: 200,
				operation: 'verify',
				inFlight: 1,
			},
		]);
		const [request] = service.requests;
		expect(request?.finishedAt).toBeGreaterThanOrEqual(request?.startedAt ?? Infinity);
	});

	it('has bodies', async () => {
		const body = [{ name: 'Ann Lee', domain: 'big.bulk.example' }];
		await ask(service, '/api/v2/find_bulk', { body });
		expect(service.requests).toMatchObject([{ method: 'POST', operation: 'findBulk', body }]);
	});

	it('counts requests in flight', async () => {
		service.options.latencyMs = 30;
		await Promise.all([1, 2, 3].map(() => ask(service, '/api/v2/account')));
		expect(service.maxInFlight).toBe(3);
		await ask(service, '/api/v2/account');
		expect(service.requests.map(({ inFlight }) => inFlight)).toEqual([1, 2, 3, 1]);
	});
});

describe('options', () => {
	it('delay every answer, on top of which a fault delays one', async () => {
		service.options.latencyMs = 40;
		service.faults.add({ on: { nth: 2 }, delayMs: 60 });
		await ask(service, '/api/v2/account');
		await ask(service, '/api/v2/account');
		const [quick = 0, slow = 0] = service.requests.map(
			({ startedAt, finishedAt }) => (finishedAt ?? 0) - startedAt,
		);
		expect(quick).toBeGreaterThanOrEqual(35);
		expect(slow).toBeGreaterThanOrEqual(95);
	});

	it('limit the rate per key', async () => {
		service.options.rateLimit = { perSecond: 2, retryAfter: 'seconds' };
		const burst = await Promise.all([1, 2, 3, 4].map(() => ask(service, '/api/v2/account')));
		expect(burst.map(({ status }) => status).sort()).toEqual([200, 200, 429, 429]);
		expect(burst.find(({ status }) => status === 429)?.headers['retry-after']).toBe('1');
		const headers = { 'x-access-key': 'second-key' };
		expect((await ask(service, '/api/v2/account', { headers })).status).toBe(200);
		await new Promise((resolve) => setTimeout(resolve, 1_010));
		expect((await ask(service, '/api/v2/account')).status).toBe(200);
	});

	it('cap pages', async () => {
		expect((await json(service, '/api/v2/list/101/leads?size=50')).data).toHaveLength(5);
		expect(
			(await json(service, '/profile/search/email?companyName=hazel%20law&size=50')).results,
		).toHaveLength(5);
	});
});

describe('a service', () => {
	it('goes back to how it was started', async () => {
		service.variants.accountShape = 'full';
		service.options.latencyMs = 1;
		delete service.options.pageCap;
		service.faults.add({ status: 500 });
		await ask(service, '/v3/verify?email=a@one.example', { headers: { accept: '*/*' } });
		service.reset();
		expect(service.variants.accountShape).toBe('credits');
		expect(service.options).toEqual({ pageCap: 5 });
		expect(service.requests).toEqual([]);
		expect(service.violations).toEqual([]);
		expect(await json(service, '/api/v2/account')).toMatchObject({ plan: 'Business' });
	});

	it('closes at once, with requests in flight', async () => {
		const slow = await startService({ latencyMs: 60_000 });
		const unanswered = expect(ask(slow, '/api/v2/account')).rejects.toThrow();
		while (slow.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
		const before = performance.now();
		await slow.close();
		await unanswered;
		expect(performance.now() - before).toBeLessThan(10_000);
	});

	it('runs alone until told to stop', async () => {
		const main = fileURLToPath(new URL('../../commands/service.mts', import.meta.url));
		const child = spawn(process.execPath, [main, '--port', '0'], {
			stdio: ['ignore', 'pipe', 'inherit'],
		});
		const [line] = await once(createInterface({ input: child.stdout }), 'line');
		const baseUrl = /http:\S+/.exec(String(line))?.[0] ?? '';
		const answer = await fetch(`${baseUrl}/api/v2/account`, {
			headers: { 'x-access-key': 'test-key', accept: 'application/json' },
		});
		expect(answer.status).toBe(200);
		child.kill('SIGTERM');
		const [code] = await once(child, 'exit');
		expect(code).toBe(0);
	});
});
