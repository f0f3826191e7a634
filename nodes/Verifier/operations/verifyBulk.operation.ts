import type { IDataObject } from 'n8n-workflow';
import { lookupOperation } from '../../shared/operation';
import type { Results } from '../../shared/execution/answers';
import { INTERFACE_DEFAULTS } from '../../shared/http/connection';
import { objectsIn } from '../../shared/http/response';
import { comparableEmail } from '../../shared/values/email';
import { textAt } from '../../shared/values/json';
import {
	emailLookup,
	hasStatus,
	simplifyVerification,
	verifierOptions,
	type EmailQuery,
} from '../verification';

/** The most emails of one request (interface specification 8). */
const MAX_ADDRESSES = 50;

/** The length of a URL, in characters, that every proxy and server accepts. */
const MAX_URL = 6_000;

/** Verify Emails in Bulk (interface specification 4.8). Costs 1 credit per distinct email, invalid ones included. */
export const verifyBulk = lookupOperation<EmailQuery>({
	option: {
		name: 'Verify Emails in Bulk',
		value: 'verifyBulk',
		action: 'Verify emails in bulk',
		description:
			'Check the emails of all input items, 50 per request. Costs 1 credit per distinct email, even if it is invalid.',
		routing: { request: { method: 'GET', url: INTERFACE_DEFAULTS.bulkVerifierPath } },
	},
	builder:
		'The choice for lists of leads. It recognizes the email, and reads emailStatus: behind a Finder, only unknown emails are verified and paid for. To verify all, set leadFields to manual and leave existingStatus empty.',
	options: verifierOptions,
	...emailLookup,
	perRequest: MAX_ADDRESSES,
	fitting(queries, { bulkVerifierPath }) {
		// 200 characters are for the Base URL.
		let length = 200 + bulkVerifierPath.length;
		const fit = queries.findIndex(({ email }) => {
			length += '&email='.length + encodeURIComponent(email).length;
			return length > MAX_URL;
		});
		return fit < 0 ? queries.length : fit;
	},
	async ask(queries, { settings, ask, asReceived }) {
		const addresses = queries.map(({ email }) => email.toLowerCase());
		const answer = await ask({
			url: settings.bulkVerifierPath,
			qs: { email: settings.bulkVerifierQuery === 'comma' ? addresses.join(',') : addresses },
			arrayFormat: 'repeat',
		});
		const received = asReceived(addresses);
		return { results: matchAddresses(objectsIn(answer, 'verifications'), received) };
	},
	simplify: simplifyVerification,
});

/**
 * The verifications in the order of the addresses (in lower case), by the address that each names, never by position:
 * first where both are spelt the same, then where they are the same mailbox.
 */
function matchAddresses(results: IDataObject[], addresses: string[]): Array<Results | undefined> {
	const complete = results.filter(hasStatus);
	const byEmail = (some: IDataObject[], spell: (email: string) => string) =>
		new Map(some.map((result) => [spell(textAt(result, 'email') ?? ''), result] as const));
	const exactly = byEmail(complete, (email) => email.toLowerCase());
	const taken = new Set(addresses.map((address) => exactly.get(address)));
	const others = complete.filter((result) => !taken.has(result));
	const roughly = byEmail(others, comparableEmail);
	return addresses.map((address) => {
		const result = exactly.get(address) ?? roughly.get(comparableEmail(address));
		return result && [result];
	});
}
