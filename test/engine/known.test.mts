/**
 * @file What items bring along is passed on: it is not looked up, costs nothing, and nothing hides behind
 * it. What counts as known, and how old it may be, is tested in test/unit/known.test.mts and test/unit/questions.test.mts,
 * what it does to its item in shape.test.mts.
 */

import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';

import { type NodeResult } from '../support/node/engine.mts';
import {
	answerIn,
	existingOf,
	expectPaidOnce,
	lookups,
	paidAmong,
	runLookup,
	verify,
	verifyBulk,
	type Lookup,
	type LookupTest,
} from '../support/leads/lookups.mts';
import { useService } from '../support/servers/service.mts';

const service = useService();

const DAY = 24 * 60 * 60_000;

/** Runs a lookup, for items that may bring along what it looks up. */
async function run(lookup: Lookup, items: IDataObject[], test: LookupTest = {}) {
	return await runLookup(lookup, service(), items, { ...test, parameters: existingOf(lookup) });
}

function messagesOf({ hints = [] }: NodeResult): string[] {
	return hints.map(({ message }) => message);
}

describe.each(lookups)('an item that brings along what $operation looks up', (lookup) => {
	const isFinder = lookup.credits === 'email';
	/** Leads that cost something. */
	const [one, two] = paidAmong(lookup, 50);
	const brings: IDataObject = isFinder ? { email: 'ada@acme.example' } : { emailStatus: 'OK' };
	const known = {
		status: 'known',
		email: isFinder ? 'ada@acme.example' : null,
		emailStatus: isFinder ? null : 'valid',
		...(!isFinder && { mailboxType: null }),
		credits: 0,
		checkedAt: null,
	};

	test('is not sent and costs nothing; the others are looked up, in order', async () => {
		const items = [
			brings,
			lookup.item(one),
			...[two, one].map((number) => ({ ...lookup.item(number), ...brings })),
			lookup.item(two),
		];
		// Neither does it count against Max Credits, nor does the run learn anything from it.
		const result = await run(lookup, items, { options: { maxCredits: 2 } });
		const [first, second, third, fourth, fifth] = result.json;
		expect(first).toStrictEqual(known);
		for (const item of [third, fourth]) expect(item).toMatchObject({ status: 'known', credits: 0 });
		expect([second, fifth].map(answerIn)).toEqual([one, two].map(lookup.answer));
		expectPaidOnce(service(), lookup, [one, two]);
	});

	test.each(['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'] as const)(
		'needs no other field, and is on the first output with %s; a hint names the field to clear',
		async (onError) => {
			const options = { incompleteRun: 'fail', keepCredits: 5 };
			const result = await run(lookup, [brings, brings], { onError, options });
			expect([result.error, result.errorItems]).toEqual([undefined, []]);
			expect(result.json).toStrictEqual([known, known]);
			expect(result.run.data.resultData.metadata).toBeUndefined();
			expect(service().requests).toEqual([]);
			expect(messagesOf(result)[1]).toContain(isFinder ? 'Existing Email' : 'Existing Status');
		},
	);

	const ages = { checkedAt: '={{ $json.day }}', maxAgeDays: '={{ $json.maxAge }}' };
	const byEngine = { ...ages, checkedAt: '={{ $json.day.toDateTime() }}' };
	test.each<[daysAgo: number, maxAge: number | string, INodeParameters, isKnown: boolean]>([
		[91, '', ages, false],
		[89, '', ages, true],
		[3, '2', byEngine, false],
		[3, 4, byEngine, true],
	])('with a Checked At of %d days ago and a Max Age of %j', async (days, maxAge, ...rest) => {
		const [options, isKnown] = rest;
		const day = new Date(Date.now() - days * DAY).toISOString();
		const items = [
			{ ...lookup.item(one), ...brings, day, maxAge },
			{ ...lookup.item(two), ...brings, day: 'a while ago', maxAge },
		];
		const result = await run(lookup, items.slice(0, options === ages ? 2 : 1), { options });
		const statuses = result.json.map(({ status }) => status);
		const status = isKnown ? 'known' : lookup.answer(one).status;
		expect(statuses).toEqual([status, ...(options === ages ? ['known'] : [])]);
		expectPaidOnce(service(), lookup, isKnown ? [] : [one]);
		expect(messagesOf(result)[0].includes('without a valid date')).toBe(options === ages);
	});

	test.each([401, 402, 500])(
		'hides no API key that is not accepted any more: a %i stops the workflow',
		async (status) => {
			/** What needs no answer of the service. */
			const needless = [brings, ...(isFinder ? [] : [{ email: '' }, { email: 'no-at-sign' }])];
			service().faults.add({ status });
			const items = [...needless, lookup.item(two), ...needless];
			const { error, json } = await run(lookup, items, { options: { maxRetries: 0 } });
			expect(error).toMatchObject({ httpCode: String(status) });
			expect(error?.message).toContain(`[item ${needless.length}]`);
			expect(json).toEqual([]);
			const free = await run(lookup, needless);
			expect([free.error, free.json.length]).toEqual([undefined, needless.length]);
			expect(service().requests).toHaveLength(1);
		},
	);
});

describe.each([verify, verifyBulk])('an item without an email, by $operation', (lookup) => {
	test('is skipped, after what is known and before what is malformed', async () => {
		const expected: Array<[IDataObject, status: string, emailStatus: unknown, credits: number]> = [
			[{ emailStatus: 'ok' }, 'known', 'valid', 0],
			[{}, 'skipped', null, 0],
			[{ email: ' \t' }, 'skipped', null, 0],
			[{ email: null }, 'skipped', null, 0],
			[{ email: 'no-at-sign' }, 'verified', 'invalid', 0],
			[{ email: 'no-at-sign', emailStatus: 'catch-all' }, 'known', 'catch-all', 0],
			[lookup.item(3), 'verified', lookup.answer(3).emailStatus, 1],
		];
		const items = expected.map(([item]) => item);
		const result = await run(lookup, items, { options: { incompleteRun: 'fail' } });
		expect(
			result.json.map(({ status, emailStatus, credits }) => [status, emailStatus, credits]),
		).toEqual(expected.map(([, ...rest]) => rest));
		expectPaidOnce(service(), lookup, [3]);
		expect(messagesOf(result)[0]).toContain('3 items skipped: no email');
	});

	test('where all are, nothing is sent, and a warning names the field', async () => {
		const result = await run(lookup, [{}, {}]);
		expect(result.error).toBeUndefined();
		expect(result.json).toMatchObject([{ status: 'skipped' }, { status: 'skipped' }]);
		expect(service().requests).toEqual([]);
		expect(result.hints?.[1]).toMatchObject({
			...{ type: 'warning', location: 'outputPane' },
			message: expect.stringContaining('no item has an email. Check the field Email.'),
		});
	});
});
