import type { IDataObject } from 'n8n-workflow';

import { simple } from '../../shared/description/fields';
import { readOperation } from '../../shared/description/operation';
import { ACCOUNT_PATH } from '../../shared/leads/lists';
import { objectIn } from '../../shared/service/response';
import { isObject, numberAt, objectAt, textAt, timestampAt } from '../../shared/values/json';

/** Get Account (interface specification 4.1): plan, credits and saved lists. Costs no credits. */
export const get = readOperation({
	option: {
		name: 'Get Account',
		value: 'get',
		action: 'Get account',
		description: 'Get the plan, credits and saved lists of the account. Costs no credits.',
		routing: { request: { method: 'GET', url: ACCOUNT_PATH } },
	},
	fields: [simple],
	read: async ({ get }) => ({
		results: [objectIn(await get({}), 'an account')],
		simplify: simplifyAccount,
	}),
});

/** An account in the package's words (2.1, 2.2 and their variant). */
export function simplifyAccount(account: IDataObject): IDataObject {
	return {
		name: textAt(account, 'name'),
		email: textAt(account, 'email'),
		plan: textAt(account, 'package', 'plan'),
		renewsAt: timestampAt(account, 'packageRDate', 'expiry'),
		credits: simplifyCredits(account),
		csvImport: objectAt(account, 'options').csv_import ?? null,
		lists: Array.isArray(account.lists)
			? account.lists.filter(isObject).map((list) => ({
					id: numberAt(list, 'id'),
					name: textAt(list, 'name'),
					path: textAt(list, 'path'),
				}))
			: null,
	};
}

/** Quota, used and remaining per kind of credit; the variant without kinds comes under `all`. */
function simplifyCredits(account: IDataObject): IDataObject {
	if (isObject(account.credits)) {
		const quota = numberAt(account.credits, 'total');
		const remaining = numberAt(account.credits, 'remaining');
		const used = quota === null || remaining === null ? null : quota - remaining;
		return { all: { quota, used, remaining } };
	}
	const kinds = Object.entries(objectAt(account, 'credit')).map(([kind, counter]) => {
		const own = isObject(counter) ? counter : {};
		const quota = numberAt(own, 'quota');
		const used = numberAt(own, 'used');
		const remaining = quota === null || used === null ? null : quota - used;
		return [kind, { quota, used, remaining }];
	});
	return Object.fromEntries(kinds);
}
