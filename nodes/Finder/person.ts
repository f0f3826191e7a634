import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { knownField, notice, queryField } from '../shared/editor/fields';
import type { Known, Question } from '../shared/lookups/lookup';
import { canBeEmail, toEmailStatus } from '../shared/values/email';
import { isObject, lineAt, numberAt, objectAt, textAt } from '../shared/values/json';
import { toText } from '../shared/values/text';
import { toDomain } from '../shared/values/url';

/** The fields that name a person and where they work, for one lookup and for many. */
export const personFields: INodeProperties[] = [
	notice(
		'personNotice',
		'Enter a name (Full Name, or First Name and Last Name) and a company (Company Domain or Company Name)',
	),
	queryField({
		displayName: 'Full Name',
		name: 'fullName',
		placeholder: 'e.g. Ada Lovelace',
		description: 'Full name of the person. Ignored if First Name and Last Name are both set.',
	}),
	queryField({
		displayName: 'First Name',
		name: 'firstName',
		placeholder: 'e.g. Ada',
		description: 'First name of the person, together with Last Name',
	}),
	queryField({
		displayName: 'Last Name',
		name: 'lastName',
		placeholder: 'e.g. Lovelace',
		description: 'Last name of the person, together with First Name',
	}),
	queryField({
		displayName: 'Company Domain',
		name: 'domain',
		placeholder: 'e.g. acme.com',
		description:
			'Domain of the company. A full URL works too. Use it instead of Company Name if you know it.',
	}),
	queryField({
		displayName: 'Company Name',
		name: 'company',
		placeholder: 'e.g. Acme Inc',
		description: "Name of the company, if you don't know its domain",
	}),
];

/** An email that the item already has. */
export const existingEmailField: INodeProperties = knownField({
	displayName: 'Existing Email',
	name: 'existingEmail',
	placeholder: 'e.g. {{ $json.email }}',
	description:
		'Email that the item already has. If it is filled, nothing is looked up and the item costs nothing.',
});

export const existingEmail: Known = {
	parameter: existingEmailField.name,
	read(value) {
		const email = toText(value);
		return canBeEmail(email) ? { fields: { email } } : undefined;
	},
};

export const countryOption: INodeProperties = queryField({
	displayName: 'Country',
	name: 'country',
	placeholder: 'e.g. Germany',
	description: 'Country of the person, to localize the search',
});

/** Whom to find: names, company and country as far as they are known. */
export type Person = Partial<
	Record<'fullName' | 'firstName' | 'lastName' | 'domain' | 'company' | 'country', string>
>;

/**
 * The person that the fields describe, and what is missing to look them up (interface specification
 * 4.5, 4.6): a full name, or a first and a last name; and a domain or a company.
 */
export function toPersonQuestion(fields: Record<string, unknown>): Question<Person> {
	const firstName = toText(fields.firstName);
	const lastName = toText(fields.lastName);
	const fullName = toText(fields.fullName);
	const both = firstName !== '' && lastName !== '';
	const domain = toDomain(toText(fields.domain));
	const company = toText(fields.company);
	const country = toText(fields.country);
	const query: Person = {
		...(both && { firstName, lastName }),
		...(!both && fullName && { fullName }),
		...(domain && { domain }),
		...(company && { company }),
		...(country && { country }),
	};
	const missing = [
		...(both || fullName ? [] : ['Full Name (or First Name and Last Name)']),
		...(query.domain || query.company ? [] : ['Company Domain (or Company Name)']),
	];
	return { query, missing: missing.length > 0 ? missing : undefined };
}

/** Whether the service found an email; an answer without one is a miss, like a 404. */
export function hasEmail(result: object): boolean {
	return isObject(result) && textAt(result, 'email') !== null;
}

/**
 * A finder result in the package's words (interface specification 2.6 to 2.8, with the spellings of
 * their variants). What the service does not repeat comes from the question; without a result, all
 * that was asked is still there.
 */
export function simplifyFoundEmail(result: IDataObject, person: Person): IDataObject {
	const quality = objectAt(result, 'quality');
	const firstName = textAt(result, 'firstName') ?? person.firstName ?? null;
	const lastName = textAt(result, 'lastName') ?? person.lastName ?? null;
	const joined = firstName !== null && lastName !== null ? `${firstName} ${lastName}` : null;
	return {
		email: textAt(result, 'email'),
		emailStatus: toEmailStatus(textAt(quality, 'status')),
		emailStatusMessage: lineAt(quality, 'status_message'),
		result: textAt(quality, 'result') ?? textAt(result, 'result'),
		pattern: textAt(result, 'pattern'),
		firstName,
		lastName,
		fullName: textAt(result, 'name', 'fullName') ?? person.fullName ?? joined,
		company: textAt(result, 'company', 'companyName') ?? person.company ?? null,
		domain: textAt(result, 'domain') ?? person.domain ?? null,
		country: textAt(result, 'country') ?? person.country ?? null,
		companyId: numberAt(result, 'companyNetworkID', 'companyNetworkid'),
		accuracy: numberAt(result, 'accuracy'),
	};
}
