/** @file Leads that come and go while a poll reads a list hide none of the others. */

import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { expect, it } from 'vitest';

import { readNewLeads } from '../../nodes/Trigger/newLead.ts';

type Meaning = 'id' | 'offset';

/** What happens to a list before a request: the places of the leads that go, and how many are added. */
interface Change {
	gone: number[];
	added: number;
}

/** A service with so many leads per page, whose list changes before each request from the second on. */
function serviceOf(meaning: Meaning, count: number, cap: number, changes: Change[]) {
	// Ids from 1 on may look like offsets.
	let newestId = (meaning === 'id' ? 0 : 1_000) + count;
	let ids = Array.from({ length: count }, (_, index) => newestId - index);
	const before = [...ids];
	let requests = 0;
	const change = () => {
		const { gone, added } = changes[requests++ - 1] ?? { gone: [], added: 0 };
		const places = new Set(gone.map((place) => place % (ids.length || 1)));
		ids = ids.filter((_, place) => !places.has(place));
		for (let more = 0; more < added; more++) ids.unshift(++newestId);
	};
	const get = async <Start extends string | number>(start: Start) => {
		change();
		let first = Number(start);
		if (meaning === 'id') first = first === 0 ? 0 : ids.filter((id) => id >= Number(start)).length;
		const results = ids.slice(first, first + cap).map((id) => ({ id }));
		const next = meaning === 'id' ? (results.at(-1)?.id ?? Number(start)) : first + results.length;
		return { results, next: next || null, total: null, start };
	};
	return { get, before, left: () => ids };
}

const meaning = fc.constantFrom<Meaning>('id', 'offset');
// With one lead per page no page can hold a lead that is known beside one that is not.
const cap = fc.integer({ min: 2, max: 9 });
const count = fc.integer({ min: 0, max: 60 });
const gone = fc.array(fc.nat(60), { maxLength: 12 });
const changes = fc.array(fc.record({ gone, added: fc.nat(12) }), { maxLength: 30 });

const idsOf = (leads: IDataObject[]) => leads.map((lead) => Number(lead.id));

it('reads each lead that stays once, also where it goes on in a later poll, whatever is added and removed', async () => {
	/** How many pages the first poll has time for. */
	const most = fc.option(fc.integer({ min: 1, max: 4 }), { nil: Number.POSITIVE_INFINITY });
	const seen = { atOnce: 0, inTwo: 0 };
	await fc.assert(
		fc.asyncProperty(
			fc.record({ meaning, count, cap, changes, most }),
			async ({ meaning, count, cap, changes, most }) => {
				const service = serviceOf(meaning, count, cap, changes);
				let begun = 0;
				const isTimeUp = () => ++begun >= most;
				const { leads, rest } = await readNewLeads(service.get, { newestId: 0 }, isTimeUp);
				const read = idsOf(leads);
				expect(read).toEqual(read.toSorted((a, b) => b - a));
				if (rest) {
					const later = await readNewLeads(service.get, { newestId: 0, ...rest }, () => false);
					expect(later.rest).toBeUndefined();
					read.push(...idsOf(later.leads));
				}
				seen[rest ? 'inTwo' : 'atOnce']++;
				expect(new Set(read).size).toBe(read.length);
				const stayed = service.left().filter((id) => service.before.includes(id));
				expect(read).toEqual(expect.arrayContaining(stayed));
			},
		),
		{ numRuns: 3_000 },
	);
	for (const times of Object.values(seen)) expect(times).toBeGreaterThan(500);
});

it('gives up on a service that gives nothing new', async () => {
	let requests = 0;
	const get = async <Start extends string | number>(start: Start) => {
		requests++;
		return { results: [{ id: 2 }, { id: 1 }], next: 10 + requests, total: null, start };
	};
	await expect(readNewLeads(get, { newestId: 0 }, () => false)).rejects.toThrow(
		'The service sent a response without new results',
	);
	expect(requests).toBe(102);
});
