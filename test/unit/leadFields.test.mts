/**
 * @file Leads are recognized by the names of their fields: the rules one by one, and the headers of real exports, import
 * templates, forms and APIs (`headers.json`: the headers are as published, the values are made up).
 */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';

import type { Lead } from '../../nodes/shared/input/lead.ts';
import { LeadReader } from '../../nodes/shared/input/leadFields.ts';
import { LEAD_FIELDS, type Meaning } from '../../nodes/shared/input/leadNames.ts';
import { toDomain } from '../../nodes/shared/values/text.ts';
import { isRecord } from '../emulator/values.mts';
import { root } from '../machine/paths.mjs';
import { expectMade } from '../support/madePage.mts';

type Values = Partial<Record<Meaning, string>>;

/** What lookups use of a lead. `name` and `particle` count only as parts of the three names. */
function used({ found }: Lead): Values {
	const { name: _, particle: __, ...others } = found;
	const values = Object.entries(others).map(([meaning, { value }]) => [meaning, value]);
	return Object.fromEntries(values);
}

const readOf = (item: unknown, resultField?: string) =>
	used(new LeadReader(resultField).read(item));

const ada = 'Ada Lovelace';
const email = 'ada@acme.com';

describe('a field', () => {
	it.each([
		['Account Owner', ada],
		['Contact Owner', email],
		['Old Email', email],
		['Email Status', 'valid'],
		['Company LinkedIn URL', 'https://acme.com'],
		['Company Address', 'Acme Road 1'],
		['Previous Company Name', 'Acme'],
		['Secondary Email', email],
		["Assistant's Name", ada],
		['Property Name', ada],
		['Middle Name', 'King'],
		['Last Contacted', 'yesterday'],
		['First', 'Ada'],
		['Last', 'Lovelace'],
		['User Email', email],
		['url', 'https://acme.com'],
		['title', 'Countess'],
		['constructor', 'Ada'],
		['__proto__', 'Ada'],
		['', 'Ada'],
	])('%s is nothing: a name counts as a whole', (name, value) => {
		expect(readOf(JSON.parse(JSON.stringify(Object.fromEntries([[name, value]]))))).toEqual({});
	});

	it.each([
		['First Name', 'firstName'],
		['first_name', 'firstName'],
		['FIRSTNAME', 'firstName'],
		['firstName', 'firstName'],
		[' First-Name: ', 'firstName'],
		['Name (First)', 'firstName'],
		['Prénom', 'firstName'],
		['PRENOM', 'firstName'],
		['Pre\u0301nom', 'firstName'],
		['your-first-name', 'firstName'],
		['property_first_name', 'firstName'],
		['Surname', 'lastName'],
		['E-Mail', 'email'],
		['E-mail 1 - Value', 'email'],
		['Organization 1 - Name', 'company'],
		["Nom de l'entreprise", 'company'],
		['Raison sociale', 'company'],
		['Organização', 'company'],
	])('%s is recognized by its letters and digits alone', (name, meaning) => {
		const value = meaning === 'email' ? email : 'Ada';
		const { found } = new LeadReader().read({ [name]: value });
		expect(found).toEqual({ [meaning]: { value, field: name } });
	});

	it.each<[object, Values]>([
		[{ name: 'A B', 'Contact Name': 'C D' }, { fullName: 'C D' }],
		[{ 'Email 1': 'one@acme.com', 'Work Email': 'work@acme.com' }, { email: 'work@acme.com' }],
		[{ 'Work Email': 'work@acme.com', 'Email 1': 'one@acme.com' }, { email: 'work@acme.com' }],
		[{ website: 'b.com', domain: 'a.com' }, { domain: 'a.com' }],
		// The first one with a value counts, and of two that are as certain the first.
		[{ 'Work Email': '', 'Email 1': 'one@acme.com' }, { email: 'one@acme.com' }],
		[{ 'Work Email': null, 'Email 1': 'one@acme.com' }, { email: 'one@acme.com' }],
		[{ 'E-Mail': 'one@acme.com', Email: 'two@acme.com' }, { email: 'one@acme.com' }],
		[{ domain: 'Acme', website: 'a.com' }, { domain: 'a.com' }],
	])('that is more certain comes first: %j', (item, values) => {
		expect(readOf(item)).toEqual(values);
		const turned = Object.fromEntries(Object.entries(item).toReversed());
		if (!('Email' in item)) expect(readOf(turned)).toEqual(values);
	});

	it.each<[string, unknown]>([
		...['', ' \u200b', '-', 'n/a', 'N/A', 'null', '(none)'].map((text): [string, unknown] => [
			'Company',
			text,
		]),
		...['', 'n/a', 'Acme', 'Acme Inc.', 'a b.com', 'https://'].map((text): [string, unknown] => [
			'Website',
			text,
		]),
		...['n/a', 'Unknown', email, '17', 17].map((value): [string, unknown] => ['First Name', value]),
		...[true, {}, [], [[]], null, { deep: 'Ada' }].map((value): [string, unknown] => [
			'First Name',
			value,
		]),
	])('%s with %j holds nothing', (name, value) => {
		const { found, lacking } = new LeadReader().read({ [name]: value });
		expect(found).toEqual({});
		expect(Object.values(lacking)).toEqual([{ field: name, why: expect.any(String) }]);
	});

	it.each<[string, Values]>([
		['https://www.linkedin.com/company/acme', {}],
		['linkedin.com/company/acme', {}],
		['facebook.com/acme', {}],
		['https://x.com/acme', {}],
		['linkedin.com', { domain: 'linkedin.com' }],
		['https://www.linkedin.com/', { domain: 'https://www.linkedin.com/' }],
		['https://acme.com/linkedin', { domain: 'https://acme.com/linkedin' }],
		['https://api.whatsapp.com/send?phone=49', {}],
		['https://medium.com/@acme', {}],
		['https://www.notion.so/Acme-0123', {}],
		['https://airtable.com/app1/tbl1', {}],
		['https://www.google.com/maps/place/Acme', {}],
		['["acme.com"]', {}],
	])('for a website with %s, where a social page is none', (website, values) => {
		expect(readOf({ website })).toEqual(values);
	});

	it.each<[unknown, Values]>([
		[email, { email }],
		[[email, 'ada@home.com'], { email }],
		[{ value: email }, { email }],
		[[{ value: email, label: 'x' }], { email }],
		[[{ value: 'ada@home.com' }, { value: email, primary: true }], { email }],
		[
			[
				{ email: 'ada@home.com', category: 'personal' },
				{ email, category: 'work' },
			],
			{ email },
		],
		[
			[
				{ value: 'a@b.com', type: 'work' },
				{ value: email, primary: true },
			],
			{ email },
		],
		[[], {}],
		[[null, email], { email }],
		[[{ value: '', primary: true }, { value: 'n/a', type: 'work' }, { value: email }], { email }],
		[['call me', 'n/a', { value: email }], { email }],
		[[{ name: 'Ada Lovelace', address: email }], { email }],
		[{ Address: email }, { email }],
	])('for an email with %j', (value, values) => {
		expect(readOf({ emails: value })).toEqual(values);
	});

	it('for a company may hold an object with its name, one for names a number', () => {
		expect(readOf({ company: { name: 'Acme', id: 7 } })).toEqual({ company: 'Acme' });
		expect(readOf({ organization: [{ value: 'Acme' }] })).toEqual({ company: 'Acme' });
		expect(readOf({ domain: { value: 'acme.com' } })).toEqual({ domain: 'acme.com' });
		// Of several companies in one cell, as HubSpot exports them, the first.
		expect(readOf({ company: 'Acme; Acme Holding' })).toEqual({ company: 'Acme' });
		expect(readOf({ company: 'H&M; Acme' })).toEqual({ company: 'H&M' });
		expect(readOf({ company: 'Acme ::: Acme Holding' })).toEqual({ company: 'Acme' });
		// Of a record that another one names, the name.
		for (const company of [
			'Accounts::::Acme',
			'12;#Acme',
			'Acme (https://www.notion.so/Acme-0123?pvs=21)',
		]) {
			expect(readOf({ company })).toEqual({ company: 'Acme' });
		}
		expect(readOf({ 'Contact Name': `Contacts::::${ada}` })).toEqual({ fullName: ada });
		for (const company of ['Acme &amp; Sons', 'O&#8217;Acme', 'O&#x2019;Acme']) {
			expect(readOf({ company: `${company}; Holding` })).toEqual({ company });
		}
	});

	it.each(['recA1b2C3d4E5f6G7', '5f1c6f0e-0000-4000-8000-0123456789ab'])(
		'that links to another record is no name: %s',
		(id) => {
			expect(readOf({ Company: [id], Name: id })).toEqual({});
		},
	);
});

describe('an item', () => {
	it.each(['properties', 'fields', 'body', 'merge_fields'])(
		'with %s: they count after its own fields',
		(name) => {
			const inside = { email: 'inside@acme.com', company: { value: 'Acme' } };
			const values = { email, company: 'Acme' };
			for (const there of [inside, [inside]]) {
				expect(readOf({ [name]: there, 'E-Mail 1': email })).toEqual(values);
				expect(readOf({ [name]: there })).toEqual({ ...values, email: 'inside@acme.com' });
			}
			// Which of several leads is meant, nobody can tell.
			expect(readOf({ [name]: [inside, inside] })).toEqual({});
			expect(readOf({ other: inside })).toEqual({});
		},
	);

	it.each<[object, Values]>([
		// What a form calls itself is no half of the name that its visitor gave.
		[
			{ name: 'Contact Form', data: { 'First Name': 'Ada', 'Last Name': 'Lovelace' } },
			{ firstName: 'Ada', lastName: 'Lovelace' },
		],
		[{ name: 'Contact Form', body: { Name: ada } }, {}],
		[{ name: ada, body: { Name: ada } }, { fullName: ada }],
		[{ 'First Name': 'Ada', properties: { name: 'Eve Other' } }, { firstName: 'Ada' }],
		[{ 'First Name': 'Ada', properties: { 'Full Name': 'Ada Other' } }, { fullName: 'Ada Other' }],
		[{ name: 'Ada Lovelace', properties: { firstname: 'Ada' } }, { firstName: 'Ada' }],
		[{ 'Full Name': ada, properties: { firstname: 'Eve', lastname: 'Other' } }, { fullName: ada }],
		// Another person's website and email are not this one's.
		[
			{ 'Full Name': ada, fields: { 'Full Name': 'Eve Other', email, website: 'other.com' } },
			{ fullName: ada },
		],
		[
			{ 'Full Name': ada, fields: { firstname: 'Ada', lastname: 'Lovelace', email } },
			{ fullName: ada, email },
		],
		[{ 'Full Name': ada, body: { name: 'Eve Other', email } }, { fullName: ada }],
		[
			{ 'Full Name': ada, body: { name: 'Lovelace', email } },
			{ fullName: ada, email },
		],
		[
			{ 'Full Name': ada, properties: { name: 'Acme GmbH', domain: 'acme.com' } },
			{ fullName: ada, domain: 'acme.com' },
		],
		// Beside a person, `data` may be about anybody.
		[{ 'Full Name': ada, data: { email: 'owner@acme.com', company: 'Acme' } }, { fullName: ada }],
		[{ 'E-Mail': email, data: { Name: 'Eve Other' } }, { email }],
		[
			{ id: 7, Company: 'Acme', data: [{ Name: ada, email }] },
			{ fullName: ada, company: 'Acme', email },
		],
		// Mailchimp makes a full name of the halves, and a list may have a company there.
		[
			{ full_name: 'Acme GmbH', merge_fields: { FNAME: 'Ada', LNAME: 'Lovelace' } },
			{ firstName: 'Ada', lastName: 'Lovelace' },
		],
		// Of another person nothing is read, so what comes next counts.
		[
			{
				...{ 'First Name': 'Ada', 'Last Name': 'Lovelace', 'Email 1': email },
				...{ 'Contact Person': 'Eve Other', 'Contact Email': 'eve@acme.com' },
			},
			{ firstName: 'Ada', lastName: 'Lovelace', email },
		],
		// A status is of the email beside it.
		[{ emailStatus: 'valid', properties: { email } }, { email }],
		[
			{ email, properties: { email, emailStatus: 'valid' } },
			{ email, emailStatus: 'valid' },
		],
		[{ email, properties: { email: 'ida@acme.com', emailStatus: 'valid' } }, { email }],
		[{ email: '', 'E-Mail': email, emailStatus: 'valid' }, { email }],
		[{ email: '', emailStatus: 'valid', 'Work Email': email }, { email }],
		[
			{ 'Work Email': 'new@acme.com', 'E-mail': email, emailStatus: 'valid' },
			{ email, emailStatus: 'valid' },
		],
		[{ 'E-Mail': 'old@acme.com', email, emailStatus: '' }, { email }],
		// An empty status says that no lookup has found it.
		[{ 'Work Email': email, email: 'ada@home.com', emailStatus: null }, { email }],
		[
			{ emailStatus: 'valid', 'Work Email': email },
			{ email, emailStatus: 'valid' },
		],
		[{ properties: { email, emailStatus: 'valid' } }, { email, emailStatus: 'valid' }],
	])('takes a name from one of its objects, and a status with its email: %j', (item, values) => {
		expect(readOf(item)).toEqual(values);
	});

	it.each<[object, Values]>([
		[{ 'Contact Person': 'Eve Other', 'Contact Email': 'eve@acme.com' }, {}],
		[{ 'Contact Person': 'Dr. Ada Lovelace', 'Contact Email': email }, { email }],
		[{ 'Contact Name': 'Lovelace, Ada M.', 'Contact Email': email }, { email }],
		[{ 'Contact Name': 'A. Lovelace', 'Contact Email': email }, { email }],
		[{ 'Name 1': 'Acme', 'Email 1': email }, { email }],
		[{ 'Contact Name': 'Acme Ltd', 'Contact Email': email }, { email }],
		[
			{ Company: 'Acme', 'Contact Name': 'Acme', 'Contact Email': email },
			{ company: 'Acme', email },
		],
		[{ 'Contact Person': 'Eve Lovelace', 'Contact Email': 'eve@acme.com' }, {}],
		[{ 'Contact Person': 'Eve A. Lovelace', 'Contact Email': 'eve@acme.com' }, {}],
		[{ 'Contact Person': 'Eve & Bob Other', 'Contact Email': 'eve@acme.com' }, {}],
		[{ 'Contact First Name': 'Ada', 'Contact Email': email }, { email }],
		// A form in which somebody recommends her.
		[{ 'Your Name': 'Eve Other', 'Your Email': 'eve@acme.com' }, {}],
		[{ 'Your Name': 'Ada Lovelace', 'Your Email': email }, { email }],
		[{ 'Your Email': email }, { email }],
		// Notion.
		[{ property_contact_person: 'Eve Other', property_contact_email: 'eve@acme.com' }, {}],
		// A sheet with the same columns twice.
		[{ Name_1: 'Eve Other', Email_1: 'eve@acme.com' }, {}],
		[{ 'First Name 2': 'Eve', 'Last Name 2': 'Other', 'Email 2': 'eve@acme.com' }, {}],
		[{ 'First Name 2': 'Eve', 'Email 1': email }, { email }],
		[{ 'Cognome 2': 'Other', 'Email 2': 'eve@acme.com' }, {}],
		[
			{
				'Contact Person': 'Ada Lovelace',
				'Contact Person 2': 'Eve Other',
				'Email 2': 'eve@acme.com',
			},
			{},
		],
		[{ 'Contact Name_1': 'Eve Other', Email_1: 'eve@acme.com' }, {}],
		[{ 'Apellidos 2': 'Other', 'Email 2': 'eve@acme.com' }, {}],
		[
			{ 'Organization 1 - Name': 'Acme', 'E-mail 1 - Value': email },
			{ company: 'Acme', email },
		],
	])('with the email of somebody else has none: %j', (others, { email, company }) => {
		const names = { firstName: 'Ada', lastName: 'Lovelace' };
		const { found } = new LeadReader().read({ ...names, Email: '', ...others });
		expect(found.email?.value).toBe(email);
		expect(found.company?.value).toBe(company);
		expect([found.firstName?.value, found.lastName?.value]).toEqual(['Ada', 'Lovelace']);
	});

	it('of a form with its visitor and another name, which may be the form’s, has neither', () => {
		const visitor = { 'your-name': ada, 'your-email': email };
		const other = { name: 'Contact form', company: 'Acme' };
		for (const row of [
			{ ...visitor, ...other },
			{ ...other, ...visitor },
		]) {
			expect(readOf(row)).toEqual({ company: 'Acme', email });
			const { lacking } = new LeadReader().read(row);
			expect(lacking.name).toEqual({ field: 'name', why: 'differs from your-name' });
		}
		expect(readOf({ ...visitor, Name: 'ADA LOVELACE' })).toEqual({
			fullName: 'ADA LOVELACE',
			email,
		});
	});

	it('of a form in which somebody recommends her is at her company', () => {
		const eve = { 'Your Name': 'Eve Other', 'Your Company': 'Other', 'Your Website': 'other.com' };
		const own = { 'First Name': 'Ada', 'Last Name': 'Lovelace' };
		const lead = { firstName: 'Ada', lastName: 'Lovelace' };
		expect(readOf({ ...eve, ...own })).toEqual(lead);
		const work = { Company: 'Acme', Website: 'acme.com' };
		const there = { company: 'Acme', domain: 'acme.com' };
		expect(readOf({ ...eve, ...own, ...work })).toEqual({ ...lead, ...there });
		expect(readOf(eve)).toEqual({ fullName: 'Eve Other', company: 'Other', domain: 'other.com' });
		const halves = { 'Your First Name': 'Eve', 'Your Last Name': 'Other' };
		expect(readOf({ ...halves, ...own, ...work })).toEqual({ ...lead, ...there });
	});

	it.each<[object, Values]>([
		[{ Company: 'Ours', 'Organization Name': 'Acme' }, { company: 'Acme' }],
		[{ Company: 'Ours', 'Organization Name': '' }, {}],
		[{ company: 'Ours', company_name: null, website: 'acme.com' }, { domain: 'acme.com' }],
		[{ Company: 'Acme', 'Company Name for Emails': '' }, { company: 'Acme' }],
		[{ company: 'Acme', companyWebsite: '', website: 'blog.com' }, { company: 'Acme' }],
		[
			{ companyWebsite: 'linkedin.com/company/acme', website: 'blog.com', company: 'Acme' },
			{ company: 'Acme' },
		],
		// Linked Helper has a list of present and former employers.
		[{ website_1: 'blog.com', organization_website_1: 'old.com' }, {}],
		[
			{ website: 'facebook.com/acme', domain: 'facebook.com', Company: 'Acme' },
			{ company: 'Acme' },
		],
		[
			{ Homepage: '', Website: 'fb.com/acme', Domain: 'fb.com', Company: 'Acme' },
			{ company: 'Acme' },
		],
		[
			{ companyUrl: 'linkedin.com/company/medium-com', website: 'medium.com' },
			{ domain: 'medium.com' },
		],
		[
			{ site: 'https://es-la.facebook.com/acme', domain: 'facebook.com', Company: 'Acme' },
			{ company: 'Acme' },
		],
		// n8n's HubSpot node gives each property so.
		[{ website: { value: 'facebook.com/acme' }, domain: { value: 'facebook.com' } }, {}],
		[{ Website: ['', 'fb.com/acme'], Domain: 'fb.com', Company: 'Acme' }, { company: 'Acme' }],
		[{ Website: 'n/a', Domain: 'medium.com' }, { domain: 'medium.com' }],
		[{ Website: '', 'Organisation Website': 'acme.com' }, { domain: 'acme.com' }],
		[
			{ Website: 'facebook.com', Company: 'Facebook' },
			{ company: 'Facebook', domain: 'facebook.com' },
		],
		// ERPNext's opportunities.
		[{ party_name: 'Acme', company: 'Ours' }, {}],
		[{ Website: 'acme.com', 'Company Domain': '' }, { domain: 'acme.com' }],
	])('with a company and a website of somebody else has none: %j', (lead, values) => {
		expect(readOf(lead)).toEqual(values);
	});

	it('whose fields are all of one owner has its email', () => {
		const names = { 'Person - First name': 'Ada', 'Person - Last name': 'Lovelace' };
		const lead = { 'Person - Name': 'Countess', ...names, 'Person - Email - Work': email };
		expect(readOf(lead)).toMatchObject({ firstName: 'Ada', lastName: 'Lovelace', email });
	});

	it.each([
		['van', 'Dijk', 'van Dijk'],
		['van der', 'Dijk', 'van der Dijk'],
		['', 'Dijk', 'Dijk'],
		['van', 'van Dijk', 'van Dijk'],
	])('with the particle %j in front of %j has the last name %j', (particle, surname, lastName) => {
		const lead = { Voornaam: 'Jan', Tussenvoegsel: particle, Achternaam: surname };
		expect(readOf(lead)).toMatchObject({ firstName: 'Jan', lastName });
		expect(new LeadReader().read(lead).found.lastName?.field).toBe(
			lastName === surname ? 'Achternaam' : 'Tussenvoegsel, Achternaam',
		);
	});

	it.each(['Acme Pty Ltd', 'Acme (HK) Limited', 'Acme GmbH & Co. KG', 'Acme Inc.'])(
		'with the company %s in a field for full names has no name',
		(company) => {
			for (const field of ['Contact Name', 'Display Name']) {
				const { found, lacking } = new LeadReader().read({ [field]: company });
				expect(found).toEqual({});
				const { fullName = lacking.name } = lacking;
				expect(fullName?.why).toBe('looks like a company');
				expect(readOf({ [field]: company, Name: 'Ada' })).toEqual({});
			}
		},
	);

	it('with its company as its full name has none', () => {
		const { found, lacking } = new LeadReader().read({
			'Contact Person': 'Acme Co',
			Firma: 'Acme Co Ltd',
		});
		expect(found).not.toHaveProperty('fullName');
		expect(lacking.fullName?.why).toBe('looks like a company');
	});

	it('of Odoo has the name of the person, and none of a company', () => {
		const person = {
			display_name: 'Acme, Ada Lovelace',
			name: 'Ada Lovelace',
			company_name: 'Acme',
		};
		expect(readOf(person)).toEqual({ fullName: 'Ada Lovelace', company: 'Acme' });
		const company = { display_name: 'Azure Interior', name: 'Azure Interior' };
		expect(readOf({ ...company, website: 'azureinterior.com' })).not.toHaveProperty('fullName');
	});

	it('beside the other half of a name has half of one in its field for the whole', () => {
		const why = (row: object) => new LeadReader().read(row).lacking.fullName?.why;
		expect(why({ 'Contact Name': 'Mary Ann', Surname: 'Smith' })).toBe(
			'may be half a name: Surname is not in it',
		);
		expect(why({ 'Nom du contact': 'Le Goff', 'Prénom du contact': 'Jean' })).toBeDefined();
		for (const half of ['Dr. Lovelace', 'LOVELACE', 'L.', 'Love']) {
			expect(why({ 'Contact Name': 'Ada Lovelace', Surname: half })).toBeUndefined();
		}
		// Cold mails have the casual first name in a column of its own.
		expect(why({ 'Full Name': 'Robert Smith', 'First Name': 'Bob' })).toBeUndefined();
	});

	it('of a person who hides the name on LinkedIn has no name', () => {
		for (const row of [
			{ fullName: 'LinkedIn Member', firstName: 'LinkedIn', lastName: 'Member' },
			{ Name: 'LinkedIn Mitglied' },
			{ firstName: 'Utilisateur', lastName: 'LinkedIn' },
			{ fullName: 'Miembro de LinkedIn' },
		]) {
			const { found } = new LeadReader().read({ ...row, company: 'LinkedIn' });
			expect(found.fullName ?? (found.firstName && found.lastName)).toBeUndefined();
			expect(found.company?.value).toBe('LinkedIn');
		}
	});

	it('with one word as its name has half of one', () => {
		for (const row of [
			{ Nom: 'Dupont', PRENOM2: 'Jean' },
			{ Name: 'Ада' },
			{ 'Full Name': 'Ada' },
			{ Full_Name: 'Lovelace', First_Name: null, Last_Name: 'Lovelace' },
			{ Name: 'Ada (she/her)' },
			{ name: 'Ada 🔥' },
			{ name: 'Ada | Sales' },
			{ Name: 'Dr. Lovelace' },
			{ Contactpersoon: 'Dhr. de Vries' },
			{ 'Contact Name': 'Mr. & Mrs. Smith' },
			{ 'Contact Name': 'Mr. & Mrs.' },
			{ Ansprechpartner: 'Herr und Frau Weber' },
			{ 'Nom du contact': 'Madame Martin' },
			{ 'Nom du contact': 'MME LE GOFF' },
			{ Nominativo: 'Sig.ra Di Stefano' },
			{ fullName: 'Emily C.' },
			{ fullName: 'Maria José L.', firstName: 'Maria José', lastName: 'L. (She/Her)' },
			{ Contactpersoon: 'Mevr. Van den Berg' },
			{ Contactpersoon: "Dhr. in 't Veld" },
			{ Contactpersoon: "'t Hart" },
			{ Contactpersoon: '’t Hart' },
			{ Ansprechpartner: 'Frau zur Mühlen' },
			{ Nominativo: 'Sig. Lo Presti' },
			// Whoever is in there is somebody else.
			{ 'Full Name': 'Ada', data: { name: 'Eve Other', email } },
		]) {
			const { found, lacking } = new LeadReader().read(row);
			expect(found).not.toHaveProperty('fullName');
			expect(lacking.fullName?.why).toBe('is only half a name');
		}
		for (const fullName of ['Van Morrison', 'van morrison', 'le Gall Anne', 'Ada Lee, M. A.']) {
			expect(readOf({ Name: fullName })).toEqual({ fullName });
		}
		expect(readOf({ Name: '王小明' })).toEqual({ fullName: '王小明' });
		expect(readOf({ Nom: 'Dupont', 'Prénom(s)': 'Jean' })).toMatchObject({ lastName: 'Dupont' });
	});

	it.each<[object, string | undefined]>([
		[{ Name: 'Acme Robotics', 'Contact Name': '' }, undefined],
		[{ Nombre: 'María José', Apellidos: '' }, undefined],
		[{ Naam: 'van der Berg', Voornaam: null }, undefined],
		[{ Name: ada, 'First Name': '', 'Last Name': '' }, ada],
		[{ Name: ada, 'Full Name': '', 'First Name': 'Ada' }, ada],
	])('has no name beside an empty field for the whole or for one half: %j', (lead, fullName) => {
		expect(readOf(lead).fullName).toBe(fullName);
		expect(new LeadReader().read(lead).found).not.toHaveProperty('name');
	});

	it('with the halves of its name in one field, as forms have it, has both', () => {
		expect(readOf({ Name: { first: 'Ada', last: 'Lovelace' } })).toEqual({ fullName: ada });
	});

	it('with an empty last name has not the `name` in its place', () => {
		const lead = { 'First Name': 'Ada', 'Last Name': '', Name: 'Acme Robotics' };
		expect(readOf(lead)).toEqual({ firstName: 'Ada' });
	});

	it('with both surnames of a Spanish name has its email', () => {
		const lead = { Nombre: 'Ada', 'Apellido 1': 'Lovelace', apellido_2: 'Byron' };
		const names = { firstName: 'Ada', lastName: 'Lovelace' };
		for (const field of ['Email 1', 'Email 2']) {
			expect(readOf({ ...lead, [field]: email })).toEqual({ ...names, email });
		}
	});

	it('beside an empty name of a contact has no name of a person in its bare one', () => {
		const shop = { Nom: 'Boulangerie Petit', 'Nom du contact': '', 'Prénom du contact': 'Marie' };
		expect(readOf(shop)).toEqual({ firstName: 'Marie' });
	});

	it.each([
		{ Prénom: 'María José', Nom: 'Lovelace', 'Nom à afficher': '' },
		{ Nome: 'María José', Cognome: 'Lovelace', 'Nome visualizzato': email },
		{ Nombre: 'María José', Apellidos: 'Lovelace', 'Nombre completo': '' },
		{ Nome: 'María José', Sobrenome: 'Lovelace', 'Mostrar nome': null },
		{ first_name: 'María José', name: 'Lovelace', full_name: null },
	])('beside an empty display name has both halves of its name: %j', (lead) => {
		const { firstName, lastName } = readOf(lead);
		expect({ firstName, lastName }).toEqual({ firstName: 'María José', lastName: 'Lovelace' });
	});

	it.each(['Mr.', 'Frau', 'Frau Dr.', 'Dott.ssa'])(
		'with %s as its first name has none',
		(title) => {
			const { found, lacking } = new LeadReader().read({ Vorname: title, Nachname: 'Hopper' });
			expect(found).not.toHaveProperty('firstName');
			expect(lacking.firstName).toEqual({ field: 'Vorname', why: 'is only a title' });
		},
	);

	it('with LinkedIn behind a bar has a name', () => {
		expect(readOf({ Name: 'Ada Lovelace | LinkedIn' }).fullName).toBe('Ada Lovelace | LinkedIn');
	});

	it('with an apostrophe in the last name is nobody else of that family', () => {
		const twice = { Name_1: "Davide D'Angelo", Email_1: 'davide@acme.com' };
		const fullName = "Maria D'Angelo";
		expect(readOf({ Name: fullName, Email: '', ...twice })).toEqual({ fullName });
	});

	it('with an initial for the last name has the full name of another field', () => {
		const lead = { 'First Name': 'Ada', 'Last Name': 'L.', 'Contact Name': ada };
		expect(readOf(lead)).toEqual({ firstName: 'Ada', fullName: ada });
		const turned = { 'Full Name': 'A. Lovelace', 'Contact Name': ada, 'Contact Email': email };
		expect(readOf(turned)).toEqual({ fullName: 'A. Lovelace', email });
	});

	it('has no name of halves of two people', () => {
		const contact = { 'Contact First Name': 'Eve', 'Contact Last Name': 'Other' };
		const half = { 'First Name': 'Ada', 'Last Name': '', ...contact };
		expect(readOf(half)).toEqual({ firstName: 'Ada' });
		expect(readOf({ 'First Name': '', 'Last Name': '', ...contact })).toEqual({
			firstName: 'Eve',
			lastName: 'Other',
		});
		const mixed = { 'Contact First Name': 'Ada', Surname: 'Lovelace' };
		expect(readOf(mixed)).toEqual({ firstName: 'Ada', lastName: 'Lovelace' });
	});

	it('with a field for the result: what is in it comes before all', () => {
		const item = { lookup: { email, emailStatus: 'valid' }, 'Work Email': 'old@acme.com' };
		expect(readOf(item, 'lookup')).toEqual({ email, emailStatus: 'valid' });
		expect(readOf(item)).toEqual({ email: 'old@acme.com' });
		const missed = { lookup: { email: null, emailStatus: null }, 'Work Email': 'old@acme.com' };
		expect(readOf(missed, 'lookup')).toEqual({ email: 'old@acme.com' });
		expect(readOf({ ...item, lookup: 'text' }, 'lookup')).toEqual({ email: 'old@acme.com' });
		// A sheet makes a text of it.
		const inSheet = { ...item, lookup: JSON.stringify(item.lookup) };
		expect(readOf(inSheet, 'lookup')).toEqual({ email, emailStatus: 'valid' });
	});

	it('behind a lookup of this package: `email` is what that has found', () => {
		const row = { 'Work Email': 'old@acme.com', email };
		expect(readOf(row)).toEqual({ email: 'old@acme.com' });
		expect(readOf({ ...row, emailStatus: 'valid' })).toEqual({ email, emailStatus: 'valid' });
		expect(readOf({ ...row, email: null, emailStatus: null })).toEqual({ email: 'old@acme.com' });
	});

	it('of an export of Pipedrive is read', () => {
		const lead = {
			...{ 'Person - Name': ada, 'Person - First name': 'Ada', 'Person - Last name': 'Lovelace' },
			...{ 'Person - Organization': 'Acme', 'Person - Email - Work': '' },
			...{ 'Person - Email - Home': email, 'Person - Owner': 'Eve Other' },
		};
		const names = { fullName: ada, firstName: 'Ada', lastName: 'Lovelace' };
		expect(readOf(lead)).toEqual({ ...names, company: 'Acme', email });
	});

	it.each(['Email Status', 'email_status', 'EmailStatus', 'emailstatus', 'Status', 'verified'])(
		'has no status in %s: that is the verdict of another tool',
		(name) => {
			expect(readOf({ [name]: 'valid' })).toEqual({});
		},
	);

	it.each<[object, Values]>([
		[{ Name: ada }, { fullName: ada }],
		[
			{ Vorname: 'Ada', Name: 'Lovelace' },
			{ firstName: 'Ada', lastName: 'Lovelace' },
		],
		[
			{ Nom: 'Lovelace', Prénom: 'Ada' },
			{ firstName: 'Ada', lastName: 'Lovelace' },
		],
		[
			{ Nombre: 'Ada', Apellidos: 'Lovelace' },
			{ firstName: 'Ada', lastName: 'Lovelace' },
		],
		[
			{ Nome: 'Ada', Cognome: 'Lovelace' },
			{ firstName: 'Ada', lastName: 'Lovelace' },
		],
		// A name that holds the other half is the full name.
		[
			{ first_name: 'ada', name: ada },
			{ firstName: 'ada', fullName: ada },
		],
		[
			{ first_name: 'Ada Augusta', name: 'Ada Augusta Lovelace' },
			{ firstName: 'Ada Augusta', fullName: 'Ada Augusta Lovelace' },
		],
		[
			{ last_name: 'Lovelace', name: 'Lovelace, Ada' },
			{ lastName: 'Lovelace', fullName: 'Lovelace, Ada' },
		],
		// Also without the titles of the half. A particle in both says nothing.
		[
			{ Nombre: 'María de los Ángeles', Apellidos: 'de la Torre' },
			{ firstName: 'María de los Ángeles', lastName: 'de la Torre' },
		],
		[
			{ 'First Name': 'Dr. Ada (Augusta)', Name: ada },
			{ firstName: 'Dr. Ada (Augusta)', fullName: ada },
		],
		[
			{ Name: 'María José', Surnames: 'García López' },
			{ firstName: 'María José', lastName: 'García López' },
		],
		[
			{ first_name: 'Al', name: 'Alston' },
			{ firstName: 'Al', lastName: 'Alston' },
		],
		[
			{ name: 'Ada Lo', first_name: 'Ada', last_name: 'Lovelace' },
			{ fullName: 'Ada Lo', firstName: 'Ada', lastName: 'Lovelace' },
		],
		// A half that is there twice is no full name.
		[{ 'First Name': 'Ada', 'Last Name': '', Name: 'ADA' }, { firstName: 'Ada' }],
		[{ 'First Name': 'Ada Augusta', Name: 'Ada' }, { firstName: 'Ada Augusta' }],
		// Beside another full name, it is a half only where that holds it.
		[
			{ 'Contact Name': ada, Vorname: 'Ada', Name: 'Lovelace' },
			{ fullName: ada, firstName: 'Ada', lastName: 'Lovelace' },
		],
		[
			{ 'Contact Name': ada, Vorname: 'Ada', Name: 'Acme' },
			{ fullName: ada, firstName: 'Ada' },
		],
	])('with a name: %j', (item, values) => {
		expect(readOf(item)).toEqual(values);
	});

	it.each<[object, isPerson: boolean]>([
		[{ Name: 'Acme GmbH' }, false],
		[{ Nombre: 'Bombas SL', Web: 'bombas.es' }, false],
		[{ Nom: 'SARL Dupont' }, false],
		[{ Name: 'Acme B.V.', Vorname: 'Ada' }, false],
		[{ Name: 'Acme & Associates' }, false],
		[{ Name: 'Acme Foods', Company: 'Acme Foods, Inc.' }, false],
		[{ Name: 'Acme Foods Ltd', Company: 'Acme Foods Ltd' }, false],
		[{ Name: 'Acme Foods GmbH', Company: 'Acme Foods' }, false],
		[{ Name: 'Acme Foods', Company: 'Acme Foods GmbH & Co. KG' }, false],
		[{ Name: 'Acme Ltd', Company: 'Example' }, false],
		[{ Name: 'SAS Institute', Company: 'SAS Institute' }, false],
		[{ Name: 'Acme & Sons', Company: 'Acme & Sons' }, false],
		[{ Name: 'Acme', Website: 'www.acme.com' }, false],
		[{ Nom: "Boulangerie de l'Exemple", 'Site web': 'boulangerie-exemple.fr' }, false],
		[{ Name: 'Jo Huber', Website: 'huber.de' }, true],
		[{ Name: 'ada lovelace', Website: '' }, true],
		[{ Name: 'Agnes Incze' }, true],
		[{ Name: 'Maria de Sá', Website: 'acme.com' }, true],
		// Where the company has another name, and where it is sure to be a person's.
		[{ Name: 'Ada Lovelace', Company: 'Ada Lovelace & Partners' }, true],
		[{ Name: 'Acme Holding', Website: 'acmeholding.com', Company: 'Acme' }, true],
		[{ 'Full Name': 'KG Menon' }, true],
	])('of a list of companies has no name of a person: %j', (item, isPerson) => {
		const { found, lacking } = new LeadReader().read(item);
		expect(found.fullName !== undefined).toBe(isPerson);
		expect(found.lastName).toBeUndefined();
		const why = { field: Object.keys(item)[0], why: 'looks like a company' };
		expect(lacking.name).toEqual(isPerson ? undefined : why);
	});

	it('says of each field why it is not read', () => {
		const why = (row: object) => new LeadReader().read(row).lacking;
		expect(why({ firstName: 'Emily', lastName: 'C.' }).lastName?.why).toBe('is only an initial');
		const blog = { companyUrl: '', companyWebsite: '', website: 'blog.com', Company: '' };
		expect(why(blog).domain).toEqual({ field: 'website', why: "may be the person's own" });
		expect(why({ companyUrl: '', companyWebsite: '' }).domain?.field).toBe('companyWebsite');
		const ours = { Company: 'Ours', 'Company Name': '' };
		expect(why(ours).company).toEqual({ field: 'Company', why: 'may be your own' });
		expect(why({ Company: ['recA1b2C3d4E5f6G7'] }).company?.why).toBe('holds no name');
		expect(why({ Company: [''] }).company?.why).toBe('is empty in this row');
		expect(why({ Company: { value: '' } }).company?.why).toBe('is empty in this row');
		expect(why({ Name: { first: '', last: null } }).name?.why).toBe('is empty in this row');
		expect(why({ Company: { Id: 1, Title: 'Acme' } }).company?.why).toBe(
			'holds an object that is not read',
		);
	});

	it('that says it is a company has no name of a person', () => {
		for (const is of [{ is_company: true }, { is_company: 'True' }, { 'Is a Company': '1' }]) {
			const { found, lacking } = new LeadReader().read({ name: 'Acme Works', web: 'a.com', ...is });
			expect(found.fullName).toBeUndefined();
			expect(lacking.name?.why).toBe('looks like a company');
		}
		expect(readOf({ name: ada, is_company: false })).toEqual({ fullName: ada });
	});

	it('whose names are known is read like the first one', () => {
		const reader = new LeadReader();
		const rows = [{ Name: ada, Web: 'acme.com' }, { Name: '' }, { Name: 'Ida Rhodes', Web: 'x' }];
		expect(rows.map((row) => used(reader.read(row)))).toEqual(rows.map((row) => readOf(row)));
	});

	it('may be any JSON: nothing is thrown, and the item stays as it is', () => {
		const known = Object.values(LEAD_FIELDS).flatMap((names) => names.trim().split(/\s*,\s*/));
		const containers = ['properties', 'fields', 'body', 'data', 'result', 'emailStatus'];
		const key = fc.oneof(
			fc.constantFrom(...known, ...containers, 'value', 'primary', 'type', 'name', 'email'),
			fc.constantFrom('__proto__', 'constructor', 'toString', ''),
			fc.string({ unit: 'binary', maxLength: 5 }),
		);
		const text = fc.constantFrom(ada, 'Ada', email, 'acme.com', 'n/a', '{{ $json.a }}', 'work');
		const values = [text, fc.string({ unit: 'binary' }), fc.constantFrom(null, true, 7, -0.5)];
		const value = fc.anything({ key, values, maxKeys: 8, maxDepth: 3 });
		const item = fc.oneof(value, fc.dictionary(key, fc.oneof(text, value), { maxKeys: 12 }));
		let read = 0;
		fc.assert(
			fc.property(item, (any) => {
				const json: unknown = JSON.parse(JSON.stringify(any));
				const before = JSON.stringify(json);
				const { found } = new LeadReader('result').read(json);
				expect(JSON.stringify(json)).toBe(before);
				for (const { value } of Object.values(found)) expect(value).toMatch(/\S/);
				read += Object.keys(found).length;
			}),
			{ numRuns: 2_000 },
		);
		expect(read).toBeGreaterThan(500);
		for (const none of [undefined, null, 'text', 5, []]) expect(readOf(none)).toEqual({});
	});
});

interface Row {
	name: string;
	source: string;
	language: string;
	row: Record<string, unknown>;
	expected: Values;
	/** Why something that a reader of the row would know stays empty. */
	left?: string;
	/** Why something else is read than is expected. */
	misread?: string;
}

const headers: Row[] = JSON.parse(
	await readFile(join(root, 'test', 'unit', 'headers.json'), 'utf8'),
);

/** A website counts by its host. */
const comparable = ({ domain, ...values }: Values) => ({
	...values,
	...(domain !== undefined && { domain: toDomain(domain) }),
});

describe('what another lookup or an odd row has', () => {
	it.each<[string, Record<string, unknown>, Values, resultField?: string]>([
		[
			'a company that was found is no person',
			{ Name: ada, Company: 'Acme', lookup: { status: 'found', name: 'Acme', domain: 'acme.com' } },
			{ fullName: ada, company: 'Acme', domain: 'acme.com' },
			'lookup',
		],
		['a name that is the company', { Name: 'Acme', Company: 'ACME' }, { company: 'ACME' }],
		[
			'accents',
			{ 'First Name': 'José', Name: 'Jose Garcia', Company: 'Acme' },
			{ firstName: 'José', fullName: 'Jose Garcia', company: 'Acme' },
		],
		[
			'a word hides no email',
			{ 'Work Email': 'not found', Email: email, Name: ada },
			{ fullName: ada, email },
		],
		['a word is no email', { Email: 'not found' }, {}],
		['what is nearly an email is what is verified', { Email: 'ada@acme' }, { email: 'ada@acme' }],
		['a number is no website', { Internet: '16.000', Firma: 'Acme' }, { company: 'Acme' }],
		[
			'an expression with blanks is kept, to be refused',
			{ Website: '{{ $json.website }}', Homepage: '', Company: 'Acme' },
			{ domain: '{{ $json.website }}', company: 'Acme' },
		],
	])('%s', (_, item, values, resultField) => {
		expect(readOf(item, resultField)).toEqual(values);
	});
});

describe('real headers', () => {
	it.each(headers)('$language: $name', ({ row, expected, misread }) => {
		const read = comparable(readOf(row));
		if (misread === undefined) {
			expect(read).toEqual(comparable(expected));
			return;
		}
		// The note goes when the row is read right. Nobody else is looked up meanwhile.
		expect(read).not.toEqual(comparable(expected));
		const named = ({ fullName, firstName, lastName }: Values) => [fullName, firstName, lastName];
		const isLookedUp = read.domain !== undefined || read.company !== undefined;
		if (isLookedUp) expect(named(read)).toEqual(named(expected));
	});

	it('are many, in seven languages, each with its public source', () => {
		const languages = Map.groupBy(headers, ({ language }) => language);
		expect([...languages.keys()].toSorted()).toEqual(['de', 'en', 'es', 'fr', 'it', 'nl', 'pt']);
		for (const rows of languages.values()) expect(rows.length).toBeGreaterThanOrEqual(3);
		expect(headers.length).toBeGreaterThanOrEqual(70);
		const place = /^(?:https?:\/\/|github\.com\/)[\w-]+[./]\S+( \S+)?$/;
		for (const { source } of headers) {
			for (const one of source.split('; ')) expect(one).toMatch(place);
		}
		expect(new Set(headers.map(({ name }) => name)).size).toBe(headers.length);
		expect(headers.every(({ row }) => isRecord(row))).toBe(true);
	});

	it('are read right but for a few', () => {
		const right = headers.filter(({ misread }) => misread === undefined);
		expect(right.length / headers.length).toBeGreaterThanOrEqual(0.95);
	});
});

const LABELS: Record<keyof typeof LEAD_FIELDS, string> = {
	fullName: 'Full Name',
	name: 'Full Name, or a half of it (see below)',
	firstName: 'First Name',
	lastName: 'Last Name',
	particle: 'In front of the last name',
	domain: 'Company Domain',
	company: 'Company Name',
	email: 'Email, Existing Email',
};

function namesTable(): string {
	const rows = Object.entries(LABELS).map(([meaning, label]) => {
		const names = LEAD_FIELDS[meaning as keyof typeof LEAD_FIELDS].trim().split(/\s*,\s*/);
		return `| ${label} | ${names.join(', ')} |`;
	});
	const head = '| What is read | Names, the more certain first |\n| --- | --- |';
	return [head, ...rows, '| Existing Status | `emailStatus`, in exactly this spelling |'].join(
		'\n',
	);
}

function leftTable(): string {
	const rows = headers.flatMap(({ name, left, misread }) =>
		left === undefined && misread === undefined ? [] : [`| ${name} | ${left ?? misread} |`],
	);
	const text = `Tried with the headers of ${headers.length} exports, import templates, forms and APIs. In these, something stays empty or is read from another field:`;
	return [text, '', '| Where from | Why |', '| --- | --- |', ...rows].join('\n');
}

test('docs/lead-fields.md has these tables (npm run lead-fields)', async () => {
	await expectMade('lead-fields.md', { names: namesTable(), headers: leftTable() });
});
