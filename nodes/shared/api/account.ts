import type { IDataObject } from 'n8n-workflow';
import { isMiss } from '../failures/failure';
import { unknownPath } from '../http/errors';
import { objectWith } from '../http/response';
import { idAt, isObject, numberAt, objectAt, textAt, timestampAt } from '../values/json';
import { toText } from '../values/text';

/** The path of the account (interface specification 4.1). */
export const ACCOUNT_PATH = '/api/v2/account';

/** Sends a free request. */
export interface Getter {
	get(path: string): Promise<object>;
}

/** Reads the account (interface specification 4.1), for free. Throws a `Failure`. */
export async function readAccount(client: Getter): Promise<IDataObject> {
	const account = await client.get(ACCOUNT_PATH).catch((thrown: unknown) => {
		throw isMiss(thrown) ? unknownPath(ACCOUNT_PATH) : thrown;
	});
	return objectWith(['email', 'credit', 'credits'], account, 'an account');
}

/** A counter of an account, in credits; `null` where the service does not state it. */
type Counter = Record<'quota' | 'used' | 'remaining', number | null>;

/** An account in the package's words (interface specification 2.1, 2.2 and their variant). */
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
					id: idAt(list, 'id'),
					name: textAt(list, 'name'),
					path: textAt(list, 'path'),
				}))
			: null,
	};
}

/** The counters of an account by kind of credit; under `all` in the variants that have one counter for all. */
export function countersOf(account: IDataObject): Record<string, Counter> {
	if (isObject(account.credits)) {
		if (isUnlimited(account.credits)) return { all: { quota: null, used: null, remaining: null } };
		const quota = numberAt(account.credits, 'total');
		const remaining = numberAt(account.credits, 'remaining');
		return { all: { quota, used: difference(quota, remaining), remaining } };
	}
	const counters = objectAt(account, 'credit');
	if ('quota' in counters || 'used' in counters) return { all: counterIn(counters) };
	const kinds = Object.keys(counters).map((kind) => [kind, counterIn(objectAt(counters, kind))]);
	return Object.fromEntries(kinds);
}

function counterIn(counter: IDataObject): Counter {
	const used = numberAt(counter, 'used');
	if (isUnlimited(counter)) return { quota: null, used, remaining: null };
	const quota = numberAt(counter, 'quota');
	const remaining = numberAt(counter, 'remaining') ?? difference(quota, used);
	return { quota, used, remaining };
}

/** Whether a counter has no end, as services write it. */
function isUnlimited(counter: IDataObject): boolean {
	const isEndless = (value: unknown) => /^(?:-1|unlimited|infinit[ey])$/i.test(toText(value));
	const { quota, remaining, total, unlimited } = counter;
	return unlimited === true || [quota, total, remaining].some(isEndless);
}

/** To hundredths: some services charge fractions of a credit. */
function difference(quota: number | null, part: number | null): number | null {
	return quota === null || part === null ? null : Math.round((quota - part) * 100) / 100;
}

/** The remaining credits of a kind, infinite without a limit; `null` where the service states no counter for it. */
export function remainingOf(account: IDataObject, kind: string): number | null {
	const counters = countersOf(account);
	const credit = objectAt(account, 'credit');
	const sent = [objectAt(account, 'credits'), 'all' in counters ? credit : objectAt(credit, kind)];
	if (sent.some(isUnlimited)) return Number.POSITIVE_INFINITY;
	return (counters.all ?? counters[kind])?.remaining ?? null;
}
