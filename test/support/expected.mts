/**
 * What the nodes should give out for the people and companies of the fixtures, field by field as the
 * contract names them. Nothing here comes from the nodes.
 */
import type { IDataObject } from 'n8n-workflow';

import { expectedVerification, type EmailStatus } from '../service/addresses.mts';
import {
	Fixtures,
	type Company,
	type Lead,
	type LeadList,
	type Person,
} from '../service/fixtures.mts';
import { networkUrl } from '../service/operations/profile.mts';
import { mainVariants } from '../service/variants.mts';

/** The same as those of a service with the default seed. */
export const fixtures = new Fixtures();

/** A value that has to be there for a test to mean anything. */
export function known<Value>(value: Value | null | undefined): Value {
	if (value === null || value === undefined) throw new Error('The fixtures lack a value');
	return value;
}

/** The entries that match; an empty list would let a test pass for no reason. */
export function some<Value>(values: readonly Value[], matches: (value: Value) => boolean): Value[] {
	const matching = values.filter(matches);
	if (matching.length === 0) throw new Error('The fixtures have nothing that matches');
	return matching;
}

/** Someone of whom the finder knows an address. */
export interface FindablePerson extends Person {
	email: string;
}

const isFindable = (person: Person): person is FindablePerson => person.email !== null;

/** The first person whose address has this verification status. */
export function personWith(status: EmailStatus): FindablePerson {
	const findable = fixtures.people.filter(isFindable);
	return known(findable.find(({ email }) => expectedVerification(email).email_status === status));
}

/** A person of whom no address is known. */
export const unfindable = known(fixtures.people.find(({ email }) => email === null));

export function list(id: number): LeadList {
	return known(fixtures.list(id));
}

/** What the service says of an address of each status. */
export const statusMessages: Record<EmailStatus, string> = {
	valid: 'Mail to this address arrives.',
	'catch-all': 'Nothing at this domain is ever turned away.',
	invalid: 'Nobody has this address.',
	unknown: 'No word from the mail server so far.',
};

/** A finder result without any value. */
export const nothingFound = {
	email: null,
	emailStatus: null,
	emailStatusMessage: null,
	result: null,
	pattern: null,
	firstName: null,
	lastName: null,
	fullName: null,
	company: null,
	domain: null,
	country: null,
	companyId: null,
	accuracy: null,
};

/** What Find Email gives for a person, but for what was asked: the service does not repeat that. */
export function foundEmail(person: FindablePerson, asked: IDataObject): IDataObject {
	const status = expectedVerification(person.email).email_status;
	return {
		status: 'found',
		...nothingFound,
		email: person.email,
		emailStatus: status,
		emailStatusMessage: statusMessages[status],
		pattern: person.company.pattern,
		...asked,
	};
}

/** What Find Emails in Bulk gives for a person: its rows name person and company. */
export function foundRow(person: FindablePerson): IDataObject {
	const status = expectedVerification(person.email).email_status;
	return {
		status: 'found',
		...nothingFound,
		email: person.email,
		emailStatus: status,
		emailStatusMessage: statusMessages[status],
		firstName: person.first,
		lastName: person.last,
		fullName: person.full,
		company: person.company.name,
		domain: person.company.domain,
		companyId: person.company.id,
	};
}

/** A miss of any finder: the same fields, with what was asked. */
export function notFound(asked: IDataObject): IDataObject {
	return { status: 'not_found', ...nothingFound, ...asked };
}

/** What the verifier gives for an address that has the form of one. */
export function verified(email: string, mailboxType = 'professional'): IDataObject {
	const domain = email.slice(email.indexOf('@') + 1).toLowerCase();
	const status = expectedVerification(email).email_status;
	return {
		status: 'verified',
		email,
		emailStatus: status,
		message: statusMessages[status],
		result: null,
		format: 'valid',
		mailboxStatus: status,
		mailboxType,
		mailExchange: `mx1.${domain}`,
		emailDomain: domain,
	};
}

/** A company without its status as a lookup. */
export function companyFields(company: Company): IDataObject {
	const { id, name, domain, industry, specialties, employees, place } = company;
	const small = employees < 500;
	return {
		id,
		name,
		domain,
		website: `https://www.${domain}`,
		industry,
		type: id % 2 === 0 ? 'private' : 'public',
		profileUrl: `https://network.example/company/${id}`,
		specialties,
		revenue: small ? '$1M to $50M' : '$50M to $1B',
		employeeCount: employees,
		employeeCountRange: small ? '1-500' : '501-20000',
		address: `${id} Market Street`,
		city: place.city,
		region: place.area,
		postalCode: place.postalCode,
		country: place.country,
		directoryUrl: `https://directory.example/${id}`,
		logoUrl: `https://logos.example/${domain}.svg`,
	};
}

function profileUrl(person: Person): string {
	return `https://${networkUrl(person, { ...mainVariants(), networkUrlScheme: 'never' })}`;
}

export function listLead({ id, person, email }: Lead): IDataObject {
	const { company } = person;
	return {
		id,
		name: person.full,
		firstName: person.first,
		lastName: person.last,
		email,
		emailStatus: email && expectedVerification(email).email_status,
		profileUrl: profileUrl(person),
		location: person.location,
		domain: company.domain,
		companyIndustry: company.industry,
		companyFounded: String(company.founded),
		companySize: company.employees,
		companyHeadquarters: `${company.place.city}, ${company.place.country}`,
	};
}

export function exportedLead({ person, email }: Lead): IDataObject {
	return {
		firstName: person.first,
		lastName: person.last,
		email,
		title: person.title,
		location: person.location,
		company: person.company.name,
		domain: person.company.domain,
		companyIndustry: person.company.industry,
		profileUrl: profileUrl(person),
	};
}

export function companyLead(person: Person): IDataObject {
	const status = person.email === null ? null : expectedVerification(person.email).email_status;
	const { month, year } = person.started;
	return {
		firstName: person.first,
		lastName: person.last,
		fullName: person.full,
		title: person.title,
		location: person.location,
		positionLocation: person.location,
		startedAt: `${year}-${month < 10 ? '0' : ''}${month}`,
		email: person.email,
		emailStatus: status,
		emailStatusMessage: status && statusMessages[status],
		companyName: person.company.name,
		companyDomain: person.company.domain,
	};
}
