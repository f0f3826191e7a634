import {
	NodeConnectionTypes,
	type IDataObject,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
	type IPollFunctions,
} from 'n8n-workflow';

import { simple } from '../shared/description/fields';
import { listLocator, searchLists } from '../shared/leads/listLocator';
import { CREDENTIAL } from '../shared/n8n/credential';
import { pollNewLeads } from './newLead';

const newLead = {
	name: 'On New Lead in List',
	value: 'newLead',
	action: 'On new lead in list',
	description: 'When leads are added to the list. Each lead is delivered once, oldest first.',
};

/** Starts a workflow when leads are saved in a list; n8n asks for them at the times the user set. */
export class ContactDataTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Contact Data Trigger',
		name: 'contactDataTrigger',
		icon: { light: 'file:../../icons/trigger.svg', dark: 'file:../../icons/trigger.dark.svg' },
		group: ['trigger'],
		version: 1,
		subtitle: newLead.name,
		description: 'Starts the workflow when leads are saved to a list. Costs no credits.',
		defaults: { name: 'Contact Data Trigger' },
		polling: true,
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: CREDENTIAL, required: true }],
		properties: [
			{
				displayName: 'Event',
				name: 'event',
				type: 'options',
				noDataExpression: true,
				options: [newLead],
				default: 'newLead',
			},
			listLocator,
			simple,
		],
	};

	methods = { listSearch: { searchLists } };

	async poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
		const leads: IDataObject[] = await pollNewLeads(this);
		return leads.length === 0 ? null : [leads.map((json) => ({ json }))];
	}
}
