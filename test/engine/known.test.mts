/**
 * @file What items bring along is passed on: it is not looked up, costs nothing, and nothing hides behind it. What counts
 * as known or is skipped, and how old it may be, is tested in test/unit/item.test.mts, what it does to its item in
 * shape.test.mts.
 */

import type { IDataObject } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';

import {
	addressOf,
	answerIn,
	continues,
	leadOf,
	expectPaidOnce,
	lookups,
	paidAmong,
	runLookup,
	verify,
	type Lookup,
	type LookupTest,
} from '../support/leads/lookups.mts';
import { useService } from '../support/servers/service.mts';

const service = useService();

const DAY = 24 * 60 * 60_000;

/** Runs a lookup, for items that may bring along what it looks up. */
async function run(lookup: Lookup, items: IDataObject[], test: LookupTest = {}) {
	return await runLookup(lookup, service(), items, { ...test, parameters: lookup.existing });
}

describe.each(lookups)('an item that brings along what $operation looks up', (lookup) => {
	const isFinder = lookup.credits === 'email';
	/** Leads that cost something. */
	const [one, two] = paidAmong(lookup, 50);
	const brings: IDataObject = isFinder ? { email: 'ada@acme.example' } : { emailStatus: 'OK' };
	const known = {
		lookupStatus: 'known',
		email: isFinder ? 'ada@acme.example' : null,
		emailStatus: isFinder ? null : 'valid',
		...(!isFinder && { mailboxType: null }),
		lookupCredits: 0,
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
		const passed = { lookupStatus: 'known', lookupCredits: 0 };
		expect([third, fourth]).toMatchObject([passed, passed]);
		expect([second, fifth].map(answerIn)).toEqual([one, two].map(lookup.answer));
		expectPaidOnce(service(), lookup, [one, two]);
	});

	test.each(['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'] as const)(
		'needs no other field, and the summary says how to look it up again: %s',
		async (onError) => {
			const options = { incompleteRun: 'fail', keepCredits: 5 };
			const result = await run(lookup, [brings, brings], { onError, options });
			expect([result.error, result.errorItems]).toEqual([undefined, []]);
			expect(result.json).toStrictEqual([known, known]);
			expect(result.run.data.resultData.metadata).toBeUndefined();
			expect(service().requests).toEqual([]);
			expect(result.summary).toContain('set the option Look Up Again After (Days) to 0');
		},
	);

	test.each([-1, '', 'soon', null])('with Look Up Again After %j it is refused', async (days) => {
		const items = [{ ...lookup.item(one), ...brings, days }];
		const options = { refreshAfterDays: '={{ $json.days }}' };
		const { json } = await run(lookup, items, { ...continues, options });
		const isRefused = { lookupStatus: 'invalid_input', lookupReason: 'invalid_value' };
		expect([json, service().requests]).toMatchObject([[isRefused], []]);
	});

	test.each([401, 402, 500])(
		'hides no API key that is refused: a %i stops the workflow',
		async (status) => {
			/** What needs no answer of the service. */
			const needless = [brings, ...(isFinder ? [] : [{ email: '' }, { email: 'no-at-sign' }])];
			service().faults.add({ status });
			const items = [...needless, lookup.item(two), ...needless];
			const { error, json } = await run(lookup, items, { options: { maxRetries: 0 } });
			expect(error).toMatchObject({ httpCode: String(status) });
			expect(json).toEqual([]);
			const free = await run(lookup, needless);
			expect([free.error, free.json.length]).toEqual([undefined, needless.length]);
			expect(service().requests).toHaveLength(1);
		},
	);
});

test('an email that was there and not read is paid for, and a warning says which one it is', async () => {
	const findBulk = lookups[2];
	const [one, two, three] = paidAmong(findBulk, 50);
	const held = { 'E-Mail': `Ann <${String(findBulk.answer(one).email)}>` };
	const items = [
		{ ...findBulk.item(one), ...held },
		{ ...findBulk.item(two), 'E-Mail': 'rep@us.example' },
	];
	const chosen = { parameters: { existingEmail: '={{ $json.email }}' } };
	const result = await runLookup(findBulk, service(), items, chosen);
	expectPaidOnce(service(), findBulk, [one, two]);
	expect(result.hints).toMatchObject([{ type: 'warning' }]);
	expect(result.summary).toContain(
		'<br>1 credit went to items that already had an email in E-Mail, which was not read: check Existing Email under Lead Fields.',
	);
	// Whoever leaves the field empty wants all looked up.
	const third = { ...findBulk.item(three), email: findBulk.answer(three).email };
	const all = await runLookup(findBulk, service(), [third], { parameters: { existingEmail: '' } });
	expectPaidOnce(service(), findBulk, [one, two, three]);
	expect(all.summary).not.toContain('not read');
	// Read, it is free, and nothing is said.
	const read = await runLookup(findBulk, service(), items.slice(0, 1), {
		parameters: { existingEmail: '={{ $json["E-Mail"] }}' },
	});
	expect(read.summary).not.toContain('not read');
});

test('a column that nobody knows is named where it held what was paid for', async () => {
	const auto = { parameters: { leadFields: 'auto', includeInputFields: true }, ...continues };
	const [verify, findBulk] = [lookups[1], lookups[2]];
	const mails = [{ Post: 'ada@acme.example' }, { Post: '' }];
	const verified = await runLookup(verify, service(), mails, auto);
	expect(verified.hints).toMatchObject([{ type: 'warning' }]);
	expect(verified.summary).toContain(
		'If your emails are in another column: add Email under Lead Fields and drag the right column in',
	);
	const leads = [{ 'Full name': 'Ada Lovelace', 'Employer site': 'https://acme.example' }];
	const [number] = paidAmong(findBulk, 50);
	const { first: firstName, last: lastName, domain } = leadOf(number);
	const paid = await runLookup(
		findBulk,
		service(),
		[{ firstName, lastName, domain, Post: `Ann <${String(findBulk.answer(number).email)}>` }],
		auto,
	);
	expect(paid.summary).toContain(
		'1 credit went to items that already had an email in Post, which was not read: add Existing Email under Lead Fields and drag the right column in.',
	);
	service().reset();
	const found = await runLookup(findBulk, service(), leads, auto);
	expect(found.json[0].lookupMessage).toBe(
		'Not sent: no company. The item has: Full name, Employer site',
	);
	expect(service().requests).toEqual([]);
});

test('an unknown email is verified at once, as long as it was not verified; then after a day', async () => {
	const [number] = paidAmong(verify, 1_000).filter(
		(one) => verify.answer(one).emailStatus === 'unknown',
	);
	const hour = new Date(Date.now() - DAY / 24).toISOString();
	const lead = { email: addressOf(number), emailStatus: 'unknown', checkedAt: hour };
	const auto = { ...continues, parameters: { leadFields: 'auto', includeInputFields: true } };
	const look = async (item: IDataObject) =>
		(await runLookup(verify, service(), [item], auto)).json[0];
	service().faults.add({ status: 402, on: { nth: 1 } });
	const failed = await look({ ...lead, lookupStatus: 'found' });
	expect(failed).toMatchObject({ lookupStatus: 'not_processed', emailStatus: 'unknown' });
	// A Finder in between calls it known.
	for (const lookupStatus of ['not_processed', 'known']) {
		const again = await look({ ...failed, lookupStatus });
		expect(again).toMatchObject({ lookupStatus: 'verified' });
	}
	const checked = await look({ ...lead, lookupStatus: 'verified' });
	expect(checked).toMatchObject({ ...lead, lookupCredits: 0 });
	expectPaidOnce(service(), verify, [number]);
});
