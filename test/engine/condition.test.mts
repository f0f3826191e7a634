/** @file Look Up Only If: an item that does not meet its condition is passed on, for free, whatever else it holds. */

import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';

import { operationOf } from '../operations.mts';
import { fixtures } from '../support/leads/expected.mts';
import {
	answerIn,
	continues,
	expectPaidOnce,
	lookups,
	paidAmong,
	runLookup,
	type LookupTest,
} from '../support/leads/lookups.mts';
import { outcomeIn } from '../support/node/definedItems.mts';
import { runNode } from '../support/node/engine.mts';
import { credentialFor, useService } from '../support/servers/service.mts';

const service = useService();

const byItem = '={{ $json.wanted }}';
const byEngine = '={{ $json.wanted ?? undefined }}';

describe.each(lookups)('of $operation', (lookup) => {
	const [one, two] = paidAmong(lookup, 50);
	const skipped = { lookupStatus: 'skipped', lookupReason: 'condition', lookupCredits: 0 };

	async function run(items: IDataObject[], lookUpIf: unknown, test: LookupTest = {}) {
		const options: INodeParameters = { lookUpIf: lookUpIf as string };
		return await runLookup(lookup, service(), items, { ...test, options });
	}

	test.each([byItem, byEngine])('by the value of %s', async (lookUpIf) => {
		const no = [...[false, 'false', 'FALSE', '', ' '], ...[null, undefined]];
		const yes = [true, 'true', ' True'];
		const items = [...no, ...yes].map((wanted) => ({ ...lookup.item(one), wanted }));
		const neither = ['yes', 'no', 1, 0, { a: 1 }];
		const refused = neither.map((wanted) => ({ ...lookup.item(two), wanted }));
		const result = await run([...items, ...refused], lookUpIf, continues);
		expect(result.json.splice(items.length)).toMatchObject(
			neither.map(() => ({
				lookupStatus: 'invalid_input',
				lookupMessage: expect.stringContaining('Look Up Only If must be'),
			})),
		);
		expect(result.json.slice(0, no.length)).toMatchObject(no.map(() => skipped));
		const looked = result.json.slice(no.length);
		expect(looked.map(answerIn)).toEqual(yes.map(() => lookup.answer(one)));
		// No table has holes.
		expect(looked.map(({ lookupReason }) => lookupReason)).toEqual(yes.map(() => null));
		expectPaidOnce(service(), lookup, [one]);
		expect(result.summary).toContain(`${no.length} not wanted by Look Up Only If`);
	});

	test('before anything else of the item', async () => {
		const item = { ...lookup.item(one), wanted: false, none: null };
		const fails = '={{ $json.none.toInt() }}';
		const isFinder = lookup.credits === 'email';
		const parameters = isFinder ? { firstName: fails } : { email: fails };
		const { json } = await run([item], byItem, { ...continues, parameters });
		expect(json).toMatchObject([skipped]);
		const known = { ...item, email: 'ada@acme.example', emailStatus: 'valid' };
		const alone = await run([known], byItem, { parameters: lookup.existing });
		expect(alone.json).toMatchObject([{ ...known, ...skipped }]);
		expect(alone.summary).toContain('Look Up Only If');
		expect(service().requests).toEqual([]);
	});

	test('that fails makes the item an incomplete one, a known one too', async () => {
		const known = { email: 'ada@acme.example', emailStatus: 'valid', wanted: null };
		const items = [known, { ...lookup.item(two), wanted: '1' }];
		const { json } = await run(items, '={{ $json.wanted.toInt() > 0 }}', {
			...continues,
			parameters: lookup.existing,
		});
		const lookupMessage = expect.stringContaining('Look Up Only If');
		expect(json[0]).toMatchObject({ lookupReason: 'failing_expression', lookupMessage });
		expect(answerIn(json[1])).toEqual(lookup.answer(two));
		expectPaidOnce(service(), lookup, [two]);
	});

	test('counts in Estimate Cost', async () => {
		const items = [true, false, ''].map((wanted) => ({ ...lookup.item(one), wanted }));
		const { json } = await run(items, byItem, { parameters: { operation: 'estimate' } });
		expect(json).toMatchObject([{ items: 3, lookups: 1, skipped: 2, mostCredits: 1 }]);
	});
});

const [{ domain }] = fixtures.companies;

test.each(['searchCompany', 'getLeads'])('of %s of a company', async (operation) => {
	const { node, parameters } = operationOf(operation, 'contactDataCompany');
	const result = await runNode({
		node,
		parameters: { ...parameters, operation, options: { lookUpIf: byItem } },
		items: [false, true, ''].map((wanted) => ({ domain, wanted })),
		credential: credentialFor(service()),
	});
	const [first, ...others] = result.json.map(outcomeIn);
	const skipped = { lookupStatus: 'skipped', lookupReason: 'condition' };
	expect([first, others.at(-1)]).toMatchObject([skipped, skipped]);
	// Tables and files have one set of columns, and say which company was skipped.
	expect(new Set(result.json.map((json) => Object.keys(json).sort().join())).size).toBe(1);
	if (operation === 'getLeads') expect(first.companyWebsite).toBe(domain);
	expect(service().requests).toHaveLength(1);
	expect(result.summary).toContain('2 not wanted by Look Up Only If');
	expect(result.items.at(-1)?.pairedItem).toEqual({ item: 2 });
});
