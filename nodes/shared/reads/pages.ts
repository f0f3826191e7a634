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

/**
 * Reads page after page, until the limit, the total, two empty pages, or a next page that is missing or was read already. A page that is shorter than requested is not the end: services cap pages.
 * Throws if there is no result before the page that fails.
 */
export async function collectPages(
	pages: Pages,
	limit = Number.POSITIVE_INFINITY,
): Promise<Collected> {
	const results: IDataObject[] = [];
	const ids = new Set<unknown>();
	const cursors = new Set<string | number | undefined>();
	let cursor: string | number | undefined;
	let read = 0;
	let total: number | undefined;
	let longestPage: number | undefined;
	let pagesWithoutNews = 0;
	let emptyPages = 0;
	// A result without an id is another one each time.
	const idOf = (result: IDataObject) => pages.idOf(result) ?? result;
	const stuck = () => ({ results, incomplete: unexpectedResponse('new results') });
	while (results.length < limit && !cursors.has(cursor)) {
		cursors.add(cursor);
		// A short page might hold nothing but unwanted or known results.
		const isWhole = pages.wants !== undefined || pagesWithoutNews > 0;
		const size = isWhole ? pages.pageSize : Math.min(pages.pageSize, limit - results.length);
		const page = await pages.fetch(size, cursor).catch(asError);
		if (page instanceof Error) {
			if (results.length === 0) throw page;
			return { results, incomplete: page };
		}
		const news = page.results.filter((result) => !ids.has(idOf(result)));
		for (const result of page.results) ids.add(idOf(result));
		for (const result of news) {
			if (results.length < limit && (pages.wants?.(result) ?? true)) results.push(result);
		}
		read += news.length;
		pagesWithoutNews = news.length > 0 ? 0 : pagesWithoutNews + 1;
		const isRepeated = pages.endsOnRepeat && pagesWithoutNews > 0 && page.results.length > 0;
		if (isRepeated || pagesWithoutNews > MAX_PAGES_WITHOUT_NEWS) return stuck();
		// The total shrinks if results are deleted meanwhile, though some may be unread. One that counts its page is none.
		const isTotal = page.total !== null && page.total > page.results.length;
		if (isTotal) total = Math.max(total ?? 0, page.total ?? 0);
		const isComplete = total !== undefined && read >= total;
		const hasAll = read >= (page.total ?? Number.POSITIVE_INFINITY);
		// One empty page is no end.
		emptyPages = page.results.length > 0 ? 0 : emptyPages + 1;
		if (page.next === null || isComplete || emptyPages > 1) break;
		if (page.next instanceof Error) return { results, incomplete: page.next };
		cursor = page.next;
		// A last page may lead to one that was read; a full one, or one before the total, is not the last. Services cap
		// pages, so a page that is as long as the others is full, unless it only repeats a short one.
		const full = pagesWithoutNews > 0 ? size : Math.min(size, longestPage ?? size);
		longestPage = Math.max(longestPage ?? 0, page.results.length);
		const isFull = page.results.length > 0 && page.results.length >= full;
		const isStuck = cursors.has(cursor) && !hasAll && (isFull || total !== undefined);
		if (isStuck && results.length < limit) return stuck();
	}
	return { results };
}
