import {
	NodeConnectionTypes,
	updateDisplayOptions,
	type IDataObject,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
	type IPollFunctions,
} from 'n8n-workflow';

import { withClient } from '../shared/client/accounts';
import { simple } from '../shared/editor/fields';
import { CREDENTIAL } from '../shared/host/context';
import { NotProcessed, ServiceError } from '../shared/http/errors';
import { stopError } from '../shared/output/onError';
import { InvalidInput, problemOf } from '../shared/output/problem';
import { searchLists } from '../shared/reads/lists';
import { lowCredits } from './lowCredits';
import { newLead } from './newLead';

/** The events, each with its entry in the menu, its fields, the keys of its state, and its poll. */
const events = [lowCredits, newLead];
const labels = Object.fromEntries(events.map(({ option }) => [option.value, option.name]));

/**
 * Starts a workflow when leads are saved in a list, or when credits run low. n8n polls at the times that the
 * user sets.
 */
export class ContactDataTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Contact Data Trigger',
		name: 'contactDataTrigger',
		icon: { light: 'file:../../icons/trigger.svg', dark: 'file:../../icons/trigger.dark.svg' },
		group: ['trigger'],
		version: 1,
		subtitle: `={{ (${JSON.stringify(labels)})[$parameter.event] }}`,
		description:
			'Starts the workflow when leads are saved to a list, or when credits run low. Costs no credits.',
		defaults: { name: 'Contact Data Trigger' },
		polling: true,
		builderHint: {
			searchHint:
				'Polls. newLead starts the workflow with each new lead of a saved list, once; lowCredits when the remaining credits fall below a threshold.',
			relatedNodes: [
				{
					nodeType: 'n8n-nodes-contact-data.contactDataFinder',
					relationHint: 'Finds the email of a new lead',
				},
			],
		},
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: CREDENTIAL, required: true }],
		properties: [
			{
				displayName: 'Event',
				name: 'event',
				type: 'options',
				noDataExpression: true,
				options: events.map(({ option }) => option),
				default: 'newLead',
			},
			...events.flatMap(({ option, fields }) =>
				updateDisplayOptions({ show: { event: [option.value] } }, fields),
			),
			simple,
		],
	};

	methods = { listSearch: { searchLists } };

	async poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
		const value = this.getNodeParameter('event', newLead.option.value);
		const { keys, poll } = events.find(({ option }) => option.value === value) ?? newLead;
		const state = () => stateOf(this, keys);
		try {
			const found = await withClient(this, async (client) => await poll(this, client, state));
			return found.length === 0 ? null : [found.map((json) => ({ json }))];
		} catch (error) {
			const isOwn = [InvalidInput, NotProcessed, ServiceError].some((own) => error instanceof own);
			throw isOwn ? stopError(this.getNode(), problemOf(error)) : error;
		}
	}
}

/**
 * The data that n8n stores for the trigger between two polls. It drops the keys of another event, so that
 * an event that the user chooses again begins anew.
 */
function stateOf(context: IPollFunctions, keys: string[]): IDataObject {
	const state = context.getWorkflowStaticData('node');
	for (const key of Object.keys(state)) {
		if (!keys.includes(key)) delete state[key];
	}
	return state;
}
