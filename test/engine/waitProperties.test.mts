/** @file Whatever an execution does over its Waits: it pays for nothing twice, and tells what it has paid. */

import fc from 'fast-check';
import type { INodeParameters, IRun } from 'n8n-workflow';
import { expect, test } from 'vitest';

import type { Effect } from '../service/faults.mts';
import { creditKinds } from '../service/ledger.mts';
import {
	chain,
	collects,
	emits,
	looksUp,
	runOverWaits,
	toldBy,
	waits,
} from '../support/chains.mts';
import type { TestNode } from '../support/engine.mts';
import { lookups, type Lookup } from '../support/lookups.mts';
import { credentialFor, useService } from '../support/service.mts';

const service = useService();

/** What one part of the workflow does; a node of the same name goes on with what it has spent. */
interface Step {
	lookup: Lookup;
	wanted: number[];
	/** Whether Get Bulk Job collects what is pending, right behind it or after a Wait. */
	collected: 'at once' | 'later' | 'not';
	waits: boolean;
	maxCredits: number | undefined;
}

const step: fc.Arbitrary<Step> = fc.record({
	lookup: fc.constantFrom(...lookups),
	wanted: fc.array(fc.nat(130), { minLength: 1, maxLength: 130, size: 'max' }),
	collected: fc.constantFrom('at once', 'later', 'not'),
	waits: fc.boolean(),
	maxCredits: fc.option(fc.nat(60), { nil: undefined, freq: 3 }),
});

const SAFE: Effect[] = [
	{ status: 503 },
	{ status: 422 },
	{ status: 402 },
	{ reset: 'before-charge' },
	{ rows: 'doubled' },
	{ rows: 'unknown' },
	{ rows: 'shuffled' },
];

/** After these the same lead may be asked again, and paid again: nobody knows whether it was. */
const UNCLEAR: Effect[] = [{ reset: 'after-charge' }, { rows: 'missing' }];

function nodesOf(steps: Step[]): TestNode[] {
	const nodes: TestNode[] = [];
	steps.forEach(({ lookup, wanted, collected, maxCredits, ...own }, index) => {
		const options: INodeParameters = {
			...{ maxRetries: 0, maxConcurrency: 2 },
			...(lookup.operation === 'findBulk' && { jobTimeout: 0 }),
			...(maxCredits !== undefined && { maxCredits }),
		};
		const parameters = { ...lookup.parameters, includeInputFields: true };
		// Single lookups ask for few: each is a request.
		const many = lookup.perRequest > 1 ? wanted : wanted.slice(0, 8);
		nodes.push(emits(index === 0 ? 'Start' : `Items ${index}`, many.map(lookup.item)));
		nodes.push(looksUp(`Look Up ${index}`, { ...lookup, parameters }, options));
		if (lookup.operation === 'findBulk' && collected !== 'not') {
			if (collected === 'later') nodes.push(waits(`Wait for Job ${index}`));
			nodes.push(collects(`Collect ${index}`));
		}
		if (own.waits) nodes.push(waits(`Wait ${index}`));
	});
	return nodes;
}

/** The least and the most that an execution tells to have cost. */
function rangeOf(run: IRun): [least: number, most: number] {
	const told = toldBy(run);
	if (told === undefined) return [0, 0];
	const [, least, most = least] = /^(\d+)(?: to (\d+))? credits? spent$/.exec(told) ?? [];
	return [Number(least), Number(most)];
}

test(
	'over its Waits an execution pays nothing twice and tells its costs',
	{ timeout: 180_000 },
	async () => {
		const seen = { waits: 0, collected: 0, unclear: 0, exact: 0, ranges: 0 };
		const faults = fc.array(
			fc.record({
				fault: fc.constantFrom(...SAFE, ...UNCLEAR),
				nth: fc.integer({ min: 1, max: 6 }),
			}),
			{ maxLength: 2 },
		);
		await fc.assert(
			fc.asyncProperty(
				fc.array(step, { minLength: 2, maxLength: 4 }),
				faults,
				fc.constantFrom('rows' as const, 'job' as const),
				fc.nat(2),
				async (steps, spoilt, bulkAnswer, jobPolls) => {
					service().reset();
					Object.assign(service().variants, { bulkAnswer, jobPolls, jobResultShape: 'results' });
					for (const { fault, nth } of spoilt) service().faults.add({ ...fault, on: { nth } });
					const runs = await runOverWaits(chain(nodesOf(steps), credentialFor(service())));
					const last = runs[runs.length - 1];
					expect(last.status).toBe('success');
					const total = service().ledger.total();
					const ranges = runs.map(rangeOf);
					for (const [least, most] of ranges) expect(least).toBeLessThanOrEqual(most);
					const [least, most] = ranges[ranges.length - 1];
					expect(least).toBeLessThanOrEqual(total);
					expect(most).toBeGreaterThanOrEqual(total);
					const unclear = spoilt.some(({ fault }) => UNCLEAR.includes(fault));
					const isLost = spoilt.some(({ fault }) => 'reset' in fault);
					// Where nothing is lost and no job goes on, there is nothing that is not known.
					if (bulkAnswer === 'rows' && !unclear && !isLost)
						expect([least, most]).toEqual([total, total]);
					if (!unclear) {
						const paid = service().ledger.charges.map(
							({ operation, subject }) => `${creditKinds[operation]} ${subject}`,
						);
						expect(paid.filter((one, index) => paid.indexOf(one) !== index)).toEqual([]);
					}
					seen.waits += runs.length - 1;
					if (unclear) seen.unclear++;
					if (bulkAnswer === 'job' && steps.some(({ collected }) => collected !== 'not')) {
						seen.collected++;
					}
					seen[least === most ? 'exact' : 'ranges']++;
				},
			),
			{ numRuns: 150, interruptAfterTimeLimit: 120_000, markInterruptAsFailure: false },
		);
		for (const times of Object.values(seen)) expect(times).toBeGreaterThan(10);
	},
);
