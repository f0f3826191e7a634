import { NodeConnectionTypes, type INodeType, type INodeTypeDescription } from 'n8n-workflow';

import { largeListHint } from '../shared/largeListHint';
import { nodeDefaults, operationProperties, operationSubtitle } from '../shared/operation';
import { getLeads } from './operations/getLeads.operation';
import { search } from './operations/search.operation';

const operations = [search, getLeads];

/** Looks up companies, and the people who work there. */
export class ContactDataCompany implements INodeType {
	description: INodeTypeDescription = {
		...nodeDefaults,
		displayName: 'Contact Data Company',
		name: 'contactDataCompany',
		icon: { light: 'file:../../icons/company.svg', dark: 'file:../../icons/company.dark.svg' },
		group: ['input'],
		version: 1,
		subtitle: operationSubtitle(operations),
		description:
			'Look up companies and the people who work there. Costs credits; the service does not publish how many.',
		defaults: { name: 'Contact Data Company' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		hints: [largeListHint(getLeads)],
		properties: operationProperties('company', operations),
	};
}
