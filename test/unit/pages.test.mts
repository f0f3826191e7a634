/** @file However a service cuts its results into pages, each comes out once, in order, up to the limit. */

import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { expect, it } from 'vitest';

import { collectPages, type Page } from '../../nodes/shared/reads/pages.ts';

/** Results with the ids from `first` to `last`. */
function leads(first: number, last: number): IDataObject[] {
	return Array.from({ length: last - first + 1 }, (_, index) => ({ id: first + index }));
}

const idOf = ({ id }: IDataObject) => id;

/** Gives these pages one after the other, and the last over and over. */
function service(...pages: IDataObject[][]) {
	let requests = 0;
	const fetch = async (): Promise<Page> => {
		const results = pages[Math.min(requests, pages.length - 1)];
		return { results, next: `page ${++requests}`, total: null };
	};
	return { pages: { pageSize: 3, fetch, idOf }, requests: () => requests };
}

it.each([[undefined], [null]])('keeps results apart whose id is %s', async (id) => {
	const same = [{ name: 'Ada' }, { name: 'Ada' }];
	const { pages } = service(same, []);
	expect(await collectPages({ ...pages, idOf: () => id })).toEqual({ results: same });
});

it.each([
	[false, 102],
	// Where a page may cost credits.
	[true, 2],
])('gives up where nothing new comes, at once %s', async (endsOnRepeat, most) => {
	const { requests, pages } = service(leads(1, 3));
	const { results, incomplete } = await collectPages({ ...pages, endsOnRepeat });
	expect(results).toEqual(leads(1, 3));
	expect(incomplete).toMatchObject({ reason: 'unexpected_answer' });
	expect(requests()).toBe(most);
});

it.each([
	[10, 3, true],
	[10, 4, true],
	[3, 3, false],
	// Without a total a short page is taken to be the last.
	[null, 3, true],
	[null, 4, false],
])(
	'of %s a page for %i that leads to itself is the last, incomplete %s',
	async (total, pageSize, isPart) => {
		const fetch = async (): Promise<Page> => ({ results: leads(1, 3), next: 'page 1', total });
		const pages = { pageSize, fetch, idOf };
		const { results, incomplete } = await collectPages(pages);
		expect(results).toEqual(leads(1, 3));
		expect(incomplete?.message.includes('new results') ?? false).toBe(isPart);
		expect(await collectPages(pages, 3)).toEqual({ results: leads(1, 3) });
	},
);

it.each([
	['as long as the others', leads(4, 6), true],
	['shorter', leads(4, 5), false],
])(
	'a last page %s that leads back, where the service caps them: incomplete %s',
	async (_, last, isPart) => {
		const sent = [leads(1, 3), last];
		let requests = 0;
		const fetch = async (): Promise<Page> => ({
			results: sent[requests++],
			next: 'page 1',
			total: null,
		});
		const { results, incomplete } = await collectPages({ pageSize: 500, fetch, idOf });
		expect(results).toEqual([...leads(1, 3), ...last]);
		expect(incomplete !== undefined).toBe(isPart);
	},
);

it('takes two results of one page for two, however alike, and those of an earlier page for the same', async () => {
	const masked = { name: 'A*** L***' };
	const { pages } = service([masked, masked], [masked, { name: 'Ada' }], []);
	const { results } = await collectPages({ ...pages, idOf: (lead) => JSON.stringify(lead) });
	expect(results).toEqual([masked, masked, { name: 'Ada' }]);
});

it('goes on over any number of pages with none that is wanted: they hold news', async () => {
	const all = Array.from({ length: 500 }, (_, index) => leads(2 * index + 1, 2 * index + 2));
	const wants = ({ id }: IDataObject) => id === 1_000;
	const collected = await collectPages({ ...service(...all).pages, wants }, 1);
	expect(collected).toEqual({ results: [{ id: 1_000 }] });
});

type Cursor = string | number;

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
	const lengths: number[] = [];
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
		lengths.push(results.length);
		for (const { id } of results) seen.add(id);
		const isLast = after >= count;
		let next: Cursor | null = `page ${calls.length}`;
		positions.set(next, Math.min(after, count));
		if (isLast && end === 'no next') next = null;
		if (isLast && end === 'repeats the second') next = calls[1]?.cursor ?? null;
		if (isLast && end === 'repeats itself') next = cursor ?? null;
		if (results.length === 0 && end === 'empty') next = null;
		return { results, next, total: tellsTotal ? count : null };
	};
	return { all, calls, lengths, fetch };
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

it('gives every wanted result once, in order, up to the limit, whatever the pages', async () => {
	const pageSizes = fc.integer({ min: 1, max: 12 });
	const limits = fc.option(fc.integer({ min: 1, max: 45 }), { nil: undefined });
	/** Every so many results are wanted; 1 for all. */
	const steps = fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 9 }));
	await fc.assert(
		fc.asyncProperty(habits, pageSizes, limits, steps, async (own, pageSize, limit, step) => {
			const { all, calls, lengths, fetch } = serviceOf(own);
			const wants = ({ id }: IDataObject) => Number(id) % step === 0;
			const pages = { pageSize, fetch, idOf, ...(step > 1 && { wants }) };
			const { results, incomplete } = await collectPages(pages, limit);
			expect(results).toEqual(all.filter(wants).slice(0, limit));
			if (incomplete) {
				// Nothing tells the last page that leads back from one of a loop, unless it is shorter.
				expect(own).toMatchObject({
					end: expect.stringMatching(/^repeats/),
					...(lengths[0] < all.length && { tellsTotal: false }),
				});
				expect(lengths.at(-1)).toBeGreaterThanOrEqual(
					Math.min(calls.at(-1)?.size ?? 0, lengths[0]),
				);
			}

			// No page is asked for twice, none too large, and none once all is there.
			expect(new Set(calls.map(({ cursor }) => cursor)).size).toBe(calls.length);
			calls.forEach(({ size, delivered }, index) => {
				expect(size).toBeGreaterThanOrEqual(1);
				expect(size).toBeLessThanOrEqual(pageSize);
				if (step > 1) expect(size).toBe(pageSize);
				// After a page without news a whole one is asked for.
				const hadNews = index === 0 || delivered > calls[index - 1].delivered;
				const left = (limit ?? pageSize + delivered) - delivered;
				if (step === 1 && hadNews) expect(size).toBeLessThanOrEqual(left);
			});
			const [, ...later] = calls;
			const enough = later.filter(({ delivered }) => Math.floor(delivered / step) >= (limit ?? 50));
			expect(enough).toEqual([]);
			const full = later.filter(({ delivered }) => delivered >= all.length);
			// A total that counts its only page is none.
			const isTotal = own.tellsTotal && lengths[0] < all.length;
			expect(full.length).toBeLessThanOrEqual(isTotal ? 0 : 2);
		}),
		{ numRuns: 1_500 },
	);
});
