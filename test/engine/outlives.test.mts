/**
 * @file Results and jobs outlive the run of a node: in a loop, over a Wait, Retry On Fail and the button Retry. What is
 * shared without any of these is in bought.test.mts, how a job is read in jobs.test.mts.
 */

import type { IDataObject, INodeParameters, IRun } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';

import { forgetRecentAnswers } from '../../nodes/shared/execution/recent.ts';
import type { Fault } from '../emulator/faults.mts';
import {
	contextOf,
	emits,
	looksUp,
	outputsOf,
	spentText,
	toldBy,
	waits,
} from '../support/node/chains.mts';
import { runWorkflow, type NodeResult, type TestWorkflow } from '../support/node/engine.mts';
import {
	answerIn,
	asksFor,
	atOnce,
	expectPaidOnce,
	find,
	findBulk,
	leadOf,
	lookups,
	numbers,
	paidAmong,
	requestsOf,
	runLookup,
	type Lookup,
	type LookupTest,
} from '../support/leads/lookups.mts';
import { useQuickClock } from '../support/node/quickClock.mts';
import { credentialFor, KEY, useService } from '../support/servers/service.mts';

const service = useService();
useQuickClock();

const sent = () => service().requests.length;
const spent = () => service().ledger.total();
const sumOf = (items: IDataObject[]) =>
	items.reduce((sum, { lookupCredits }) => sum + Number(lookupCredits), 0);

/** How a workflow comes to a lookup for the second time: whether a Wait lies between, and whether by the same node. */
const ways = [
	{ way: 'in another node', isLater: false, isSame: false },
	{ way: 'in a loop', isLater: false, isSame: true },
	{ way: 'after a Wait', isLater: true, isSame: false },
	{ way: 'in a loop with a Wait', isLater: true, isSame: true },
];
type Way = (typeof ways)[number];

/** A lookup, and the same one, or another, for other items. */
function twice(
	{ isLater, isSame }: Way,
	lookup: Pick<Lookup, 'node' | 'parameters'>,
	[first, second]: [IDataObject[], IDataObject[]],
	options: INodeParameters = {},
	later = looksUp('Again', lookup, options),
): TestWorkflow {
	const once = looksUp('Once', lookup, options);
	const target = isSame ? once.name : later.name;
	return {
		nodes: [
			{ ...emits('Start', first), position: [0, 0] },
			{ ...once, position: [200, 0] },
			{ ...(isLater ? waits('Between') : emits('Between', [{}])), position: [100, 900] },
			{ ...emits('Items', second), position: [200, 900] },
			...(isSame ? [] : [{ ...later, position: [300, 900] satisfies [number, number] }]),
		],
		connections: ['Start > Once', 'Start > Between', 'Between > Items', `Items > ${target}`],
		credential: credentialFor(service()),
	};
}

/** Runs it to its end; `between` is done at the Wait. Another process may go on after it. */
async function runTwice(
	workflow: TestWorkflow,
	between: (waiting: IRun) => unknown = () => {},
	more: Partial<TestWorkflow> = {},
): Promise<{ first: IDataObject[]; second: IDataObject[]; run: IRun; waiting?: IRun }> {
	const begun = await runWorkflow(workflow);
	const waiting = begun.status === 'waiting' ? begun : undefined;
	if (waiting) await between(waiting);
	forgetRecentAnswers();
	const run = waiting ? await runWorkflow({ ...workflow, ...more, resumes: waiting }) : begun;
	expect(run.status).toBe('success');
	const [first, second] = ['Once', 'Again'].flatMap((name) => outputsOf(run, name));
	return { first, second, run, waiting };
}

/** That answers are stored, and that nothing in the context can be read: no name, no address, no key. */
function expectSealed(run: IRun): void {
	const context = contextOf(run);
	const sealed = [...context.matchAll(/"sealed":"([^"]+)"/g)].map(([, text]) => text);
	expect(sealed.length).toBeGreaterThan(0);
	const decoded = sealed.map((text) => Buffer.from(text, 'base64').toString('latin1'));
	for (const text of [context, ...decoded]) {
		expect(text).not.toMatch(/ann\d{5}|bulk\.example/i);
		expect(text).not.toContain(KEY);
	}
}

describe.each(ways)('$way', (way) => {
	describe.each(lookups)('$operation', (lookup) => {
		const wanted = numbers(lookup.perRequest > 1 ? 130 : 12);
		const items = wanted.map(lookup.item);

		test('buys nothing twice, and tells what it has cost', async () => {
			const both: [IDataObject[], IDataObject[]] = [items, items.toReversed()];
			const { first, second, run, waiting } = await runTwice(twice(way, lookup, both));
			expect(first.map(answerIn)).toEqual(wanted.map(lookup.answer));
			expect(second).toStrictEqual(
				first.toReversed().map((item) => ({ ...item, lookupCredits: 0 })),
			);
			expect(sent()).toBe(Math.ceil(wanted.length / lookup.perRequest));
			expectPaidOnce(service(), lookup, wanted);
			expect(sumOf(first)).toBe(spent());
			expect(toldBy(run)).toBe(spentText(spent()));
			for (const stored of [run, waiting ?? run]) expectSealed(stored);
		});

		test('sends only what is new, within one Max Credits of the node', async () => {
			const paid = paidAmong(lookup, 400).slice(0, 8);
			const both: [IDataObject[], IDataObject[]] = [
				paid.slice(0, 3).map(lookup.item),
				paid.slice(2).map(lookup.item),
			];
			const options = { maxCredits: 4, maxConcurrency: 1 };
			const { second, run } = await runTwice(twice(way, lookup, both, options));
			// Another node has a budget of its own.
			const bought = way.isSame ? 1 : 4;
			const { lookupStatus } = lookup.answer(paid[0]);
			expect(second.map((item) => item.lookupReason ?? item.lookupStatus)).toEqual([
				...numbers(1 + bought).map(() => lookupStatus),
				...numbers(5 - bought).map(() => 'credit_limit'),
			]);
			expect(second[0].lookupCredits).toBe(0);
			expect(sumOf(second)).toBe(bought);
			expectPaidOnce(service(), lookup, paid.slice(0, 3 + bought));
			expect(toldBy(run)).toBe(spentText(3 + bought));
		});
	});

	const wanted = numbers(130);
	const items = wanted.map(leadOf);
	const options = { jobTimeout: 0 };
	const submitted = () => requestsOf(service(), 'findBulk').length;
	/** Each job is done when it is asked for the second time. */
	const takeJobs = (jobPolls = 1) =>
		Object.assign(service().variants, { bulkAnswer: 'job', jobPolls, jobResultShape: 'results' });

	test.each<[how: string, part: number[], later?: Lookup]>([
		['whole', wanted],
		['in part', [7, 120, 3, 7]],
		...(way.isSame ? [] : [['by Find Email', wanted, find] satisfies [string, number[], Lookup]]),
	])('a pending job is collected %s: an item says what its row has cost', async (...row) => {
		const [, part, later] = row;
		takeJobs();
		const again = later && looksUp('Again', later);
		const workflow = twice(way, findBulk, [items, part.map(leadOf)], options, again);
		const { first, second, run, waiting } = await runTwice(workflow);
		expect(first).toMatchObject(
			wanted.map(() => ({ lookupStatus: 'pending', lookupCredits: null })),
		);
		expect(second.map(answerIn)).toEqual(part.map(findBulk.answer));
		const isPaid = (number: number, index: number) =>
			findBulk.subject(number) !== null && part.indexOf(number) === index;
		expect(second.map(({ lookupCredits }) => lookupCredits)).toEqual(
			part.map((number, index) => Number(isPaid(number, index))),
		);
		expect([submitted(), requestsOf(service(), 'find')]).toEqual([2, []]);
		expectPaidOnce(service(), findBulk, wanted);
		expect(toldBy(run)).toBe(spentText(paidAmong(findBulk, 130).length));
		const jobId = String(first[0].lookupJobId);
		// Sealed results may hold these digits by chance.
		if (part === wanted) expect(contextOf(run)).not.toContain(`"${jobId}"`);
		if (!waiting) return;
		expect(toldBy(waiting)).toBe(spentText(0, 130));
		expect(contextOf(waiting)).toContain(`"${jobId}"`);
		expect(contextOf(waiting)).not.toMatch(/ann\d{5}|bulk\.example/i);
	});

	test('a job that goes on is pending as before, and may still cost what it may', async () => {
		takeJobs(1_000_000);
		const { first, second, run } = await runTwice(twice(way, findBulk, [items, items], options));
		expect(second).toStrictEqual(first);
		expect(submitted()).toBe(2);
		expect(toldBy(run)).toBe(spentText(0, 130));
	});
});

/** How n8n runs a node again that has stopped the workflow. */
const repeats = ['Retry On Fail', 'Retry'] as const;

describe.each(repeats)('%s', (repeat) => {
	/** Runs a lookup that stops where it is incomplete, and once more. */
	async function repeated(
		lookup: Lookup,
		wanted: number[],
		options: INodeParameters = {},
		between: (failed: NodeResult) => unknown = () => {},
	): Promise<NodeResult> {
		const run = async (test: LookupTest = {}) =>
			await runLookup(lookup, service(), wanted.map(lookup.item), {
				options: { maxConcurrency: 1, maxRetries: 1, incompleteRun: 'fail', ...options },
				...test,
			});
		if (repeat === 'Retry On Fail') return await run({ retryOnFail: true, maxTries: 2 });
		const failed = await run();
		expect(failed.error).toBeDefined();
		await between(failed);
		// Another process may retry it.
		forgetRecentAnswers();
		return await run({ retryOf: failed.run });
	}

	describe.each(lookups)('of $operation', (lookup) => {
		const { perRequest, operation, credits } = lookup;
		const wanted = numbers(3 * perRequest);
		const where = asksFor(perRequest);
		const isBulk = perRequest > 1;
		/** The halves of the request that hold the item that is refused, down to the item itself. */
		const halvings = Math.ceil(Math.log2(perRequest));
		const fail =
			(fault: Fault, times = 1) =>
			() =>
				service().faults.add({ ...fault, on: { where, times } });

		/** Runs out of credits, and is topped up after the refusal. */
		function runOut(): void {
			const { options, ledger, requests } = service();
			options.creditsLeft = { [credits]: perRequest + 10 };
			let toppedUp = false;
			service().onRequest(() => {
				if (toppedUp || !requests.some(({ status }) => status === 402)) return;
				toppedUp = true;
				ledger.topUp(1_000, credits);
			});
		}

		/** What happens to the second request; how many are sent in all, and how many questions the last one asks. */
		type Trouble = [string, () => unknown, requests?: number, last?: number];
		const troubles: Trouble[] = [
			['a 429 for an hour', fail({ status: 429, ...atOnce, seconds: 3_600 })],
			['a 503 to the last', fail({ status: 503, ...atOnce }, 2), 5],
			['a 409', fail({ status: 409 })],
			['a 401', fail({ status: 401 })],
			['a web page', fail({ body: 'html' })],
			['half an answer', fail({ body: 'truncated', status: 200 })],
		];
		const ofBulk: Trouble[] = [
			['a 400 of one item', fail({ status: 400 }, 1 + halvings), 4 + 2 * halvings, 1],
			// The last credits are used before: by a Finder in several requests, as a miss leaves them.
			credits === 'email'
				? ['a 402 and a top-up', runOut, 7, 41]
				: ['a 402 and a top-up', runOut, 5, 40],
			['a lost connection', fail({ reset: 'before-charge' })],
			['a connection lost after the charge', fail({ reset: 'after-charge' })],
			['a missing row', fail({ rows: 'missing' }), 4, 1],
		];

		test.each([...troubles, ...(isBulk ? ofBulk : [])])(
			'after %s sends only what has no answer, and pays nothing twice',
			async (what, arrange, requests = 4, last = perRequest) => {
				arrange();
				const isKnown = /^a \d/.test(what);
				let before = 0;
				const { json, error, run } = await repeated(lookup, wanted, {}, (failed) => {
					before = spent();
					expectSealed(failed.run);
					if (isKnown) expect(toldBy(failed.run)).toBe(spentText(before));
				});
				expect(error).toBeUndefined();
				expect(json.map(answerIn)).toEqual(wanted.map(lookup.answer));
				const sent = requestsOf(service(), operation);
				expect(sent).toHaveLength(requests);
				expect(lookup.asked(sent[sent.length - 1], service())).toBe(last);
				// What was charged and not delivered is charged again.
				const isLost = /charge|row/.test(what);
				const again = isLost ? wanted.slice(2 * perRequest - last, 2 * perRequest) : [];
				expectPaidOnce(service(), lookup, [...wanted, ...again]);
				// A retry is an execution of its own, and tells what it has spent itself.
				if (repeat === 'Retry') expect(sumOf(json)).toBe(spent() - before);
				if (isKnown) expect(toldBy(run)).toBe(spentText(spent() - before));
			},
		);

		test('begins a new Max Credits, or goes on with the one of its execution', async () => {
			const paid = paidAmong(lookup, 400).slice(0, 12);
			const { error } = await repeated(lookup, paid, { maxCredits: 4 });
			expect(error?.message).toContain('Max Credits');
			expectPaidOnce(service(), lookup, paid.slice(0, repeat === 'Retry' ? 8 : 4));
		});
	});

	test('of a job that is pending collects it, and buys nothing', async () => {
		const wanted = numbers(130);
		Object.assign(service().variants, { bulkAnswer: 'job', jobPolls: 1 });
		const { json, run } = await repeated(findBulk, wanted, { jobTimeout: 0 }, ({ error }) => {
			expect(error?.description).toMatch(/Unfinished jobs: 90\d\d, 90\d\d\./);
		});
		// The execution before has paid for it.
		expect(toldBy(run)).toBe(spentText(repeat === 'Retry' ? 0 : spent()));
		expect(json.map(answerIn)).toEqual(wanted.map(findBulk.answer));
		expect(json.map(({ lookupCredits }) => lookupCredits)).toEqual(
			wanted.map((number) => (findBulk.subject(number) === null ? 0 : 1)),
		);
		expect(requestsOf(service(), 'findBulk')).toHaveLength(2);
		expect(requestsOf(service(), 'getBulkJob')).toHaveLength(4);
		expectPaidOnce(service(), findBulk, wanted);
	});
});

test('Retry On Fail sends the rows again of a job that fails in the end', async () => {
	const { variants } = service();
	Object.assign(variants, { bulkAnswer: 'job', jobPolls: 1 });
	const submitted = () => requestsOf(service(), 'findBulk').length;
	// The first job is bound to fail; the job of the third try is not.
	service().onRequest(() => {
		variants.jobOutcome = submitted() > 1 ? 'completed' : 'failed';
	});
	const { json } = await runLookup(findBulk, service(), numbers(3).map(leadOf), {
		options: { jobTimeout: 0, incompleteRun: 'fail' },
		retryOnFail: true,
		maxTries: 4,
	});
	expect(json.map(answerIn)).toEqual(numbers(3).map(findBulk.answer));
	expect(submitted()).toBe(2);
	expectPaidOnce(service(), find, numbers(3));
});
