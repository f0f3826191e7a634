/**
 * @file What Leave Credits in Account counts while others use the account. That cap and floor hold, test/engine/limits.test.mts and the
 * random runs of test/engine/chaos.test.mts see.
 */

import { expect, it } from 'vitest';

import { Budget } from '../../nodes/shared/credits/budget.ts';
import { Ledger } from '../../nodes/shared/credits/ledger.ts';

const context = {
	executionId: '1',
	signal: undefined,
	logger: { warn() {} },
	customData: () => undefined,
};

function budgetOf(
	account: object,
	kind: 'email' | 'verifier' = 'email',
	{ ledger = new Ledger({}, context), cap = Number.POSITIVE_INFINITY } = {},
): Budget {
	return new Budget({ ledger, node: 'Find', kind, account, cap });
}

const accountWith = (quota: number) => async () => ({ credit: { email: { quota, used: 0 } } });

it('Leave Credits in Account counts what is in progress while it reads the account', async () => {
	const account = {};
	const [one, other] = [budgetOf(account), budgetOf(account)];
	const strange = await other.reserve(10);
	await one.keep(90, {
		get: async () => {
			strange.sent();
			strange.charge({ certain: 10, uncertain: 0 });
			return await accountWith(100)();
		},
	});
	await expect(one.reserve(1)).rejects.toMatchObject({ reason: 'credit_floor' });
});

it('Leave Credits in Account counts other kinds only where one counter is for all', async () => {
	const kinds = { one: {}, all: {} };
	const all = async () => ({ credits: { total: 100, remaining: 100 } });
	for (const [account, read, expected] of [
		[kinds.one, accountWith(100), 10],
		[kinds.all, all, 4],
	] as const) {
		const budget = budgetOf(account);
		await budget.keep(90, { get: read });
		await budgetOf(account, 'verifier').reserve(6);
		expect(await budget.reserve(20)).toMatchObject({ credits: expected });
	}
});

it('Leave Credits in Account counts what a lost response may have cost, and gives back what cost nothing', async () => {
	const budget = budgetOf({});
	await budget.keep(90, { get: accountWith(100) });
	const [lost, refused] = [await budget.reserve(4), await budget.reserve(3)];
	for (const request of [lost, refused]) request.sent();
	lost.charge();
	refused.notCharged();
	// Only the first time counts.
	refused.charge();
	refused.charge();
	expect(await budget.reserve(20)).toMatchObject({ credits: 6 });
});

it('what the service says is left is all for new requests: those in progress have had their credits', async () => {
	const budget = budgetOf({});
	const inProgress = await budget.reserve(2);
	budget.learn(3);
	const next = await budget.reserve(10);
	expect(next).toMatchObject({ credits: 3 });
	for (const request of [inProgress, next]) request.charge({ certain: 1, uncertain: 0 });
	// Each has cost less than it reserved.
	expect(await budget.reserve(10)).toMatchObject({ credits: 3 });
});

it('what is sent again reserves as much again; without room for that, it holds and gives back nothing', async () => {
	const ledger = new Ledger({}, context);
	const limited = (cap: number) => budgetOf({}, 'email', { ledger, cap });
	const request = await limited(2).reserve(1);
	request.sent();
	expect(await request.renew()).toBe(true);
	expect(request).toMatchObject({ isRenewed: true, credits: 1 });
	request.sent();
	// Either attempt may have cost a credit.
	expect(await request.renew()).toBe(false);
	request.charge();
	expect(await limited(4).reserve(9)).toMatchObject({ credits: 2 });
});
