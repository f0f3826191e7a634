import type { IDataObject } from 'n8n-workflow';
import { isNotFound, unknownPath } from '../http/errors';
import { objectIn } from '../http/response';
import { isObject, numberAt, objectAt, textAt, timestampAt } from '../values/json';

export const ACCOUNT_PATH = '/api/v2/account';

/** What reads from the service. */
interface Source {
	get: (path: string) => Promise<object>;
}

/** Reads the account (interface specification 4.1), for free. */
export async function readAccount(source: Source): Promise<IDataObject> {
	const account = await source.get(ACCOUNT_PATH).catch((thrown: unknown) => {
		throw isNotFound(thrown) ? unknownPath() : thrown;
	});
	return objectIn(account, 'an account');
}

/** The kinds of credits (interface specification 2.2). */
export const CREDIT_KINDS = ['email', 'verifier', 'search'] as const satisfies string[];

export type CreditKind = (typeof CREDIT_KINDS)[number];

/** One counter of an account; `null` where the service does not state it. */
export interface Counter extends IDataObject {
	quota: number | null;
	used: number | null;
	remaining: number | null;
}

/** An account in the package's words (2.1, 2.2 and their variant). */
export function simplifyAccount(account: IDataObject): IDataObject {
	const { csv_import: csvImport } = objectAt(account, 'options');
	return {
		name: textAt(account, 'name'),
		email: textAt(account, 'email'),
		plan: textAt(account, 'package', 'plan'),
		renewsAt: timestampAt(account, 'packageRDate', 'expiry'),
		credits: countersOf(account),
		csvImport: typeof csvImport === 'boolean' ? csvImport : null,
		lists: Array.isArray(account.lists)
			? account.lists.filter(isObject).map((list) => ({
					id: numberAt(list, 'id'),
					name: textAt(list, 'name'),
					path: textAt(list, 'path'),
				}))
			: null,
	};
}

/** The counters of an account, per kind of credit; the variant without kinds has one, `all`. */
export function countersOf(account: IDataObject): Record<string, Counter> {
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

/** How many credits of a kind the account has left; `null` where the service states no counter for it. */
export function remainingOf(account: IDataObject, kind: CreditKind): number | null {
	const counters = countersOf(account);
	return (counters.all ?? counters[kind])?.remaining ?? null;
}
