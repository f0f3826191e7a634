import {
	type EmailQuery,
	personDataOf,
	simplifyVerification,
	verificationIn,
	verifierQuery,
	VERIFY_PATH,
} from '../../shared/api/verifier';
import { EMAIL_STATUSES, otherStatuses, queryField } from '../../shared/editor/fields';
import { lookupOperation } from '../../shared/operation';
import { emailLookup, verifierOptions } from '../verification';

/** Verify Email (interface specification 4.7). Costs 1 credit per email, invalid ones included. */
export const verify = lookupOperation<EmailQuery>({
	option: {
		name: 'Verify Email',
		value: 'verify',
		action: 'Verify email',
		description:
			'Check whether an email accepts mail. Costs 1 credit per email, even if it is invalid.',
		routing: { request: { method: 'GET', url: VERIFY_PATH } },
	},
	tool: `Check whether an email accepts mail. Costs 1 credit per email, even if it is invalid; text that can't be an email costs nothing. 'lookupStatus' is 'verified'. ${EMAIL_STATUSES} ${otherStatuses()}`,
	options: [
		...verifierOptions,
		queryField({
			displayName: 'Include Person Data',
			name: 'enrich',
			type: 'boolean',
			default: false,
			description: 'Whether to add the name, job title and company of the person',
		}),
	],
	...emailLookup,
	optionalColumn: { option: 'enrich', column: 'personData' },
	perRequest: 1,
	request: ([query]) => ({ qs: verifierQuery(query) }),
	read: (response, [query]) => ({ results: [[verificationIn(response, query)]] }),
	simplify: (result, query) => ({
		...simplifyVerification(result, query),
		...(query.enrich && { personData: personDataOf(result) }),
	}),
});
