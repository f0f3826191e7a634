import type { INodeType, INodeTypeDescription } from 'n8n-workflow';

import { customOperations, nodeDefaults, operationSubtitle } from '../shared/editor/operation';
import { getLeads } from './operations/getLeads.operation';
import { search } from './operations/search.operation';

const operations = [search, getLeads];

/** Looks up companies, and the people who work there. */
export class ContactDataCompany implements INodeType {
	description: INodeTypeDescription = {
		...nodeDefaults('company', operations),
		displayName: 'Contact Data Company',
		name: 'contactDataCompany',
		icon: { light: 'file:../../icons/company.svg', dark: 'file:../../icons/company.dark.svg' },
		subtitle: operationSubtitle(operations),
		description:
			'Look up companies and the people who work there. Search costs credits if there is a match; people may cost credits.',
		defaults: { name: 'Contact Data Company' },
		usableAsTool: true,
		builderHint: {
			searchHint:
				'Looks up companies (search) and the people who work there (getLeads). Costs credits. Put Result in Field keeps the fields of CRM items unchanged.',
			relatedNodes: [
				{
					nodeType: 'n8n-nodes-contact-data.contactDataFinder',
					relationHint: 'Finds the emails of people who came without one',
				},
			],
		},
	};

	customOperations = customOperations('company', operations);
}
