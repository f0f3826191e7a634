/** @file What a stopped execution says it has cost holds, whatever becomes of the requests under way. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { CreditBudget, type Reservation } from '../../nodes/shared/request/budget.ts';
import {
	ExecutionCredits,
	type Costs,
	type CreditRecord,
} from '../../nodes/shared/request/executionCredits.ts';

/** An execution that can be stopped, and all that it tells. */
function execution(record: CreditRecord = {}) {
	const stop = new AbortController();
	const told: Costs[] = [];
	const credits = new ExecutionCredits(record, stop.signal, (costs) => told.push(costs));
	const reserve = async (amount: number, budget = new CreditBudget({}, credits)) => {
		const reservation = await budget.reserve(amount, 0);
		if (!reservation) throw new Error('Without a cap there is always a reservation');
		return reservation;
	};
	return { told, reserve, stop: () => stop.abort() };
}

async function sent({ reserve }: ReturnType<typeof execution>, amount: number) {
	const reservation = await reserve(amount);
	reservation.sent();
	return reservation;
}

describe('ExecutionCredits', () => {
	it('tells nothing while the execution goes on', async () => {
		const going = execution();
		(await sent(going, 1)).settle(1);
		(await sent(going, 1)).refused();
		expect(going.told).toEqual([]);
	});

	it('adds up all nodes, and what was spent before a wait', async () => {
		const stopped = execution({ creditsSpent: 7 });
		for (const amount of [1, 50]) (await sent(stopped, amount)).settle(amount);
		stopped.stop();
		expect(stopped.told).toEqual([{ least: 58, most: 58, final: true }]);
	});

	it('tells at the stop what is under way, and again when it is over', async () => {
		const stopped = execution();
		const [first, second] = [await sent(stopped, 1), await sent(stopped, 100)];
		stopped.stop();
		first.settle(0);
		second.settle(64);
		expect(stopped.told).toEqual([
			{ least: 0, most: 101, final: false },
			{ least: 0, most: 100, final: false },
			{ least: 64, most: 64, final: true },
		]);
	});

	it('does not count what waits to be sent, or to be sent again', async () => {
		const stopped = execution();
		const waiting = await stopped.reserve(1);
		(await sent(stopped, 1)).refused();
		stopped.stop();
		waiting.settle();
		expect(stopped.told).toEqual([{ least: 0, most: 0, final: true }]);
	});

	it('counts a bulk request with the leads in it', async () => {
		const stopped = execution();
		const reservation = await stopped.reserve(100);
		reservation.reduceTo(30);
		reservation.sent();
		stopped.stop();
		expect(stopped.told).toEqual([{ least: 0, most: 30, final: false }]);
	});

	it('keeps open what a request of unknown outcome has cost', async () => {
		const stopped = execution();
		(await sent(stopped, 1)).settle(1);
		const lost = await sent(stopped, 1);
		const repeated = await lost.renew();
		stopped.stop();
		repeated?.settle();
		expect(stopped.told).toEqual([{ least: 1, most: 2, final: true }]);
	});

	it('never tells less or more than what was charged, and tells the end once', async () => {
		const request = fc.record({
			credits: fc.integer({ min: 1, max: 9 }),
			charged: fc.nat(9),
			end: fc.constantFrom('known' as const, 'unknown' as const, 'refused' as const),
			/** Sent before the stop, and over after it; else one of both. */
			sent: fc.boolean(),
			late: fc.boolean(),
		});
		const seen = { exact: 0, range: 0, late: 0 };
		await fc.assert(
			fc.asyncProperty(fc.array(request, { maxLength: 12 }), async (requests) => {
				const stopped = execution();
				const open: Array<() => void> = [];
				let total = 0;
				const finish = (reservation: Reservation, { end, ...cost }: (typeof requests)[number]) => {
					const charged = Math.min(cost.charged, cost.credits);
					if (end !== 'refused') total += charged;
					if (end === 'refused') reservation.refused();
					reservation.settle(end === 'known' ? charged : undefined);
				};
				for (const one of requests) {
					const reservation = await stopped.reserve(one.credits);
					if (one.sent) reservation.sent();
					const over = () => (one.sent ? finish(reservation, one) : reservation.settle());
					if (one.late) open.push(over);
					else over();
				}
				stopped.stop();
				for (const over of open) over();
				for (const { least, most } of stopped.told) {
					expect(least).toBeLessThanOrEqual(total);
					expect(most).toBeGreaterThanOrEqual(total);
				}
				const last = stopped.told.at(-1);
				expect(stopped.told.filter(({ final }) => final)).toEqual([last]);
				if (last?.least === last?.most) seen.exact++;
				else seen.range++;
				if (stopped.told.length > 1) seen.late++;
			}),
			{ numRuns: 300 },
		);
		for (const times of Object.values(seen)) expect(times).toBeGreaterThan(20);
	});
});
