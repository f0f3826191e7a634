import type {
	IDataObject,
	ILoadOptionsFunctions,
	INodeListSearchResult,
	INodeProperties,
} from 'n8n-workflow';
import { withClient } from '../client/accounts';
import { ACCOUNT_PATH } from '../credits/account';
import type { InterfaceSettings } from '../http/connection';
import { isNotFound, unexpectedAnswer } from '../http/errors';
import { objectIn, objectsIn } from '../http/response';
import { requestOptionsIn } from '../http/transport';
import { invalidValue, missing } from '../output/problem';
import { toEmailStatus } from '../values/email';
import { isObject, numberAt, textAt, timestampAt } from '../values/json';
import { toText } from '../values/text';
import { withScheme } from '../values/url';
import type { Cursor, Page, Pages } from './pages';

export const LISTS_PATH = '/api/v2/list';

/**
 * The lists of the account (interface specification 4.2, a variant). A service without that path
 * answers 404: then the lists that the account names (2.1).
 */
export async function readLists(get: (path: string) => Promise<object>): Promise<IDataObject[]> {
	const lists = await get(LISTS_PATH).catch((thrown: unknown) => {
		if (isNotFound(thrown)) return undefined;
		throw thrown;
	});
	if (lists) return objectsIn(lists, 'a list of lists');
	const account = await get(ACCOUNT_PATH);
	return objectsIn(isObject(account) ? (account.lists ?? []) : undefined, 'a list of lists');
}

/** A list in the package's words (2.3 and its variant). */
export function simplifyList(list: IDataObject): IDataObject {
	return {
		id: numberAt(list, 'list_id', 'id'),
		name: textAt(list, 'name'),
		createdAt: timestampAt(list, 'creation_date'),
		leadCount: numberAt(list, 'count_leads', 'leads'),
	};
}

/**
 * A page of the leads of a list (interface specification 4.3). The next page starts at the
 * `next_start` of this one, whether the service takes it for a lead id or for an offset.
 * @param filtered whether a keyword was sent: only then `count_results` counts all the results
 */
export function readLeadPage(answer: object, filtered: boolean): Page {
	const page = objectIn(answer, 'a page of leads');
	return {
		results: objectsIn(page.data, 'a page of leads'),
		// No further page starts at 0.
		next: numberAt(page, 'next_start') || null,
		total: filtered ? numberAt(page, 'count_results') : null,
	};
}

/** The id of a lead. Leads get ever higher ones (4.3). */
export function leadId({ id }: IDataObject): number | undefined {
	return numberAt({ id: toText(id) }, 'id') ?? undefined;
}

/** A lead of a list in the package's words (2.4, with the spellings of its variant). */
export function simplifyListLead(lead: IDataObject): IDataObject {
	return {
		id: numberAt(lead, 'id'),
		name: textAt(lead, 'name'),
		firstName: textAt(lead, 'first_n'),
		lastName: textAt(lead, 'last_n', 'last_nd'),
		email: textAt(lead, 'email'),
		emailStatus: toEmailStatus(textAt(lead, 'email_status')),
		profileUrl: withScheme(textAt(lead, 'network_url')),
		location: textAt(lead, 'location'),
		domain: textAt(lead, 'domain'),
		companyIndustry: textAt(lead, 'company_industry'),
		companyFounded: textAt(lead, 'company_founded', 'compnay_founded'),
		companySize: numberAt(lead, 'company_size'),
		companyHeadquarters: textAt(lead, 'company_hq'),
	};
}

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

/** A saved list, picked from the account's lists or given by its id. */
export const listLocator: INodeProperties = {
	displayName: 'List',
	name: 'listId',
	type: 'resourceLocator',
	default: { mode: 'list', value: '' },
	required: true,
	description: 'One of the saved lists of the account',
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			placeholder: 'Select a list...',
			typeOptions: { searchListMethod: 'searchLists', searchable: true },
		},
		{
			displayName: 'By ID',
			name: 'id',
			type: 'string',
			placeholder: 'e.g. 101',
			validation: [
				{
					type: 'regex',
					properties: {
						regex: '^\\s*[0-9]+\\s*$',
						errorMessage: 'The list ID must be a number, e.g. 101',
					},
				},
			],
		},
	],
};

/**
 * The locator, for an operation whose path holds the id of the list.
 * @param part of the list, as it stands behind the id
 */
export function listLocatorFor(part = ''): INodeProperties {
	return { ...listLocator, routing: { request: { url: `=${LISTS_PATH}/{{$value}}${part}` } } };
}

/** The id of a list; throws `InvalidInput` for anything that cannot be one. */
export function toListId(value: unknown): string {
	const id = toText(value);
	if (id === '') throw missing('List');
	if (!/^\d+$/.test(id)) throw invalidValue('List', 'The list ID must be a number, e.g. 101');
	return id;
}

/** Fills the list dropdown: the lists of the account whose name holds the text typed so far. */
export async function searchLists(
	this: ILoadOptionsFunctions,
	filter = '',
): Promise<INodeListSearchResult> {
	const lists = await withClient(
		this,
		async (client) => await readLists(async (path) => await client.get(path)),
		{ requestOptions: requestOptionsIn(this.getCurrentNodeParameter('requestOptions')) },
	);
	return {
		results: lists
			.map((list) => simplifyList(list))
			.map(({ id, name }) => ({ name: String(name ?? id), value: String(id) }))
			.filter(({ name }) => name.toLowerCase().includes(filter.trim().toLowerCase())),
	};
}
