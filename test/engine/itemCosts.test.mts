/**
 * @file What every item says of its cost, and of when the service answered, by each way to an answer:
 * together they come to what the ledger has.
 */

import fc from 'fast-check';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';

import type { Effect } from '../service/faults.mts';
import type { WireRequest } from '../service/wireLog.mts';
import { addressOf, answerIn, findBulk, leadOf, numbers } from '../support/bulk.mts';
import { runNode, runWorkflow, type NodeResult } from '../support/engine.mts';
import {
	find,
	lookups,
	runLookup,
	runInLoop,
	verify,
	whenSent,
	type Lookup,
	type LookupTest,
} from '../support/lookups.mts';
import { existingOf, hit, miss } from '../support/outcomes.mts';
import { credentialFor, openAccount, useService } from '../support/service.mts';

const service = useService();

const continues = { onError: 'continueRegularOutput' } as const;

const costOf = ({ credits }: IDataObject) => credits;
const costsOf = (json: IDataObject[]) => json.map(costOf);

/** When the service answered, in milliseconds since 1970; `null` where an item says that it did not. */
const momentOf = ({ checkedAt }: IDataObject) =>
	typeof checkedAt === 'string' ? Date.parse(checkedAt) : checkedAt;

/** What the items come to; `null` where one of them does not know. */
function sumOf(json: IDataObject[]): number | null {
	const costs = costsOf(json);
	for (const cost of costs) expect(cost === null || Number.isInteger(cost)).toBe(true);
	return costs.includes(null) ? null : costs.reduce<number>((sum, cost) => sum + Number(cost), 0);
}

/** Runs a lookup; what its items say of their cost is what the ledger has, where all of them know. */
async function run(
	lookup: Lookup,
	items: IDataObject[],
	test: LookupTest = {},
): Promise<NodeResult & { startedAt: number; endedAt: number }> {
	const before = service().ledger.total();
	const startedAt = Date.now();
	const result = await runLookup(lookup, service(), items, { ...continues, ...test });
	const endedAt = Date.now();
	const sum = sumOf(result.json);
	if (sum !== null) expect(service().ledger.total() - before).toBe(sum);
	return { ...result, startedAt, endedAt };
}

/** Leads that cost something. */
function paidFor({ subject }: Lookup, length: number): number[] {
	return numbers(500)
		.filter((number) => subject(number) !== null)
		.slice(0, length);
}

/** Whether an item has the text of a moment in ISO 8601 and in UTC. */
function expectMoment({ checkedAt }: IDataObject): void {
	expect(checkedAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
}

/** For a fault: whether a request asks, among others, for the lead with a number. */
function asking(number: number): (request: WireRequest) => boolean {
	const name = leadOf(number).first.toLowerCase();
	return ({ body, rawQuery }) => `${JSON.stringify(body)} ${rawQuery}`.toLowerCase().includes(name);
}

describe.each(lookups)('an item of $operation', (lookup) => {
	const [one, two, three] = paidFor(lookup, 3);
	const isFinder = lookup.credits === 'email';
	const isBulk = lookup.perRequest > 1;

	test('that is answered: what it did cost, and when', async () => {
		const wanted = numbers(30);
		const { json, startedAt, endedAt } = await run(lookup, wanted.map(lookup.item));
		expect(costsOf(json)).toEqual(
			wanted.map((number) => (lookup.subject(number) === null ? 0 : 1)),
		);
		for (const item of json) {
			expectMoment(item);
			expect(momentOf(item)).toBeGreaterThanOrEqual(startedAt);
			expect(momentOf(item)).toBeLessThanOrEqual(endedAt);
		}
	});

	test('that repeats another is free, and was answered when that was', async () => {
		const items = [one, two, one, one].map((number, index) =>
			(index < 2 ? lookup.item : lookup.twin)(number),
		);
		const { json } = await run(lookup, items);
		expect(costsOf(json)).toEqual([1, 1, 0, 0]);
		for (const index of [2, 3]) expect(json[index].checkedAt).toBe(json[0].checkedAt);
	});

	test('that another node has paid for is free, and keeps the time of the answer', async () => {
		const items = [one, two, miss].map(lookup.item);
		const node = {
			type: lookup.node,
			parameters: { ...lookup.parameters, includeInputFields: true },
		};
		const result = await runWorkflow({
			nodes: [
				{ name: 'Start', type: 'start', parameters: { items: JSON.stringify(items) } },
				{ ...node, name: 'One' },
				{ ...node, name: 'Two' },
			],
			connections: ['Start > One', 'One > Two'],
			credential: credentialFor(service()),
		});
		const outputOf = (name: string) =>
			(result.data.resultData.runData[name]?.[0]?.data?.main[0] ?? []).map(({ json }) => json);
		const [paid, reused] = ['One', 'Two'].map(outputOf);
		expect(reused).toStrictEqual(paid.map((item) => ({ ...item, credits: 0 })));
		expect(sumOf(paid)).toBe(service().ledger.total());
	});

	test('that an earlier run of a loop has paid for is free', async () => {
		const { rounds } = await runInLoop(lookup, service(), [
			[one, two].map(lookup.item),
			[two, three, two].map(lookup.item),
		]);
		expect(rounds.map(({ json }) => costsOf(json))).toEqual([
			[1, 1],
			[0, 1, 0],
		]);
		expect(rounds[1].json[0].checkedAt).toBe(rounds[0].json[1].checkedAt);
		expect(service().ledger.total()).toBe(3);
	});

	test("that n8n's Retry button finds paid for is free", async () => {
		service().faults.add({ status: 500, on: { where: asking(two), times: 1 } });
		const items = [one, two].map(lookup.item);
		const options = { incompleteRun: 'fail', maxRetries: 0, maxConcurrency: 1 };
		const stops = { options, onError: undefined };
		const first = await runLookup(lookup, service(), items, stops);
		expect(first.error).toBeDefined();
		const before = service().ledger.total();
		const { json } = await run(lookup, items, { ...stops, retryOf: first.run });
		expect(costsOf(json)).toEqual(isBulk ? [1, 1] : [0, 1]);
		expect(service().ledger.total() - before).toBe(isBulk ? 2 : 1);
	});

	test('that is not sent is free, and has no time', async () => {
		const brought = isFinder ? { email: 'ada@acme.example' } : { emailStatus: 'ok' };
		const items = [
			{ ...lookup.item(one), ...brought },
			isFinder ? { first: 'Ann' } : { email: null },
			lookup.item(two),
		];
		const { json } = await run(lookup, items, {
			parameters: existingOf(lookup),
			options: { maxCredits: 0, ...(!isFinder && { skipEmpty: true }) },
		});
		expect(json.map(({ status }) => status)).toEqual([
			'known',
			isFinder ? 'invalid_input' : 'skipped',
			'not_processed',
		]);
		expect(costsOf(json)).toEqual([0, 0, 0]);
		for (const item of json) expect(item).not.toHaveProperty('checkedAt');
	});

	test('that the cap leaves out is free, those before it are not', async () => {
		const wanted = paidFor(lookup, 6);
		const { json } = await run(lookup, wanted.map(lookup.item), {
			options: { maxCredits: 2, maxConcurrency: 1 },
		});
		expect(costsOf(json)).toEqual([1, 1, 0, 0, 0, 0]);
		expect(json.at(-1)).toMatchObject({ reason: 'credit_limit' });
	});

	test.each([400, 401, 402, 403, 422, 500, 503])(
		'that the service refuses with a %i is free, and has no time',
		async (status) => {
			service().faults.add({ status });
			const { json } = await run(lookup, [one, two].map(lookup.item), {
				options: { maxRetries: 0, maxConcurrency: 1 },
			});
			expect(costsOf(json)).toEqual([0, 0]);
			for (const item of json) expect(item).not.toHaveProperty('checkedAt');
		},
	);

	test('that is answered after refusals costs what it costs', async () => {
		service().faults.add({ status: 429, retryAfter: 'seconds', seconds: 0, on: { nth: 1 } });
		service().faults.add({ status: 503, retryAfter: 'seconds', seconds: 0, on: { nth: 2 } });
		const { json } = await run(lookup, [one, miss].map(lookup.item), {
			options: { maxConcurrency: 1 },
		});
		expect(costsOf(json)).toEqual([1, lookup.subject(miss) === null ? 0 : 1]);
	});

	test.each(['before-charge', 'after-charge'] as const)(
		'whose connection is lost, %s, does not know; who repeats it does',
		async (reset) => {
			service().faults.add({ reset, on: { where: asking(one) } });
			const { json } = await run(lookup, [one, one].map(lookup.item), {
				options: { maxRetries: 0 },
			});
			expect(json.map(({ status }) => status)).toEqual(['failed', 'failed']);
			expect(costsOf(json)).toEqual([null, 0]);
			for (const item of json) expect(item).not.toHaveProperty('checkedAt');
		},
	);

	test.each(['truncated', 'cut-off', 'html', 'json-scalar', 'empty'] as const)(
		'whose answer is spoilt (%s) does not know',
		async (body) => {
			service().faults.add({ body, charge: true });
			const { json } = await run(lookup, [lookup.item(one)], { options: { maxRetries: 0 } });
			expect(json).toMatchObject([{ status: 'failed', credits: null }]);
		},
	);

	test('that is stopped before it is sent is free; what is on the way is paid and delivered', async () => {
		const stop = new AbortController();
		service().options.latencyMs = 100;
		whenSent(service(), 1, () => stop.abort());
		const wanted = paidFor(lookup, 2 * lookup.perRequest);
		const { json } = await run(lookup, wanted.map(lookup.item), {
			options: { maxConcurrency: 1 },
			stop: stop.signal,
		});
		const sent = lookup.perRequest;
		expect(costsOf(json)).toEqual(wanted.map((_, index) => (index < sent ? 1 : 0)));
	});

	test('of two accounts costs each what it asks for', async () => {
		const items = ['test-key', 'second-key', 'test-key'].map((key) => ({
			...lookup.item(one),
			key,
		}));
		const { json } = await run(lookup, items, {
			credential: { ...credentialFor(service()), apiKey: '={{ $json.key }}' },
		});
		expect(costsOf(json)).toEqual([1, 1, 0]);
	});

	test('on the way to a result of its own name says the same there', async () => {
		const { json } = await runLookup(lookup, service(), [one, one].map(lookup.item), {
			options: { resultField: 'lookup' },
		});
		const results = json.map(({ lookup: result }) => result);
		expect(results).toMatchObject([{ credits: 1 }, { credits: 0 }]);
	});

	test('with Simplify off says nothing of it where it is answered', async () => {
		const { json } = await runLookup(lookup, service(), [lookup.item(one)], {
			parameters: { simple: false },
		});
		for (const name of ['credits', 'checkedAt', 'status']) expect(json[0]).not.toHaveProperty(name);
	});
});

describe.each(lookups.filter(({ perRequest }) => perRequest > 1))(
	'an answer of $operation that leaves an item out',
	(lookup) => {
		test('says what the others did cost, and that this one does not know', async () => {
			service().faults.add({ rows: 'missing' });
			const wanted = paidFor(lookup, 4);
			const { json } = await run(lookup, [...wanted, wanted[3]].map(lookup.item));
			if (lookup.credits === 'email') expect(costsOf(json)).toEqual([1, 1, 1, null, 0]);
			else expect(costsOf(json).filter((cost) => cost === null)).toHaveLength(1);
		});
	},
);

describe.each([find, verify])('an item of $operation that is sent again', (lookup) => {
	const [one, two] = paidFor(lookup, 2);

	test.each(['before-charge', 'after-charge'] as const)(
		'after its connection was lost, %s, does not know whether it was charged twice',
		async (reset) => {
			service().faults.add({ reset, on: { where: asking(one), times: 1 } });
			const { json } = await run(lookup, [one, two, one].map(lookup.item), {
				options: { maxRetries: 1 },
			});
			expect(json.map(answerIn)).toEqual([one, two, one].map(lookup.answer));
			expect(costsOf(json)).toEqual([null, 1, 0]);
			expect(service().ledger.total()).toBe(reset === 'after-charge' ? 3 : 2);
			expectMoment(json[0]);
		},
	);
});

describe('what the verifier answers itself', () => {
	test.each(lookups.filter(({ credits }) => credits === 'verifier'))(
		'is free and has no time: $operation',
		async (lookup) => {
			const { json } = await run(lookup, [{ email: 'no-at-sign' }, { email: 'a b@c.example' }]);
			expect(json).toMatchObject(
				[1, 2].map(() => ({ status: 'verified', credits: 0, checkedAt: null })),
			);
		},
	);
});

describe('an item of a bulk job', () => {
	const wanted = [...paidFor(find, 3), miss];
	const items = wanted.map(findBulk.item);
	const lookup = { ...find, ...findBulk };
	const job = { bulkAnswer: 'job', jobResultShape: 'results' } as const;
	const noWait = { jobTimeout: 0 };

	test('that is waited for costs what it costs, and was answered when the job was', async () => {
		Object.assign(service().variants, { ...job, jobPolls: 0 });
		const { json } = await run(lookup, [...items, items[0]]);
		expect(costsOf(json)).toEqual([1, 1, 1, 0, 0]);
		const poll = service().requests.at(-1);
		const accepted = service().requests[0];
		expect(poll?.operation).toBe('getBulkJob');
		expect((poll?.startedAt ?? 0) - accepted.startedAt).toBeGreaterThan(900);
		const moments = new Set(json.map(momentOf));
		expect(moments.size).toBe(1);
		expect(Number([...moments][0])).toBeGreaterThanOrEqual(Math.floor(poll?.startedAt ?? Infinity));
	});

	test('that is pending does not know, but is free for who repeats it', async () => {
		Object.assign(service().variants, { ...job, jobPolls: 1_000_000 });
		const { json } = await run(lookup, [...items, items[0]], { options: noWait });
		expect(costsOf(json)).toEqual([null, null, null, null, 0]);
		for (const item of json) expect(item).not.toHaveProperty('checkedAt');
	});

	test('that a later run collects is free, and was answered when it was collected', async () => {
		Object.assign(service().variants, { ...job, jobPolls: 1 });
		const { rounds } = await runInLoop(lookup, service(), [items, items], {
			options: noWait,
			...continues,
		});
		expect(rounds.map(({ json }) => costsOf(json))).toEqual([
			[null, null, null, null],
			[0, 0, 0, 0],
		]);
		const [collected] = rounds[1].json;
		expect(answerIn(collected)).toEqual(findBulk.answer(wanted[0]));
		expectMoment(collected);
		expect(service().ledger.total()).toBe(3);
	});

	test('that fails is free', async () => {
		Object.assign(service().variants, { ...job, jobPolls: 0, jobOutcome: 'failed' });
		const { json } = await run(lookup, items, { options: noWait });
		expect(json.map(({ status, credits }) => [status, credits])).toEqual(
			wanted.map(() => ['failed', 0]),
		);
	});

	test('that Get Bulk Job collects is free, by row or all at once', async () => {
		Object.assign(service().variants, { ...job, jobPolls: 1 });
		const pending = await run(lookup, items, { options: noWait });
		for (const jobRow of ['={{ $json.jobRow }}', '']) {
			const { json } = await runNode({
				node: 'contactDataFinder',
				parameters: { operation: 'getBulkJob', jobId: '={{ $json.jobId }}', jobRow },
				items: pending.json,
				credential: credentialFor(service()),
			});
			expect(costsOf(json)).toEqual([0, 0, 0, 0]);
			json.forEach(expectMoment);
		}
		expect(service().ledger.total()).toBe(3);
	});
});

describe('Search Company', () => {
	async function search(keywords: string[], parameters: INodeParameters = {}) {
		return await runNode({
			node: 'contactDataCompany',
			parameters: { operation: 'search', keyword: '={{ $json.keyword }}', ...parameters },
			items: keywords.map((keyword) => ({ keyword })),
			credential: credentialFor(service()),
			...continues,
		});
	}

	test('with several matches: the first did cost, the others are free', async () => {
		const { json } = await search(['a', 'a', 'nobody has such a name', ''], {
			returnAllMatches: true,
		});
		const matches = (json.length - 2) / 2;
		expect(matches).toBeGreaterThan(1);
		expect(costsOf(json)).toEqual([1, ...numbers(json.length - 1).map(() => 0)]);
		expect(new Set(json.slice(0, -1).map(({ checkedAt }) => checkedAt)).size).toBeLessThan(3);
		json.slice(0, -1).forEach(expectMoment);
		expect(json.at(-1)).not.toHaveProperty('checkedAt');
		expect(sumOf(json)).toBe(service().ledger.total());
	});

	test('with the best match only: the same', async () => {
		const { json } = await search(['a', 'a', 'nobody has such a name', '']);
		expect(costsOf(json)).toEqual([1, 0, 0, 0]);
		expect(service().ledger.total()).toBe(1);
	});
});

describe.each(lookups)('whatever happens to $operation', (lookup) => {
	const isBulk = lookup.perRequest > 1;
	const question = fc.tuple(fc.nat(60), fc.boolean()).map(([number, isTwin]) => ({
		item: isTwin ? lookup.twin(number) : lookup.item(number),
		brought: false,
	}));
	const junk = fc.constantFrom(
		{ item: {}, brought: false },
		{ item: { email: 'no-at-sign' }, brought: false },
		{ item: { email: 'ada@acme.example', emailStatus: 'valid' }, brought: true },
	);
	const effect: fc.Arbitrary<Effect> = fc.oneof(
		fc.record({ reset: fc.constantFrom('before-charge', 'after-charge') }),
		fc.record({
			body: fc.constantFrom('truncated', 'html', 'empty'),
			charge: fc.boolean(),
		}),
		fc.record({ rows: fc.constantFrom('missing', 'doubled', 'shuffled') }),
		fc.record({
			status: fc.constantFrom(400, 402, 403, 422, 429, 500, 503),
			retryAfter: fc.constant('seconds' as const),
			seconds: fc.constant(0),
		}),
	);
	const faults = fc.array(fc.tuple(effect, fc.integer({ min: 1, max: isBulk ? 2 : 12 })), {
		maxLength: 4,
	});
	const given = fc.record({
		inputs: fc.array(fc.oneof({ weight: 5, arbitrary: question }, junk), { maxLength: 40 }),
		faults,
		maxCredits: fc.option(fc.nat(20), { freq: 3, nil: undefined }),
		maxRetries: fc.nat(1),
		maxConcurrency: fc.integer({ min: 1, max: 5 }),
	});

	test(
		'its items come to what the ledger has, as far as they know',
		{ timeout: 90_000 },
		async () => {
			const property = fc.asyncProperty(given, async ({ inputs, faults: planned, ...options }) => {
				service().reset();
				const apiKey = openAccount(service());
				for (const [fault, nth] of planned) service().faults.add({ ...fault, on: { nth } });
				const { maxCredits, ...rest } = options;
				const { json } = await runLookup(
					lookup,
					service(),
					inputs.map(({ item }) => item),
					{
						...continues,
						parameters: existingOf(lookup),
						options: { ...rest, ...(maxCredits !== undefined && { maxCredits }) },
						credential: { ...credentialFor(service()), apiKey },
					},
				);
				expect(json).toHaveLength(inputs.length);
				const costs = costsOf(json);
				const certain = costs.reduce<number>((sum, cost) => sum + Number(cost ?? 0), 0);
				const uncertain = costs.filter((cost) => cost === null).length;
				const spent = service().ledger.total();
				expect(spent).toBeGreaterThanOrEqual(certain);
				// A single lookup may be sent, and charged, twice.
				expect(spent).toBeLessThanOrEqual(certain + 2 * uncertain);
			});
			await fc.assert(property, { numRuns: isBulk ? 80 : 30, interruptAfterTimeLimit: 40_000 });
		},
	);
});

test('the leads of these tests are one who is found and one who is not', () => {
	expect(find.subject(hit)).not.toBeNull();
	expect(find.subject(miss)).toBeNull();
	expect(addressOf(hit)).toContain('@');
});
