import type { IDataObject } from 'n8n-workflow';

import { lookupOptions, simple } from '../../shared/fields';
import type { Operation } from '../../shared/operation';
import { objectsIn } from '../../shared/request/answer';
import { lookup } from '../../shared/request/requestPath';
import { simplifyCompany } from '../../shared/values/company';
import { isObject, textAt } from '../../shared/values/json';
import { simplifyFoundEmail } from '../foundEmail';
import { countryOption, personFields, personKey, toPerson, type Person } from '../person';

/** Find Email (interface specification 4.5). Costs 1 credit per address found; a miss is free. */
export const find: Operation = {
	option: {
		name: 'Find Email',
		value: 'find',
		action: 'Find the email of a person',
		description:
			'Find the business email of a person from name and company. Costs 1 credit per address found.',
		routing: {
			request: { method: 'GET', url: '/api/v2/find' },
			send: { paginate: true },
			operations: {
				pagination: lookup({
					answered: 'found',
					key: personKey,
					prepare({ includeCompanyData, ...fields }) {
						const { person, missing } = toPerson(fields);
						const query: Person & { includeCompanyData?: true } = person;
						if (includeCompanyData === true) query.includeCompanyData = true;
						return { query, missing };
					},
					toQueryString: ({ company, ...query }, { companyNameParameter }) => ({
						...query,
						[companyNameParameter]: company,
					}),
					results: (answer) => objectsIn([answer], 'a result').filter(hasEmail),
					charged: (answer) => (hasEmail(answer) ? 1 : 0),
					simplify: (result, query) => ({
						...simplifyFoundEmail(result, query),
						...(query.includeCompanyData === true && { companyData: companyDataOf(result) }),
					}),
				}),
			},
		},
	},
	fields: [
		...personFields,
		simple,
		lookupOptions(countryOption, {
			displayName: 'Include Company Data',
			name: 'includeCompanyData',
			type: 'boolean',
			default: false,
			description: 'Whether to add what is known about the company to the result',
			routing: { send: { type: 'query', property: 'includeCompanyData' } },
		}),
	],
};

/** An answer without an address is a miss, like a 404. */
function hasEmail(answer: object): boolean {
	return isObject(answer) && textAt(answer, 'email') !== null;
}

/** The specification does not name the key of the company data: it is the one that holds an object. */
function companyDataOf({ companyData, company }: IDataObject): IDataObject | null {
	const data = [companyData, company].find(isObject);
	return data === undefined ? null : simplifyCompany(data);
}
