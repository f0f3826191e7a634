import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { toDomain } from '../shared/values/domain';
import { toText } from '../shared/values/text';

/** The fields that name a person and where they work, for one lookup and for many. */
export const personFields: INodeProperties[] = [
	{
		displayName: 'Full Name',
		name: 'fullName',
		type: 'string',
		default: '',
		placeholder: 'e.g. Ada Lovelace',
		description: 'Name of the person. Not used when First Name and Last Name are both filled.',
		routing: { send: { type: 'query', property: 'fullName' } },
	},
	{
		displayName: 'First Name',
		name: 'firstName',
		type: 'string',
		default: '',
		placeholder: 'e.g. Ada',
		description: 'First name of the person, together with Last Name',
		routing: { send: { type: 'query', property: 'firstName' } },
	},
	{
		displayName: 'Last Name',
		name: 'lastName',
		type: 'string',
		default: '',
		placeholder: 'e.g. Lovelace',
		description: 'Last name of the person, together with First Name',
		routing: { send: { type: 'query', property: 'lastName' } },
	},
	{
		displayName: 'Company Domain',
		name: 'domain',
		type: 'string',
		default: '',
		placeholder: 'e.g. acme.com',
		description:
			'Domain of the company; a URL such as https://www.acme.com/about works too. Preferred over Company Name where it is known.',
		routing: { send: { type: 'query', property: 'domain' } },
	},
	{
		displayName: 'Company Name',
		name: 'company',
		type: 'string',
		default: '',
		placeholder: 'e.g. Acme Inc',
		description: 'Name of the company, where its domain is not known',
		routing: { send: { type: 'query', property: 'company' } },
	},
];

export const countryOption: INodeProperties = {
	displayName: 'Country',
	name: 'country',
	type: 'string',
	default: '',
	placeholder: 'e.g. Germany',
	description: 'Country of the person, for a localized search',
	routing: { send: { type: 'query', property: 'country' } },
};

/** Whom to find: names, company and country as far as they are known. */
export type Person = Partial<
	Record<'fullName' | 'firstName' | 'lastName' | 'domain' | 'company' | 'country', string>
>;

/**
 * The person that the fields describe, and what is missing to look them up (interface specification
 * 4.5, 4.6): a full name, or a first and a last name; and a domain or a company.
 */
export function toPerson(fields: IDataObject): { person: Person; missing?: string } {
	const firstName = toText(fields.firstName);
	const lastName = toText(fields.lastName);
	const fullName = toText(fields.fullName);
	const both = firstName !== '' && lastName !== '';
	const given: Person = {
		...(both ? { firstName, lastName } : { fullName }),
		domain: toDomain(toText(fields.domain)),
		company: toText(fields.company),
		country: toText(fields.country),
	};
	const person: Person = Object.fromEntries(
		Object.entries(given).filter(([, text]) => text !== ''),
	);
	const missing = [
		...(both || fullName ? [] : ['fullName (or firstName and lastName)']),
		...(person.domain || person.company ? [] : ['domain or company']),
	];
	return missing.length === 0 ? { person } : { person, missing: missing.join(', no ') };
}

/** Tells a person from others, and a lookup with company data from one without. */
export function personKey(query: Person & { includeCompanyData?: true }): string {
	return `find ${JSON.stringify(query)}`;
}
