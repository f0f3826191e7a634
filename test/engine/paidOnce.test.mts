/**
 * @file Paid once, whoever asks, and a run that knows its end: what this n8n process has bought, no execution of it buys
 * again within a day, and n8n's timeout of an execution loses nothing. Within one execution it is in bought.test.mts and
 * outlives.test.mts; random executions of all kinds are in chaos.test.mts.
 */

import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { afterEach, describe, expect, test, vi } from 'vitest';

import { forgetRecentAnswers } from '../../nodes/shared/execution/recent.ts';
import type { Fault } from '../emulator/faults.mts';
import { folderOf } from '../hosts/install.mts';
import { n8n2 } from '../hosts/versions.mts';
import { listWithId } from '../operations.mts';
import { fixtures } from '../support/leads/expected.mts';
import {
	answerIn,
	continues,
	expectPaidOnce,
	find,
	findBulk,
	hit,
	leadOf,
	lookups,
	numbers,
	paidAmong,
	runInLoop,
	runLookup,
	sentAfterwards,
	verify,
	verifyBulk,
	type Lookup,
	type LookupTest,
} from '../support/leads/lookups.mts';
import { pollingTrigger } from '../support/node/contexts.mts';
import { emits } from '../support/node/chains.mts';
import { isProblem } from '../support/node/definedItems.mts';
import { runNode, runWorkflow, type NodeResult, type NodeTest } from '../support/node/engine.mts';
import { useQuickClock, useQuickDeadlines } from '../support/node/quickClock.mts';
import { credentialFor, ofNewAccount, useService } from '../support/servers/service.mts';
import { until } from '../support/until.mts';

const service = useService();
const clock = useQuickClock(20);
useQuickDeadlines();

afterEach(() => void vi.restoreAllMocks());

const HOUR = 60 * 60_000;

const sent = () => service().requests.length;
const spent = () => service().ledger.total();
const creditsIn = (runs: NodeResult[]) =>
	runs
		.flatMap(({ json }) => json)
		.reduce((sum, { lookupCredits }) => sum + Number(lookupCredits), 0);

/** An execution of its own. */
async function execute(
	lookup: Pick<NodeTest, 'node' | 'parameters'>,
	items: IDataObject[],
	test: LookupTest = {},
): Promise<NodeResult> {
	return await runLookup(lookup, service(), items, test);
}

/** The email of a Verifier is in the spelling of its item. */
const answerOf = (item: IDataObject) => {
	const { email, ...answer } = answerIn(item);
	return { ...answer, email: email === null ? null : String(email).trim().toLowerCase() };
};

describe.each(lookups)('$operation', (lookup) => {
	const [first] = paidAmong(lookup, 10);

	test('20 executions at once for one person cost 1 credit, in one of them', async () => {
		service().options.latencyMs = 5;
		const runs = await Promise.all(
			numbers(20).map(async () => await execute(lookup, [lookup.item(first)])),
		);
		expect([spent(), sent(), creditsIn(runs)]).toEqual([1, 1, 1]);
		for (const { json } of runs) expect(json.map(answerIn)).toEqual([lookup.answer(first)]);
	});

	test('the same 50 people in two executions at once are asked once', async () => {
		const wanted = numbers(50);
		service().options.latencyMs = 2;
		const both = [wanted, wanted.toReversed()];
		const runs = await Promise.all(
			both.map(async (own) => await execute(lookup, own.map(lookup.item))),
		);
		expectPaidOnce(service(), lookup, wanted);
		expect(creditsIn(runs)).toBe(spent());
		// A bulk request of each has those that the other one does not ask.
		expect(sent()).toBeLessThanOrEqual(lookup.perRequest > 1 ? 2 : wanted.length);
		runs.forEach(({ json }, index) => {
			expect(json.map(answerIn)).toEqual(both[index].map(lookup.answer));
		});
	});

	/** What a second execution asks again, after so many hours, by so much else. */
	interface Again {
		hours?: number;
		item?: (number: number) => IDataObject;
		test?: LookupTest;
		isRestarted?: boolean;
	}
	const as = (credential: NodeTest['credential']): Again => ({ test: { credential } });
	const onLocalhost = () => {
		const { baseUrl, ...credential } = credentialFor(service());
		return { ...credential, baseUrl: String(baseUrl).replace('127.0.0.1', 'localhost') };
	};

	test.each<[what: string, again: () => Again, isFree: boolean]>([
		['the next click', () => ({}), true],
		['23 hours later', () => ({ hours: 23 }), true],
		['in another spelling', () => ({ item: lookup.twin }), true],
		['by hand', () => ({ test: { mode: 'manual', parameters: { manualLimit: 0 } } }), true],
		['24 hours later', () => ({ hours: 24 }), false],
		['by another account', () => as(ofNewAccount(service())), false],
		['at another Base URL', () => as(onLocalhost()), false],
		['with another interface', () => as(credentialFor(service(), { listPageSize: 7 })), false],
		['after the process', () => ({ isRestarted: true }), false],
	])('a second execution, %s', async (_, again, isFree) => {
		const wanted = numbers(12);
		const before = await execute(lookup, wanted.map(lookup.item));
		const paid = spent();
		expect([paid, creditsIn([before])]).toEqual([paidAmong(lookup, 12).length, paid]);
		expect(before.summary).not.toContain('earlier runs');
		const { hours = 0, item = lookup.item, test, isRestarted } = again();
		if (isRestarted) forgetRecentAnswers();
		clock.forward(hours * HOUR);
		const requests = sent();
		const after = await execute(lookup, wanted.map(item), test);
		expect(after.json.map(answerOf)).toEqual(wanted.map(lookup.answer));
		expect([spent() - paid, creditsIn([after])]).toEqual(isFree ? [0, 0] : [paid, paid]);
		// A miss is free, and is asked again.
		const asked = isFree ? wanted.length - paid : wanted.length;
		expect(sent() - requests).toBe(Math.ceil(asked / lookup.perRequest));
		const says = expect(after.summary);
		if (isFree) says.toContain(`. 0 credits used; for free: ${paid} from earlier runs`);
		else says.not.toContain('earlier runs');
		const checked = ({ json }: NodeResult) =>
			json
				.filter(({ lookupStatus }) => lookupStatus !== 'not_found')
				.map(({ checkedAt }) => checkedAt);
		if (isFree) expect(checked(after)).toEqual(checked(before));
	});

	describe('whoever asks is stopped', () => {
		// What fills one request, and one more.
		const wanted = paidAmong(lookup, 2 * lookup.perRequest + 10).slice(0, lookup.perRequest + 1);
		const [onItsWay, notSent] = [wanted[0], wanted[lookup.perRequest]];

		test.each([
			['while the request is on its way', onItsWay, 0],
			['before it was sent', notSent, 1],
		])('%s: who waits has the answer', async (_, number, credits) => {
			service().options.latencyMs = 1_500;
			const stop = new AbortController();
			const options = { maxConcurrency: 1 };
			const asking = execute(lookup, wanted.map(lookup.item), { stop: stop.signal, options });
			await until(() => sent() === 1, 1);
			const waiting = execute(lookup, [lookup.item(number)]);
			// By the quick clock: a tenth of the latency.
			await new Promise((resolve) => setTimeout(resolve, 3_000));
			stop.abort();
			service().options.latencyMs = 1;
			const { json } = await waiting;
			expect(json.map(answerIn)).toEqual([lookup.answer(number)]);
			expect(json[0].lookupCredits).toBe(credits);
			expect((await asking).run.status).toBe('canceled');
			// The rest of what was on its way is kept for the next click.
			const after = await execute(lookup, wanted.map(lookup.item));
			expect(after.json.map(answerIn)).toEqual(wanted.map(lookup.answer));
			expectPaidOnce(service(), lookup, wanted);
			expect(creditsIn([after])).toBe(1 - credits);
		});
	});

	test('the limits of whoever asks are its own', async () => {
		const items = wantedOf(lookup, 3).map(lookup.item);
		const options = [{ maxCredits: 0 }, { keepCredits: 1e9 }, {}];
		const runs = await Promise.all(
			options.map(async (own) => await execute(lookup, items, { options: own, ...continues })),
		);
		const reasons = runs.map(({ json }) => json.map(({ lookupReason }) => lookupReason));
		expect(reasons[2]).toEqual(items.map(() => undefined));
		expect([spent(), creditsIn(runs)]).toEqual([3, 3]);
		const own = ['credit_limit', 'credit_floor'];
		reasons.slice(0, 2).forEach((all, index) => {
			for (const one of all) expect([own[index], undefined]).toContain(one);
		});
	});
});

function wantedOf(lookup: Lookup, length: number): number[] {
	return paidAmong(lookup, 40).slice(0, length);
}

describe('Max Items in Manual Runs', () => {
	const byHand = { mode: 'manual', parameters: { manualLimit: 10 } } as const;

	test.each([
		['none', []],
		['some', [0, 3, 12, 14]],
		['all', numbers(15)],
	])('counts the people of a run, %s of them reused: ten stay the same ten', async (_, known) => {
		const wanted = paidAmong(find, 60).slice(0, 15);
		await execute(
			find,
			known.map((index) => find.item(wanted[index])),
		);
		const isReused = (index: number) => known.includes(index);
		const clicks = [];
		for (let click = 0; click < 3; click++) {
			clicks.push(await execute(find, wanted.map(find.item), byHand));
		}
		for (const { json } of clicks) {
			expect(json.slice(0, 10).map(answerIn)).toEqual(wanted.slice(0, 10).map(find.answer));
			expect(json.slice(10).map((item) => item.lookupReason)).toEqual(
				Array(5).fill('manual_limit'),
			);
		}
		expect(clicks.map((one) => creditsIn([one]))).toEqual([
			numbers(10).filter((index) => !isReused(index)).length,
			...[0, 0],
		]);
	});
});

describe('an existing value that is to be checked again', () => {
	const knows = (lookup: Lookup) => ({
		...{ node: lookup.node, operation: lookup.operation },
		parameters: { ...lookup.parameters, ...lookup.existing },
	});

	test.each([find, findBulk, verify, verifyBulk])(
		'$operation: by Look Up Again After, with 0 whatever the process remembers',
		async (lookup) => {
			const number = paidAmong(lookup, 1_000)[0];
			const { json } = await execute(lookup, [lookup.item(number)]);
			const daysAgo = (days: number) => new Date(Date.now() - days * 24 * HOUR).toISOString();
			const rows: Array<[checkedAt: string, refreshAfterDays: number, credits: number]> = [
				// The process has an answer that is newer.
				[daysAgo(40), 30, 0],
				[daysAgo(20), 30, 0],
				['', 30, 0],
				// It has none.
				[daysAgo(-0.1), 0, 1],
				['', 0, 1],
			];
			for (const [checkedAt, refreshAfterDays, credits] of rows) {
				const item = { ...leadOf(number), ...json[0], ...lookup.item(number), checkedAt };
				const before = spent();
				// Another item of the execution with the same question is free.
				const items = [item, item];
				const options = { refreshAfterDays };
				const [again] = (await execute(knows(lookup), items, { options })).json;
				expect([checkedAt, spent() - before]).toEqual([checkedAt, credits]);
				expect(again.emailStatus).toBe(json[0].emailStatus);
			}
		},
	);

	test('two nodes of one execution look it up again once', async () => {
		const step = (name: string) => ({
			...{ name, type: find.node },
			parameters: { ...find.parameters, options: { refreshAfterDays: 0 } },
		});
		const item = find.item(paidAmong(find, 10)[0]);
		const click = async () =>
			await runWorkflow({
				nodes: [emits('Start', [item]), step('First'), step('Then')],
				connections: ['Start > First', 'First > Then'],
				credential: credentialFor(service()),
			});
		for (const credits of [1, 2]) {
			await click();
			expect(spent()).toBe(credits);
		}
	});
});

describe('what waits for a bulk job', () => {
	const wanted = numbers(30);
	const items = wanted.map(findBulk.item);
	const job = (jobPolls: number) =>
		Object.assign(service().variants, { bulkAnswer: 'job', jobPolls, jobResultShape: 'results' });

	/** The same people in a further execution, which brings no job along. */
	const again = async (test: LookupTest = {}) => {
		// A miss is asked again.
		service().variants.bulkAnswer = 'rows';
		const { json, ...rest } = await execute(findBulk, items, test);
		expect(json.map(answerIn)).toEqual(wanted.map(findBulk.answer));
		expectPaidOnce(service(), findBulk, wanted);
		return { json, ...rest };
	};

	test('is collected by the next click', async () => {
		job(2);
		const { json } = await execute(findBulk, items, { options: { jobTimeout: 0 } });
		expect(new Set(json.map(({ lookupStatus }) => lookupStatus))).toEqual(new Set(['pending']));
		const after = await again();
		expect(creditsIn([after])).toBe(spent());
		expect(creditsIn([await again()])).toBe(0);
	});

	test('is collected by the next click, and by who waits, where the first is stopped', async () => {
		job(5);
		const stop = new AbortController();
		const stopped = execute(findBulk, items, { stop: stop.signal });
		await until(() => sent() === 3, 1);
		const waiting = [again(), again()];
		await new Promise((resolve) => setTimeout(resolve, 200));
		stop.abort();
		expect((await stopped).run.status).toBe('canceled');
		await Promise.all(waiting);
		await again();
	});

	test.each(['of another process, with what it gave out', 'with the same people'])(
		'%s: is collected by a later execution only once its rows are all there',
		async (how) => {
			job(4);
			Object.assign(service().variants, { jobResultShape: 'bare', jobProgress: 'some' });
			const { json } = await execute(findBulk, items, {
				options: { jobTimeout: 0 },
				parameters: { includeInputFields: true },
			});
			const isOther = how.includes('process');
			if (isOther) forgetRecentAnswers();
			// Whom the job shows already is delivered.
			const isLater = (_: unknown, index: number) =>
				!isOther || json[index].lookupStatus === 'pending';
			const later = (isOther ? json : items).filter(isLater);
			const after = await execute(findBulk, later, { parameters: { includeInputFields: true } });
			expect(after.json.map(answerIn)).toEqual(wanted.filter(isLater).map(findBulk.answer));
			expectPaidOnce(service(), findBulk, wanted);
		},
	);

	test('is looked up by another account', async () => {
		job(1);
		await execute(findBulk, items, { options: { jobTimeout: 0 } });
		const paid = spent();
		await execute(findBulk, items, { credential: ofNewAccount(service()) });
		expect(spent()).toBe(2 * paid);
	});

	test('is looked up again where the service has given it up', async () => {
		job(1);
		await execute(findBulk, items, { options: { jobTimeout: 0 } });
		service().jobs = [];
		const { json } = await execute(findBulk, items);
		expect(json.map(answerIn)).toEqual(wanted.map(findBulk.answer));
	});
});

describe('who waits for another execution', () => {
	/** What the other one meets: it goes on for longer than who waits may. */
	const endless: Array<[what: string, lookup: Lookup, begin: () => void]> = [
		['a rate limit', find, () => service().faults.add({ status: 429 })],
		['a rate limit', findBulk, () => service().faults.add({ status: 429 })],
		[
			'a job',
			findBulk,
			() => Object.assign(service().variants, { bulkAnswer: 'job', jobPolls: 1_000 }),
		],
	];

	const ends = endless.flatMap(([what, lookup, begin]) =>
		['timeout', 'stop'].map((end) => ({ what, lookup, begin, end })),
	);

	test.each(ends)('at $what of $lookup.operation, ends with its own $end', async (row) => {
		const { lookup, begin, end } = row;
		begin();
		const [other, own] = [new AbortController(), new AbortController()];
		const credential = ofNewAccount(service());
		const items = [lookup.item(hit)];
		const asking = execute(lookup, items, { credential, stop: other.signal, ...continues });
		await until(() => sent() > 0, 1);
		const begun = Date.now();
		const timeoutAt = end === 'timeout' ? begun + 6_000 : undefined;
		const waiting = execute(lookup, items, { credential, stop: own.signal, timeoutAt });
		await new Promise((resolve) => setTimeout(resolve, 500));
		if (end === 'stop') own.abort();
		const { json } = await waiting;
		expect(Date.now() - begun).toBeLessThan(6_000);
		if (end === 'timeout') expect(json).toMatchObject([{ lookupReason: 'run_time_over' }]);
		other.abort();
		await asking;
	});
});

test.each([find, verify])(
	'Estimate Cost of $operation counts what the process has as alreadyBought',
	async (lookup) => {
		const wanted = paidAmong(lookup, 60).slice(0, 20);
		await execute(lookup, wanted.slice(0, 12).map(lookup.item));
		const { includeInputFields: _, ...fields } = lookup.parameters;
		const parameters = { ...fields, operation: 'estimate' };
		const [json] = (await execute({ ...lookup, parameters }, wanted.map(lookup.item))).json;
		expect(json).toMatchObject({ alreadyBought: 12, lookups: 8, mostCredits: 8 });
	},
);

describe('Get Company Leads', () => {
	const [company] = fixtures.companies;
	const companyLeads = {
		node: 'contactDataCompany',
		parameters: { operation: 'getLeads', companyWebsite: '={{ $json.site }}', limit: 200 },
	} as const;
	const people = fixtures.peopleOf(company).slice(0, 200);
	const items = [{ site: company.domain }];

	test('20 executions at once, and another click, read each page once', async () => {
		service().options.latencyMs = 5;
		const runs = await Promise.all(numbers(20).map(async () => await execute(companyLeads, items)));
		runs.push(await execute(companyLeads, items));
		for (const { json } of runs) {
			expect(json.map(({ fullName }) => fullName)).toEqual(people.map(({ full }) => full));
		}
		expect(sent()).toBe(2);
	});

	test('a higher limit reads on, a lower one reads nothing', async () => {
		for (const [limit, requests] of [
			[10, 1],
			[20, 2],
			[5, 2],
		]) {
			const { json } = await execute(companyLeads, items, { parameters: { limit } });
			const wanted = people.slice(0, limit).map(({ full }) => full);
			expect(json.map(({ fullName }) => fullName)).toEqual(wanted);
			expect(sent()).toBe(requests);
		}
	});

	test.each<[what: string, site: string, again: () => LookupTest]>([
		['a company that is not known', 'nobody.example', () => ({})],
		['a company without such people', company.domain, () => ({ parameters: { title: 'xyzzy' } })],
		['another account', company.domain, () => ({ credential: ofNewAccount(service()) })],
		['a page that says nothing', company.domain, () => ({})],
	])('asks again for %s', async (what, site, again) => {
		if (what.includes('nothing')) service().faults.add({ body: { json: '{}' } });
		for (const times of [1, 2]) {
			const parameters = { limit: 10, ...again().parameters };
			await execute(companyLeads, [{ site }], { ...again(), parameters, ...continues });
			expect(sent()).toBe(times);
		}
	});
});

describe('a question whose cost nobody knows', () => {
	const getLeads = {
		node: 'contactDataCompany',
		parameters: { operation: 'getLeads', companyWebsite: '={{ $json.domain }}', limit: 10 },
	} as const;
	const [{ domain }] = fixtures.companies;
	const rounds = numbers(8);

	/**
	 * What is lost, and how often a loop of eight rounds sends it: three times at most where it may have been charged. Get
	 * Company Leads repeats an outage up to four times, and what may have been charged once.
	 */
	const lost: Array<[what: string, fault: Fault, times: number, byRead?: number]> = [
		['an answer that says nothing', { body: { json: '{}' }, charge: true }, 3],
		['a connection', { reset: 'after-charge' }, 3, 2],
		['a gateway that gives up', { status: 504 }, 3, 2],
		['rows', { rows: 'none' }, 3],
		// Nobody charges for these.
		['a refusal', { status: 400 }, 8],
		['a 500', { status: 500 }, 8, 40],
		['a 403', { status: 403 }, 8],
	];

	const asking = [
		{ ...find, isRead: false },
		{ ...findBulk, isRead: false },
		{ ...getLeads, operation: 'getLeads', item: () => ({ domain }), isRead: true },
	];
	const all = asking.flatMap((lookup) =>
		lost.map(([what, fault, times, byRead = times]) => {
			return { lookup, what, fault, times: lookup.isRead ? byRead : times };
		}),
	);
	const meant = all.filter(
		({ what, lookup }) => what !== 'rows' || lookup.operation === 'findBulk',
	);

	test.each(meant)('$lookup.operation, $what lost: sent $times times', async (row) => {
		const { lookup, fault, times } = row;
		service().faults.add(fault);
		vi.spyOn(Math, 'random').mockReturnValue(0);
		const items = rounds.map(() => [lookup.item(hit)]);
		const test = { ...continues, options: lookup.isRead ? {} : { maxRetries: 0 } };
		const { rounds: told } = await runInLoop(lookup, service(), items, test);
		const message = String(told.at(-1)?.json[0]?.lookupMessage);
		expect([sent(), message.includes('Not sent again')]).toEqual([times, times <= 3]);
		expect(spent()).toBeLessThanOrEqual(3);
		// Another execution may ask again.
		await execute(lookup, [lookup.item(hit)], test);
		expect(sent()).toBeGreaterThan(times);
	});
});

describe('n8n ends the execution after a while', () => {
	/** What the service does, how long the execution may take in seconds, and what becomes of the items. */
	interface Deadline {
		what: string;
		lookup: Lookup;
		seconds: number;
		items?: number;
		latencyMs?: number;
		fault?: Fault;
		jobs?: true;
		options?: INodeParameters;
		/** The reasons of items without a result; nothing is sent, and nothing bought, where it says so. */
		reasons: string[];
		isNothingSent?: true;
		isNothingBought?: true;
		/** In seconds: it ends long before. */
		within?: number;
	}
	const one = { maxConcurrency: 1 };
	const over = ['run_time_over'];
	const nothing = { isNothingSent: true, isNothingBought: true } as const;

	test.each<Deadline>([
		...[find, findBulk].flatMap((lookup): Deadline[] => [
			{ what: 'begins 1.9 seconds before', lookup, seconds: 1.9, reasons: over, ...nothing },
			{
				what: 'ends between requests',
				...{ lookup, seconds: 8, latencyMs: 50, options: one, reasons: over },
				items: lookup.perRequest * 20,
			},
			{
				what: 'waits for a response that does not come',
				...{ lookup, seconds: 10, items: 5, reasons: ['connection', 'unknown_outcome', ...over] },
				fault: { delayMs: 20_000 },
				isNothingBought: true,
				within: 9.6,
			},
			{
				what: 'meets a rate limit of an hour',
				...{ lookup, seconds: 60, items: 5, reasons: ['rate_limited'] },
				fault: { status: 429, retryAfter: 'seconds', seconds: 3_600 },
				isNothingBought: true,
				within: 5,
			},
			{
				what: 'meets a rate limit without an end',
				...{ lookup, seconds: 12, items: 5, reasons: ['rate_limited', ...over] },
				fault: { status: 429 },
				isNothingBought: true,
			},
			{
				what: 'meets an outage',
				...{ lookup, seconds: 10, items: 5, reasons: ['service_unavailable', ...over] },
				fault: { status: 500 },
				options: { maxRetries: 50 },
				isNothingBought: true,
			},
		]),
		{
			what: 'waits for a job',
			...{ lookup: findBulk, seconds: 12, jobs: true, items: 150 },
			reasons: ['job_not_finished'],
		},
	])('$lookup.operation, which $what', async (row) => {
		const { lookup, seconds, items = 5, latencyMs, fault, jobs, options, reasons } = row;
		service().options.latencyMs = latencyMs;
		if (jobs) Object.assign(service().variants, { bulkAnswer: 'job', jobPolls: 1_000 });
		if (fault) service().faults.add(fault);
		// How long other responses took says nothing of this account.
		const credential = ofNewAccount(service());
		const wanted = numbers(items);
		const begun = Date.now();
		const timeoutAt = begun + seconds * 1_000;
		const result = await execute(lookup, wanted.map(lookup.item), {
			...{ timeoutAt, credential, options },
			onError: row.isNothingBought && !row.isNothingSent ? 'continueRegularOutput' : 'stopWorkflow',
		});
		const took = (Date.now() - begun) / 1_000;
		expect(took).toBeLessThan(row.within ?? seconds);
		expect([result.error, result.run.status]).toEqual([undefined, 'success']);
		expect(result.json).toHaveLength(items);
		const without = result.json.filter(isProblem);
		expect(without.length).toBeGreaterThan(0);
		for (const { lookupReason } of without) expect(reasons).toContain(lookupReason);
		if (row.isNothingSent) expect(sent()).toBe(0);
		if (row.isNothingBought) expect(without).toHaveLength(items);
		// What was charged came out, or can be collected; of what was cut off nobody knows.
		const isThere = (index: number) =>
			result.json[index].lookupStatus === 'pending' || !without.includes(result.json[index]);
		if (!row.isNothingBought) {
			expectPaidOnce(service(), lookup, wanted.filter(isThere));
			expect(spent()).toBeGreaterThan(0);
		}
		const isCut = ({ lookupReason }: IDataObject) =>
			/^(connection|unknown_outcome)$/.test(String(lookupReason));
		for (const { lookupCredits } of without.filter(isCut)) expect(lookupCredits).toBeNull();
		if (reasons === over) expect(result.summary).toContain('the time of this execution is over');
		expect(await sentAfterwards(service())).toEqual([]);
	});

	test.each([
		// The time is over between two requests, or while one is on its way.
		[{ latencyMs: 100 }, undefined],
		[{}, { delayMs: 20_000, on: { nth: 3 } }],
	])('a read gives what it has read, or stops: %j, %j', async (options, fault) => {
		Object.assign(service().options, options);
		if (fault) service().faults.add(fault);
		const parameters = { operation: 'getLeads', listId: listWithId('101'), returnAll: true };
		const read = async (onError: 'continueRegularOutput' | 'stopWorkflow') => {
			return await runNode({
				...{ node: 'contactDataList', parameters, onError, timeoutAt: Date.now() + 8_000 },
				credential: ofNewAccount(service(), { listPageSize: 100 }),
			});
		};
		const { json } = await read('continueRegularOutput');
		const reasons = json.filter(isProblem).map(({ lookupReason }) => lookupReason);
		expect(json.length).toBeGreaterThan(100);
		expect(json.length).toBeLessThan(1_000);
		expect(reasons).toEqual([fault ? 'connection' : 'run_time_over']);
		service().reset();
		Object.assign(service().options, options);
		if (fault) service().faults.add(fault);
		expect((await read('stopWorkflow')).error?.message).toMatch(/time|not respond/);
	});

	test('On Incomplete Run: Stop Workflow stops it, and the Retry button looks up the rest alone', async () => {
		const wanted = numbers(60);
		const items = wanted.map(find.item);
		const options = { incompleteRun: 'fail', maxConcurrency: 2 };
		service().options.latencyMs = 60;
		const failed = await execute(find, items, { options, timeoutAt: Date.now() + 7_000 });
		expect(failed.error?.message).toMatch(/the time of this execution is over/);
		const paid = spent();
		expect(paid).toBeGreaterThan(0);
		service().options.latencyMs = 0;
		const { json } = await execute(find, items, { options, retryOf: failed.run });
		expect(json.map(answerIn)).toEqual(wanted.map(find.answer));
		expectPaidOnce(service(), find, wanted);
		expect(creditsIn([await execute(find, items)])).toBe(0);
	});
});

describe('n8n is told why', () => {
	const list = { event: 'newLead', listId: listWithId('102') };
	const HALF = HOUR / 2;

	/** What a poll meets, what its error says, and after how long n8n polls again at least, after the first failure. */
	type Failing = [
		what: string,
		fault: Fault | undefined,
		cause: string,
		wait?: number,
		least?: number,
	];
	const failures: Failing[] = [
		[
			'a 429 that asks for an hour',
			{ status: 429, retryAfter: 'seconds', seconds: 3_600 },
			...(['rate-limited', HOUR, HOUR] as const),
		],
		[
			'a 429 with a reset in two minutes',
			{ status: 429, retryAfter: 'epoch', statedIn: 'X-RateLimit-Reset', seconds: 120 },
			...(['rate-limited', 2 * 60_000, 2 * 60_000 - 2_000] as const),
		],
		['a 429 that asks for nothing', { status: 429 }, 'rate-limited'],
		['no credits left', { status: 402 }, 'quota-exhausted', HALF, HALF],
		['a 500', { status: 500 }, 'temporarily-unavailable'],
		['a lost connection', { reset: 'before-charge' }, 'temporarily-unavailable'],
		['a key that is not accepted', { status: 401 }, 'credential-invalid', undefined, HALF],
		['a plan without it', { status: 403 }, 'configuration-invalid', undefined, HALF],
		['a list that is gone', { status: 404 }, 'configuration-invalid', undefined, HALF],
		['another server', { body: 'html' }, 'temporarily-unavailable', undefined, undefined],
		['a redirect', { redirect: 'https://x.example' }, 'configuration-invalid', undefined, HALF],
		['no list', undefined, 'configuration-invalid', undefined, HALF],
	];

	/** How n8n's poller goes on, where that n8n is installed. */
	const policy = join(
		folderOf(n8n2),
		'node_modules/n8n/dist/workflows/triggers/poll-backoff-policy.js',
	);

	test.each(failures)('a poll meets %s', async (_, fault, cause, wait, least) => {
		vi.spyOn(Math, 'random').mockReturnValue(0);
		if (fault) service().faults.add(fault);
		const fields = fault ? list : { ...list, listId: listWithId('') };
		const credential = ofNewAccount(service());
		const { poll } = pollingTrigger({ ...fields, simple: true }, credential);
		const error: unknown = await poll().catch((thrown: unknown) => thrown);
		expect(error).toBeInstanceOf(Error);
		const { failure } = Object(error);
		expect(failure).toMatchObject({ cause });
		expect([failure.retryAfterMs === undefined, failure.resetsAtEpochMs === undefined]).toEqual([
			wait === undefined,
			wait === undefined,
		]);
		if (wait !== undefined) {
			expect(Math.abs(failure.retryAfterMs - wait)).toBeLessThan(3_000);
			expect(Math.abs(failure.resetsAtEpochMs - Date.now() - wait)).toBeLessThan(3_000);
		}
		if (!existsSync(policy)) return;
		const { pollFailureFromError, computeBackoffDelayMs } = createRequire(policy)(policy);
		const { type, retryAfterMs } = pollFailureFromError(error, new Date());
		const delays = [1, 2, 3].map((consecutiveErrors) =>
			Number(computeBackoffDelayMs({ type, consecutiveErrors, retryAfterMs })),
		);
		for (const delay of delays) expect(delay).toBeGreaterThanOrEqual(least ?? 0);
	});

	test.each([
		['find', { status: 429, retryAfter: 'seconds', seconds: 7_200 }, 'rate-limited', 2 * HOUR],
		['find', { status: 402 }, 'quota-exhausted', HALF],
		['findBulk', { status: 401 }, 'credential-invalid', undefined],
	] as const)(
		'%s meets %j: the error of the workflow says so too',
		async (name, fault, ...told) => {
			service().faults.add(fault);
			const [lookup] = lookups.filter(({ operation }) => operation === name);
			const credential = ofNewAccount(service());
			const { error } = await execute(lookup, [lookup.item(hit)], { credential });
			const { failure } = Object(error);
			expect([failure.cause, failure.retryAfterMs]).toEqual(told);
		},
	);
});
