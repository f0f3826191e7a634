import type { IDataObject } from 'n8n-workflow';
import { unexpectedResponse } from '../http/errors';
import type { Cursor } from '../http/response';
import { asError } from '../values/text';

/** After more pages than this without a new result, the service is taken to repeat itself for ever. */
export const MAX_PAGES_WITHOUT_NEWS = 100;

export interface Page {
	results: IDataObject[];
	next: Cursor;
	/** The number of results on all pages, if the response states it. */
	total: number | null;
}

export interface Pages {
	pageSize: number;
	/** Requests a page of at most `size` results. */
	fetch: (size: number, cursor: string | number | undefined) => Promise<Page>;
	/** Whether the user wants a result; without it, all of them. */
	wants?: (result: IDataObject) => boolean;
	/** The identity of a result: the service may send one again on a later page. Two of one page are two. */
	idOf: (result: IDataObject) => unknown;
	/** Whether a page without a new result ends the reading, because a page may cost credits. */
	endsOnRepeat?: boolean;
}

/** The results of all pages, and the reason if a later page could not be read. */
export interface Collected {
	results: IDataObject[];
	incomplete?: Error;
}

class Collection {
	readonly results: IDataObject[] = [];
	pagesWithoutNews = 0;
	emptyPages = 0;

	/** The number of results on all pages, as far as it was said: it shrinks if some are deleted meanwhile. */
	total: number | undefined;

	private readonly ids = new Set<unknown>();
	private read = 0;

	constructor(
		private readonly pages: Pages,
		readonly limit: number,
	) {}

	add({ results, total }: Page): void {
		// A result without an id is another one each time.
		const idOf = (result: IDataObject) => this.pages.idOf(result) ?? result;
		const news = results.filter((result) => !this.ids.has(idOf(result)));
		for (const result of results) this.ids.add(idOf(result));
		for (const result of news) {
			if (!this.isFull && (this.pages.wants?.(result) ?? true)) this.results.push(result);
		}
		this.read += news.length;
		this.pagesWithoutNews = news.length > 0 ? 0 : this.pagesWithoutNews + 1;
		this.emptyPages = results.length > 0 ? 0 : this.emptyPages + 1;
		// A total that counts its page is none.
		if (total !== null && total > results.length) this.total = Math.max(this.total ?? 0, total);
	}

	hasAll(total = this.total): boolean {
		return total !== undefined && this.read >= total;
	}

	get isFull(): boolean {
		return this.results.length >= this.limit;
	}
}

/**
 * Reads page after page, until the limit, the total, two empty pages, or a next page that is missing or was read already.
 * A page that is shorter than requested is not the end: services cap pages. Throws if there is no result before the page
 * that fails.
 */
export async function collectPages(
	pages: Pages,
	limit = Number.POSITIVE_INFINITY,
): Promise<Collected> {
	const all = new Collection(pages, limit);
	const { results } = all;
	const cursors = new Set<string | number | undefined>();
	let cursor: string | number | undefined;
	let longestPage: number | undefined;
	const stuck = () => ({ results, incomplete: unexpectedResponse('new results') });
	while (!all.isFull && !cursors.has(cursor)) {
		cursors.add(cursor);
		// A short page might hold nothing but unwanted or known results.
		const isWhole = pages.wants !== undefined || all.pagesWithoutNews > 0;
		const size = isWhole ? pages.pageSize : Math.min(pages.pageSize, limit - results.length);
		const page = await pages.fetch(size, cursor).catch(asError);
		if (page instanceof Error) {
			if (results.length === 0) throw page;
			return { results, incomplete: page };
		}
		all.add(page);
		const isRepeated = pages.endsOnRepeat && all.pagesWithoutNews > 0 && all.emptyPages === 0;
		if (isRepeated || all.pagesWithoutNews > MAX_PAGES_WITHOUT_NEWS) return stuck();
		if (page.next === null || all.hasAll() || all.emptyPages > 1) break;
		if (page.next instanceof Error) return { results, incomplete: page.next };
		cursor = page.next;
		// A last page may lead to one that was read; a full one, or one before the total, is not the last. Services cap
		// pages, so a page that is as long as the others is full, unless it only repeats a short one.
		const full = all.pagesWithoutNews > 0 ? size : Math.min(size, longestPage ?? size);
		longestPage = Math.max(longestPage ?? 0, page.results.length);
		const isFull = all.emptyPages === 0 && page.results.length >= full;
		const isLast = all.hasAll(page.total ?? undefined) || !(isFull || all.total !== undefined);
		if (cursors.has(cursor) && !isLast && !all.isFull) return stuck();
	}
	return { results };
}
