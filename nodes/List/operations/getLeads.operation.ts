import type { IDataObject } from 'n8n-workflow';

import { optionsField, returnAllOrLimit, simple } from '../../shared/fields';
import { checkListId, listLocator, listUrl } from '../../shared/listLocator';
import type { Operation } from '../../shared/operation';
import { collectPages, type Pages } from '../../shared/request/pages';
import { read } from '../../shared/request/requestPath';
import { numberAt, textAt } from '../../shared/values/json';
import { toEmailStatus } from '../../shared/values/emailStatus';
import { toText } from '../../shared/values/text';
import { withScheme } from '../../shared/values/url';
import { readLeadPage } from '../leadPage';

/** Get List Leads (interface specification 4.3): the leads of a list, newest first. No credits. */
export const getLeads: Operation = {
	option: {
		name: 'Get List Leads',
		value: 'getLeads',
		action: 'Get leads of a list',
		description: 'Get the leads saved in a list, newest first. Costs no credits.',
		routing: {
			request: { method: 'GET' },
			send: { paginate: true },
			operations: {
				pagination: read(async ({ fields, limit, settings, text, get }) => {
					checkListId(text('listId'));
					const kw = toText(fields.kw) || undefined;
					const pages: Pages = {
						start: numberAt(fields, 'start') ?? undefined,
						pageSize: settings.listPageSize,
						idOf: ({ id }) => id,
						fetch: async (size, cursor) =>
							readLeadPage(await get({ kw, size, start: cursor }), kw !== undefined),
					};
					return { ...(await collectPages(pages, limit)), simplify: simplifyListLead };
				}),
			},
		},
	},
	fields: [
		{ ...listLocator, routing: { request: { url: listUrl('/leads') } } },
		...returnAllOrLimit,
		simple,
		optionsField([
			{
				displayName: 'Keyword',
				name: 'keyword',
				type: 'string',
				default: '',
				placeholder: 'e.g. acme',
				description: 'Only leads with this word in name, email, title, website or company',
				routing: { send: { type: 'query', property: 'kw' } },
			},
			{
				displayName: 'Start',
				name: 'start',
				type: 'number',
				default: 0,
				description:
					'Where to go on reading a list that is too large for one item: the number that the message of the earlier run gives. 0 starts with the newest lead.',
				routing: {
					send: { type: 'query', property: 'start', value: '={{ $value || undefined }}' },
				},
			},
		]),
	],
};

/** A lead of a list in the package's words (2.4, with the spellings of its variant). */
export function simplifyListLead(lead: IDataObject): IDataObject {
	return {
		id: numberAt(lead, 'id'),
		name: textAt(lead, 'name'),
		firstName: textAt(lead, 'first_n'),
		lastName: textAt(lead, 'last_n', 'last_nd'),
		email: textAt(lead, 'email'),
		emailStatus: toEmailStatus(textAt(lead, 'email_status')),
		profileUrl: withScheme(textAt(lead, 'network_url')),
		location: textAt(lead, 'location'),
		domain: textAt(lead, 'domain'),
		companyIndustry: textAt(lead, 'company_industry'),
		companyFounded: textAt(lead, 'company_founded', 'compnay_founded'),
		companySize: numberAt(lead, 'company_size'),
		companyHeadquarters: textAt(lead, 'company_hq'),
	};
}
