/**
 * @file Limits that cannot be met, and refusals that no other request escapes: how much is still sent, and what the items
 * and the summary say then.
 */

import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { beforeEach, describe, expect, test } from 'vitest';

import type { Effect } from '../emulator/faults.mts';
import type { WireRequest } from '../emulator/wireLog.mts';
import {
	asksFor,
	continues,
	expectPaidOnce,
	find,
	findBulk,
	hit,
	leadOf,
	numbers,
	paidAmong,
	requestsOf,
	runInLoop,
	runLookup,
	verifyBulk,
	type LookupTest,
} from '../support/leads/lookups.mts';
import { runNode } from '../support/node/engine.mts';
import { useQuickClock } from '../support/node/quickClock.mts';
import { credentialFor, openAccount, useService } from '../support/servers/service.mts';

const service = useService();
const clock = useQuickClock(500);

// What was learned of the account is forgotten.
beforeEach(() => clock.forward(11 * 60_000));

const hour = { status: 429, retryAfter: 'seconds', seconds: 3_600 } as const;
/** Items that wait for a job keep their fields for the next run. */
const waits = { ...continues, parameters: { includeInputFields: true } };

/** How many items came to what. */
function countsOf(json: IDataObject[]): Record<string, number> {
	const counts: Record<string, number> = {};
	for (const { lookupStatus: status, lookupReason: reason } of json) {
		const key = reason ? `${String(status)}: ${String(reason)}` : String(status);
		counts[key] = (counts[key] ?? 0) + 1;
	}
	return counts;
}

describe('a limit that cannot be met', () => {
	const until = /It accepts nothing until (?:\d{4}-\d\d-\d\d )?\d\d:\d\d/;
	const since = /It has accepted nothing since (?:\d{4}-\d\d-\d\d )?\d\d:\d\d/;

	test.each([
		{ lookup: find, length: 40, most: 5 },
		{ lookup: findBulk, length: 1_000, most: 5 },
		{ lookup: verifyBulk, length: 1_000, most: 5 },
	])('of an hour ends $lookup.operation at once', async ({ lookup, length, most }) => {
		service().faults.add(hour);
		const items = numbers(length).map(lookup.item);
		const { json, summary } = await runLookup(lookup, service(), items, continues);
		expect(countsOf(json)).toEqual({ 'not_processed: rate_limited': length });
		expect(json[length - 1].lookupMessage).toMatch(until);
		expect(service().requests.length).toBeLessThanOrEqual(most);
		expect(summary).not.toMatch(/waited|Max Retries/);
		// An hour, and what is left of its last minute.
		expect(summary).toMatch(
			/<br>Set the option Max Rate Limit Wait \(Minutes\) to 61, or run again after [\d-]* ?\d\d:\d\d: what/,
		);
	});

	test.each<['contactDataList' | 'contactDataCompany', INodeParameters]>([
		['contactDataList', { operation: 'getAll', returnAll: true }],
		['contactDataCompany', { operation: 'getLeads', companyName: 'Acme' }],
	])('of an hour ends a read of %s at once', async (node, parameters) => {
		service().faults.add(hour);
		const credential = credentialFor(service());
		const { error } = await runNode({ node, parameters, credential });
		expect(error?.message).toMatch(until);
		expect(service().requests).toHaveLength(1);
	});

	test.each<[string, LookupTest, minutes: number]>([
		['by default', {}, 15],
		['as long as the option says', { options: { maxRateLimitWait: 5 } }, 5],
		['a minute in a manual run', { mode: 'manual', parameters: { manualLimit: 0 } }, 1],
		['not at all with 0', { options: { maxRateLimitWait: 0 } }, 0],
	])('of which the service says nothing is waited for %s', async (_, given, minutes) => {
		service().faults.add({ status: 429 });
		const begun = Date.now();
		const { json } = await runLookup(find, service(), numbers(40).map(leadOf), {
			...continues,
			...given,
		});
		expect(countsOf(json)).toEqual({ 'not_processed: rate_limited': 40 });
		expect(json[0].lookupMessage).toMatch(since);
		expect((Date.now() - begun) / 60_000).toBeGreaterThanOrEqual(minutes);
		expect(service().requests.length).toBeLessThan(60);
		expect(service().requests.length).toBeGreaterThan(minutes > 0 ? 10 : 0);
	});

	test('of an outage that says how long is the same', async () => {
		service().faults.add({ ...hour, status: 503 });
		const { json } = await runLookup(find, service(), numbers(40).map(leadOf), continues);
		expect(countsOf(json)).toEqual({ 'not_processed: service_down': 40 });
		expect(json[0].lookupMessage).toMatch(until);
		expect(service().requests.length).toBeLessThanOrEqual(5);
	});

	test('of some minutes is met, as often as it comes, whatever Max Retries says', async () => {
		// A hundred in ten minutes.
		let [since, admitted] = [Date.now(), 0];
		const isRefused = () => {
			if (Date.now() - since >= 600_000) [since, admitted] = [Date.now(), 0];
			return ++admitted > 100;
		};
		const effect = { status: 429, retryAfter: 'seconds', seconds: 600 } as const;
		service().faults.add({ ...effect, on: { where: isRefused } });
		const wanted = numbers(250);
		const { json } = await runLookup(find, service(), wanted.map(leadOf), {
			options: { maxRetries: 0 },
		});
		expect(countsOf(json)).not.toHaveProperty('not_processed: rate_limited');
		expectPaidOnce(service(), find, wanted);
	});

	test('that holds for one item alone fails that item alone', async () => {
		service().faults.add({ status: 429, on: { where: asksFor(7) } });
		const wanted = numbers(300);
		const { json } = await runLookup(find, service(), wanted.map(leadOf), continues);
		const { 'failed: rate_limited': failed, ...others } = countsOf(json);
		expect(failed).toBe(1);
		expect(json[7]).toMatchObject({ lookupStatus: 'failed', lookupCredits: 0 });
		expect(Object.keys(others).toSorted()).toEqual(['found', 'not_found']);
		expect(service().requests.filter(asksFor(7)).length).toBeLessThanOrEqual(12);
		expectPaidOnce(
			service(),
			find,
			wanted.filter((number) => number !== 7),
		);
	});

	test('is asked about once by a later run, which goes on where the plan was upgraded', async () => {
		const items = numbers(20).map(leadOf);
		service().faults.add({ ...hour, on: { times: 5 } });
		await runLookup(find, service(), items, continues);
		const { length } = service().requests;
		const { json } = await runLookup(find, service(), items, continues);
		expect(countsOf(json)).not.toHaveProperty('not_processed: rate_limited');
		expect(service().requests.slice(length)).toHaveLength(20);
		// And a loop after a refusal asks once in each round.
		service().faults.add(hour);
		const rounds = numbers(6).map((round) => numbers(10, 100 + 10 * round).map(leadOf));
		const before = service().requests.length;
		await runInLoop(find, service(), rounds, continues);
		expect(service().requests.length - before).toBeLessThanOrEqual(5 + 5);
	});

	test('is waited for once, not in each round of a loop', async () => {
		service().faults.add({ status: 429 });
		const rounds = numbers(6).map((round) => [leadOf(200 + round)]);
		const begun = Date.now();
		const { rounds: all } = await runInLoop(find, service(), rounds, continues);
		expect(all.map(({ json }) => countsOf(json))).toEqual(
			rounds.map(() => ({ 'not_processed: rate_limited': 1 })),
		);
		expect((Date.now() - begun) / 60_000).toBeLessThan(30);
		expect(service().requests.length).toBeLessThan(40);
	});

	test('of so many jobs at once is waited for, while their polls are accepted', async () => {
		const { variants, options, requests, faults } = service();
		Object.assign(variants, { bulkAnswer: 'job', jobPolls: 20 });
		options.latencyMs = 1;
		// One job at a time: the next one is accepted once all polls of the last one are done.
		const polls = () => requests.filter(({ operation }) => operation === 'getBulkJob').length;
		const jobs = () => requests.filter(({ status }) => status === 202).length;
		faults.add({ status: 429, on: { operation: 'findBulk', where: () => polls() < 20 * jobs() } });
		const { json } = await runLookup(findBulk, service(), numbers(300).map(leadOf), continues);
		expect(Object.keys(countsOf(json)).toSorted()).toEqual(['found', 'not_found']);
	});

	test('leaves a job that cannot be polled pending with its id, in later executions too', async () => {
		service().variants.bulkAnswer = 'job';
		service().faults.add({ ...hour, on: { operation: 'getBulkJob' } });
		let items: IDataObject[] = numbers(3).map(leadOf);
		for (const _ of ['first', 'later']) {
			items = (await runLookup(findBulk, service(), items, waits)).json;
			expect(countsOf(items)).toEqual({ 'pending: job_not_finished': 3 });
			expect(items[2]).toMatchObject({ lookupJobId: '9001', lookupJobRow: 3, lookupCredits: null });
		}
		expect(requestsOf(service(), 'findBulk')).toHaveLength(1);
	});
});

describe('a refusal that no other request escapes', () => {
	const kinds: Array<[reason: string, Effect]> = [
		['forbidden', { status: 403 }],
		['redirected', { redirect: 'https://www.example.com/' }],
		['not_the_service', { body: 'html' }],
		['bad_request', { status: 400 }],
		['bad_request', { status: 422 }],
	];

	test.each(kinds)('ends the run after ten in a row: %s %j', async (reason, effect) => {
		service().faults.add({ ...effect, on: { operation: 'find' } });
		const items = numbers(120).map(leadOf);
		const { json, hints } = await runLookup(find, service(), items, continues);
		const { [`not_processed: ${reason}`]: notSent, [`failed: ${reason}`]: failed } = countsOf(json);
		expect(notSent + failed).toBe(120);
		// Four more are in progress by then.
		expect(failed).toBeLessThanOrEqual(14);
		expect(service().requests).toHaveLength(failed);
		expect(hints?.[0]).toMatchObject({ type: 'warning' });
		expect(json.at(-1)?.lookupMessage).toMatch(/^Not sent: .+ \(.+\)$/);
	});

	test('for their values ends no run that has a result', async () => {
		const bad = numbers(40).filter((number) => number >= 20);
		const isBad = bad.map(asksFor);
		const where: (typeof isBad)[number] = (request) => isBad.some((is) => is(request));
		service().faults.add({ status: 400, on: { where } });
		const wanted = numbers(60);
		const { json } = await runLookup(find, service(), wanted.map(leadOf), continues);
		expect(countsOf(json)).toMatchObject({ 'failed: bad_request': 20 });
		expectPaidOnce(
			service(),
			find,
			wanted.filter((number) => !bad.includes(number)),
		);
	});

	test('of one account says nothing of another one', async () => {
		const refused = openAccount(service());
		const accepted = openAccount(service());
		const where = ({ headers }: WireRequest) => headers['x-access-key'] === refused;
		service().faults.add({ status: 403, on: { where } });
		const items = numbers(40).map((number) => {
			return { ...leadOf(number), key: number < 20 ? refused : accepted };
		});
		const credential = { ...credentialFor(service()), apiKey: '={{ $json.key }}' };
		const { json } = await runLookup(find, service(), items, { ...continues, credential });
		expect(Object.keys(countsOf(json.slice(20))).toSorted()).toEqual(['found', 'not_found']);
	});

	test('with 200, as of a plan that has expired, ends the run too', async () => {
		const body = { json: '{"success":false,"error":"Your plan has expired"}' };
		service().faults.add({ body, status: 200, on: { operation: 'find' } });
		const items = numbers(120).map(leadOf);
		const { json } = await runLookup(find, service(), items, continues);
		const { 'failed: unexpected_answer': failed } = countsOf(json);
		expect(failed).toBeLessThanOrEqual(14);
		expect(service().requests).toHaveLength(failed);
		const lookupMessage = expect.stringContaining('Your plan has expired');
		expect(json[0]).toMatchObject({ lookupStatus: 'failed', lookupCredits: null, lookupMessage });
		expect(json[119]).toMatchObject({ lookupStatus: 'not_processed', lookupMessage });
	});

	test('of jobs that the service refuses to show keeps no other one from being collected', async () => {
		Object.assign(service().variants, { bulkAnswer: 'job', jobPolls: 1 });
		const at = { ...waits, options: { jobTimeout: 0 } };
		const { json } = await runLookup(findBulk, service(), [leadOf(hit)], at);
		const where = ({ path }: WireRequest) => path.includes('7000');
		service().faults.add({ status: 403, on: { operation: 'getBulkJob', where } });
		const others = numbers(16, hit + 1).map((number) => {
			return { ...json[0], ...leadOf(number), lookupJobId: `7000${number}` };
		});
		const { json: after } = await runLookup(findBulk, service(), [...others, ...json], at);
		expect(after.map(({ lookupStatus }) => lookupStatus)).toEqual([
			...others.map(() => 'pending'),
			'found',
		]);
		expectPaidOnce(service(), findBulk, [hit]);
	});

	test('still lets a job be collected that is paid for', async () => {
		service().variants.bulkAnswer = 'job';
		service().faults.add({ status: 403, on: { operation: 'findBulk', where: after(2) } });
		const items = numbers(2_000).map(leadOf);
		const { json } = await runLookup(findBulk, service(), items, continues);
		const { found, not_found: missed } = countsOf(json);
		expect(found + missed).toBe(200);
		expect(found).toBe(paidAmong(findBulk, 2_000).filter((number) => number < 200).length);
	});
});

/** From so many requests on. */
function after(number: number): () => boolean {
	let count = 0;
	return () => ++count > number;
}

test.each([
	[10, true],
	[9, false],
])('of %i lookups that all got a 404 the summary warns, %s', async (length, warns) => {
	service().faults.add({ status: 404, on: { operation: 'find' } });
	const { json, hints } = await runLookup(find, service(), numbers(length).map(leadOf));
	expect(countsOf(json)).toEqual({ not_found: length });
	const said = expect.stringContaining('run Check API of Contact Data Account');
	expect(hints?.[0]).toEqual(
		expect.objectContaining({
			type: warns ? 'warning' : 'info',
			message: warns ? said : expect.not.stringContaining('404'),
		}),
	);
	expect(requestsOf(service(), 'find')).toHaveLength(length);
});
