import {
	bulkRequest,
	countFitting,
	type EmailQuery,
	matchEmails,
	MAX_EMAILS,
	simplifyVerification,
} from '../../shared/api/verifier';
import { lookupOperation } from '../../shared/operation';
import { INTERFACE_DEFAULTS } from '../../shared/http/connection';
import { emailLookup, verifierOptions } from '../verification';

/** Verify Emails in Bulk (interface specification 4.8). Costs 1 credit per distinct email, invalid ones included. */
export const verifyBulk = lookupOperation<EmailQuery>({
	option: {
		name: 'Verify Emails in Bulk',
		value: 'verifyBulk',
		action: 'Verify emails faster in bulk',
		description:
			'Check the emails of all input items, 50 per request. Costs 1 credit per distinct email, even if it is invalid.',
		routing: { request: { method: 'GET', url: INTERFACE_DEFAULTS.bulkVerifierPath } },
	},
	options: verifierOptions,
	...emailLookup,
	perRequest: MAX_EMAILS,
	fitting: countFitting,
	request: (queries, settings) => bulkRequest(emailsOf(queries), settings),
	read: (response, queries) => ({ results: matchEmails(response, emailsOf(queries)) }),
	simplify: simplifyVerification,
});

function emailsOf(queries: EmailQuery[]): string[] {
	return queries.map(({ email }) => email.toLowerCase());
}
