/**
 * @file Random lists of one lookup, undisturbed: Estimate Cost says what it will send, each item has its own answer, in the
 * fewest requests, and each is paid for once. Faults, limits and whole workflows are in chaos.test.mts.
 */

import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { expect, test } from 'vitest';

import { chain, emits, looksUp, outputOf } from '../support/node/chains.mts';
import { runWorkflow } from '../support/node/engine.mts';
import {
	addressOf,
	answerIn,
	expectPaidOnce,
	leadOf,
	lookups,
	requestsOf,
	type Lookup,
} from '../support/leads/lookups.mts';
import { useQuickClock } from '../support/node/quickClock.mts';
import { ofNewAccount, useService } from '../support/servers/service.mts';

const service = useService();
useQuickClock();

/** An input item, and what is known of its answer without looking at our code. */
interface Input {
	item: IDataObject;
	/** The number of the question that it asks; null if it is answered without a request. */
	asks: number | null;
	/** The fields that its output item must have. */
	answer: IDataObject;
}

/** Input items that are no questions. */
const junk: Record<Lookup['credits'], Array<[item: IDataObject, answer: IDataObject]>> = {
	email: [
		[{}, { lookupStatus: 'invalid_input' }],
		[{ first: 'Ada', last: 'Lovelace' }, { lookupStatus: 'invalid_input' }],
		[{ first: ['Ada'], last: {}, domain: true }, { lookupStatus: 'invalid_input' }],
		[{ ...leadOf(1), last: '', email: 'odd 1' }, { lookupStatus: 'invalid_input' }],
		[
			{ ...leadOf(1), email: addressOf(1) },
			{ lookupStatus: 'known', email: addressOf(1) },
		],
	],
	verifier: [
		[{ email: '  ' }, { lookupStatus: 'skipped' }],
		[{ email: ['a@c1.bulk.example'] }, { lookupStatus: 'invalid_input' }],
		[{ email: '12' }, { lookupStatus: 'verified', email: '12', emailStatus: 'invalid' }],
		[
			{ email: addressOf(1), emailStatus: 'valid' },
			{ lookupStatus: 'known', emailStatus: 'valid' },
		],
	],
};

/** Inputs among which about every third question is there more than once; now and then a few hundred. */
function inputsOf(lookup: Lookup): fc.Arbitrary<Input[]> {
	const some = (minLength: number, maxLength: number) => {
		const question = fc.tuple(fc.nat(maxLength), fc.boolean()).map(([asks, twin]): Input => {
			return { item: (twin ? lookup.twin : lookup.item)(asks), asks, answer: lookup.answer(asks) };
		});
		const none = fc.constantFrom(...junk[lookup.credits]).map(([item, answer]): Input => {
			return { item, asks: null, answer };
		});
		const input = fc.oneof({ weight: 8, arbitrary: question }, { weight: 2, arbitrary: none });
		return fc.array(input, { minLength, maxLength, size: 'max' });
	};
	return fc.oneof(
		{ weight: 12, arbitrary: some(1, 12) },
		{ weight: 7, arbitrary: some(1, Math.max(40, 2.5 * lookup.perRequest)) },
		...(lookup.perRequest > 1 ? [{ weight: 1, arbitrary: some(500, 1_000) }] : []),
	);
}

test.each(lookups)('$operation', async (lookup) => {
	const { node, operation, perRequest } = lookup;
	const parameters = { ...lookup.parameters, ...lookup.existing };
	const estimate = { ...parameters, operation: 'estimate' };
	const seen = new Set<string>();
	const concurrency = fc.integer({ min: 1, max: 8 });
	const before = fc.uniqueArray(fc.nat(12), { minLength: 1, maxLength: 6 });
	const property = fc.asyncProperty(inputsOf(lookup), before, concurrency, async (...given) => {
		const [inputs, earlier, maxConcurrency] = given;
		service().reset();
		const list = inputs.map(({ item }) => item);
		const nodes = [
			emits('Start', earlier.map(lookup.item)),
			looksUp('Before', lookup, { maxConcurrency }),
			...[emits('Items', list), looksUp('Estimate', { node, parameters: estimate })],
			...[emits('Again', list), looksUp('Look Up', { node, parameters }, { maxConcurrency })],
		];
		const credential = ofNewAccount(service());
		const run = await runWorkflow(chain(nodes, credential));
		const json = outputOf(run, 'Look Up');
		inputs.forEach(({ asks, answer }, index) => {
			const own = answerIn(json[index]);
			// Another spelling of an email may come out as it was typed.
			const email = asks === null ? own.email : own.email && String(own.email).toLowerCase();
			expect({ ...own, email }).toMatchObject(answer);
		});
		const isBought = (asks: number | null) => asks !== null && earlier.includes(asks);
		const asked = new Set(inputs.flatMap(({ asks }) => asks ?? []));
		const fresh = [...asked].filter((number) => !isBought(number));
		const requests = [earlier.length, fresh.length].map((asked) => Math.ceil(asked / perRequest));
		expect(requestsOf(service(), operation)).toHaveLength(requests[0] + requests[1]);
		expectPaidOnce(service(), lookup, [...earlier, ...fresh]);
		expect(service().maxInFlight).toBeLessThanOrEqual(maxConcurrency);
		expect(service().violations).toEqual([]);

		const [{ items, mostCredits, creditsRemaining: _, enough: __, ...fates }] = outputOf(
			run,
			'Estimate',
		);
		const ofJunk = (status: string) =>
			inputs.filter(({ asks, answer }) => asks === null && answer.lookupStatus === status).length;
		expect(fates).toMatchObject({
			...{ lookups: fresh.length, known: ofJunk('known'), skipped: ofJunk('skipped') },
			...{ incomplete: ofJunk('invalid_input'), malformed: ofJunk('verified') },
			alreadyBought: inputs.filter(({ asks }) => isBought(asks)).length,
		});
		const all = Object.values(fates).reduce<number>((sum, one) => sum + Number(one), 0);
		expect([items, mostCredits, all]).toEqual([json.length, fresh.length, json.length]);
		for (const [fate, times] of Object.entries(fates)) if (times) seen.add(fate);
	});
	// A smaller counterexample would take long to find.
	await fc.assert(property, { numRuns: 30, endOnFailure: true });
	const ofKind = lookup.credits === 'email' ? [] : ['malformed', 'skipped'];
	const fatesOfAll = ['alreadyBought', 'duplicates', 'incomplete', 'known', 'lookups'];
	expect([...seen].toSorted()).toEqual([...fatesOfAll, ...ofKind].toSorted());
});
