import { ACCOUNT_PATH, readAccount, simplifyAccount } from '../../shared/api/account';
import { simple } from '../../shared/editor/fields';
import { readOperation } from '../../shared/operation';

/** Get Account (interface specification 4.1): plan, credits and saved lists. Costs no credits. */
export const get = readOperation({
	option: {
		name: 'Get Account',
		value: 'get',
		action: 'Get account',
		description: 'Get the plan, credits and saved lists of the account. Costs no credits.',
		routing: { request: { method: 'GET', url: ACCOUNT_PATH } },
	},
	tool: "Get the account's plan, how many credits of each kind remain, and its saved lists. Costs no credits.",
	cost: 'free',
	columns: Object.keys(simplifyAccount({})),
	fields: [],
	options: [simple],
	read: async ({ client }) => ({ results: [await readAccount(client)], simplify: simplifyAccount }),
});
