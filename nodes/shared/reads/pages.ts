import type { IDataObject } from 'n8n-workflow';
import { digest } from '../http/connection';
import { asServiceError, NotProcessed, type ServiceError, unexpectedAnswer } from '../http/errors';

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
	/** Whether a result is wanted; all are without it. Those that are not count as read all the same. */
	wants?: (result: IDataObject) => boolean;
	/** Tells a result from others: the service may give one twice. */
	idOf: (result: IDataObject) => unknown;
	/** Whether a page that comes again ends the reading: where pages shift as results are added, it does not. */
	endsOnRepeat?: boolean;
	/** How long may be read; the first page is always waited for. */
	time?: TimeLimit;
}

/** A time that is not enough for everything, so that some is left for later. */
export interface TimeLimit {
	/** Whether nothing more is to be begun. */
	isUp(): boolean;
	/** Resolves when what was begun is not to be waited for any longer. */
	up(): Promise<void>;
}

/** Why not all pages were read: the service gave no answer, or the execution was stopped. */
type Incomplete = ServiceError | NotProcessed;

/** The results of all pages, and why there are not all of them, if a later page could not be read. */
export interface Collected {
	results: IDataObject[];
	incomplete?: Incomplete;
	/** Whether there was no time to read all of them. */
	isCutByTime?: boolean;
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
	let read = 0;
	let pagesWithoutNews = 0;
	let total = Number.NaN;
	let longest = 0;
	let last = 0;
	const seen = new Set<string>();
	while (results.length < wanted && !cursors.has(cursor)) {
		const isFirst = cursors.size === 0;
		if (!isFirst && pages.time?.isUp()) return { results, isCutByTime: true };
		cursors.add(cursor);
		// How many of a page will be wanted is not known before.
		const isOpen = pages.wants !== undefined || pagesWithoutNews > 0;
		const room = isOpen ? pages.pageSize : wanted - results.length;
		const coming = pages.fetch(Math.min(pages.pageSize, room), cursor).catch(asIncomplete);
		const page = await (pages.time && !isFirst ? Promise.race([coming, pages.time.up()]) : coming);
		if (!page) return { results, isCutByTime: true };
		if (page instanceof Error) {
			if (results.length === 0) throw page;
			return { results, incomplete: page };
		}
		if (pages.endsOnRepeat) {
			const text = digest(page.results);
			if (seen.has(text)) return { results, incomplete: unexpectedAnswer('new results') };
			seen.add(text);
		}
		const before = read;
		for (const result of page.results) {
			if (results.length >= wanted) break;
			if (pages.until?.(result)) return { results };
			const id = pages.idOf(result) ?? undefined;
			if (id !== undefined && ids.has(id)) continue;
			ids.add(id);
			read++;
			if (pages.wants?.(result) ?? true) results.push(result);
		}
		// It shrinks when results are deleted meanwhile, though some may be unread.
		last = page.results.length;
		longest = Math.max(longest, last);
		if (page.total !== null) total = Math.max(total || 0, page.total);
		const complete = read >= total;
		pagesWithoutNews = read > before ? 0 : pagesWithoutNews + 1;
		if (pagesWithoutNews > MAX_PAGES_WITHOUT_NEWS) {
			return { results, incomplete: unexpectedAnswer('new results') };
		}
		if (page.results.length === 0 || page.next === null || complete) return { results };
		cursor = page.next;
	}
	// A cursor that comes again is how some services end; after a full page it rather is a fault.
	const isCutShort = pages.until && results.length < wanted && last === longest;
	return isCutShort ? { results, incomplete: unexpectedAnswer('new results') } : { results };
}

function asIncomplete(error: unknown): Incomplete {
	return error instanceof NotProcessed ? error : asServiceError(error);
}
