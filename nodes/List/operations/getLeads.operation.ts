import { optionsField, returnAllOrLimit, simple } from '../../shared/fields';
import { readLeadPage, simplifyListLead } from '../../shared/leads';
import { checkListId, listLocator, listUrl } from '../../shared/listLocator';
import type { Operation } from '../../shared/operation';
import { collectPages, type Pages } from '../../shared/request/pages';
import { read } from '../../shared/request/requestPath';
import { numberAt } from '../../shared/values/json';
import { toText } from '../../shared/values/text';

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
