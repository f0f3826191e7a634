import { EMAIL_STATUSES, OTHER_STATUSES, queryField } from '../../shared/editor/fields';
import { lookupOperation } from '../../shared/operation';
import { unexpectedAnswer } from '../../shared/http/errors';
import { isObject } from '../../shared/values/json';
import {
	emailIdentity,
	emailLookup,
	hasStatus,
	personDataOf,
	simplifyVerification,
	verifierOptions,
	type EmailQuery,
} from '../verification';
import { PATHS } from '../../shared/http/paths';

/** Verify Email (interface specification 4.7). Costs 1 credit per email, invalid ones included. */
export const verify = lookupOperation<EmailQuery>({
	option: {
		name: 'Verify Email',
		value: 'verify',
		action: 'Verify email',
		description:
			'Check whether an email accepts mail. Costs 1 credit per email, even if it is invalid.',
		routing: { request: { method: 'GET', url: PATHS.verify } },
	},
	builder:
		'For one item at a time, e.g. as the tool of an agent, or for Include Person Data. For more than 20 items use verifyBulk: same price, one request per 50 emails.',
	tool: `Check whether an email accepts mail. Costs 1 credit per email, even if it is invalid; text that can't be an email costs nothing. 'status' is 'verified'. ${EMAIL_STATUSES} ${OTHER_STATUSES}`,
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
	extra: { option: 'enrich', column: 'personData' },
	perRequest: 1,
	async ask([query], { ask }) {
		const result = await ask({ qs: emailIdentity(query) });
		if (isObject(result) && hasStatus(result)) return { results: [[result]] };
		throw unexpectedAnswer('a verification status', result);
	},
	simplify: (result, query) => ({
		...simplifyVerification(result, query),
		...(query.enrich && { personData: personDataOf(result) }),
	}),
});
