import type { IDataObject, IPollFunctions } from 'n8n-workflow';

import {
	countersOf,
	readAccount,
	simplifyAccount,
	type Counter,
	type CreditKind,
} from '../shared/credits/account';
import { notice } from '../shared/editor/fields';
import { stopError } from '../shared/output/onError';
import { InvalidInput, invalidValue, problemOf } from '../shared/output/problem';
import { withClient } from '../shared/client/accounts';
import { numberOf, toText } from '../shared/values/text';
import { stateOf, type TriggerEvent } from './event';

/** The kinds of credits by their labels; the only counter of an account without kinds is `all`. */
const LABELS = { email: 'Email', search: 'Search', verifier: 'Verifier' } satisfies Record<
	CreditKind,
	string
>;
const KINDS = ['all', ...Object.keys(LABELS)];

/** On Low Credits: tells once, each time that credits fall below a threshold. Free. */
export const lowCredits: TriggerEvent = {
	option: {
		name: 'On Low Credits',
		value: 'lowCredits',
		action: 'On low credits',
		description:
			'When the remaining credits fall below a threshold. Starts the workflow once each time.',
	},
	fields: [
		{
			displayName: 'Credit Kind',
			name: 'creditKind',
			type: 'options',
			default: 'any',
			options: [
				{
					name: 'Any',
					value: 'any',
					description: 'Every kind that the account has, each on its own',
				},
				{ name: LABELS.email, value: 'email', description: 'Credits to find emails' },
				{ name: LABELS.search, value: 'search', description: 'Credits to search companies' },
				{ name: LABELS.verifier, value: 'verifier', description: 'Credits to verify emails' },
			],
			description:
				'Which credits to watch. If the account has one counter for all, it is watched whichever you choose.',
		},
		{
			displayName: 'Threshold',
			name: 'threshold',
			type: 'number',
			default: 100,
			typeOptions: { minValue: 1 },
			description: 'Start the workflow when fewer credits than this remain',
		},
		notice(
			'lowCreditsNotice',
			'Fetch Test Event shows the credits as they are, even above Threshold, and remembers nothing',
		),
	],
	poll: pollLowCredits,
};

/**
 * The kinds of credits that have fallen below the threshold since the last poll (interface specification
 * 2.2 and 4.1), those already below it at the first one. A kind comes again only after a poll has seen it
 * at or above the threshold. A counter that an answer lacks decides nothing.
 *
 * What is remembered are the kinds that were told and have not recovered since: up to four words, for one
 * account. n8n may store it only with a poll that starts the workflow. So after a restart a kind may still
 * count as told that had recovered before; the next poll that sees it recovered mends that. Only a kind
 * that recovers, and falls again before the first poll after the restart, is not told a second time.
 *
 * A manual run gives the kinds as they stand and remembers nothing.
 */
async function pollLowCredits(context: IPollFunctions): Promise<IDataObject[]> {
	const begun = ++polls;
	const { account, accountId, kinds, threshold } = await watchedBy(context);
	const isSimple = context.getNodeParameter('simple', true) === true;
	const shape = ([kind, { remaining }]: [string, Counter]): IDataObject => ({
		kind,
		remaining,
		threshold,
		...(isSimple ? simplifyAccount(account) : { account }),
	});
	if (context.getMode() === 'manual') return kinds.map(shape);

	const state = stateOf(context, ['account', 'low']);
	// n8n starts a poll also while another is under way: an older answer that comes later says nothing.
	if (begun < (latest.get(state) ?? 0)) return [];
	latest.set(state, begun);
	const told = state.account === accountId && Array.isArray(state.low) ? state.low : [];
	const counters = countersOf(account);
	const isLow = (remaining: number) => remaining < threshold;
	// Kinds that are not watched recover too: they may be watched again.
	const stillLow = KINDS.filter((kind) => {
		const remaining = counters[kind]?.remaining ?? null;
		return told.includes(kind) && (remaining === null || isLow(remaining));
	});
	const fallen = kinds.filter(
		([kind, { remaining }]) => remaining !== null && isLow(remaining) && !stillLow.includes(kind),
	);
	state.account = accountId;
	state.low = [...stillLow, ...fallen.map(([kind]) => kind)];
	return fallen.map(shape);
}

/** How many polls have begun, and the latest one whose answer was used for a state. */
let polls = 0;
const latest = new WeakMap<IDataObject, number>();

/** An account, the counters of it that are watched, and the threshold for these. */
interface Watched {
	account: IDataObject;
	/** Tells accounts apart, without holding a key. */
	accountId: string;
	kinds: Array<[kind: string, counter: Counter]>;
	threshold: number;
}

async function watchedBy(context: IPollFunctions): Promise<Watched> {
	try {
		const creditKind = toText(parameter(context, 'creditKind', 'Credit Kind')).toLowerCase();
		const threshold = thresholdOf(parameter(context, 'threshold', 'Threshold'));
		const { account, accountId } = await withClient(context, async (client) => ({
			account: await readAccount(client),
			accountId: client.connection.account,
		}));
		return { account, accountId, kinds: watchedCounters(account, creditKind), threshold };
	} catch (error) {
		throw stopError(context.getNode(), problemOf(error));
	}
}

/** The value of a field; throws `InvalidInput` if it is an expression that cannot be evaluated. */
function parameter(context: IPollFunctions, name: string, label: string): unknown {
	try {
		return context.getNodeParameter(name);
	} catch (error) {
		throw noValue(label, error);
	}
}

function noValue(label: string, error: unknown): InvalidInput {
	const why = error instanceof Error ? error.message : String(error);
	return new InvalidInput({
		reason: `expression: ${label}`,
		message: `Not sent: the expression of ${label} cannot be evaluated (${why})`,
		description: 'A trigger has no input items: enter a value, or an expression without them.',
	});
}

/** The counters that the user wants to watch; throws `InvalidInput` if the account has none of them. */
function watchedCounters(account: IDataObject, creditKind: string): Watched['kinds'] {
	const present = Object.entries(countersOf(account)).filter(([kind]) => KINDS.includes(kind));
	const watched = present.filter(
		([kind]) => creditKind === 'any' || kind === creditKind || kind === 'all',
	);
	if (watched.length > 0) return watched;
	if (present.length === 0) {
		throw new InvalidInput({
			reason: 'no counters',
			message: 'The service sent no credit counters for this account',
			description: 'Check the plan of the account with your provider.',
		});
	}
	const label = labelOf(creditKind);
	const others = present.map(([kind]) => labelOf(kind)).join(', ');
	throw new InvalidInput({
		reason: 'invalid: Credit Kind',
		message: `The account has no counter for ${label} credits`,
		description: `Set Credit Kind to Any, or to a kind that the account has: ${others}.`,
	});
}

function labelOf(kind: string): string {
	return new Map(Object.entries(LABELS)).get(kind) ?? kind;
}

function thresholdOf(value: unknown): number {
	const threshold = numberOf(value);
	if (threshold !== undefined && threshold > 0) return threshold;
	throw invalidValue('Threshold', 'Threshold must be a number above 0, e.g. 100');
}
