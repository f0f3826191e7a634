import type { INodeType, INodeTypeDescription } from 'n8n-workflow';
import { searchLists } from '../shared/reads/listLocator';
import { customOperations } from '../shared/operation';
import { exportLeads } from './operations/exportLeads.operation';
import { get } from './operations/get.operation';
import { getAll } from './operations/getAll.operation';
import { getLeads } from './operations/getLeads.operation';
import { nodeDefaults, subtitleOf } from '../shared/editor/description';

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
		},
	};

	methods = { listSearch: { searchLists } };
	customOperations = customOperations('list', operations);
}
