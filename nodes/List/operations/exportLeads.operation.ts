import type { IDataObject } from 'n8n-workflow';

import { simple } from '../../shared/editor/fields';
import { readOperation } from '../../shared/editor/operation';
import { listLocatorFor, toListId } from '../../shared/reads/lists';
import { objectsIn } from '../../shared/http/response';
import { textAt } from '../../shared/values/json';
import { withScheme } from '../../shared/values/text';

/** Export List Leads (interface specification 4.4): all leads in one request. Costs no credits. */
export const exportLeads = readOperation({
	option: {
		name: 'Export List Leads',
		value: 'exportLeads',
		action: 'Export leads from list',
		description:
			'Get all leads of a list in one request, with job title and company. Costs no credits.',
		routing: { request: { method: 'GET' } },
	},
	tool: 'Get all leads of a saved list at once, with job title and company. The result can be long. Needs the ID of the list. Costs no credits.',
	fields: [
		listLocatorFor('/data'),
		{
			displayName: 'Only with Email',
			name: 'emailOnly',
			type: 'boolean',
			default: false,
			description: 'Whether to return only leads that have an email',
			routing: { send: { type: 'query', property: 'emailOnly' } },
		},
		simple,
	],
	async read({ fields, get }) {
		toListId(fields.listId);
		const results = objectsIn(await get({ emailOnly: fields.emailOnly === true }), 'leads');
		return { results, simplify: simplifyExportedLead };
	},
});

/** The fields of a lead of the export with Simplify (interface specification 2.5). */
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
