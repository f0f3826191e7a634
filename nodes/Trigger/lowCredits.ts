import type { IDataObject, INodeProperties, IPollFunctions } from 'n8n-workflow';
import type { AccountClient } from '../shared/client/client';
import { countersOf, readAccount, simplifyAccount, type Counter } from '../shared/credits/account';
import { notice } from '../shared/editor/fields';
import { InvalidInput, invalidValue } from '../shared/output/problem';
import { numberOf, toText } from '../shared/values/text';

/** The kinds of credits, in the words of the editor. */
const KIND_OPTIONS = [
	{ name: 'Email', value: 'email', description: 'Credits to find emails' },
	{ name: 'Search', value: 'search', description: 'Credits to search companies' },
	{ name: 'Verifier', value: 'verifier', description: 'Credits to verify emails' },
];

/** The only counter of an account without kinds is `all`. */
const KINDS = ['all', ...KIND_OPTIONS.map(({ value }) => value)];

/** On Low Credits: once each time that credits fall below a threshold. Free. */
export const lowCredits = {
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
				...KIND_OPTIONS,
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
	] satisfies INodeProperties[],
	keys: ['account', 'low'],
	poll: pollLowCredits,
};

/**
 * The kinds of credits that fell below the threshold since the last poll (interface specification 2.2 and
 * 4.1); the first poll gives those that are below it already. A kind comes again only after a poll found it
 * at or above the threshold. The state holds the kinds that came and have not recovered, for one account.
 *
 * A manual run shows the kinds as they are and remembers nothing.
 */
async function pollLowCredits(
	context: IPollFunctions,
	client: AccountClient,
	stateOf: () => IDataObject,
): Promise<IDataObject[]> {
	const begun = ++polls;
	const creditKind = toText(parameter(context, 'creditKind', 'Credit Kind')).toLowerCase();
	const threshold = thresholdOf(parameter(context, 'threshold', 'Threshold'));
	const account = await readAccount(client);
	const kinds = watchedCounters(account, creditKind);
	const isSimple = context.getNodeParameter('simple', true) === true;
	const shape = ([kind, { remaining }]: [string, Counter]): IDataObject => ({
		kind,
		remaining,
		threshold,
		...(isSimple ? simplifyAccount(account) : { account }),
	});
	if (context.getMode() === 'manual') return kinds.map(shape);
	const state = stateOf();
	// n8n may start a poll while another one is under way: an older answer that comes later is outdated.
	if (begun < (latest.get(state) ?? 0)) return [];
	latest.set(state, begun);
	const { account: accountId } = client.connection;
	const low = state.account === accountId && Array.isArray(state.low) ? state.low : [];
	const counters = countersOf(account);
	// A counter that the answer lacks changes nothing. Kinds that the user does not watch recover too.
	const stillLow = KINDS.filter(
		(kind) => low.includes(kind) && (counters[kind]?.remaining ?? 0) < threshold,
	);
	const fallen = kinds.filter(
		([kind, { remaining }]) => (remaining ?? threshold) < threshold && !stillLow.includes(kind),
	);
	state.account = accountId;
	state.low = [...stillLow, ...fallen.map(([kind]) => kind)];
	return fallen.map(shape);
}

/** The number of polls so far, and the latest one whose answer changed a state. */
let polls = 0;
const latest = new WeakMap<IDataObject, number>();

/** The value of a field; throws `InvalidInput` if n8n cannot evaluate its expression. */
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

/** The counters that the user watches; throws `InvalidInput` if the account has none of them. */
function watchedCounters(account: IDataObject, creditKind: string): Array<[string, Counter]> {
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
	return KIND_OPTIONS.find(({ value }) => value === kind)?.name ?? kind;
}

function thresholdOf(value: unknown): number {
	const threshold = numberOf(value);
	if (threshold !== undefined && threshold > 0) return threshold;
	throw invalidValue('Threshold', 'Threshold must be a number above 0, e.g. 100');
}
