/**
 * @file Estimate Cost: what a lookup of all items would cost at most, without looking anything up. That it agrees with what
 * is sent then is in properties.test.mts.
 */

import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';

import { chain, emits, looksUp, outputOf, runOverWaits, waits } from '../support/node/chains.mts';
import { runNode, type NodeResult, type NodeTest } from '../support/node/engine.mts';
import {
	addressOf,
	find,
	findBulk,
	leadOf,
	numbers,
	verify,
	type Lookup,
} from '../support/leads/lookups.mts';
import { credentialFor, useService } from '../support/servers/service.mts';

const service = useService();

/** Estimate Cost, with the fields of the lookup that it is for. */
function estimating(lookup: Lookup): Lookup['parameters'] {
	const { includeInputFields: _, ...parameters } = lookup.parameters;
	return { ...parameters, ...lookup.existing, operation: 'estimate' };
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
			...{ Title: 'CTO', Website: leadOf(number).domain, 'E-Mail': addressOf(number) },
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
		expect(await said(items)).toEqual([`warning: ${figures}.<br>Read from: ${read}.`]);
		if (lookup !== find) return;
		expect(await said([nothing])).toEqual([
			'warning: 1 item would use up to 0 credits, and the account has 1; 1 without a name.<br>Add Full Name (or First Name and Last Name) under Lead Fields and drag the right column in.<br>Read from: Website.',
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

test('counts what an item calls the job of another run as a lookup: it may be another provider’s', async () => {
	const job = { lookupStatus: 'pending', lookupJobId: '7001', lookupJobRow: 1 };
	const { json } = await estimate(find, [{ ...find.item(1), ...job }]);
	expect(json).toMatchObject([{ lookups: 1, alreadyBought: 0, mostCredits: 1 }]);
});
