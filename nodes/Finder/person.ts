import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { ageOptions, knownField, notice, queryField } from '../shared/editor/fields';
import type { Known, Lookup, Question } from '../shared/lookups/lookup';
import { LEAD_FIELDS } from '../shared/output/fields';
import { canBeEmail, toEmailStatus } from '../shared/values/email';
import { lineAt, numberAt, objectAt, textAt } from '../shared/values/json';
import { toDomain, toText } from '../shared/values/text';

/** The fields that name a person, where they work and the email that the item already has. */
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
	knownField({
		displayName: 'Existing Email',
		name: 'existingEmail',
		placeholder: 'e.g. {{ $json.email }}',
		description:
			'Email that the item already has. If it is filled, nothing is looked up and the item costs nothing.',
	}),
];

/** An item with an email needs no lookup. */
export const existingEmail: Known = {
	parameter: 'existingEmail',
	read(value) {
		const email = toText(value);
		return canBeEmail(email) ? { fields: { email } } : undefined;
	},
};

/** The options of all lookups of people. */
export const personOptions: INodeProperties[] = [
	...ageOptions,
	queryField({
		displayName: 'Country',
		name: 'country',
		placeholder: 'e.g. Germany',
		description: 'Country of the person, to localize the search',
	}),
];

export type Person = Partial<
	Record<'fullName' | 'firstName' | 'lastName' | 'domain' | 'company' | 'country', string>
>;

/**
 * The person that the fields describe, and the fields that are missing to look them up (interface
 * specification 4.5, 4.6): a full name, or a first and a last name; and a domain or a company.
 */
export function toPersonQuestion(fields: Record<string, unknown>): Question<Person> {
	const firstName = toText(fields.firstName);
	const lastName = toText(fields.lastName);
	const hasBoth = firstName !== '' && lastName !== '';
	const texts = Object.entries({
		...(hasBoth ? { firstName, lastName } : { fullName: toText(fields.fullName) }),
		domain: toDomain(toText(fields.domain)),
		company: toText(fields.company),
		country: toText(fields.country),
	});
	const query: Person = Object.fromEntries(texts.filter(([, text]) => text !== ''));
	const missing = [
		...(hasBoth || query.fullName ? [] : ['Full Name (or First Name and Last Name)']),
		...(query.domain || query.company ? [] : ['Company Domain (or Company Name)']),
	];
	return { query, missing: missing.length > 0 ? missing : undefined };
}

/** What the operations on people have in common. */
export const personLookup = {
	answered: 'found',
	kind: 'email',
	known: existingEmail,
	keeps: LEAD_FIELDS,
	prepare: toPersonQuestion,
} satisfies Partial<Lookup<Person>>;

/** Whether the service found an email; a result without one is a miss, like a 404. */
export function hasEmail(result: IDataObject): boolean {
	return textAt(result, 'email') !== null;
}

/**
 * A finder result in the package's words (interface specification 2.6 to 2.8, with the spellings of
 * their variants). The question fills in what the result lacks, or everything if the result is empty.
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
