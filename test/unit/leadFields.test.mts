/**
 * @file Leads are recognized by the names of their fields: the rules one by one, and the headers of real exports, import
 * templates, forms and APIs (`headers.json`: the headers are as published, the values are made up).
 */

import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';

import type { Lead } from '../../nodes/shared/lead/lead.ts';
import { CONTAINERS, LeadReader } from '../../nodes/shared/lead/reader.ts';
import {
	LEAD_FIELDS,
	OF_PEOPLE,
	ROLES,
	SHORT_HALVES,
} from '../../nodes/shared/lead/columnNames.ts';
import { toDomain } from '../../nodes/shared/values/text.ts';
import { isRecord } from '../emulator/values.mts';
import { headers, headerSets, type Values } from '../support/lists/lists.mts';
import { expectMade } from '../support/madePage.mts';

/** What lookups use of a lead. */
function used({ found }: Lead): Values {
	const values = Object.entries(found).map(([meaning, { value }]) => [meaning, value]);
	return Object.fromEntries(values);
}

/** What is recognized of an item that is a run of its own. */
const leadIn = (item: unknown) => new LeadReader([item]).read(item);

const readOf = (item: unknown) => used(leadIn(item));

/** Why fields hold nothing, e.g. `Name looks like a company`. */
function whysOf(item: object): string[] {
	const { lacking } = leadIn(item);
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
const withEmail = { fullName: ada, email };
const acme = { company: 'Acme' };
const atAcme = { company: 'Acme', email };
const checked = { email, emailStatus: 'valid' };

/** The halves of a name in the fields of a sheet, and in those of an API. */
const inSheet = { 'First Name': 'Ada', 'Last Name': 'Lovelace' };

describe('a field', () => {
	const nothing = `Account Owner|Contact Owner|Old Email|Email Status|Company LinkedIn URL|Company Address|
		Previous Company Name|Secondary Email|Assistant's Name|Property Name|Middle Name|Last Contacted|First|Last|
		Kontaktinhaber|Lead-Inhaber|Lead-Inhaber: E-Mail|Kontaktinhaber: Vollständiger Name|
		url|title|constructor|__proto__|`;

	it.each(nothing.split(/\|\s*/))('%j is nothing: a name counts as a whole', (name) => {
		for (const value of [ada, email, 'https://acme.com']) {
			expect(readOf(JSON.parse(JSON.stringify(Object.fromEntries([[name, value]]))))).toEqual({});
		}
	});

	it.each<[string, unknown[]]>([
		['Company', ['', ' \u200b', '-', 'n/a', 'N/A', 'null', '(none)']],
		['Website', ['', 'n/a', 'Acme', 'Acme Inc.', 'a b.com', 'https://']],
		['First Name', ['n/a', 'Unknown', email, '17', 17, true, {}, [], [[]], null, { deep: 'Ada' }]],
	])('%s holds nothing with any of %j', (field, values) => {
		for (const value of values) {
			const { found, lacking } = leadIn({ [field]: value });
			expect(found).toEqual({});
			expect(Object.values(lacking)).toEqual([{ field, why: expect.any(String) }]);
		}
	});

	const noCompany = `keine|Open to work|Stealth Startup|Particulier|privat|Student|Sin empresa|non renseignée|étudiant|ohne Firma|
		Freelance / Self-employed|(Investor)`;

	it.each(noCompany.split(/\|\s*/))('for a company with %j holds none', (company) => {
		expect(readOf({ company })).toEqual({});
	});

	it.each(Object.entries(LEAD_FIELDS))('for the %s has each of its names', (meaning, names) => {
		const value = { email, domain: 'acme.com' }[meaning] ?? ada;
		const isFirst = meaning === 'firstName';
		for (const field of names.trim().split(/\s*,\s*/)) {
			const other = SHORT_HALVES.has(field) && { [isFirst ? 'surname' : 'forename']: ada };
			const { found } = leadIn({ [field]: value, ...other });
			expect(found).toMatchObject({
				[meaning === 'name' ? 'fullName' : meaning]: { value, field },
			});
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
		[[email, 'ada@home.com']],
		[[{ value: 'ada@home.com' }, { value: email, primary: true }]],
		[['call me', 'n/a', { value: email }]],
		[{ Address: email }],
	])('for emails has the one for work of %j', (emails) => {
		expect(readOf({ emails })).toEqual({ email });
	});

	it.each<[unknown]>([
		[{ name: 'Acme', id: 7 }],
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
const byAda = { 'your-name': ada, 'your-email': email };
const site = { domain: 'acme.com' };

/** An item, what is read of it, and why one of its fields is not. */
const reads = (item: object, values: Values, why?: string) => [item, values, why] as const;

/** Items, by what they are read by. */
const rows: Record<string, Array<ReturnType<typeof reads>>> = {
	'of two fields for the same the more certain one with a value counts': [
		reads({ name: 'A B', 'Contact Name': ada }, whole),
		reads({ 'Contact Name': ada, name: 'A B' }, whole),
		reads({ 'Work Email': '', 'Email 1': email }, { email }),
	],
	'a word is no email, and hides none': [
		reads({ 'Work Email': 'not found', Email: email, Name: ada }, withEmail),
		reads({ Email: 'not found' }, nobody),
		reads({ Email: 'ada@acme' }, { email: 'ada@acme' }),
		...['Work:ada@acme.com', 'ada&#64;acme.com', 'ada%40acme.com'].map((text) =>
			reads({ Email: text }, { email: text }),
		),
	],
	'a value may be written as other programs do': [
		reads({ Name: { first: 'Ada', last: 'Lovelace' } }, whole),
		reads({ company: 'H&M; Acme' }, { company: 'H&M' }),
		reads(
			{ Website: '{{ $json.x }}', Homepage: '', Company: 'Acme' },
			{ domain: '{{ $json.x }}', ...acme },
		),
	],
	'an object inside may have the name, but of nobody else': [
		reads({ name: 'Contact Form', data: inSheet }, halves),
		reads(
			{ 'Full Name': ada, fields: { 'Full Name': 'Eve Other', email, website: 'other.com' } },
			whole,
		),
		reads(
			{ ...inSheet, 'Email 1': email, 'Contact Person': 'Eve Other', 'Contact Email': eve },
			{ ...halves, email },
		),
	],
	'a status is of the email beside it': [
		reads({ email, properties: { ...checked, email: eve } }, { email }),
		reads({ email: '', emailStatus: 'valid', 'Work Email': email }, { email }),
		reads({ 'Work Email': eve, email }, { email: eve }),
		reads({ 'E-Mail': eve, email, emailStatus: '' }, { email }),
		reads({ 'Work Email': eve, 'E-mail': email, emailStatus: 'valid' }, checked),
		reads({ emailStatus: 'valid', 'Work Email': email }, checked),
		...['Email Status', 'email_status', 'EmailStatus', 'emailstatus', 'Status', 'verified'].map(
			(name) => reads({ [name]: 'valid' }, nobody),
		),
	],
	'the company is the one of the lead, and so is the website': [
		reads({ Company: 'Ours', 'Organization Name': 'Acme' }, acme),
		reads({ Company: 'Ours', 'Organization Name': '' }, nobody),
		reads({ Company: 'Ours', 'Company Name': '' }, nobody, 'Company Name is empty in this row'),
		reads({ Company: 'Acme', 'Company 2': 'Former' }, acme),
		reads({ 'Company 2': 'Former', 'Website 2': 'former.com' }, nobody),
	],
	'a name that may be of a form, or of whoever fills it in, is not that of the lead': [
		reads(
			{ ...byAda, name: 'Contact form', company: 'Acme' },
			atAcme,
			'name differs from your-name',
		),
		reads({ ...visitor, ...inSheet }, halves),
		reads(visitor, { fullName: 'Eve Other', company: 'Other', domain: 'other.com' }),
		reads({ 'Your Full Name': 'Eve Other', 'Contact Name': '', ...acme }, acme),
	],
	'a bare name is the whole one, or the half that is not there': [
		reads({ Name: ada }, whole),
		reads({ Vorname: 'Ada', Name: 'Lovelace' }, halves),
		reads({ first_name: 'Al', name: 'Alston' }, { firstName: 'Al', lastName: 'Alston' }),
		reads(
			{ 'First Name': 'Dr. Ada (Augusta)', Name: ada },
			{ ...whole, firstName: 'Dr. Ada (Augusta)' },
		),
		reads(
			{ name: 'Ada Lo', firstname: 'Ada', lastname: 'Lovelace' },
			{ fullName: 'Ada Lo', ...halves },
		),
		reads({ 'First Name': 'Ada Augusta', Name: 'Ada' }, { firstName: 'Ada Augusta' }),
		reads({ 'Contact Name': ada, Vorname: 'Ada', Name: 'Lovelace' }, halves),
		reads({ ...first, Name: 'Acme Robotics', 'Full Name': ada }, { ...whole, ...first }),
		reads({ Nombre: 'María José', Apellidos: '' }, nobody),
	],
	'a bare name beside a website alone may be a company’s': [
		reads(
			{ Name: 'Hotel Adler', Website: 'acme.com' },
			site,
			"Name may be a company's, as no other column is a person's",
		),
		reads({ 'your-name': ada, 'your-website': 'acme.com' }, { ...whole, ...site }),
		reads({ Name: 'Acme Robotics', Website: 'acme.com', Account: '1001' }, site),
		reads({ 'Full Name': ada, Website: 'acme.com' }, { ...whole, ...site }),
	],
	'a name that is masked, half or of two people is none': [
		...['L***', 'L…', 'L...', 'undefined', 'null', '<Surname>'].map((surname) =>
			reads({ 'First Name': 'Ada', Surname: surname }, first, 'Surname is not a name'),
		),
		reads({ firstName: 'Ada', lastName: 'L.' }, first, 'lastName is only an initial'),
		reads({ 'First Name': ada, Surname: 'PhD' }, { firstName: ada }, 'Surname is only a title'),
		reads(
			{ 'First Name': 'Ida B. Rhodes & Ann', 'Last Name': 'Lee' },
			{ lastName: 'Lee' },
			'First Name is not the name of one person',
		),
	],
	'the name of a company is none of a person': [
		reads({ Name: 'Acme', Company: 'ACME' }, { company: 'ACME' }),
		reads({ 'Contact Person': 'Acme', ...acme }, acme, 'Contact Person looks like a company'),
		reads({ 'Full Name': 'KG Menon' }, { fullName: 'KG Menon' }),
		reads({ Nom: 'SARL Dupont' }, nobody, 'Nom looks like a company'),
	],
	'a number says whose a column is': [
		reads({ ...inSheet, 'Email 2': email }, { ...halves, email }),
		reads({ ...inSheet, 'First Name 2': 'Eve', 'Last Name 2': 'Other', 'Email 2': eve }, halves),
	],
};

describe.each(Object.entries(rows))('%s', (_, items) => {
	it.each(items)('%j', (item, values, why) => {
		expect(readOf(item)).toEqual(values);
		if (why) expect(whysOf(item)).toContain(why);
	});
});

describe('an item', () => {
	const containers = [
		'properties',
		'fields',
		'body',
		'merge_fields',
		'data',
		'attributes',
		'payload',
	];

	it.each([...containers, 'customer', 'billing', 'names'])(
		'with %s: they count after its own fields',
		(name) => {
			const inside = { email: eve, company: { value: 'Acme' } };
			for (const there of [inside, [inside]]) {
				expect(readOf({ [name]: there, 'E-Mail 1': email })).toEqual(atAcme);
				expect(readOf({ [name]: there })).toEqual({ ...atAcme, email: eve });
			}
			// Which of several leads is meant, nobody can tell.
			expect(readOf({ [name]: [inside, inside] })).toEqual({});
			expect(readOf({ other: inside })).toEqual({});
		},
	);

	it.each<[object, Values]>([
		[{ 'Contact Person': 'Eve Lovelace', 'Contact Email': eve }, nobody],
		[{ 'Contact Person': 'Dr. Ada Lovelace', 'Contact Email': email }, { email }],
		[{ 'Contact First Name': 'Ada', 'Contact Email': email }, { email }],
		// A form in which somebody recommends her.
		[{ 'Your Name': 'Eve Other', 'Your Email': eve }, nobody],
	])('with the email of somebody else has none: %j', (others, values) => {
		const read = readOf({ ...inSheet, Email: '', ...others });
		expect({ ...read, fullName: undefined }).toEqual({ ...halves, ...values });
	});

	it.each<[string, names: string[]]>([
		[
			'Name',
			['19abc004', 'MR LOVELACE', 'Ада', 'Ada (she/her)', 'Ada 🔥', 'Ada | Sales', 'Emily C.'],
		],
		['Contact Name', ['Mr. & Mrs. Smith', 'Mr. & Mrs.', 'Dr. Lovelace', 'M. Dupont']],
		['Contactpersoon', ['Dhr. de Vries', 'Mevr. Van den Berg', "Dhr. in 't Veld", '’t Hart']],
		['Ansprechpartner', ['Herr und Frau Weber', 'Frau zur Mühlen', 'Familie Müller']],
		['Nominativo', ['Sig.ra Di Stefano', 'Άδα Λ.']],
	])('with one word as its name has half of one: %s', (field, names) => {
		for (const name of names) expectHalf({ [field]: name });
	});

	it.each([
		{ Nom: 'Dupont', PRENOM2: 'Jean' },
		{ Full_Name: 'Lovelace', First_Name: null, Last_Name: 'Lovelace' },
		{ fullName: 'Maria José L.', firstName: 'Maria José', lastName: 'L. (She/Her)' },
	])('with half of a name twice has half of one: %j', expectHalf);

	function expectHalf(item: object): void {
		const { found, lacking } = leadIn(item);
		expect(found).not.toHaveProperty('fullName');
		expect(lacking.fullName?.why).toBe('is only half a name');
	}

	const several = `Ada Lovelace, Ida Rhodes|Ada Lovelace; Ida Rhodes|Ada Lovelace und Ida Rhodes|Ada & Ida Lovelace|
		ADA UND IDA LOVELACE|Ada Lovelace / Ida Rhodes|Contacts::::Ada Lovelace|Ana y Luis García|Ana e Luca Rossi|
		Ada en Jan Dijk|García López, Ana|Ada Lovelace, Managing Director`;

	it.each([...several.split(/\|\s*/), 'Ada Lovelace\nIda Rhodes', 'Ada Lovelace\r\nInhaberin'])(
		'with several people as its name, or more than a name, has none: %j',
		(name) => {
			expect(readOf({ Geschäftsführer: name })).toEqual({});
			expect(whysOf({ CEO: name })).toEqual(['CEO is not the name of one person']);
		},
	);

	const wholes = `Van Morrison|van morrison|le Gall Anne|Ada Lee, M. A.|王小明|M. A. Lovelace|ada lee|PETER HAAG|M.S.A. Khan|
		José Ortega y Gasset|Mary E Smith|Ann Lee, NP`;

	it.each(wholes.split(/\|\s*/))('with %s as its name has a whole one', (fullName) => {
		expect(readOf({ Name: fullName })).toEqual({ fullName });
	});

	it.each([
		['小明', '王'],
		['Ada', 'Lo'],
		['José', 'Ortega y Gasset'],
	])('with %s and %s has both halves', (firstName, lastName) => {
		expect(readOf({ firstName, lastName })).toEqual({ firstName, lastName });
	});

	it.each(['Mr.', 'Frau', 'Frau Dr.', 'Dott.ssa', 'Dr. med. dent.'])(
		'with %s as its first name has none',
		(title) => {
			const lead = { Vorname: title, Nachname: 'Hopper' };
			expect(readOf(lead)).toEqual({ lastName: 'Hopper' });
			expect(whysOf(lead)).toEqual(['Vorname is only a title']);
		},
	);

	it('may be any JSON: nothing is thrown, and the item stays as it is', () => {
		const known = Object.values(LEAD_FIELDS).flatMap((names) => names.trim().split(/\s*,\s*/));
		const names = ['properties', 'fields', 'body', 'data', 'result', 'emailStatus'];
		const key = fc.oneof(
			fc.constantFrom(...known, ...names, 'value', 'primary', 'type', 'name', 'email'),
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
				const { found } = new LeadReader([json, any, null]).read(json);
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

describe('whose a column is', () => {
	const names = `Contact|Contact Person|Primary Contact|Decision Maker Name|attendee_name|Ansprechpartnerin|Kontaktperson|
		Name Ansprechpartner|nom_contact|Nom du dirigeant|Fondateur|Persona de contacto|Nombre del contacto|
		Nome do responsável|Proprietario|Referente|Naam contactpersoon|Contact 1 Name|Person - Name`;

	it.each(names.split(/\|\s*/))('%s is the name of a person', (field) => {
		expect(readOf({ [field]: ada, Name: 'Acme Robotics' })).toEqual(whole);
	});

	it.each([
		['Contact First Name', 'Contact Last Name'],
		['Vorname Ansprechpartner', 'Nachname Ansprechpartner'],
		['Prénom du participant', 'Nom du participant'],
		['Nombre Contacto', 'Apellidos Contacto'],
		['Voornaam contactpersoon', 'Achternaam contactpersoon'],
		['Primary Contact First Name', 'Contact Last Name'],
		['Main Contact First Name', 'Key Contact Last Name'],
	])('%s and %s are one person', (one, other) => {
		expect(readOf({ [one]: 'Ada', [other]: 'Lovelace' })).toEqual(halves);
	});

	const nobodys = `Account Owner|Owner Name|Manager Name|Host Name|Referred By|Customer Name|Lead|Prospect|Responsável|
		Executive|Company Contact|Contact Owner|Contact Type|Lead Source|Lead-Inhaber|Kontaktinhaber`;

	it.each(nobodys.split(/\|\s*/))('%s says nothing', (field) => {
		expect(readOf({ [field]: ada })).toEqual({});
	});

	it('of two that are as sure neither name is read, unless both are the same', () => {
		const two = { 'Contact Name': 'Eve Other', 'CEO Name': ada, 'CEO Email': email, ...acme };
		expect(readOf(two)).toEqual(atAcme);
		expect(whysOf(two)).toContain('Contact Name differs from CEO Name');
		expect(readOf({ ...two, 'CEO Name': 'Eve Other', 'Contact Email': eve })).toMatchObject({
			fullName: 'Eve Other',
			email: eve,
		});
		expect(readOf({ ...two, 'Contact Name': ada })).toMatchObject({ ...whole, email });
		// The seller of a CRM.
		expect(readOf({ Nome: ada, Empresa: 'Acme', Proprietário: 'Eve Other' })).toEqual(acme);
	});
});

it('a run reads no bare name of a list of companies beside a list of people', () => {
	const adler = { Name: 'Hotel Adler', Website: 'adler-bonn.de', Ort: 'Bonn' };
	const items = [adler, { Name: ada, Website: 'acme.com', Company: 'Acme', Title: 'CEO' }];
	const reader = new LeadReader(items);
	const read = items.map((item) => used(reader.read(item)));
	expect(read).toEqual([{ domain: 'adler-bonn.de' }, { ...whole, ...acme, ...site }]);
});

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
	domain: 'Company Domain',
	company: 'Company Name',
	email: 'Email, Existing Email',
};

/** All names by field, to be opened one by one: a table of them would be cells of a page each. */
function namesList(): string {
	const named = (names: string) =>
		names
			.trim()
			.split(/\s*,\s*/)
			.join(', ');
	const rows = Object.entries(LABELS).map(([meaning, label]) => {
		return [label, named(LEAD_FIELDS[meaning as keyof typeof LEAD_FIELDS])];
	});
	const more = [
		['Existing Status', '`emailStatus`, in exactly this spelling'],
		['Words that say whose a column is', `${named(ROLES)}; in forms also your`],
		['Columns that only people have', named(OF_PEOPLE)],
		[
			'Objects whose fields are read',
			`${CONTAINERS.join(', ')}; of company and organization only the website`,
		],
	];
	return [...rows, ...more]
		.map(([label, names]) => {
			const lines = names.match(/.{1,120}(?: |$)/g) ?? [];
			return `<details><summary>${label}</summary>\n\n${lines.map((line) => line.trim()).join('\n')}\n\n</details>`;
		})
		.join('\n');
}

function leftTable(): string {
	const rows = headers.flatMap(({ name, left, misread }) =>
		left === undefined && misread === undefined ? [] : [`| ${name} | ${left ?? misread} |`],
	);
	const text = `Tried with ${headers.length + headerSets.length} lists: exports, import templates, forms and APIs. In these, something stays empty or is read from another field:`;
	return [text, '', '| Where from | Why |', '| --- | --- |', ...rows].join('\n');
}

test('docs have these lists (npm run lead-fields)', async () => {
	await expectMade('lead-fields.md', { names: namesList() });
	await expectMade('contributing/lists-tried.md', { headers: leftTable() });
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
	const reader = new LeadReader(items);
	for (const item of items) reader.look(item);
	expect(looks).toBe(items.length);
	expect(reader.read(items[0]).found.email?.value).toBe('Ada@acme.com');
	expect(looks).toBe(items.length);
});
