import { optionsField, queryField, returnAllOrLimit, simple } from '../../shared/editor/fields';
import { readOperation } from '../../shared/editor/operation';
import { listLocatorFor, readLeadPage, simplifyListLead, toListId } from '../../shared/reads/lists';
import { collectPages, type Pages } from '../../shared/reads/pages';
import { textAt } from '../../shared/values/json';
import { toText } from '../../shared/values/text';

/** The leads that the option Email wants; without an entry, all of them. */
const emailFilters = new Map<string, Pages['wants']>([
	['with', (lead) => textAt(lead, 'email') !== null],
	['without', (lead) => textAt(lead, 'email') === null],
]);

/** Get List Leads (interface specification 4.3): the leads of a list, newest first. No credits. */
export const getLeads = readOperation({
	option: {
		name: 'Get List Leads',
		value: 'getLeads',
		action: 'Get leads from list',
		description: 'Get the leads saved to a list, newest first. Costs no credits.',
		routing: { request: { method: 'GET' } },
		builderHint: {
			propertyHint:
				'For most flows: pages of leads, newest first, with the email if there is one. Set Return All for the whole list. Use exportLeads for job titles and company data.',
		},
	},
	tool: 'Get leads saved to a list, newest first, with the email if there is one. Needs the ID of the list. Costs no credits.',
	fields: [
		listLocatorFor('/leads'),
		...returnAllOrLimit,
		simple,
		optionsField([
			{
				displayName: 'Email',
				name: 'email',
				type: 'options',
				default: 'all',
				options: [
					{ name: 'All Leads', value: 'all' },
					{ name: 'Only with Email', value: 'with' },
					{ name: 'Only without Email', value: 'without' },
				],
				description: 'Which leads to return',
			},
			queryField({
				displayName: 'Keyword',
				name: 'keyword',
				placeholder: 'e.g. acme',
				description: 'Only leads with this word in name, email, title, website or company',
				routing: { send: { type: 'query', property: 'kw' } },
			}),
		]),
	],
	async read({ fields, limit, client, parameter, get }) {
		toListId(fields.listId);
		const kw = toText(fields.kw) || undefined;
		const pages: Pages = {
			pageSize: client.connection.settings.listPageSize,
			idOf: ({ id }) => id,
			wants: emailFilters.get(toText(parameter('options.email'))),
			fetch: async (size, start) => readLeadPage(await get({ kw, size, start }), kw !== undefined),
		};
		const collected = await collectPages(pages, limit);
		return { ...collected, simplify: simplifyListLead };
	},
});
