/** @file Max Credits and Keep Credits hold whatever requests are in progress, and refuse nothing that there is room for. */

import fc from 'fast-check';
import { expect, it } from 'vitest';

import { Budget, Reservation, type BudgetSettings } from '../../nodes/shared/credits/budget.ts';
import { Ledger } from '../../nodes/shared/credits/ledger.ts';

const context = {
	executionId: '1',
	signal: undefined,
	logger: { warn() {} },
	customData: () => undefined,
};

function budgetOf(settings: Partial<BudgetSettings> = {}): Budget {
	return new Budget({
		ledger: new Ledger({}, context),
		node: 'Find',
		kind: 'email',
		account: {},
		cap: Number.POSITIVE_INFINITY,
		...settings,
	});
}

const accountWith = (quota: number) => async () => ({ credit: { email: { quota, used: 0 } } });

async function reserved(budget: Budget, credits: number): Promise<Reservation> {
	const reservation = await budget.reserve(credits);
	if (!(reservation instanceof Reservation)) throw new Error(reservation);
	return reservation;
}

it('Max Credits counts a first charge that nobody knows as spent, and refuses a second without room', async () => {
	const budget = budgetOf({ cap: 3 });
	const reservation = await reserved(budget, 1);
	for (const hasRoom of [true, true, false]) {
		reservation.sent();
		expect(await reservation.renew()).toBe(hasRoom);
	}
	expect(budget.spent).toEqual({ certain: 0, uncertain: 3 });
});

it('Keep Credits counts what is in progress while it reads the account', async () => {
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

it('Keep Credits counts other kinds only where one counter is for all', async () => {
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
