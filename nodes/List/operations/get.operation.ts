import { simple } from '../../shared/description/fields';
import { readOperation } from '../../shared/description/operation';
import { listLocatorFor, toListId } from '../../shared/leads/listLocator';
import { simplifyList } from '../../shared/leads/lists';
import { objectIn } from '../../shared/service/response';

/** Get List (interface specification 4.2): name, date and number of leads. Costs no credits. */
export const get = readOperation({
	option: {
		name: 'Get List',
		value: 'get',
		action: 'Get list',
		description: 'Get the name, date and number of leads of a saved list. Costs no credits.',
		routing: { request: { method: 'GET' } },
	},
	tool: 'Get the name, date and number of leads of a saved list. Needs the ID of the list. Costs no credits.',
	fields: [listLocatorFor(), simple],
	async read({ fields, get }) {
		toListId(fields.listId);
		return { results: [objectIn(await get({}), 'a list')], simplify: simplifyList };
	},
});
