/** @file Keep Credits: no lookup takes the account below what is to stay in it. */

import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';

import { expectedVerification } from '../service/addresses.mts';
import type { Effect } from '../service/faults.mts';
import type { CreditKind } from '../service/fixtures.mts';
import { numbers, requestsOf } from '../support/bulk.mts';
import { chain, emits, looksUp, outputOf } from '../support/chains.mts';
import { runNode, runWorkflow, type NodeResult } from '../support/engine.mts';
import { known } from '../support/expected.mts';
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
import { existingOf } from '../support/outcomes.mts';
import { giveJson, useServer } from '../support/ownServer.mts';
import { credentialFor, KEY, useService } from '../support/service.mts';

const service = useService();
const server = useServer();

const LEFT = 30;

/** How many leads have an answer that costs something. */
function owed(lookup: Lookup, wanted: number[]): number {
	return wanted.filter((number) => lookup.subject(number) !== null).length;
}

/** The account has so many credits of each kind. */
function leave(credits: number): void {
	service().options.creditsLeft = { email: credits, verifier: credits, search: credits };
}

function accountReads(): number {
	return requestsOf(service(), 'getAccount').length;
}

/** The lookups that were sent. */
function sent(lookup: Lookup): number {
	return requestsOf(service(), lookup.operation).length;
}

function reasonsIn({ json }: Pick<NodeResult, 'json'>): Map<unknown, number> {
	const counts = new Map<unknown, number>();
	for (const { reason = 'none' } of json) counts.set(reason, (counts.get(reason) ?? 0) + 1);
	return counts;
}

async function run(
	lookup: Lookup,
	items: IDataObject[],
	options: INodeParameters,
	test: Parameters<typeof runLookup>[3] = {},
): Promise<NodeResult> {
	return await runLookup(lookup, service(), items, { ...test, options });
}

const leads = numbers(60);

describe.each(lookups)('$operation', (lookup) => {
	const items = leads.map(lookup.item);
	const all = owed(lookup, leads);

	describe.each(['full', 'credits'] as const)('of an account of the form "%s"', (accountShape) => {
		// The one counter of the short form is that of the finder.
		const ofShape = () => {
			Object.assign(service().variants, { accountShape });
			leave(LEFT);
		};

		test.each([
			[20, 10],
			['20', 10],
			[20.9, 10],
			[29, 1],
			[30, 0],
			[1_000, 0],
			[0, LEFT],
			[-5, LEFT],
		])('with %j to keep spends %i of 30 credits', async (keepCredits, most) => {
			ofShape();
			const { json, hints } = await run(lookup, items, { keepCredits });
			expect(accountReads()).toBe(1);
			expect(service().ledger.total()).toBe(Math.min(most, all));
			if (most === 0) expect(sent(lookup)).toBe(0);
			const rest = json.filter(({ reason }) => reason === 'credit_floor');
			if (most < all) {
				expect(rest.length).toBeGreaterThan(0);
				expect(rest[0]).toMatchObject({
					status: 'not_processed',
					message: expect.stringContaining('Keep Credits'),
					credits: 0,
				});
				expect(hints?.[0].message).toContain(`${rest.length} not sent (Keep Credits reached)`);
			}
			const answered = json.filter(({ status }) => status !== 'not_processed');
			expect(answered.length + rest.length).toBe(items.length);
		});
	});

	test.each([[''], ['many'], [null], ['1,000']])(
		'with %j to keep sends nothing at all',
		async (keepCredits) => {
			const value = keepCredits === null ? '={{ $json.nothing }}' : keepCredits;
			const { json } = await run(
				lookup,
				items,
				{ keepCredits: value },
				{ onError: 'continueRegularOutput' },
			);
			expect(reasonsIn({ json })).toEqual(new Map([['invalid: Keep Credits', items.length]]));
			expect(service().requests).toHaveLength(0);
		},
	);

	test('of an account that does not state its credits: what would be sent is refused', async () => {
		Object.assign(service().variants, { creditCounters: ['search'] });
		const known = { ...items[0], email: 'ada@acme.example', emailStatus: 'valid' };
		const withKnown = async (options: INodeParameters, test: LookupTest = {}) =>
			await run(
				lookup,
				[known, ...items],
				{ keepCredits: 5, ...options },
				{
					parameters: existingOf(lookup),
					...test,
				},
			);
		const { json } = await withKnown({}, { onError: 'continueRegularOutput' });
		expect(json[0]).toMatchObject({ status: 'known', credits: 0 });
		for (const item of json.slice(1)) {
			expect(item).toMatchObject({
				status: 'invalid_input',
				reason: 'invalid: Keep Credits',
				message: expect.stringContaining('the service sends no counter'),
			});
		}
		expect([accountReads(), sent(lookup)]).toEqual([1, 0]);
		expect((await withKnown({})).error).toBeUndefined();
		const noItemIsKnown = await run(lookup, items, { keepCredits: 5 });
		for (const { error } of [noItemIsKnown, await withKnown({ incompleteRun: 'fail' })]) {
			expect(error?.message).toContain('Keep Credits cannot be used with this account');
		}
		expect(sent(lookup)).toBe(0);
	});

	test.each([
		[{ status: 401 }, 'not_processed', 'unauthorized'],
		[{ status: 402 }, 'not_processed', 'out_of_credits'],
		[{ status: 503 }, 'not_processed', 'service_down'],
		[{ reset: 'before-charge' }, 'not_processed', 'service_down'],
		[{ status: 403 }, 'not_processed', 'account_unreadable'],
		[{ status: 404 }, 'not_processed', 'account_unreadable'],
		[{ status: 429, retryAfter: 'seconds', seconds: 0 }, 'not_processed', 'account_unreadable'],
	] as Array<[Effect, string, string]>)(
		'of an account that cannot be read (%j) sends nothing',
		async (fault, status, reason) => {
			service().faults.add({ ...fault, on: { operation: 'getAccount' } });
			const known = { ...items[0], email: 'ada@acme.example', emailStatus: 'valid' };
			const options = { keepCredits: 5, maxRetries: 0 };
			const { json } = await run(lookup, [known, ...items], options, {
				parameters: existingOf(lookup),
				onError: 'continueRegularOutput',
			});
			expect(json[0].status).toBe('known');
			for (const item of json.slice(1)) expect(item).toMatchObject({ status, credits: 0 });
			expect(String(json[1].reason)).toContain(reason);
			expect([accountReads(), sent(lookup)]).toEqual([1, 0]);
			const stopped = await run(lookup, items, options);
			expect(stopped.error).toBeDefined();
			expect(sent(lookup)).toBe(0);
		},
	);

	test('holds for executions that run at the same time', async () => {
		leave(LEFT);
		Object.assign(service().options, { latencyMs: 10 });
		const parts = [numbers(40), numbers(40, 40), numbers(40, 80)];
		const results = await Promise.all(
			parts.map(async (part, index) => {
				// One of them keeps nothing: what it sends later the others cannot foresee.
				const options = index === 2 ? { maxCredits: 5 } : { keepCredits: 12 };
				return await run(lookup, part.map(lookup.item), options);
			}),
		);
		expect(service().ledger.total()).toBeLessThanOrEqual(LEFT - 12 + 5);
		// What is in progress during a reading counts as if it came after it.
		expect(service().ledger.total()).toBeGreaterThan(0);
		for (const { json } of results) expect(json).toHaveLength(40);
	});
});

test('a node that finds does not spend what a node that verifies is to keep', async () => {
	leave(LEFT);
	const items = leads.map((number) => ({ ...find.item(number), ...verify.item(number) }));
	const run = await runWorkflow({
		nodes: [
			emits('Start', items),
			looksUp('Find', find, { maxCredits: 10 }),
			looksUp(
				'Verify',
				{ ...verify, parameters: { ...verify.parameters, email: addressOf } },
				{
					keepCredits: 20,
				},
			),
		],
		connections: ['Start > Find', 'Find > Verify'],
		credential: credentialFor(service()),
	});
	const spent = (kind: CreditKind) => service().ledger.spent(KEY, kind);
	expect([spent('email'), spent('verifier')]).toEqual([10, 10]);
	expect(reasonsIn({ json: outputOf(run, 'Verify') }).get('credit_floor')).toBeGreaterThan(0);
});

/** Where a node verifies what the items came with, whatever the node before it found. */
const addressOf = "={{ $('Start').item.json.email }}";

test('each account keeps its own', async () => {
	leave(LEFT);
	const items = leads.map((number) => ({
		...verify.item(number),
		key: number % 2 === 0 ? KEY : 'second-key',
	}));
	const { json } = await runLookup(verify, service(), items, {
		options: { keepCredits: 25 },
		credential: { ...credentialFor(service()), apiKey: '={{ $json.key }}' },
	});
	const spent = (key: string) => service().ledger.spent(key, 'verifier');
	expect([spent(KEY), spent('second-key')]).toEqual([5, 5]);
	expect(accountReads()).toBe(2);
	expect(reasonsIn({ json }).get('credit_floor')).toBe(items.length - 10);
});

test('a search keeps credits as well', async () => {
	leave(LEFT);
	const items = service()
		.fixtures.companies.slice(0, 8)
		.map(({ domain }) => ({ domain }));
	const { json } = await runNode({
		node: 'contactDataCompany',
		parameters: {
			operation: 'search',
			keyword: '={{ $json.domain }}',
			options: { keepCredits: 27 },
		},
		items,
		credential: credentialFor(service()),
	});
	expect(service().ledger.spent(KEY, 'search')).toBe(3);
	expect(reasonsIn({ json }).get('credit_floor')).toBe(5);
});

test('what another execution has reserved counts as spent, at once', async () => {
	leave(1);
	service().faults.add({ delayMs: 2_000, on: { operation: 'verify' } });
	const first = run(verify, [verify.item(1)], { keepCredits: 0 });
	await expect.poll(() => sent(verify), { interval: 5, timeout: 10_000 }).toBe(1);
	const { json } = await run(verify, [verify.item(2)], { keepCredits: 0 });
	expect(json).toMatchObject([{ status: 'not_processed', reason: 'credit_floor' }]);
	expect(requestsOf(service(), 'verify')[0].finishedAt).toBeNull();
	expect((await first).json).toMatchObject([{ status: 'verified' }]);
	expect(sent(verify)).toBe(1);
});

test('a floor holds over a lost connection, whose lookup may be charged twice', async () => {
	leave(10);
	service().faults.add({ reset: 'after-charge', on: { operation: 'verify' } });
	const { json } = await run(
		verify,
		leads.map(verify.item),
		{ keepCredits: 7, maxConcurrency: 1 },
		{ onError: 'continueRegularOutput' },
	);
	expect(service().ledger.total()).toBe(3);
	expect(reasonsIn({ json }).get('credit_floor')).toBe(leads.length - 2);
});

test('a job that turns out cheaper gives no room that the counter has given already', async () => {
	Object.assign(service().variants, { bulkAnswer: 'job', jobPolls: 1, jobResultShape: 'results' });
	leave(100);
	const hits = numbers(400).filter((number) => find.subject(number) !== null);
	const misses = numbers(400).filter((number) => find.subject(number) === null);
	// Somebody uses the account all the time.
	service().faults.add({ delayMs: 4_000, on: { operation: 'verify' } });
	const other = run(verify, [verify.item(1)], {});
	await expect.poll(() => sent(verify), { interval: 5, timeout: 10_000 }).toBe(1);
	const first = [...hits.slice(0, 10), ...misses.slice(0, 30)].map(find.item);
	const more = hits.slice(100, 180).map(find.item);
	const options = { keepCredits: 50, jobTimeout: 0 };
	const findBulk = known(lookups.find(({ operation }) => operation === 'findBulk'));
	await runInLoop(findBulk, service(), [first, [...first, ...more]], {
		options,
		onError: 'continueRegularOutput',
	});
	await other;
	expect(service().ledger.spent(KEY, 'email')).toBe(50);
});

test('the bulk job of another execution holds up nobody', { timeout: 30_000 }, async () => {
	Object.assign(service().variants, { bulkAnswer: 'job', jobPolls: 1_000_000 });
	leave(160);
	const findBulk = known(lookups.find(({ operation }) => operation === 'findBulk'));
	const stop = new AbortController();
	const job = run(findBulk, numbers(100).map(find.item), {}, { stop: stop.signal });
	await expect
		.poll(() => requestsOf(service(), 'getBulkJob').length, { interval: 5, timeout: 10_000 })
		.toBeGreaterThan(0);
	// It may still cost 100, so that it would be the floor for 70; it leaves enough for 10.
	const single = async (keepCredits: number) =>
		(await run(find, [find.item(200)], { keepCredits }, { onError: 'continueRegularOutput' })).json;
	expect(await single(70)).toMatchObject([{ status: 'not_processed', reason: 'credit_floor' }]);
	stop.abort();
	await job;
});

test('of two accounts the one that states no credits is refused, and a run that is to stop, stops', async () => {
	const sentTo: string[] = [];
	const address = await server((request, response) => {
		const key = String(request.headers['x-access-key']);
		const isRead = String(request.url).includes('account');
		if (!isRead) sentTo.push(key);
		const credit = key === 'first' ? { verifier: { quota: 9, used: 0 } } : {};
		giveJson(response, isRead ? { credit } : expectedVerification('first@acme.example'));
	});
	const runOf = async (incompleteRun: string) =>
		await runNode({
			node: 'contactDataVerifier',
			parameters: {
				operation: 'verify',
				email: '={{ $json.email }}',
				options: { keepCredits: 5, incompleteRun },
			},
			items: ['first', 'second'].map((key) => ({ email: `${key}@acme.example`, key })),
			credential: { baseUrl: address, apiKey: '={{ $json.key }}' },
		});
	const { json } = await runOf('return');
	expect(json.map(({ reason, status }) => reason ?? status)).toEqual([
		'verified',
		'invalid: Keep Credits',
	]);
	const { error } = await runOf('fail');
	expect(error?.message).toContain('Keep Credits cannot be used with this account');
	expect(sentTo).toEqual(['first', 'first']);
});

test('where nothing has to be looked up, the account is not even read', async () => {
	Object.assign(service().variants, { creditCounters: ['search'] });
	const { error, json } = await run(
		find,
		[{ email: 'ada@acme.example' }],
		{ keepCredits: 5, incompleteRun: 'fail' },
		{ parameters: existingOf(find) },
	);
	expect(error).toBeUndefined();
	expect(json).toMatchObject([{ status: 'known' }]);
	expect(service().requests).toEqual([]);
});

test('a run that stops for an incomplete item does not even read the account', async () => {
	const { error } = await run(find, [find.item(1), {}], { keepCredits: 1, incompleteRun: 'fail' });
	expect(error?.message).toContain('missing');
	expect(service().requests).toEqual([]);
});

test('what others do with the account holds up nobody for whom there is room', async () => {
	leave(1_000);
	Object.assign(service().options, { latencyMs: 50 });
	const verifyBulk = known(lookups.find(({ operation }) => operation === 'verifyBulk'));
	const others = run(verify, numbers(60).map(verify.item), {});
	await expect.poll(() => sent(verify), { interval: 5, timeout: 10_000 }).toBeGreaterThan(5);
	const { json } = await run(verifyBulk, numbers(100, 100).map(verify.item), { keepCredits: 900 });
	await others;
	const answered = json.filter(({ status }) => status === 'verified').length;
	expect(answered).toBeGreaterThan(0);
	expect(requestsOf(service(), 'verifyBulk')[0].id).toBeLessThan(
		requestsOf(service(), 'verify')[59].id,
	);
});

test('what the execution has bought is delivered though the account cannot be read', async () => {
	service().faults.add({ status: 503, on: { operation: 'getAccount' } });
	const bought = numbers(5).map(verify.item);
	const ran = await runWorkflow(
		chain(
			[
				emits('Start', bought),
				looksUp('Verify', verify),
				emits('Again', [...bought, verify.item(9)]),
				looksUp('Once More', verify, { keepCredits: 1, maxRetries: 0 }),
			],
			credentialFor(service()),
		),
	);
	expect(outputOf(ran, 'Once More').map(({ status }) => status)).toEqual([
		...Array(5).fill('verified'),
		'not_processed',
	]);
	expect(service().ledger.total()).toBe(5);
});

test('what others spend meanwhile is not seen: the docs say so', async () => {
	leave(20);
	whenSent(service(), 3, () =>
		service().ledger.enter({
			account: KEY,
			operation: 'verify',
			subject: 'somebody else',
			credits: 4,
			requestId: 0,
		}),
	);
	await run(verify, leads.map(verify.item), { keepCredits: 10, maxConcurrency: 1 });
	expect(service().ledger.total()).toBe(14);
});
