import type { IDataObject } from 'n8n-workflow';

import { includeInputFields, lookupOptions, simple } from '../../shared/editor/fields';
import { lookupOperation } from '../../shared/editor/operation';
import { LEAD_FIELDS } from '../../shared/output/fields';
import type { Results } from '../../shared/execution/answers';
import { INTERFACE_DEFAULTS } from '../../shared/http/connection';
import { objectsIn } from '../../shared/http/response';
import { comparableEmail } from '../../shared/values/email';
import { textAt } from '../../shared/values/json';
import {
	emailField,
	emailIdentity,
	existingStatus,
	existingStatusField,
	hasStatus,
	simplifyVerification,
	toEmailQuestion,
	verifierOptions,
	type EmailQuery,
} from '../verification';

/** The most addresses of one request (interface specification 8). */
export const MAX_ADDRESSES = 50;

/** The longest URL, in characters, that servers on the way are sure to accept. */
const MAX_URL = 6_000;

/**
 * Verify Emails in Bulk (interface specification 4.8): 50 emails per request. Costs 1 credit per
 * distinct email, invalid ones included.
 */
export const verifyBulk = lookupOperation<EmailQuery>({
	option: {
		name: 'Verify Emails in Bulk',
		value: 'verifyBulk',
		action: 'Verify emails in bulk',
		description:
			'Check the emails of all input items, 50 per request. Costs 1 credit per distinct email, even if it is invalid.',
		routing: { request: { method: 'GET', url: INTERFACE_DEFAULTS.bulkVerifierPath } },
		builderHint: {
			propertyHint:
				"The choice for lists of leads. Behind a Finder, map Existing Status to the item's emailStatus, so that only unknown emails are verified and paid for, and turn on Skip Items Without Email.",
		},
	},
	fields: [
		emailField,
		existingStatusField,
		includeInputFields,
		simple,
		lookupOptions(...verifierOptions),
	],
	answered: 'verified',
	kind: 'verifier',
	known: existingStatus,
	identity: emailIdentity,
	keeps: LEAD_FIELDS,
	perRequest: MAX_ADDRESSES,
	prepare: ({ email }) => toEmailQuestion(email),
	fitting: addressesThatFit,
	async ask(queries, { settings, ask, asReceived }) {
		const addresses = queries.map(({ email }) => email.toLowerCase());
		const answer = await ask({
			url: settings.bulkVerifierPath,
			qs: { email: settings.bulkVerifierQuery === 'comma' ? addresses.join(',') : addresses },
			arrayFormat: 'repeat',
		});
		const received = addresses.map((address) => asReceived(address));
		return { results: matchAddresses(objectsIn(answer, 'verifications'), received) };
	},
	simplify: (result, { email }) => ({ ...simplifyVerification(result), email }),
});

/** How many addresses, from the first, fit into one URL; at least one. */
function addressesThatFit(
	queries: EmailQuery[],
	{ bulkVerifierPath }: { bulkVerifierPath: string },
): number {
	let length = bulkVerifierPath.length + 200;
	const fit = queries.findIndex(({ email }) => {
		length += '&email='.length + encodeURIComponent(email).length;
		return length > MAX_URL;
	});
	return fit < 0 ? queries.length : Math.max(1, fit);
}

/**
 * The verifications in the order of the addresses. The service answers in the order submitted, but
 * each result names its address, so none can go to another item.
 */
function matchAddresses(results: IDataObject[], addresses: string[]): Array<Results | undefined> {
	const complete = results.filter(hasStatus);
	const exactly = byEmail(complete, (email) => email.toLowerCase());
	const answers = new Set(addresses.map((address) => exactly.get(address.toLowerCase())));
	const others = complete.filter((result) => !answers.has(result));
	const roughly = byEmail(others, comparableEmail);
	return addresses.map((address) => {
		const result = exactly.get(address.toLowerCase()) ?? roughly.get(comparableEmail(address));
		return result && [result];
	});
}

/** Results by the email that they name, in the form in which it is compared. */
function byEmail(
	results: IDataObject[],
	formOf: (email: string) => string,
): Map<string, IDataObject> {
	return new Map(results.map((result) => [formOf(textAt(result, 'email') ?? ''), result] as const));
}
