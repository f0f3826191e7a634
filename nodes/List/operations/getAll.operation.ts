import { returnAllOrLimit, simple } from '../../shared/fields';
import { LISTS_PATH, readLists, simplifyList } from '../../shared/lists';
import type { Operation } from '../../shared/operation';
import { read } from '../../shared/request/requestPath';

const OPERATION = 'getAll';

/** Get Many Lists (interface specification 4.2, its variant): one item per list. Costs no credits. */
export const getAll: Operation = {
	option: {
		name: 'Get Many Lists',
		value: OPERATION,
		action: 'Get many lists',
		description: 'Get the saved lists of the account, without their leads. Costs no credits.',
		routing: {
			request: { method: 'GET', url: LISTS_PATH },
			send: { paginate: true },
			operations: {
				pagination: read(async ({ get, limit }) => {
					const lists = await readLists(async (path) => await get({}, path));
					return { results: lists.slice(0, limit), simplify: simplifyList };
				}),
			},
		},
	},
	fields: [...returnAllOrLimit, simple],
};
