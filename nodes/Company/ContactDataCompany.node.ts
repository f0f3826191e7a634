import type { INodeType, INodeTypeDescription } from 'n8n-workflow';
import { customOperations } from '../shared/operation';
import { getLeads } from './operations/getLeads.operation';
import { search } from './operations/searchCompany.operation';
import { nodeDefaults, subtitleOf } from '../shared/editor/description';

const operations = [search, getLeads];

export class ContactDataCompany implements INodeType {
	description: INodeTypeDescription = {
		...nodeDefaults('Contact Data Company', 'company', operations),
		name: 'contactDataCompany',
		icon: { light: 'file:../../icons/company.svg', dark: 'file:../../icons/company.dark.svg' },
		subtitle: subtitleOf(operations),
		description:
			'Look up companies and the people who work there. Searches cost credits per match; listing people may too.',
		usableAsTool: true,
		builderHint: {
			searchHint:
				'Looks up companies (search) and the people who work there (getLeads). Costs credits. A company found stands in the field companyData of its item.',
		},
	};

	customOperations = customOperations('company', operations);
}
