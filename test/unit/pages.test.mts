/** @file However a service cuts its results into pages, each comes out once, in order, up to the limit. */

import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';

import { NotProcessed } from '../../nodes/shared/sending/notProcessed.ts';
import { collectPages, type Cursor, type Page } from '../../nodes/shared/reading/pages.ts';
import { ServiceError } from '../../nodes/shared/service/serviceError.ts';
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

	it('does not take a page shorter than asked for the end', async () => {
		const book = bookOf(
			new Map<Cursor | undefined, Page>([
				[undefined, page(leads(1, 1), 10)],
				[10, page(leads(2, 3), 20)],
				[20, page([], 30)],
			]),
		);
		expect(await collectPages(book)).toEqual({ results: leads(1, 3) });
		expect(book.asked).toHaveLength(3);
	});

	it('asks for what is missing and gives no more than the limit', async () => {
		const book = bookOf(
			new Map<Cursor | undefined, Page>([
				[undefined, page(leads(1, 3), 'b')],
				['b', page(leads(4, 9), 'c')],
			]),
		);
		expect(await collectPages(book, 4)).toEqual({ results: leads(1, 4) });
		expect(book.asked).toEqual([
			{ size: 3, cursor: undefined },
			{ size: 1, cursor: 'b' },
		]);
	});

	it('gives a result once that is on two pages, and makes up for it', async () => {
		const book = bookOf(
			new Map<Cursor | undefined, Page>([
				[undefined, page([...leads(1, 2), { id: 1 }], 'b')],
				['b', page(leads(2, 4), 'c')],
				['c', page(leads(5, 7), null)],
			]),
		);
		expect(await collectPages(book, 5)).toEqual({ results: leads(1, 5) });
		expect(book.asked.map(({ size }) => size)).toEqual([3, 3, 1]);
	});

	it('keeps results apart that have no id, or where none is named', async () => {
		const same = [{ name: 'Ada' }, { name: 'Ada' }];
		const pages = new Map([[undefined, page(same, null)]]);
		expect(await collectPages(bookOf(pages))).toEqual({ results: same });
		const { idOf: _, ...withoutIds } = bookOf(
			new Map([[undefined, page([{ id: 1 }, { id: 1 }], null)]]),
		);
		expect(await collectPages(withoutIds)).toEqual({ results: [{ id: 1 }, { id: 1 }] });
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

	it('takes a fault in the code for a page that could not be read', async () => {
		const fault = { pageSize: 3, fetch: bookOf(new Map()).fetch };
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

	it('gives more than a hundred thousand results', async () => {
		const count = 250_000;
		const fetch = async (size: number, cursor: Cursor | undefined) => {
			const first = Number(cursor ?? 0);
			const last = Math.min(first + size, count);
			return page(leads(first + 1, last), last < count ? last : null);
		};
		const idOf = ({ id }: IDataObject) => id;
		const { results, incomplete } = await collectPages({ pageSize: 500, fetch, idOf });
		expect(results).toHaveLength(count);
		expect(results.at(-1)).toEqual({ id: count });
		expect(incomplete).toBeUndefined();
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
		expect(fetched).toBeLessThanOrEqual(150);
	});

	it('gives up on a service that gives the same page again, where results have no ids', async () => {
		let fetched = 0;
		const people = [{ name: 'Ada' }, { name: 'Ida' }];
		const fetch = async () => page(people, `page ${fetched++}`);
		const { results, incomplete } = await collectPages({ pageSize: 2, fetch });
		expect(results).toEqual(people);
		expect(detailsOf(incomplete)).toMatchObject({
			message: 'The service sent a response without new results',
		});
		expect(fetched).toBe(2);
	});

	it('gives nothing but the reason when the first page fails', async () => {
		const reason = new NotProcessed('cancelled');
		const fetch = async () => await Promise.reject(reason);
		expect(await rejectionOf(collectPages({ pageSize: 3, fetch }))).toBe(reason);
	});

	it('stops before what is not wanted, and reads no page after it', async () => {
		const book = bookOf(
			new Map<Cursor | undefined, Page>([
				[undefined, page(leads(1, 3), 'b')],
				['b', page(leads(4, 6), 'c')],
			]),
		);
		const until = ({ id }: IDataObject) => id === 5;
		expect(await collectPages({ ...book, until })).toEqual({ results: leads(1, 4) });
		expect(book.asked).toHaveLength(2);
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
				for (const { size, delivered } of calls) {
					expect(size).toBeGreaterThanOrEqual(1);
					expect(size).toBeLessThanOrEqual(pageSize);
					if (limit !== undefined) expect(size).toBeLessThanOrEqual(limit - delivered);
				}
				const [, ...later] = calls;
				const isFull = later.filter(({ delivered }) => delivered >= wanted);
				const mayLookOnce = !behaviour.tellsTotal && (limit ?? 50) > all.length;
				expect(isFull.length).toBeLessThanOrEqual(mayLookOnce ? 2 : 0);
			}),
			{ numRuns: 1_000 },
		);
	});
});
