/**
 * @file Random lists of one bulk lookup, undisturbed: each item has its own answer, in the fewest requests, and each is
 * paid for once. Faults, limits and whole workflows are in chaos.test.mts.
 */

import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { expect, test } from 'vitest';

import {
	answerIn,
	bulks,
	expectPaidOnce,
	runLookup,
	type Bulk,
} from '../support/leads/lookups.mts';
import { useQuickClock } from '../support/node/quickClock.mts';
import { credentialFor, openAccount, useService } from '../support/servers/service.mts';

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
const junk: Record<Bulk['operation'], Input[]> = {
	findBulk: [
		{},
		{ first: 'Ada', last: 'Lovelace' },
		{ first: ['Ada'], last: {}, domain: true },
	].map((item) => ({ item, asks: null, answer: { status: 'invalid_input' } })),
	verifyBulk: [
		{ item: { email: '  ' }, status: 'skipped' },
		{ item: { email: ['a@c1.bulk.example'] }, status: 'invalid_input' },
		{ item: { email: '12' }, status: 'verified', email: '12', emailStatus: 'invalid' },
	].map(({ item, ...answer }) => ({ item, asks: null, answer })),
};

/** Inputs among which about every third question is there more than once; now and then a few hundred. */
function inputsOf(bulk: Bulk): fc.Arbitrary<Input[]> {
	const some = (minLength: number, maxLength: number) => {
		const question = fc.tuple(fc.nat(maxLength), fc.boolean()).map(([asks, twin]): Input => {
			return { item: (twin ? bulk.twin : bulk.item)(asks), asks, answer: bulk.answer(asks) };
		});
		const input = fc.oneof(
			{ weight: 9, arbitrary: question },
			{ weight: 1, arbitrary: fc.constantFrom(...junk[bulk.operation]) },
		);
		return fc.array(input, { minLength, maxLength, size: 'max' });
	};
	return fc.oneof(
		{ weight: 12, arbitrary: some(0, 12) },
		{ weight: 7, arbitrary: some(0, 2.5 * bulk.perRequest) },
		{ weight: 1, arbitrary: some(500, 1_000) },
	);
}

test.each(bulks)('$operation', async (bulk) => {
	const concurrency = fc.integer({ min: 1, max: 8 });
	const property = fc.asyncProperty(inputsOf(bulk), concurrency, async (inputs, maxConcurrency) => {
		service().reset();
		const credential = { ...credentialFor(service()), apiKey: openAccount(service()) };
		const items = inputs.map(({ item }) => item);
		const onError = 'continueRegularOutput';
		const test = { credential, onError, options: { maxConcurrency } } as const;
		const result = await runLookup(bulk, service(), items, test);
		expect(result.items.map(({ pairedItem }) => pairedItem)).toEqual(
			inputs.map((_, item) => ({ item })),
		);
		inputs.forEach(({ asks, answer }, index) => {
			const own = answerIn(result.json[index]);
			// Another spelling of an email may come out as it was typed.
			const email = asks === null ? own.email : own.email && String(own.email).toLowerCase();
			expect({ ...own, email }).toMatchObject(answer);
		});
		const distinct = [...new Set(inputs.flatMap(({ asks }) => asks ?? []))];
		expect(service().requests).toHaveLength(Math.ceil(distinct.length / bulk.perRequest));
		expectPaidOnce(service(), bulk, distinct);
		expect(service().maxInFlight).toBeLessThanOrEqual(maxConcurrency);
		expect(service().violations).toEqual([]);
	});
	// A smaller counterexample would take long to find.
	await fc.assert(property, { numRuns: 30, endOnFailure: true });
});
