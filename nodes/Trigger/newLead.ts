import type { IDataObject, IPollFunctions } from 'n8n-workflow';
import type { AccountClient } from '../shared/client/client';
import { notice } from '../shared/editor/fields';
import type { Parameters } from '../shared/input/parameters';
import { unexpectedResponse } from '../shared/http/errors';
import { Failure } from '../shared/failures/failure';
import { listPaths, readLeadPage, simplifyListLead } from '../shared/api/lists';
import { listLocator, toListId } from '../shared/reads/listLocator';
import { MAX_PAGES_WITHOUT_NEWS } from '../shared/reads/pages';
import { idAt, numberAt } from '../shared/values/json';

const SAMPLES = 5;

/** On New Lead in List: each lead that is saved to a list, once. Free. */
export const newLead = {
	option: {
		name: 'On New Lead in List',
		value: 'newLead',
		action: 'On new lead in list',
		description: 'When leads are added to the list. Each lead is delivered once, oldest first.',
	},
	fields: [
		listLocator,
		notice(
			'newLeadNotice',
			'Only leads added after you first publish start the workflow. Fetch Test Event shows up to five recent leads, without affecting the trigger.',
		),
	],
	poll: pollNewLeads,
};

/** What a poll remembers of its list, beside where that is. Leads get ever higher ids (interface specification 4.3). */
interface Memory {
	/** This lead and all with lower ids are done. */
	newestId: number;
	/** The newest lead of a backlog that did not fit in the time of one poll; newer ones come after it. */
	topId?: number | null;
	/** The oldest lead of the backlog that was delivered. */
	lowestId?: number | null;
	/** The offset of the next lead, for a service that takes `start` for an offset. */
	offset?: number | null;
}

/**
 * The leads saved since the last poll (interface specification 4.3), oldest first. The first poll delivers nothing.
 * The memory moves on only with the leads that are delivered, so a poll that fails loses none. Pages come newest first:
 * if the time of a poll ends before all are read, the next polls deliver the rest, before they look for newer leads.
 */
async function pollNewLeads(
	context: IPollFunctions,
	client: AccountClient,
	parameters: Parameters,
	memory: IDataObject,
): Promise<{ items: IDataObject[]; memory?: IDataObject }> {
	const isTimeUp = pollTime(context);
	const listId = toListId(parameters.get('listId', 0, '', { extractValue: true }));
	const isSimple = context.getNodeParameter('simple', true) === true;
	const shape = (lead: IDataObject) => (isSimple ? simplifyListLead(lead) : lead);
	const { baseUrl, settings } = client.connection;
	const { listPageSize } = settings;
	const get = async (start: Cursor, size = listPageSize) => {
		const query = { size: Math.min(size, listPageSize), start: start || undefined };
		const response = await client.get(listPaths(listId).leads, query);
		return { ...readLeadPage(response, false), start };
	};
	if (context.getMode() === 'manual') {
		const { results } = await get(0, SAMPLES);
		if (results.length > 0) return { items: results.slice(0, SAMPLES).map(shape) };
		throw new Failure('no_leads', {
			message: 'The list has no leads',
			description: 'Save a lead to the list, then fetch again.',
		});
	}
	// With another list, the trigger begins again. The same id is another list at another service.
	const list = { listId, service: new URL(baseUrl).href };
	const isSame = memory.listId === listId && memory.service === list.service;
	const at = (key: keyof Memory) => (isSame ? numberAt(memory, key) : null);
	const newestId = at('newestId');
	if (newestId === null) {
		const { results } = await get(0, 1);
		const newest = results.map(idOf).find(Number.isFinite) ?? 0;
		return { items: [], memory: { ...list, newestId: newest } };
	}
	const known = { newestId, lowestId: at('lowestId'), offset: at('offset') };
	const { leads, rest } = await readNewLeads(get, known, isTimeUp);
	const topId = Math.max(newestId, at('topId') ?? 0, ...leads.slice(0, 1).map(idOf));
	const next = rest ? { newestId, topId, ...rest } : { newestId: topId };
	return { items: leads.reverse().map(shape), memory: { ...list, ...next } };
}

/**
 * The id of a lead. One without an id counts as newer than all others, and is not delivered. Throws a `Failure` for an
 * id that tells nothing of what is newer.
 */
function idOf(lead: IDataObject): number {
	const id = idAt(lead, 'id') ?? Number.POSITIVE_INFINITY;
	if (typeof id === 'number') return id;
	throw unexpectedResponse(`lead IDs that are numbers, by which new leads are known (${id})`);
}

/** A page of leads, and the `start` that it was requested with. */
type PageAt = ReturnType<typeof readLeadPage> & { start: Cursor };

type Cursor = string | number;
type GetPage = (start: Cursor) => Promise<PageAt>;

/** Reads the leads that were not delivered yet, newest first; with the place of the rest, if the time is up before. */
export async function readNewLeads(
	get: GetPage,
	{ newestId, lowestId, offset }: Memory,
	isTimeUp: () => boolean,
): Promise<{ leads: IDataObject[]; rest?: Pick<Memory, 'lowestId' | 'offset'> }> {
	const leads: IDataObject[] = [];
	let lowest = lowestId ?? Number.POSITIVE_INFINITY;
	let next: Cursor = offset ?? lowestId ?? 0;
	/** The next lead, for a service that takes `start` for an offset. */
	let place = offset ?? undefined;
	let longest = 0;
	let emptyPages = 0;
	let pagesWithoutNews = 0;
	let firstBefore = Number.POSITIVE_INFINITY;
	do {
		const page: PageAt = await (place === undefined
			? get(next)
			: overlappingPage(get, place, lowest));
		const { results, start } = page;
		const [first = firstBefore] = results.map(idOf);
		// Leads that were read before may fill any number of pages, but each page begins with older ones.
		if (first >= firstBefore) pagesWithoutNews++;
		firstBefore = first;
		for (const lead of results) {
			const id = idOf(lead);
			if (id <= newestId) return { leads };
			if (id >= lowest) continue;
			leads.push(lead);
			lowest = id;
			pagesWithoutNews = 0;
		}
		emptyPages = results.length > 0 ? 0 : emptyPages + 1;
		if (page.next === null || emptyPages > 1) return { leads };
		if (page.next instanceof Error) throw page.next;
		next = page.next;
		// Some services end with a cursor that comes again; after a full page it is a fault.
		longest = Math.max(longest, results.length);
		const isShort = results.length === 0 || results.length < longest;
		if (next === start && isShort) return { leads };
		if (next === start || pagesWithoutNews > MAX_PAGES_WITHOUT_NEWS) {
			throw unexpectedResponse('new results');
		}
		if (typeof next !== 'number' || typeof start !== 'number') continue;
		// By chance an id may look like an offset.
		const isOffset = next === start + results.length && next !== results.map(idOf).at(-1);
		if (isOffset || place !== undefined) place = next;
	} while (!isTimeUp());
	return { leads, rest: { lowestId: lowest, offset: place ?? null } };
}

/**
 * Reads the page that begins with the last lead that was read. Deleted leads move all older ones up, so it may be an
 * earlier page, after many deletions far earlier, or the list may end before: each step back is twice as long.
 */
async function overlappingPage(get: GetPage, offset: number, lowest: number): Promise<PageAt> {
	const wasRead = (lead: IDataObject) => idOf(lead) >= lowest;
	let start = offset - 1;
	let page = await get(start);
	for (let step = page.results.length || 1; start > 0 && !page.results.some(wasRead); step *= 2) {
		start = Math.max(0, start - step);
		page = await get(start);
	}
	// Only the lead that was read: the end of the list, or a service that gives one lead per page.
	const isAlone = page.results.length === 1 && page.results.every(wasRead);
	return isAlone ? await get(start + 1) : page;
}

/** Whether the time for pages is over: 60 % of what n8n gives a poll. It needs the rest to start the workflow and to store. */
function pollTime(context: IPollFunctions): () => boolean {
	// n8n 1 has no such method, and no limit.
	const budget =
		'getPollBudgetMs' in context ? context.getPollBudgetMs() : Number.POSITIVE_INFINITY;
	const end = Date.now() + 0.6 * budget;
	return () => Date.now() >= end;
}
