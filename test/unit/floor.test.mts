/** @file What may be spent of an account without coming below what is to stay in it. */

import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';

import type { CreditKind } from '../../nodes/shared/credits/account.ts';
import { Floor, joinSpending, type Spending } from '../../nodes/shared/credits/budget.ts';

let accounts = 0;
const spendingOf = () => joinSpending(`account ${++accounts}`);

async function floorOf(
	account: IDataObject,
	{ spending = spendingOf(), kind = 'email' as CreditKind, keep = 0 } = {},
): Promise<Floor | undefined> {
	return await Floor.read({ spending, kind, keep }, async () => account);
}

const oneCounter = (remaining: unknown): IDataObject => ({ credits: { remaining, total: 1_000 } });

/** Who asks: a node with a budget of its own. */
const owner = {};

describe('Floor', () => {
	it.each([
		[10, 0, 10],
		[10, 4, 6],
		[10, 10, 0],
		[10, 12, -2],
		[-3, 0, -3],
		['1,000', 0, 1_000],
	])('leaves of %j with %j to keep room for %j', async (remaining, keep, room) => {
		const floor = await floorOf(oneCounter(remaining), { keep });
		expect([floor?.room, floor?.mostRoomOf(owner)]).toEqual([room, room]);
	});

	it('has room for whole credits only: a part of one would be waited for in vain', async () => {
		const spending = spendingOf();
		const floor = await floorOf(oneCounter(7.3), { spending });
		spending.reserve('email', 7);
		spending.settle('email', 7, 0);
		expect([floor?.room, floor?.mostRoomOf(owner)]).toEqual([7, 7]);
	});

	it.each([[null], [''], ['many'], [undefined]])(
		'is none for a counter of %j',
		async (remaining) => {
			expect(await floorOf(oneCounter(remaining))).toBeUndefined();
		},
	);

	it('counts its kind, or every kind where there is one counter for all', async () => {
		const spending = spendingOf();
		const kinds = { credit: { email: { quota: 9, used: 0 }, verifier: { quota: 9, used: 0 } } };
		const [own, all] = [
			await floorOf(kinds, { spending }),
			await floorOf(oneCounter(9), { spending }),
		];
		spending.reserve('verifier', 5);
		expect([own?.room, all?.room, all?.mostRoomOf(owner)]).toEqual([9, 4, 9]);
		spending.settle('verifier', 5, 2);
		expect([own?.room, all?.room, all?.mostRoomOf(owner)]).toEqual([9, 7, 7]);
		spending.reserve('email', 1);
		expect([own?.room, all?.room]).toEqual([8, 6]);
		expect(await floorOf(kinds, { kind: 'search' })).toBeUndefined();
	});

	it('counts what was in progress during the reading as spent after it', async () => {
		const spending = spendingOf();
		spending.reserve('email', 3);
		spending.settle('email', 3, 3);
		spending.reserve('email', 2);
		const floor = await floorOf(oneCounter(10), { spending });
		expect([floor?.room, floor?.mostRoomOf(owner)]).toEqual([8, 10]);
		spending.settle('email', 2, 2);
		expect([floor?.room, floor?.mostRoomOf(owner)]).toEqual([8, 8]);
	});
});

describe('Spending', () => {
	it('is shared by all who use the account at the same time, and forgotten after them', () => {
		const spend = (spending: Spending) => {
			spending.reserve('email', 1);
			spending.settle('email', 1, 1);
		};
		const [first, second] = [joinSpending('shared'), joinSpending('shared')];
		expect(first).toBe(second);
		spend(first);
		first.leave();
		expect(joinSpending('shared').spentOf(['email'])).toBe(1);
		second.leave();
		second.leave();
		expect(joinSpending('shared').spentOf(['email'])).toBe(0);
	});

	it('wakes those who wait once', () => {
		const spending = spendingOf();
		let woken = 0;
		spending.whenFreed(() => woken++);
		spending.wake();
		spending.settle('email', 0, 0);
		expect(woken).toBe(1);
	});

	it('is not to be filled by the bulk jobs of others, which may take long', async () => {
		const spending = spendingOf();
		const floor = await floorOf(oneCounter(10), { spending });
		spending.reserve('email', 6);
		const release = spending.hold({ owner: {}, kind: 'email', credits: 6 });
		spending.hold({ owner: {}, kind: 'verifier', credits: 0 });
		expect([floor?.room, floor?.mostRoomOf(owner)]).toEqual([4, 4]);
		release();
		spending.hold({ owner, kind: 'email', credits: 6 });
		expect(floor?.mostRoomOf(owner)).toBe(10);
	});
});
