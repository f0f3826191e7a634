import type { IDataObject } from 'n8n-workflow';

import type { Cursor, Page, Pages } from '../reading/pages';
import type { InterfaceSettings } from '../service/interfaceSettings';
import { unexpectedAnswer } from '../service/serviceError';
import { numberAt } from '../values/json';
import { leadId, readLeadPage } from './leads';

/** How far the leads of a list were read, newest first. */
export interface Place {
	/** The lowest id of those read: what is left has lower ones. */
	id: number;
	/** Where the next one was then, for a service that takes `start` for an offset. */
	offset?: number;
}

interface Reading {
	/** A keyword, which all of the leads contain. */
	kw?: string;
	/** How far they were read before; without it, they are read from the newest one on. */
	from?: Place;
	/**
	 * Whether each page begins with the last lead of the page before, where `start` is an offset: then no
	 * lead is ever missed. It takes more requests with pages of few leads.
	 */
	overlaps?: boolean;
}

/** A page, with what the service says of their number: of all leads, or of this page alone. */
interface CountedPage extends Page {
	count: number | null;
}

/**
 * The pages of the leads of a list, newest first (interface specification 4.3).
 *
 * Where `start` is a lead id, leads that are removed while the list is read hide no others. Where it is an
 * offset, a removed lead moves all older ones up by one, and the next page would begin behind one that
 * nobody has read. Pages that overlap show it: no lead read before begins the next one. Without, a count of
 * all leads that has become less shows it. Then the page is asked for further up.
 */
export class LeadPages implements Pages {
	readonly pageSize: number;

	private meaning: 'offset' | 'id' | undefined;

	private lowest = Number.POSITIVE_INFINITY;

	private offset = 0;

	/** The most leads of a page so far. */
	private longest = 0;

	private pagesRead = 0;

	/** How many leads there were in all, if the service counts these, and not those of a page. */
	private count: number | undefined;

	constructor(
		private readonly get: (query: IDataObject) => Promise<object>,
		{ listPageSize }: InterfaceSettings,
		private readonly reading: Reading = {},
	) {
		this.pageSize = listPageSize;
		const { from } = reading;
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

	readonly idOf = ({ id }: IDataObject): unknown => id;

	readonly fetch = async (size: number, cursor: Cursor | undefined): Promise<Page> => {
		if (this.meaning === 'offset') return await this.fetchAtOffset(size);
		const start = cursor ?? this.reading.from?.id;
		const page = await this.ask(size, start);
		this.recognise(page, Number(start ?? 0));
		return this.noted(page, page.next);
	};

	private async ask(size: number, start: Cursor | undefined): Promise<CountedPage> {
		const { kw } = this.reading;
		const answer = await this.get({ kw, size, start });
		const page = readLeadPage(answer, kw !== undefined);
		return { ...page, count: numberAt({ ...answer }, 'count_results') };
	}

	/** What `start` means, by where the service says that the next page starts. */
	private recognise({ results, next, count }: CountedPage, start: number): void {
		const isId = next === leadId(results.at(-1) ?? {});
		const isOffset = next === start + results.length;
		// Both may be true by chance, and a page without leads says nothing.
		if (this.meaning || isId === isOffset || results.length === 0) return;
		this.meaning = isId ? 'id' : 'offset';
		this.offset = Number(next);
		if (count !== null && count > results.length) this.count = count;
	}

	private async fetchAtOffset(size: number): Promise<Page> {
		let start = this.offset;
		let page: CountedPage | undefined;
		if (!this.reading.overlaps) page = await this.ask(size, start);
		if (!page || this.hasShrunk(page)) {
			start = Math.max(0, this.offset - 1);
			page = await this.ask(size, start);
			for (let step = this.longest || size; start > 0 && !this.isConnected(page); step *= 2) {
				start = Math.max(0, start - step);
				page = await this.ask(this.pageSize, start);
			}
			if (start === this.offset - 1 && page.results.length === 1) {
				// Nothing but the lead that is known: the end, or a service that gives one lead per page.
				start = this.offset;
				page = await this.ask(size, start);
			}
		}
		if (this.count !== undefined) this.count = page.count ?? this.count;
		const next = page.next === null ? null : Number(page.next);
		if (next === null || page.results.length === 0) return this.noted(page, page.next);
		if (next > start) {
			this.offset = next;
			return this.noted(page, next);
		}
		// A cursor that does not move on is how some services end; after a full page it rather is a fault.
		const isCutShort = this.reading.overlaps && page.results.length >= this.longest;
		if (isCutShort) throw unexpectedAnswer('new results');
		return this.noted(page, null);
	}

	/** Whether there are fewer leads in all than when the page before was read. */
	private hasShrunk({ count }: CountedPage): boolean {
		return this.count !== undefined && count !== null && count < this.count;
	}

	/** Whether no lead can be missing between those that were read and this page. */
	private isConnected({ results }: Page): boolean {
		return results.some((lead) => (leadId(lead) ?? 0) >= this.lowest);
	}

	private noted({ results, total }: Page, next: Page['next']): Page {
		this.pagesRead++;
		this.longest = Math.max(this.longest, results.length);
		for (const lead of results) {
			this.lowest = Math.min(this.lowest, leadId(lead) ?? Number.POSITIVE_INFINITY);
		}
		// An offset may come again after leads were removed: then pages are told apart by their number.
		const isOffset = next !== null && this.meaning === 'offset';
		return { results, total, next: isOffset ? `page ${this.pagesRead}` : next };
	}
}
