import { listIn, simplifyList } from '../../shared/api/lists';
import { simple } from '../../shared/editor/fields';
import { readOperation } from '../../shared/operation';
import { listLocator } from '../../shared/reads/listLocator';
import { CHOSEN_LIST } from '../leads';

/** Get List (interface specification 4.2): name, date and number of leads. Costs no credits. */
export const get = readOperation({
	option: {
		name: 'Get List',
		value: 'get',
		action: 'Get list',
		description: 'Get the name, date and number of leads of a saved list. Costs no credits.',
		routing: { request: { method: 'GET', url: `=${CHOSEN_LIST.list}` } },
	},
	tool: 'Get the name, date and number of leads of a saved list. Needs the ID of the list. Costs no credits.',
	cost: 'free',
	columns: Object.keys(simplifyList({})),
	fields: [listLocator],
	options: [simple],
	read: async ({ get }) => ({
		results: [listIn(await get({}))],
		simplify: simplifyList,
	}),
});
