/** @file On New Lead in List: each lead once, whatever happens between two polls and however long they may take. */

import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';

import type { Effect } from '../emulator/faults.mts';
import { startService, type Service } from '../emulator/service.mts';
import { listWithId } from '../operations.mts';
import { known } from '../support/leads/expected.mts';
import { whenSent } from '../support/leads/lookups.mts';
import { type Polled, pollingTrigger } from '../support/node/contexts.mts';
import { saveLeads } from '../support/leads/saveLeads.mts';
import { credentialFor, useService } from '../support/servers/service.mts';

const service = useService();

afterEach(() => void vi.restoreAllMocks());

const list = (id = 102, { fixtures } = service()) => known(fixtures.list(id));
const save = (count: number, id = 102) => saveLeads(list(id), count);

type Budget = number | 'n8n 1';

/** Where the trigger looks for leads, and how long n8n lets it, if not as usual. */
interface Place {
	id?: string;
	at?: Service;
	budget?: Budget;
}

function trigger(stored = {}, { id = '102', at = service(), budget }: Place = {}): Polled {
	const parameters = { event: 'newLead', listId: listWithId(id), simple: true };
	return pollingTrigger(parameters, credentialFor(at), stored, budget);
}

const remembered = (newestId?: number, listId = '102') => ({
	'node:Trigger': { memory: { listId, service: `${service().baseUrl}/`, newestId } },
});

async function idsOf(poll: Polled['poll'], mode?: 'manual'): Promise<number[]> {
	return (await poll(mode)).map(({ json }) => Number(json.id));
}

const sorted = (ids: readonly number[]) => ids.toSorted((a, b) => a - b);

/** The trigger after its first poll. */
async function published(): Promise<Polled> {
	const polled = trigger();
	expect(await polled.poll()).toEqual([]);
	return polled;
}

test('the first poll remembers the newest lead and gives nothing, with one small request', async () => {
	const { state } = await published();
	expect(service().requests.map(({ rawQuery }) => rawQuery)).toEqual(['size=1']);
	expect(state()).toEqual(remembered(list().leads.at(-1)?.id));
});

// n8n starts a poll on schedule, whether or not the one before has ended.
test('a poll sends nothing while another one is in progress, first ones too', async () => {
	service().options.latencyMs = 50;
	const { poll, state } = trigger();
	expect(await Promise.all([poll(), poll()])).toEqual([[], []]);
	expect(service().requests).toHaveLength(1);
	const saved = save(35);
	const second = idsOf(poll);
	expect(await poll()).toEqual([]);
	expect(await idsOf(poll, 'manual')).toEqual(saved.slice(-5).reverse());
	expect(await second).toEqual(saved);
	expect(state()).toEqual(remembered(saved.at(-1)));
	expect(await poll()).toEqual([]);
});

test.each([
	['after a minute', 60_000],
	['with the clock put back', -86_400_000],
])(
	'a poll that begins with what was stored before the last one gives nothing; %s it was not stored',
	async (_, passed) => {
		vi.useFakeTimers({ toFake: ['Date'] });
		onTestFinished(() => void vi.useRealTimers());
		const { poll, state, goBack } = await published();
		const before = state();
		const saved = save(3);
		expect(await idsOf(poll)).toEqual(saved);
		goBack(before);
		expect(await poll()).toEqual([]);
		expect(state()).toEqual(before);
		vi.setSystemTime(Date.now() + passed);
		expect(await idsOf(poll)).toEqual(saved);
	},
);

test('a database may give back what is remembered with its keys in another order', async () => {
	const { poll, goBack } = await published();
	const { memory } = remembered(list().leads.at(-1)?.id)['node:Trigger'];
	const reversed = Object.fromEntries(Object.entries(memory).toReversed());
	goBack({ 'node:Trigger': { memory: reversed } });
	const saved = save(1);
	expect(await idsOf(poll)).toEqual(saved);
});

describe('begins again, with the leads that are saved from then on', () => {
	test.each([
		['another list', '101', service],
		['the list with this id at another service', '102', startService],
	])('for %s', async (_, id, start) => {
		const { state } = await published();
		const at = await start();
		if (at !== service()) onTestFinished(async () => await at.close());
		const { poll } = trigger(state(), { id, at });
		saveLeads(list(Number(id), at), 2);
		expect(await poll()).toEqual([]);
		const saved = saveLeads(list(Number(id), at), 2);
		expect(await idsOf(poll)).toEqual(saved);
	});

	test('after it was renamed, so that n8n has nothing stored', async () => {
		const { poll, rename } = await published();
		rename('New Leads');
		expect(await poll()).toEqual([]);
		const saved = save(2);
		expect(await idsOf(poll)).toEqual(saved);
	});
});

test('an empty list, and its first lead', async () => {
	list().leads.length = 0;
	const { poll } = await published();
	await expect(poll('manual')).rejects.toThrow('The list has no leads');
	const saved = save(1);
	expect(await idsOf(poll)).toEqual(saved);
});

test('a manual run gives up to five recent leads and remembers nothing', async () => {
	const { poll, state } = trigger();
	const newest = list().leads.slice(-5);
	expect(await idsOf(poll, 'manual')).toEqual(newest.map(({ id }) => id).reverse());
	expect(state()).toEqual({});
});

test.each([
	['999', /^The list or job was not found/, 'Check that it still exists'],
	['', /no list is chosen/, 'Choose a list'],
	['={{ $json.id }}', /the expression of List cannot be evaluated/, 'Check the expression'],
])('a list %j that is none: tells what is wrong', async (id, message, remedy) => {
	await expect(trigger({}, { id }).poll()).rejects.toMatchObject({
		message: expect.stringMatching(message),
		description: expect.stringContaining(remedy),
	});
});

/** What each request takes on the clock of these tests, and a budget in which so many are begun. */
const PER_REQUEST = 1_000;
const budgetFor = (requests: number) => ((requests - 0.5) * PER_REQUEST) / 0.6;

/** The time is told by the requests, however fast this machine is. */
function clockByRequests(): void {
	const start = Date.now();
	const before = service().requests.length;
	const tell = () => start + (service().requests.length - before) * PER_REQUEST;
	vi.spyOn(Date, 'now').mockImplementation(tell);
}

/** Whether there is more to give than what the last poll gave. */
const isInBacklog = (stored: IDataObject) => JSON.stringify(stored).includes('topId');

/** One poll, as after a restart, oldest first: nothing where it fails, and then the next one begins where it did. */
async function pollOnce(stored: IDataObject, budget: Budget) {
	const { poll, state } = trigger(stored, { budget });
	const ids = await idsOf(poll).catch(() => undefined);
	if (!ids) expect(state()).toEqual(stored);
	expect(ids ?? []).toEqual(sorted(ids ?? []));
	expect(JSON.stringify(state()).length).toBeLessThan(250);
	return { ids, stored: state() };
}

function remove(ids: readonly number[]): void {
	const gone = new Set(ids);
	const left = list().leads.filter(({ id }) => !gone.has(id));
	list().leads.length = 0;
	for (const lead of left) list().leads.push(lead);
}

test('whatever is saved and removed between polls, of which some fail: each lead once, oldest first', async () => {
	type Change = { save: number } | { remove: number[] };
	const change: fc.Arbitrary<Change> = fc.oneof(
		fc.record({ save: fc.integer({ min: 1, max: 60 }) }),
		// By their places, from the newest.
		fc.record({ remove: fc.array(fc.nat(80), { minLength: 1, maxLength: 30 }) }),
	);
	const meanwhile = fc.record({ nth: fc.integer({ min: 1, max: 6 }), change });
	const refusal = { status: 403 };
	const poll = fc.record({
		budget: fc.constantFrom<Budget>(budgetFor(3), budgetFor(6), budgetFor(1_000), 'n8n 1'),
		fault: fc.constantFrom<Effect | undefined>(undefined, undefined, refusal, refusal, {
			repeatCursor: true,
		}),
		meanwhile: fc.array(meanwhile, { maxLength: 2 }),
	});
	const step = fc.oneof({ weight: 2, arbitrary: change }, { weight: 1, arbitrary: poll });
	const given = fc.record({
		leadsStart: fc.constantFrom('id', 'offset'),
		pageCap: fc.constantFrom(7, 10, 50, 500),
		steps: fc.array(step, { maxLength: 20 }),
	});
	const seen = { given: 0, failed: 0, polls: 0 };
	const property = fc.asyncProperty(given, async ({ leadsStart, pageCap, steps }) => {
		service().reset();
		vi.restoreAllMocks();
		service().variants.leadsStart = leadsStart;
		service().options.pageCap = pageCap;
		clockByRequests();
		let stored = (await published()).state();
		const [owed, removed] = [new Set<number>(), new Set<number>()];
		const make = (one: Change) => {
			if ('save' in one) return save(one.save).forEach((id) => owed.add(id));
			const newest = list().leads.toReversed();
			const gone = one.remove.flatMap((place) => newest[place]?.id ?? []);
			remove(gone);
			// Those that a poll has read may still come.
			for (const id of gone) if (owed.delete(id)) removed.add(id);
		};
		const poll = async (budget: Budget, fault?: Effect) => {
			if (fault) service().faults.add({ ...fault, on: { nth: 2 } });
			const polled = await pollOnce(stored, budget);
			service().faults.clear();
			const { ids = [] } = polled;
			stored = polled.stored;
			if (!polled.ids) expect(fault).toBeDefined();
			else if (budget === 'n8n 1') expect(isInBacklog(stored)).toBe(false);
			for (const id of ids) expect(owed.delete(id) || removed.delete(id)).toBe(true);
			seen.polls++;
			seen.given += ids.length;
			if (!polled.ids) seen.failed++;
		};
		for (const one of steps) {
			removed.clear();
			if (!('budget' in one)) make(one);
			else {
				const before = service().requests.length;
				for (const { nth, change } of one.meanwhile)
					whenSent(service(), before + nth, () => make(change));
				await poll(one.budget, one.fault);
			}
		}
		removed.clear();
		for (let polls = 0; polls < 60 && (owed.size > 0 || isInBacklog(stored)); polls++) {
			await poll(budgetFor(20));
		}
		expect([...owed]).toEqual([]);
	});
	await fc.assert(property, { numRuns: 150 });
	for (const times of Object.values(seen)) expect(times).toBeGreaterThan(20);
});

/** What happens to the leads that were saved, after one poll of many, and which of them have to come. */
type Later = (saved: number[]) => number[];
const untouched: Later = (saved) => saved;
const onlyOldStay: Later = (saved) => {
	remove(saved.slice(500));
	return saved.slice(0, 500);
};
const newestGo: Later = (saved) => {
	remove(saved.slice(-1_300));
	return saved;
};
const moreCome: Later = (saved) => [...saved, ...save(1_100)];

describe.each(['id', 'offset'] as const)(
	'more leads than one poll has time for, start is an %s',
	(leadsStart) => {
		test.each<[string, cap: number, many: number, inPoll: number, most: number, Later]>([
			// Full pages, and at most one more per poll.
			['come over several polls', 500, 20_000, 7, 40, untouched],
			['of which the oldest stay: a poll has time to find them', 100, 3_000, 20, 30, onlyOldStay],
			['and over 100 pages come before the rest is read', 10, 2_000, 150, Infinity, moreCome],
			['and over 100 pages go before the rest is read', 10, 2_000, 150, Infinity, newestGo],
		])('%s', async (_, cap, many, inPoll, most, later) => {
			service().variants.leadsStart = leadsStart;
			const first = await published();
			service().options.pageCap = cap;
			const saved = save(many);
			clockByRequests();
			let polled = await pollOnce(first.state(), budgetFor(inPoll));
			const given = [...known(polled.ids)];
			const wanted = new Set(later(saved));
			const before = service().requests.length;
			// Newer leads come once the backlog is done.
			for (let polls = 1; known(polled.ids).length > 0 || isInBacklog(polled.stored); polls++) {
				expect(polls).toBeLessThan(60);
				polled = await pollOnce(polled.stored, budgetFor(inPoll));
				given.push(...known(polled.ids));
			}
			expect(new Set(given).size).toBe(given.length);
			expect(sorted(given.filter((id) => wanted.has(id)))).toEqual(sorted([...wanted]));
			expect(service().requests.length - before).toBeLessThanOrEqual(most);
		});
	},
);
