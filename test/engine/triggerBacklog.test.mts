/** @file Polls of On New Lead in List that have no time for all: each lead once, over several polls. */

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

import { listWithId } from '../support/everyOperation.mts';
import { known } from '../support/expected.mts';
import { whenSent } from '../support/lookups.mts';
import { pollingTrigger, type Polled } from '../support/poll.mts';
import { saveLeads } from '../support/saveLeads.mts';
import { credentialFor, useService } from '../support/service.mts';

const service = useService();

const list = () => known(service().fixtures.list(102));
const save = (count: number) => saveLeads(list(), count);
const parameters = { event: 'newLead', listId: listWithId('102'), simple: true };

const trigger = (stored = {}, budget?: number | 'n8n 1') =>
	pollingTrigger(parameters, credentialFor(service()), stored, budget);

/** What each request takes on the clock of these tests, and a budget in which so many are begun. */
const PER_REQUEST = 1_000;
const budgetFor = (requests: number) => ((requests - 0.5) * PER_REQUEST) / 0.6;

const meanings = ['id', 'offset'] as const;

afterEach(() => void vi.restoreAllMocks());

/** The time is told by the requests, however fast this machine is. */
function clockByRequests(): void {
	const start = Date.now();
	const before = service().requests.length;
	const tell = () => start + (service().requests.length - before) * PER_REQUEST;
	vi.spyOn(Date, 'now').mockImplementation(tell);
}

async function idsOf(poll: Polled['poll']): Promise<number[]> {
	return (await poll()).map(({ json }) => Number(json.id));
}

/** Polls until nothing is left, each time as after a restart; oldest first within each. */
async function pollAll(
	first: Polled,
	budget: number,
	between: (polls: number) => unknown = () => {},
): Promise<number[][]> {
	const polls: number[][] = [];
	let stored = first.state();
	for (;;) {
		const { poll, state } = trigger(stored, budget);
		const ids = await idsOf(poll);
		expect(ids).toEqual(ids.toSorted((a, b) => a - b));
		stored = state();
		expect(JSON.stringify(stored).length).toBeLessThan(250);
		polls.push(ids);
		const isDone = ids.length === 0 && !JSON.stringify(stored).includes('backlog');
		if (isDone || polls.length > 60) return polls;
		between(polls.length);
	}
}

function remove(ids: readonly number[]): void {
	const gone = new Set(ids);
	const left = list().leads.filter(({ id }) => !gone.has(id));
	list().leads.length = 0;
	for (const lead of left) list().leads.push(lead);
}

const sorted = (ids: readonly number[]) => ids.toSorted((a, b) => a - b);

describe.each(meanings)('start is an %s', (leadsStart) => {
	beforeEach(() => void (service().variants.leadsStart = leadsStart));

	test('60,000 leads with time for 10,000 come over several polls, each once', async () => {
		const first = trigger();
		await first.poll();
		const saved = save(60_000);
		clockByRequests();
		const before = service().requests.length;
		const polls = await pollAll(first, budgetFor(20));
		expect(sorted(polls.flat())).toEqual(saved);
		for (const ids of polls) expect(ids.length).toBeLessThanOrEqual(10_000);
		expect(polls.length).toBeLessThanOrEqual(8);
		// Full pages, and at most one more per poll.
		expect(service().requests.length - before).toBeLessThanOrEqual(120 + 2 * polls.length);
	});

	test('with leads added and removed between the polls', async () => {
		const before = list().leads.map(({ id }) => id);
		const first = trigger();
		await first.poll();
		const saved = save(3_000);
		service().options.pageCap = 100;
		clockByRequests();
		const added: number[] = [];
		const removed: number[] = [];
		const polls = await pollAll(first, budgetFor(6), (count) => {
			if (count > 6) return;
			// Given ones and such as are still to come, the newest given one and the last one known before.
			const gone = saved.filter((_, index) => index % 17 === count);
			const newest = count === 2 ? saved.slice(-150) : [];
			const old = count === 3 ? before.slice(-20) : [];
			remove([...gone, ...newest, ...old]);
			removed.push(...gone);
			added.push(...save(count === 4 ? 700 : 30));
		});
		expect(known(polls[0]).length).toBeLessThan(700);
		const given = polls.flat();
		expect(new Set(given).size).toBe(given.length);
		const all = new Set(given);
		const isMissing = (id: number) => !all.has(id);
		expect(added.filter(isMissing)).toEqual([]);
		const gone = new Set(removed);
		expect(saved.filter((id) => isMissing(id) && !gone.has(id))).toEqual([]);
		expect(polls.length).toBeGreaterThan(6);
	});

	test('with leads removed between two pages of one poll', async () => {
		const first = trigger();
		await first.poll();
		service().options.pageCap = 10;
		const saved = save(95);
		const newest = saved.toReversed();
		const before = service().requests.length;
		// The newest ones, the last one of a page, and more than a page at once.
		whenSent(service(), before + 2, () => remove(newest.slice(0, 1)));
		whenSent(service(), before + 4, () => remove(newest.slice(25, 30)));
		whenSent(service(), before + 7, () => remove(newest.slice(3, 24)));
		const given = await idsOf(first.poll);
		const expected = new Set(saved);
		expect(given).toEqual(given.filter((id) => expected.has(id)));
		expect(new Set(given).size).toBe(given.length);
		const stillThere = list().leads.map(({ id }) => id);
		expect(stillThere.filter((id) => id >= known(saved[0]) && !given.includes(id))).toEqual([]);
	});

	test('leads added, then some removed, while one poll reads: the older ones first, none lost', async () => {
		const polled = trigger();
		await polled.poll();
		service().options.pageCap = 10;
		const saved = save(30);
		const sent = service().requests.length;
		let added: number[] = [];
		whenSent(service(), sent + 2, () => {
			added = save(40);
		});
		whenSent(service(), sent + 3, () => list().leads.splice(-3, 3));
		const given: number[][] = [];
		for (let poll = 0; poll < 4; poll++) given.push(await idsOf(polled.poll));
		for (const ids of given) expect(ids).toEqual(ids.toSorted((a, b) => a - b));
		const stillThere = new Set(list().leads.map(({ id }) => id));
		const owed = [...saved, ...added].filter((id) => stillThere.has(id));
		expect(given.flat().filter((id) => stillThere.has(id))).toEqual(owed);
	});

	test('two polls at the same time, in a backlog, give each lead once', async () => {
		const first = trigger();
		await first.poll();
		const saved = save(2_000);
		service().options.pageCap = 100;
		const polling = trigger(first.state(), 400);
		service().options.latencyMs = 30;
		const given: number[] = [];
		for (let round = 0; round < 40 && given.length < saved.length; round++) {
			const both = await Promise.all([idsOf(polling.poll), idsOf(polling.poll)]);
			given.push(...both.flat());
		}
		expect(sorted(given)).toEqual(saved);
		expect(await idsOf(polling.poll)).toEqual([]);
	});

	test('a later page that cannot be read costs no lead', async () => {
		const first = trigger();
		await first.poll();
		const saved = save(1_000);
		service().options.pageCap = 100;
		clockByRequests();
		const { poll, state } = trigger(first.state(), budgetFor(3));
		const given = await idsOf(poll);
		const before = state();
		service().faults.add({ status: 403, on: { nth: 2 } });
		await expect(trigger(before, budgetFor(3)).poll()).rejects.toThrow('Your plan');
		const rest = await pollAll({ poll, state: () => before }, budgetFor(3));
		expect(sorted([...given, ...rest.flat()])).toEqual(saved);
	});

	test('n8n 1 tells of no budget: all leads come at once', async () => {
		const first = trigger({}, 'n8n 1');
		await first.poll();
		service().options.pageCap = 100;
		const saved = save(1_500);
		expect(await idsOf(first.poll)).toEqual(saved);
	});
});

test('nothing removed: as many requests for an offset as for an id', async () => {
	const counts = [];
	for (const leadsStart of meanings) {
		service().variants.leadsStart = leadsStart;
		const { poll } = trigger();
		await poll();
		save(2_900);
		const before = service().requests.length;
		await poll();
		counts.push(service().requests.length - before);
	}
	expect(counts).toEqual([6, 6]);
});
