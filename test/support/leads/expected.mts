/**
 * What the nodes should give out for the people and companies of the fixtures, field by field as the
 * contract names them. Nothing here comes from the nodes.
 */
import type { IDataObject } from 'n8n-workflow';

import { expectedVerification, type EmailStatus } from '../../emulator/addresses.mts';
import {
	Fixtures,
	type Company,
	type Lead,
	type LeadList,
	type Person,
} from '../../emulator/fixtures.mts';
import { networkUrl } from '../../emulator/operations/profile.mts';
import { mainVariants } from '../../emulator/variants.mts';

/** The same as those of a service with the default seed, with or without those of the demo. */
export const fixtures = new Fixtures({ demo: true });

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

/** What Find Email and Find Emails in Bulk give for a person, beside what was looked up. */
export function foundEmail(person: FindablePerson, asked: IDataObject): IDataObject {
	const { email_status: emailStatus } = expectedVerification(person.email);
	return { lookupStatus: 'found', email: person.email, emailStatus, ...asked };
}

function nameOf({ full, first, last }: Person) {
	return { fullName: full, firstName: first, lastName: last };
}

/** A row of a job of its own: nobody but the row names the person and the company. */
export function foundRow(person: FindablePerson): IDataObject {
	return foundEmail(person, {
		...nameOf(person),
		company: person.company.name,
		domain: person.company.domain,
	});
}

/** A miss of any finder, beside what was looked up. */
export function notFound(asked: IDataObject): IDataObject {
	return { lookupStatus: 'not_found', email: null, emailStatus: null, ...asked };
}

/** What the verifier gives for an address that has the form of one. */
export function verified(email: string, mailboxType = 'professional'): IDataObject {
	const { email_status: emailStatus } = expectedVerification(email);
	return { lookupStatus: 'verified', email, emailStatus, mailboxType };
}

/** What people sort companies by, in the words of the package. */
export function companyFields(company: Company): IDataObject {
	const { id, name, domain, industry, employees, place } = company;
	return {
		name,
		domain,
		website: `https://www.${domain}`,
		industry,
		type: id % 2 === 0 ? 'private' : 'public',
		employeeCount: employees,
		revenue: employees < 500 ? '$1M to $50M' : '$50M to $1B',
		city: place.city,
		country: place.country,
		profileUrl: `https://network.example/company/${id}`,
	};
}

function profileUrl(person: Person): string {
	return `https://${networkUrl(person, { ...mainVariants(), networkUrlScheme: 'never' })}`;
}

export function listLead({ id, person, email }: Lead): IDataObject {
	const { company } = person;
	return {
		id,
		...nameOf(person),
		email,
		emailStatus: email && expectedVerification(email).email_status,
		domain: company.domain,
		location: person.location,
	};
}

export function exportedLead({ person, email }: Lead): IDataObject {
	return {
		...nameOf(person),
		email,
		title: person.title,
		company: person.company.name,
		domain: person.company.domain,
		location: person.location,
		companyIndustry: person.company.industry,
		profileUrl: profileUrl(person),
	};
}

export function companyLead(person: Person): IDataObject {
	const status = person.email === null ? null : expectedVerification(person.email).email_status;
	const { month, year } = person.started;
	return {
		...nameOf(person),
		title: person.title,
		email: person.email,
		emailStatus: status,
		company: person.company.name,
		domain: person.company.domain,
		location: person.location,
		startedAt: `${year}-${month < 10 ? '0' : ''}${month}`,
	};
}
