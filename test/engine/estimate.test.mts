/** @file Estimate Cost: what a lookup of all items would cost at most, without looking anything up. */

import fc from 'fast-check';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';

import { addressOf, leadOf, numbers, requestsOf } from '../support/bulk.mts';
import { chain, emits, looksUp, outputOf, waits } from '../support/chains.mts';
import { runOverWaits } from '../support/chains.mts';
import { runNode, runWorkflow, type NodeResult, type NodeTest } from '../support/engine.mts';
import { find, lookups, verify, type Lookup } from '../support/lookups.mts';
import { existingOf } from '../support/outcomes.mts';
import { credentialFor, useService } from '../support/service.mts';

const service = useService();

/** Estimate Cost, with the fields of the lookup that it is for. */
function estimating(lookup: Lookup): Lookup['parameters'] {
	const { includeInputFields: _, ...parameters } = lookup.parameters;
	return { ...parameters, ...existingOf(lookup), operation: 'estimate' };
}

async function estimate(
	lookup: Lookup,
	items: IDataObject[],
	options: INodeParameters = {},
	test: Partial<NodeTest> = {},
): Promise<NodeResult> {
	return await runNode({
		node: lookup.node,
		credential: credentialFor(service()),
		items,
		...test,
		parameters: { ...estimating(lookup), options, ...test.parameters },
	});
}

const NOTHING = {
	items: 0,
	lookups: 0,
	duplicates: 0,
	known: 0,
	skipped: 0,
	malformed: 0,
	incomplete: 0,
	alreadyBought: 0,
	mostCredits: 0,
};

function paths(): string[] {
	return service().requests.map(({ method, path }) => `${method} ${path}`);
}

describe.each([find, verify])('Estimate Cost of $operation', (lookup) => {
	test('counts every item once, and reads nothing but the account', async () => {
		service().options.creditsLeft = { email: 3, verifier: 3, search: 0 };
		const items = [
			...[1, 2, 3, 2].map(lookup.item),
			lookup.twin(3),
			{ ...lookup.item(4), email: addressOf(4), emailStatus: 'Valid' },
			{ nothing: true },
		];
		const result = await estimate(lookup, items);
		expect(result.json).toEqual([
			{
				...NOTHING,
				items: 7,
				lookups: 3,
				duplicates: 2,
				known: 1,
				incomplete: 1,
				mostCredits: 3,
				creditsRemaining: 3,
				enough: true,
			},
		]);
		expect(result.items[0].pairedItem).toEqual({ item: 0 });
		expect(paths()).toEqual(['GET /api/v2/account']);
		expect(service().ledger.total()).toBe(0);
		const [{ enough }] = (await estimate(lookup, numbers(4).map(lookup.item))).json;
		expect(enough).toBe(false);
	});

	test('of an account that does not state its credits does not guess', async () => {
		Object.assign(service().variants, { creditCounters: ['search'] });
		const { json } = await estimate(lookup, [lookup.item(1)]);
		expect(json).toMatchObject([{ mostCredits: 1, creditsRemaining: null, enough: null }]);
	});

	test('of an account with one counter compares with that', async () => {
		Object.assign(service().variants, { accountShape: 'credits' });
		service().options.creditsLeft = { email: 7 };
		const { json } = await estimate(lookup, [lookup.item(1)]);
		expect(json).toMatchObject([{ creditsRemaining: 7, enough: true }]);
	});

	test('gives an item for each account', async () => {
		const items = numbers(5).map((number) => ({
			...lookup.item(number),
			key: number < 2 ? 'test-key' : 'second-key',
		}));
		const credential = { ...credentialFor(service()), apiKey: '={{ $json.key }}' };
		const { json, items: given } = await estimate(lookup, items, {}, { credential });
		expect(json).toMatchObject([
			{ items: 2, lookups: 2 },
			{ items: 3, lookups: 3 },
		]);
		expect(given.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 2 }]);
	});

	test('of nothing but incomplete items is no all-clear: a hint says so', async () => {
		const { json, hints } = await estimate(lookup, [{}, { nothing: true }]);
		expect(json).toMatchObject([{ items: 2, incomplete: 2, mostCredits: 0 }]);
		expect(hints?.map(({ message }) => message)).toEqual([
			expect.stringMatching(/^No item could be looked up: connect this node/),
		]);
		expect((await estimate(lookup, [{}, lookup.item(1)])).hints ?? []).toEqual([]);
	});

	test('counts an item whose expression fails as incomplete', async () => {
		const parameters =
			lookup === find
				? { domain: '={{ $json.domain.extractDomain() }}' }
				: { email: '={{ $json.email.extractEmail() }}' };
		const items = [lookup.item(1), { first: 'Ann', last: 'Test' }];
		const { json } = await estimate(lookup, items, {}, { parameters });
		expect(json).toMatchObject([{ items: 2, lookups: 1, incomplete: 1 }]);
	});

	test('of an account that cannot be read stops, as On Error wants it', async () => {
		service().faults.add({ status: 401 });
		const { error } = await estimate(lookup, [lookup.item(1)]);
		expect(error?.message).toContain('API key');
		const continued = await estimate(
			lookup,
			[lookup.item(1)],
			{},
			{ onError: 'continueRegularOutput' },
		);
		expect(continued.json).toMatchObject([{ status: 'failed', httpCode: 401 }]);
		const { errorItems } = await estimate(
			lookup,
			[lookup.item(1)],
			{},
			{ onError: 'continueErrorOutput' },
		);
		expect(errorItems).toMatchObject([{ json: { error: { httpCode: 401 } } }]);
	});

	test('knows what this execution has bought', async () => {
		const items = numbers(6).map(lookup.item);
		const { node, parameters } = lookup;
		const run = await runWorkflow(
			chain(
				[
					emits('Start', items.slice(0, 4)),
					looksUp('Look Up', { node, parameters }),
					emits('More', items),
					looksUp('Estimate', { node, parameters: estimating(lookup) }),
				],
				credentialFor(service()),
			),
		);
		const [json] = outputOf(run, 'Estimate');
		expect(json).toMatchObject({ items: 6, alreadyBought: 4, lookups: 2, mostCredits: 2 });
	});

	test('goes by the age of what is known', async () => {
		const checkedAt = new Date(Date.now() - 10 * 24 * 60 * 60_000).toISOString();
		const item = { ...lookup.item(1), email: addressOf(1), emailStatus: 'valid', checkedAt };
		const options = (maxAgeDays: number) => ({ checkedAt: '={{ $json.checkedAt }}', maxAgeDays });
		expect((await estimate(lookup, [item], options(30))).json).toMatchObject([{ known: 1 }]);
		expect((await estimate(lookup, [item], options(5))).json).toMatchObject([{ lookups: 1 }]);
	});
});

test('counts emails that cannot be any, and items without one where they are skipped', async () => {
	const items = [{ email: 'no-at-sign' }, { email: '' }, { email: 'ada@acme.example' }];
	const skipped = await estimate(verify, items, { skipEmpty: true });
	expect(skipped.json).toMatchObject([{ malformed: 1, skipped: 1, incomplete: 0, lookups: 1 }]);
	const { json } = await estimate(verify, items);
	expect(json).toMatchObject([{ malformed: 1, skipped: 0, incomplete: 1, lookups: 1 }]);
});

test('counts what a bulk job may still answer as bought, over a Wait', async () => {
	Object.assign(service().variants, { bulkAnswer: 'job', jobPolls: 1_000_000 });
	const items = [1, 2].map(leadOf);
	const findBulk = lookups.find(({ operation }) => operation === 'findBulk') ?? find;
	const runs = await runOverWaits(
		chain(
			[
				emits('Start', items),
				looksUp('Find', findBulk, { jobTimeout: 0 }),
				waits(),
				emits('Again', items),
				looksUp('Estimate', { node: find.node, parameters: estimating(find) }),
			],
			credentialFor(service()),
		),
	);
	const [json] = outputOf(runs[runs.length - 1], 'Estimate');
	expect(json).toMatchObject({ items: 2, alreadyBought: 2, mostCredits: 0 });
});

test('reads 100,000 items', { timeout: 60_000 }, async () => {
	const items = numbers(100_000).map((number) => ({
		...leadOf(number % 70_000),
		email: number % 10 === 0 ? addressOf(number) : null,
	}));
	const { json } = await estimate(find, items);
	// Those at 0, 10, 20 … bring their email along; 30,000 leads come twice.
	expect(json).toMatchObject([
		{ items: 100_000, known: 10_000, lookups: 63_000, duplicates: 27_000, mostCredits: 63_000 },
	]);
	expect(paths()).toEqual(['GET /api/v2/account']);
});

test(
	'agrees with what the lookup then sends, and charges at most',
	{ timeout: 120_000 },
	async () => {
		const seen = { charged: 0, known: 0, bought: 0, malformed: 0, free: 0 };
		const kind = fc.constantFrom('lookup', 'twin', 'known', 'empty', 'odd');
		const item = fc.record({ kind, number: fc.nat(30) });
		await fc.assert(
			fc.asyncProperty(
				fc.constantFrom(...lookups),
				fc.array(item, { minLength: 1, maxLength: 40 }),
				fc.array(fc.nat(30), { maxLength: 10 }),
				fc.boolean(),
				async (lookup, wanted, before, skipEmpty) => {
					service().reset();
					const items = wanted.map(({ kind: what, number }) => {
						if (what === 'twin') return lookup.twin(number);
						if (what === 'empty') return { nothing: number };
						if (what === 'odd') return { ...lookup.item(number), email: `odd ${number}`, last: '' };
						const known = { email: addressOf(number), emailStatus: 'valid' };
						return { ...lookup.item(number), ...(what === 'known' && known) };
					});
					const { node } = lookup;
					const isFinder = lookup.credits === 'email';
					const options = isFinder ? {} : { skipEmpty };
					const parameters = { ...lookup.parameters, ...existingOf(lookup) };
					const run = await runWorkflow(
						chain(
							[
								emits('Start', [{}, ...before.map(lookup.item)].slice(before.length > 0 ? 1 : 0)),
								...(before.length > 0 ? [looksUp('Before', lookup)] : []),
								emits('Items', items),
								looksUp('Estimate', { node, parameters: estimating(lookup) }, options),
								emits('Same Items', items),
								looksUp('Look Up', { node, parameters }, options),
							],
							credentialFor(service()),
						),
					);
					const [said] = outputOf(run, 'Estimate');
					const json = outputOf(run, 'Look Up');
					const count = (status: string) => json.filter((one) => one.status === status).length;
					const spent = json.reduce((sum, { credits }) => sum + Number(credits), 0);
					expect(spent).toBeLessThanOrEqual(Number(said.mostCredits));
					expect(said.known).toBe(count('known'));
					expect(said.skipped).toBe(count('skipped'));
					expect(said.incomplete).toBe(count('invalid_input'));
					const askedBefore = new Set(before).size;
					const asked = requestsOf(service(), lookup.operation)
						.map((request) => lookup.asked(request, service()))
						.reduce((sum, one) => sum + one, 0);
					expect(asked - askedBefore).toBe(said.lookups);
					const { items: all, mostCredits: _, creditsRemaining: __, enough: ___, ...fates } = said;
					const total = Object.values(fates).reduce<number>((sum, one) => sum + Number(one), 0);
					expect([all, total]).toEqual([items.length, items.length]);
					if (spent > 0) seen.charged++;
					if (Number(said.known) > 0) seen.known++;
					if (Number(said.alreadyBought) > 0) seen.bought++;
					if (Number(said.malformed) > 0) seen.malformed++;
					if (Number(said.mostCredits) === 0) seen.free++;
				},
			),
			{ numRuns: 100, interruptAfterTimeLimit: 90_000, markInterruptAsFailure: false },
		);
		for (const times of Object.values(seen)) expect(times).toBeGreaterThan(0);
	},
);
