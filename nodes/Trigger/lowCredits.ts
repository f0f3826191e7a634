import type { IDataObject, INodeProperties, IPollFunctions } from 'n8n-workflow';
import type { AccountClient } from '../shared/client/client';
import { countersOf, readAccount, simplifyAccount } from '../shared/api/account';
import { notice } from '../shared/editor/fields';
import type { Parameters } from '../shared/input/parameters';
import { Failure, invalidValue } from '../shared/failures/failure';
import { cleanText, numberOf } from '../shared/values/text';

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
				{ name: 'Any', value: 'any', description: 'Every kind the account has, each on its own' },
				{ name: 'Email', value: 'email', description: 'Credits to find emails' },
				{ name: 'Search', value: 'search', description: 'Credits to search companies' },
				{ name: 'Verifier', value: 'verifier', description: 'Credits to verify emails' },
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
			'Fetch Test Event shows the credits as they are, even above the threshold, without affecting the trigger',
		),
	] satisfies INodeProperties[],
	poll: pollLowCredits,
};

/**
 * The kinds of credits that fell below the threshold since the last poll (interface specification 2.2 and 4.1). A kind
 * comes again only after a poll found it at or above the threshold. A manual run shows the kinds as they are.
 * @param memory the kinds that came and have not recovered, for one account
 */
async function pollLowCredits(
	context: IPollFunctions,
	client: AccountClient,
	parameters: Parameters,
	memory: IDataObject,
): Promise<{ items: IDataObject[]; memory?: IDataObject }> {
	const chosen = cleanText(parameters.get('creditKind', 0, '')).toLowerCase();
	const threshold = numberOf(parameters.get('threshold', 0, '')) ?? 0;
	if (threshold <= 0) {
		throw invalidValue('Threshold', 'Threshold must be a number above 0, e.g. 100');
	}
	const account = await readAccount(client);
	const counters = countersOf(account);
	const kinds = Object.keys(counters);
	const watched = kinds.filter((kind) => ['any', kind].includes(chosen) || kind === 'all');
	if (watched.length === 0) {
		throw new Failure('invalid_value', {
			message: `The account has no counter for ${chosen} credits`,
			description: `Check Credit Kind. The account has counters for: ${kinds.join(', ') || 'nothing'}.`,
		});
	}
	const isSimple = context.getNodeParameter('simple', true) === true;
	const itemOf = (kind: string): IDataObject => ({
		kind,
		remaining: counters[kind].remaining,
		threshold,
		...(isSimple ? simplifyAccount(account) : { account }),
	});
	if (context.getMode() === 'manual') return { items: watched.map(itemOf) };
	const { account: accountId } = client.connection;
	const isSame = memory.account === accountId;
	const before = isSame && Array.isArray(memory.low) ? memory.low.map(String) : [];
	const isLow = (kind: string) => {
		const remaining = counters[kind]?.remaining ?? null;
		// A counter that the response lacks changes nothing.
		return remaining === null ? before.includes(kind) : remaining < threshold;
	};
	const fallen = watched.filter((kind) => isLow(kind) && !before.includes(kind));
	// Kinds that the user does not watch recover too.
	const low = [...before.filter(isLow), ...fallen];
	return { items: fallen.map(itemOf), memory: { account: accountId, low } };
}
