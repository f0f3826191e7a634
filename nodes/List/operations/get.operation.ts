import { simple } from '../../shared/fields';
import { checkListId, listLocator, listUrl } from '../../shared/listLocator';
import { simplifyList } from '../../shared/lists';
import type { Operation } from '../../shared/operation';
import { objectsIn } from '../../shared/request/answer';
import { read } from '../../shared/request/requestPath';

/** Get List (interface specification 4.2): name, date and number of leads. Costs no credits. */
export const get: Operation = {
	option: {
		name: 'Get List',
		value: 'get',
		action: 'Get a list',
		description: 'Get the name, date and number of leads of a saved list. Costs no credits.',
		routing: {
			request: { method: 'GET' },
			send: { paginate: true },
			operations: {
				pagination: read(async ({ text, get }) => {
					checkListId(text('listId'));
					return { results: objectsIn([await get({})], 'a list'), simplify: simplifyList };
				}),
			},
		},
	},
	fields: [{ ...listLocator, routing: { request: { url: listUrl() } } }, simple],
};
