import type { IDataObject } from 'n8n-workflow';

import { ACCOUNT_PATH } from '../credits/account';
import { objectsIn } from '../service/response';
import { isNotFound } from '../service/serviceError';
import { isObject, numberAt, textAt, timestampAt } from '../values/json';

export const LISTS_PATH = '/api/v2/list';

/**
 * The lists of the account (interface specification 4.2, a variant). A service without that path
 * answers 404: then the lists that the account names (2.1).
 */
export async function readLists(get: (path: string) => Promise<object>): Promise<IDataObject[]> {
	const lists = await get(LISTS_PATH).catch((thrown: unknown) => {
		if (isNotFound(thrown)) return undefined;
		throw thrown;
	});
	if (lists) return objectsIn(lists, 'a list of lists');
	const account = await get(ACCOUNT_PATH);
	return objectsIn(isObject(account) ? (account.lists ?? []) : undefined, 'a list of lists');
}

/** A list in the package's words (2.3 and its variant). */
export function simplifyList(list: IDataObject): IDataObject {
	return {
		id: numberAt(list, 'list_id', 'id'),
		name: textAt(list, 'name'),
		createdAt: timestampAt(list, 'creation_date'),
		leadCount: numberAt(list, 'count_leads', 'leads'),
	};
}
