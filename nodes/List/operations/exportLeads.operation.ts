import type { IDataObject } from 'n8n-workflow';
import { simple } from '../../shared/editor/fields';
import { readOperation } from '../../shared/operation';
import { listLocator } from '../../shared/reads/lists';
import { emailOption, LIST_PATH, wantsLead } from '../leads';
import { objectsIn } from '../../shared/http/response';
import { emailAt } from '../../shared/values/email';
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
		routing: { request: { method: 'GET', url: `${LIST_PATH}/data` } },
	},
	tool: 'Get all leads of a saved list at once, with job title and company. The result can be long. Needs the ID of the list. Costs no credits.',
	cost: 'free',
	columns: Object.keys(simplifyExportedLead({})),
	fields: [listLocator, simple],
	options: [emailOption],
	async read({ parameter, get }) {
		const emailOnly = parameter('options.email') === 'with';
		const leads = objectsIn(await get({ emailOnly }), 'leads');
		return {
			results: leads.filter(wantsLead(parameter) ?? Boolean),
			simplify: simplifyExportedLead,
		};
	},
});

/** The fields of a lead of the export with Simplify (interface specification 2.5). */
export function simplifyExportedLead(lead: IDataObject): IDataObject {
	const firstName = textAt(lead, 'first_n');
	const lastName = textAt(lead, 'last_n', 'last_nd');
	return {
		fullName: [firstName, lastName].filter(Boolean).join(' ') || null,
		firstName,
		lastName,
		email: emailAt(lead),
		title: textAt(lead, 'title'),
		company: textAt(lead, 'company'),
		domain: textAt(lead, 'domain'),
		location: textAt(lead, 'location'),
		companyIndustry: textAt(lead, 'company_industry'),
		profileUrl: withScheme(textAt(lead, 'network_url', 'linkedin_url')),
	};
}
