import type { IDataObject } from 'n8n-workflow';

import { incompleteRunOption, lookupOptions, simple } from '../../shared/fields';
import type { Operation } from '../../shared/operation';
import { objectsIn } from '../../shared/request/answer';
import { runBulk } from '../../shared/request/bulk';
import type { BulkLookup } from '../../shared/request/lookup';
import { textAt } from '../../shared/values/json';
import {
	emailField,
	emailKey,
	simplifyVerification,
	toEmailQuestion,
	type EmailQuery,
} from '../verification';

/** The most addresses of one request (interface specification 8). */
export const MAX_ADDRESSES = 50;

/** The longest URL, in characters, that servers on the way are sure to accept. */
const MAX_URL = 6_000;

/** Verify Emails in Bulk (interface specification 4.8): up to 50 addresses per request. */
const bulkVerifier: BulkLookup<EmailQuery> = {
	name: 'Verify Emails in Bulk',
	answered: 'verified',
	key: emailKey,
	fields: { email: 'email' },
	prepare: ({ email }) => toEmailQuestion(email),
	fitting: addressesThatFit,
	async ask(queries, { settings, ask }) {
		const addresses = queries.map(({ email }) => email.toLowerCase());
		const answer = await ask({
			method: 'GET',
			url: settings.bulkVerifierPath,
			qs: { email: settings.bulkVerifierQuery === 'comma' ? addresses.join(',') : addresses },
			arrayFormat: 'repeat',
		});
		return matchAddresses(objectsIn(answer, 'verifications'), addresses);
	},
	isHit: () => true,
	charged: (results) => results.length,
	simplify: (result, { email }) => ({ ...simplifyVerification(result), email }),
};

/** How many addresses, from the first, fit into one URL; at least one. */
function addressesThatFit(
	queries: EmailQuery[],
	{ bulkVerifierPath }: { bulkVerifierPath: string },
): number {
	let length = bulkVerifierPath.length + 200;
	const fit = queries.slice(0, MAX_ADDRESSES).findIndex(({ email }) => {
		length += '&email='.length + encodeURIComponent(email).length;
		return length > MAX_URL;
	});
	return fit < 0 ? Math.min(queries.length, MAX_ADDRESSES) : Math.max(1, fit);
}

/**
 * The verifications in the order of the addresses. The service answers in the order submitted, but
 * each result names its address, so none can go to another item.
 */
function matchAddresses(
	results: IDataObject[],
	addresses: string[],
): Array<IDataObject | undefined> {
	const complete = results.filter((result) => textAt(result, 'email_status') !== null);
	const byAddress = new Map(
		complete.map((result) => [textAt(result, 'email')?.toLowerCase(), result] as const),
	);
	return addresses.map((address) => byAddress.get(address));
}

/**
 * Verify Emails in Bulk (interface specification 4.8): 50 addresses per request. Costs 1 credit per
 * distinct address, invalid ones included.
 */
export const verifyBulk: Operation = {
	option: {
		name: 'Verify Emails in Bulk',
		value: 'verifyBulk',
		action: 'Verify emails in bulk',
		description:
			'Check the addresses of all input items, 50 per request. Costs 1 credit per distinct address, invalid ones included.',
	},
	run: async (context) => await runBulk(context, bulkVerifier),
	fields: [emailField, simple, lookupOptions(incompleteRunOption)],
};
