/** @file Whatever an item holds and whatever becomes of it: no value of its input is lost or emptied. */

import fc from 'fast-check';
import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';

import type { Effect } from '../service/faults.mts';
import type { Variants } from '../service/variants.mts';
import { addressOf, leadOf } from '../support/bulk.mts';
import { runNode, type NodeTest, type OurNode } from '../support/engine.mts';
import { lookups } from '../support/lookups.mts';
import { existingOf, isBlank, STALE, STATUSES, WHO } from '../support/outcomes.mts';
import { credentialFor, openAccount, useService } from '../support/service.mts';

const service = useService();

/** What a test runs, and which fields of its input a result only fills. */
interface Tested {
	node: OurNode;
	operation: string;
	parameters: INodeParameters;
	kept: string[];
	/** The fields that it goes by, as they may be. */
	asked: fc.Arbitrary<IDataObject>;
	existing: INodeParameters;
}

const leads = fc.nat(40).map((number): IDataObject => leadOf(number));
const addresses = fc.oneof(
	fc.nat(40).map(addressOf),
	fc.constantFrom('no-at-sign', ' a@', '', ' ', 'x y@z.example'),
);

const tested: Tested[] = [
	...lookups.map((lookup) => ({
		...lookup,
		kept: WHO,
		asked:
			lookup.credits === 'email'
				? fc.oneof({ weight: 5, arbitrary: leads }, fc.constantFrom({}, { first: 'Ann' }))
				: fc.oneof({ weight: 5, arbitrary: fc.record({ email: addresses }) }, fc.constant({})),
		existing: existingOf(lookup),
	})),
	{
		node: 'contactDataCompany',
		operation: 'search',
		kept: [],
		parameters: {
			operation: 'search',
			keyword: '={{ $json.kw }}',
			returnAllMatches: true,
		},
		asked: fc.constantFrom({ kw: 'a' }, { kw: 'nobody has such a name' }, {}, { kw: '' }),
		existing: {},
	},
];

/** What only the package's items and those of their neighbours are called. */
const names = [
	...WHO,
	...STALE,
	...['status', 'email', 'emailStatus', 'emailStatusMessage', 'result', 'pattern', 'companyId'],
	...['accuracy', 'credits', 'checkedAt', 'format', 'mailboxStatus', 'mailboxType'],
	...['mailExchange', 'emailDomain', 'error', 'companyData', 'title', 'name', 'id', 'lookup'],
];

/** Names that no result has. */
const foreign = ['crm', 'Owner', 'a.b', 'toString', 'länge', '0', ' '];

const values = fc.oneof(
	fc.constantFrom<unknown>(null, '', ' ', '\n', 0, false, 'x', 'found', 'failed', 'valid', '2026'),
	fc.jsonValue({ maxDepth: 1 }),
);

const fields = fc
	.array(fc.tuple(fc.constantFrom(...names, ...foreign), values), { maxLength: 14 })
	.map((entries): IDataObject => JSON.parse(JSON.stringify(Object.fromEntries(entries))));

const withStatus = fc
	.tuple(fields, fc.option(fc.constantFrom(...STATUSES, 'new'), { nil: undefined }))
	.map(([item, status]): IDataObject => ({ ...item, ...(status !== undefined && { status }) }));

const effects: fc.Arbitrary<Effect> = fc.oneof(
	fc.record({ status: fc.constantFrom(400, 401, 402, 403, 404, 429, 500, 503) }),
	fc.record({ reset: fc.constantFrom('before-charge', 'after-charge') }),
	fc.record({ body: fc.constantFrom('truncated', 'html', 'empty', 'json-scalar') }),
	fc.record({ rows: fc.constantFrom('missing', 'doubled') }),
);

const variants: fc.Arbitrary<Partial<Variants>> = fc.constantFrom(
	{},
	{ finderMiss: 'empty' },
	{ finderMiss: 'missing' },
	{ finderExtras: true },
	{ finderVocabulary: 'earlier' },
	{ bulkStatusMessage: false },
	{ bulkAnswer: 'job', jobPolls: 1_000_000 },
	{ bulkAnswer: 'job', jobPolls: 0 },
	{ bulkAnswer: 'job', jobPolls: 0, jobOutcome: 'failed' },
);

const onErrors = fc.constantFrom<NodeTest['onError']>(
	'continueRegularOutput',
	'continueErrorOutput',
);

/** How service and user behave in a run. */
function circumstances({ asked }: Tested) {
	const item = fc
		.tuple(withStatus, asked)
		.map(([own, question]): IDataObject => ({ ...own, ...question }));
	return fc.record({
		items: fc.array(item, { minLength: 1, maxLength: 8 }),
		faults: fc.array(fc.tuple(effects, fc.integer({ min: 1, max: 3 })), { maxLength: 2 }),
		variants,
		simple: fc.boolean(),
		isExisting: fc.boolean(),
		onError: onErrors,
		options: fc.record(
			{
				maxCredits: fc.nat(2),
				skipEmpty: fc.boolean(),
				resultField: fc.constantFrom('lookup', 'crm', 'status'),
			},
			{ requiredKeys: [] },
		),
	});
}

function itemOf({ pairedItem }: INodeExecutionData): number {
	if (typeof pairedItem === 'object' && 'item' in pairedItem) return pairedItem.item;
	throw new Error('The item is not linked');
}

/** Whether the contract says that this field of the input goes. */
function mayGo(name: string, input: IDataObject, simple: boolean): boolean {
	if (name === 'error') return true;
	// With Simplify off an answer has no status that would take the place of an earlier one.
	const stale = simple ? STALE : ['status', ...STALE];
	return stale.includes(name) && STATUSES.includes(String(input.status));
}

describe.each(tested)('$operation', (one) => {
	test('loses and empties no value of the input', { timeout: 100_000 }, async () => {
		const seen = new Set<unknown>();
		const property = fc.asyncProperty(circumstances(one), async (given) => {
			service().reset();
			const apiKey = openAccount(service());
			Object.assign(service().variants, given.variants);
			for (const [fault, nth] of given.faults) service().faults.add({ ...fault, on: { nth } });
			const { simple, isExisting, onError } = given;
			const { items, errorItems, error } = await runNode({
				node: one.node,
				parameters: {
					...one.parameters,
					includeInputFields: true,
					simple,
					options: { maxRetries: 0, jobTimeout: 0, ...given.options },
					...(isExisting && one.existing),
				},
				items: given.items,
				onError,
				credential: { ...credentialFor(service()), apiKey },
			});
			expect(error).toBeUndefined();
			const { resultField } = given.options;
			for (const output of items) {
				const input = given.items[itemOf(output)];
				const { json } = output;
				seen.add(resultField === undefined && json.status);
				for (const [name, value] of Object.entries(input)) {
					if (isBlank(value) || name === resultField) continue;
					// A cost that is not known replaces that of an earlier node.
					if (name === 'credits' && resultField === undefined) continue;
					if (resultField !== undefined && name !== 'error') {
						expect([name, json[name]]).toStrictEqual([name, value]);
					}
					if (resultField !== undefined || mayGo(name, input, simple)) continue;
					expect([name, isBlank(json[name])]).toEqual([name, false]);
					if (one.kept.includes(name) || foreign.includes(name)) {
						expect([name, json[name]]).toStrictEqual([name, value]);
					}
				}
				expect(Object.keys(json)).not.toContain('error');
			}
			for (const output of errorItems) {
				const { error: _, message: __, ...input } = given.items[itemOf(output)];
				expect(output.json).toMatchObject(input);
				expect(output.json.error).toMatchObject({ status: expect.any(String) });
			}
			const linked = new Set([...items, ...errorItems].map(itemOf));
			expect(linked.size).toBe(given.items.length);
		});
		await fc.assert(property, { numRuns: 150, interruptAfterTimeLimit: 60_000 });
		expect(seen.size).toBeGreaterThan(4);
	});
});
