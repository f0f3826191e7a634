import { lookupOptions, simple } from '../../shared/fields';
import type { Operation } from '../../shared/operation';
import { objectsIn } from '../../shared/request/answer';
import { lookup } from '../../shared/request/requestPath';
import { unexpectedAnswer } from '../../shared/request/serviceError';
import {
	emailField,
	emailKey,
	simplifyEnrichment,
	simplifyVerification,
	toEmailQuestion,
} from '../verification';

/** Verify Email (interface specification 4.7). Costs 1 credit per address, invalid ones included. */
export const verify: Operation = {
	option: {
		name: 'Verify Email',
		value: 'verify',
		action: 'Verify an email',
		description:
			'Check whether an email address accepts mail. Costs 1 credit per address, invalid ones included.',
		routing: {
			request: { method: 'GET', url: '/v3/verify' },
			send: { paginate: true },
			operations: {
				pagination: lookup({
					answered: 'verified',
					key: emailKey,
					prepare({ email, enrich }) {
						const question = toEmailQuestion(email);
						if (enrich === true) question.query.enrich = true;
						return question;
					},
					toQueryString: ({ email, ...query }) => ({ email: email.toLowerCase(), ...query }),
					results(answer) {
						const results = objectsIn([answer], 'a verification');
						if (!('email_status' in answer)) throw unexpectedAnswer('a verification status');
						return results;
					},
					charged: () => 1,
					simplify: (result, { email, enrich }) => ({
						...simplifyVerification(result),
						email,
						...(enrich && simplifyEnrichment(result)),
					}),
				}),
			},
		},
	},
	fields: [
		emailField,
		simple,
		lookupOptions({
			displayName: 'Enrich',
			name: 'enrich',
			type: 'boolean',
			default: false,
			description: 'Whether to add the name, job title and company of the person',
			routing: { send: { type: 'query', property: 'enrich' } },
		}),
	],
};
