import { optionsField, returnAllOrLimit, simple } from '../../shared/description/fields';
import { readOperation } from '../../shared/description/operation';
import { readLeadPage, simplifyListLead } from '../../shared/leads/leads';
import { listLocatorFor, toListId } from '../../shared/leads/listLocator';
import { collectPages, type Pages } from '../../shared/reading/pages';
import { toText } from '../../shared/values/text';

/** Get List Leads (interface specification 4.3): the leads of a list, newest first. No credits. */
export const getLeads = readOperation({
	option: {
		name: 'Get List Leads',
		value: 'getLeads',
		action: 'Get leads from list',
		description: 'Get the leads saved to a list, newest first. Costs no credits.',
		routing: { request: { method: 'GET' } },
	},
	fields: [
		listLocatorFor('/leads'),
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
		]),
	],
	async read({ fields, limit, settings, get }) {
		toListId(fields.listId);
		const kw = toText(fields.kw) || undefined;
		const pages: Pages = {
			pageSize: settings.listPageSize,
			idOf: ({ id }) => id,
			fetch: async (size, cursor) =>
				readLeadPage(await get({ kw, size, start: cursor }), kw !== undefined),
		};
		return { ...(await collectPages(pages, limit)), simplify: simplifyListLead };
	},
});
