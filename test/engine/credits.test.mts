/**
 * @file What items say of `lookupCredits`, and executions of their costs, is what the service has charged: over the days for
 * rows that are kept, over Waits, retries and loops, and in the moment of a stop. Random workflows are in chaos.test.mts.
 */

import type { IDataObject, INodeParameters, IRun } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';

import { expectedVerification } from '../emulator/addresses.mts';
import type { Effect } from '../emulator/faults.mts';
import type { WireRequest } from '../emulator/wireLog.mts';
import {
	chain,
	emits,
	looksUp,
	outputOf,
	runOverWaits,
	spentText,
	toldBy,
	waits,
} from '../support/node/chains.mts';
import { runWorkflow, type TestNode } from '../support/node/engine.mts';
import {
	addressOf,
	continues,
	find,
	findBulk,
	leadOf,
	everyLookup,
	numbers,
	runInLoop,
	runLookup,
	subjectsOf,
	takeOneJob,
	verify,
	verifyBulk,
	whenSent,
	withJobs,
	type AnyLookup,
	type Lookup,
} from '../support/leads/lookups.mts';
import { useQuickClock } from '../support/node/quickClock.mts';
import { credentialFor, useService } from '../support/servers/service.mts';

const service = useService();
const clock = useQuickClock();

const HOUR = 60 * 60_000;

const sum = (costs: unknown[]) => costs.reduce<number>((all, cost) => all + Number(cost), 0);

describe('daily runs over rows that are kept', () => {
	const rows = numbers(40);
	const hits = rows.filter((number) => findBulk.subject(number) !== null);
	const unknown = hits.filter((n) => expectedVerification(addressOf(n)).email_status === 'unknown');
	const [all, due] = [hits.length, unknown.length];

	/** Finder and verifier, which take what they know from the fields of the items. */
	async function runLine(items: IDataObject[]) {
		const node = (name: string, { node, parameters, existing }: Lookup) => {
			const all = { ...parameters, includeInputFields: true, ...existing };
			// By the quick clock an answer takes its time.
			const slow = { ...all, requestOptions: { timeout: 3_600_000 } };
			return looksUp(name, { node, parameters: slow }, { refreshAfterDays: 90, maxRetries: 0 });
		};
		const nodes = [emits('Start', items), node('Find', findBulk), node('Verify', verifyBulk)];
		const run = await runWorkflow(chain(nodes, credentialFor(service())));
		expect(run.data.resultData.error).toBeUndefined();
		return outputOf(run, 'Verify');
	}

	const bad: Array<Effect | undefined> = [
		undefined,
		...[400, 402, 404, 500].map((status) => ({ status })),
		{ reset: 'before-charge' },
	];

	test.each(bad)('with %j on a day', async (effect) => {
		// Columns of the lead itself say nothing of a lookup.
		const own = { status: 'pending', credits: 100, jobId: '9001' };
		let kept: IDataObject[] = rows.map((number) => ({ number, ...leadOf(number), ...own }));
		const bill: number[] = [];
		for (const day of [1, 2, 3, 4]) {
			service().faults.clear();
			if (effect && day === 3) service().faults.add(effect);
			const before = service().ledger.total();
			kept = await runLine(kept);
			bill.push(service().ledger.total() - before);
			for (const row of kept) {
				const number = Number(row.number);
				const charged = service().ledger.bySubject().get(addressOf(number)) ?? 0;
				if (row.lookupCredits !== null) expect(row.lookupCredits).toBe(charged);
				else expect(effect).toHaveProperty('reset');
				expect(row).toMatchObject(own);
				if (!hits.includes(number)) continue;
				const { email_status: emailStatus } = expectedVerification(addressOf(number));
				expect(row).toMatchObject({ email: addressOf(number), emailStatus });
			}
			clock.forward(24 * HOUR - 10 * 60_000);
		}
		// What the finder says is unknown is verified at once, and again each day; that day was lost.
		expect(bill).toEqual([all + due, due, effect ? 0 : due, due]);
		expect(due).toBeGreaterThan(0);
	});
});

/** A job is not finished when it is asked for the first time. */
const jobs = { jobPolls: 1, jobResultShape: 'results' } as const;
const pending = { jobTimeout: 0, maxConcurrency: 1, maxRetries: 0 };

/** How many credits these leads cost. */
const costOf = (wanted: number[]) => subjectsOf(findBulk, wanted).length;
const itemsOf = (wanted: number[]) => wanted.map(leadOf);

/** A lookup for leads of its own. */
const finds = (name: string, wanted: number[]) => [
	emits(`Leads of ${name}`, itemsOf(wanted)),
	looksUp(name, findBulk, pending),
];
const verifies = (
	name: string,
	length: number,
	...how: [INodeParameters?, TestNode['onError']?]
) => [
	emits(`Emails of ${name}`, numbers(length, 500).map(verifyBulk.item)),
	looksUp(name, verifyBulk, ...how),
];
const line = (...nodes: TestNode[]) =>
	chain([emits('Start', [{}]), ...nodes], credentialFor(service()));

describe('what an execution tells that it has cost', () => {
	const wanted = numbers(150);
	const lose = () => service().faults.add({ reset: 'after-charge', on: { operation: 'findBulk' } });

	test('two jobs that are done one after the other, at each of its Waits and at its end', async () => {
		Object.assign(service().variants, { ...jobs, bulkAnswer: 'job' });
		const ofFirst = wanted.slice(0, 100);
		const runs = await runOverWaits(
			line(
				...[...finds('Find', wanted), waits(), ...finds('First', ofFirst)],
				...[waits('Later'), ...finds('Second', wanted)],
			),
		);
		expect(runs.map(toldBy)).toEqual([
			spentText(0, 150),
			spentText(costOf(ofFirst), costOf(ofFirst) + 50),
			spentText(costOf(wanted)),
		]);
		expect(service().ledger.total()).toBe(costOf(wanted));
	});

	test('a lost connection may have cost, but a retry does not tell what the one before may have spent', async () => {
		lose();
		service().faults.add({ status: 503, on: { operation: 'verifyBulk', nth: 2 } });
		const strict = { incompleteRun: 'fail', maxRetries: 0 };
		const workflow = line(
			...[...finds('Find', wanted.slice(0, 20)), waits(), ...verifies('One', 5)],
			...verifies('Two', 6, strict, 'stopWorkflow'),
			...[waits('Later'), ...verifies('Three', 8)],
		);
		const [waiting, failed] = await runOverWaits(workflow);
		expect([waiting, failed].map(toldBy)).toEqual([spentText(0, 20), spentText(5, 25)]);
		expect(failed.status).toBe('error');
		const again = await runWorkflow({ ...workflow, retryOf: failed });
		const ended = await runWorkflow({ ...workflow, resumes: again });
		expect([again, ended].map(toldBy)).toEqual([spentText(1), spentText(3)]);
		expect(ended.status).toBe('success');
	});
});

describe.each(withJobs)('Max Credits of $operation that has left a job', (lookup) => {
	const costOf = (wanted: number[]) => subjectsOf(lookup, wanted).length;
	const isHit = (number: number) => costOf([number]) === 1;
	const hits = numbers(400).filter(isHit);
	const misses = numbers(400).filter((number) => !isHit(number));
	const ofJob = [...hits.slice(0, 4), ...misses.slice(0, 6)];
	const second = [...ofJob, ...hits.slice(4, 7)];
	const third = [...second, ...hits.slice(7, 12)];
	const limited = (many: number) => numbers(many).map(() => 'credit_limit');
	const found = (many: number) => numbers(many).map(() => 'found');

	const answers = ofJob.map((number) => lookup.answer(number).lookupStatus);
	const waiting = ofJob.map(() => 'pending');

	test.each<[string, jobPolls: number, outputs: unknown[][], certain: number]>([
		// The run that collects the job has no room before it knows what the job has cost.
		[
			'what the job did not cost, once, from the next run on',
			1,
			[
				[...answers, ...limited(3)],
				[...answers, ...found(6), ...limited(2)],
			],
			10,
		],
		[
			'nothing of it as long as the job goes on',
			1_000_000,
			[
				[...waiting, ...limited(3)],
				[...waiting, ...limited(8)],
			],
			0,
		],
	])('has %s', async (_, jobPolls, outputs, certain) => {
		takeOneJob(service(), lookup);
		Object.assign(service().variants, { ...jobs, jobPolls });
		const leads = [ofJob, second, third].map((wanted) => wanted.map(lookup.item));
		const options = { ...pending, maxCredits: 10 };
		const { run, rounds } = await runInLoop(lookup, service(), leads, { options, ...continues });
		expect(rounds[0].summary).toContain('Up to 10 credits used');
		const [, ...later] = rounds.map(({ json }) =>
			json.map(({ lookupReason, lookupStatus }) =>
				lookupStatus === 'pending' ? lookupStatus : (lookupReason ?? lookupStatus),
			),
		);
		expect(later).toEqual(outputs);
		expect(toldBy(run)).toBe(spentText(certain, 10));
		expect(service().ledger.total()).toBe(certain || costOf(ofJob));
	});
});

describe('at a stop', () => {
	/** How many requests are in progress. */
	const AT_ONCE = 3;

	const costsIn = (run: IRun) => run.data.resultData.metadata?.contact_data_credits;

	/** Runs a lookup that is stopped; gives what is told in the moment of the stop, and at the end. */
	async function runUntil(stop: AbortController, { item, ...lookup }: AnyLookup, length: number) {
		const saved: unknown[] = [];
		const { run } = await runLookup(lookup, service(), numbers(length).map(item), {
			options: { maxConcurrency: AT_ONCE },
			stop: stop.signal,
			save: (atStop) => saved.push(costsIn(atStop)),
		});
		return [...saved, costsIn(run)];
	}

	test.each(everyLookup)('$operation tells what is spent, and what may be', async (lookup) => {
		const length = Math.max(20, 8 * lookup.perRequest);
		const { requests, faults, ledger } = service();
		const stop = new AbortController();
		let inProgress: WireRequest[] = [];
		// By the real clock. As many answers as there are requests at once have come when so many more are sent.
		faults.add({ delayMs: 300, on: { where: () => requests.length > AT_ONCE } });
		whenSent(service(), 2 * AT_ONCE, () => {
			inProgress = requests.filter(({ finishedAt }) => finishedAt === null);
			stop.abort();
		});
		const told = await runUntil(stop, lookup, length);
		const isAnswered = (id: number) => !inProgress.some((request) => request.id === id);
		const answered = ledger.charges.filter(({ requestId }) => isAnswered(requestId));
		const least = sum(answered.map(({ credits }) => credits));
		const more = sum(inProgress.map((request) => lookup.asked(request, service())));
		expect(Math.min(least, more)).toBeGreaterThan(0);
		expect(told).toEqual(
			[least, ledger.total()].map((low, end) => {
				return spentText(low, end ? low : least + more);
			}),
		);
	});

	test.each<[string, Effect, after: number, told: unknown[]]>([
		[
			'that waits after a refusal has cost nothing',
			{ status: 503, retryAfter: 'seconds', seconds: 50 },
			10_000,
			[undefined, undefined],
		],
		[
			'whose answer is cut off may have been charged, and counts once',
			{ body: 'cut-off', charge: true },
			0,
			[spentText(0, 1), spentText(0, 1)],
		],
	])('a request %s', async (_, effect, after, told) => {
		service().faults.add(effect);
		service().options.latencyMs = 50;
		const stop = new AbortController();
		whenSent(service(), 1, () => setTimeout(() => stop.abort(), after));
		expect(await runUntil(stop, find, 1)).toEqual(told);
		expect(service().requests).toHaveLength(1);
	});

	test('all nodes of the execution count; those that spent nothing are not named', async () => {
		const items = numbers(20).map((number) => ({ ...find.item(number), ...verify.item(number) }));
		const stop = new AbortController();
		whenSent(service(), items.length + 8, () => stop.abort());
		const nodes = [
			...[emits('Start', items), looksUp('Find', find)],
			...[emits('Again', items), looksUp('Find Again', find)],
			...[emits('Emails', items), looksUp('Verify', verify)],
		];
		const line = chain(nodes, credentialFor(service()));
		const run = await runWorkflow({ ...line, stop: stop.signal });
		const { ledger } = service();
		const [found, verified] = [ledger.total('find'), ledger.total('verify')];
		expect(Math.min(found, verified)).toBeGreaterThan(0);
		expect(costsIn(run)).toBe(`${spentText(ledger.total())} (Find: ${found}, Verify: ${verified})`);
	});
});

test('credits that run out are told by the next node, and what was found is not paid for again', async () => {
	const leads = numbers(60);
	const parameters = { leadFields: 'auto', includeInputFields: true };
	service().options.creditsLeft = { email: 10 };
	const rows = leads.map(leadOf).map(({ first, last, ...row }) => ({
		...{ firstName: first, lastName: last },
		...row,
	}));
	const first = await runLookup(findBulk, service(), rows, { parameters });
	expect(service().ledger.total()).toBe(10);
	const unsent = first.json.filter(({ lookupStatus }) => lookupStatus === 'not_processed').length;
	const next = await runLookup(verifyBulk, service(), first.json, { parameters });
	expect(next.hints).toMatchObject([{ type: 'warning' }]);
	expect(next.summary).toContain(`${unsent} not sent (out of credits) before this node`);
	expect(next.summary).toContain('Add credits to the account of the credential, then run again');
	service().ledger.topUp(1_000);
	const again = await runLookup(findBulk, service(), first.json, { parameters });
	expect(again.json.map(({ email }) => email)).toEqual(
		leads.map((number) => findBulk.answer(number).email),
	);
	const { charges } = service().ledger;
	const found = charges.filter(({ operation }) => operation === 'findBulk');
	expect(found.map(({ subject }) => subject).toSorted()).toEqual(
		subjectsOf(findBulk, leads).toSorted(),
	);
});
