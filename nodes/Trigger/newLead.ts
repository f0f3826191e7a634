import { type IDataObject, type IPollFunctions, NodeOperationError, sleep } from 'n8n-workflow';
import { withClient } from '../shared/client/accounts';
import { notice } from '../shared/editor/fields';
import { stopError } from '../shared/output/onError';
import { problemOf } from '../shared/output/problem';
import {
	leadId,
	LeadPages,
	listLocator,
	LISTS_PATH,
	type Place,
	simplifyListLead,
	toListId,
} from '../shared/reads/lists';
import { type Collected, collectPages, type TimeLimit } from '../shared/reads/pages';
import { isObject, numberAt } from '../shared/values/json';
import { toText } from '../shared/values/text';
import { stateOf, type TriggerEvent } from './event';

/** How many leads a manual run shows. */
const SAMPLES = 5;

/** On New Lead in List: each lead that is saved to a list, once. Free. */
export const newLead: TriggerEvent = {
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
	poll: pollNewLeads,
};

/** What is remembered between two polls of one list. Leads get ever higher ids (interface specification 4.3). */
interface Memory {
	/** This lead and all with lower ids are done. */
	newestId: number;
	/** The rest of what was too much for one poll. */
	backlog?: Backlog;
}

/** Leads above the newest one that is done, of which the newer part was given. */
interface Backlog {
	/** The newest lead of the backlog: all newer ones come after it. */
	topId: number;
	/** The oldest lead given so far. */
	givenTo: number;
	/** Where the rest was, for a service that takes `start` for an offset. */
	from?: number;
}

/** What was read, how far, and whether there was no time to read all of it. */
interface Reading extends Collected {
	nextOffset: number | undefined;
}

/**
 * The leads saved since the last poll (interface specification 4.3), oldest first, however many pages they
 * fill. The first poll remembers the newest lead and gives nothing. What is remembered moves on only with
 * the leads that are given, so a poll that fails half-way loses nothing and gives nothing twice; nor do
 * two polls at the same time.
 *
 * Pages come newest first. Where the time that n8n gives a poll ends before all are read, the poll gives
 * what it has, and the next ones the rest, before they look for newer leads.
 *
 * A manual run gives up to five recent leads and remembers nothing.
 */
async function pollNewLeads(context: IPollFunctions): Promise<IDataObject[]> {
	const time = pollBudget(context);
	const listId = toText(context.getNodeParameter('listId', '', { extractValue: true }));
	const shape = context.getNodeParameter('simple', true) === true ? simplifyListLead : asSent;
	if (context.getMode() === 'manual') {
		const { results } = await readLeads(context, listId, { limit: SAMPLES });
		if (results.length > 0) return results.map(shape);
		throw new NodeOperationError(context.getNode(), 'The list has no leads', {
			description: 'Save a lead to the list, then fetch again.',
		});
	}
	const state = stateOf(context, ['listId', 'newestId', 'backlog']);
	const known = memoryIn(state, listId);
	const reading = await readLeads(context, listId, {
		// The first poll only looks for the newest lead, which comes first.
		...(known ? { time } : { limit: 1 }),
		known: known?.newestId,
		from: known?.backlog && { id: known.backlog.givenTo, offset: known.backlog.from },
	});
	// n8n starts a poll also while another is under way, which may have remembered or given these leads.
	const current = memoryIn(state, listId);
	if (!known && current) return [];
	const isOthersTurn =
		(known?.backlog || current?.backlog || reading.isCutByTime) && !isSame(known, current);
	// That poll goes on from where it has got to; what was read here comes again.
	if (isOthersTurn) return [];
	const { leads, memory } = following(current ?? { newestId: 0 }, reading);
	state.listId = listId;
	state.newestId = memory.newestId;
	if (memory.backlog) state.backlog = { ...memory.backlog };
	else if (state.backlog !== undefined) delete state.backlog;
	return known ? leads.reverse().map(shape) : [];
}

/** The leads that were not given yet, newest first, and what is remembered with them. */
function following(
	{ newestId, backlog }: Memory,
	{ results, isCutByTime, nextOffset }: Reading,
): { leads: IDataObject[]; memory: Memory } {
	const givenFrom = backlog?.givenTo ?? Number.POSITIVE_INFINITY;
	// What is newer than the first lead came while the list was read: it is for the next poll.
	const topId = backlog?.topId ?? Math.max(newestId, leadId(results[0] ?? {}) ?? newestId);
	const idOf = (lead: IDataObject) => leadId(lead) ?? 0;
	const leads = results
		.filter((lead) => idOf(lead) > newestId && idOf(lead) < givenFrom && idOf(lead) <= topId)
		.toSorted((a, b) => idOf(b) - idOf(a));
	const ids = leads.map(idOf);
	if (!isCutByTime) return { leads, memory: { newestId: topId } };
	const givenTo = ids.reduce((lowest, id) => Math.min(lowest, id), givenFrom);
	// Nothing to go on from: the next poll begins again.
	if (givenTo === Number.POSITIVE_INFINITY) return { leads, memory: { newestId } };
	const from = nextOffset === undefined ? {} : { from: nextOffset };
	return { leads, memory: { newestId, backlog: { topId, givenTo, ...from } } };
}

/** What is remembered of this list; with another one, remembering begins again. */
function memoryIn(state: IDataObject, listId: string): Memory | undefined {
	const newestId = numberAt(state, 'newestId');
	if (state.listId !== listId || newestId === null) return undefined;
	const backlog = isObject(state.backlog) ? state.backlog : {};
	const topId = numberAt(backlog, 'topId');
	const givenTo = numberAt(backlog, 'givenTo');
	if (topId === null || givenTo === null) return { newestId };
	return { newestId, backlog: { topId, givenTo, from: numberAt(backlog, 'from') ?? undefined } };
}

function isSame(one: Memory | undefined, other: Memory | undefined): boolean {
	return (
		one?.newestId === other?.newestId &&
		one?.backlog?.givenTo === other?.backlog?.givenTo &&
		one?.backlog?.from === other?.backlog?.from
	);
}

/** What to read of a list. */
interface Part {
	limit?: number;
	/** The newest lead that is done: neither it nor an older one is read. */
	known?: number;
	/** How far the list was read before. */
	from?: Place;
	time?: TimeLimit;
}

/** The newest leads of a list, or those after what was read before, down to the last one that is done. */
async function readLeads(
	context: IPollFunctions,
	listId: string,
	{ limit, known = 0, from, time }: Part,
): Promise<Reading> {
	try {
		const url = `${LISTS_PATH}/${toListId(listId)}/leads`;
		const reading = await withClient(context, async (client) => {
			const get = async (qs: IDataObject) => await client.get(url, qs);
			const leads = new LeadPages(get, client.connection.settings, { from, overlaps: true });
			const isDone = (lead: IDataObject) => (leadId(lead) ?? Number.POSITIVE_INFINITY) <= known;
			const collected = await collectPages({ ...leads, until: isDone, time }, limit);
			return { ...collected, nextOffset: leads.nextOffset };
		});
		if (reading.incomplete) throw reading.incomplete;
		return reading;
	} catch (error) {
		throw stopError(context.getNode(), problemOf(error));
	}
}

function asSent(lead: IDataObject): IDataObject {
	return lead;
}

/**
 * How much of its time a poll reads: no page is begun after the first part, none is waited for after the
 * second. The rest is for n8n, which starts the workflow and stores what is remembered.
 */
const BEGINS = 0.6;
const WAITS = 0.8;

/**
 * The time that n8n gives this poll to read, from now on; none with n8n 1, which gives a poll all the
 * time that it takes.
 */
export function pollBudget(context: IPollFunctions): TimeLimit | undefined {
	// n8n 1 has no such method, though the types of n8n 2 say that it is always there.
	const budget = 'getPollBudgetMs' in context ? context.getPollBudgetMs() : undefined;
	if (budget === undefined || !Number.isFinite(budget)) return undefined;
	const start = Date.now();
	let wait: Promise<void> | undefined;
	return {
		isUp: () => Date.now() - start >= budget * BEGINS,
		up: async () => await (wait ??= sleep(Math.max(0, start + budget * WAITS - Date.now()))),
	};
}
