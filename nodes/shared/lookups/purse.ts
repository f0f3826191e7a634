import type { IDataObject } from 'n8n-workflow';

import { readAccount, type CreditKind } from '../credits/account';
import type { Purse } from '../credits/budget';
import { Floor } from '../credits/floor';
import type { Spending } from '../credits/spending';
import { invalidValue } from '../outcomes/problem';
import { NotProcessed, type NotProcessedReason } from '../sending/notProcessed';
import type { Run } from '../sending/run';
import { ServiceError } from '../service/serviceError';
import { KEEP_CREDITS, type LookupOptions } from './lookupOptions';

/**
 * What a run of a node pays with at one account. With Keep Credits the account is read for that
 * (interface specification 4.1), which is free. Throws `InvalidInput` where the service states no
 * counter, and `NotProcessed` where the account cannot be read.
 */
export async function openPurse(
	run: Run,
	account: { spending: Spending; kind: CreditKind },
	{ cap, keep }: LookupOptions,
	signal: AbortSignal | undefined,
): Promise<Purse> {
	const purse: Purse = { ...account, cap, signal };
	if (keep === undefined) return purse;
	const floor = await Floor.read({ ...account, keep }, async () => await accountOf(run));
	if (floor) return { ...purse, floor };
	throw invalidValue(
		KEEP_CREDITS,
		`${KEEP_CREDITS} cannot be used with this account: the service sends no counter for its ${account.kind} credits`,
	);
}

async function accountOf(run: Run): Promise<IDataObject> {
	return await readAccount(run).catch((thrown: unknown) => {
		throw asNotProcessed(thrown);
	});
}

/** Why nothing was sent, in the words that the items of a lookup have for it. */
function asNotProcessed(thrown: unknown): unknown {
	if (!(thrown instanceof ServiceError)) return thrown;
	const { httpCode, reason } = thrown;
	const isDown = reason === 'connection' || (httpCode !== null && httpCode >= 500);
	const known = isDown ? 'service_down' : REASONS[httpCode ?? 0];
	return new NotProcessed(known ?? 'account_unreadable', thrown);
}

const REASONS: Partial<Record<number, NotProcessedReason>> = {
	401: 'unauthorized',
	402: 'out_of_credits',
};
