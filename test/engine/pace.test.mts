/** @file How runs slow down when the service asks for it and get faster again, and how executions share an account. */

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

import { runNode, type NodeResult, type OurNode } from '../support/node/engine.mts';
import {
	answerIn,
	continues,
	expectPaidOnce,
	find,
	leadOf,
	numbers,
	runLookup,
	whenSent,
	type LookupTest,
} from '../support/leads/lookups.mts';
import { useQuickClock } from '../support/node/quickClock.mts';
import { credentialFor, ofNewAccount, useService } from '../support/servers/service.mts';

const service = useService();

describe('executions on one account', () => {
	/** The leads of one execution; those of another begin at another number. */
	async function findMany(length: number, first: number, maxConcurrency = 5): Promise<NodeResult> {
		const items = numbers(length, first).map(leadOf);
		return await runLookup(find, service(), items, { options: { maxConcurrency } });
	}

	/** The places in the wire log of the requests for leads with these numbers. */
	function placesOf(length: number, first: number): number[] {
		const names = new Set(numbers(length, first).map((number) => leadOf(number).first));
		return [...service().requests.entries()]
			.filter(([, { rawQuery }]) => names.has(/firstName=(\w+)/.exec(rawQuery)?.[1] ?? ''))
			.map(([place]) => place);
	}

	const backlog = 200;
	const begun = 20;

	test.each<[string, OurNode, operation: string, length: number]>([
		['a free read', 'contactDataAccount', 'get', 1],
		['a single lookup', find.node, 'find', 1],
		['another backlog', find.node, 'find', 60],
	])('%s takes turns with a backlog', async (_, node, operation, length) => {
		service().options.latencyMs = 10;
		const items = numbers(length, 5_000).map(leadOf);
		const parameters = { ...find.parameters, operation };
		const other = new Promise<NodeResult>((resolve, reject) => {
			const run = async () =>
				await runNode({ node, parameters, items, credential: credentialFor(service()) });
			whenSent(service(), begun, () => void run().then(resolve, reject));
		});
		const [{ json }] = await Promise.all([other, findMany(backlog, 0)]);
		expect(json).toHaveLength(length);
		const backlogged = new Set(placesOf(backlog, 0));
		expect(backlogged.size).toBe(backlog);
		const places = [...service().requests.keys()].filter((place) => !backlogged.has(place));
		// So many requests a backlog goes on with until another execution has started.
		expect(places[0]).toBeLessThan(begun + 60);
		// One of each in turns, and a few more of either.
		if (length > 1) expect((places[length - 1] - places[0]) / length).toBeCloseTo(2, 0);
	});

	test('the Max Concurrency of one binds no other', async () => {
		service().options.latencyMs = 20;
		await Promise.all([findMany(60, 0, 1), findMany(200, 5_000, 10)]);
		const [slow, fast] = [placesOf(60, 0), placesOf(200, 5_000)];
		const atOnce = (places: number[]) => {
			const requests = places.map((place) => service().requests[place]);
			const during = (moment: number) =>
				requests.filter(
					({ startedAt, finishedAt }) => startedAt <= moment && (finishedAt ?? Infinity) > moment,
				);
			return Math.max(...requests.map(({ startedAt }) => during(startedAt).length));
		};
		expect([atOnce(slow), service().maxInFlight]).toEqual([1, 10]);
		expect(atOnce(fast)).toBeGreaterThanOrEqual(8);
		// While the one sends thirty, the other sends several times as many.
		const meanwhile = fast.filter((place) => place > slow[0] && place < slow[29]);
		expect(meanwhile.length).toBeGreaterThan(100);
	});
});

describe('a refusal', () => {
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
		const steps = refusal.status === 429 ? [180, 370, 740] : [450, 950, 1_950];
		for (const [attempt, least] of steps.entries()) {
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
		const unknown = numbers(40).map((number) => ({ ...leadOf(number), domain: 'nowhere.example' }));
		// By the real clock: long enough for eight to be on the way at once on a busy machine too.
		service().options.latencyMs = 300;
		service().faults.add({ on: { nth: 10 }, status: 429, retryAfter: 'seconds', seconds: 1 });
		const { json } = await runLookup(find, service(), unknown, { options: { maxConcurrency: 8 } });
		expect(json.map(({ lookupStatus }) => lookupStatus)).toEqual(unknown.map(() => 'not_found'));
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
			'the run may not wait so long',
			{ options: { maxRateLimitWait: 0.5 } },
			/1 not sent \(rate limit still exceeded\)(?!.*waited)/s,
		],
		['the execution is stopped', {}, /waited (9|1\d) seconds for/],
	])('what is left of a pause when the run ends was not waited for, where %s', async (...row) => {
		const [, given, told] = row;
		const stop = new AbortController();
		// The last of three requests is told to come back much later.
		service().faults.add({ status: 429, retryAfter: 'seconds', seconds: 40, on: { nth: 3 } });
		if (!given.options) whenSent(service(), 3, () => setTimeout(() => stop.abort(), 10_000));
		const { summary } = await runLookup(find, service(), numbers(3).map(leadOf), {
			stop: stop.signal,
			options: { maxConcurrency: 1, ...given.options },
		});
		expect(service().requests).toHaveLength(3);
		expect(summary).toMatch(told);
	});

	test.each([
		[10, 50],
		[3, 30],
	])('a rate limit of %i per second ends no run with %i at once', async (perSecond, most) => {
		let [since, admitted] = [Number.NEGATIVE_INFINITY, 0];
		const isRefused = () => {
			if (Date.now() - since >= 1_000) [since, admitted] = [Date.now(), 0];
			return admitted++ >= perSecond;
		};
		const refusal = { status: 429, retryAfter: 'seconds', seconds: 1 } as const;
		service().faults.add({ ...refusal, on: { where: isRefused } });
		const { json } = await runLookup(find, service(), numbers(300).map(leadOf), {
			...continues,
			options: { maxConcurrency: most, maxRetries: 1 },
			credential: ofNewAccount(service()),
		});
		expect(json.filter(({ lookupStatus }) => lookupStatus === 'not_processed')).toEqual([]);
	});
});
