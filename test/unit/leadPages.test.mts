/** @file Leads that come and go while a list is read hide none of the others. */

import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';

import { leadId, LeadPages } from '../../nodes/shared/reads/lists.ts';
import { collectPages } from '../../nodes/shared/reads/pages.ts';
import { interfaceSettings } from '../../nodes/shared/http/connection.ts';

type Meaning = 'id' | 'offset';

/** What happens to a list before a request: the places of the leads that go, and how many are added. */
interface Change {
	gone: number[];
	added: number;
}

/** A service with so many leads per page, whose list changes before each request from the second on. */
function serviceOf(meaning: Meaning, count: number, cap: number, changes: Change[]) {
	let newestId = 1_000 + count;
	let ids = Array.from({ length: count }, (_, index) => newestId - index);
	const before = [...ids];
	let requests = 0;
	const change = () => {
		const { gone, added } = changes[requests++ - 1] ?? { gone: [], added: 0 };
		const places = new Set(gone.map((place) => place % (ids.length || 1)));
		ids = ids.filter((_, place) => !places.has(place));
		for (let more = 0; more < added; more++) ids.unshift(++newestId);
	};
	const get = async ({ start, size }: IDataObject) => {
		change();
		const from = start === undefined ? undefined : Number(start);
		let first = from ?? 0;
		if (meaning === 'id') first = from === undefined ? 0 : ids.filter((id) => id >= from).length;
		const data = ids.slice(first, first + Math.min(Number(size), cap)).map((id) => ({ id }));
		const next = meaning === 'id' ? data.at(-1)?.id : first + data.length;
		return { data, count_results: ids.length, next_start: next ?? from ?? 0 };
	};
	return { get, before, left: () => ids, requests: () => requests };
}

const settings = interfaceSettings({});
const meanings = fc.constantFrom<Meaning>('id', 'offset');
const counts = fc.integer({ min: 0, max: 60 });
// With one lead per page no page can hold a lead that is known beside one that is not.
const caps = fc.integer({ min: 2, max: 9 });
const gone = fc.array(fc.nat(60), { maxLength: 12 });
const changes = fc.array(fc.record({ gone, added: fc.nat(12) }), { maxLength: 30 });
const removals = fc.array(fc.record({ gone, added: fc.constant(0) }), { maxLength: 30 });

const idsOf = (leads: IDataObject[]) => leads.map((lead) => Number(leadId(lead)));

describe('LeadPages', () => {
	it('give each lead that stays once, whatever is added and removed, where they overlap', async () => {
		await fc.assert(
			fc.asyncProperty(meanings, counts, caps, changes, async (meaning, count, cap, happens) => {
				const service = serviceOf(meaning, count, cap, happens);
				const { results, incomplete } = await collectPages({
					...new LeadPages(service.get, settings, { overlaps: true }),
				});
				const read = idsOf(results);
				expect(incomplete).toBeUndefined();
				expect(new Set(read).size).toBe(read.length);
				const stayed = service.left().filter((id) => service.before.includes(id));
				expect(read).toEqual(expect.arrayContaining(stayed));
			}),
			{ numRuns: 2_000 },
		);
	});

	it('go on where an earlier reading ended, whatever was added and removed meanwhile', async () => {
		await fc.assert(
			fc.asyncProperty(
				meanings,
				fc.integer({ min: 5, max: 60 }),
				caps,
				changes,
				fc.integer({ min: 1, max: 4 }),
				async (meaning, count, cap, happens, pages) => {
					const service = serviceOf(meaning, count, cap, happens);
					let begun = 0;
					const time = {
						isUp: () => ++begun >= pages,
						up: async () => await new Promise<void>(() => {}),
					};
					const first = new LeadPages(service.get, settings, { overlaps: true });
					const { results, isCutByTime } = await collectPages({ ...first, time });
					const read = idsOf(results);
					if (!isCutByTime) return;
					const id = Math.min(...read);
					const from = { id, offset: first.nextOffset };
					const second = new LeadPages(service.get, settings, { overlaps: true, from });
					const rest = await collectPages({ ...second });
					const older = idsOf(rest.results).filter((each) => each < id);
					const stayed = service.left().filter((each) => service.before.includes(each));
					expect([...read, ...older]).toEqual(expect.arrayContaining(stayed));
				},
			),
			{ numRuns: 1_000 },
		);
	});

	it('find what was removed by the count of all, where they do not overlap', async () => {
		await fc.assert(
			fc.asyncProperty(meanings, counts, caps, removals, async (meaning, count, cap, happens) => {
				const service = serviceOf(meaning, count, cap, happens);
				const { results } = await collectPages({ ...new LeadPages(service.get, settings) });
				const read = idsOf(results);
				expect(new Set(read).size).toBe(read.length);
				const stayed = service.left().filter((id) => service.before.includes(id));
				expect(read).toEqual(expect.arrayContaining(stayed));
			}),
			{ numRuns: 2_000 },
		);
	});

	it.each<Meaning>(['id', 'offset'])(
		'need no request more when nothing changes, start is an %s',
		async (meaning) => {
			const service = serviceOf(meaning, 60, 7, []);
			await collectPages({ ...new LeadPages(service.get, settings) });
			expect(service.requests()).toBe(10);
		},
	);
});
