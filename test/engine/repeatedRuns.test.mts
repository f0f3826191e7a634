/** @file Runs that n8n repeats: by Retry On Fail, or by the Retry button of a failed execution. */

import type { IDataObject } from 'n8n-workflow';
import { afterEach, describe, expect, test, vi } from 'vitest';

import { answerIn, numbers } from '../support/bulk.mts';
import { ourNodes, type NodeResult } from '../support/engine.mts';
import { lookups, runLookup, type Lookup } from '../support/lookups.mts';
import { useService } from '../support/service.mts';

const service = useService();

afterEach(() => void vi.restoreAllMocks());

/** Leads that cost something. */
function paidFor({ subject }: Lookup, length: number): number[] {
	return numbers(100)
		.filter((number) => subject(number) !== null)
		.slice(0, length);
}

describe.each(lookups)("n8n's Retry of an execution of $operation", (lookup) => {
	const wanted = paidFor(lookup, 12);
	const cap = 4;
	const run = async (options = {}, retryOf?: NodeResult) =>
		await runLookup(lookup, service(), wanted.map(lookup.item), {
			options: { incompleteRun: 'fail', maxCredits: cap, ...options },
			retryOf: retryOf?.run,
		});

	test('begins a new budget, also where the former one was spent', async () => {
		const first = await run();
		expect(first.error?.message).toContain('Max Credits');
		expect(service().ledger.total()).toBe(cap);
		const second = await run({}, first);
		expect(service().ledger.total()).toBe(2 * cap);
		expect(second.error?.message).toContain('Max Credits');
		// A copy of a copy.
		const third = await run({ maxCredits: wanted.length }, second);
		expect(third.error).toBeUndefined();
		expect(third.json.map(answerIn)).toEqual(wanted.map(lookup.answer));
	});

	test('keeps to the cap with Retry On Fail inside', async () => {
		const first = await run();
		await runLookup(lookup, service(), wanted.map(lookup.item), {
			options: { incompleteRun: 'fail', maxCredits: cap },
			retryOnFail: true,
			maxTries: 3,
			retryOf: first.run,
		});
		expect(service().ledger.total()).toBe(2 * cap);
	});
});

describe('an input field `error`', () => {
	const named = (names: string[]) => lookups.filter(({ operation }) => names.includes(operation));

	/** How often n8n has run the operation. */
	function countRuns({ node, operation }: Lookup) {
		const { email } = ourNodes[node].customOperations;
		return vi.spyOn(email, operation);
	}

	test.each(named(['findBulk', 'verifyBulk', 'find', 'verify']))(
		'included in the output of $operation does not make n8n run it again',
		async (lookup) => {
			const runs = countRuns(lookup);
			const wanted = paidFor(lookup, 3);
			const items: IDataObject[] = wanted.map((number) => ({
				...lookup.item(number),
				error: 'of an earlier node',
				note: number,
			}));
			const { json } = await runLookup(lookup, service(), items, {
				parameters: { includeInputFields: true },
				retryOnFail: true,
				maxTries: 3,
			});
			expect(runs).toHaveBeenCalledTimes(1);
			expect(json.map(answerIn)).toEqual(wanted.map(lookup.answer));
			expect(json.map(({ note }) => note)).toEqual(wanted);
			for (const item of json) expect(item).not.toHaveProperty('error');
		},
	);
});
