import { readLeadPage, simplifyListLead } from '../../shared/api/lists';
import { queryField, returnAllOrLimit, simple } from '../../shared/editor/fields';
import { readOperation } from '../../shared/operation';
import { listLocator } from '../../shared/reads/listLocator';
import { CHOSEN_LIST, emailOption, wantsLead } from '../leads';
import { collectPages, type Pages } from '../../shared/reads/pages';

/** Get List Leads (interface specification 4.3): the leads of a list, newest first. No credits. */
export const getLeads = readOperation({
	option: {
		name: 'Get List Leads',
		value: 'getLeads',
		action: 'Get leads from list',
		description: 'Get the leads saved to a list, newest first. Costs no credits.',
		routing: { request: { method: 'GET', url: `=${CHOSEN_LIST.leads}` } },
	},
	tool: 'Get leads saved to a list, newest first, with the email if there is one. Needs the ID of the list. Costs no credits.',
	cost: 'free',
	columns: Object.keys(simplifyListLead({})),
	fields: [listLocator, ...returnAllOrLimit],
	options: [
		simple,
		emailOption,
		queryField({
			displayName: 'Keyword',
			name: 'keyword',
			placeholder: 'e.g. acme',
			description: 'Only leads with this word in name, email, title, website or company',
			routing: { send: { type: 'query', property: 'kw' } },
		}),
	],
	async read({ values, limit, client, parameter, get }) {
		const kw = values.text('kw') || undefined;
		const pages: Pages = {
			pageSize: client.connection.settings.listPageSize,
			idOf: ({ id }) => id,
			wants: wantsLead(parameter),
			fetch: async (size, start) => readLeadPage(await get({ kw, size, start }), kw !== undefined),
		};
		const collected = await collectPages(pages, limit);
		return { ...collected, simplify: simplifyListLead };
	},
});
