/** @file How a run slows down when the service asks for it, and how it gets faster again. */

import type { IDataObject } from 'n8n-workflow';
import { afterEach, describe, expect, test, vi } from 'vitest';

import { answerIn, leadOf, numbers } from '../support/bulk.mts';
import { runNode } from '../support/engine.mts';
import { expectPaidOnce, find, runLookup, whenSent } from '../support/lookups.mts';
import { giveJson, useServer } from '../support/ownServer.mts';
import { useQuickClock } from '../support/quickClock.mts';
import { credentialFor, useService } from '../support/service.mts';

afterEach(() => void vi.restoreAllMocks());

/** What a service may say that means "at once". */
const atOnce = [
	['0', { retryAfter: 'seconds', seconds: 0 }],
	['a date in the past', { retryAfter: 'date', seconds: -60 }],
] as const;

describe.each(atOnce)('Retry-After: %s', (_, retryAfter) => {
	const service = useService();
	const wanted = numbers(200);

	test('is no licence to hammer: no lead fails while the service refuses for a while', async () => {
		let busyUntil: number | undefined;
		const isBusy = () => Date.now() < (busyUntil ??= Date.now() + 900);
		service().faults.add({ status: 429, ...retryAfter, on: { where: isBusy } });
		const { json } = await runLookup(find, service(), wanted.map(leadOf));
		expect(json.map(answerIn)).toEqual(wanted.map(find.answer));
		const refused = service().requests.filter(({ status }) => status === 429);
		expect(refused.length).toBeLessThan(40);
		expectPaidOnce(service(), find, wanted);
	});
});

describe.each([
	{ status: 429, retryAfter: 'seconds', seconds: 0 },
	{ status: 503, retryAfter: 'date', seconds: -60 },
] as const)('after a $status with Retry-After of now, as $retryAfter', (refusal) => {
	const service = useService();

	test('a request waits for a back-off that grows', async () => {
		// Half of the longest: full jitter takes any part of it.
		vi.spyOn(Math, 'random').mockReturnValue(0.5);
		service().faults.add({ ...refusal, on: { times: 2 } });
		const { json } = await runLookup(find, service(), [leadOf(1)]);
		expect(json.map(answerIn)).toEqual([find.answer(1)]);
		const [first, second, third] = service().requests;
		expect(second.startedAt - (first.finishedAt ?? Infinity)).toBeGreaterThan(450);
		expect(third.startedAt - (second.finishedAt ?? Infinity)).toBeGreaterThan(950);
	});
});

describe('a concurrency that a 429 has halved', () => {
	const service = useService();

	/** People of whom the service has no address. */
	const unknown: IDataObject[] = numbers(80).map((number) => ({
		...leadOf(number),
		domain: 'nowhere.example',
	}));

	test('grows back with every answer, also where nobody is found', async () => {
		service().options.latencyMs = 60;
		service().faults.add({ on: { nth: 10 }, status: 429, retryAfter: 'seconds', seconds: 1 });
		const { json } = await runLookup(find, service(), unknown, { options: { maxConcurrency: 8 } });
		expect(json.map(({ status }) => status)).toEqual(unknown.map(() => 'not_found'));
		const requests = [...service().requests];
		const refused = requests.findIndex(({ status }) => status === 429);
		const atOnce = requests.map(({ inFlight }) => inFlight);
		expect(Math.max(...atOnce.slice(0, refused))).toBe(8);
		// Those on the way when the refusal came are not counted.
		expect(Math.max(...atOnce.slice(refused + 8, refused + 12))).toBeLessThanOrEqual(5);
		expect(Math.max(...atOnce.slice(-10))).toBeGreaterThan(5);
	});
});

describe('what is left of a pause when the run ends', () => {
	const service = useService();

	/** The last of three requests is told to come back much later. */
	async function summaryOf(test: Parameters<typeof runLookup>[3]): Promise<string | undefined> {
		service().faults.add({ status: 429, retryAfter: 'seconds', seconds: 40, on: { nth: 3 } });
		const { hints } = await runLookup(find, service(), numbers(3).map(leadOf), {
			...test,
			options: { maxConcurrency: 1, ...test?.options },
		});
		expect(service().requests).toHaveLength(3);
		return hints?.[0]?.message;
	}

	test('was not waited for, where nothing is tried again', async () => {
		const summary = await summaryOf({ options: { maxRetries: 0 } });
		expect(summary).toContain('1 failed (rate_limited)');
		expect(summary).not.toContain('Waited');
	});

	test('was not waited for, where the execution is stopped', async () => {
		const stop = new AbortController();
		whenSent(service(), 3, () => setTimeout(() => stop.abort(), 1_100));
		// The account of the test before is still asked to wait.
		const credential = { ...credentialFor(service()), apiKey: 'second-key' };
		expect(await summaryOf({ stop: stop.signal, credential })).toContain('Waited 1 second for');
	});
});

describe('a rate limit that does not end', () => {
	const server = useServer();
	useQuickClock();

	test.each([4, 0])(
		'ends the run, which does not wait for days: %i retries',
		async (maxRetries) => {
			let requests = 0;
			const baseUrl = await server((_, response) => {
				requests++;
				giveJson(response, { error: 'quota' }, 429, { 'retry-after': '1' });
			});
			const { json } = await runNode({
				node: find.node,
				parameters: { ...find.parameters, options: { maxRetries } },
				items: numbers(300).map(leadOf),
				onError: 'continueRegularOutput',
				credential: { baseUrl, apiKey: `no-quota-${maxRetries}` },
			});
			expect(requests).toBeLessThan(300);
			const reasons = json.map(({ status, reason }) => [status, reason]);
			expect(reasons.slice(-100)).toEqual(
				numbers(100).map(() => ['not_processed', 'rate_limited']),
			);
			expect(json.filter(({ status }) => status === 'failed').length).toBeGreaterThanOrEqual(10);
		},
		240_000,
	);

	test.each([
		[10, 50],
		[3, 30],
	])(
		'is another than %i per second, with %i at once and one retry',
		async (perSecond, maxConcurrency) => {
			let since = Number.NEGATIVE_INFINITY;
			let admitted = 0;
			const baseUrl = await server((_, response) => {
				if (Date.now() - since >= 1_000) {
					since = Date.now();
					admitted = 0;
				}
				if (admitted++ >= perSecond) return giveJson(response, { error: 'rate' }, 429);
				giveJson(response, { email: 'a@b.example', quality: { status: 'valid' } });
			});
			const { json } = await runNode({
				node: find.node,
				parameters: { ...find.parameters, options: { maxConcurrency, maxRetries: 1 } },
				items: numbers(300).map(leadOf),
				onError: 'continueRegularOutput',
				credential: { baseUrl, apiKey: `limit-${perSecond}` },
			});
			expect(json.filter(({ status }) => status === 'not_processed')).toEqual([]);
		},
	);
});
