/** @file However a service cuts its results into pages, each comes out once, in order, up to the limit. */

import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';

import { readProfilePage, toKeywords } from '../../nodes/Company/profilePage.ts';
import { readLeadPage } from '../../nodes/shared/leads.ts';
import { NotProcessed } from '../../nodes/shared/request/notProcessed.ts';
import {
	collectPages,
	MAX_RESULTS_PER_ITEM,
	type Cursor,
	type Page,
} from '../../nodes/shared/request/pages.ts';
import { ServiceError } from '../../nodes/shared/request/serviceError.ts';
import { detailsOf, thrownBy } from './thrown.mts';

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

	it('stops at a cursor that was read already, the first one too', async () => {
		const book = bookOf(
			new Map<Cursor | undefined, Page>([
				[undefined, page(leads(1, 3), 'b')],
				['b', page(leads(4, 6), 'c')],
				['c', page(leads(7, 9), 'b')],
			]),
		);
		expect(await collectPages(book)).toEqual({ results: leads(1, 9) });
		expect(book.asked).toHaveLength(3);

		const fromStart = bookOf(new Map([['a', page(leads(1, 3), 'a')]]));
		expect(await collectPages({ ...fromStart, start: 'a' })).toEqual({ results: leads(1, 3) });
		expect(fromStart.asked).toEqual([{ size: 3, cursor: 'a' }]);
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

	it('passes on what goes wrong', async () => {
		const book = bookOf(new Map([[undefined, page(leads(1, 3), 'lost')]]));
		await expect(collectPages(book)).rejects.toThrow('There is no page lost');
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

	/** A service of whose results there is no end, with pages of half of what n8n takes. */
	const endless = {
		pageSize: MAX_RESULTS_PER_ITEM / 2,
		fetch: async (size: number, cursor: Cursor | undefined) => {
			const first = Number(cursor ?? 0);
			return page(new Array<IDataObject>(size).fill({}), first + size);
		},
	};

	it('says how to go on where there are more results than n8n takes', async () => {
		const { results, incomplete } = await collectPages(endless);
		expect(results).toHaveLength(MAX_RESULTS_PER_ITEM);
		expect(detailsOf(incomplete)).toEqual({
			reason: 'too_many_results',
			message: 'There are more than 100,000 results, the most that n8n takes from one item',
			description:
				'Turn Return All off and set Limit to 100000. Read the rest with a second node whose option Start is 100000.',
			httpCode: null,
			retryAfter: undefined,
			remaining: undefined,
			mayBeCharged: false,
		});
	});

	it('keeps what it has when it cannot see whether there are more than n8n takes', async () => {
		const lost = new ServiceError('connection', { message: 'Lost', description: 'Try again.' });
		const fetch = async (size: number, cursor: Cursor | undefined) => {
			if (cursor === MAX_RESULTS_PER_ITEM) throw lost;
			return await endless.fetch(size, cursor);
		};
		const { results, incomplete } = await collectPages({ ...endless, fetch });
		expect(results).toHaveLength(MAX_RESULTS_PER_ITEM);
		expect(incomplete).toBe(lost);
	});

	it('has all that was asked for with a limit of as many as n8n takes', async () => {
		const { results, incomplete } = await collectPages(endless, MAX_RESULTS_PER_ITEM);
		expect(results).toHaveLength(MAX_RESULTS_PER_ITEM);
		expect(incomplete).toBeUndefined();
	});

	it('never asks for more than n8n takes, with a higher limit', async () => {
		const { results, incomplete } = await collectPages(endless, 3 * MAX_RESULTS_PER_ITEM);
		expect(results).toHaveLength(MAX_RESULTS_PER_ITEM);
		expect(detailsOf(incomplete).reason).toBe('too_many_results');
	});

	/** How a service behaves: its cuts, page by page (over and over), and what its last page says. */
	interface Habits {
		count: number;
		cuts: Array<{ cap: number; repeats: number; stalls: boolean }>;
		end: 'no next' | 'empty' | 'empty with next' | 'repeats the first' | 'repeats itself';
		tellsTotal: boolean;
		start: string | undefined;
	}

	/** A service with these habits. It may give results again, but moves on at the latest next time. */
	function serviceOf({ count, cuts, end, tellsTotal, start }: Habits) {
		const all = leads(1, count);
		const positions = new Map<Cursor | undefined, number>([[start, 0]]);
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
			if (isLast && end === 'repeats the first') next = start ?? null;
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
			'repeats the first',
			'repeats itself',
		),
		tellsTotal: fc.boolean(),
		start: fc.option(fc.constant('start'), { nil: undefined }),
	});

	it('gives every result once, in order, up to the limit, whatever the pages', async () => {
		const pageSizes = fc.integer({ min: 1, max: 12 });
		const limits = fc.option(fc.integer({ min: 1, max: 45 }), { nil: undefined });
		await fc.assert(
			fc.asyncProperty(habits, pageSizes, limits, async (behaviour, pageSize, limit) => {
				const { all, calls, fetch } = serviceOf(behaviour);
				const wanted = Math.min(limit ?? Number.POSITIVE_INFINITY, all.length);
				const { start } = behaviour;
				const idOf = ({ id }: IDataObject) => id;
				const collected = await collectPages({ start, pageSize, fetch, idOf }, limit);
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

describe('readLeadPage', () => {
	const answer = { count_results: 42, next_start: 8999, data: [{ id: 9001 }, { id: 9000 }] };

	it('reads a page', () => {
		const expected = { results: [{ id: 9001 }, { id: 9000 }], next: 8999 };
		expect(readLeadPage(answer, true)).toEqual({ ...expected, total: 42 });
		// Only "when a keyword is given" it is the overall count.
		expect(readLeadPage(answer, false)).toEqual({ ...expected, total: null });
	});

	it.each([
		[{ data: [] }, null],
		[{ data: [], next_start: null }, null],
		[{ data: [], next_start: '25' }, 25],
		[{ data: [], next_start: 0 }, 0],
		[{ data: [], next_start: '' }, null],
	])('reads where %j goes on', (body, next) => {
		expect(readLeadPage(body, true)).toEqual({ results: [], next, total: null });
	});

	it.each([[[]], [{}], [{ data: {} }], [{ data: [1] }], [{ data: null }], [[{ id: 1 }]]])(
		'does not take %j for a page, nor for the end',
		(body) => {
			expect(detailsOf(thrownBy(() => readLeadPage(body, false)))).toMatchObject({
				reason: 'unexpected_answer',
				message: 'The service sent an answer without a page of leads',
			});
		},
	);
});

describe('readProfilePage', () => {
	const results = [{ full_name: 'Ada Lovelace' }];

	it('reads a page', () => {
		const meta = { total_all: 300, total_results: 150, next_results_id: 'n2' };
		expect(readProfilePage({ meta, company: {}, results })).toEqual({
			results,
			next: 'n2',
			total: 300,
		});
	});

	it('does not take the results of one page for all, under either name', () => {
		for (const meta of [
			{ total: 1, next_results_id: 'n2' },
			{ total_results: 1, next_results_id: 'n2' },
		]) {
			expect(readProfilePage({ meta, results })).toEqual({ results, next: 'n2', total: null });
		}
	});

	it.each([[undefined], [null], [{}], [{ next_results_id: '' }], [{ next_results_id: null }]])(
		'reads a last page with the meta %j',
		(meta) => {
			expect(readProfilePage({ meta, results })).toEqual({ results, next: null, total: null });
		},
	);

	it.each([[[]], [{}], [{ results: {} }], [{ results: ['Ada'] }]])(
		'does not take %j for a page, nor for the end',
		(body) => {
			expect(detailsOf(thrownBy(() => readProfilePage(body)))).toMatchObject({
				reason: 'unexpected_answer',
				message: 'The service sent an answer without a page of people',
			});
		},
	);
});

describe('toKeywords', () => {
	it.each([
		['sales manager', 'all', 'sales manager'],
		['  sales \n manager ', 'all', 'sales manager'],
		['sales, manager', 'all', 'sales manager'],
		['sales', 'all', 'sales'],
		['sales,growth marketing', 'any', '{sales,growth marketing}'],
		[' sales , growth   marketing ,', 'any', '{sales,growth marketing}'],
		['sales manager', 'any', '{sales manager}'],
		['sales', 'any', '{sales}'],
		['sales manager', undefined, 'sales manager'],
		['sales+manager', 'all', 'sales manager'],
		['{sales,manager}', 'any', '{sales,manager}'],
		['{sales,manager}', 'all', 'sales manager'],
		['', 'all', undefined],
		['', 'any', undefined],
		[' , ,', 'any', undefined],
		['{+}', 'any', undefined],
	])('puts %j (%s) as %j', (text, match, keywords) => {
		expect(toKeywords(text, match)).toBe(keywords);
	});

	it('never sends a "+" of its own, nor a brace that is no notation', () => {
		fc.assert(
			fc.property(fc.string(), fc.constantFrom('all', 'any'), (text, match) => {
				const keywords = toKeywords(text, match) ?? '';
				const words = match === 'any' ? keywords.replace(/^\{(.*)\}$/s, '$1') : keywords;
				expect(words).not.toMatch(/[+{}]/);
				expect(words).toBe(words.trim());
			}),
		);
	});
});
