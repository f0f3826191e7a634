/** @file What a stopped execution says it has cost holds, whatever becomes of the requests in progress. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { CreditBudget, type Reservation } from '../../nodes/shared/credits/budget.ts';
import {
	CreditCount,
	ExecutionCredits,
	type Costs,
	type CreditRecord,
} from '../../nodes/shared/credits/ledger.ts';
import { reserved } from '../support/purse.mts';

type Told = Omit<Costs, 'byNode'>;

/** An execution that can be stopped, and all that it tells. */
function execution(record: CreditRecord = {}) {
	const stop = new AbortController();
	const told: Told[] = [];
	const byNode: Array<Record<string, number>> = [];
	const count = new CreditCount(record, '1');
	const credits = new ExecutionCredits(count, stop.signal, ({ byNode: nodes, ...costs }) => {
		told.push(costs);
		byNode.push(Object.fromEntries(nodes));
	});
	/** Each time for a node of its own. */
	const reserve = async (amount: number, node = 'Find') =>
		await reserved(new CreditBudget(new CreditCount({}, '1'), credits, node), amount);
	return { told, byNode, credits, record, reserve, stop: () => stop.abort() };
}

async function sent({ reserve }: ReturnType<typeof execution>, amount: number, node?: string) {
	const reservation = await reserve(amount, node);
	reservation.sent();
	return reservation;
}

describe('CreditCount', () => {
	it('counts what one execution has spent, in the record that n8n stores', () => {
		const record: CreditRecord = {};
		const count = new CreditCount(record, '7');
		expect(count.spent).toBe(0);
		count.add(2);
		count.add(3);
		expect([count.spent, record]).toEqual([5, { creditsSpent: 5, creditsSpentBy: '7' }]);
		// After a Wait n8n hands over a copy of the record, to the same execution.
		expect(new CreditCount({ ...record }, '7').spent).toBe(5);
	});

	it('begins again for a retry, which n8n hands a copy of the record', () => {
		const record: CreditRecord = { creditsSpent: 5, creditsSpentBy: '7' };
		const retried = new CreditCount(record, '8');
		expect(retried.spent).toBe(0);
		retried.add(2);
		expect([retried.spent, record]).toEqual([2, { creditsSpent: 2, creditsSpentBy: '8' }]);
	});

	it('counts what may have been spent besides, and leaves no trace of it once that is known', () => {
		const record: CreditRecord = {};
		const count = new CreditCount(record, '7');
		expect(count.uncertain).toBe(0);
		count.add(2);
		count.add(0, 100);
		count.add(1, 5);
		expect([count.spent, count.uncertain]).toEqual([3, 105]);
		const stored: CreditRecord = JSON.parse(JSON.stringify(record));
		expect(stored).toEqual({ creditsSpent: 3, creditsUncertain: 105, creditsSpentBy: '7' });
		const again = new CreditCount(stored, '7');
		expect([again.spent, again.uncertain]).toEqual([3, 105]);
		again.add(64, -100);
		expect([again.spent, again.uncertain]).toEqual([67, 5]);
		again.add(0, -5);
		expect(stored).toEqual({ creditsSpent: 67, creditsSpentBy: '7' });
	});

	it('begins again for a retry also with what may have been spent', () => {
		const record: CreditRecord = { creditsSpent: 5, creditsUncertain: 100, creditsSpentBy: '7' };
		const retried = new CreditCount(record, '8');
		expect(retried.uncertain).toBe(0);
		retried.add(0, 3);
		expect([retried.spent, retried.uncertain]).toEqual([0, 3]);
		expect(record).toEqual({ creditsSpent: 0, creditsUncertain: 3, creditsSpentBy: '8' });
		new CreditCount(record, '9').add(1);
		expect(record).toEqual({ creditsSpent: 1, creditsSpentBy: '9' });
	});

	it.each([[undefined], [null], ['5'], [{}]])('takes a record of %j for an empty one', (said) => {
		expect(new CreditCount({ creditsSpent: said, creditsSpentBy: '7' }, '7').spent).toBe(0);
		const besides = { creditsSpent: 2, creditsUncertain: said, creditsSpentBy: '7' };
		const count = new CreditCount(besides, '7');
		expect([count.spent, count.uncertain]).toEqual([2, 0]);
	});
});

describe('ExecutionCredits', () => {
	it('tells what the execution has cost whenever a request is over, also when it goes on', async () => {
		const going = execution();
		(await sent(going, 1)).settle(1);
		expect(going.told).toEqual([{ least: 1, most: 1, isLast: false }]);
		(await sent(going, 1)).refused();
		(await sent(going, 1)).settle(0);
		expect(going.told.slice(1)).toEqual(Array(2).fill({ least: 1, most: 1, isLast: false }));
		(await sent(going, 50)).settle(40);
		(await sent(going, 3)).settle();
		expect(going.told.slice(3)).toEqual([
			{ least: 41, most: 41, isLast: false },
			{ least: 41, most: 44, isLast: false },
		]);
	});

	it('tells of a refusal once, and of none where nothing was sent', async () => {
		const going = execution();
		const request = await going.reserve(1);
		request.refused();
		expect(going.told).toEqual([]);
		request.sent();
		request.refused();
		request.refused();
		expect(going.told).toEqual([{ least: 0, most: 0, isLast: false }]);
	});

	it('tells nothing as long as all that it has asked for may turn out to be free', async () => {
		const going = execution();
		const [free, paid] = [await sent(going, 1), await sent(going, 2), await sent(going, 4)];
		free.settle(0);
		expect(going.told).toEqual([]);
		paid.settle(1);
		expect(going.told).toEqual([{ least: 1, most: 5, isLast: false }]);
	});

	it('tells when the cost of a request turns out to be known later, once', async () => {
		const going = execution();
		const pending = await sent(going, 100);
		pending.settle();
		expect(going.told.at(-1)).toEqual({ least: 0, most: 100, isLast: false });
		pending.correct(64);
		pending.correct(1);
		expect(going.told.slice(1)).toEqual([{ least: 64, most: 64, isLast: false }]);
	});

	it('counts what a request of before n8n stored the execution may have cost, until it is known', async () => {
		const before = execution({ creditsSpent: 7, creditsSpentBy: '1' });
		for (const amount of [100, 5]) (await sent(before, amount)).settle();
		expect(before.told.at(-1)).toEqual({ least: 7, most: 112, isLast: false });
		const going = execution(JSON.parse(JSON.stringify(before.record)));
		(await sent(going, 1)).settle(1);
		expect(going.told).toEqual([{ least: 8, most: 113, isLast: false }]);
		going.credits.turnedOut('Find', 100, 64);
		expect(going.told.slice(1)).toEqual([{ least: 72, most: 77, isLast: false }]);
		going.credits.turnedOut('Find', 5, 0);
		expect(going.told.at(-1)).toEqual({ least: 72, most: 72, isLast: false });
		expect(going.record).toEqual({
			creditsSpent: 72,
			creditsSpentBy: '1',
			creditsSpentByNode: { Find: 65 },
		});
	});

	it('keeps open what a request may have cost even once it is known what is certain', async () => {
		const going = execution();
		(await sent(going, 100)).settle();
		going.credits.turnedOut('Find', 100, 60, 3);
		expect(going.told.at(-1)).toEqual({ least: 60, most: 63, isLast: false });
	});

	it('stores nothing of what is in progress: only what is over', async () => {
		const going = execution();
		const [free, paid, lost] = [await sent(going, 1), await sent(going, 1), await sent(going, 9)];
		expect(going.record).toEqual({});
		free.settle(0);
		expect(going.record).toEqual({});
		paid.settle(1);
		const creditsSpentByNode = { Find: 1 };
		expect(going.record).toEqual({ creditsSpent: 1, creditsSpentBy: '1', creditsSpentByNode });
		lost.settle();
		expect(going.record).toEqual({
			creditsSpent: 1,
			creditsUncertain: 9,
			creditsSpentBy: '1',
			creditsSpentByNode,
		});
	});

	it('does not count what may have been spent by an execution of which it is the retry', async () => {
		const going = execution({ creditsSpent: 7, creditsUncertain: 100, creditsSpentBy: '0' });
		(await sent(going, 1)).settle(1);
		expect(going.told).toEqual([{ least: 1, most: 1, isLast: false }]);
	});

	it('tells what each node has spent for certain, and begins again for a retry', async () => {
		const going = execution();
		(await sent(going, 10)).settle(4);
		(await sent(going, 10, 'Verify')).settle();
		(await sent(going, 2, 'Verify')).settle(2);
		expect(going.byNode).toEqual([{ Find: 4 }, { Find: 4 }, { Find: 4, Verify: 2 }]);
		going.credits.turnedOut('Find', 1, 1);
		expect(going.byNode.at(-1)).toEqual({ Find: 5, Verify: 2 });
		const stored: CreditRecord = JSON.parse(JSON.stringify(going.record));
		const resumed = execution({ ...stored });
		(await sent(resumed, 3, 'Search')).settle(3);
		expect(resumed.byNode).toEqual([{ Find: 5, Verify: 2, Search: 3 }]);
		const retried = execution({ ...stored, creditsSpentBy: '0' });
		(await sent(retried, 9)).settle();
		(await sent(retried, 1, 'Verify')).settle(1);
		expect(retried.byNode.at(-1)).toEqual({ Verify: 1 });
	});

	it('adds up all nodes, and what was spent before a wait', async () => {
		const stopped = execution({ creditsSpent: 7, creditsSpentBy: '1' });
		for (const amount of [1, 50]) (await sent(stopped, amount)).settle(amount);
		stopped.stop();
		expect(stopped.told.at(-1)).toEqual({ least: 58, most: 58, isLast: true });
		expect(stopped.told.filter(({ isLast }) => isLast)).toHaveLength(1);
	});

	it('does not count what another execution has spent, of which it is the retry', async () => {
		const stopped = execution({ creditsSpent: 7, creditsSpentBy: '0' });
		(await sent(stopped, 1)).settle(1);
		stopped.stop();
		expect(stopped.told.at(-1)).toEqual({ least: 1, most: 1, isLast: true });
	});

	it('tells at the stop what is in progress, and again when it is over', async () => {
		const stopped = execution();
		const [first, second] = [await sent(stopped, 1), await sent(stopped, 100)];
		stopped.stop();
		first.settle(0);
		second.settle(64);
		expect(stopped.told).toEqual([
			{ least: 0, most: 101, isLast: false },
			{ least: 0, most: 100, isLast: false },
			{ least: 64, most: 64, isLast: true },
		]);
	});

	it('does not count what waits to be sent, or to be sent again', async () => {
		const stopped = execution();
		const waiting = await stopped.reserve(1);
		(await sent(stopped, 1)).refused();
		stopped.stop();
		waiting.settle();
		expect(stopped.told).toEqual([
			{ least: 0, most: 0, isLast: false },
			{ least: 0, most: 0, isLast: true },
		]);
	});

	it('counts a bulk request with the leads in it', async () => {
		const stopped = execution();
		(await stopped.reserve(30)).sent();
		stopped.stop();
		expect(stopped.told).toEqual([{ least: 0, most: 30, isLast: false }]);
	});

	it('keeps open what a request of unknown outcome has cost', async () => {
		const stopped = execution();
		(await sent(stopped, 1)).settle(1);
		const lost = await sent(stopped, 1);
		expect(await lost.renew()).toBe(true);
		stopped.stop();
		lost.settle();
		expect(stopped.told.at(-1)).toEqual({ least: 1, most: 2, isLast: true });
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
				const expectHolds = ({ least, most }: Told) => {
					expect(least).toBeLessThanOrEqual(total);
					expect(most).toBeGreaterThanOrEqual(total);
				};
				for (const one of requests) {
					const reservation = await stopped.reserve(one.credits);
					if (one.sent) reservation.sent();
					const over = () => (one.sent ? finish(reservation, one) : reservation.settle());
					if (one.late) open.push(over);
					else {
						const told = stopped.told.length;
						over();
						stopped.told.slice(told).forEach(expectHolds);
					}
				}
				stopped.stop();
				// What is told when it is stopped, and after, holds for all that will have been charged.
				const toldBefore = stopped.told.length;
				for (const over of open) over();
				stopped.told.slice(toldBefore - 1).forEach(expectHolds);
				const last = stopped.told.at(-1);
				expect(stopped.told.filter(({ isLast }) => isLast)).toEqual([last]);
				if (last?.least === last?.most) seen.exact++;
				else seen.range++;
				if (stopped.told.length > toldBefore) seen.late++;
			}),
			{ numRuns: 300 },
		);
		for (const times of Object.values(seen)) expect(times).toBeGreaterThan(20);
	});
});
