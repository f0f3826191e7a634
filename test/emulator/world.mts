import { ServiceError } from './errors.mts';
import type { Fault } from './faults.mts';
import type { Account, Fixtures } from './fixtures.mts';
import { creditKinds, type CreditKind, type Ledger, type MeteredOperation } from './ledger.mts';
import type { BulkJob } from './operations/bulkFinder.mts';
import type { Variants } from './variants.mts';

export interface RateLimit {
	perSecond: number;
	retryAfter?: 'seconds' | 'date';
	/** In seconds. */
	window?: number;
}

/** What a test can turn while the service runs. */
export interface ServiceOptions {
	/** Time that every request takes at least. */
	latencyMs?: number;
	/** By how much of it the latency differs at most, more or less; every value is as likely. None unless given. */
	jitter?: number;
	/**
	 * Requests per rolling second and access key (interface specification 7 and 8), or, on average, in each window, of
	 * which every response states what is left.
	 */
	rateLimit?: RateLimit;
	/** The most entries on a page, below what is asked for. */
	pageCap?: number;
	/** Whether jobs are charged for when they are done, not when they are accepted. */
	chargesJobsAtEnd?: boolean;
	/** What a job says once it is over. */
	jobWord?: string;
	/** The most credits that an account can spend of a kind, below its quota. */
	creditsLeft?: Partial<Record<CreditKind, number>>;
	/** Ids of jobs and of leads: numbers unless given, texts, or numbers beyond 2^53. */
	ids?: 'text' | 'huge';
}

/** The state that all operations share. */
export interface World {
	readonly fixtures: Fixtures;
	readonly ledger: Ledger;
	readonly jobs: BulkJob[];
	readonly variants: Variants;
	readonly options: ServiceOptions;
}

/** One request to an operation, its values already judged by the document. */
export interface Call {
	readonly world: World;
	readonly account: Account;
	readonly requestId: number;
	readonly params: unknown;
	readonly query: unknown;
	readonly body: unknown;
	readonly faults: readonly Fault[];
}

export interface Answer {
	status: number;
	body: unknown;
	/** Whether it is of a job at work: no fault changes its rows. */
	isUnfinished?: boolean;
}

export function ok(body: unknown): Answer {
	return { status: 200, body };
}

/** What the account can still spend of a kind; nothing on a free plan. */
export function creditsLeft(
	{ options, ledger }: World,
	account: Account,
	kind: CreditKind,
): number {
	if (!account.paid) return 0;
	const most = Math.min(account.quota[kind] ?? 0, options.creditsLeft?.[kind] ?? Infinity);
	return Math.max(0, most + ledger.toppedUp(kind) - ledger.spent(account.key, kind));
}

/** Refuses with 402 an operation that could cost more than the account has; section 7. */
export function requireCredits(
	{ world, account }: Call,
	operation: MeteredOperation,
	credits: number,
): void {
	const remaining = creditsLeft(world, account, creditKinds[operation]);
	if (remaining >= credits) return;
	throw world.variants.paymentWording === 'insufficient'
		? new ServiceError(402, 'insufficient_credits', 'Not enough credits.', { remaining })
		: new ServiceError(402, 'request_failed', 'The parameters were valid but the request failed.');
}

/** Charges one credit per subject, unless a fault says otherwise; another body is free unless it does. */
export function charge(
	{ world, account, requestId, faults }: Call,
	operation: MeteredOperation,
	subjects: readonly string[],
): void {
	if (faults.some(({ body, charge = body === undefined }) => !charge)) return;
	for (const subject of subjects) {
		world.ledger.enter({ account: account.key, operation, subject, credits: 1, requestId });
	}
}
