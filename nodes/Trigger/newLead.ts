import { type IDataObject, type IPollFunctions, NodeOperationError } from 'n8n-workflow';
import type { AccountClient } from '../shared/client/client';
import { notice } from '../shared/editor/fields';
import { unexpectedAnswer } from '../shared/http/errors';
import {
	listLocator,
	LISTS_PATH,
	readLeadPage,
	simplifyListLead,
	toListId,
} from '../shared/reads/lists';
import { MAX_PAGES_WITHOUT_NEWS } from '../shared/reads/pages';
import { numberAt, objectAt } from '../shared/values/json';

/** The number of leads that a manual run shows. */
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
			'The first poll after you publish the workflow (n8n 1: activate it) remembers the newest lead and starts nothing. From then on, each new lead is delivered once. Fetch Test Event shows up to five recent leads, and remembers nothing.',
		),
	],
	keys: ['listId', 'newestId', 'backlog'],
	poll: pollNewLeads,
};

/** The state of one list between two polls. Leads get ever higher ids (interface specification 4.3). */
interface Memory {
	/** This lead and all with lower ids are done. */
	newestId: number;
	backlog?: Backlog;
}

/** Leads above `newestId` that did not fit in the time of one poll: the newer part was delivered. */
interface Backlog {
	/** The newest lead of the backlog; newer ones come after it. */
	topId: number;
	/** The oldest lead that was read. */
	givenTo: number;
	/** The offset of the next lead, for a service that takes `start` for an offset. */
	from: number | null;
}

/**
 * The leads saved since the last poll (interface specification 4.3), oldest first, however many pages they
 * fill. The first poll remembers the newest lead and delivers nothing. The state moves on only with the
 * leads that are delivered. So no lead is lost or comes twice if a poll fails half-way, or if two polls run
 * at the same time.
 *
 * Pages come newest first. If the time that n8n gives a poll ends before all are read, the poll delivers
 * the leads that it has, and the next polls the rest, before they look for newer leads.
 *
 * A manual run shows up to five recent leads and remembers nothing.
 */
async function pollNewLeads(
	context: IPollFunctions,
	client: AccountClient,
	stateOf: () => IDataObject,
): Promise<IDataObject[]> {
	const isTimeUp = pollTime(context);
	const listId = toListId(context.getNodeParameter('listId', '', { extractValue: true }));
	const simplify = context.getNodeParameter('simple', true) === true;
	const shape = (lead: IDataObject) => (simplify ? simplifyListLead(lead) : lead);
	const { listPageSize } = client.connection.settings;
	const get = async (start: number, size = listPageSize) => {
		const query = { size: Math.min(size, listPageSize), start: start || undefined };
		const answer = await client.get(`${LISTS_PATH}/${listId}/leads`, query);
		return { ...readLeadPage(answer, false), start };
	};
	if (context.getMode() === 'manual') {
		const { results } = await get(0, SAMPLES);
		if (results.length > 0) return results.slice(0, SAMPLES).map(shape);
		throw new NodeOperationError(context.getNode(), 'The list has no leads', {
			description: 'Save a lead to the list, then fetch again.',
		});
	}
	const state = stateOf();
	const known = memoryIn(state, listId);
	if (!known) {
		const { results } = await get(0, 1);
		const newestId = results.map(idOf).find(Number.isFinite) ?? 0;
		// n8n may start a poll while another one is under way: that one may have remembered a lead.
		if (!memoryIn(state, listId)) Object.assign(state, { listId, newestId, backlog: undefined });
		return [];
	}
	const { leads, rest } = await readNewLeads(get, known, isTimeUp);
	// Another poll may have delivered these leads meanwhile. In a backlog, the next poll goes on from there.
	const current = memoryIn(state, listId) ?? known;
	const isMoved = JSON.stringify(current) !== JSON.stringify(known);
	if (isMoved && (known.backlog || current.backlog || rest)) return [];
	const topId = known.backlog?.topId ?? Math.max(current.newestId, ...leads.slice(0, 1).map(idOf));
	state.newestId = rest ? current.newestId : topId;
	state.backlog = rest && { topId, ...rest };
	const unknown = leads.filter((lead) => idOf(lead) > current.newestId);
	return unknown.reverse().map(shape);
}

/** The id of a lead. One without an id counts as newer than all others, and is not delivered. */
function idOf(lead: IDataObject): number {
	return numberAt(lead, 'id') ?? Number.POSITIVE_INFINITY;
}

/** The state of this list; with another list, the trigger begins anew. */
function memoryIn(state: IDataObject, listId: string): Memory | undefined {
	const newestId = numberAt(state, 'newestId');
	if (state.listId !== listId || newestId === null) return undefined;
	const backlog = objectAt(state, 'backlog');
	const topId = numberAt(backlog, 'topId');
	const givenTo = numberAt(backlog, 'givenTo');
	if (topId === null || givenTo === null) return { newestId };
	return { newestId, backlog: { topId, givenTo, from: numberAt(backlog, 'from') } };
}

/** A page of leads, and the `start` that it was requested with. */
type PageAt = ReturnType<typeof readLeadPage> & { start: number };

/** Requests a page of leads, the first one where `start` is 0. */
type GetPage = (start: number) => Promise<PageAt>;

/**
 * Reads the leads that were not delivered yet, newest first, down to `newestId`; or until the time is up,
 * with the place of the rest. The first page is read in any case.
 */
export async function readNewLeads(
	get: GetPage,
	{ newestId, backlog }: Memory,
	isTimeUp: () => boolean,
): Promise<{ leads: IDataObject[]; rest?: Omit<Backlog, 'topId'> }> {
	const leads: IDataObject[] = [];
	let lowest = backlog?.givenTo ?? Number.POSITIVE_INFINITY;
	let next = backlog?.from ?? backlog?.givenTo ?? 0;
	let isOffset = next === backlog?.from;
	let longest = 0;
	let pagesWithoutNews = 0;
	do {
		const page: PageAt = await (isOffset ? overlappingPage(get, next, lowest) : get(next));
		const { results, start } = page;
		pagesWithoutNews++;
		for (const lead of results) {
			const id = idOf(lead);
			if (id <= newestId) return { leads };
			if (id >= lowest) continue;
			leads.push(lead);
			lowest = id;
			pagesWithoutNews = 0;
		}
		if (results.length === 0 || page.next === null) return { leads };
		next = page.next;
		// Some services end with a cursor that comes again; after a full page it is a fault.
		longest = Math.max(longest, results.length);
		if (next === start && results.length < longest) return { leads };
		if (next === start || pagesWithoutNews > MAX_PAGES_WITHOUT_NEWS) {
			throw unexpectedAnswer('new results');
		}
		// By chance an id may look like an offset.
		isOffset ||= next === start + results.length && next !== results.map(idOf).at(-1);
	} while (!isTimeUp());
	return { leads, rest: { givenTo: lowest, from: isOffset ? next : null } };
}

/**
 * The page at an offset, from the last lead that was read on. A deleted lead moves all older ones up by
 * one: then that lead is on an earlier page, which is read instead.
 */
async function overlappingPage(get: GetPage, offset: number, lowest: number): Promise<PageAt> {
	const wasRead = (lead: IDataObject) => idOf(lead) >= lowest;
	let page = await get(offset - 1);
	let step = page.results.length || 1;
	while (page.start > 0 && !page.results.some(wasRead)) {
		page = await get(Math.max(0, page.start - step));
		step *= 2;
	}
	// Only the lead that was read: the end of the list, or a service that gives one lead per page.
	const isAlone = page.results.length === 1 && page.results.every(wasRead);
	return isAlone ? await get(page.start + 1) : page;
}

/**
 * Whether a poll has no time to begin another page: 60 % of the time that n8n gives it. n8n needs the rest
 * to start the workflow and to store the state. n8n 1 gives a poll all the time that it takes.
 */
function pollTime(context: IPollFunctions): () => boolean {
	// n8n 1 has no such method, though the types of n8n 2 say that it is always there.
	const budget =
		'getPollBudgetMs' in context ? context.getPollBudgetMs() : Number.POSITIVE_INFINITY;
	const end = Date.now() + 0.6 * budget;
	return () => Date.now() >= end;
}
