import type { IDataObject } from 'n8n-workflow';

import { NotProcessed } from '../sending/notProcessed';
import { asServiceError, unexpectedAnswer, type ServiceError } from '../service/serviceError';

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
	/** The most results that are asked for per page. */
	pageSize: number;
	/** Fetches a page of at most `size` results. */
	fetch: (size: number, cursor: Cursor | undefined) => Promise<Page>;
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
	const wanted = limit ?? Number.POSITIVE_INFINITY;
	const results: IDataObject[] = [];
	const ids = new Set<unknown>();
	const cursors = new Set<Cursor | undefined>();
	let cursor: Cursor | undefined;
	let pagesWithoutNews = 0;
	let lastPage: string | undefined;
	while (results.length < wanted && !cursors.has(cursor)) {
		cursors.add(cursor);
		const room = wanted - results.length;
		const page = await pages.fetch(Math.min(pages.pageSize, room), cursor).catch(asIncomplete);
		if (page instanceof Error) {
			if (results.length === 0) throw page;
			return { results, incomplete: page };
		}
		// Without ids, a page that comes again shows that the service repeats itself.
		const text = pages.idOf ? undefined : JSON.stringify(page.results);
		if (text !== undefined && text === lastPage && page.results.length > 0) {
			return { results, incomplete: unexpectedAnswer('new results') };
		}
		lastPage = text;
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
		if (pagesWithoutNews > MAX_PAGES_WITHOUT_NEWS) {
			return { results, incomplete: unexpectedAnswer('new results') };
		}
		if (page.results.length === 0 || page.next === null || complete) break;
		cursor = page.next;
	}
	return { results };
}

function asIncomplete(error: unknown): Incomplete {
	return error instanceof NotProcessed ? error : asServiceError(error);
}
