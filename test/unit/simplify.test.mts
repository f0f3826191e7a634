/**
 * @file What the service sends, in the words of the package. The tables of test/engine/operations hold every form that the
 * emulated service has; here are the others, and what was not sent.
 */

import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';

import { simplifyAccount } from '../../nodes/shared/api/account.ts';
import { simplifyCompany, simplifyCompanyLead } from '../../nodes/shared/api/company.ts';
import { simplifyFoundEmail } from '../../nodes/shared/api/finder.ts';
import {
	simplifyExportedLead,
	simplifyList,
	simplifyListLead,
} from '../../nodes/shared/api/lists.ts';
import { personDataOf, simplifyVerification } from '../../nodes/shared/api/verifier.ts';
import {
	companyFields,
	companyLead,
	exportedLead,
	fixtures,
	list,
	listLead,
} from '../support/leads/expected.mts';

type Simplify = (sent: IDataObject) => IDataObject;

const acme = { name: 'Acme', domain: 'acme.com' };
const profileOf = (lead: IDataObject) => simplifyCompanyLead(lead, acme);
const verificationOf = (result: IDataObject) =>
	simplifyVerification(result, { email: 'Ada@acme.com' });

const [someone] = fixtures.people;
const [lead] = list(101).leads;

it.each<[string, Simplify, fields: string[]]>([
	['an account', simplifyAccount, 'name email plan renewsAt credits csvImport lists'.split(' ')],
	['a list', simplifyList, 'id name createdAt leadCount emailCount'.split(' ')],
	['a list lead', simplifyListLead, Object.keys(listLead(lead))],
	['an exported lead', simplifyExportedLead, Object.keys(exportedLead(lead))],
	['a company', simplifyCompany, Object.keys(companyFields(someone.company))],
	['a company lead', (sent) => simplifyCompanyLead(sent, {}), Object.keys(companyLead(someone))],
	['a finder result', simplifyFoundEmail, ['email', 'emailStatus']],
])('%s has all of its fields, in their order, when nothing was sent', (name, simplify, fields) => {
	const absent = { ...simplify({}), ...(name === 'an account' && { credits: null }) };
	expect(Object.entries(absent)).toEqual(fields.map((field) => [field, null]));
});

it.each<[string, IDataObject]>([
	['a company', simplifyCompany({})],
	['a person', simplifyCompanyLead({}, {})],
	// Only some services send these two.
	['a list lead', simplifyListLead({ title: 'CTO', company: 'Acme' })],
	['an exported lead', simplifyExportedLead({})],
])('%s has ten fields at most', (_, fields) => {
	expect(Object.keys(fields).length).toBeLessThanOrEqual(10);
});

it.each<[Simplify, sent: IDataObject, some: IDataObject]>([
	[
		simplifyList,
		{ count_leads: '1,000', count_leads_emails: '0' },
		{ leadCount: 1_000, emailCount: 0 },
	],
	[simplifyListLead, { email_status: 'OKA' }, { emailStatus: 'catch-all' }],
	[simplifyExportedLead, { last_nd: 'L' }, { fullName: 'L', lastName: 'L' }],
	[simplifyCompany, { website: 'www.acme.com' }, { website: 'https://www.acme.com' }],
	[simplifyCompany, { linkedin_url: '//x.com/a' }, { profileUrl: 'https://x.com/a' }],
	[simplifyCompany, { employee_count: '1,250' }, { employeeCount: 1250 }],
	[simplifyCompany, { employee_count: '51-200' }, { employeeCount: '51-200' }],
	[simplifyCompany, { employee_count_range: '1-500' }, { employeeCount: '1-500' }],
	[profileOf, {}, { company: 'Acme', domain: 'acme.com' }],
	[profileOf, { position: { start_date: { month: '3', year: '1999' } } }, { startedAt: '1999-03' }],
	[profileOf, { position: { start_date: { year: 2021 } } }, { startedAt: '2021' }],
	[profileOf, { position: { start_date: { month: 7 } } }, { startedAt: null }],
	// A text that can be no email is none, wherever it stands.
	...[simplifyListLead, simplifyExportedLead, profileOf, simplifyFoundEmail].flatMap((simplify) =>
		['not found', 'N/A', 'email_not_unlocked@domain.com'].map(
			(email): [Simplify, IDataObject, IDataObject] => [simplify, { email }, { email: null }],
		),
	),
	[simplifyFoundEmail, { email: ' a@b.co ' }, { email: 'a@b.co', emailStatus: null }],
	// Of the email that was checked, whichever the service names.
	[verificationOf, { email: 'ada@ACME.com' }, { email: 'Ada@acme.com' }],
	[verificationOf, { email_status: 'NOK' }, { emailStatus: 'invalid', mailboxType: null }],
	[verificationOf, { email_status: 'do_not_mail' }, { emailStatus: 'unknown' }],
])('%s: %j is %j', (simplify, sent, some) => {
	expect(simplify(sent)).toMatchObject(some);
});

it('the data of a person has all of its fields where one was sent', () => {
	const none = { firstName: null, lastName: null, title: null, company: null, result: null };
	expect(personDataOf({ companyName: ' Acme ' })).toEqual({ ...none, company: 'Acme' });
	expect(personDataOf({ title: ' ' })).toBeNull();
});

describe('an account', () => {
	const unknown = { quota: null, used: null, remaining: null };
	const all = (credits: IDataObject) => simplifyAccount({ credits }).credits;

	it.each([
		[{ used: 250 }, { ...unknown, used: 250 }],
		[{ quota: null }, unknown],
	])('has its credits under "all" where %j is the one counter', (credit, counter) => {
		expect(simplifyAccount({ credit }).credits).toEqual({ all: counter });
	});

	it('states no counter that it would have to guess', () => {
		expect(all({ total: 9 })).toEqual({ all: { ...unknown, quota: 9 } });
		expect(all({ remaining: 9 })).toEqual({ all: { ...unknown, remaining: 9 } });
		const credit = { email: { used: 2 }, search: { quota: 9 }, verifier: null };
		expect(simplifyAccount({ credit }).credits).toEqual({
			email: { ...unknown, used: 2 },
			search: { ...unknown, quota: 9 },
			verifier: unknown,
		});
	});

	it('keeps what is false, zero or empty apart from what is absent or something else', () => {
		const list = { id: 101, name: 'Fair', path: '/lists/101' };
		const credit = { email: { quota: 0, used: 0 } };
		const none = { credit, options: { csv_import: false }, lists: [] };
		expect(simplifyAccount(none)).toMatchObject({
			credits: { email: { quota: 0, used: 0, remaining: 0 } },
			csvImport: false,
			lists: [],
		});
		const other = { options: { csv_import: { nested: [1] } }, lists: [null, list, 'Fair'] };
		expect(simplifyAccount(other)).toMatchObject({ csvImport: null, lists: [list] });
	});
});
