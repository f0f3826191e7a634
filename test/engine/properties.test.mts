/**
 * @file Random lists, random faults, random options, judged by the ledger and the wire log: each item has its own answer,
 * in the fewest requests; what is charged is delivered; caps and floors hold; over Waits nothing is paid twice.
 */

import fc from 'fast-check';
import type { IDataObject, IRun } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';

import type { Effect, Fault, Trigger } from '../emulator/faults.mts';
import { creditKinds } from '../emulator/ledger.mts';
import {
	chain,
	collects,
	emits,
	looksUp,
	runOverWaits,
	toldBy,
	waits,
} from '../support/node/chains.mts';
import type { TestNode } from '../support/node/engine.mts';
import {
	answerIn,
	bulks,
	findBulk,
	lookups,
	requestsOf,
	runLookup,
	subjectsOf,
	whenSent,
	type Bulk,
} from '../support/leads/lookups.mts';
import { useQuickClock } from '../support/node/quickClock.mts';
import { credentialFor, KEY, openAccount, useService } from '../support/servers/service.mts';

const service = useService();
useQuickClock();

/** Bounds the search for the smallest counterexample, too. */
const bounded = { interruptAfterTimeLimit: 60_000, markInterruptAsFailure: true };

/** An input item, and what is known of its answer without looking at our code. */
interface Input {
	item: IDataObject;
	/** The number of the question that it asks; null if it lacks what the operation needs. */
	asks: number | null;
	/** The fields that its output item must have when it is answered without a request. */
	local?: IDataObject;
}

/** How the service and the user behave in a run; an option that is undefined is not added. */
interface Circumstances {
	faults: Fault[];
	maxConcurrency: number;
	maxRetries: number;
	maxCredits?: number;
	/** The account has so many credits; undefined for plenty. */
	creditsLeft?: number;
	/** The execution is stopped when so many requests have arrived; undefined for never. */
	stopAt?: number;
}

/** Input items that are no questions. */
const junk: Record<Bulk['operation'], Input[]> = {
	findBulk: [
		{},
		{ first: 'Ada', last: 'Lovelace' },
		{ first: ' ', last: '\t', domain: 'c1.bulk.example' },
		{ first: 'Ada', last: 'Lovelace', domain: 'n/a' },
		{ first: ['Ada'], last: { of: 'Lovelace' }, domain: true },
		{ first: null, last: null, domain: null },
	].map((item) => ({ item, asks: null, local: { status: 'invalid_input' } })),
	verifyBulk: [
		...[{}, { email: '  ' }, { email: null }].map((item) => ({ item, status: 'skipped' })),
		{ item: { email: ['a@c1.bulk.example'] }, status: 'invalid_input' },
		...['no-at-sign', 'no-domain@', 'white space@c1.bulk.example', '12'].map((email) => {
			return { item: { email }, status: 'verified', email, emailStatus: 'invalid' };
		}),
	].map(({ item, ...local }) => ({ item, asks: null, local })),
};

/** Inputs among which about every third question is there more than once; now and then a few hundred. */
function inputsOf(bulk: Bulk): fc.Arbitrary<Input[]> {
	const some = (minLength: number, maxLength: number) => {
		const question = fc
			.tuple(fc.nat(maxLength), fc.boolean())
			.map(([asks, twin]): Input => ({ item: (twin ? bulk.twin : bulk.item)(asks), asks }));
		const input = fc.oneof(
			{ weight: 9, arbitrary: question },
			{ weight: 1, arbitrary: fc.constantFrom(...junk[bulk.operation]) },
		);
		return fc.array(input, { minLength, maxLength, size: 'max' });
	};
	return fc.oneof(
		{ weight: 12, arbitrary: some(0, 12) },
		{ weight: 7, arbitrary: some(0, 2.5 * bulk.perRequest) },
		{ weight: 1, arbitrary: some(500, 1_000) },
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

const anything = fc.oneof(spoiling, harmless);

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

function circumstances(bulk: Bulk, effect?: fc.Arbitrary<Effect>): fc.Arbitrary<Circumstances> {
	const maxConcurrency = fc.integer({ min: 1, max: 8 });
	if (!effect)
		return fc.record({ maxConcurrency, maxRetries: fc.constant(2), faults: fc.constant([]) });
	const credits = fc.integer({ min: 1, max: 3 * bulk.perRequest });
	const often = { freq: 3, nil: undefined };
	return fc.record({
		faults: faultsOf(effect),
		maxConcurrency,
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
}

async function run(bulk: Bulk, inputs: Input[], given: Circumstances): Promise<Outcome> {
	service().reset();
	const { faults, options, ledger, violations } = service();
	const apiKey = openAccount(service());
	const { creditsLeft, stopAt, faults: planned, maxCredits, ...pace } = given;
	if (creditsLeft !== undefined) options.creditsLeft = { [bulk.credits]: creditsLeft };
	for (const fault of planned) faults.add(structuredClone(fault));
	const stop = new AbortController();
	if (stopAt !== undefined) whenSent(service(), stopAt, () => stop.abort());
	const items = inputs.map(({ item }) => item);
	const result = await runLookup(bulk, service(), items, {
		options: { ...pace, ...(maxCredits !== undefined && { maxCredits }) },
		credential: { ...credentialFor(service()), apiKey },
		onError: 'continueRegularOutput',
		stop: stop.signal,
	});
	expect(violations).toEqual([]);
	if (stopAt === undefined) expect(result.error).toBeUndefined();
	const charged = new Map<string, number>();
	for (const { account, subject, credits } of ledger.charges) {
		if (account === apiKey) charged.set(subject, (charged.get(subject) ?? 0) + credits);
	}
	const links = result.items.map(({ pairedItem }) => pairedItem);
	return { inputs, output: result.json, links, charged };
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
			const email = typeof json.email === 'string' ? json.email.toLowerCase() : json.email;
			expect({ ...answerIn(json), email }).toEqual(bulk.answer(asks));
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

/** The distinct answers that the inputs with such an output cost. */
function billable(
	bulk: Bulk,
	{ inputs, output }: Outcome,
	wanted: (json: IDataObject) => boolean,
): Set<string> {
	const asked = inputs.flatMap(({ asks }, index) =>
		asks !== null && wanted(output[index]) ? [asks] : [],
	);
	return new Set(subjectsOf(bulk, asked));
}

/** Each answer delivered was charged once, and nothing else was but what these reasons explain. */
function expectNothingLost(bulk: Bulk, outcome: Outcome, explanations: string[]): void {
	const { charged } = outcome;
	expect([...charged].filter(([, credits]) => credits !== 1)).toEqual([]);
	const delivered = billable(bulk, outcome, isAnswered);
	expect([...delivered].filter((subject) => !charged.has(subject))).toEqual([]);
	const isExplained = ({ status, reason }: IDataObject) =>
		status === 'failed' && explanations.includes(String(reason));
	const explained = billable(bulk, outcome, isExplained);
	const accounted = new Set([...delivered, ...explained]);
	expect([...charged.keys()].filter((subject) => !accounted.has(subject))).toEqual([]);
}

function expectWithinLimits(
	bulk: Bulk,
	{ charged }: Outcome,
	{ maxConcurrency, maxCredits = Infinity }: Circumstances,
): void {
	const credits = [...charged.values()].reduce((sum, one) => sum + one, 0);
	expect(credits).toBeLessThanOrEqual(maxCredits);
	const requests = requestsOf(service(), bulk.operation);
	for (const request of requests) {
		expect(bulk.asked(request, service())).toBeLessThanOrEqual(bulk.perRequest);
		expect(`${request.path}?${request.rawQuery}`.length).toBeLessThanOrEqual(6_000);
	}
	// A connection that was reset ends a little later here than there.
	if (requests.some(({ status }) => status === null)) return;
	expect(service().maxInFlight).toBeLessThanOrEqual(maxConcurrency);
}

const LOST = ['unknown_outcome', 'not_the_service', 'unexpected_answer'];

describe.each(bulks)('$operation', (bulk) => {
	test.each<[string, numRuns: number, effect?: fc.Arbitrary<Effect>, explanations?: string[]]>([
		['undisturbed: the fewest requests, and each answer paid for once', 15],
		['faults that lose no answer: charged is delivered', 80, harmless],
		['any fault: what is charged is delivered or explained', 80, anything, LOST],
	])('%s', { timeout: 100_000 }, async (_, numRuns, effect, explanations = []) => {
		const property = fc.asyncProperty(
			inputsOf(bulk),
			circumstances(bulk, effect),
			async (inputs, given) => {
				const outcome = await run(bulk, inputs, given);
				expectOwnAnswers(bulk, outcome);
				expectNothingLost(bulk, outcome, explanations);
				expectWithinLimits(bulk, outcome, given);
				if (effect) return;
				const distinct = new Set(inputs.flatMap(({ asks }) => asks ?? []));
				expect(service().requests).toHaveLength(Math.ceil(distinct.size / bulk.perRequest));
				expect(outcome.output.filter(isAnswered)).toHaveLength(
					inputs.filter(({ asks, local }) => asks !== null || local?.status === 'verified').length,
				);
			},
		);
		await fc.assert(property, { ...bounded, numRuns });
	});
});

/** What has happened in all runs, to see that they meet what they are to. */
function expectMet(seen: Record<string, number>): void {
	for (const times of Object.values(seen)) expect(times).toBeGreaterThan(10);
}

/** Leads of a random lookup: single lookups ask for few, as each is a request. */
const leadsOfAny = (most: number, mostSingle: number) =>
	fc
		.record({
			lookup: fc.constantFrom(...lookups),
			wanted: fc.array(fc.nat(most), { minLength: 1, maxLength: 120, size: 'max' }),
		})
		.map(({ lookup, wanted }) => ({
			lookup,
			items: wanted.slice(0, lookup.perRequest > 1 ? 120 : mostSingle).map(lookup.item),
		}));

const capOption = (maxCredits: number | undefined) => maxCredits !== undefined && { maxCredits };
const bulkAnswer = fc.constantFrom('rows' as const, 'job' as const);

describe('Keep Credits, whatever goes wrong, and however many executions there are at once', () => {
	const effects: Effect[] = [
		...[503, 422, 402].map((status) => ({ status })),
		{ status: 429, retryAfter: 'seconds', seconds: 0 },
		...(['before-charge', 'after-charge'] as const).map((reset) => ({ reset })),
		...(['cut-off', 'truncated'] as const).map((body) => ({ body, charge: true })),
		...(['missing', 'doubled'] as const).map((rows) => ({ rows })),
	];
	const execution = fc.record({
		of: leadsOfAny(150, 25),
		options: fc.record({ keepCredits: fc.nat(40), maxConcurrency: fc.integer({ min: 1, max: 4 }) }),
		maxCredits: fc.option(fc.nat(40), { nil: undefined, freq: 3 }),
		stopsAfter: fc.option(fc.integer({ min: 1, max: 8 }), { nil: undefined, freq: 3 }),
	});
	const fault = fc.record({
		effect: fc.constantFrom(...effects),
		nth: fc.integer({ min: 2, max: 9 }),
	});
	const scene = fc.record({
		executions: fc.array(execution, { minLength: 1, maxLength: 3 }),
		faults: fc.array(fault, { maxLength: 3 }),
		variants: fc.record({ accountShape: fc.constantFrom('full', 'credits'), bulkAnswer }),
		left: fc.integer({ min: 20, max: 70 }),
	});

	test('no account comes below its floor', { timeout: 180_000 }, async () => {
		const seen = { floor: 0, spent: 0, together: 0, exactly: 0, stopped: 0 };
		const property = fc.asyncProperty(scene, async ({ executions, faults, variants, left }) => {
			service().reset();
			const creditsLeft = { email: left, verifier: left, search: left };
			Object.assign(service().options, { creditsLeft, latencyMs: 1 });
			Object.assign(service().variants, { ...variants, jobPolls: 1 });
			for (const { effect, nth } of faults) {
				const where: Trigger['where'] = ({ operation }) => operation !== 'getAccount';
				service().faults.add({ ...effect, on: { nth, where } });
			}
			const results = await Promise.all(
				executions.map(async ({ of: { lookup, items }, options, stopsAfter, maxCredits }) => {
					const stop = new AbortController();
					if (stopsAfter) whenSent(service(), stopsAfter, () => stop.abort());
					return await runLookup(lookup, service(), items, {
						options: { ...options, maxRetries: 1, ...capOption(maxCredits) },
						onError: 'continueRegularOutput',
						stop: stop.signal,
					});
				}),
			);
			for (const kind of ['email', 'verifier'] as const) {
				const own = executions.filter(({ of: { lookup } }) => lookup.credits === kind);
				if (own.length === 0) continue;
				const most = left - Math.min(...own.map(({ options }) => options.keepCredits));
				const spent = service().ledger.spent(KEY, kind);
				expect(spent).toBeLessThanOrEqual(Math.max(0, most));
				if (spent > 0) seen.spent++;
				if (spent === most) seen.exactly++;
			}
			if (executions.length > 1) seen.together++;
			if (results.some(({ run: { status } }) => status === 'canceled')) seen.stopped++;
			const reasons = results.flatMap(({ json }) => json.map(({ reason }) => reason));
			if (reasons.includes('credit_floor')) seen.floor++;
		});
		await fc.assert(property, { numRuns: 200 });
		expectMet(seen);
	});
});

describe('over its Waits an execution', () => {
	/** What one part of the workflow does; Get Bulk Job collects what is pending, right behind it or after a Wait. */
	const step = fc.record({
		of: leadsOfAny(130, 8),
		collected: fc.constantFrom('at once', 'later', 'not'),
		hasWait: fc.boolean(),
		maxCredits: fc.option(fc.nat(60), { nil: undefined, freq: 3 }),
	});

	function nodesOf({ of, collected, hasWait, maxCredits }: Step, index: number): TestNode[] {
		const { lookup, items } = of;
		const isBulk = lookup.operation === 'findBulk';
		const options = {
			...{ maxRetries: 0, maxConcurrency: 2, ...capOption(maxCredits) },
			...(isBulk && { jobTimeout: 0 }),
		};
		const parameters = { ...lookup.parameters, includeInputFields: true };
		const isCollected = isBulk && collected !== 'not';
		return [
			emits(index === 0 ? 'Start' : `Items ${index}`, items),
			looksUp(`Look Up ${index}`, { ...lookup, parameters }, options),
			...(isCollected && collected === 'later' ? [waits(`Wait for Job ${index}`)] : []),
			...(isCollected ? [collects(`Collect ${index}`)] : []),
			...(hasWait ? [waits(`Wait ${index}`)] : []),
		];
	}
	type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

	const SAFE: Effect[] = [
		...[503, 422, 402].map((status) => ({ status })),
		{ reset: 'before-charge' },
		...(['doubled', 'unknown', 'shuffled'] as const).map((rows) => ({ rows })),
	];
	/** After these the same lead may be asked again, and paid again: nobody knows whether it was. */
	const UNCLEAR: Effect[] = [{ reset: 'after-charge' }, { rows: 'missing' }];
	const fault = fc.record({
		effect: fc.constantFrom(...SAFE, ...UNCLEAR),
		nth: fc.integer({ min: 1, max: 6 }),
	});
	const scene = fc.record({
		steps: fc.array(step, { minLength: 2, maxLength: 4 }),
		faults: fc.array(fault, { maxLength: 2 }),
		variants: fc.record({ bulkAnswer, jobPolls: fc.nat(2) }),
	});

	/** The least and the most that an execution tells to have cost. */
	function rangeOf(run: IRun): [least: number, most: number] {
		const told = toldBy(run) ?? '0 credits spent';
		const [, least, most = least] = /^(\d+)(?: to (\d+))? credits? spent$/.exec(told) ?? [];
		return [Number(least), Number(most)];
	}

	test('pays nothing twice and tells its costs', { timeout: 180_000 }, async () => {
		const seen = { waits: 0, collected: 0, unclear: 0, exact: 0, ranges: 0 };
		const property = fc.asyncProperty(scene, async ({ steps, faults, variants }) => {
			service().reset();
			Object.assign(service().variants, { ...variants, jobResultShape: 'results' });
			for (const { effect, nth } of faults) service().faults.add({ ...effect, on: { nth } });
			const runs = await runOverWaits(chain(steps.flatMap(nodesOf), credentialFor(service())));
			expect(runs.at(-1)?.status).toBe('success');
			const ranges = runs.map(rangeOf);
			for (const [least, most] of ranges) expect(least).toBeLessThanOrEqual(most);
			const total = service().ledger.total();
			const [least, most] = ranges[ranges.length - 1];
			expect(least).toBeLessThanOrEqual(total);
			expect(most).toBeGreaterThanOrEqual(total);
			const isUnclear = faults.some(({ effect }) => UNCLEAR.includes(effect));
			const isLost = faults.some(({ effect }) => 'reset' in effect);
			const isJob = variants.bulkAnswer === 'job';
			// Where nothing is lost and no job goes on, there is nothing that is not known.
			if (!isJob && !isUnclear && !isLost) expect([least, most]).toEqual([total, total]);
			const paid = service().ledger.charges.map(
				({ operation, subject }) => `${creditKinds[operation]} ${subject}`,
			);
			if (!isUnclear) expect(new Set(paid).size).toBe(paid.length);
			seen.waits += runs.length - 1;
			if (isUnclear) seen.unclear++;
			if (isJob && steps.some(({ collected }) => collected !== 'not')) seen.collected++;
			seen[least === most ? 'exact' : 'ranges']++;
		});
		const bound = { interruptAfterTimeLimit: 120_000, markInterruptAsFailure: false };
		await fc.assert(property, { ...bound, numRuns: 150 });
		expectMet(seen);
	});
});
