import type { IDataObject } from 'n8n-workflow';

import { NotProcessed } from './notProcessed';
import { asServiceError, ServiceError, unexpectedAnswer } from './serviceError';

/** n8n cannot take over more results than about this for one input item: its call stack overflows. */
export const MAX_RESULTS_PER_ITEM = 100_000;

/** A service that gives nothing but known results for so many pages would do so for ever. */
const MAX_PAGES_WITHOUT_NEWS = 100;

export type Cursor = string | number;

/** One page of results and where the next one starts. */
export interface Page {
	results: IDataObject[];
	/** What to ask the next page with; nothing when this page is the last. */
	next: Cursor | null;
	/** How many results there are in all, where the answer tells. */
	total: number | null;
}

/** How the pages of one endpoint are asked for. */
export interface Pages {
	/** Where to start; nothing for the beginning. */
	start?: Cursor;
	/** The most results that are asked for per page. */
	pageSize: number;
	/** Fetches a page of at most `size` results. */
	fetch: (size: number, cursor: Cursor | undefined) => Promise<Page>;
	/** The most results of all pages; fewer than n8n can take over, unless given. */
	most?: number;
	/** Whether a result, and so all after it, is not wanted. */
	until?: (result: IDataObject) => boolean;
	/** Tells a result from others, where the service may give one twice. */
	idOf?: (result: IDataObject) => unknown;
}

/** Why not all pages were read: the service gave no answer, or the execution was stopped. */
type Incomplete = ServiceError | NotProcessed;

/** The results of all pages, and why there are not all of them, if a later page could not be read. */
export interface Collected {
	results: IDataObject[];
	incomplete?: Incomplete;
}

/**
 * Reads page after page, until the limit, an empty page, the total, or a next page that is missing
 * or was read already. A page that is shorter than asked for is not the end: services cap pages.
 * @param limit the most results; all of them without one
 */
export async function collectPages(pages: Pages, limit?: number): Promise<Collected> {
	const { most = MAX_RESULTS_PER_ITEM } = pages;
	const wanted = limit ?? Number.POSITIVE_INFINITY;
	const results: IDataObject[] = [];
	const ids = new Set<unknown>();
	const cursors = new Set<Cursor | undefined>();
	let cursor = pages.start;
	let pagesWithoutNews = 0;
	while (results.length < wanted && !cursors.has(cursor)) {
		if (results.length >= most) {
			const more = await pages.fetch(1, cursor).catch(asIncomplete);
			if (more instanceof Error) return { results, incomplete: more };
			return more.results.length > 0 ? { results, incomplete: tooMany(cursor) } : { results };
		}
		cursors.add(cursor);
		const room = Math.min(wanted, most) - results.length;
		const page = await pages.fetch(Math.min(pages.pageSize, room), cursor).catch(asIncomplete);
		if (page instanceof Error) {
			if (results.length === 0) throw page;
			return { results, incomplete: page };
		}
		const before = results.length;
		for (const result of page.results) {
			if (results.length >= wanted) break;
			if (pages.until?.(result)) return { results };
			const id = pages.idOf?.(result) ?? undefined;
			if (id !== undefined && ids.has(id)) continue;
			ids.add(id);
			results.push(result);
		}
		const complete = page.total !== null && results.length >= page.total;
		pagesWithoutNews = results.length > before ? 0 : pagesWithoutNews + 1;
		if (pagesWithoutNews > MAX_PAGES_WITHOUT_NEWS) throw unexpectedAnswer('new results');
		if (page.results.length === 0 || page.next === null || complete) break;
		cursor = page.next;
	}
	return { results };
}

function asIncomplete(error: unknown): Incomplete {
	return error instanceof NotProcessed ? error : asServiceError(error);
}

function tooMany(next: Cursor | undefined): ServiceError {
	return new ServiceError('too_many_results', {
		message: `There are more than ${MAX_RESULTS_PER_ITEM.toLocaleString('en')} results, the most that n8n takes from one item`,
		description: `Turn Return All off and set Limit to ${MAX_RESULTS_PER_ITEM}. Read the rest with a second node whose option Start is ${next}.`,
	});
}
