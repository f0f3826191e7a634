/**
 * @file Leads are recognized by the names of their fields: the rules one by one, and the headers of real exports, import
 * templates, forms and APIs (`headers.json`: the headers are as published, the values are made up).
 */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';

import type { Lead } from '../../nodes/shared/lead/lead.ts';
import { LeadReader } from '../../nodes/shared/lead/reader.ts';
import { LEAD_FIELDS, type Meaning } from '../../nodes/shared/lead/columnNames.ts';
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

/** Why fields hold nothing, e.g. `Name looks like a company`. */
function whysOf(item: object): string[] {
	const { lacking } = new LeadReader().read(item);
	return Object.values(lacking).map(({ field, why }) => `${field} ${why}`);
}

const ada = 'Ada Lovelace';
const email = 'ada@acme.com';
const eve = 'eve@acme.com';

/** What is read of many items. */
const nobody = {};
const first = { firstName: 'Ada' };
const halves = { firstName: 'Ada', lastName: 'Lovelace' };
const whole = { fullName: ada };
const wholeAndFirst = { fullName: ada, firstName: 'Ada' };
const withEmail = { fullName: ada, email };
const acme = { company: 'Acme' };
const atAcme = { company: 'Acme', email };
const checked = { email, emailStatus: 'valid' };

/** The halves of a name in the fields of a sheet, and in those of an API. */
const inSheet = { 'First Name': 'Ada', 'Last Name': 'Lovelace' };
const inApi = { firstname: 'Ada', lastname: 'Lovelace' };

describe('a field', () => {
	const nothing = `Account Owner|Contact Owner|Old Email|Email Status|Company LinkedIn URL|Company Address|
		Previous Company Name|Secondary Email|Assistant's Name|Property Name|Middle Name|Last Contacted|First|Last|
		Kontaktinhaber|Lead-Inhaber|Lead-Inhaber: E-Mail|Kontaktinhaber: Vollständiger Name|
		User Email|url|title|constructor|__proto__|`;

	it.each(nothing.split(/\|\s*/))('%j is nothing: a name counts as a whole', (name) => {
		for (const value of [ada, email, 'https://acme.com']) {
			expect(readOf(JSON.parse(JSON.stringify(Object.fromEntries([[name, value]]))))).toEqual({});
		}
	});

	it.each<[Meaning, names: string]>([
		['firstName', 'First Name|first_name|FIRSTNAME|firstName| First-Name: |Name (First)'],
		['firstName', 'Prénom|PRENOM|Pre\u0301nom|your-first-name|property_first_name'],
		['lastName', 'Surname'],
		['email', 'E-Mail|E-mail 1 - Value'],
		['company', "Organization 1 - Name|Nom de l'entreprise|Raison sociale|Organização"],
	])('for the %s is recognized by its letters and digits alone: %s', (meaning, names) => {
		const value = meaning === 'email' ? email : 'Ada';
		for (const field of names.split('|')) {
			const { found } = new LeadReader().read({ [field]: value });
			expect(found).toEqual({ [meaning]: { value, field } });
		}
	});

	it.each<[string, unknown[]]>([
		['Company', ['', ' \u200b', '-', 'n/a', 'N/A', 'null', '(none)']],
		['Website', ['', 'n/a', 'Acme', 'Acme Inc.', 'a b.com', 'https://']],
		['First Name', ['n/a', 'Unknown', email, '17', 17, true, {}, [], [[]], null, { deep: 'Ada' }]],
	])('%s holds nothing with any of %j', (field, values) => {
		for (const value of values) {
			const { found, lacking } = new LeadReader().read({ [field]: value });
			expect(found).toEqual({});
			expect(Object.values(lacking)).toEqual([{ field, why: expect.any(String) }]);
		}
	});

	const noCompany = `No|keine|TBA|Career Break|Open to work|Looking for new opportunities|Stealth Startup|Particulier|particuler|privat|Private|Self|Student|Aucun|Aucune|Sin empresa|Non renseigné|non renseignée|
		individual|independent|privato|particular|ninguna|nessun|nessuna|geen|étudiant|étudiante|estudiante|Rentner|Rentnerin|
		retraité|retraitée|jubilado|jubilada|not specified|no company|sans entreprise|keine Firma|ohne Firma|senza azienda|
		geen bedrijf|Freelance / Self-employed|(Investor)`;

	it.each(noCompany.split(/\|\s*/))('for a company with %j holds none', (company) => {
		expect(readOf({ company })).toEqual({});
	});

	const named = Object.entries(LEAD_FIELDS).filter(([meaning]) => meaning !== 'particle');

	it.each(named)('for the %s has each of its names', (meaning, names) => {
		const value = { email, domain: 'acme.com' }[meaning] ?? ada;
		for (const field of names.trim().split(/\s*,\s*/)) {
			const { found } = new LeadReader().read({ [field]: value });
			expect(found).toEqual({ [meaning === 'name' ? 'fullName' : meaning]: { value, field } });
		}
	});

	const social = `https://www.linkedin.com/company/acme linkedin.com/company/acme facebook.com/acme
		https://x.com/acme https://api.whatsapp.com/send?phone=49 https://medium.com/@acme gmail.com ada@gmail.com
		https://www.notion.so/Acme-0123 https://airtable.com/app1/tbl1 https://www.google.com/maps/place/Acme`;
	const sites = 'linkedin.com https://www.linkedin.com/ https://acme.com/linkedin';

	it('for a website with a social page holds none', () => {
		for (const website of social.split(/\s+/)) expect(readOf({ website }), website).toEqual({});
		for (const domain of sites.split(' ')) expect(readOf({ website: domain })).toEqual({ domain });
	});

	it.each<[unknown]>([
		[email],
		[[email, 'ada@home.com']],
		[{ value: email }],
		[[{ value: email, label: 'x' }]],
		[[{ value: 'ada@home.com' }, { value: email, primary: true }]],
		[
			[
				{ email: 'ada@home.com', category: 'personal' },
				{ email, category: 'work' },
			],
		],
		[
			[
				{ value: 'a@b.com', type: 'work' },
				{ value: email, primary: true },
			],
		],
		[[null, email]],
		[[{ value: '', primary: true }, { value: 'n/a', type: 'work' }, { value: email }]],
		[['call me', 'n/a', { value: email }]],
		[[{ name: ada, address: email }]],
		[
			[
				{ value: 'a@b.com', type: 'home' },
				{ value: email, type: 'work' },
			],
		],
		[
			[
				{ value: 'a@b.com', label: 'home' },
				{ value: email, label: 'work' },
			],
		],
		[{ Address: email }],
	])('for emails has the one for work of %j', (emails) => {
		expect(readOf({ emails })).toEqual({ email });
	});

	it.each<[unknown]>([
		[{ name: 'Acme', id: 7 }],
		[[{ value: 'Acme' }]],
		// Of several companies in one cell, as HubSpot exports them, the first.
		['Acme; Acme Holding'],
		['Acme ::: Acme Holding'],
		['Acme (https://www.notion.so/Acme-0123?pvs=21)'],
	])('for a company has the name in %j', (company) => {
		expect(readOf({ company })).toEqual(acme);
	});
});

/** Somebody who recommends a lead in a form, and where the lead works. */
const visitor = { 'Your Name': 'Eve Other', 'Your Company': 'Other', 'Your Website': 'other.com' };
const work = { Company: 'Acme', Website: 'acme.com' };
const contact = { 'Contact First Name': 'Eve', 'Contact Last Name': 'Other' };
const initial = { 'Full Name': 'A. Lovelace' };
const maria = { firstName: 'María José', lastName: 'Lovelace' };
const byAda = { 'your-name': ada, 'your-email': email };
const ofPerson = { 'Person - First name': 'Ada', 'Person - Last name': 'Lovelace' };
const adaAtWork = { ...halves, company: 'Acme', domain: 'acme.com' };

/** An item, what is read of it, and why one of its fields is not. */
const reads = (item: object, values: Values, why?: string) => [item, values, why] as const;

/** Items, by the rule that they are read by. */
const rules: Record<string, Array<ReturnType<typeof reads>>> = {
	'of two fields for the same the more certain one counts': [
		reads({ name: 'A B', 'Contact Name': ada }, whole),
		reads({ 'Contact Name': ada, name: 'A B' }, whole),
		reads({ 'Email 1': 'one@acme.com', 'Work Email': email }, { email }),
		reads({ 'Work Email': email, 'Email 1': 'one@acme.com' }, { email }),
		reads({ website: 'b.com', domain: 'a.com' }, { domain: 'a.com' }),
		reads({ domain: 'a.com', website: 'b.com' }, { domain: 'a.com' }),
	],
	'the first one with a value counts, and of two that are as certain the first': [
		reads({ 'Work Email': '', 'Email 1': email }, { email }),
		reads({ 'Email 1': email, 'Work Email': null }, { email }),
		reads({ 'E-Mail': email, Email: 'two@acme.com' }, { email }),
		reads({ domain: 'Acme', website: 'a.com' }, { domain: 'a.com' }),
		reads({ website: 'a.com', domain: 'Acme' }, { domain: 'a.com' }),
	],
	'a word is no email, and hides none': [
		reads({ 'Work Email': 'not found', Email: email, Name: ada }, withEmail),
		reads({ Email: 'not found' }, nobody),
		reads({ 'Work Email': 'ada@acme', Email: email }, { email }),
		reads(
			{ ...inSheet, Email: 'ada@acme', 'Contact Name': ada, 'Contact Email': email },
			{ ...wholeAndFirst, lastName: 'Lovelace', email },
		),
		reads({ 'Work Email': 'ada@acme', Email: `${ada} ${email}` }, { email: `${ada} ${email}` }),
		// What is nearly an email is what is verified.
		reads({ Email: 'ada@acme' }, { email: 'ada@acme' }),
		// The user decides which of them counts.
		reads({ email: 'Bo; bo@acme.com', 'E-Mail': email }, { email: 'Bo; bo@acme.com' }),
	],
	'a value may be written as other programs do': [
		reads({ emails: [] }, nobody),
		reads({ organization: [{ value: 'Acme' }] }, acme),
		reads({ domain: { value: 'acme.com' } }, { domain: 'acme.com' }),
		reads({ Name: { first: 'Ada', last: 'Lovelace' } }, whole),
		reads({ company: 'H&M; Acme' }, { company: 'H&M' }),
		reads({ company: 'Acme &amp; Sons; Holding' }, { company: 'Acme &amp; Sons' }),
		reads({ company: 'O&#8217;Acme; Holding' }, { company: 'O&#8217;Acme' }),
		reads({ company: 'O&#x2019;Acme; Holding' }, { company: 'O&#x2019;Acme' }),
		reads({ Name: `${ada} | LinkedIn` }, { fullName: `${ada} | LinkedIn` }),
		reads({ Internet: '16.000', Firma: 'Acme' }, acme),
		// A link to another record is no name.
		reads({ Company: ['recA1b2C3d4E5f6G7'], Name: 'recA1b2C3d4E5f6G7' }, nobody),
		reads({ Company: ['5f1c6f0e-0000-4000-8000-0123456789ab'] }, nobody),
		reads({ Name: '5f1c6f0e-0000-4000-8000-0123456789ab' }, nobody),
		// An expression with blanks is kept, to be refused.
		reads(
			{ Website: '{{ $json.x }}', Homepage: '', Company: 'Acme' },
			{ domain: '{{ $json.x }}', ...acme },
		),
	],
	'an object inside may have the name, but of nobody else': [
		// What a form calls itself is no half of the name that its visitor gave.
		reads({ name: 'Contact Form', data: inSheet }, halves),
		reads({ name: 'Contact Form', body: { Name: ada } }, nobody),
		reads({ name: ada, body: { Name: ada } }, whole),
		reads({ 'First Name': 'Ada', properties: { name: 'Eve Other' } }, first),
		reads(
			{ 'First Name': 'Ada', properties: { 'Full Name': 'Ada Other' } },
			{ fullName: 'Ada Other' },
		),
		reads({ name: ada, properties: { firstname: 'Ada' } }, first),
		reads({ 'Full Name': ada, properties: { firstname: 'Eve', lastname: 'Other' } }, whole),
		// Another person's website and email are not this one's.
		reads(
			{ 'Full Name': ada, fields: { 'Full Name': 'Eve Other', email, website: 'other.com' } },
			whole,
		),
		reads({ 'Full Name': ada, fields: { ...inApi, email } }, withEmail),
		reads({ 'Full Name': ada, body: { name: 'Eve Other', email } }, whole),
		reads({ 'Full Name': ada, body: { name: 'Lovelace', email } }, withEmail),
		reads(
			{ 'Full Name': ada, properties: { name: 'Acme GmbH', domain: 'acme.com' } },
			{ ...whole, domain: 'acme.com' },
		),
		// Beside a person, `data` may be about anybody.
		reads({ 'Full Name': ada, data: { email: 'owner@acme.com', company: 'Acme' } }, whole),
		reads({ 'E-Mail': email, data: { Name: 'Eve Other' } }, { email }),
		reads({ id: 7, Company: 'Acme', data: [{ Name: ada, email }] }, { ...acme, ...withEmail }),
		// Of two whole names the first is the lead's, and nobody's where a company is there.
		reads({ full_name: 'Acme GmbH', merge_fields: { FNAME: 'Ada', LNAME: 'Lovelace' } }, nobody),
		// Of another person nothing is read, so what comes next counts.
		reads(
			{ ...inSheet, 'Email 1': email, 'Contact Person': 'Eve Other', 'Contact Email': eve },
			{ ...halves, email },
		),
	],
	'a status is of the email beside it': [
		reads({ emailStatus: 'valid', properties: { email } }, { email }),
		reads({ email, properties: checked }, checked),
		reads({ email, properties: { ...checked, email: eve } }, { email }),
		reads({ email: '', 'E-Mail': email, emailStatus: 'valid' }, { email }),
		reads({ email: '', emailStatus: 'valid', 'Work Email': email }, { email }),
		reads({ 'Work Email': eve, 'E-mail': email, emailStatus: 'valid' }, checked),
		reads({ 'E-Mail': eve, email, emailStatus: '' }, { email }),
		// An empty status says that no lookup has found it.
		reads({ 'Work Email': email, email: eve, emailStatus: null }, { email }),
		reads({ emailStatus: 'valid', 'Work Email': email }, checked),
		reads({ properties: checked }, checked),
		// Beside a status, `email` is what a lookup of this package has found.
		reads({ 'Work Email': eve, email }, { email: eve }),
		reads({ 'Work Email': eve, email, emailStatus: 'valid' }, checked),
		reads({ 'Work Email': eve, email: null, emailStatus: null }, { email: eve }),
		// In another spelling it is the verdict of another tool.
		...['Email Status', 'email_status', 'EmailStatus', 'emailstatus', 'Status', 'verified'].map(
			(name) => reads({ [name]: 'valid' }, nobody),
		),
	],
	'the company is the one of the lead, and so is the website': [
		reads({ Company: 'Ours', 'Organization Name': 'Acme' }, acme),
		reads({ Company: 'Ours', 'Organization Name': '' }, nobody),
		reads({ company: 'Ours', company_name: null, website: 'acme.com' }, { domain: 'acme.com' }),
		reads({ Company: 'Ours', 'Company Name': '' }, nobody, 'Company Name is empty in this row'),
		reads({ Company: 'Acme', 'Company Name for Emails': '' }, acme),
		reads(
			{ company: 'Acme', companyWebsite: '', website: 'b.com' },
			acme,
			'companyWebsite is empty in this row',
		),
		reads({ companyWebsite: 'linkedin.com/company/acme', website: 'b.com', company: 'Acme' }, acme),
		reads({ companyUrl: '', companyWebsite: '' }, nobody, 'companyWebsite is empty in this row'),
		reads({ Websites: 'b.com', 'Organisation Website': '', ...acme }, acme),
		reads({ 'Website URL': 'b.com', 'Company Website URL': '', ...acme }, acme),
		reads({ ...inSheet, 'Contact Company': 'Other' }, halves),
		reads({ ...inSheet, 'Your Company': 'Acme' }, { ...halves, ...acme }),
		reads({ ...inSheet, 'Your Company': 'Ours', 'Company Name': '' }, halves),
		reads(
			{ company: { name: 'Acme', website: 'acme.com', email: eve } },
			{ ...acme, domain: 'acme.com' },
		),
		reads({ 'Contact Name': ada, 'Company Contact': 'Eve Other' }, whole),
		reads({ 'Contact Name': ada, 'Website Contact': 'eve.example' }, whole),
		reads({ 'Contact Name': ada, 'Contact Website': 'ada.example' }, whole),
		reads({ 'Lead Website': 'acme.com' }, { domain: 'acme.com' }),
		reads({ Company: 'Acme', 'Company 2': 'Former' }, acme),
		reads({ 'Company 2': 'Former', 'Website 2': 'former.com' }, nobody),
		// Linked Helper has a list of present and former employers.
		reads({ website_1: 'blog.com', organization_website_1: 'old.com' }, nobody),
		reads({ website: 'facebook.com/acme', domain: 'facebook.com', Company: 'Acme' }, acme),
		reads({ Homepage: '', Website: 'fb.com/acme', Domain: 'fb.com', Company: 'Acme' }, acme),
		reads(
			{ companyUrl: 'linkedin.com/company/m', website: 'medium.com' },
			{ domain: 'medium.com' },
		),
		reads(
			{ site: 'https://es-la.facebook.com/acme', domain: 'facebook.com', Company: 'Acme' },
			acme,
		),
		// n8n's HubSpot node gives each property so.
		reads({ website: { value: 'facebook.com/acme' }, domain: { value: 'facebook.com' } }, nobody),
		reads({ Website: ['', 'fb.com/acme'], Domain: 'fb.com', Company: 'Acme' }, acme),
		reads({ Website: 'n/a', Domain: 'medium.com' }, { domain: 'medium.com' }),
		reads({ Website: '', 'Organisation Website': 'acme.com' }, { domain: 'acme.com' }),
		reads({ Website: 'facebook.com', Company: 'Acme' }, { ...acme, domain: 'facebook.com' }),
		// ERPNext's opportunities.
		reads({ company: 'Ours', party_name: 'Acme' }, acme),
		reads({ Website: 'acme.com', 'Company Domain': '' }, { domain: 'acme.com' }),
		reads({ Company: [''] }, nobody, 'Company is empty in this row'),
		reads({ Company: { value: '' } }, nobody, 'Company is empty in this row'),
		reads({ Company: ['recA1b2C3d4E5f6G7'] }, nobody, 'Company holds no name'),
		reads({ Company: { Id: 1, Title: 'Acme' } }, nobody, 'Company holds no name'),
	],
	'a name that may be of a form, or of whoever fills it in, is not that of the lead': [
		reads(
			{ ...byAda, name: 'Contact form', company: 'Acme' },
			atAcme,
			'name differs from your-name',
		),
		reads(
			{ name: 'Contact form', company: 'Acme', ...byAda },
			atAcme,
			'name differs from your-name',
		),
		reads({ body: { ...byAda, name: 'Contact form', company: 'Acme' } }, atAcme),
		reads({ ...byAda, Name: 'ADA LOVELACE' }, { email, fullName: 'ADA LOVELACE' }),
		// Somebody recommends her.
		reads({ ...visitor, ...inSheet }, halves),
		reads({ ...visitor, ...inSheet, ...work }, adaAtWork),
		reads(visitor, { fullName: 'Eve Other', company: 'Other', domain: 'other.com' }),
		reads(
			{
				...{ 'Your First Name': 'Eve', 'Your Last Name': 'Other', 'Your Email': eve },
				...{ 'Contact Name': ada, 'Contact Email': email },
			},
			nobody,
		),
		reads({ 'Contact Name': ada, 'Your First Name': 'Eve' }, whole),
		reads({ 'Your Full Name': 'Eve Other', 'Contact Name': '', ...acme }, acme),
		reads(
			{ ...inSheet, Company: 'Acme', data: { email: eve, company_name: '' } },
			{ ...halves, ...acme },
		),
		reads({ 'Your First Name': 'Eve', 'Your Last Name': 'Other', ...inSheet, ...work }, adaAtWork),
		// Halves of two people are no name.
		reads({ ...inSheet, 'Last Name': '', ...contact }, first),
		reads({ ...inSheet, 'First Name': '', 'Contact Name': ada }, { lastName: 'Lovelace' }),
		reads(
			{ 'First Name': '', 'Last Name': '', ...contact },
			nobody,
			'First Name is empty in this row',
		),
		reads(
			{ 'Contact First Name': 'Ada', Surname: 'Lovelace' },
			nobody,
			'Surname differs from Contact First Name',
		),
		reads(
			{ ...first, 'Contact Last Name': 'Other', 'CEO Work Email': eve, Email: email },
			{ email },
			'firstName differs from Contact Last Name',
		),
	],
	'a bare name is the whole one, or the half that is not there': [
		reads({ Name: ada }, whole),
		reads({ Vorname: 'Ada', Name: 'Lovelace' }, halves),
		reads({ Nom: 'Lovelace', Prénom: 'Ada' }, halves),
		reads({ Nombre: 'Ada', Apellidos: 'Lovelace' }, halves),
		reads({ Nome: 'Ada', Cognome: 'Lovelace' }, halves),
		// A name that holds the other half is the full name, also without the titles of the half.
		reads({ first_name: 'ada', name: ada }, { ...whole, firstName: 'ada' }),
		reads(
			{ first_name: 'Ada King', name: 'Ada King Byron' },
			{ firstName: 'Ada King', fullName: 'Ada King Byron' },
		),
		reads(
			{ last_name: 'Lovelace', name: 'Lovelace, Ada' },
			{ lastName: 'Lovelace', fullName: 'Lovelace, Ada' },
		),
		reads(
			{ 'First Name': 'Dr. Ada (Augusta)', Name: ada },
			{ ...whole, firstName: 'Dr. Ada (Augusta)' },
		),
		reads(
			{ 'First Name': 'José', Name: 'Jose Garcia' },
			{ firstName: 'José', fullName: 'Jose Garcia' },
		),
		reads({ first_name: 'Al', name: 'Alston' }, { firstName: 'Al', lastName: 'Alston' }),
		reads({ name: 'Ada Lo', ...inApi }, { fullName: 'Ada Lo', ...halves }),
		reads({ ...inSheet, Name: 'Acme Robotics' }, halves),
		reads({ 'Contact Name': ada, Nachname: 'Lovelace', Name: 'Acme' }, nobody),
		reads(
			{ Name: 'María José', Surnames: 'García López' },
			{ firstName: 'María José', lastName: 'García López' },
		),
		// A particle in both says nothing.
		reads(
			{ Nombre: 'María de los Ángeles', Apellidos: 'de la Torre' },
			{ firstName: 'María de los Ángeles', lastName: 'de la Torre' },
		),
		// A half that is there twice is no full name.
		reads({ ...inSheet, 'Last Name': '', Name: 'ADA' }, first),
		reads({ 'First Name': 'Ada Augusta', Name: 'Ada' }, { firstName: 'Ada Augusta' }),
		// Beside the name of a contact, the two have to be one person.
		reads({ 'Contact Name': ada, Vorname: 'Ada', Name: 'Lovelace' }, halves),
		reads(
			{ 'Contact Name': ada, Vorname: 'Ada', Name: 'Acme' },
			nobody,
			'Name differs from Contact Name',
		),
		// Whose name it is beside an empty field for one, nobody knows.
		reads({ Name: 'Acme Robotics', 'Contact Name': '' }, nobody),
		reads({ Nombre: 'María José', Apellidos: '' }, nobody),
		reads({ Naam: 'van der Berg', Voornaam: null }, nobody),
		reads({ Name: 'Acme Robotics', 'Full Name': '' }, nobody),
		reads({ Name: 'Eve Other', 'Full Name': ada }, whole),
		reads({ ...first, Name: 'Acme Robotics', 'Full Name': ada }, wholeAndFirst),
		reads({ ...first, Name: 'Ada King', 'Full Name': ada }, wholeAndFirst),
		reads({ Name: ada, 'First Name': '', 'Last Name': '' }, whole),
		reads({ Name: ada, 'Full Name': '', 'First Name': 'Ada' }, wholeAndFirst),
		reads({ ...inSheet, 'Last Name': '', Name: 'Acme Robotics' }, first),
		reads({ Nom: 'Boulangerie Petit', 'Nom du contact': '', 'Prénom du contact': 'Ada' }, first),
		reads({ Name: { first: '', last: null } }, nobody, 'Name is empty in this row'),
		// But beside an empty display name it is known.
		reads({ Prénom: 'María José', Nom: 'Lovelace', 'Nom à afficher': '' }, maria),
		reads({ Nome: 'María José', Cognome: 'Lovelace', 'Nome visualizzato': email }, maria),
		reads({ Nombre: 'María José', Apellidos: 'Lovelace', 'Nombre completo': '' }, maria),
		reads({ Nome: 'María José', Sobrenome: 'Lovelace', 'Mostrar nome': null }, maria),
		reads({ first_name: 'María José', name: 'Lovelace', full_name: null }, maria),
	],
	'a half of a name is not the whole one, but a short first name is one': [
		reads(
			{ 'Contact Name': 'Mary Ann', Surname: 'Lovelace' },
			nobody,
			'Contact Name differs from Surname',
		),
		reads(
			{ 'Nom du contact': 'Le Goff', 'Prénom du contact': 'Ada' },
			{ firstName: 'Ada', lastName: 'Le Goff' },
		),
		reads(
			{ 'Full Name': 'Robert Smith', 'First Name': 'Bob' },
			{ fullName: 'Robert Smith', firstName: 'Bob' },
		),
		reads({ 'Contact Name': '', 'Contact Email': email }, { email }),
		reads({ 'Contact Name': ada, Surname: 'Dr. Lovelace' }, whole),
		reads({ 'Contact Name': ada, Surname: 'LOVELACE' }, whole),
		reads({ 'Contact Name': ada, Surname: 'Love' }, nobody),
		reads({ 'Contact Name': ada, Surname: 'L.' }, whole),
		reads({ firstName: 'Ada', lastName: 'L.' }, first, 'lastName is only an initial'),
		reads({ ...inSheet, 'Last Name': 'L.', 'Contact Name': ada }, wholeAndFirst),
		reads({ firstName: 'Ada', lastName: 'L' }, first, 'lastName is only an initial'),
		reads(
			{ ...initial, 'Contact Name': ada, 'Contact Email': email },
			{ fullName: 'A. Lovelace', email },
		),
	],
	'two people in one row are nobody': [
		reads(
			{ 'First Name': 'Ida B. Rhodes & Ann', 'Last Name': 'Lee' },
			{ lastName: 'Lee' },
			'First Name is not the name of one person',
		),
		reads({ 'First Name': 'Ida/Ann', 'Last Name': 'Lee & Ray' }, nobody),
		reads({ fullName: ada, ...inSheet }, { ...whole, ...halves }),
		reads(
			{ fullName: 'Ida Rhodes', ...inSheet, ...acme },
			acme,
			'fullName differs from First Name',
		),
		// What is left out of a name is nobody else.
		...['Lovelace (she/her)', 'Lovelace | B2B/SaaS', 'Lovelace (Recruitment)'].map((surname) =>
			reads({ 'First Name': 'Ada', Surname: surname }, { firstName: 'Ada', lastName: surname }),
		),
		reads({ Name: `${ada} | Talent Acquisition` }, { fullName: `${ada} | Talent Acquisition` }),
		reads({ fullName: 'Bob Lovelace', ...inSheet }, { fullName: 'Bob Lovelace', ...halves }),
		reads({ fullName: 'Ада Лавлейс', ...inSheet }, { fullName: 'Ада Лавлейс', ...halves }),
	],
	'a name that is masked, cut or made of nothing is none': [
		...['L***', 'Lo***e', 'L…', 'L...', 'undefined'].map((surname) =>
			reads({ 'First Name': 'Ada', Surname: surname }, first, 'Surname holds no name'),
		),
		...['undefined undefined', 'Ada null', 'Ada L...'].map((name) => reads({ Name: name }, nobody)),
		reads({ 'First Name': ada, Surname: 'PhD' }, { firstName: ada }, 'Surname is only a title'),
		reads({ Name: 'Jennifer Null' }, { fullName: 'Jennifer Null' }),
	],
	'an email is read through its label and its code, and a masked one is none': [
		...['Work:ada@acme.com', 'ada&#64;acme.com', 'ada%40acme.com'].map((text) =>
			reads({ Email: text }, { email: text }),
		),
		reads({ 'Work Email': 'a•••@acme.com', email }, { email }),
		reads({ Name: ada, 'Contact Details': '+49 228 5550100' }, whole),
	],
	'a hidden name, or the one of a company, is none of a person': [
		reads({ Name: 'LinkedIn Mitglied', ...acme }, acme),
		reads({ Name: 'LINKEDIN MEMBER', ...acme }, acme),
		reads(
			{ 'Name 1': 'Acme Robotics', 'Name 2': 'Nord', Website: 'acme.com' },
			{ domain: 'acme.com' },
		),
		reads({ fullName: 'Miembro de LinkedIn', ...acme }, acme),
		reads({ Name: 'Acme', Company: 'ACME' }, { company: 'ACME' }),
		reads({ 'Contact Person': 'Acme', ...acme }, acme, 'Contact Person looks like a company'),
		reads({ 'Contact Person': 'Acme Co', Firma: 'Acme Co Ltd' }, { company: 'Acme Co Ltd' }),
		// Odoo has companies and people in one list.
		reads(
			{ display_name: 'Acme, Ada Lovelace', name: ada, company_name: 'Acme' },
			{ ...whole, ...acme },
		),
		reads(
			{ display_name: 'Azure Co', name: 'Azure Co', website: 'azureco.com' },
			{ domain: 'azureco.com' },
		),
		reads({ name: 'Acme Works', is_company: true }, nobody, 'name looks like a company'),
		reads({ name: 'Acme Works', is_company: 'True' }, nobody, 'name looks like a company'),
		reads({ name: 'Acme Works', 'Is a Company': '1' }, nobody, 'name looks like a company'),
		reads({ name: ada, is_company: false }, whole),
	],
	'an owner, a second surname or an apostrophe is nobody else': [
		reads(
			{ Nombre: 'Ada', 'Apellido 1': 'Lovelace', apellido_2: 'Byron', 'Email 1': email },
			{ ...halves, email },
		),
		reads(
			{ Nombre: 'Ada', 'Apellido 1': 'Lovelace', apellido_2: 'Byron', 'Email 2': email },
			{ ...halves, email },
		),
		reads(
			{ Name: "Maria D'Angelo", Name_1: "Davide D'Angelo", Email_1: eve },
			{ fullName: "Maria D'Angelo" },
		),
		reads(
			{ 'Person - Name': 'Countess', ...ofPerson, 'Person - Email - Work': email },
			{ ...halves, email },
		),
		reads(
			{
				'Person - Name': ada,
				...ofPerson,
				'Person - Organization': 'Acme',
				'Person - Owner': 'Eve Other',
			},
			{ ...whole, ...halves, ...acme },
		),
		reads({ 'Person - Email - Work': '', 'Person - Email - Home': email }, { email }),
	],
};

describe.each(Object.entries(rules))('%s', (_, rows) => {
	it.each(rows)('%j', (item, values, why) => {
		expect(readOf(item)).toEqual(values);
		if (why) expect(whysOf(item)).toContain(why);
	});
});

describe('an item', () => {
	const containers = ['properties', 'fields', 'body', 'merge_fields'];

	it.each(containers)('with %s: they count after its own fields', (name) => {
		const inside = { email: eve, company: { value: 'Acme' } };
		for (const there of [inside, [inside]]) {
			expect(readOf({ [name]: there, 'E-Mail 1': email })).toEqual(atAcme);
			expect(readOf({ [name]: there })).toEqual({ ...atAcme, email: eve });
		}
		// Which of several leads is meant, nobody can tell.
		expect(readOf({ [name]: [inside, inside] })).toEqual({});
		expect(readOf({ other: inside })).toEqual({});
	});

	it.each<[object, Values]>([
		[{ 'Contact Person': 'Eve Other', 'Contact Email': eve }, nobody],
		[{ 'Contact Person': 'Eve Lovelace', 'Contact Email': eve }, nobody],
		[{ 'Contact Person': 'Lovelace, Eve', 'Contact Email': eve }, nobody],
		[{ 'Contact Person': 'E. Lovelace', 'Contact Email': eve }, nobody],
		[{ 'Contact Person': 'A. Eve Lovelace', 'Contact Email': eve }, nobody],
		[{ 'Contact Person': '', 'Contact Email': eve }, nobody],
		[{ Name: 'Eve Other', 'Contact Person': 'Eve Other', 'Contact Email': eve }, nobody],
		[{ 'First Name 2': 'Ada', 'Last Name 2': 'Lovelace', 'Company 2': 'Former' }, nobody],
		[{ 'First Name 2': 'Ada', 'Last Name 2': 'Lovelace', 'Website 2': 'former.com' }, nobody],
		[{ 'Contact Person': 'Ada Other', 'Contact Email': eve }, nobody],
		[{ 'Contact Person': 'Eve A. Lovelace', 'Contact Email': eve }, nobody],
		[{ 'Contact Person': 'Eve & Bob Other', 'Contact Email': eve }, nobody],
		[{ 'Contact Person': 'Dr. Ada Lovelace', 'Contact Email': email }, { email }],
		[{ 'Contact Name': 'Lovelace, Ada M.', 'Contact Email': email }, { email }],
		[{ 'Contact Name': 'A. Lovelace', 'Contact Email': email }, { email }],
		[{ 'Name 1': 'Acme', 'Email 1': email }, { email }],
		[{ 'Contact Name': 'Acme Ltd', 'Contact Email': email }, { email }],
		[{ Company: 'Acme', 'Contact Name': 'Acme', 'Contact Email': email }, atAcme],
		[{ 'Contact First Name': 'Ada', 'Contact Email': email }, { email }],
		// A form in which somebody recommends her.
		[{ 'Your Name': 'Eve Other', 'Your Email': eve }, nobody],
		[{ 'Your Name': ada, 'Your Email': email }, { email }],
		[{ 'Your Email': email }, { email }],
		// Notion.
		[{ property_contact_person: 'Eve Other', property_contact_email: eve }, nobody],
		// A sheet with the same columns twice.
		[{ Name_1: 'Eve Other', Email_1: eve }, nobody],
		[{ 'First Name 2': 'Eve', 'Last Name 2': 'Other', 'Email 2': eve }, nobody],
		[{ 'First Name 2': 'Eve', 'Email 1': email }, { email }],
		[{ 'Cognome 2': 'Other', 'Email 2': eve }, nobody],
		[{ 'Contact Person': ada, 'Contact Person 2': 'Eve Other', 'Email 2': eve }, nobody],
		[{ 'Contact Name_1': 'Eve Other', Email_1: eve }, nobody],
		[{ 'Apellidos 2': 'Other', 'Email 2': eve }, nobody],
		[{ 'Organization 1 - Name': 'Acme', 'E-mail 1 - Value': email }, atAcme],
	])('with the email of somebody else has none: %j', (others, values) => {
		const read = readOf({ ...inSheet, Email: '', ...others });
		expect({ ...read, fullName: undefined }).toEqual({ ...halves, ...values });
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

	const forms = `GmbH|mbH|AG|KG|KGaA|eV|e.V|OHG|UG|GbR|Inc|LLC|LLP|Ltd|Pty|Limited|PLC|Corp|SARL|EURL|SAS|SASU|SA|S.A|SL|SLU|S.L|
		Srl|S.r.l|SRL|SpA|S.p.A|BV|B.V|NV|N.V|Ltda|Lda`;

	it.each(forms.split(/\|\s*/))('with the legal form %s in its name is a company', (form) => {
		expect(readOf({ Name: `Acme Foods ${form}` })).toEqual({});
	});

	const words = `Agency Capital Consulting Fund Funds Group Holding Holdings Lab Labs Media Partner Partners Services Software
		Solutions Studio Studios Systems Technologies VC Venture Ventures`;

	it.each(words.split(/\s+/))('with %s at the end of its name is a company', (word) => {
		expect(readOf({ Name: `Acme Foods ${word}` })).toEqual({});
	});

	const companies = ['Acme Pty Ltd', 'Acme (HK) Limited', 'Acme GmbH & Co. KG', 'Acme Inc.'];

	it.each(companies)('with the company %s in a field for full names has no name', (company) => {
		for (const field of ['Contact Name', 'Display Name']) {
			expect(new LeadReader().read({ [field]: company }).found).toEqual({});
			expect(whysOf({ [field]: company })).toEqual([`${field} looks like a company`]);
			expect(readOf({ [field]: company, Name: 'Ada' })).toEqual({});
		}
	});

	it.each([
		{ fullName: 'LinkedIn Member', firstName: 'LinkedIn', lastName: 'Member' },
		{ firstName: 'Utilisateur', lastName: 'LinkedIn' },
	])('of a person who hides the name on LinkedIn has no name: %j', (row) => {
		const { fullName, firstName, lastName } = readOf(row);
		expect(fullName ?? (firstName && lastName)).toBeUndefined();
	});

	it.each<[string, names: string[]]>([
		[
			'Name',
			[
				'19abc004',
				'MR LOVELACE',
				'MS LOVELACE',
				'Ада',
				'Ada (she/her)',
				'Ada 🔥',
				'Ada | Sales',
				'Dr. Lovelace',
				'Emily C.',
			],
		],
		['Contact Name', ['Mr. & Mrs. Smith', 'Mr. & Mrs.']],
		['Contactpersoon', ['Dhr. de Vries', 'Mevr. Van den Berg', "Dhr. in 't Veld"]],
		['Contactpersoon', ["'t Hart", '’t Hart']],
		['Ansprechpartner', ['Herr und Frau Weber', 'Frau zur Mühlen']],
		['Nom du contact', ['Madame Martin', 'MME LE GOFF']],
		['Nominativo', ['Sig.ra Di Stefano', 'Sig. Lo Presti']],
		['Name', ['Άδα', 'Ада Л.', 'Άδα Λ.', 'MR SMITH']],
	])('with one word as its name has half of one: %s', (field, names) => {
		for (const name of names) expectHalf({ [field]: name });
	});

	it.each([
		{ Nom: 'Dupont', PRENOM2: 'Jean' },
		{ Full_Name: 'Lovelace', First_Name: null, Last_Name: 'Lovelace' },
		{ fullName: 'Maria José L.', firstName: 'Maria José', lastName: 'L. (She/Her)' },
		// Whoever is in there is somebody else.
		{ 'Full Name': 'Ada', data: { name: 'Eve Other', email } },
	])('with half of a name twice has half of one: %j', expectHalf);

	function expectHalf(item: object): void {
		const { found, lacking } = new LeadReader().read(item);
		expect(found).not.toHaveProperty('fullName');
		expect(lacking.fullName?.why).toBe('is only half a name');
	}

	const titles = `M. MM. Mr Mrs Ms Miss Dr Prof Shri Smt Herr Herrn Hr Frau Monsieur Madame Mme Mlle Señor Señora Sra Doña Dña
		Signor Signora Dhr Mevrouw Maître Familie Famille Familia Fr. Dipl. Ing. Mag. Dott. Sig. Sr. Srta. Dra. Mevr. Mw. Fam.
		Avv. Arch. Geom. Rag. Lic. Arq. Eng. Dipl.-Ing. Sr.ª`;

	it.each(titles.split(/\s+/))('with a last name behind %s has only half of one', (title) => {
		expectHalf({ Contact: `${title} Lovelace` });
	});

	const particles = `von vom zu zum zur dem van den der ten ter te in op 't da das de di do du dal dalla del della dos la le lo
		al el bin`;

	it.each(particles.split(/\s+/))('with a last name in %s has only half of one', (particle) => {
		expectHalf({ Contact: `Frau ${particle} Lovelace` });
	});

	const departments = `General Manager|Managing Director|Accounts Payable|The Owner|Recursos Humanos|Atencion al cliente|
		Abt. Einkauf|General Inquiries|Customer Services|Service RH|Sales Department|Vertrieb Innendienst|Service commercial|Dpto. Comercial|Sales Team|Sales Dept|
		Acme Customer Service|Abteilung Einkauf|Acme Außendienst|Acme Aussendienst|Acme Sekretariat|Acme Zentrale|
		Service client|Service achats|Departamento Ventas|Atención al Cliente|Ufficio Acquisti|Reparto Vendite|
		Corporate Office|Help Desk|Customer Support|Talent Acquisition|Hiring Manager|General Queries|
		Service Query|Enquiry Line|Acme Enquiries|Acme Recruitment|Acme Careers|Human Resources|Customer Care`;

	it.each(departments.split(/\|\s*/))('with %s as its name has nobody', (name) => {
		expect(readOf({ Contact: name })).toEqual({});
		expect(whysOf({ Contact: name })).toEqual(['Contact is not the name of a person']);
	});

	it.each(['Ada\nLovelace', 'Ada Lovelace\n', 'Ada\r\n Lovelace'])(
		'with %j as its name has one that is broken',
		(name) => expect(readOf({ Contact: name })).toEqual({ fullName: ada }),
	);

	const several = `Ada Lovelace, Ida Rhodes|Ada Lovelace; Ida Rhodes|Ada Lovelace und Ida Rhodes|Ada & Ida Lovelace|
		Ada and Ida Lovelace|Ada et Ida Lovelace|ADA UND IDA LOVELACE|Ada Lovelace / Ida Rhodes|Contacts::::Ada Lovelace`;
	const inLines = [
		'Ada Lovelace\nIda Rhodes',
		'Ada Lovelace\r\nHead of Sales',
		'Ada Lovelace\nInhaberin',
	];

	it.each([...several.split(/\|\s*/), ...inLines])(
		'with several people as its name has none: %j',
		(name) => {
			expect(readOf({ Geschäftsführer: name })).toEqual({});
			expect(whysOf({ CEO: name })).toEqual(['CEO is not the name of one person']);
		},
	);

	const wholes = `Van Morrison|van morrison|le Gall Anne|Ada Lee, M. A.|王小明|M. A. Lovelace|ada lee|Ada Steam|Ada Teamer|PETER HAAG|
		M.S.A. Khan`;

	it.each(wholes.split(/\|\s*/))('with %s as its name has a whole one', (fullName) => {
		expect(readOf({ Name: fullName })).toEqual({ fullName });
	});

	it.each([
		['小明', '王'],
		['Ada', 'Lo'],
	])('with %s and %s has both halves', (firstName, lastName) => {
		expect(readOf({ firstName, lastName })).toEqual({ firstName, lastName });
	});

	it.each(['Mr.', 'Frau', 'Frau Dr.', 'Dott.ssa', 'Dr. med.', 'Dr. med. dent.'])(
		'with %s as its first name has none',
		(title) => {
			const lead = { Vorname: title, Nachname: 'Hopper' };
			expect(readOf(lead)).toEqual({ lastName: 'Hopper' });
			expect(whysOf(lead)).toEqual(['Vorname is only a title']);
		},
	);

	const found = { status: 'found', name: 'Acme Robotics', domain: 'acme.com' };

	it.each<[lookup: unknown, Values, beside: Values]>([
		[checked, checked, { email: eve }],
		// A sheet makes a text of it.
		[JSON.stringify(checked), checked, { email: eve }],
		[{ email: null, emailStatus: null }, { email: eve }, { email: eve }],
		['text', { email: eve }, { email: eve }],
		// A company that was found is no person.
		[found, { email: eve, domain: 'acme.com' }, { email: eve }],
	])('with %j in the field for the result: that comes before all', (lookup, read, beside) => {
		const item = { lookup, 'Work Email': eve };
		expect([readOf(item, 'lookup'), readOf(item)]).toEqual([read, beside]);
	});

	it('may have the result in a field that others use, too', () => {
		const item = { 'Work Email': eve, fields: { ...found, email } };
		expect(readOf(item, 'fields')).toEqual({ email, domain: 'acme.com' });
	});

	it.each<[object, isPerson: boolean]>([
		[{ Name: 'Acme GmbH' }, false],
		[{ Nombre: 'Bombas SL', Web: 'bombas.es' }, false],
		[{ Nom: 'SARL Dupont' }, false],
		[{ Name: 'Acme B.V.', Vorname: 'Ada' }, false],
		[{ Name: 'Acme & Associates' }, false],
		[{ Name: 'Acme Growth Fund' }, false],
		[{ Name: 'Core9 VC', Website: 'https://core9.vc/' }, false],
		[{ Name: 'Acme Robotics', Website: 'shop.acmerobotics.com' }, false],
		[{ Name: 'Acme Robotics', Website: 'https://acmerobotics.com/' }, false],
		[{ Name: 'Core9 Berlin', Website: 'core9.berlin' }, false],
		[{ Name: 'Acme Foods', Company: 'Acme Foods, Inc.' }, false],
		[{ Name: 'Acme Foods Ltd', Company: 'Acme Foods Ltd' }, false],
		[{ Name: 'Acme Foods GmbH', Company: 'Acme Foods' }, false],
		[{ Name: 'Acme Foods', Company: 'Acme Foods GmbH & Co. KG' }, false],
		[{ Name: 'Acme Ltd', Company: 'Example' }, false],
		[{ Name: 'SAS Institute', Company: 'SAS Institute' }, false],
		[{ Name: 'Acme & Sons', Company: 'Acme & Sons' }, false],
		[{ Name: 'Acme', Website: 'www.acme.com' }, false],
		[{ Name: 'Bäckerei Müller', Website: 'baeckerei-mueller.de' }, false],
		[{ Name: 'Weiß Bau', Website: 'weissbau.de' }, false],
		[{ Name: 'Bakkerij van Dijk', Website: 'bakkerijvandijk.nl' }, false],
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
				const { found } = new LeadReader('result', [json, any, null]).read(json);
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

describe('a run', () => {
	/** What is read of each of its items. */
	const readAll = (rows: object[]) => {
		const reader = new LeadReader('', rows);
		return rows.map((row) => used(reader.read(row)));
	};
	const adler = { Name: 'Hotel Adler', Website: 'adler-bonn.de', Ort: 'Bonn' };
	const post = { Name: 'Pension Post', Website: 'postbonn.de', Ort: 'Bonn' };
	const atAdler = { domain: 'adler-bonn.de' };
	const atPost = { domain: 'postbonn.de' };

	it('completes a row with the columns that a file has left out', () => {
		const rows = [{ ...adler, Ansprechpartner: ada }, post];
		expect(readAll(rows)).toEqual([{ ...whole, ...atAdler }, atPost]);
		expect(readAll(rows.toReversed())).toEqual([atPost, { ...whole, ...atAdler }]);
		const { lacking } = new LeadReader('', rows).read(post);
		expect(lacking.fullName).toEqual({ field: 'Ansprechpartner', why: 'is empty in this row' });
	});

	it('reads nothing of another person in a row that lacks the lead', () => {
		const others = { 'Contact Person': 'Eve Other', 'Contact Email': eve, Company: 'Acme' };
		expect(readAll([{ ...inSheet, ...others }, others])).toEqual([{ ...halves, ...acme }, acme]);
	});

	it('decides a row that shares little with the others by its own columns', () => {
		const rows = [
			{ Name: 'Acme', 'Contact Name': ada, Phone: '1' },
			{ 'First Name': 'Ida', 'Last Name': 'Rhodes', Company: 'Acme' },
		];
		const ida = { firstName: 'Ida', lastName: 'Rhodes', ...acme };
		expect(readAll(rows)).toEqual([whole, ida]);
		expect(readAll([{ Name: ada, Email: email }, rows[1]])).toEqual([withEmail, ida]);
	});

	it('reads no bare name in a list of places, and says so', () => {
		const inMap = [adler, post].map((row) => ({ ...row, Rating: 4.4, Reviews: 120 }));
		expect(readAll(inMap)).toEqual([atAdler, atPost]);
		const reader = new LeadReader('', inMap);
		expect(reader.read(inMap[0]).lacking.name?.why).toBe('looks like a company, beside Rating');
		const mozart = { Name: 'Hotel Mozart', Website: 'hotel-mozart-bonn.de', Ort: 'Bonn' };
		expect(readAll([adler, post, mozart])[0]).toEqual(atAdler);
	});

	it('of two lists, each with its own name for the company, reads both', () => {
		const [one, other] = [
			{ Name: ada, Company: 'Acme', Email: '' },
			{ Name: 'Ida Rhodes', 'Company Name': 'Beta', Email: '' },
		];
		expect(readAll([one, other])).toEqual([
			{ ...whole, ...acme },
			{ fullName: 'Ida Rhodes', company: 'Beta' },
		]);
	});

	it('reads no bare name where a share of the items has a company there, and says so', () => {
		const company = { Name: 'Gasthof Krone GmbH', Website: 'krone.de' };
		const reader = new LeadReader('', [adler, post, company, { Name: '' }]);
		expect(used(reader.read(adler))).toEqual(atAdler);
		const why = 'looks like a company in 1 of 3 items';
		expect(reader.read(post).lacking.name).toEqual({ field: 'Name', why });
		expect([...reader.leftAside]).toEqual([`Name ${why}`]);
		// One of many is an exception.
		const people = Array.from({ length: 9 }, () => ({ Name: ada, Website: 'acme.com' }));
		const mixed = new LeadReader('', [...people, company]);
		expect(used(mixed.read(people[0]))).toEqual({ ...whole, domain: 'acme.com' });
		expect(mixed.read(company).lacking.name?.why).toBe('looks like a company');
		expect([...mixed.leftAside]).toEqual([]);
		// Beside a column for the company, it is a person's.
		expect(
			readAll([
				{ Name: ada, Firma: 'A' },
				{ Name: 'Acme GmbH', Firma: 'A' },
			])[0],
		).toEqual({
			...whole,
			company: 'A',
		});
	});
});

describe('whose a column is', () => {
	const [firstOf, lastOf] = ['Ada', 'Lovelace'];

	it.each([
		...[
			'Contact',
			'Contact Person',
			'Primary Contact',
			'Decision Maker',
			'Decision Maker Name',
			'attendee_name',
		],
		...[
			'Ansprechpartner',
			'Name Ansprechpartner',
			'Kontakt',
			'Teilnehmer',
			'Geschäftsführer',
			'CEO Name',
		],
		...[
			'nom_contact',
			'Nom du dirigeant',
			'Gérant',
			'Interlocuteur',
			'Persona de contacto',
			'Nombre del contacto',
		],
		...[
			'Nome do responsável',
			'Contato',
			'Referente',
			'Naam contactpersoon',
			'Contact 1 Name',
			'Person - Name',
		],
		...['Executive Name', 'Ansprechpartnerin', 'Ansprechperson', 'Entscheider'],
		...['Décideur', 'Participante', 'Partecipante', 'Deelnemer'],
	])('%s is the name of a person', (field) => {
		expect(readOf({ [field]: ada, Name: 'Acme Robotics' })).toEqual(whole);
	});

	it.each([
		['Contact First Name', 'Contact Last Name'],
		['Ansprechpartner Vorname', 'Ansprechpartner Nachname'],
		['Vorname Ansprechpartner', 'Nachname Ansprechpartner'],
		['prenom_contact', 'nom_contact'],
		['Prénom du participant', 'Nom du participant'],
		['Nombre Contacto', 'Apellidos Contacto'],
		['Nome referente', 'Cognome referente'],
		['Voornaam contactpersoon', 'Achternaam contactpersoon'],
		['Primary Contact First Name', 'Contact Last Name'],
		['Main Contact First Name', 'Key Contact Last Name'],
	])('%s and %s are one person', (one, other) => {
		expect(readOf({ [one]: firstOf, [other]: lastOf })).toEqual(halves);
	});

	const nobodys = `Account Owner|Owner Name|Manager Name|Assistant Name|Host Name|Referred By|Customer Name|Client Name|
		Lead|Prospect|Responsável|Executive|Company Contact|Contact Owner|Contact Type|Lead Source|Previous Company Name`;

	it.each(nobodys.split(/\|\s*/))('%s says nothing', (field) => {
		expect(readOf({ [field]: ada })).toEqual({});
	});

	it('of two that are as sure neither is read, unless both have the same name', () => {
		const two = { 'Contact Name': 'Eve Other', 'CEO Name': ada, 'CEO Email': email, ...acme };
		expect(readOf(two)).toEqual(acme);
		expect(whysOf(two)).toContain('Contact Name differs from CEO Name');
		expect(readOf({ ...two, 'Contact Email': eve })).toEqual(acme);
		expect(readOf({ ...two, 'CEO Name': 'Eve Other', 'Contact Email': eve })).toMatchObject({
			fullName: 'Eve Other',
			email: eve,
		});
		expect(readOf({ ...two, 'Contact Name': ada })).toMatchObject({ ...whole, email });
	});

	it('is said by the object that holds it', () => {
		const company = { name: 'Acme', website: 'acme.com' };
		const atCompany = { ...acme, domain: 'acme.com' };
		expect(readOf({ ...inSheet, company })).toEqual({ ...halves, ...atCompany });
		expect(readOf({ lead: inSheet, organization: company })).toEqual({ ...halves, ...atCompany });
		expect(readOf({ contact: inApi, company })).toEqual({ ...halves, ...atCompany });
		expect(readOf({ contact: { name: ada, email }, company: 'Acme' })).toEqual({
			...withEmail,
			...acme,
		});
	});

	it('is said by the label beside a value', () => {
		const site = { 'Website 1 - Value': 'ada.example' };
		expect(readOf({ 'Website 1 - Label': 'Profile', ...site })).toEqual({});
		expect(readOf({ 'Website 1 - Label': 'Work', ...site })).toEqual({ domain: 'ada.example' });
		const home = { 'E-mail 1 - Label': '* Home', 'E-mail 1 - Value': 'ada@home.example' };
		expect(readOf(home)).toEqual({ email: 'ada@home.example' });
		expect(readOf({ ...home, 'E-mail 2 - Label': 'Work', 'E-mail 2 - Value': email })).toEqual({
			email,
		});
	});
});

/** The headers of an export, and what is to be read of it. */
interface Export {
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

const headers: Export[] = JSON.parse(
	await readFile(join(root, 'test', 'unit', 'headers.json'), 'utf8'),
);

/** A website counts by its host. */
const comparable = ({ domain, ...values }: Values) => ({
	...values,
	...(domain !== undefined && { domain: toDomain(domain) }),
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

it('once it has looked at all items, reading one looks at no other', () => {
	let looks = 0;
	const ownKeys = (item: object) => {
		looks++;
		return Reflect.ownKeys(item);
	};
	const items = ['Ada', 'Ida', 'Eda'].map(
		(name) => new Proxy({ Email: `${name}@acme.com`, [name]: 1 }, { ownKeys }),
	);
	const reader = new LeadReader('', items);
	for (const item of items) reader.look(item);
	expect(looks).toBe(items.length);
	expect(reader.read(items[0]).found.email?.value).toBe('Ada@acme.com');
	expect(looks).toBe(items.length);
});
