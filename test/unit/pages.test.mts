/** @file However a service cuts its results into pages, each comes out once, in order, up to the limit. */

import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';

import { collectPages, type Cursor, type Page } from '../../nodes/shared/reads/pages.ts';
import { NotProcessed, ServiceError } from '../../nodes/shared/http/errors.ts';
import { detailsOf, rejectionOf } from './thrown.mts';

/** Results with the ids from `first` to `last`. */
function leads(first: number, last: number): IDataObject[] {
	return Array.from({ length: last - first + 1 }, (_, index) => ({ id: first + index }));
}

/** Pages by their cursors, and a note of what was asked. A cursor without a page fails the test. */
function bookOf(pages: Map<Cursor | undefined, Page>) {
	const asked: Array<{ size: number; cursor: Cursor | undefined }> = [];
	const fetch = async (size: number, cursor: Cursor | undefined): Promise<Page> => {
		asked.push({ size, cursor });
		const page = pages.get(cursor);
		if (!page) throw new TypeError(`There is no page ${cursor}`);
		return page;
	};
	return { asked, fetch, pageSize: 3, idOf: ({ id }: IDataObject) => id };
}

function page(results: IDataObject[], next: Cursor | null, total: number | null = null): Page {
	return { results, next, total };
}

describe('collectPages', () => {
	it('reads all pages, asking the next one where the last one said', async () => {
		const book = bookOf(
			new Map<Cursor | undefined, Page>([
				[undefined, page(leads(1, 3), 'b')],
				['b', page(leads(4, 6), 'c')],
				['c', page(leads(7, 7), null)],
			]),
		);
		expect(await collectPages(book)).toEqual({ results: leads(1, 7) });
		expect(book.asked).toEqual([
			{ size: 3, cursor: undefined },
			{ size: 3, cursor: 'b' },
			{ size: 3, cursor: 'c' },
		]);
	});

	it('keeps results apart that have no id', async () => {
		const same = [{ name: 'Ada' }, { name: 'Ada' }];
		for (const id of [undefined, null]) {
			const book = bookOf(new Map([[undefined, page(same, null)]]));
			expect(await collectPages({ ...book, idOf: () => id })).toEqual({ results: same });
		}
	});

	it('stops at a cursor that was read already', async () => {
		const book = bookOf(
			new Map<Cursor | undefined, Page>([
				[undefined, page(leads(1, 3), 'b')],
				['b', page(leads(4, 6), 'c')],
				['c', page(leads(7, 9), 'b')],
			]),
		);
		expect(await collectPages(book)).toEqual({ results: leads(1, 9) });
		expect(book.asked).toHaveLength(3);
	});

	it('stops at the total', async () => {
		const book = bookOf(
			new Map<Cursor | undefined, Page>([
				[undefined, page(leads(1, 3), 'b', 5)],
				['b', page(leads(4, 5), 'c', 5)],
			]),
		);
		expect(await collectPages(book)).toEqual({ results: leads(1, 5) });
		expect(book.asked).toHaveLength(2);
	});

	it('does not count a result twice towards the total', async () => {
		const book = bookOf(
			new Map<Cursor | undefined, Page>([
				[undefined, page(leads(1, 3), 'b', 5)],
				['b', page(leads(2, 4), 'c', 5)],
				['c', page(leads(5, 5), 'd', 5)],
			]),
		);
		expect(await collectPages(book)).toEqual({ results: leads(1, 5) });
		expect(book.asked).toHaveLength(3);
	});

	it('asks for a whole page after one that gave nothing new, so that it comes to an end', async () => {
		const book = bookOf(
			new Map<Cursor | undefined, Page>([
				[undefined, page(leads(1, 3), 'b')],
				['b', page(leads(3, 3), 'c')],
				['c', page(leads(3, 5), 'd')],
			]),
		);
		expect(await collectPages(book, 4)).toEqual({ results: leads(1, 4) });
		expect(book.asked.map(({ size }) => size)).toEqual([3, 1, 3]);
	});

	it('takes a fault in the code for a page that could not be read', async () => {
		const fault = bookOf(new Map());
		expect(detailsOf(await rejectionOf(collectPages(fault)))).toMatchObject({
			reason: 'unexpected',
			message: 'There is no page undefined',
		});
		const book = bookOf(new Map([[undefined, page(leads(1, 3), 'lost')]]));
		const { results, incomplete } = await collectPages(book);
		expect(results).toEqual(leads(1, 3));
		expect(detailsOf(incomplete).message).toBe('There is no page lost');
	});

	it.each([
		['fails', new ServiceError('connection', { message: 'Lost', description: 'Try again.' })],
		['is not read, as the execution was stopped', new NotProcessed('cancelled')],
	])('keeps what it has when a later page %s', async (_, reason) => {
		const { fetch, ...book } = bookOf(new Map([[undefined, page(leads(1, 3), 'lost')]]));
		const fetchUntilLost = async (size: number, cursor: Cursor | undefined) => {
			if (cursor === 'lost') throw reason;
			return await fetch(size, cursor);
		};
		const { results, incomplete } = await collectPages({ ...book, fetch: fetchUntilLost });
		expect(results).toEqual(leads(1, 3));
		expect(incomplete).toBe(reason);
	});

	it('takes a page of a quarter of a million results', async () => {
		const all = leads(1, 250_000);
		const { results } = await collectPages(bookOf(new Map([[undefined, page(all, null)]])));
		expect(results.length).toBe(all.length);
		expect(results.every((result, index) => result === all[index])).toBe(true);
	});

	it('gives up on a service that gives nothing new, and keeps what there is', async () => {
		let fetched = 0;
		const fetch = async () => page(leads(1, 3), `page ${fetched++}`);
		const idOf = ({ id }: IDataObject) => id;
		const { results, incomplete } = await collectPages({ pageSize: 3, fetch, idOf });
		expect(results).toEqual(leads(1, 3));
		expect(detailsOf(incomplete)).toMatchObject({
			reason: 'unexpected_answer',
			message: 'The service sent a response without new results',
		});
		// The first one, and a hundred and one without news.
		expect(fetched).toBe(102);
	});

	describe('where a page that comes again ends the reading', () => {
		const people = [{ name: 'Ada' }, { name: 'Ida' }];
		const others = [{ name: 'Bea' }, { name: 'Eve' }];
		const idOf = (result: IDataObject) => JSON.stringify(result);

		/** Reads pages that come one after the other, and the last of them over and over. */
		async function collectOneAfterTheOther(pages: IDataObject[][], endsOnRepeat = true) {
			let fetched = 0;
			const fetch = async () => {
				const results = pages[Math.min(fetched, pages.length - 1)];
				return page(results, `page ${fetched++}`);
			};
			const collected = await collectPages({ pageSize: 2, fetch, idOf, endsOnRepeat });
			return { ...collected, fetched };
		}

		it.each([
			['at once', [people, people], people, 2],
			['after another', [people, others, people, others], [...people, ...others], 3],
		])('reads no page after one that comes again %s', async (_, pages, results, count) => {
			const collected = await collectOneAfterTheOther(pages);
			expect(collected.results).toEqual(results);
			expect(detailsOf(collected.incomplete)).toMatchObject({
				reason: 'unexpected_answer',
				message: 'The service sent a response without new results',
			});
			expect(collected.fetched).toBe(count);
		});

		it('does not take an empty page for one that comes again', async () => {
			const { results, incomplete, fetched } = await collectOneAfterTheOther([people, []]);
			expect([results, incomplete, fetched]).toEqual([people, undefined, 2]);
		});

		it('goes on where it does not end it: pages shift as results are added', async () => {
			const pages = [people, people, others, []];
			const { results, incomplete } = await collectOneAfterTheOther(pages, false);
			expect([results, incomplete]).toEqual([[...people, ...others], undefined]);
		});
	});

	it('gives nothing but the reason when the first page fails', async () => {
		const reason = new NotProcessed('cancelled');
		const fetch = async () => await Promise.reject(reason);
		expect(await rejectionOf(collectPages({ pageSize: 3, fetch, idOf: () => undefined }))).toBe(
			reason,
		);
	});

	describe('where not every result is wanted', () => {
		/** Whether the id is even. */
		const wants = ({ id }: IDataObject) => typeof id === 'number' && id % 2 === 0;

		function evenLeads(first: number, last: number): IDataObject[] {
			return leads(first, last).filter(wants);
		}

		it('counts only those towards the limit, and asks for whole pages', async () => {
			const book = bookOf(
				new Map<Cursor | undefined, Page>([
					[undefined, page(leads(1, 3), 'b')],
					['b', page(leads(4, 6), 'c')],
					['c', page(leads(7, 9), 'd')],
				]),
			);
			expect(await collectPages({ ...book, wants }, 4)).toEqual({ results: evenLeads(1, 8) });
			expect(book.asked).toEqual([
				{ size: 3, cursor: undefined },
				{ size: 3, cursor: 'b' },
				{ size: 3, cursor: 'c' },
			]);
		});

		it('reads no further page where the last wanted one ends a page', async () => {
			const book = bookOf(
				new Map<Cursor | undefined, Page>([
					[undefined, page(leads(1, 3), 'b')],
					['b', page(leads(4, 6), 'c')],
				]),
			);
			expect(await collectPages({ ...book, wants }, 3)).toEqual({ results: evenLeads(1, 6) });
			expect(book.asked).toHaveLength(2);
		});

		it('counts all towards the total', async () => {
			const book = bookOf(
				new Map<Cursor | undefined, Page>([
					[undefined, page(leads(1, 3), 'b', 5)],
					['b', page(leads(4, 5), 'c', 5)],
				]),
			);
			expect(await collectPages({ ...book, wants })).toEqual({ results: evenLeads(1, 5) });
			expect(book.asked).toHaveLength(2);
		});

		it('goes on over many pages with none that is, which hold news all the same', async () => {
			const count = 1_000;
			let fetched = 0;
			const fetch = async (size: number, cursor: Cursor | undefined) => {
				fetched++;
				const first = Number(cursor ?? 0);
				return page(leads(first + 1, first + size), first + size < count ? first + size : null);
			};
			const last = ({ id }: IDataObject) => id === count;
			const idOf = ({ id }: IDataObject) => id;
			const collected = await collectPages({ pageSize: 2, fetch, idOf, wants: last }, 1);
			expect(collected).toEqual({ results: [{ id: count }] });
			expect(fetched).toBe(count / 2);
		});

		it('fails where a page after some without a wanted one cannot be read: there is nothing to keep', async () => {
			const reason = new NotProcessed('cancelled');
			const fetch = async (_: number, cursor: Cursor | undefined) => {
				if (cursor === 'lost') throw reason;
				return page([{ id: 1 }, { id: 3 }], 'lost');
			};
			expect(
				await rejectionOf(collectPages({ pageSize: 3, fetch, wants, idOf: ({ id }) => id })),
			).toBe(reason);
		});
	});

	/** How a service behaves: its cuts, page by page (over and over), and what its last page says. */
	interface Habits {
		count: number;
		cuts: Array<{ cap: number; repeats: number; stalls: boolean }>;
		end: 'no next' | 'empty' | 'empty with next' | 'repeats the second' | 'repeats itself';
		tellsTotal: boolean;
	}

	/** A service with these habits. It may give results again, but moves on at the latest next time. */
	function serviceOf({ count, cuts, end, tellsTotal }: Habits) {
		const all = leads(1, count);
		const positions = new Map<Cursor | undefined, number>([[undefined, 0]]);
		const seen = new Set<unknown>();
		const calls: Array<{ size: number; cursor: Cursor | undefined; delivered: number }> = [];
		let stalled = false;
		const fetch = async (size: number, cursor: Cursor | undefined): Promise<Page> => {
			const position = positions.get(cursor);
			if (position === undefined) throw new TypeError(`The service gave no cursor ${cursor}`);
			calls.push({ size, cursor, delivered: seen.size });
			const { cap, repeats, stalls } = cuts[calls.length % cuts.length];
			const most = Math.min(size, cap);
			// Leads that were added meanwhile push others to the next page: they come again.
			stalled = stalls && !stalled && position > 0;
			const pushed = stalled ? most : Math.min(repeats, most - 1);
			const again = position < count ? Math.min(position, pushed) : 0;
			const first = position - again;
			const after = first + most;
			const results = all.slice(first, after);
			for (const { id } of results) seen.add(id);
			const isLast = after >= count;
			let next: Cursor | null = `page ${calls.length}`;
			positions.set(next, Math.min(after, count));
			if (isLast && end === 'no next') next = null;
			if (isLast && end === 'repeats the second') next = calls[1]?.cursor ?? null;
			if (isLast && end === 'repeats itself') next = cursor ?? null;
			if (results.length === 0 && end === 'empty') next = null;
			return page(results, next, tellsTotal ? count : null);
		};
		return { all, calls, fetch };
	}

	const habits: fc.Arbitrary<Habits> = fc.record({
		count: fc.nat(40),
		cuts: fc.array(
			fc.record({
				cap: fc.integer({ min: 1, max: 9 }),
				repeats: fc.nat(3),
				stalls: fc.boolean(),
			}),
			{ minLength: 1, maxLength: 5 },
		),
		end: fc.constantFrom(
			'no next',
			'empty',
			'empty with next',
			'repeats the second',
			'repeats itself',
		),
		tellsTotal: fc.boolean(),
	});

	it('gives every result once, in order, up to the limit, whatever the pages', async () => {
		const pageSizes = fc.integer({ min: 1, max: 12 });
		const limits = fc.option(fc.integer({ min: 1, max: 45 }), { nil: undefined });
		await fc.assert(
			fc.asyncProperty(habits, pageSizes, limits, async (behaviour, pageSize, limit) => {
				const { all, calls, fetch } = serviceOf(behaviour);
				const wanted = Math.min(limit ?? Number.POSITIVE_INFINITY, all.length);
				const idOf = ({ id }: IDataObject) => id;
				const collected = await collectPages({ pageSize, fetch, idOf }, limit);
				expect(collected).toEqual({ results: all.slice(0, limit) });

				// No page is asked for twice, none too large, and none once all is there.
				expect(calls.length).toBeGreaterThan(0);
				expect(new Set(calls.map(({ cursor }) => cursor)).size).toBe(calls.length);
				calls.forEach(({ size, delivered }, index) => {
					expect(size).toBeGreaterThanOrEqual(1);
					expect(size).toBeLessThanOrEqual(pageSize);
					// After a page without news a whole one is asked for.
					const hadNews = index === 0 || delivered > calls[index - 1].delivered;
					if (limit !== undefined && hadNews) expect(size).toBeLessThanOrEqual(limit - delivered);
				});
				const [, ...later] = calls;
				const isFull = later.filter(({ delivered }) => delivered >= wanted);
				const mayLookOnce = !behaviour.tellsTotal && (limit ?? 50) > all.length;
				expect(isFull.length).toBeLessThanOrEqual(mayLookOnce ? 2 : 0);
			}),
			{ numRuns: 1_000 },
		);
	});

	it('gives every wanted result once, in order, up to the limit, whatever the pages', async () => {
		const pageSizes = fc.integer({ min: 1, max: 12 });
		const limits = fc.option(fc.integer({ min: 1, max: 45 }), { nil: undefined });
		const every = fc.integer({ min: 1, max: 9 });
		await fc.assert(
			fc.asyncProperty(
				habits,
				pageSizes,
				limits,
				every,
				async (behaviour, pageSize, limit, each) => {
					const { all, calls, fetch } = serviceOf(behaviour);
					const idOf = ({ id }: IDataObject) => id;
					const wants = ({ id }: IDataObject) => Number(id) % each === 0;
					const collected = await collectPages({ pageSize, fetch, idOf, wants }, limit);
					expect(collected).toEqual({ results: all.filter(wants).slice(0, limit) });
					expect(new Set(calls.map(({ cursor }) => cursor)).size).toBe(calls.length);
					expect(calls.filter(({ size }) => size !== pageSize)).toEqual([]);
				},
			),
			{ numRuns: 500 },
		);
	});
});
