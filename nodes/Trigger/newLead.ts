import { NodeOperationError, type IDataObject, type IPollFunctions } from 'n8n-workflow';

import { leadPages, simplifyListLead } from '../shared/leads/leads';
import { toListId } from '../shared/leads/listLocator';
import { LISTS_PATH } from '../shared/leads/lists';
import { stopError } from '../shared/outcomes/onError';
import { problemOf } from '../shared/outcomes/problem';
import { collectPages, type Collected, type Pages } from '../shared/reading/pages';
import { withRun } from '../shared/sending/runs';
import { numberAt } from '../shared/values/json';
import { toText } from '../shared/values/text';

/** How many leads a manual run shows. */
const SAMPLES = 5;

/** What is remembered between two polls. */
interface State {
	/** The list that it holds for; with another one, remembering begins again. */
	listId?: unknown;
	/** The highest id that was seen. Leads get ever higher ids (interface specification 4.3). */
	newestId?: unknown;
}

/**
 * The leads saved since the last poll, oldest first, however many pages they fill. The first poll
 * remembers the newest lead and gives nothing. What is remembered moves on only after all pages were
 * read, so a poll that ends half-way loses nothing and gives nothing twice; nor do two polls at the
 * same time.
 *
 * A manual run gives up to five recent leads and remembers nothing.
 */
export async function pollNewLeads(context: IPollFunctions): Promise<IDataObject[]> {
	const listId = toText(context.getNodeParameter('listId', '', { extractValue: true }));
	const shape = context.getNodeParameter('simple', true) === true ? simplifyListLead : asSent;
	if (context.getMode() === 'manual') {
		const { results } = await readLeads(context, listId, SAMPLES);
		if (results.length > 0) return results.map(shape);
		throw new NodeOperationError(context.getNode(), 'The list has no leads', {
			description: 'Save a lead to the list, then fetch again.',
		});
	}
	const state: State = context.getWorkflowStaticData('node');
	const known = newestSeen(state, listId);
	// The first poll only looks for the newest lead, which comes first.
	const { results } = await readLeads(context, listId, known === undefined ? 1 : undefined, known);
	// n8n starts a poll also while another is under way, which may have remembered or given these leads.
	const seen = newestSeen(state, listId);
	if (known === undefined && seen !== undefined) return [];
	const given = seen ?? 0;
	const leads = results.filter(({ id }) => (idOf(id) ?? 0) > given);
	state.listId = listId;
	state.newestId = leads.reduce((newest, { id }) => Math.max(newest, idOf(id) ?? 0), given);
	return known === undefined ? [] : leads.reverse().map(shape);
}

function newestSeen(state: State, listId: string): number | undefined {
	return state.listId === listId ? idOf(state.newestId) : undefined;
}

/** The newest leads of a list, down to the last one that is known. */
async function readLeads(
	context: IPollFunctions,
	listId: string,
	limit?: number,
	known = 0,
): Promise<Collected> {
	try {
		const url = `${LISTS_PATH}/${toListId(listId)}/leads`;
		const until: Pages['until'] = ({ id }) => (idOf(id) ?? Number.POSITIVE_INFINITY) <= known;
		const collected = await withRun(context, async (run) => {
			const get = async (qs: IDataObject) => await run.send({ method: 'GET', url, qs });
			return await collectPages({ ...leadPages(get, run.connection.settings), until }, limit);
		});
		if (collected.incomplete) throw collected.incomplete;
		return collected;
	} catch (error) {
		throw stopError(context.getNode(), problemOf(error));
	}
}

function idOf(id: unknown): number | undefined {
	return numberAt({ id: toText(id) }, 'id') ?? undefined;
}

function asSent(lead: IDataObject): IDataObject {
	return lead;
}
