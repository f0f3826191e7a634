/** @file Keep Credits, whatever goes wrong, and however many executions there are at once. */

import fc from 'fast-check';
import { expect, test } from 'vitest';

import type { Effect } from '../service/faults.mts';
import { lookups, runLookup, whenSent } from '../support/lookups.mts';
import { useQuickClock } from '../support/quickClock.mts';
import { KEY, useService } from '../support/service.mts';

const service = useService();
useQuickClock();

test(
	'in 200 random runs with random faults no account comes below its floor',
	{ timeout: 180_000 },
	async () => {
		const EFFECTS: Effect[] = [
			{ status: 503 },
			{ status: 429, retryAfter: 'seconds', seconds: 0 },
			{ status: 422 },
			{ status: 402 },
			{ reset: 'before-charge' },
			{ reset: 'after-charge' },
			{ body: 'cut-off', charge: true },
			{ body: 'truncated', charge: true },
			{ rows: 'missing' },
			{ rows: 'doubled' },
		];
		const execution = fc.record({
			lookup: fc.constantFrom(...lookups),
			wanted: fc.array(fc.nat(150), { minLength: 1, maxLength: 120, size: 'max' }),
			keepCredits: fc.nat(40),
			maxConcurrency: fc.integer({ min: 1, max: 4 }),
			maxCredits: fc.option(fc.nat(40), { nil: undefined, freq: 3 }),
			stopsAfter: fc.option(fc.integer({ min: 1, max: 8 }), { nil: undefined, freq: 3 }),
		});
		const fault = fc.record({
			effect: fc.constantFrom(...EFFECTS),
			nth: fc.integer({ min: 2, max: 9 }),
		});
		const seen = { floor: 0, spent: 0, together: 0, exactly: 0, stopped: 0 };
		await fc.assert(
			fc.asyncProperty(
				fc.array(execution, { minLength: 1, maxLength: 3 }),
				fc.array(fault, { maxLength: 3 }),
				fc.constantFrom('full' as const, 'credits' as const),
				fc.constantFrom('rows' as const, 'job' as const),
				fc.integer({ min: 20, max: 70 }),
				async (executions, faults, accountShape, bulkAnswer, left) => {
					service().reset();
					service().options.creditsLeft = { email: left, verifier: left, search: left };
					Object.assign(service().variants, { accountShape, bulkAnswer, jobPolls: 1 });
					Object.assign(service().options, { latencyMs: 1 });
					for (const { effect, nth } of faults) {
						service().faults.add({
							...effect,
							on: { nth, where: ({ operation }) => operation !== 'getAccount' },
						});
					}
					const results = await Promise.all(
						executions.map(async ({ lookup, wanted, stopsAfter, maxCredits, ...own }) => {
							const stop = new AbortController();
							if (stopsAfter) whenSent(service(), stopsAfter, () => stop.abort());
							// Single lookups ask for few: each is a request.
							const many = lookup.perRequest > 1 ? wanted : wanted.slice(0, 25);
							return await runLookup(lookup, service(), many.map(lookup.item), {
								options: { ...own, maxRetries: 1, ...(maxCredits !== undefined && { maxCredits }) },
								onError: 'continueRegularOutput',
								stop: stop.signal,
							});
						}),
					);
					for (const kind of ['email', 'verifier'] as const) {
						const own = executions.filter(({ lookup }) => lookup.credits === kind);
						if (own.length === 0) continue;
						const keep = Math.min(...own.map(({ keepCredits }) => keepCredits));
						const spent = service().ledger.spent(KEY, kind);
						expect(spent).toBeLessThanOrEqual(Math.max(0, left - keep));
						if (spent > 0) seen.spent++;
						if (spent === left - keep) seen.exactly++;
					}
					if (executions.length > 1) seen.together++;
					if (results.some(({ run: { status } }) => status === 'canceled')) seen.stopped++;
					const reasons = results.flatMap(({ json }) => json.map(({ reason }) => reason));
					if (reasons.includes('credit_floor')) seen.floor++;
				},
			),
			{ numRuns: 200 },
		);
		for (const times of Object.values(seen)) expect(times).toBeGreaterThan(10);
	},
);
