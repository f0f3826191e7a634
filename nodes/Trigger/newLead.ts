import { NodeOperationError, type IDataObject, type IPollFunctions } from 'n8n-workflow';

import { readLeadPage, simplifyListLead } from '../shared/leads/leads';
import { toListId } from '../shared/leads/listLocator';
import { LISTS_PATH } from '../shared/leads/lists';
import { stopError } from '../shared/outcomes/onError';
import { problemOf } from '../shared/outcomes/problem';
import { collectPages, type Collected } from '../shared/reading/pages';
import { Run } from '../shared/sending/run';
import { soleConnection } from '../shared/service/credentialReader';
import { numberAt } from '../shared/values/json';
import { toText } from '../shared/values/text';

/** How many leads a manual run shows. */
const SAMPLES = 5;

/** What is remembered between two polls. */
interface State {
	/** The list that it holds for; with another one, remembering begins anew. */
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
	let run: Run | undefined;
	try {
		const url = `${LISTS_PATH}/${toListId(listId)}/leads`;
		const current = new Run(context, await soleConnection(context));
		run = current;
		const collected = await collectPages(
			{
				pageSize: current.connection.settings.listPageSize,
				idOf: ({ id }) => id,
				until: ({ id }) => (idOf(id) ?? Number.POSITIVE_INFINITY) <= known,
				fetch: async (size, start) => {
					const request = { method: 'GET' as const, url, qs: { size, start } };
					return readLeadPage(await current.send(request), false);
				},
			},
			limit,
		);
		if (collected.incomplete) throw collected.incomplete;
		return collected;
	} catch (error) {
		throw stopError(context.getNode(), problemOf(error));
	} finally {
		run?.end();
	}
}

function idOf(id: unknown): number | undefined {
	return numberAt({ id: toText(id) }, 'id') ?? undefined;
}

function asSent(lead: IDataObject): IDataObject {
	return lead;
}
