import type { INodeProperties } from 'n8n-workflow';
import type { Person } from '../shared/api/finder';
import {
	leadFields,
	lookupOptions,
	manualLimit,
	queryField,
	refreshAfter,
	workflowField,
} from '../shared/editor/fields';
import type { FieldValues } from '../shared/input/fieldValues';
import type { Question } from '../shared/input/item';
import type { Missing } from '../shared/input/missing';
import { isHalf, toFullName, withoutTitles } from '../shared/lead/personName';
import type { Lookup } from '../shared/lookups/lookup';
import { canBeEmail, toEmail } from '../shared/values/email';
import { comparableDomain } from '../shared/values/text';

/** The fields that name a person, where they work and the email that the item already has. */
export const personFields: INodeProperties[] = leadFields(
	'the name, the company and an existing email from fields with common names, e.g. First Name, Surname, Company, Website, E-Mail',
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
	workflowField({
		displayName: 'Existing Email',
		name: 'existingEmail',
		placeholder: 'e.g. {{ $json.email }}',
		description:
			'Email that the lead already has: such a lead is not looked up. Leave empty to look up all.',
	}),
	queryField({
		displayName: 'Company Domain',
		name: 'domain',
		placeholder: 'e.g. acme.com',
		description:
			'Domain of the company. A full URL works too. Company Name is used where it is empty.',
	}),
	queryField({
		displayName: 'Company Name',
		name: 'company',
		placeholder: 'e.g. Acme Inc',
		description: "Name of the company, if you don't know its domain",
	}),
);

export const personOptions: INodeProperties[] = [
	...lookupOptions,
	refreshAfter,
	workflowField({
		displayName: 'Keep Existing Email If',
		name: 'keepEmailIf',
		type: 'options',
		default: 'any',
		options: [
			{ name: 'Any Status', value: 'any' },
			{ name: 'Not Invalid', value: 'notInvalid', description: 'Valid, catch-all or unknown' },
			{ name: 'Valid', value: 'valid' },
		],
		description:
			"Which emails that your leads have are good enough, by 'emailStatus'. Leads with others are looked up again, e.g. by a second provider, and keep theirs if nothing is found.",
	}),
	queryField({
		displayName: 'Country',
		name: 'country',
		placeholder: 'e.g. Germany',
		description: 'Name of the country of the person, for companies in several countries',
	}),
];

/** A lookup needs a full name, or a first and a last name; and a domain or a company (interface specification 4.5, 4.6). */
export function toPersonQuestion(values: FieldValues): Question<Person> {
	const firstName = withoutTitles(values.name('firstName'));
	const lastName = withoutTitles(values.name('lastName'));
	const hasBoth = firstName !== '' && lastName !== '';
	const { domain, name: company } = values.company('domain', 'company');
	const country = values.name('country');
	const fullName = hasBoth ? '' : toFullName(values.name('fullName'));
	// A model that knows half of a name has to ask for the other one.
	const isWhole = fullName !== '' && !(values.isOfModel && isHalf(fullName));
	const query: Person = {
		...(hasBoth ? { firstName, lastName } : isWhole && { fullName }),
		...(domain !== '' && { domain }),
		...(company !== '' && { company }),
		...(country !== '' && { country }),
		...(values.raw('includeCompanyData') === true && { includeCompanyData: true }),
	};
	const missing: Missing[] = [];
	if (!hasBoth && !isWhole) missing.push('missing_name');
	if (domain === '' && company === '') missing.push('missing_company');
	return { query, missing: missing.length > 0 ? missing : undefined };
}

/** What Find Email and Find Emails in Bulk have in common. */
export const personLookup = {
	cost: '1 credit per email found',
	fields: [...personFields, manualLimit],
	lead: {
		fullName: { meanings: ['fullName'], forModel: 'First and last name of the person' },
		firstName: { meanings: ['firstName'] },
		lastName: { meanings: ['lastName'] },
		domain: {
			meanings: ['domain'],
			forModel: 'Domain of the company, e.g. acme.com, if you know it',
			isOptional: true,
		},
		company: {
			meanings: ['company'],
			forModel: 'Name of the company, if you do not know its domain',
			isOptional: true,
		},
		existingEmail: { meanings: ['email'] },
	},
	hitStatus: 'found',
	finds: 'email',
	kind: 'email',
	hasJobs: true,
	existing: {
		parameter: 'existingEmail',
		what: 'an email',
		read(text) {
			const email = toEmail(text);
			return canBeEmail(email) ? { fields: { email } } : undefined;
		},
	},
	// However the name is split, and in any case; a domain is preferred to a company (interface specification 4.5).
	identity: ({ firstName, lastName, fullName = `${firstName} ${lastName}`, ...others }) => {
		const { company, domain, ...rest } = others;
		const at = domain === undefined ? [company] : comparableDomain(domain);
		return JSON.stringify([fullName, at, rest]).toLowerCase();
	},
	columns: ['lookupStatus', 'email', 'emailStatus', 'lookupCredits', 'checkedAt'],
	prepare: toPersonQuestion,
} satisfies Partial<Lookup<Person>>;
