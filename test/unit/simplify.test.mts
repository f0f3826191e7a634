/** @file Every form in which the service sends a thing comes out the same, with all of its fields. */

import { describe, expect, it } from 'vitest';

import { ACCOUNT_PATH, readAccount, simplifyAccount } from '../../nodes/shared/credits/account.ts';
import { simplifyCompanyLead } from '../../nodes/Company/operations/getLeads.operation.ts';
import { simplifyFoundEmail } from '../../nodes/Finder/person.ts';
import { simplifyExportedLead } from '../../nodes/List/operations/exportLeads.operation.ts';
import { simplifyList, simplifyListLead } from '../../nodes/shared/reads/lists.ts';
import { simplifyEnrichment, simplifyVerification } from '../../nodes/Verifier/verification.ts';
import { simplifyCompany } from '../../nodes/shared/values/company.ts';
import { detailsOf, rejectionOf } from './thrown.mts';

describe('an account', () => {
	const account = {
		name: 'Ada Lovelace',
		email: 'ada@acme.com',
		package: 'Growth',
		packageRDate: 1_798_675_200_000,
		credit: {
			email: { quota: 1000, used: 250 },
			verifier: { quota: 500, used: 500 },
			search: { quota: 100, used: 0 },
		},
		options: { csv_import: true, other: 1 },
		lists: [{ id: 101, name: 'Conference', path: '/lists/101' }],
	};

	it('comes out with the credits of each kind', () => {
		expect(simplifyAccount(account)).toEqual({
			name: 'Ada Lovelace',
			email: 'ada@acme.com',
			plan: 'Growth',
			renewsAt: '2026-12-31T00:00:00.000Z',
			credits: {
				email: { quota: 1000, used: 250, remaining: 750 },
				verifier: { quota: 500, used: 500, remaining: 0 },
				search: { quota: 100, used: 0, remaining: 100 },
			},
			csvImport: true,
			lists: [{ id: 101, name: 'Conference', path: '/lists/101' }],
		});
	});

	it('comes out with the one kind that its variant has', () => {
		const { credits } = simplifyAccount({ ...account, credit: { email: { quota: 9, used: 2 } } });
		expect(credits).toEqual({ email: { quota: 9, used: 2, remaining: 7 } });
	});

	it('comes out with its credits under "all" in the variant without kinds', () => {
		const variant = {
			email: 'ada@acme.com',
			plan: 'Growth',
			expiry: '2026-12-31',
			credits: { remaining: 750, total: 1000 },
		};
		expect(simplifyAccount(variant)).toEqual({
			name: null,
			email: 'ada@acme.com',
			plan: 'Growth',
			renewsAt: '2026-12-31T00:00:00.000Z',
			credits: { all: { quota: 1000, used: 250, remaining: 750 } },
			csvImport: null,
			lists: null,
		});
	});

	it('states no counter that it would have to guess', () => {
		const unknown = { quota: null, used: null, remaining: null };
		const all = (credits: object) => simplifyAccount({ credits }).credits;
		expect(all({ total: 9 })).toEqual({ all: { ...unknown, quota: 9 } });
		expect(all({ remaining: 9 })).toEqual({ all: { ...unknown, remaining: 9 } });
		const { credits } = simplifyAccount({ credit: { email: { used: 2 }, search: { quota: 9 } } });
		expect(credits).toEqual({ email: { ...unknown, used: 2 }, search: { ...unknown, quota: 9 } });
	});

	it('comes out without what is no list among its lists', () => {
		const lists = [null, { id: 101, name: 'Conference', path: '/lists/101' }, 'Conference'];
		expect(simplifyAccount({ ...account, lists }).lists).toEqual([lists[1]]);
	});

	it('does not take what is no answer for whether it may import', () => {
		const options = { csv_import: { nested: [1] } };
		expect(simplifyAccount({ ...account, options }).csvImport).toBeNull();
	});

	it('keeps what is false, zero or empty apart from what is absent', () => {
		const bare = {
			email: 'ada@acme.com',
			credit: { email: { quota: 0, used: 0 }, verifier: { quota: 5 }, search: null },
			options: { csv_import: false },
			lists: [],
		};
		expect(simplifyAccount(bare)).toEqual({
			name: null,
			email: 'ada@acme.com',
			plan: null,
			renewsAt: null,
			credits: {
				email: { quota: 0, used: 0, remaining: 0 },
				verifier: { quota: 5, used: null, remaining: null },
				search: { quota: null, used: null, remaining: null },
			},
			csvImport: false,
			lists: [],
		});
	});
});

describe('the reading of an account', () => {
	const readFrom = async (answer: object) =>
		await readAccount({
			async get(path) {
				expect(path).toBe(ACCOUNT_PATH);
				return answer;
			},
		});

	it('gives what the service sent', async () => {
		const account = { email: 'ada@acme.com' };
		expect(await readFrom(account)).toBe(account);
	});

	it('takes a list for no account', async () => {
		expect(detailsOf(await rejectionOf(readFrom([]))).message).toBe(
			'The service sent a response without an account',
		);
	});
});

describe('a list', () => {
	it('comes out of the main form', () => {
		const list = {
			list_id: 101,
			name: 'Conference',
			creation_date: '2026-01-02T03:04:05.678Z',
			count_leads: 42,
		};
		expect(simplifyList(list)).toEqual({
			id: 101,
			name: 'Conference',
			createdAt: '2026-01-02T03:04:05.678Z',
			leadCount: 42,
		});
	});

	it('comes out of the variant', () => {
		expect(simplifyList({ id: 101, name: 'Conference', leads: 0 })).toEqual({
			id: 101,
			name: 'Conference',
			createdAt: null,
			leadCount: 0,
		});
	});

	it('comes out of what the account says of it', () => {
		expect(simplifyList({ id: 101, name: 'Conference', path: '/lists/101' })).toEqual({
			id: 101,
			name: 'Conference',
			createdAt: null,
			leadCount: null,
		});
	});
});

describe('a list lead', () => {
	const simplified = {
		id: 9001,
		name: 'Ada Lovelace',
		firstName: 'Ada',
		lastName: 'Lovelace',
		email: 'ada@acme.com',
		emailStatus: 'catch-all',
		profileUrl: 'https://www.example.com/in/ada',
		location: 'London',
		domain: 'acme.com',
		companyIndustry: 'Computing',
		companyFounded: '1843',
		companySize: 250,
		companyHeadquarters: 'London, GB',
	};

	const lead = {
		id: 9001,
		name: 'Ada Lovelace',
		first_n: 'Ada',
		email: 'ada@acme.com',
		network_url: 'www.example.com/in/ada',
		location: 'London',
		domain: 'acme.com',
		company_industry: 'Computing',
		company_hq: 'London, GB',
	};

	it('comes out of the main form', () => {
		const main = {
			...lead,
			last_n: 'Lovelace',
			email_status: 'catch-all',
			company_founded: '1843',
			company_size: 250,
		};
		expect(simplifyListLead(main)).toEqual(simplified);
	});

	it('comes out of the form with last_nd and compnay_founded', () => {
		const variant = {
			...lead,
			last_nd: 'Lovelace',
			email_status: 'OKA',
			compnay_founded: '1843',
			company_size: '250',
		};
		expect(simplifyListLead(variant)).toEqual(simplified);
	});

	it('comes out with all fields when nothing was sent', () => {
		const absent = Object.fromEntries(Object.keys(simplified).map((field) => [field, null]));
		expect(simplifyListLead({})).toEqual(absent);
	});
});

describe('an exported lead', () => {
	const simplified = {
		firstName: 'Ada',
		lastName: 'Lovelace',
		email: 'ada@acme.com',
		title: 'Analyst',
		location: 'London',
		company: 'Acme',
		domain: 'acme.com',
		companyIndustry: 'Computing',
		profileUrl: 'https://www.example.com/in/ada',
	};

	const lead = {
		first_n: 'Ada',
		email: 'ada@acme.com',
		title: 'Analyst',
		location: 'London',
		company: 'Acme',
		domain: 'acme.com',
		company_industry: 'Computing',
		network_url: 'https://www.example.com/in/ada',
	};

	it.each([['last_n'], ['last_nd']])('comes out of the form with %s', (spelling) => {
		expect(simplifyExportedLead({ ...lead, [spelling]: 'Lovelace' })).toEqual(simplified);
	});

	it('comes out with all fields when nothing was sent', () => {
		const absent = Object.fromEntries(Object.keys(simplified).map((field) => [field, null]));
		expect(simplifyExportedLead({ email: '' })).toEqual(absent);
	});
});

describe('a company', () => {
	const simplified = {
		id: 77,
		name: 'Acme',
		domain: 'acme.com',
		website: 'https://www.acme.com',
		industry: 'Computing',
		type: 'private',
		profileUrl: 'https://www.example.com/company/acme',
		specialties: ['engines', 'notes'],
		revenue: '$1M to $5M',
		employeeCount: 1250,
		employeeCountRange: '1001-5000',
		address: '1 Analytical Way',
		city: 'London',
		region: 'Greater London',
		postalCode: 'EC1A',
		country: 'GB',
		directoryUrl: 'https://directory.example.com/acme',
		logoUrl: 'https://cdn.example.com/acme.png',
	};

	const company = {
		lid: 77,
		name: 'Acme',
		domain: 'acme.com',
		website: 'https://www.acme.com',
		industry: 'Computing',
		type: 'private',
		network_url: 'https://www.example.com/company/acme',
		specialties: ['engines', 'notes'],
		revenue: '$1M to $5M',
		employee_count: 1250,
		employee_count_range: '1001-5000',
		address: '1 Analytical Way',
		city: 'London',
		country: 'GB',
		geo_area: 'Greater London',
		postal_code: 'EC1A',
		directory_url: 'https://directory.example.com/acme',
		logo_url_primary: 'https://cdn.example.com/acme.png',
		logo_url_secondary: 'https://cdn.example.com/fallback.png',
	};

	it('comes out of the main form', () => {
		expect(simplifyCompany(company)).toEqual(simplified);
	});

	it('comes out of the form with other spellings, addresses without scheme and the count as text', () => {
		const { specialties, logo_url_primary: logo, ...rest } = company;
		const variant = {
			...rest,
			specialities: specialties,
			website: 'www.acme.com',
			network_url: 'www.example.com/company/acme',
			directory_url: '//directory.example.com/acme',
			logo_url_secondary: logo,
			employee_count: '1,250',
		};
		expect(simplifyCompany(variant)).toEqual(simplified);
	});

	it('has texts alone for its specialties, whatever else is among them', () => {
		const specialties = ['engines', null, { a: 1 }, ' ', ['x'], 'notes'];
		expect(simplifyCompany({ ...company, specialties })).toEqual(simplified);
	});

	it('keeps a count that is no number', () => {
		expect(simplifyCompany({ ...company, employee_count: '51-200' })).toEqual({
			...simplified,
			employeeCount: '51-200',
		});
	});

	it('comes out with all fields when nothing was sent', () => {
		const absent = Object.fromEntries(Object.keys(simplified).map((field) => [field, null]));
		expect(simplifyCompany({})).toEqual(absent);
	});
});

describe('a company lead', () => {
	const lead = {
		first_name: 'Ada',
		last_name: 'Lovelace',
		full_name: 'Ada Lovelace',
		location: 'London',
		position: { title: 'Analyst', location: 'Remote', start_date: { month: 7, year: 2021 } },
		email: 'ada@acme.com',
		email_quality: { status: 'ok', status_message: 'The mailbox exists\r\nand accepts mail' },
	};
	const company = { name: 'Acme', domain: 'acme.com', lid: 77 };

	const simplified = {
		firstName: 'Ada',
		lastName: 'Lovelace',
		fullName: 'Ada Lovelace',
		title: 'Analyst',
		location: 'London',
		positionLocation: 'Remote',
		startedAt: '2021-07',
		email: 'ada@acme.com',
		emailStatus: 'valid',
		emailStatusMessage: 'The mailbox exists and accepts mail',
		companyName: 'Acme',
		companyDomain: 'acme.com',
	};

	it('comes out with the company of its page', () => {
		expect(simplifyCompanyLead(lead, company)).toEqual(simplified);
	});

	it.each([
		['nok', 'invalid'],
		['catch-all', 'catch-all'],
		['Valid', 'valid'],
	])('comes out of the vocabulary with %s', (status, emailStatus) => {
		const other = { ...lead, email_quality: { status } };
		expect(simplifyCompanyLead(other, company)).toEqual({
			...simplified,
			emailStatus,
			emailStatusMessage: null,
		});
	});

	it.each([
		[{ month: 12, year: 2021 }, '2021-12'],
		[{ month: '3', year: '1999' }, '1999-03'],
		[{ year: 2021 }, '2021'],
		[{ month: 7 }, null],
		[null, null],
	])('with a start of %j started at %j', (start_date, startedAt) => {
		const other = { ...lead, position: { ...lead.position, start_date } };
		expect(simplifyCompanyLead(other, company)).toEqual({ ...simplified, startedAt });
	});

	it('comes out with all fields when nothing was sent', () => {
		const absent = Object.fromEntries(Object.keys(simplified).map((field) => [field, null]));
		expect(simplifyCompanyLead({}, {})).toEqual(absent);
	});
});

describe('a finder result', () => {
	const person = { firstName: 'Ada', lastName: 'Lovelace', domain: 'acme.com', country: 'UK' };

	const simplified = {
		email: 'ada@acme.com',
		emailStatus: 'valid',
		emailStatusMessage: 'Deliverable',
		result: null,
		pattern: '{first}',
		firstName: 'Ada',
		lastName: 'Lovelace',
		fullName: 'Ada Lovelace',
		company: null,
		domain: 'acme.com',
		country: 'UK',
		companyId: null,
		accuracy: null,
	};

	it('of one person comes out with what was asked', () => {
		const result = {
			email: 'ada@acme.com',
			pattern: '{first}',
			quality: { status: 'valid', status_message: 'Deliverable' },
		};
		expect(simplifyFoundEmail(result, person)).toEqual(simplified);
	});

	it('of the variant comes out with what it adds', () => {
		const result = {
			email: 'ada@acme.com',
			pattern: '{first}',
			quality: { status: 'OK', status_message: 'Deliverable', result: 'deliverable' },
			accuracy: 97,
			firstName: 'Augusta Ada',
			lastName: 'King',
			companyName: 'Acme Inc',
		};
		expect(simplifyFoundEmail(result, person)).toEqual({
			...simplified,
			result: 'deliverable',
			firstName: 'Augusta Ada',
			lastName: 'King',
			fullName: 'Augusta Ada King',
			company: 'Acme Inc',
			accuracy: 97,
		});
	});

	it.each([['companyNetworkID'], ['companyNetworkid']])(
		'of a bulk row comes out of the form with %s',
		(spelling) => {
			const row = {
				tId: '1',
				firstName: 'Ada',
				lastName: 'Lovelace',
				name: 'Ada Lovelace',
				domain: 'acme.com',
				company: 'Acme',
				[spelling]: 77,
				email: 'ada@acme.com',
				quality: { status: 'nok' },
			};
			expect(simplifyFoundEmail(row, {})).toEqual({
				...simplified,
				emailStatus: 'invalid',
				emailStatusMessage: null,
				pattern: null,
				company: 'Acme',
				country: null,
				companyId: 77,
			});
		},
	);

	it.each([['name'], ['fullName']])(
		'has the full name that the service knows as %s',
		(spelling) => {
			const result = {
				[spelling]: 'Augusta Ada King',
				firstName: 'Ada',
				result: 'deliverable',
				country: 'GB',
			};
			expect(simplifyFoundEmail(result, person)).toMatchObject({
				fullName: 'Augusta Ada King',
				result: 'deliverable',
				country: 'GB',
			});
		},
	);

	it.each([['firstName'], ['lastName']])('makes no full name of %s alone', (name) => {
		expect(simplifyFoundEmail({ [name]: 'Ada' }, {}).fullName).toBeNull();
	});

	it('does not take the company data for the name of the company', () => {
		const result = { email: 'ada@acme.com', company: { name: 'Acme' } };
		const query = { fullName: 'Ada Lovelace', company: 'Acme Inc' };
		expect(simplifyFoundEmail(result, query)).toEqual({
			...simplified,
			emailStatus: null,
			emailStatusMessage: null,
			pattern: null,
			firstName: null,
			lastName: null,
			company: 'Acme Inc',
			domain: null,
			country: null,
		});
	});

	it('that is a miss still names who was asked for', () => {
		const absent = Object.fromEntries(Object.keys(simplified).map((field) => [field, null]));
		expect(simplifyFoundEmail({}, person)).toEqual({
			...absent,
			...person,
			fullName: 'Ada Lovelace',
		});
		const query = { fullName: 'Ada Lovelace', company: 'Acme' };
		expect(simplifyFoundEmail({}, query)).toEqual({ ...absent, ...query });
	});
});

describe('a verification', () => {
	const simplified = {
		email: 'ada@acme.com',
		emailStatus: 'valid',
		message: 'The mailbox exists and accepts mail',
		result: null,
		format: 'valid',
		mailboxStatus: 'valid',
		mailboxType: 'professional',
		mailExchange: 'mx.acme.com',
		emailDomain: 'acme.com',
	};

	const verification = {
		email: 'ada@acme.com',
		domain: 'acme.com',
		email_status: 'valid',
		message: 'The mailbox exists\r\nand accepts mail',
		format: 'valid',
		mailbox_status: 'valid',
		mailbox_type: 'professional',
		mailbox_exchange: 'mx.acme.com',
	};

	it('comes out with its message in one line', () => {
		expect(simplifyVerification(verification)).toEqual(simplified);
	});

	it('comes out of the earlier vocabulary, with the result of the variant', () => {
		const variant = { ...verification, email_status: 'Nok', result: 'undeliverable' };
		expect(simplifyVerification(variant)).toEqual({
			...simplified,
			emailStatus: 'invalid',
			result: 'undeliverable',
		});
	});

	it('comes out with all fields when nothing was sent', () => {
		const absent = Object.fromEntries(Object.keys(simplified).map((field) => [field, null]));
		expect(simplifyVerification({})).toEqual(absent);
	});

	it('with enrich adds the person', () => {
		const enriched = {
			...verification,
			firstName: 'Ada',
			lastName: 'Lovelace',
			companyName: 'Acme',
			title: 'Analyst',
		};
		expect(simplifyEnrichment(enriched)).toEqual({
			firstName: 'Ada',
			lastName: 'Lovelace',
			title: 'Analyst',
			company: 'Acme',
		});
		expect(simplifyEnrichment(verification)).toEqual({
			firstName: null,
			lastName: null,
			title: null,
			company: null,
		});
	});
});
