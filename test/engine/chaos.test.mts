/**
 * @file Random workflows over random items, in a service in which anything goes wrong: whatever happens,
 * nothing is lost and nothing is paid twice. `npm run chaos` and a long run make 2,000 of them.
 */

import fc from 'fast-check';
import { expect, test } from 'vitest';

import { isLong, seedOf } from '../support/depth.mts';
import { audit, type Seen } from '../support/randomRuns/audit.mts';
import { plan as anyPlan } from '../support/randomRuns/plan.mts';
import { runPlan } from '../support/randomRuns/run.mts';
import { useQuickClock } from '../support/node/quickClock.mts';
import { report } from '../support/measures/report.mts';
import { useService } from '../support/servers/service.mts';

const { CHAOS_RUNS = isLong ? '2000' : '300', CHAOS_SEED, CHAOS_PATH } = process.env;

const service = useService();
const clock = useQuickClock(1_000);

test('whatever goes wrong', { timeout: 3_600_000 }, async () => {
	const seen: Seen = {};
	const property = fc.asyncProperty(anyPlan, async (plan) => {
		audit(await runPlan(plan, service(), clock), service(), seen);
	});
	const seed = seedOf(CHAOS_SEED);
	const details = await fc.check(property, {
		seed,
		numRuns: Number(CHAOS_RUNS),
		path: CHAOS_PATH,
		endOnFailure: CHAOS_PATH === undefined,
	});
	const figures = Object.entries(seen).map(([what, times]) => `${times} ${what}`);
	report(`${details.numRuns} random runs, seed ${seed}: ${figures.join(', ')}`);
	if (!details.failed) {
		const wanted = CHAOS_PATH === undefined && Number(CHAOS_RUNS) >= 300 ? 1 : 0;
		for (const times of Object.values(seen)) expect(times).toBeGreaterThanOrEqual(wanted);
		return;
	}
	const again = `CHAOS_SEED=${seed} CHAOS_PATH=${details.counterexamplePath} npm run chaos`;
	const { errorInstance: cause } = details;
	const plan = JSON.stringify(details.counterexample, null, 1);
	throw new Error(`To repeat this run alone: ${again}\n${String(cause)}\n${plan}`, { cause });
});
