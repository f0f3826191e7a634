/** @file Estimate Cost: what a lookup of all items would cost at most, without looking anything up. */

import fc from 'fast-check';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';

import { chain, emits, looksUp, outputOf, runOverWaits, waits } from '../support/node/chains.mts';
import { runNode, runWorkflow, type NodeResult, type NodeTest } from '../support/node/engine.mts';
import {
	addressOf,
	existingOf,
	find,
	findBulk,
	leadOf,
	lookups,
	numbers,
	requestsOf,
	verify,
	type Lookup,
} from '../support/leads/lookups.mts';
import { credentialFor, useService } from '../support/servers/service.mts';

const service = useService();

/** Estimate Cost, with the fields of the lookup that it is for. */
function estimating(lookup: Lookup): Lookup['parameters'] {
	const { includeInputFields: _, ...parameters } = lookup.parameters;
	return { ...parameters, ...existingOf(lookup), operation: 'estimate' };
}

async function estimate(
	lookup: Lookup,
	items: IDataObject[],
	test: Partial<NodeTest> = {},
): Promise<NodeResult> {
	return await runNode({
		node: lookup.node,
		credential: credentialFor(service()),
		items,
		...test,
		parameters: { ...estimating(lookup), ...test.parameters },
	});
}

const paths = () => service().requests.map(({ path }) => path);

describe.each([find, verify])('Estimate Cost of $operation', (lookup) => {
	test('reads nothing but the account, and says whether its credits are enough', async () => {
		service().options.creditsLeft = { email: 3, verifier: 3, search: 0 };
		for (const lookups of [3, 4]) {
			const items = [...numbers(lookups).map(lookup.item), lookup.twin(2)];
			const { json } = await estimate(lookup, items);
			const counts = { items: lookups + 1, lookups, duplicates: 1, mostCredits: lookups };
			expect(json).toMatchObject([{ ...counts, creditsRemaining: 3, enough: lookups === 3 }]);
		}
		expect(paths()).toEqual(['/api/v2/account', '/api/v2/account']);
		expect(service().ledger.total()).toBe(0);
	});

	test('says the same above the output: what it would use at most, and what items lack', async () => {
		service().options.creditsLeft = { email: 1, verifier: 1, search: 0 };
		const rows = [1, 2].map((number) => ({
			Name: `${leadOf(number).first} ${leadOf(number).last}`,
			...{ Website: leadOf(number).domain, 'E-Mail': addressOf(number) },
		}));
		const nothing = { Website: 'acme.com' };
		const parameters = { operation: 'estimate', leadFields: 'auto' };
		const items = lookup === find ? rows.map(({ 'E-Mail': _, ...row }) => row) : rows;
		const said = async (all: IDataObject[]) => {
			const { node } = lookup;
			const credential = credentialFor(service());
			const { hints = [] } = await runNode({ node, credential, items: all, parameters });
			return hints.map(({ message, type }) => `${type}: ${message}`);
		};
		const read = lookup === find ? 'Name, Website' : 'E-Mail';
		const figures = '2 items would use up to 2 credits, and the account has 1: not enough for all';
		expect(await said(items)).toEqual([`warning: ${figures}. Read from: ${read}.`]);
		if (lookup !== find) return;
		expect(await said([nothing])).toEqual([
			'warning: 1 item would use up to 0 credits, and the account has 1. 1 without a name. Read from: Website. To pick the fields yourself, set Lead Fields to Choose Below and drag them in, emails that you have onto Existing Email.',
		]);
	});

	test('gives an item for each account, and counts a failing expression as incomplete', async () => {
		const keys = ['test-key', 'second-key', 'second-key'];
		const items = keys.map((key, number) => ({ ...lookup.item(number), key }));
		const failing = { first: 'Ann', last: 'Test', key: 'second-key' };
		const parameters: INodeParameters =
			lookup === find
				? { domain: '={{ $json.domain.extractDomain() }}' }
				: { email: '={{ $json.email.extractEmail() }}' };
		const credential = { ...credentialFor(service()), apiKey: '={{ $json.key }}' };
		const result = await estimate(lookup, [...items, failing], { credential, parameters });
		expect(result.items).toMatchObject([
			{ json: { items: 1, lookups: 1, incomplete: 0 }, pairedItem: { item: 0 } },
			{ json: { items: 3, lookups: 2, incomplete: 1 }, pairedItem: { item: 1 } },
		]);
	});
});

test('counts what a bulk job may still answer as bought, over a Wait', async () => {
	Object.assign(service().variants, { bulkAnswer: 'job', jobPolls: 1_000_000 });
	const items = [1, 2].map(leadOf);
	const nodes = [
		...[emits('Start', items), looksUp('Find', findBulk, { jobTimeout: 0 }), waits()],
		emits('Again', items),
		looksUp('Estimate', { node: find.node, parameters: estimating(find) }),
	];
	const runs = await runOverWaits(chain(nodes, credentialFor(service())));
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
	expect(paths()).toEqual(['/api/v2/account']);
});

test(
	'agrees with what the lookup then sends, and charges at most',
	{ timeout: 120_000 },
	async () => {
		const seen = new Set<string>();
		const kind = fc.constantFrom('lookup', 'twin', 'known', 'empty', 'odd');
		const item = fc.record({ kind, number: fc.nat(30) });
		await fc.assert(
			fc.asyncProperty(
				fc.constantFrom(...lookups),
				fc.array(item, { minLength: 1, maxLength: 40 }),
				fc.array(fc.nat(30), { maxLength: 10 }),
				async (lookup, wanted, before) => {
					service().reset();
					const items = wanted.map(({ kind: what, number }) => {
						if (what === 'twin') return lookup.twin(number);
						if (what === 'empty') return { nothing: number };
						if (what === 'odd') return { ...lookup.item(number), email: `odd ${number}`, last: '' };
						const known = { email: addressOf(number), emailStatus: 'valid' };
						return { ...lookup.item(number), ...(what === 'known' && known) };
					});
					const { node } = lookup;
					const parameters = { ...lookup.parameters, ...existingOf(lookup) };
					const credential = credentialFor(service());
					const nodes = [
						...(before.length > 0 ? [looksUp('Before', lookup), emits('Items', items)] : []),
						looksUp('Estimate', { node, parameters: estimating(lookup) }),
						emits('Same Items', items),
						looksUp('Look Up', { node, parameters }),
					];
					const first = before.length > 0 ? before.map(lookup.item) : items;
					const run = await runWorkflow(chain([emits('Start', first), ...nodes], credential));
					const [said] = outputOf(run, 'Estimate');
					const json = outputOf(run, 'Look Up');
					const count = (status: string) => json.filter((one) => one.status === status).length;
					const spent = json.reduce((sum, { credits }) => sum + Number(credits), 0);
					expect(spent).toBeLessThanOrEqual(Number(said.mostCredits));
					expect(said).toMatchObject({
						known: count('known'),
						skipped: count('skipped'),
						incomplete: count('invalid_input'),
					});
					const asked = requestsOf(service(), lookup.operation)
						.map((request) => lookup.asked(request, service()))
						.reduce((sum, one) => sum + one, 0);
					expect(asked - new Set(before).size).toBe(said.lookups);
					const { items: all, mostCredits, creditsRemaining: _, enough: __, ...fates } = said;
					const total = Object.values(fates).reduce<number>((sum, one) => sum + Number(one), 0);
					expect([all, total]).toEqual([items.length, items.length]);
					if (spent > 0) seen.add('charged');
					if (mostCredits === 0) seen.add('free');
					for (const [fate, times] of Object.entries(fates)) if (times) seen.add(fate);
				},
			),
			{ numRuns: 100, interruptAfterTimeLimit: 90_000, markInterruptAsFailure: false },
		);
		const fates = ['lookups', 'duplicates', 'known', 'skipped', 'malformed', 'incomplete'];
		expect([...seen].toSorted()).toEqual([...fates, 'alreadyBought', 'charged', 'free'].toSorted());
	},
);
