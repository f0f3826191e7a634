import type { INodeType, INodeTypeDescription } from 'n8n-workflow';
import { customOperations } from '../shared/operation';
import { getLeads } from './operations/getLeads.operation';
import { search } from './operations/searchCompany.operation';
import { nodeDefaults, pattern, related, subtitleOf } from '../shared/editor/description';

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
			relatedNodes: [related('Finder', 'Finds the emails of people who came without one')],
			...pattern(
				'Add the company to each lead, for 100 credits at most',
				'Company',
				'searchCompanies',
				`name: 'Search Companies',
    parameters: {
      operation: 'searchCompany',
      // The website, else the name of the company, is recognized. For uncommon names: leadFields: 'manual', with keyword.
      options: { maxCredits: 100 },
    },
    // companyData.status: found, not_found; without a result invalid_input, not_processed or failed, with reason and message.
    output: [{ Website: 'acme.com', companyData: { status: 'found', name: 'Acme Inc', domain: 'acme.com', industry: 'Software', employeeCount: 120, country: 'Germany', credits: 1, checkedAt: '2026-11-23T09:00:00.000Z' } }],`,
			),
		},
	};

	customOperations = customOperations('company', operations);
}
