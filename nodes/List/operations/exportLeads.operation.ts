import type { IDataObject } from 'n8n-workflow';

import { simple } from '../../shared/fields';
import { checkListId, listLocator, listUrl } from '../../shared/listLocator';
import type { Operation } from '../../shared/operation';
import { objectsIn } from '../../shared/request/answer';
import { read } from '../../shared/request/requestPath';
import { textAt } from '../../shared/values/json';
import { withScheme } from '../../shared/values/url';

/** Export List Leads (interface specification 4.4): all leads in one request. Costs no credits. */
export const exportLeads: Operation = {
	option: {
		name: 'Export List Leads',
		value: 'exportLeads',
		action: 'Export leads of a list',
		description:
			'Get all leads of a list in one request, with job title and company. Costs no credits.',
		routing: {
			request: { method: 'GET' },
			send: { paginate: true },
			operations: {
				pagination: read(async ({ fields, text, get }) => {
					checkListId(text('listId'));
					const results = objectsIn(await get(fields), 'a list of leads');
					return { results, simplify: simplifyExportedLead };
				}),
			},
		},
	},
	fields: [
		{ ...listLocator, routing: { request: { url: listUrl('/data') } } },
		{
			displayName: 'Only with Email',
			name: 'emailOnly',
			type: 'boolean',
			default: false,
			description: 'Whether to leave out the leads that have no email',
			routing: { send: { type: 'query', property: 'emailOnly' } },
		},
		simple,
	],
};

/** A lead of the export in the package's words (2.5). */
export function simplifyExportedLead(lead: IDataObject): IDataObject {
	return {
		firstName: textAt(lead, 'first_n'),
		lastName: textAt(lead, 'last_n', 'last_nd'),
		email: textAt(lead, 'email'),
		title: textAt(lead, 'title'),
		location: textAt(lead, 'location'),
		company: textAt(lead, 'company'),
		domain: textAt(lead, 'domain'),
		companyIndustry: textAt(lead, 'company_industry'),
		profileUrl: withScheme(textAt(lead, 'network_url')),
	};
}
