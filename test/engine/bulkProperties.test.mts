import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';

import type { Effect, Fault } from '../service/faults.mts';
import {
	addressOf,
	answerIn,
	bulks,
	findBulk,
	leadOf,
	numbers,
	requestsOf,
	runBulk,
	verifyBulk,
	type Bulk,
} from '../support/bulk.mts';
import { whenSent } from '../support/lookups.mts';
import { credentialFor, openAccount, useService } from '../support/service.mts';

const service = useService();

/** An input item, and what is known of its answer without looking at our code. */
interface Input {
	item: IDataObject;
	/** The number of the question that it asks; null if it lacks what the operation needs. */
	asks: number | null;
	/** The fields that its output item must have when it is answered without a request. */
	local?: IDataObject;
}

/** How the service and the user behave in a run. */
interface Circumstances {
	faults: Fault[];
	maxConcurrency: number;
	maxRetries: number;
	/** Not added when undefined. */
	maxCredits: number | undefined;
	/** The account has so many credits; undefined for plenty. */
	creditsLeft: number | undefined;
	/** The execution is stopped when so many requests have arrived; undefined for never. */
	stopAt: number | undefined;
}

const undisturbed: Circumstances = {
	faults: [],
	maxConcurrency: 5,
	maxRetries: 2,
	maxCredits: undefined,
	creditsLeft: undefined,
	stopAt: undefined,
};

/** Input items that are no questions. */
const junk: Record<Bulk['operation'], Input[]> = {
	findBulk: [
		{},
		{ first: 'Ada', last: 'Lovelace' },
		{ first: 'Ada', domain: 'c1.bulk.example' },
		{ first: ' ', last: '\t', domain: 'c1.bulk.example' },
		{ first: 'Ada', last: 'Lovelace', domain: 'https://' },
		{ first: ['Ada'], last: { of: 'Lovelace' }, domain: true },
		{ first: null, last: null, domain: null },
	].map((item) => ({ item, asks: null, local: { status: 'invalid_input' } })),
	verifyBulk: [
		...[{}, { email: '' }, { email: '  ' }, { email: null }, { email: ['a@c1.bulk.example'] }].map(
			(item) => ({ item, asks: null, local: { status: 'invalid_input' } }),
		),
		...['no-at-sign', 'no-domain@', 'white space@c1.bulk.example', '12'].map((email) => ({
			item: { email },
			asks: null,
			local: { status: 'verified', email, emailStatus: 'invalid' },
		})),
	],
};

/** Inputs among which about every third question is there more than once. */
function inputsOf(bulk: Bulk, { minLength = 0, maxLength = 1_000 } = {}): fc.Arbitrary<Input[]> {
	const number = fc.nat(maxLength);
	const question = fc
		.tuple(number, fc.boolean())
		.map(([asks, twin]): Input => ({ item: (twin ? bulk.twin : bulk.item)(asks), asks }));
	const input = fc.oneof(
		{ weight: 9, arbitrary: question },
		{ weight: 1, arbitrary: fc.constantFrom(...junk[bulk.operation]) },
	);
	return fc.array(input, { minLength, maxLength, size: 'max' });
}

/** Mostly some items, now and then a few hundred. */
function weightedInputs(bulk: Bulk): fc.Arbitrary<Input[]> {
	return fc.oneof(
		{ weight: 12, arbitrary: inputsOf(bulk, { maxLength: 12 }) },
		{ weight: 7, arbitrary: inputsOf(bulk, { maxLength: 2.5 * bulk.perRequest }) },
		{ weight: 1, arbitrary: inputsOf(bulk, { minLength: 500, maxLength: 1_000 }) },
	);
}

/** What the service does and charges for without delivering it. */
const spoiling: fc.Arbitrary<Effect> = fc.oneof(
	fc.record({
		body: fc.constantFrom('truncated', 'cut-off', 'html', 'text', 'json-scalar', 'empty'),
		charge: fc.boolean(),
	}),
	fc.record({ reset: fc.constantFrom('before-charge', 'after-charge') }),
	fc.constant({ rows: 'missing' } as const),
);

const harmless: fc.Arbitrary<Effect> = fc.oneof(
	fc.record({
		status: fc.constantFrom(429, 500, 502, 503, 504, 400, 409),
		retryAfter: fc.constant('seconds' as const),
		seconds: fc.constant(0),
	}),
	fc.record({ delayMs: fc.integer({ min: 0, max: 15 }) }),
	fc.record({ rows: fc.constantFrom('doubled', 'unknown', 'shuffled') }),
);

function faultsOf(effect: fc.Arbitrary<Effect>): fc.Arbitrary<Fault[]> {
	const on = fc.oneof(
		fc.record({ nth: fc.integer({ min: 1, max: 8 }) }),
		fc.record({ every: fc.integer({ min: 1, max: 4 }), times: fc.integer({ min: 1, max: 6 }) }),
	);
	return fc.array(
		fc.tuple(effect, on).map(([fault, trigger]): Fault => ({ ...fault, on: trigger })),
		{ maxLength: 5 },
	);
}

function circumstances(bulk: Bulk, effect: fc.Arbitrary<Effect>): fc.Arbitrary<Circumstances> {
	const credits = fc.integer({ min: 1, max: 3 * bulk.perRequest });
	const often = { freq: 3, nil: undefined };
	return fc.record({
		faults: faultsOf(effect),
		maxConcurrency: fc.integer({ min: 1, max: 8 }),
		maxRetries: fc.integer({ min: 0, max: 3 }),
		maxCredits: fc.option(fc.oneof(fc.constant(0), credits), { freq: 2, nil: undefined }),
		creditsLeft: fc.option(credits, often),
		stopAt: fc.option(fc.integer({ min: 1, max: 6 }), often),
	});
}

/** What a run came to. */
interface Outcome {
	inputs: Input[];
	output: IDataObject[];
	links: unknown[];
	/** Credits charged, by what they were charged for. */
	charged: Map<string, number>;
	requests: number;
}

async function run(bulk: Bulk, inputs: Input[], given: Circumstances): Promise<Outcome> {
	service().reset();
	const { faults, options, ledger } = service();
	const apiKey = openAccount(service());
	const { maxConcurrency, maxRetries, maxCredits, creditsLeft, stopAt } = given;
	if (creditsLeft !== undefined) options.creditsLeft = { [bulk.credits]: creditsLeft };
	for (const fault of given.faults) faults.add(structuredClone(fault));
	const stop = new AbortController();
	if (stopAt !== undefined) whenSent(service(), stopAt, () => stop.abort());
	const result = await runBulk(
		bulk,
		service(),
		inputs.map(({ item }) => item),
		{
			options: { maxConcurrency, maxRetries, ...(maxCredits !== undefined && { maxCredits }) },
			credential: { ...credentialFor(service()), apiKey },
			onError: 'continueRegularOutput',
			stop: stop.signal,
		},
	);
	expect(service().violations).toEqual([]);
	if (stopAt === undefined) expect(result.error).toBeUndefined();
	const charged = new Map<string, number>();
	for (const { account, subject, credits } of ledger.charges) {
		if (account === apiKey) charged.set(subject, (charged.get(subject) ?? 0) + credits);
	}
	return {
		inputs,
		output: result.json,
		links: result.items.map(({ pairedItem }) => pairedItem),
		charged,
		requests: requestsOf(service(), bulk.operation).length,
	};
}

/** One output item per input item, in order, linked, and with an answer to its own question if any. */
function expectOwnAnswers(bulk: Bulk, { inputs, output, links }: Outcome): void {
	expect(links).toEqual(inputs.map((_, item) => ({ item })));
	const isOwn = ({ local, asks }: Input, json: IDataObject) =>
		asks === null
			? json.status === local?.status
			: isAnswered(json) || namedIn(bulk, json) !== undefined;
	const firstUnread = output.findIndex((json, index) => !isOwn(inputs[index], json));
	const read = firstUnread < 0 ? inputs : inputs.slice(0, firstUnread);
	// Once the execution is stopped, no more items are read.
	for (const json of output.slice(read.length)) {
		expect(json).toMatchObject({ status: 'not_processed', reason: 'cancelled' });
		expect(namedIn(bulk, json)).toBeUndefined();
	}
	read.forEach(({ asks, local, item }, index) => {
		const json = output[index];
		if (asks === null) {
			expect(json).toMatchObject(local ?? {});
		} else if (isAnswered(json)) {
			const { email, ...rest } = answerIn(json);
			const expected = bulk.answer(asks);
			expect({ ...rest, email: lowerCase(email) }).toEqual(expected);
		} else {
			expect(['failed', 'not_processed']).toContain(json.status);
			expect(json.reason).toEqual(expect.any(String));
			// What was asked comes out with it.
			const asked = String(bulk === findBulk ? item.first : item.email).trim();
			expect(namedIn(bulk, json)).toBe(asked);
		}
	});
}

/** By what an item without an answer names its question. */
function namedIn(bulk: Bulk, { firstName, email }: IDataObject): unknown {
	return bulk === findBulk ? firstName : email;
}

function isAnswered({ status }: IDataObject): boolean {
	return status === 'found' || status === 'verified' || status === 'not_found';
}

function lowerCase(value: unknown): unknown {
	return typeof value === 'string' ? value.toLowerCase() : value;
}

/** The distinct answers that the inputs with such an output cost. */
function billable(
	bulk: Bulk,
	{ inputs, output }: Outcome,
	wanted: (json: IDataObject) => boolean,
): Set<string> {
	const subjects = inputs.map(({ asks }, index) =>
		asks !== null && wanted(output[index]) ? bulk.subject(asks) : null,
	);
	return new Set(subjects.filter((subject) => subject !== null));
}

/** Each answer delivered was charged once, and nothing else was but what these reasons explain. */
function expectNothingLost(bulk: Bulk, outcome: Outcome, explanations: string[]): void {
	const { charged } = outcome;
	expect([...charged].filter(([, credits]) => credits !== 1)).toEqual([]);
	const delivered = billable(bulk, outcome, isAnswered);
	expect([...delivered].filter((subject) => !charged.has(subject))).toEqual([]);
	const explained = billable(
		bulk,
		outcome,
		({ status, reason }) => status === 'failed' && explanations.includes(String(reason)),
	);
	const lost = [...charged.keys()].filter(
		(subject) => !delivered.has(subject) && !explained.has(subject),
	);
	expect(lost).toEqual([]);
}

function expectRequestsWithinLimits(bulk: Bulk, { maxConcurrency }: Circumstances): void {
	for (const request of requestsOf(service(), bulk.operation)) {
		expect(bulk.asked(request, service())).toBeLessThanOrEqual(bulk.perRequest);
		expect(`${request.path}?${request.rawQuery}`.length).toBeLessThanOrEqual(6_000);
	}
	// A connection that was reset ends a little later here than there.
	if (requestsOf(service(), bulk.operation).some(({ status }) => status === null)) return;
	expect(service().maxInFlight).toBeLessThanOrEqual(maxConcurrency);
}

function chargedCredits({ charged }: Outcome): number {
	return [...charged.values()].reduce((sum, credits) => sum + credits, 0);
}

const timeout = 100_000;
/** Bounds the search for the smallest counterexample, too. */
const bounded = { interruptAfterTimeLimit: 60_000, markInterruptAsFailure: true };

describe.each(bulks)('$operation', (bulk) => {
	const { perRequest } = bulk;

	test('undisturbed: the fewest requests, and each answer paid for once', { timeout }, async () => {
		const property = fc.asyncProperty(
			weightedInputs(bulk),
			fc.integer({ min: 1, max: 8 }),
			async (inputs, maxConcurrency) => {
				const outcome = await run(bulk, inputs, { ...undisturbed, maxConcurrency });
				expectOwnAnswers(bulk, outcome);
				const distinct = new Set(inputs.flatMap(({ asks }) => asks ?? []));
				expect(outcome.requests).toBe(Math.ceil(distinct.size / perRequest));
				expect(outcome.output.filter(isAnswered)).toHaveLength(
					inputs.filter(({ asks, local }) => asks !== null || local?.status === 'verified').length,
				);
				expectNothingLost(bulk, outcome, []);
			},
		);
		await fc.assert(property, { ...bounded, numRuns: 15 });
	});

	test('faults that lose no answer: charged is delivered', { timeout }, async () => {
		const property = fc.asyncProperty(
			weightedInputs(bulk),
			circumstances(bulk, harmless),
			async (inputs, given) => {
				const outcome = await run(bulk, inputs, given);
				expectOwnAnswers(bulk, outcome);
				expectNothingLost(bulk, outcome, []);
				expectRequestsWithinLimits(bulk, given);
				expect(chargedCredits(outcome)).toBeLessThanOrEqual(given.maxCredits ?? Infinity);
			},
		);
		await fc.assert(property, { ...bounded, numRuns: 80 });
	});

	test('any fault: what is charged is delivered or explained', { timeout }, async () => {
		const explanations = ['unknown_outcome', 'not_the_service', 'unexpected_answer'];
		const property = fc.asyncProperty(
			weightedInputs(bulk),
			circumstances(bulk, fc.oneof(spoiling, harmless)),
			async (inputs, given) => {
				const outcome = await run(bulk, inputs, given);
				expectOwnAnswers(bulk, outcome);
				expectNothingLost(bulk, outcome, explanations);
				expectRequestsWithinLimits(bulk, given);
				expect(chargedCredits(outcome)).toBeLessThanOrEqual(given.maxCredits ?? Infinity);
			},
		);
		await fc.assert(property, { ...bounded, numRuns: 80 });
	});
});

test('the inputs hold what they are meant to hold', () => {
	expect(verifyBulk.twin(1).email).not.toBe(addressOf(1));
	expect(findBulk.twin(1).domain).not.toBe(leadOf(1).domain);
	const hits = numbers(1_000).filter((number) => findBulk.subject(number) !== null);
	expect(hits.length).toBeGreaterThan(600);
	expect(hits.length).toBeLessThan(800);
});
