/** @file The cap on credits holds with any number of requests under way, and nobody waits for ever. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { CreditBudget, type Reservation } from '../../nodes/shared/request/budget.ts';
import {
	ExecutionCredits,
	type CreditRecord,
} from '../../nodes/shared/request/executionCredits.ts';

function budgetOf(record: CreditRecord): CreditBudget {
	return new CreditBudget(record, new ExecutionCredits({}, undefined, () => {}));
}

/** Lets every answer arrive that does not wait for something else. */
async function settled(): Promise<void> {
	await new Promise((resolve) => setImmediate(resolve));
}

/** The credits of each answer so far: none for a refusal, nothing for one that is to come. */
function watch(asked: Array<Promise<Reservation | undefined>>): Array<number | undefined> {
	const answers = asked.map((): number | undefined => undefined);
	asked.forEach((promise, index) => {
		void promise.then((reservation) => {
			answers[index] = reservation?.credits ?? 0;
		});
	});
	return answers;
}

describe('CreditBudget', () => {
	it('without a cap refuses nothing and counts what is spent', async () => {
		const record: CreditRecord = {};
		const budget = budgetOf(record);
		const first = await budget.reserve(100, 0);
		const second = await budget.reserve(1, 0);
		expect([first?.credits, second?.credits, budget.spent]).toEqual([100, 1, 0]);
		first?.settle(40);
		second?.settle(0);
		expect(budget.spent).toBe(40);
		expect(record).toEqual({ creditsSpent: 40 });
	});

	it('refuses what the cap leaves no room for', async () => {
		const budget = budgetOf({});
		(await budget.reserve(2, 3))?.settle(2);
		expect(await budget.reserve(2, 3)).toBeUndefined();
		(await budget.reserve(1, 3))?.settle(1);
		expect(await budget.reserve(1, 3)).toBeUndefined();
		expect(budget.spent).toBe(3);
	});

	it('goes on from what the execution has spent before', async () => {
		const budget = budgetOf({ creditsSpent: 9 });
		expect(budget.spent).toBe(9);
		expect(await budget.reserve(2, 10)).toBeUndefined();
		expect((await budget.reserve(1, 10))?.credits).toBe(1);
	});

	it('takes a record that holds something else for an empty one', () => {
		expect(budgetOf({ creditsSpent: 'many' }).spent).toBe(0);
	});

	it('waits where a request under way may still give credits back', async () => {
		const budget = budgetOf({});
		const first = await budget.reserve(2, 2);
		const answers = watch([budget.reserve(1, 2), budget.reserve(1, 2)]);
		await settled();
		expect(answers).toEqual([undefined, undefined]);
		first?.settle(1);
		await settled();
		expect(answers).toEqual([1, undefined]);
	});

	it('does not wait where nothing that comes back would be enough', async () => {
		const budget = budgetOf({ creditsSpent: 2 });
		await budget.reserve(1, 4);
		expect(await budget.reserve(3, 4)).toBeUndefined();
	});

	it('is content with the least where the cap leaves no room for all', async () => {
		const budget = budgetOf({});
		const reservation = await budget.reserve(100, 30, 1);
		expect(reservation?.credits).toBe(30);
		reservation?.settle(30);
		expect(await budget.reserve(100, 30, 1)).toBeUndefined();
	});

	it('counts a settlement once', async () => {
		const budget = budgetOf({});
		const reservation = await budget.reserve(2, 4);
		reservation?.settle(1);
		reservation?.settle(2);
		expect(budget.spent).toBe(1);
		expect((await budget.reserve(3, 4))?.credits).toBe(3);
	});

	it('gives back at once what a smaller request does not need', async () => {
		const budget = budgetOf({});
		const reservation = await budget.reserve(100, 100);
		const answers = watch([budget.reserve(70, 100)]);
		reservation?.reduceTo(30);
		await settled();
		expect(answers).toEqual([70]);
		reservation?.settle(30);
		expect(budget.spent).toBe(30);
	});

	it('counts a request of unknown outcome as spent, if it was sent', async () => {
		const budget = budgetOf({});
		(await budget.reserve(2, 0))?.settle();
		expect(budget.spent).toBe(0);
		const reservation = await budget.reserve(2, 0);
		reservation?.sent();
		reservation?.settle();
		expect(budget.spent).toBe(2);
	});

	it('renews a reservation for a repetition: the first one counts as spent', async () => {
		const budget = budgetOf({});
		const first = await budget.reserve(1, 2);
		first?.sent();
		const second = await first?.renew();
		expect([second?.credits, budget.spent]).toEqual([1, 1]);
		second?.sent();
		expect(await second?.renew()).toBeUndefined();
		expect(budget.spent).toBe(2);
	});

	it('never spends more than the cap, and answers everybody in the end', async () => {
		const step = fc.oneof(
			fc.record({
				kind: fc.constant('reserve' as const),
				credits: fc.integer({ min: 1, max: 6 }),
				least: fc.integer({ min: 1, max: 6 }),
			}),
			fc.record({
				kind: fc.constantFrom('settle' as const, 'renew' as const),
				index: fc.nat(20),
				spent: fc.nat(6),
			}),
		);
		const seen = { granted: 0, refused: 0, waited: 0, partial: 0 };
		await fc.assert(
			fc.asyncProperty(
				fc.integer({ min: 1, max: 15 }),
				fc.nat(5),
				fc.array(step, { maxLength: 40 }),
				async (cap, before, steps) => {
					const budget = budgetOf({ creditsSpent: before });
					const open: Reservation[] = [];
					const waiting = new Set<number>();
					const order: number[] = [];
					const renewals = new Set<number>();
					const grants: boolean[] = [];
					const refusals: boolean[] = [];
					let asked = 0;
					let spent = before;
					const expectCap = () => {
						const reserved = open.reduce((sum, { credits }) => sum + credits, 0);
						expect(budget.spent).toBe(spent);
						if (open.length > 0) expect(spent + reserved).toBeLessThanOrEqual(cap);
						// Whoever waits, waits for one who may give credits back.
						if (waiting.size > 0) expect(open.length).toBeGreaterThan(0);
					};
					const ask = (promise: Promise<Reservation | undefined>, most: number, least: number) => {
						const number = asked++;
						waiting.add(number);
						void promise.then((reservation) => {
							waiting.delete(number);
							order.push(number);
							if (!reservation) {
								seen.refused++;
								refusals.push(cap - budget.spent < least);
								return;
							}
							seen.granted++;
							if (reservation.credits < most) seen.partial++;
							grants.push(reservation.credits >= least && reservation.credits <= most);
							open.push(reservation);
						});
					};
					const settle = (index: number, cost: number) => {
						const [reservation] = open.splice(index % open.length, 1);
						const charged = Math.min(cost, reservation.credits);
						spent += charged;
						reservation.settle(charged);
					};
					for (const now of steps) {
						if (now.kind === 'reserve') {
							const least = Math.min(now.least, now.credits);
							ask(budget.reserve(now.credits, cap, least), now.credits, least);
						} else if (open.length > 0 && now.kind === 'settle') {
							settle(now.index, now.spent);
						} else if (open.length > 0) {
							const [reservation] = open.splice(now.index % open.length, 1);
							spent += reservation.credits;
							renewals.add(asked);
							reservation.sent();
							ask(reservation.renew(), reservation.credits, reservation.credits);
						}
						await Promise.resolve();
						await settled();
						if (waiting.size > 0) seen.waited++;
						expectCap();
					}
					while (open.length > 0) {
						settle(0, 1);
						await settled();
						expectCap();
					}
					expect([...waiting]).toEqual([]);
					// Nobody gets less than the least; nobody is refused whom patience could have served.
					expect(grants).not.toContain(false);
					expect(refusals).not.toContain(false);
					// First come, first served. (A renewal takes some turns longer to be heard of.)
					const direct = order.filter((number) => !renewals.has(number));
					expect(direct).toEqual(direct.toSorted((a, b) => a - b));
					expect(order).toHaveLength(asked);
					expect(spent).toBeLessThanOrEqual(Math.max(cap, before));
				},
			),
			{ numRuns: 300 },
		);
		for (const times of Object.values(seen)) expect(times).toBeGreaterThan(20);
	});
});
