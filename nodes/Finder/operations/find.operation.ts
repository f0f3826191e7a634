import {
	companyDataOf,
	FIND_PATH,
	finderQuery,
	foundIn,
	type Person,
	simplifyFoundEmail,
} from '../../shared/api/finder';
import { acceptedIn } from '../../shared/api/bulkJob';
import { EMAIL_STATUSES, otherStatuses, queryField } from '../../shared/editor/fields';
import { lookupOperation } from '../../shared/operation';
import { personLookup, personOptions } from '../person';

/** Find Email (interface specification 4.5). Costs 1 credit per email found; a miss is free. */
export const find = lookupOperation<Person>({
	option: {
		name: 'Find Email',
		value: 'find',
		action: 'Find email',
		description:
			'Find the business email of a person by name and company. Costs 1 credit per email found.',
		routing: { request: { method: 'GET', url: FIND_PATH } },
	},
	tool: `Find the business email of one person. Needs the full name and the company (its domain if you know it, else its name). Costs 1 credit if an email is found, nothing otherwise. 'lookupStatus' is 'found' or 'not_found'. ${EMAIL_STATUSES} ${otherStatuses()} Never guess an email that was not found.`,
	options: [
		...personOptions,
		queryField({
			displayName: 'Include Company Data',
			name: 'includeCompanyData',
			type: 'boolean',
			default: false,
			description: 'Whether to add company details such as industry and size',
		}),
	],
	...personLookup,
	optionalColumn: { option: 'includeCompanyData', column: 'companyData' },
	perRequest: 1,
	request: ([person], settings) => ({ qs: finderQuery(person, settings) }),
	// Some services look up a single person in the background, too.
	read: (response) => acceptedIn(response) ?? { results: [foundIn(response)] },
	simplify: (result, query) => ({
		...simplifyFoundEmail(result),
		...(query.includeCompanyData && { companyData: companyDataOf(result) }),
	}),
});
