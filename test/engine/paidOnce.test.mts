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

import { forgetRecentAnswers } from '../../nodes/shared/execution/answers.ts';
import type { Fault } from '../emulator/faults.mts';
import { folderOf } from '../hosts/install.mts';
import { n8n2 } from '../hosts/versions.mts';
import { listWithId } from '../operations.mts';
import { fixtures } from '../support/leads/expected.mts';
import {
	answerIn,
	existingOf,
	expectPaidOnce,
	find,
	findBulk,
	hit,
	leadOf,
	lookups,
	miss,
	numbers,
	paidAmong,
	runInLoop,
	runLookup,
	sentAfterwards,
	subjectsOf,
	verify,
	verifyBulk,
	type Lookup,
	type LookupTest,
} from '../support/leads/lookups.mts';
import { pollingTrigger } from '../support/node/contexts.mts';
import { runNode, type NodeResult } from '../support/node/engine.mts';
import { useQuickClock, useQuickDeadlines } from '../support/node/quickClock.mts';
import { credentialFor, openAccount, useService } from '../support/servers/service.mts';
import { until } from '../support/until.mts';

const service = useService();
const clock = useQuickClock(20);
useQuickDeadlines();

afterEach(() => void vi.restoreAllMocks());

const HOUR = 60 * 60_000;

const sent = () => service().requests.length;
const spent = () => service().ledger.total();
const summaryOf = ({ hints }: NodeResult) => hints?.[0]?.message ?? '';
const creditsIn = (runs: NodeResult[]) =>
	runs.flatMap(({ json }) => json).reduce((sum, { credits }) => sum + Number(credits), 0);

/** An execution of its own. */
async function execute(
	lookup: Pick<Lookup, 'node' | 'parameters'>,
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

const continues = { onError: 'continueRegularOutput' } as const;

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
	type Again = { hours?: number; item?: (number: number) => IDataObject; test?: LookupTest };
	const other: Record<string, Lookup> = { find: findBulk, findBulk: find, verify: verifyBulk };
	const nextTo = other[lookup.operation] ?? verify;

	test.each<[what: string, again: () => Again, isFree: boolean]>([
		['the next click', () => ({}), true],
		['23 hours later', () => ({ hours: 23 }), true],
		['in another spelling', () => ({ item: lookup.twin }), true],
		['by hand', () => ({ test: { mode: 'manual', parameters: { manualLimit: 0 } } }), true],
		['24 hours later', () => ({ hours: 24 }), false],
		[
			'by another account',
			() => ({
				test: { credential: { ...credentialFor(service()), apiKey: openAccount(service()) } },
			}),
			false,
		],
		[
			'at another Base URL',
			() => {
				const baseUrl = service().baseUrl.replace('127.0.0.1', 'localhost');
				return { test: { credential: { ...credentialFor(service()), baseUrl } } };
			},
			false,
		],
		[
			'with another interface',
			() => ({ test: { credential: credentialFor(service(), { listPageSize: 7 }) } }),
			false,
		],
		['after the process', () => void forgetRecentAnswers() ?? {}, false],
	])('a second execution, %s', async (_, again, isFree) => {
		const wanted = numbers(12);
		const before = await execute(lookup, wanted.map(lookup.item));
		const paid = spent();
		expect([paid, creditsIn([before])]).toEqual([paidAmong(lookup, 12).length, paid]);
		expect(summaryOf(before)).not.toContain('earlier runs');
		const { hours = 0, item = lookup.item, test } = again();
		clock.forward(hours * HOUR);
		const requests = sent();
		const after = await execute(lookup, wanted.map(item), test);
		expect(after.json.map(answerOf)).toEqual(wanted.map(lookup.answer));
		expect([spent() - paid, creditsIn([after])]).toEqual(isFree ? [0, 0] : [paid, paid]);
		// A miss is free, and is asked again.
		const asked = isFree ? wanted.length - paid : wanted.length;
		expect(sent() - requests).toBe(Math.ceil(asked / lookup.perRequest));
		const says = expect(summaryOf(after));
		if (isFree) says.toContain(`. 0 credits used. ${paid} answered from earlier runs, for free.`);
		else says.not.toContain('earlier runs');
		const checked = ({ json }: NodeResult) =>
			json.filter(({ status }) => status !== 'not_found').map(({ checkedAt }) => checkedAt);
		if (isFree) expect(checked(after)).toEqual(checked(before));
	});

	test('another operation that finds the same', async () => {
		await execute(lookup, [lookup.item(first)]);
		const { json } = await execute(nextTo, [nextTo.item(first)]);
		expect([sent(), spent(), json[0].credits]).toEqual([1, 1, 0]);
	});

	describe('whoever asks is stopped', () => {
		// What fills one request, and one more.
		const wanted = paidAmong(lookup, 2 * lookup.perRequest + 10).slice(0, lookup.perRequest + 1);
		const [onItsWay, notSent] = [wanted[0], wanted[lookup.perRequest]];

		test.each([
			['while the request is on its way', onItsWay, 0],
			['before it was sent', notSent, 1],
		])('%s: who waits has the answer', async (_, number, credits) => {
			service().options.latencyMs = 60;
			const stop = new AbortController();
			const options = { maxConcurrency: 1 };
			const asking = execute(lookup, wanted.map(lookup.item), { stop: stop.signal, options });
			await until(() => sent() === 1, 1);
			const waiting = execute(lookup, [lookup.item(number)]);
			await new Promise((resolve) => setTimeout(resolve, 200));
			stop.abort();
			const { json } = await waiting;
			expect(json.map(answerIn)).toEqual([lookup.answer(number)]);
			expect(json[0].credits).toBe(credits);
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
		const reasons = runs.map(({ json }) => json.map(({ reason }) => reason));
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
			expect(json.slice(10).map(({ reason }) => reason)).toEqual(Array(5).fill('manual_limit'));
		}
		expect(clicks.map((one) => creditsIn([one]))).toEqual([
			numbers(10).filter((index) => !isReused(index)).length,
			...[0, 0],
		]);
	});
});

describe('an existing value that is to be checked again', () => {
	/** Of an item that says when its value was checked, with the option Max Age. */
	const dated = (lookup: Lookup) => ({
		...{ node: lookup.node, operation: lookup.operation },
		parameters: { ...lookup.parameters, ...existingOf(lookup) },
	});
	const options = { checkedAt: '={{ $json.checkedAt }}', maxAgeDays: 0 };

	test.each([find, findBulk, verify, verifyBulk])(
		'$operation: is not answered by what is not newer',
		async (lookup) => {
			const number = paidAmong(lookup, 1_000)[0];
			const { json } = await execute(lookup, [lookup.item(number)]);
			const [{ checkedAt }] = json;
			const at = Date.parse(String(checkedAt));
			const rows: Array<[checked: unknown, isAsked: boolean]> = [
				// Nobody knows when.
				['', false],
				[new Date(at - 1).toISOString(), false],
				[checkedAt, true],
				[new Date(at + HOUR).toISOString(), true],
			];
			for (const [checked, isAsked] of rows) {
				const item = { ...leadOf(number), ...json[0], ...lookup.item(number), checkedAt: checked };
				const before = spent();
				const [again] = (await execute(dated(lookup), [item], { options })).json;
				expect([checked, spent() - before]).toEqual([checked, Number(isAsked && checked !== '')]);
				expect(again.emailStatus).toBe(json[0].emailStatus);
			}
		},
	);
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

	test.each<[what: string, site: string, again: () => LookupTest]>([
		['a company that is not known', 'nobody.example', () => ({})],
		['a company without such people', company.domain, () => ({ parameters: { title: 'xyzzy' } })],
		[
			'another account',
			company.domain,
			() => ({ credential: { ...credentialFor(service()), apiKey: openAccount(service()) } }),
		],
		['a page that says nothing', company.domain, () => ({ ...continues, parameters: {} })],
	])('asks again for %s', async (what, site, again) => {
		if (what.includes('nothing')) service().faults.add({ body: { json: '{}' } });
		for (const times of [1, 2]) {
			await execute(companyLeads, [{ site, limit: 10 }], { ...again(), ...continues });
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

	/** What is lost, and how often a loop of eight rounds sends it: at most three times where it may have been charged. */
	const lost: Array<[what: string, fault: Fault, times: number, said?: RegExp]> = [
		['an answer that says nothing', { body: { json: '{}' }, charge: true }, 3],
		['a connection', { reset: 'after-charge' }, 2],
		['a gateway that gives up', { status: 504 }, 2],
		['a row of a bulk response', { rows: 'none' }, 3],
		// Nobody charges for these.
		['a refusal', { status: 400 }, 8],
		['a 500', { status: 500 }, 8],
		['a 403', { status: 403 }, 8],
	];

	test.each(
		[
			find,
			findBulk,
			{ ...getLeads, operation: 'getLeads' as const, item: () => ({ domain }) },
		].flatMap((lookup) => lost.map(([what, fault, times]) => ({ lookup, what, fault, times }))),
	)('$lookup.operation, $what: $times of 8', async ({ lookup, what, fault, times }) => {
		const isBulk = lookup.operation === 'findBulk';
		if (what.includes('row') && !isBulk) return;
		service().faults.add(fault);
		const items = rounds.map(() => [lookup.item(hit)]);
		const options = { ...(lookup.operation !== 'getLeads' && { maxRetries: 0 }) };
		const { rounds: told } = await runInLoop(lookup, service(), items, { ...continues, options });
		// A bulk request is sent once where the connection is lost.
		const reached = isBulk && what === 'a connection' ? 3 : times;
		const message = String(told.at(-1)?.json[0]?.message);
		expect([sent(), message.includes('Not sent again')]).toEqual([reached, times < 8]);
		expect(spent()).toBeLessThanOrEqual(3);
		// Another execution may ask again.
		await execute(lookup, [lookup.item(hit)], { ...continues, options });
		expect(sent()).toBeGreaterThan(reached);
	});
});
