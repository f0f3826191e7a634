/** @file Max Credits and Keep Credits hold whatever requests are in progress, and refuse nothing that there is room for. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { Budget, Reservation, type BudgetSettings } from '../../nodes/shared/credits/budget.ts';
import { Ledger } from '../../nodes/shared/credits/ledger.ts';

function newLedger(): Ledger {
	return new Ledger(
		{},
		{ executionId: '1', signal: undefined, logger: { warn() {} }, customData: () => undefined },
	);
}

function budgetOf(settings: Partial<BudgetSettings> = {}): Budget {
	return new Budget({
		ledger: newLedger(),
		node: 'Find',
		kind: 'email',
		account: {},
		cap: Number.POSITIVE_INFINITY,
		...settings,
	});
}

const accountWith = (quota: number) => async () => ({ credit: { email: { quota, used: 0 } } });

async function reserved(budget: Budget, credits: number, least?: number): Promise<Reservation> {
	const reservation = await budget.reserve(credits, least);
	if (!(reservation instanceof Reservation)) throw new Error(reservation);
	return reservation;
}

/** What came so far, or `waits`. */
async function soFar<T>(promise: Promise<T>): Promise<T | 'waits'> {
	const later = new Promise<'waits'>((resolve) => setTimeout(() => resolve('waits'), 5));
	return await Promise.race([promise, later]);
}

describe('Max Credits', () => {
	it('gives as much as there is room for now', async () => {
		const budget = budgetOf({ cap: 150 });
		expect((await reserved(budget, 100)).credits).toBe(100);
		expect((await reserved(budget, 100)).credits).toBe(50);
	});

	it('waits for requests in progress where there is no room, and refuses without any', async () => {
		const budget = budgetOf({ cap: 10 });
		const first = await reserved(budget, 10);
		first.sent();
		const second = budget.reserve(10);
		expect(await soFar(second)).toBe('waits');
		first.settle({ certain: 4, uncertain: 0 });
		expect(await second).toMatchObject({ credits: 6 });
	});

	it('refuses at once what could never fit', async () => {
		const budget = budgetOf({ cap: 10 });
		const first = await reserved(budget, 10);
		first.sent();
		expect(await soFar(budget.reserve(11, 11))).toBe('credit_limit');
	});

	it('refuses everything where nothing may be spent', async () => {
		expect(await budgetOf({ cap: 0 }).reserve(1)).toBe('credit_limit');
	});

	it('refuses a second charge for which there is no room', async () => {
		const budget = budgetOf({ cap: 1 });
		const reservation = await reserved(budget, 1);
		reservation.sent();
		expect(await reservation.renew()).toBe(false);
		expect(budget.spent).toEqual({ certain: 0, uncertain: 1 });
	});

	it('counts a first charge that nobody knows as spent', async () => {
		const budget = budgetOf({ cap: 3 });
		const reservation = await reserved(budget, 1);
		reservation.sent();
		expect(await reservation.renew()).toBe(true);
		reservation.sent();
		reservation.settle({ certain: 1, uncertain: 0 });
		expect(budget.spent).toEqual({ certain: 1, uncertain: 1 });
		expect(await budget.reserve(2)).toMatchObject({ credits: 1 });
	});

	it('is free for a request that was never sent, or that the service refused', async () => {
		const budget = budgetOf({ cap: 1 });
		(await reserved(budget, 1)).settle();
		const refused = await reserved(budget, 1);
		refused.sent();
		refused.refused();
		refused.settle();
		expect(budget.spent).toEqual({ certain: 0, uncertain: 0 });
		expect(await budget.reserve(1)).toBeInstanceOf(Reservation);
	});

	it('gives nothing once the execution is stopped', async () => {
		const stop = new AbortController();
		const budget = budgetOf({ cap: 10, signal: stop.signal });
		const first = await reserved(budget, 10);
		const second = budget.reserve(1);
		stop.abort();
		first.settle();
		expect(await second).toBe('cancelled');
	});
});

describe('Keep Credits', () => {
	it('leaves so many credits by the counter and by all that the process spends', async () => {
		const account = {};
		const [one, other] = [budgetOf({ account }), budgetOf({ account })];
		expect(await one.keep(90, accountWith(100))).toBe(true);
		const strange = await reserved(other, 7);
		// What another execution has reserved counts as spent.
		expect(await soFar(one.reserve(5))).toMatchObject({ credits: 3 });
		strange.sent();
		strange.settle({ certain: 7, uncertain: 0 });
		expect(await budgetOf({ account }).reserve(1)).toBeInstanceOf(Reservation);
	});

	it('does not wait for other executions', async () => {
		const account = {};
		const [one, other] = [budgetOf({ account }), budgetOf({ account })];
		await one.keep(90, accountWith(100));
		await reserved(other, 10);
		expect(await soFar(one.reserve(1))).toBe('credit_floor');
	});

	it('counts what is in progress while it reads the account', async () => {
		const account = {};
		const [one, other] = [budgetOf({ account }), budgetOf({ account })];
		const strange = await reserved(other, 10);
		await one.keep(90, async () => {
			strange.sent();
			strange.settle({ certain: 10, uncertain: 0 });
			return await accountWith(100)();
		});
		expect(await one.reserve(1)).toBe('credit_floor');
	});

	it('counts other kinds only where one counter is for all', async () => {
		const kinds = { one: {}, all: {} };
		const all = async () => ({ credits: { total: 100, remaining: 100 } });
		for (const [account, read, expected] of [
			[kinds.one, accountWith(100), 10],
			[kinds.all, all, 4],
		] as const) {
			const budget = budgetOf({ account });
			await budget.keep(90, read);
			await reserved(budgetOf({ account, kind: 'verifier' }), 6);
			expect(await budget.reserve(20)).toMatchObject({ credits: expected });
		}
	});

	it('is refused where the service states no counter', async () => {
		expect(await budgetOf().keep(1, async () => ({}))).toBe(false);
	});
});

it('holds cap and floor over any requests, and uses all that there is', async () => {
	const request = fc.record({
		credits: fc.integer({ min: 1, max: 20 }),
		part: fc.integer({ min: 0, max: 100 }),
		isUnknown: fc.boolean(),
	});
	await fc.assert(
		fc.asyncProperty(
			fc.array(request, { minLength: 1, maxLength: 30 }),
			fc.nat(200),
			fc.nat(200),
			async (requests, cap, room) => {
				const budget = budgetOf({ cap });
				await budget.keep(50, accountWith(50 + room));
				let most = 0;
				const run = async ({ credits, part, isUnknown }: (typeof requests)[number]) => {
					const reservation = await budget.reserve(credits);
					if (!(reservation instanceof Reservation)) return reservation;
					reservation.sent();
					await Promise.resolve();
					const certain = Math.floor((reservation.credits * part) / 100);
					most += isUnknown ? reservation.credits : certain;
					reservation.settle(isUnknown ? undefined : { certain, uncertain: 0 });
					return undefined;
				};
				const refusals = await Promise.all(requests.map(run));
				expect(budget.spent.certain + budget.spent.uncertain).toBe(most);
				expect(most).toBeLessThanOrEqual(Math.min(cap, room));
				if (refusals.some(Boolean)) expect(most).toBe(Math.min(cap, room));
			},
		),
	);
});
