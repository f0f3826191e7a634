import type { Cursor, Page, Pages } from '../reading/pages';
import { unexpectedAnswer } from '../service/serviceError';
import { leadId } from './leads';

/** How far the leads of a list were read, newest first. */
export interface Place {
	/** The lowest id of those read: what is left has lower ones. */
	id: number;
	/** Where the next one was then, for a service that takes `start` for an offset. */
	offset?: number;
}

/**
 * The pages of the leads of a list such that no lead is missed, though leads are removed while they are
 * read, or between one reading and the next (interface specification 4.3).
 *
 * Where `start` is a lead id, that is so by itself. Where it is an offset, a removed lead moves all older
 * ones up by one, and the next page would begin behind one that nobody has read. So each page is asked for
 * from the last lead of the page before: if no lead read before begins it, leads were removed, and the
 * page is asked for further up.
 */
export class SteadyLeads {
	private meaning: 'offset' | 'id' | undefined;

	private lowest = Number.POSITIVE_INFINITY;

	private offset = 0;

	/** The most leads of a page so far. */
	private longest = 0;

	private pagesRead = 0;

	/** @param from how far they were read before; from the newest one without it */
	constructor(
		private readonly pages: Pages,
		private readonly from?: Place,
	) {
		if (!from) return;
		this.lowest = from.id;
		if (from.offset === undefined) return;
		this.meaning = 'offset';
		this.offset = from.offset;
	}

	/** Where the next lead is, for a service that takes `start` for an offset. */
	get nextOffset(): number | undefined {
		return this.meaning === 'offset' ? this.offset : undefined;
	}

	/** The next page, for `collectPages`. */
	async fetch(size: number, cursor: Cursor | undefined): Promise<Page> {
		if (this.meaning === 'offset') return await this.fetchAtOffset(size);
		const start = cursor ?? this.from?.id;
		const page = await this.pages.fetch(size, start);
		this.recognise(page, Number(start ?? 0));
		return this.noted(page, page.next);
	}

	/** What `start` means, by where the service says that the next page starts. */
	private recognise({ results, next }: Page, start: number): void {
		const isId = next === leadId(results.at(-1) ?? {});
		const isOffset = next === start + results.length;
		// Both may be true by chance, and a page without leads says nothing.
		if (this.meaning || isId === isOffset || results.length === 0) return;
		this.meaning = isId ? 'id' : 'offset';
		this.offset = Number(next);
	}

	private async fetchAtOffset(size: number): Promise<Page> {
		let start = Math.max(0, this.offset - 1);
		let page = await this.pages.fetch(size, start);
		for (let step = this.longest || size; start > 0 && !this.isConnected(page); step *= 2) {
			start = Math.max(0, start - step);
			page = await this.pages.fetch(this.pages.pageSize, start);
		}
		if (start === this.offset - 1 && page.results.length === 1) {
			// Nothing but the lead that is known: the end, or a service that gives one lead per page.
			start = this.offset;
			page = await this.pages.fetch(size, start);
		}
		if (page.results.length > 0 && page.next !== null) {
			const next = Number(page.next);
			// A cursor that does not move on is how some services end; after a full page it rather is a fault.
			if (next <= start && page.results.length >= this.longest)
				throw unexpectedAnswer('new results');
			if (next <= start) return this.noted(page, null);
			this.offset = next;
		}
		return this.noted(page, page.next);
	}

	/** Whether no lead can be missing between those that were read and this page. */
	private isConnected({ results }: Page): boolean {
		return results.some((lead) => (leadId(lead) ?? 0) >= this.lowest);
	}

	private noted(page: Page, next: Page['next']): Page {
		this.pagesRead++;
		this.longest = Math.max(this.longest, page.results.length);
		for (const lead of page.results) {
			this.lowest = Math.min(this.lowest, leadId(lead) ?? Number.POSITIVE_INFINITY);
		}
		// An offset may come again after leads were removed: then pages are told apart by their number.
		const isOffset = next !== null && this.meaning === 'offset';
		return { ...page, next: isOffset ? `page ${this.pagesRead}` : next };
	}
}
