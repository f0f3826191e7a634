/**
 * @file What users limit: Max Credits, Leave Credits in Account and Max Items in Manual Runs. Random runs with faults, of several
 * accounts and several executions at once, are in chaos.test.mts.
 */

import type { IDataObject, INodeParameters, WorkflowExecuteMode } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';

import type { Effect } from '../emulator/faults.mts';
import { chain, emits, looksUp, outputOf } from '../support/node/chains.mts';
import { runWorkflow, type NodeResult } from '../support/node/engine.mts';
import { kinds, ofEachKind } from '../emulator/ledger.mts';
import { outcomeIn } from '../support/node/definedItems.mts';
import {
	continues,
	everyLookup,
	expectPaidOnce,
	find,
	findBulk,
	leadOf,
	numbers,
	paidAmong,
	requestsOf,
	runInLoop,
	runLookup,
	subjectsOf,
	verify,
	type AnyLookup,
	type LookupTest,
} from '../support/leads/lookups.mts';
import { useQuickClock } from '../support/node/quickClock.mts';
import { credentialFor, KEY, useService } from '../support/servers/service.mts';

const service = useService();
useQuickClock();

const LEFT = 30;

/** The account has so many credits of each kind. */
function leave(credits: number): void {
	service().options.creditsLeft = ofEachKind(credits);
}

const accountReads = () => requestsOf(service(), 'getAccount').length;

/** The lookups that were sent. */
const sent = ({ endpoint }: AnyLookup) => requestsOf(service(), endpoint).length;

/** Runs a lookup; gives what each item says of it. */
async function run(
	lookup: AnyLookup,
	items: IDataObject[],
	options: INodeParameters,
	test: LookupTest = {},
): Promise<NodeResult> {
	const result = await runLookup(lookup, service(), items, { ...test, options });
	return { ...result, json: result.json.map(outcomeIn) };
}

const leads = numbers(60);

/** Two items that bring along what a lookup looks up; none where that cannot be. */
const knownTo = ({ existing }: AnyLookup) =>
	Array<IDataObject>(Object.keys(existing).length > 0 ? 2 : 0).fill({
		...{ email: 'ada@acme.example', emailStatus: 'valid' },
	});

describe.each(everyLookup)('Max Credits of $operation', (lookup) => {
	const { perRequest } = lookup;
	const wanted = numbers(6 * perRequest + 20);
	const items = wanted.map(lookup.item);

	test.each<[maxCredits: string | number, spends: number, maxConcurrency: number]>([
		[2 * perRequest + 3, 2 * perRequest + 3, 1],
		[2 * perRequest + 3, 2 * perRequest + 3, 8],
		['={{ "7.9" }}', 7, 5],
		['0', 0, 5],
		[-5, 0, 5],
	])('%j lets it spend %i, %i at once', async (maxCredits, spends, maxConcurrency) => {
		service().options.latencyMs = 5;
		const { json, error } = await run(lookup, items, { maxCredits, maxConcurrency });
		expect(error).toBeUndefined();
		expect(service().ledger.total()).toBe(spends);
		const bought = wanted.filter((number) => json[number].lookupStatus !== 'not_processed');
		expect(bought.map((number) => json[number])).toMatchObject(
			bought.map(lookup.answer).map(outcomeIn),
		);
		expectPaidOnce(service(), lookup, bought);
		if (spends === 0) expect(service().requests).toEqual([]);
		expect(json.at(-1)).toMatchObject({
			...{ lookupStatus: 'not_processed', lookupReason: 'credit_limit' },
			lookupMessage: expect.stringContaining('Max Credits'),
		});
	});

	test.each<[string, INodeParameters]>([
		['Max Credits', { options: { maxCredits: '' } }],
		['Max Credits', { options: { maxCredits: '={{ null }}' } }],
		['Leave Credits in Account', { options: { keepCredits: 'many' } }],
		['Max Items in Manual Runs', { manualLimit: 'few' }],
	])('with a %s that is no number nothing is sent: %j', async (label, parameters) => {
		const { json } = await run(lookup, items, {}, { parameters, ...continues });
		const message = expect.stringContaining(`${label} must be a number`);
		const refused = { lookupReason: 'invalid_value', lookupMessage: message };
		const said = { lookupStatus: 'invalid_input', ...refused };
		expect(json).toMatchObject(items.map(() => said));
		const stopped = await run(lookup, items, {}, { parameters });
		expect([stopped.items, stopped.error?.message]).toEqual([[], message]);
		expect(service().requests).toEqual([]);
	});
});

describe.each(everyLookup)('Leave Credits in Account of $operation', (lookup) => {
	const items = leads.map(lookup.item);
	const all = subjectsOf(lookup, leads).length;

	test.each([
		['20', 10, 'full'],
		[20.9, 10, 'credits'],
		[29, 1, 'credits'],
		[30, 0, 'full'],
		[-5, LEFT, 'full'],
	] as const)(
		'%j lets it spend %i of 30 credits, in the form "%s"',
		async (keepCredits, most, accountShape) => {
			// The one counter of the short form is that of the finder.
			Object.assign(service().variants, { accountShape });
			leave(LEFT);
			const { json, summary } = await run(lookup, items, { keepCredits });
			expect(accountReads()).toBe(1);
			expect(service().ledger.total()).toBe(most);
			if (most === 0) expect(sent(lookup)).toBe(0);
			const rest = json.filter(({ lookupReason }) => lookupReason === 'credit_floor');
			expect(rest.length).toBeGreaterThanOrEqual(all - most);
			const lookupMessage = expect.stringContaining('Leave Credits in Account');
			const said = { lookupStatus: 'not_processed', lookupMessage, lookupCredits: 0 };
			for (const item of rest) expect(item).toMatchObject(said);
			expect(summary).toContain(`${rest.length} not sent (Leave Credits in Account reached)`);
			expect(json.filter(({ lookupStatus }) => lookupStatus === 'not_processed')).toEqual(rest);
		},
	);

	const parameters = lookup.existing;
	const [known] = knownTo(lookup);
	const withKnown = [...(known ? [known] : []), ...items];

	const noCounter = {
		...{ lookupStatus: 'invalid_input', lookupReason: 'invalid_value' },
		lookupMessage: expect.stringContaining('the service sends no counter'),
	};

	test.each<[Effect | 'no counter', string, stop?: string]>([
		['no counter', 'invalid_value', 'Leave Credits in Account cannot be used here'],
		[{ status: 401 }, 'unauthorized'],
		[{ status: 402 }, 'out_of_credits'],
		[{ status: 503 }, 'service_down'],
		[{ reset: 'before-charge' }, 'service_down'],
		[{ status: 403 }, 'account_unreadable'],
		[{ body: { json: '{}' } }, 'account_unreadable'],
		[{ body: { json: '{"success":false,"error":"x"}' } }, 'account_unreadable'],
		[{ status: 429, retryAfter: 'seconds', seconds: 3_600 }, 'rate_limited'],
	])(
		'of an account that cannot be read (%j) sends nothing: %s',
		async (fault, reason, stop = '') => {
			if (fault !== 'no counter')
				service().faults.add({ ...fault, on: { operation: 'getAccount' } });
			else service().variants.creditCounters = kinds.filter((kind) => kind !== lookup.credits);
			const options = { keepCredits: 5, maxRetries: 0 };
			const { json } = await run(lookup, withKnown, options, { parameters, ...continues });
			if (known) expect(json[0]).toMatchObject({ lookupStatus: 'known', lookupCredits: 0 });
			const refused = { lookupStatus: 'not_processed', lookupReason: reason, lookupCredits: 0 };
			const said = fault === 'no counter' ? noCounter : refused;
			expect(json.slice(known ? 1 : 0)).toMatchObject(items.map(() => said));
			expect(accountReads()).toBe(1);
			const strict = { ...options, incompleteRun: 'fail' };
			for (const stopped of [
				await run(lookup, items, options),
				await run(lookup, withKnown, strict, { parameters }),
			]) {
				expect(stopped.error?.message).toContain(stop);
			}
			expect(sent(lookup)).toBe(0);
		},
	);
});

test.each(everyLookup)('$operation goes by the counter of its own credits', async (lookup) => {
	leave(1_000);
	Object.assign(service().options.creditsLeft ?? {}, { [lookup.credits]: 3 });
	const items = numbers(12).map(lookup.item);
	await runLookup(lookup, service(), items, { options: { keepCredits: 1 } });
	expect(service().ledger.spent(KEY, lookup.credits)).toBe(2);
});

test('what the execution has bought is delivered though the account cannot be read', async () => {
	service().faults.add({ status: 503, on: { operation: 'getAccount' } });
	const bought = numbers(5).map(verify.item);
	const nodes = [
		...[emits('Start', bought), looksUp('Verify', verify)],
		emits('Again', [...bought, verify.item(9)]),
		looksUp('Once More', verify, { keepCredits: 1, maxRetries: 0 }),
	];
	const output = outputOf(await runWorkflow(chain(nodes, credentialFor(service()))), 'Once More');
	const statuses = [...bought.map(() => 'verified'), 'not_processed'];
	expect(output.map(({ lookupStatus }) => lookupStatus)).toEqual(statuses);
	expect(service().ledger.total()).toBe(5);
});

test('Leave Credits in Account counts what pending jobs will cost at their end', async () => {
	leave(LEFT);
	const { variants, options } = service();
	variants.bulkAnswer = 'job';
	options.chargesJobsAtEnd = true;
	const waiting = paidAmong(findBulk, 100).slice(0, 20);
	const first = { options: { jobTimeout: 0 }, parameters: { includeInputFields: true } };
	const { json } = await runLookup(findBulk, service(), waiting.map(leadOf), first);
	expect([json[0].lookupStatus, service().ledger.total()]).toEqual(['pending', 0]);
	const others = numbers(40, 1_000).map(leadOf);
	await runLookup(find, service(), others, { ...continues, options: { keepCredits: 5 } });
	variants.jobPolls = 0;
	await runLookup(findBulk, service(), json, first);
	expect(service().ledger.total()).toBe(LEFT - 5);
});

describe.each(everyLookup)('Max Items in Manual Runs of $operation', (lookup) => {
	const twenty = numbers(20);
	const options = { incompleteRun: 'fail' };

	async function manual(
		limit: string | number | undefined,
		{ parameters, ...test }: LookupTest = {},
		items = twenty.map(lookup.item),
	) {
		const manualLimit = limit === undefined ? {} : { manualLimit: limit };
		const { options = {}, ...others } = test;
		return await run(lookup, items, options, {
			mode: 'manual',
			...others,
			parameters: { ...manualLimit, ...parameters },
		});
	}

	test.each<[string | number | undefined, WorkflowExecuteMode, number]>([
		[undefined, 'manual', 10],
		['3', 'manual', 3],
		[0, 'manual', 20],
		[3, 'trigger', 20],
		[3, 'retry', 20],
	])('%j in mode "%s" looks up %i of 20 items', async (manualLimit, mode, most) => {
		// It never makes a run incomplete.
		const { error, json, hints } = await manual(manualLimit, { mode, options });
		expect([error, json.length]).toEqual([undefined, 20]);
		expectPaidOnce(service(), lookup, twenty.slice(0, most));
		for (const item of json.slice(0, most)) expect(item.lookupStatus).not.toBe('not_processed');
		for (const item of json.slice(most)) {
			expect(item).toMatchObject({
				...{ lookupStatus: 'not_processed', lookupReason: 'manual_limit', lookupCredits: 0 },
				lookupMessage: expect.stringContaining('Max Items in Manual Runs'),
			});
		}
		if (most === 20) return;
		expect(hints?.[0]).toMatchObject({
			type: 'info',
			message: expect.stringContaining(`${20 - most} not sent (Max Items in Manual Runs reached)`),
		});
	});

	test('does not hide what makes a run incomplete', async () => {
		service().faults.add({ status: 402, on: { operation: lookup.endpoint } });
		const failed = await manual(3, { options });
		expect(failed.error?.description).toContain('0 of 20 items are done');
		expect((await manual(3)).error?.message).toContain('credits');
	});

	test('holds for the retry of a manual run, which n8n does not call manual', async () => {
		service().faults.add({ status: 402, on: { operation: lookup.endpoint, times: 1 } });
		const failed = await manual(3, { options: { ...options, maxConcurrency: 1 } });
		expect(failed.error).toBeDefined();
		const { json } = await manual(3, { mode: undefined, retryOf: failed.run });
		expectPaidOnce(service(), lookup, twenty.slice(0, 3));
		const rest = json.slice(3);
		expect(rest).toMatchObject(rest.map(() => ({ lookupReason: 'manual_limit' })));
	});

	test('counts distinct lookups that are to be sent: known items and repeated ones do not', async () => {
		const known = knownTo(lookup);
		const wanted = [1, 2, 3, 1, 2, 3, 4, 4, 1];
		const items = [...known, ...wanted.map(lookup.item)];
		const { json, errorItems } = await manual(
			3,
			{ parameters: lookup.existing, onError: 'continueErrorOutput' },
			items,
		);
		expectPaidOnce(service(), lookup, [1, 2, 3]);
		expect(json.slice(0, known.length)).toMatchObject(known.map(() => ({ lookupStatus: 'known' })));
		expect(json).toHaveLength(items.length - 2);
		const limited = { json: { error: { reason: 'manual_limit' } } };
		expect(errorItems).toMatchObject([limited, limited]);
	});
});

test('Max Items in Manual Runs counts distinct lookups over the rounds of a loop, what is tried again once', async () => {
	service().faults.add({ status: 500, on: { operation: 'verify', nth: 1 } });
	const parameters = { ...verify.parameters, manualLimit: 2 };
	const items = [1, 2, 1, 3, 2].map((number) => [verify.item(number)]);
	const { rounds } = await runInLoop({ node: verify.node, parameters }, service(), items, {
		options: { maxRetries: 0 },
		mode: 'manual',
		onError: 'continueRegularOutput',
	});
	const answered = ['failed', 'verified', 'verified', 'not_processed', 'verified'];
	expect(rounds.map(({ json: [{ lookupStatus }] }) => lookupStatus)).toEqual(answered);
});
