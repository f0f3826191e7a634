/** @file The cap on credits holds with any number of requests in progress, and nobody waits for ever. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import {
	CreditBudget,
	Floor,
	joinSpending,
	type Purse,
	type Refusal,
	Reservation,
} from '../../nodes/shared/credits/budget.ts';
import {
	CreditCount,
	ExecutionCredits,
	type CreditRecord,
} from '../../nodes/shared/credits/ledger.ts';
import { purseOf } from '../support/purse.mts';
import { processorTime } from '../support/processorTime.mts';

const NO_CAP = Number.POSITIVE_INFINITY;

/** The budget of a node, and of an execution that has the other record. */
function budgetOf(record: CreditRecord, ofExecution: CreditRecord = {}): CreditBudget {
	const execution = new ExecutionCredits(new CreditCount(ofExecution, '1'), undefined, () => {});
	return new CreditBudget(new CreditCount(record, '1'), execution, 'Find');
}

/** The record of the execution that has spent so much. */
function recordOf(creditsSpent: number): CreditRecord {
	return { creditsSpent, creditsSpentBy: '1' };
}

/** Reserves under a cap; nothing where there is no room. */
async function reserve(
	budget: CreditBudget,
	credits: number,
	cap: number,
	least?: number,
): Promise<Reservation | undefined> {
	const found = await budget.reserve(credits, purseOf(cap), least);
	if (found instanceof Reservation) return found;
	expect(found).toBe('credit_limit');
	return undefined;
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
		const first = await reserve(budget, 100, NO_CAP);
		const second = await reserve(budget, 1, NO_CAP);
		expect([first?.credits, second?.credits, budget.spent]).toEqual([100, 1, 0]);
		first?.settle(40);
		second?.settle(0);
		expect(budget.spent).toBe(40);
		expect(record).toEqual(recordOf(40));
	});

	it('keeps waiting who has no room, while what counts as spent may turn out not to be', async () => {
		const budget = budgetOf(recordOf(8));
		const known = budget.reopen(6);
		const answers = watch([reserve(budget, 2, 10), reserve(budget, 4, 10), reserve(budget, 1, 10)]);
		await settled();
		expect(answers).toEqual([2, undefined, undefined]);
		budget.correct(6, 2, 0);
		await settled();
		expect(answers).toEqual([2, 4, undefined]);
		known();
		await settled();
		// What is reserved may still be given back.
		expect(answers).toEqual([2, 4, undefined]);
	});

	it('refuses who has no room once all is known', async () => {
		const budget = budgetOf(recordOf(10));
		const known = [budget.reopen(6), budget.reopen(4)];
		const answers = watch([reserve(budget, 3, 10)]);
		for (const tell of known) {
			await settled();
			expect(answers).toEqual([undefined]);
			tell();
		}
		await settled();
		expect(answers).toEqual([0]);
	});

	it('leaves no trace of what was free', async () => {
		const record: CreditRecord = {};
		const budget = budgetOf(record);
		(await reserve(budget, 1, 3))?.settle(0);
		expect([record, budget.counted]).toEqual([{}, { credits: 0, uncertain: 0 }]);
	});

	it('tells all who use the account what is reserved and what is spent', async () => {
		const spending = joinSpending('of the budget');
		const reservation = await budgetOf({}).reserve(5, { cap: 3, spending, kind: 'email' }, 1);
		const figures = () => [spending.reservedOf(['email']), spending.spentOf(['email'])];
		expect(figures()).toEqual([3, 0]);
		if (reservation instanceof Reservation) reservation.settle(2);
		expect(figures()).toEqual([0, 2]);
	});

	it('grants nothing once the execution is stopped, also to who waits', async () => {
		const budget = budgetOf({});
		const stop = new AbortController();
		const purse = { ...purseOf(2), signal: stop.signal };
		const first = await reserve(budget, 2, 2);
		const waiting = budget.reserve(1, purse);
		stop.abort();
		expect(await budgetOf({}).reserve(1, purse)).toBe('cancelled');
		first?.settle(0);
		expect(await waiting).toBe('cancelled');
	});

	it('refuses what the cap leaves no room for', async () => {
		const budget = budgetOf({});
		(await reserve(budget, 2, 3))?.settle(2);
		expect(await reserve(budget, 2, 3)).toBeUndefined();
		(await reserve(budget, 1, 3))?.settle(1);
		expect(await reserve(budget, 1, 3)).toBeUndefined();
		expect(budget.spent).toBe(3);
	});

	it('goes on from what the execution has spent before', async () => {
		const budget = budgetOf(recordOf(9));
		expect(budget.spent).toBe(9);
		expect(await reserve(budget, 2, 10)).toBeUndefined();
		expect((await reserve(budget, 1, 10))?.credits).toBe(1);
	});

	it('takes a record that holds something else for an empty one', () => {
		expect(budgetOf({ creditsSpent: 'many', creditsSpentBy: '1' }).spent).toBe(0);
	});

	it('begins anew where n8n has handed over what another execution has spent', async () => {
		const record = { creditsSpent: 9, creditsSpentBy: '0' };
		const budget = budgetOf(record);
		expect(budget.spent).toBe(0);
		(await reserve(budget, 3, 10))?.settle(3);
		expect(record).toEqual(recordOf(3));
	});

	it('lets nothing be spent with a cap of 0', async () => {
		const budget = budgetOf({});
		expect(await reserve(budget, 1, 0)).toBeUndefined();
		expect(await reserve(budget, 100, 0, 1)).toBeUndefined();
	});

	it('waits where a request in progress may still give credits back', async () => {
		const budget = budgetOf({});
		const first = await reserve(budget, 2, 2);
		const answers = watch([reserve(budget, 1, 2), reserve(budget, 1, 2)]);
		await settled();
		expect(answers).toEqual([undefined, undefined]);
		first?.settle(1);
		await settled();
		expect(answers).toEqual([1, undefined]);
	});

	it('does not wait where nothing that comes back would be enough', async () => {
		const budget = budgetOf(recordOf(2));
		await reserve(budget, 1, 4);
		expect(await reserve(budget, 3, 4)).toBeUndefined();
	});

	it('is content with the least where the cap leaves no room for all', async () => {
		const budget = budgetOf({});
		const reservation = await reserve(budget, 100, 30, 1);
		expect(reservation?.credits).toBe(30);
		reservation?.settle(30);
		expect(await reserve(budget, 100, 30, 1)).toBeUndefined();
	});

	it('counts a settlement once', async () => {
		const budget = budgetOf({});
		const reservation = await reserve(budget, 2, 4);
		reservation?.settle(1);
		reservation?.settle(2);
		expect(budget.spent).toBe(1);
		expect((await reserve(budget, 3, 4))?.credits).toBe(3);
	});

	it('counts a request of unknown outcome as spent, if it was sent', async () => {
		const budget = budgetOf({});
		(await reserve(budget, 2, NO_CAP))?.settle();
		expect([budget.spent, budget.counted.uncertain]).toEqual([0, 0]);
		const reservation = await reserve(budget, 2, NO_CAP);
		reservation?.sent();
		reservation?.settle();
		expect([budget.spent, budget.counted.uncertain]).toEqual([2, 2]);
		const inPart = await reserve(budget, 9, NO_CAP);
		inPart?.sent();
		inPart?.settle(3, 4);
		expect([budget.spent, budget.counted]).toEqual([9, { credits: 9, uncertain: 6 }]);
	});

	it('renews a reservation for a request that is sent again: the first one counts as spent', async () => {
		const budget = budgetOf({});
		const reservation = await reserve(budget, 1, 2);
		reservation?.sent();
		expect(reservation?.isRenewed).toBe(false);
		expect(await reservation?.renew()).toBe(true);
		expect([reservation?.credits, budget.spent, reservation?.isRenewed]).toEqual([1, 1, true]);
		reservation?.sent();
		expect(await reservation?.renew()).toBe(false);
		expect(budget.spent).toBe(2);
		// It is over now.
		reservation?.settle(1);
		expect(budget.spent).toBe(2);
	});

	it('gives back what a request turns out not to have cost, once', async () => {
		const budget = budgetOf({});
		const pending = await reserve(budget, 10, 10);
		pending?.sent();
		pending?.settle();
		expect([budget.spent, await reserve(budget, 1, 10)]).toEqual([10, undefined]);
		pending?.correct(4);
		pending?.correct(1);
		expect(budget.spent).toBe(4);
		expect((await reserve(budget, 6, 10))?.credits).toBe(6);
	});

	it('counts a request of unknown outcome, for the execution as one that may have cost something', async () => {
		const [record, ofExecution]: CreditRecord[] = [{}, {}];
		const budget = budgetOf(record, ofExecution);
		const pending = await reserve(budget, 10, NO_CAP);
		pending?.sent();
		pending?.settle();
		expect(record).toEqual(recordOf(10));
		expect(ofExecution).toEqual({ ...recordOf(0), creditsUncertain: 10 });
		const counted = { credits: 10, uncertain: 10 };
		expect(budget.counted).toEqual(counted);
		pending?.correct(4, 2);
		// What was told so far stays told.
		expect(budget.counted).toEqual(counted);
		// What is not known even now counts under the cap.
		expect(record).toEqual(recordOf(6));
		expect(ofExecution).toMatchObject({ ...recordOf(4), creditsUncertain: 2 });
	});

	it('gives back what a request of before n8n stored the execution turns out not to have cost', async () => {
		const [record, ofExecution] = [recordOf(10), { ...recordOf(0), creditsUncertain: 10 }];
		const budget = budgetOf(record, ofExecution);
		expect(budget.node).toBe('Find');
		expect(await reserve(budget, 1, 10)).toBeUndefined();
		budget.correct(10, 3, 1);
		expect(record).toEqual(recordOf(4));
		expect(ofExecution).toMatchObject({ ...recordOf(3), creditsUncertain: 1 });
		expect((await reserve(budget, 10, 10, 1))?.credits).toBe(6);
	});

	it('lets those go on who wait, once a request turns out to have cost less', async () => {
		const budget = budgetOf(recordOf(8));
		const first = await reserve(budget, 2, 10);
		const answers = watch([reserve(budget, 2, 10)]);
		await settled();
		expect(answers).toEqual([undefined]);
		budget.correct(8, 6, 0);
		await settled();
		expect(answers).toEqual([2]);
		first?.settle(0);
		expect(budget.spent).toBe(6);
	});

	it('counts a request that was refused as not sent', async () => {
		const budget = budgetOf({});
		const reservation = await reserve(budget, 2, 2);
		reservation?.sent();
		reservation?.refused();
		reservation?.settle();
		expect(budget.spent).toBe(0);
		expect((await reserve(budget, 2, 2))?.credits).toBe(2);
	});

	it('is as quick with many who wait', async () => {
		const budget = budgetOf({});
		const first = await reserve(budget, 1, 1);
		const used = processorTime();
		const answers = Array.from({ length: 50_000 }, () => reserve(budget, 1, 1));
		first?.settle(1);
		expect(new Set(await Promise.all(answers))).toEqual(new Set([undefined]));
		expect(used()).toBeLessThan(5_000);
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
					const budget = budgetOf(recordOf(before));
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
					/** The reservation again, once it is renewed. */
					const renewed = async (reservation: Reservation) =>
						(await reservation.renew()) ? reservation : undefined;
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
							ask(reserve(budget, now.credits, cap, least), now.credits, least);
						} else if (open.length > 0 && now.kind === 'settle') {
							settle(now.index, now.spent);
						} else if (open.length > 0) {
							const [reservation] = open.splice(now.index % open.length, 1);
							spent += reservation.credits;
							renewals.add(asked);
							reservation.sent();
							ask(renewed(reservation), reservation.credits, reservation.credits);
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

describe('CreditBudget, where credits are to stay in the account', () => {
	let accounts = 0;

	/** What nodes pay with at one account that has so many credits to spare. */
	async function purseWithRoomFor(credits: number): Promise<Purse> {
		const spending = joinSpending(`account with a floor ${++accounts}`);
		const account = { credit: { email: { quota: 100 + credits, used: 0 } } };
		const kind = 'email';
		const floor = await Floor.read({ spending, kind, keep: 100 }, async () => account);
		return { cap: NO_CAP, floor, spending, kind };
	}

	/** What became of a request so far: its credits, why there are none, or nothing yet. */
	async function answerTo(asked: Promise<Reservation | Refusal>) {
		let answer: number | Refusal | undefined;
		void asked.then((given) => {
			answer = given instanceof Reservation ? given.credits : given;
		});
		await settled();
		return answer;
	}

	async function taken(credits: number, purse: Purse): Promise<Reservation> {
		const reservation = await budgetOf({}).reserve(credits, purse);
		if (reservation instanceof Reservation) return reservation;
		throw new TypeError(reservation);
	}

	it('refuses what would come below, and nothing else', async () => {
		const purse = await purseWithRoomFor(3);
		expect(await budgetOf({}).reserve(4, purse)).toBe('credit_floor');
		expect((await taken(3, purse)).credits).toBe(3);
	});

	it('is content with the least where there is no room for all', async () => {
		const purse = await purseWithRoomFor(3);
		expect(await answerTo(budgetOf({}).reserve(5, purse, 3))).toBe(3);
	});

	it('waits for what other nodes may give back', async () => {
		const purse = await purseWithRoomFor(3);
		const others = await taken(3, purse);
		const asked = budgetOf({}).reserve(2, purse);
		expect(await answerTo(asked)).toBeUndefined();
		others.settle(1);
		expect(await answerTo(asked)).toBe(2);
	});

	it('does not wait for the bulk jobs of other nodes, until they are over', async () => {
		const purse = await purseWithRoomFor(3);
		const others = await taken(3, purse);
		const asked = budgetOf({}).reserve(1, purse);
		expect(await answerTo(asked)).toBeUndefined();
		others.accepted();
		others.accepted();
		expect(await answerTo(asked)).toBe('credit_floor');
		others.settle(0);
		others.accepted();
		const over = await taken(3, purse);
		over.settle(0);
		over.accepted();
		expect((await taken(3, purse)).credits).toBe(3);
	});
});
