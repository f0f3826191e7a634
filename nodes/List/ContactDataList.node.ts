import type { INodeType, INodeTypeDescription } from 'n8n-workflow';
import { searchLists } from '../shared/reads/listLocator';
import { customOperations } from '../shared/operation';
import { exportLeads } from './operations/exportLeads.operation';
import { get } from './operations/get.operation';
import { getAll } from './operations/getAll.operation';
import { getLeads } from './operations/getLeads.operation';
import { nodeDefaults, pattern, related, subtitleOf } from '../shared/editor/description';

const operations = [getAll, get, getLeads, exportLeads];

export class ContactDataList implements INodeType {
	description: INodeTypeDescription = {
		...nodeDefaults('Contact Data List', 'list', operations),
		name: 'contactDataList',
		icon: { light: 'file:../../icons/list.svg', dark: 'file:../../icons/list.dark.svg' },
		subtitle: subtitleOf(operations),
		description: 'Get saved lists and their leads. Costs no credits.',
		usableAsTool: true,
		builderHint: {
			searchHint:
				'Free. Reads saved lead lists: getLeads gives an item per lead with name, domain, email and company. Needs no loop for pages: set Return All.',
			relatedNodes: [
				related('Finder', 'Finds the missing emails of the leads in bulk'),
				related('Trigger', 'Starts a workflow with each new lead of a list'),
			],
			...pattern(
				'All leads of a list, for a Finder',
				'List',
				'listLeads',
				`name: 'List Leads',
    parameters: {
      operation: 'getLeads',
      listId: { __rl: true, mode: 'id', value: '101' },
      returnAll: true,
    },
    output: [{ id: 1, fullName: 'Ada Lovelace', firstName: 'Ada', lastName: 'Lovelace', email: null, emailStatus: null, domain: 'acme.com', location: 'Berlin' }],`,
			),
		},
	};

	methods = { listSearch: { searchLists } };
	customOperations = customOperations('list', operations);
}
