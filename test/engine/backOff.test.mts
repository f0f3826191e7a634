/** @file How a run slows down when the service asks for it, and how it gets faster again. */

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

import {
	answerIn,
	expectPaidOnce,
	find,
	leadOf,
	numbers,
	runLookup,
	whenSent,
	type LookupTest,
} from '../support/leads/lookups.mts';
import { giveJson, useServer } from '../support/servers/ownServer.mts';
import { useQuickClock } from '../support/node/quickClock.mts';
import { useService } from '../support/servers/service.mts';

const service = useService();
const clock = useQuickClock();

beforeEach(() => {
	// What was learned of the account is forgotten.
	clock.forward(11 * 60_000);
	// Half of the longest wait: full jitter takes any part of it.
	vi.spyOn(Math, 'random').mockReturnValue(0.5);
});

afterEach(() => void vi.restoreAllMocks());

test.each([
	{ status: 429, retryAfter: 'seconds', seconds: 0 },
	{ status: 429, retryAfter: 'date', seconds: -60 },
	{ status: 503, retryAfter: 'date', seconds: -60 },
] as const)('a Retry-After of now is no licence to hammer: %j', async (refusal) => {
	const { requests, faults } = service();
	faults.add({ ...refusal, on: { times: 3 } });
	const { json: alone } = await runLookup(find, service(), [leadOf(200)]);
	expect(alone.map(answerIn)).toEqual([find.answer(200)]);
	// A request waits for a back-off that grows.
	for (const [attempt, least] of [450, 950, 1_950].entries()) {
		const { finishedAt } = requests[attempt];
		expect(requests[attempt + 1].startedAt - (finishedAt ?? Infinity)).toBeGreaterThan(least);
	}

	// No lead fails while the service refuses for a while.
	service().reset();
	const wanted = numbers(200);
	let busyUntil: number | undefined;
	const isBusy = () => Date.now() < (busyUntil ??= Date.now() + 5_000);
	faults.add({ ...refusal, on: { where: isBusy } });
	const { json } = await runLookup(find, service(), wanted.map(leadOf));
	expect(json.map(answerIn)).toEqual(wanted.map(find.answer));
	expect(requests.filter(({ status }) => status === refusal.status).length).toBeLessThan(40);
	expectPaidOnce(service(), find, wanted);
});

test('a concurrency that a 429 has halved grows back, also where nobody is found', async () => {
	const unknown = numbers(80).map((number) => ({ ...leadOf(number), domain: 'nowhere.example' }));
	// By the real clock.
	service().options.latencyMs = 30;
	service().faults.add({ on: { nth: 10 }, status: 429, retryAfter: 'seconds', seconds: 1 });
	const { json } = await runLookup(find, service(), unknown, { options: { maxConcurrency: 8 } });
	expect(json.map(({ status }) => status)).toEqual(unknown.map(() => 'not_found'));
	const { requests } = service();
	const refused = requests.findIndex(({ status }) => status === 429);
	const atOnce = requests.map(({ inFlight }) => inFlight);
	expect(Math.max(...atOnce.slice(0, refused))).toBe(8);
	// Those on the way when the refusal came are not counted.
	expect(Math.max(...atOnce.slice(refused + 8, refused + 12))).toBeLessThanOrEqual(5);
	expect(Math.max(...atOnce.slice(-10))).toBeGreaterThan(5);
});

test.each<[string, LookupTest, told: RegExp]>([
	[
		'nothing is tried again',
		{ options: { maxRetries: 0 } },
		/1 failed \(rate_limited\)(?!.*Waited)/s,
	],
	['the execution is stopped', {}, /Waited (9|1\d) seconds for/],
])('what is left of a pause when the run ends was not waited for, where %s', async (...row) => {
	const [, given, told] = row;
	const stop = new AbortController();
	// The last of three requests is told to come back much later.
	service().faults.add({ status: 429, retryAfter: 'seconds', seconds: 40, on: { nth: 3 } });
	if (!given.options) whenSent(service(), 3, () => setTimeout(() => stop.abort(), 10_000));
	const { hints } = await runLookup(find, service(), numbers(3).map(leadOf), {
		stop: stop.signal,
		options: { maxConcurrency: 1, ...given.options },
	});
	expect(service().requests).toHaveLength(3);
	expect(hints?.[0]?.message).toMatch(told);
});

describe('a rate limit', () => {
	const server = useServer();

	/** Runs 300 lookups against a service that accepts a request, or does not. */
	async function runAt(isAccepted: () => boolean, options: LookupTest['options'], apiKey: string) {
		let requests = 0;
		const baseUrl = await server((_, response) => {
			requests++;
			if (!isAccepted()) return giveJson(response, { error: 'rate' }, 429, { 'retry-after': '1' });
			giveJson(response, { email: 'a@b.example', quality: { status: 'valid' } });
		});
		const { json } = await runLookup(find, service(), numbers(300).map(leadOf), {
			...{ options, onError: 'continueRegularOutput', credential: { baseUrl, apiKey } },
		});
		return { requests, json };
	}

	test.each([4, 0])(
		'that does not end ends the run, which does not wait for days: %i retries',
		async (maxRetries) => {
			vi.spyOn(Math, 'random').mockReturnValue(0.05);
			const { requests, json } = await runAt(() => false, { maxRetries }, `no-quota-${maxRetries}`);
			expect(requests).toBeLessThan(300);
			const last = { status: 'not_processed', reason: 'rate_limited' };
			expect(json.slice(-100)).toMatchObject(numbers(100).map(() => last));
			expect(json.filter(({ status }) => status === 'failed').length).toBeGreaterThanOrEqual(10);
		},
	);

	test.each([
		[10, 50],
		[3, 30],
	])(
		'of %i per second, with %i at once and one retry, does not end the run',
		async (perSecond, maxConcurrency) => {
			let [since, admitted] = [Number.NEGATIVE_INFINITY, 0];
			const isAccepted = () => {
				if (Date.now() - since >= 1_000) [since, admitted] = [Date.now(), 0];
				return admitted++ < perSecond;
			};
			const options = { maxConcurrency, maxRetries: 1 };
			const { json } = await runAt(isAccepted, options, `limit-${perSecond}`);
			expect(json.filter(({ status }) => status === 'not_processed')).toEqual([]);
		},
	);
});
