import { simplifyExportedLead } from '../../shared/api/lists';
import { simple } from '../../shared/editor/fields';
import { readOperation } from '../../shared/operation';
import { listLocator } from '../../shared/reads/listLocator';
import { CHOSEN_LIST, emailOption, wantsLead } from '../leads';
import { objectsIn } from '../../shared/http/response';

/** Export List Leads (interface specification 4.4): all leads in one request. Costs no credits. */
export const exportLeads = readOperation({
	option: {
		name: 'Export List Leads',
		value: 'exportLeads',
		action: 'Export leads from list',
		description:
			'Get all leads of a list in one request, with job title and company. Costs no credits.',
		routing: { request: { method: 'GET', url: `=${CHOSEN_LIST.export}` } },
	},
	tool: 'Get all leads of a saved list at once, with job title and company. The result can be long. Needs the ID of the list. Costs no credits.',
	cost: 'free',
	columns: Object.keys(simplifyExportedLead({})),
	fields: [listLocator],
	options: [emailOption, simple],
	async read({ parameter, get }) {
		const emailOnly = parameter('email') === 'with';
		const leads = objectsIn(await get({ emailOnly }), 'leads');
		return {
			results: leads.filter(wantsLead(parameter) ?? Boolean),
			simplify: simplifyExportedLead,
		};
	},
});
