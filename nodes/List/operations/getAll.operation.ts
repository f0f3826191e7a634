import { LISTS_PATH, readLists, simplifyList } from '../../shared/api/lists';
import { returnAllOrLimit, simple } from '../../shared/editor/fields';
import { readOperation } from '../../shared/operation';

/** A constant, because n8n's lint wants the label "Get Many" for the literal value. */
const OPERATION = 'getAll';

/** Get Many Lists (interface specification 4.2, its variant): one item per list. Costs no credits. */
export const getAll = readOperation({
	option: {
		name: 'Get Many Lists',
		value: OPERATION,
		action: 'Get many lists',
		description: 'Get the saved lists of the account, without their leads. Costs no credits.',
		routing: { request: { method: 'GET', url: LISTS_PATH } },
	},
	tool: 'Get the saved lead lists of the account, with the ID of each. Costs no credits.',
	cost: 'free',
	columns: Object.keys(simplifyList({})),
	fields: returnAllOrLimit,
	options: [simple],
	read: async ({ client, limit }) => ({
		results: (await readLists(client)).slice(0, limit),
		simplify: simplifyList,
	}),
});
