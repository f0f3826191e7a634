import { simple } from '../../shared/editor/fields';
import { readOperation } from '../../shared/editor/operation';
import { listLocatorFor, simplifyList, toListId } from '../../shared/reads/lists';
import { objectIn } from '../../shared/http/response';

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
