import { NodeConnectionTypes, type INodeType, type INodeTypeDescription } from 'n8n-workflow';

import { searchLists } from '../shared/listLocator';
import { nodeDefaults, operationProperties } from '../shared/operation';
import { exportLeads } from './operations/exportLeads.operation';
import { get } from './operations/get.operation';
import { getAll } from './operations/getAll.operation';
import { getLeads } from './operations/getLeads.operation';

export class ContactDataList implements INodeType {
	description: INodeTypeDescription = {
		...nodeDefaults,
		displayName: 'Contact Data List',
		name: 'contactDataList',
		icon: { light: 'file:../../icons/list.svg', dark: 'file:../../icons/list.dark.svg' },
		group: ['input'],
		version: 1,
		subtitle: '={{ $parameter["operation"] }}',
		description: 'Read saved lists and their leads',
		defaults: { name: 'Contact Data List' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		properties: operationProperties('list', [getAll, get, getLeads, exportLeads]),
	};

	methods = { listSearch: { searchLists } };
}
