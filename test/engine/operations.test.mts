import type { IDataObject } from 'n8n-workflow';
import { request } from 'undici';
import { describe, expect, test } from 'vitest';

import type { Service } from '../service/service.mts';
import type { Variants } from '../service/variants.mts';
import { ourNodes, runNode, type OurNode } from '../support/engine.mts';
import {
	companyFields,
	companyLead,
	exportedLead,
	fixtures,
	foundEmail,
	foundRow,
	known,
	list,
	listLead,
	nothingFound,
	notFound,
	personWith,
	some,
	unfindable,
	verified,
} from '../support/expected.mts';
import { check, get, item, objectOf, objectsOf, post, type Row } from '../support/operationRow.mts';
import { credentialFor, useService } from '../support/service.mts';

/**
 * Every operation in every variant of the interface specification, in the real engine: what goes over
 * the wire, the whole output, and the credits. A row is one case.
 */
const service = useService();

const valid = personWith('valid');
const catchAll = personWith('catch-all');
const invalid = personWith('invalid');
const unknown = personWith('unknown');
const ofEachStatus = [valid, catchAll, invalid, unknown];

const company = valid.company;
const willow = known(fixtures.company('Willow & Sons'));
const northern = some(fixtures.companies, ({ name }) => name.toLowerCase().includes('north'));

const campaign = list(101);
const tradeFair = list(102);
const newestFirst = tradeFair.leads.toReversed();

const byId = (id: string | number) => ({ __rl: true as const, mode: 'id', value: id });
const fromList = (id: string) => ({
	__rl: true as const,
	mode: 'list',
	value: id,
	cachedResultName: 'Trade Fair',
});

/* ---------------------------------------- account ---------------------------------------- */

const unusedCredits = { quota: 250_000, used: 0, remaining: 250_000 };
const account = {
	name: 'Ada Lovelace',
	email: 'ada@engine.example',
	plan: 'Business',
	renewsAt: '2030-01-15T00:00:00.000Z',
	credits: { email: unusedCredits, verifier: unusedCredits, search: unusedCredits },
	csvImport: true,
	lists: [
		{ id: 101, name: 'Spring Campaign', path: '/lists/101' },
		{ id: 102, name: 'Trade Fair', path: '/lists/102' },
	],
};
const getAccount = get('/api/v2/account');

/** Spends one credit of each kind. */
async function spendCredits({ baseUrl }: Service): Promise<void> {
	for (const path of [
		`/api/v2/find?fullName=${encodeURIComponent(valid.full)}&domain=${company.domain}`,
		`/v3/verify?email=${valid.email}`,
		`/company/search?kw=${company.domain}`,
	]) {
		await request(`${baseUrl}${path}`, { headers });
	}
}

const headers = { 'x-access-key': 'test-key', accept: 'application/json' };

const accountRows: Row[] = [
	{
		title: 'main form',
		requests: [getAccount],
		output: [item(0, account)],
	},
	{
		title: 'credits used before',
		before: spendCredits,
		requests: [getAccount],
		output: [
			item(0, {
				...account,
				credits: {
					email: { quota: 250_000, used: 1, remaining: 249_999 },
					verifier: { quota: 250_000, used: 1, remaining: 249_999 },
					search: { quota: 250_000, used: 1, remaining: 249_999 },
				},
			}),
		],
	},
	{
		title: 'only finder credits are counted (2.2)',
		variants: { creditCounters: ['email'] },
		requests: [getAccount],
		output: [item(0, { ...account, credits: { email: unusedCredits } })],
	},
	{
		title: 'variant with credits.remaining and credits.total (2.1)',
		variants: { accountShape: 'credits' },
		before: spendCredits,
		requests: [getAccount],
		output: [
			item(0, {
				...account,
				name: null,
				credits: { all: { quota: 250_000, used: 1, remaining: 249_999 } },
				csvImport: null,
				lists: null,
			}),
		],
	},
	...(['full', 'credits'] as const).map(
		(accountShape): Row => ({
			title: `not simplified, ${accountShape}`,
			parameters: { simple: false },
			variants: { accountShape },
			requests: [getAccount],
			output: ([answer]) => [item(0, objectOf(answer))],
		}),
	),
];

/* ---------------------------------------- lists ---------------------------------------- */

const getLists = get('/api/v2/list');

const spring = {
	id: 101,
	name: 'Spring Campaign',
	createdAt: '2025-03-03T08:30:00.000Z',
	leadCount: 1_000,
};
const fair = {
	id: 102,
	name: 'Trade Fair',
	createdAt: '2025-06-17T14:05:12.345Z',
	leadCount: 30,
};

const listsRows: Row[] = [
	{
		title: 'entries of the index: id, name, leads',
		requests: [getLists],
		output: [item(0, { ...spring, createdAt: null }), item(0, { ...fair, createdAt: null })],
	},
	{
		title: 'entries like single lists: list_id, creation_date, count_leads',
		variants: { listIndexShape: 'list' },
		requests: [getLists],
		output: [item(0, spring), item(0, fair)],
	},
	{
		title: 'limit',
		parameters: { limit: 1 },
		requests: [getLists],
		output: [item(0, { ...spring, createdAt: null })],
	},
	{
		title: 'Return All, for each of two items',
		parameters: { returnAll: true },
		items: [{}, {}],
		variants: { listIndexShape: 'list' },
		requests: [getLists, getLists],
		output: [item(0, spring), item(0, fair), item(1, spring), item(1, fair)],
	},
	{
		title: 'without an index: the lists of the account',
		variants: { listIndex: 'missing' },
		requests: [getLists, getAccount],
		output: [
			item(0, { ...spring, createdAt: null, leadCount: null }),
			item(0, { ...fair, createdAt: null, leadCount: null }),
		],
	},
	{
		title: 'without an index, limit',
		parameters: { limit: 1 },
		variants: { listIndex: 'missing' },
		requests: [getLists, getAccount],
		output: [item(0, { ...spring, createdAt: null, leadCount: null })],
	},
	{
		title: 'without an index, and an account without lists',
		variants: { listIndex: 'missing', accountShape: 'credits' },
		requests: [getLists, getAccount],
		output: [],
	},
	...(['entry', 'list'] as const).map(
		(listIndexShape): Row => ({
			title: `not simplified, ${listIndexShape}`,
			parameters: { simple: false },
			variants: { listIndexShape },
			requests: [getLists],
			output: ([answer]) => objectsOf(answer).map((entry) => item(0, entry)),
		}),
	),
	{
		title: 'without an index, not simplified',
		parameters: { simple: false },
		variants: { listIndex: 'missing' },
		requests: [getLists, getAccount],
		output: ([, answer]) => objectsOf(answer, 'lists').map((entry) => item(0, entry)),
	},
];

const getList = get('/api/v2/list/102');

const listRows: Row[] = [
	{
		title: 'by id',
		parameters: { listId: byId('102') },
		requests: [getList],
		output: [item(0, fair)],
	},
	{
		title: 'by id, a number',
		parameters: { listId: byId(102) },
		requests: [getList],
		output: [item(0, fair)],
	},
	{
		title: 'by id, with white space around it, which the field allows',
		parameters: { listId: byId(' 102 ') },
		requests: [getList],
		output: [item(0, fair)],
	},
	{
		title: 'from the list',
		parameters: { listId: fromList('102') },
		requests: [getList],
		output: [item(0, fair)],
	},
	{
		title: 'by an expression, another list per item',
		parameters: { listId: byId('={{ $json.list }}') },
		items: [{ list: 102 }, { list: 101 }],
		inAnyOrder: true,
		requests: [getList, get('/api/v2/list/101')],
		output: [item(0, fair), item(1, spring)],
	},
	{
		title: 'what is no list ID is not sent',
		parameters: { listId: byId('={{ $json.list }}') },
		items: [{ list: '../account' }, { list: 102 }],
		onError: 'continueRegularOutput',
		requests: [getList],
		output: [
			item(0, {
				status: 'invalid_input',
				reason: 'invalid: List',
				message: expect.stringMatching(/^Not sent: The list ID must be a number.*Check the field/),
			}),
			item(1, fair),
		],
	},
	{
		title: 'variant id, name, leads (2.3)',
		parameters: { listId: byId('102') },
		variants: { listShape: 'entry' },
		requests: [getList],
		output: [item(0, { ...fair, createdAt: null })],
	},
	...(['list', 'entry'] as const).map(
		(listShape): Row => ({
			title: `not simplified, ${listShape}`,
			parameters: { listId: byId('102'), simple: false },
			variants: { listShape },
			requests: [getList],
			output: ([answer]) => [item(0, objectOf(answer))],
		}),
	),
];

const leadsOf = (id: number, query: Record<string, string>) =>
	get(`/api/v2/list/${id}/leads`, query);

const oldest = known(tradeFair.leads[0]);

/** All leads of the second list: a page with all of them, then an empty one. */
const allOfTradeFair = [
	leadsOf(102, { size: '500' }),
	leadsOf(102, { size: '500', start: String(oldest.id) }),
];

const inWide = some(newestFirst, ({ person }) => person.title.includes('Director'));

const listLeadRows: Row[] = [
	{
		title: 'main form, all leads from the newest',
		parameters: { listId: byId('102'), returnAll: true },
		requests: allOfTradeFair,
		output: newestFirst.map((lead) => item(0, listLead(lead))),
	},
	{
		title: 'limit of 50 by default, from the list',
		parameters: { listId: fromList('101') },
		requests: [leadsOf(101, { size: '50' })],
		output: campaign.leads
			.toReversed()
			.slice(0, 50)
			.map((lead) => item(0, listLead(lead))),
	},
	{
		title: 'limit',
		parameters: { listId: byId('102'), limit: 3 },
		requests: [leadsOf(102, { size: '3' })],
		output: newestFirst.slice(0, 3).map((lead) => item(0, listLead(lead))),
	},
	{
		title: 'start is an offset (4.3)',
		parameters: { listId: byId('102'), returnAll: true },
		variants: { leadsStart: 'offset' },
		requests: [leadsOf(102, { size: '500' }), leadsOf(102, { size: '500', start: '30' })],
		output: newestFirst.map((lead) => item(0, listLead(lead))),
	},
	{
		title: 'at most 100 leads per page (4.3)',
		parameters: { listId: byId('101'), limit: 150 },
		settings: { listPageSize: 100 },
		variants: { leadsMaxSize: 100 },
		requests: [
			leadsOf(101, { size: '100' }),
			leadsOf(101, { size: '50', start: String(known(campaign.leads.at(-100)).id) }),
		],
		output: campaign.leads
			.toReversed()
			.slice(0, 150)
			.map((lead) => item(0, listLead(lead))),
	},
	{
		title: 'keyword in any field, job title included',
		parameters: { listId: byId('102'), returnAll: true, options: { keyword: 'director' } },
		requests: [leadsOf(102, { kw: 'director', size: '500' })],
		output: inWide.map((lead) => item(0, listLead(lead))),
	},
	{
		title: 'keyword with characters that a URL has to encode',
		parameters: { listId: byId('101'), options: { keyword: 'Willow & Sons' }, limit: 1 },
		requests: [leadsOf(101, { kw: 'Willow & Sons', size: '1' })],
		rawQueries: ['kw=Willow%20%26%20Sons&size=1'],
		output: some(campaign.leads.toReversed(), ({ person }) => person.company === willow)
			.slice(0, 1)
			.map((lead) => item(0, listLead(lead))),
	},
	{
		title: 'keyword in name, company and email only (4.3)',
		parameters: { listId: byId('102'), returnAll: true, options: { keyword: 'director' } },
		variants: { leadsKeywordFields: 'narrow' },
		requests: [leadsOf(102, { kw: 'director', size: '500' })],
		output: [],
	},
	{
		title: 'count_results counts the page (4.3)',
		parameters: { listId: byId('102'), returnAll: true },
		variants: { leadsCount: 'page' },
		requests: allOfTradeFair,
		output: newestFirst.map((lead) => item(0, listLead(lead))),
	},
	{
		title: 'misspelt last_nd and compnay_founded (2.4)',
		parameters: { listId: byId('102'), returnAll: true },
		variants: { leadSpelling: 'misspelt' },
		requests: allOfTradeFair,
		output: newestFirst.map((lead) => item(0, listLead(lead))),
	},
	...(['always', 'never'] as const).map(
		(networkUrlScheme): Row => ({
			title: `network_url ${networkUrlScheme} with its scheme`,
			parameters: { listId: byId('102'), returnAll: true },
			variants: { networkUrlScheme },
			requests: allOfTradeFair,
			output: newestFirst.map((lead) => item(0, listLead(lead))),
		}),
	),
	...(['plain', 'misspelt'] as const).map(
		(leadSpelling): Row => ({
			title: `not simplified, ${leadSpelling}`,
			parameters: { listId: byId('102'), returnAll: true, simple: false },
			variants: { leadSpelling },
			requests: allOfTradeFair,
			output: ([answer]) => objectsOf(answer, 'data').map((lead) => item(0, lead)),
		}),
	),
];

const exportOf = (emailOnly: boolean) =>
	get('/api/v2/list/102/data', { emailOnly: String(emailOnly) });

const exportRows: Row[] = [
	{
		title: 'all leads',
		parameters: { listId: byId('102') },
		requests: [exportOf(false)],
		output: tradeFair.leads.map((lead) => item(0, exportedLead(lead))),
	},
	{
		title: 'only those with an email, from the list',
		parameters: { listId: fromList('102'), emailOnly: true },
		requests: [exportOf(true)],
		output: some(tradeFair.leads, ({ email }) => email !== null).map((lead) =>
			item(0, exportedLead(lead)),
		),
	},
	{
		title: 'network_url with its scheme',
		parameters: { listId: byId('102') },
		variants: { networkUrlScheme: 'always' },
		requests: [exportOf(false)],
		output: tradeFair.leads.map((lead) => item(0, exportedLead(lead))),
	},
	...[false, true].map(
		(emailOnly): Row => ({
			title: `not simplified, emailOnly ${emailOnly}`,
			parameters: { listId: byId('102'), emailOnly, simple: false },
			requests: [exportOf(emailOnly)],
			output: ([answer]) => objectsOf(answer).map((lead) => item(0, lead)),
		}),
	),
];

/* ---------------------------------------- finder ---------------------------------------- */

const findOf = (query: Record<string, string>) => get('/api/v2/find', query);

const atCompany = { fullName: valid.full, domain: company.domain };
const missed = { fullName: unfindable.full, domain: unfindable.company.domain };

const statusWords: Array<[string, Partial<Variants>]> = [
	['current', { finderVocabulary: 'current' }],
	['current, upper case', { finderVocabulary: 'current', finderLetterCase: 'upper' }],
	['current, capital letter', { finderVocabulary: 'current', finderLetterCase: 'capital' }],
	['ok, nok, oka', { finderVocabulary: 'earlier' }],
	['OK, NOK, OKA', { finderVocabulary: 'earlier', finderLetterCase: 'upper' }],
	['Ok, Nok, Oka', { finderVocabulary: 'earlier', finderLetterCase: 'capital' }],
];

const misses: Array<[string, Variants['finderMiss']]> = [
	['404', 'not-found'],
	['empty email', 'empty'],
	['email null', 'null'],
	['no email', 'missing'],
];

const deliverability = new Map([
	[valid, { result: 'deliverable', accuracy: 95 }],
	[catchAll, { result: 'risky', accuracy: 60 }],
	[invalid, { result: 'undeliverable', accuracy: 60 }],
	[unknown, { result: 'unknown', accuracy: 60 }],
]);

const personFields = {
	fullName: '={{ $json.fullName }}',
	firstName: '={{ $json.firstName }}',
	lastName: '={{ $json.lastName }}',
	domain: '={{ $json.domain }}',
	company: '={{ $json.company }}',
};

const findRows: Row[] = [
	{
		title: 'full name and domain',
		parameters: atCompany,
		requests: [findOf(atCompany)],
		rawQueries: [`fullName=${encodeURIComponent(valid.full)}&domain=${company.domain}`],
		output: [item(0, foundEmail(valid, atCompany))],
		credits: 1,
	},
	{
		title: 'first and last name win over the full name',
		parameters: {
			fullName: 'Somebody Else',
			firstName: catchAll.first,
			lastName: catchAll.last,
			domain: catchAll.company.domain,
		},
		requests: [
			findOf({
				firstName: catchAll.first,
				lastName: catchAll.last,
				domain: catchAll.company.domain,
			}),
		],
		output: [
			item(
				0,
				foundEmail(catchAll, {
					firstName: catchAll.first,
					lastName: catchAll.last,
					fullName: catchAll.full,
					domain: catchAll.company.domain,
				}),
			),
		],
		credits: 1,
	},
	...(['firstName', 'lastName'] as const).map(
		(only): Row => ({
			title: `full name, when of the two others only ${only} is filled`,
			parameters: { ...atCompany, [only]: 'Ada' },
			requests: [findOf(atCompany)],
			output: [item(0, foundEmail(valid, atCompany))],
			credits: 1,
		}),
	),
	...[
		`https://www.${company.domain}/about`,
		`http://${company.domain}:8080/?utm=1#top`,
		`WWW.${company.domain.toUpperCase()}/`,
		` ${company.domain} `,
	].map(
		(pasted): Row => ({
			title: `pasted as domain: "${pasted}"`,
			parameters: { fullName: valid.full, domain: pasted },
			requests: [findOf(atCompany)],
			output: [item(0, foundEmail(valid, atCompany))],
			credits: 1,
		}),
	),
	{
		title: 'company name in `company`',
		parameters: { fullName: valid.full, company: company.name },
		requests: [findOf({ fullName: valid.full, company: company.name })],
		output: [item(0, foundEmail(valid, { fullName: valid.full, company: company.name }))],
		credits: 1,
	},
	{
		title: 'company name in `companyName` (4.5)',
		parameters: { fullName: valid.full, company: company.name },
		settings: { companyNameParameter: 'companyName' },
		variants: { finderCompanyParameter: 'companyName' },
		requests: [findOf({ fullName: valid.full, companyName: company.name })],
		output: [item(0, foundEmail(valid, { fullName: valid.full, company: company.name }))],
		credits: 1,
	},
	{
		title: 'interface settings count only when Customize Interface is on',
		parameters: { fullName: valid.full, company: company.name },
		settings: { customizeInterface: false, companyNameParameter: 'companyName' },
		requests: [findOf({ fullName: valid.full, company: company.name })],
		output: [item(0, foundEmail(valid, { fullName: valid.full, company: company.name }))],
		credits: 1,
	},
	{
		title: 'domain, company and country',
		parameters: { ...atCompany, company: company.name, options: { country: 'Costa Rica' } },
		requests: [findOf({ ...atCompany, company: company.name, country: 'Costa Rica' })],
		output: [
			item(0, foundEmail(valid, { ...atCompany, company: company.name, country: 'Costa Rica' })),
		],
		credits: 1,
	},
	...statusWords.map(
		([words, variants]): Row => ({
			title: `status words: ${words}`,
			parameters: { fullName: '={{ $json.name }}', domain: '={{ $json.at }}' },
			items: ofEachStatus.map((person) => ({ name: person.full, at: person.company.domain })),
			variants,
			inAnyOrder: true,
			requests: ofEachStatus.map((person) =>
				findOf({ fullName: person.full, domain: person.company.domain }),
			),
			output: ofEachStatus.map((person, index) =>
				item(index, foundEmail(person, { fullName: person.full, domain: person.company.domain })),
			),
			credits: 4,
		}),
	),
	{
		title: 'result, accuracy, firstName, lastName, companyName (2.6, 2.7)',
		parameters: { fullName: '={{ $json.name }}', domain: '={{ $json.at }}' },
		items: ofEachStatus.map((person) => ({ name: person.full, at: person.company.domain })),
		variants: { finderExtras: true },
		inAnyOrder: true,
		requests: ofEachStatus.map((person) =>
			findOf({ fullName: person.full, domain: person.company.domain }),
		),
		output: ofEachStatus.map((person, index) =>
			item(
				index,
				foundEmail(person, {
					...deliverability.get(person),
					firstName: person.first,
					lastName: person.last,
					fullName: person.full,
					company: person.company.name,
					domain: person.company.domain,
				}),
			),
		),
		credits: 4,
	},
	...(['companyData', 'company'] as const).map(
		(finderCompanyDataKey): Row => ({
			title: `company data under ${finderCompanyDataKey}`,
			parameters: { ...atCompany, options: { includeCompanyData: true } },
			variants: { finderCompanyDataKey },
			requests: [findOf({ ...atCompany, includeCompanyData: 'true' })],
			output: [item(0, { ...foundEmail(valid, atCompany), companyData: companyFields(company) })],
			credits: 1,
		}),
	),
	{
		title: 'company data asked for, but there is no address',
		parameters: { ...missed, options: { includeCompanyData: true } },
		requests: [findOf({ ...missed, includeCompanyData: 'true' })],
		output: [item(0, { ...notFound(missed), companyData: null })],
	},
	...misses.map(
		([form, finderMiss]): Row => ({
			title: `no address: ${form}`,
			parameters: missed,
			variants: { finderMiss },
			requests: [findOf(missed)],
			output: [item(0, notFound(missed))],
		}),
	),
	{
		title: 'no address, first and last name are echoed',
		parameters: {
			firstName: unfindable.first,
			lastName: unfindable.last,
			company: unfindable.company.name,
			options: { country: 'Japan' },
		},
		requests: [
			findOf({
				firstName: unfindable.first,
				lastName: unfindable.last,
				company: unfindable.company.name,
				country: 'Japan',
			}),
		],
		output: [
			item(
				0,
				notFound({
					firstName: unfindable.first,
					lastName: unfindable.last,
					fullName: unfindable.full,
					company: unfindable.company.name,
					country: 'Japan',
				}),
			),
		],
	},
	{
		title: 'input fields before those of the result, for a hit and a miss',
		parameters: { ...personFields, includeInputFields: true },
		items: [
			{ crmId: 7, ...atCompany, email: 'old@address.example' },
			{ crmId: 8, ...missed, email: 'old@address.example' },
		],
		inAnyOrder: true,
		requests: [findOf(atCompany), findOf(missed)],
		output: [
			item(0, { crmId: 7, ...foundEmail(valid, atCompany) }),
			// A miss erases nothing.
			item(1, { crmId: 8, ...notFound(missed), email: 'old@address.example' }),
		],
		credits: 1,
	},
	{
		title: 'what cannot be looked up is not sent',
		parameters: personFields,
		items: [{ domain: company.domain }, { fullName: valid.full }, atCompany],
		onError: 'continueRegularOutput',
		requests: [findOf(atCompany)],
		output: [
			item(0, {
				status: 'invalid_input',
				reason: 'missing: Full Name (or First Name and Last Name)',
				message: expect.any(String),
				domain: company.domain,
			}),
			item(1, {
				status: 'invalid_input',
				reason: 'missing: Company Domain (or Company Name)',
				message: expect.any(String),
				fullName: valid.full,
			}),
			item(2, foundEmail(valid, atCompany)),
		],
		credits: 1,
	},
	{
		title: 'the same person in two items is paid once, whatever the letter case of the domain',
		parameters: personFields,
		items: [atCompany, { ...atCompany, domain: company.domain.toUpperCase() }],
		requests: [findOf(atCompany)],
		output: [item(0, foundEmail(valid, atCompany)), item(1, foundEmail(valid, atCompany))],
		credits: 1,
	},
	...(
		[
			{},
			{ finderExtras: true },
			{ finderCompanyDataKey: 'company' },
			{ finderVocabulary: 'earlier', finderLetterCase: 'upper' },
		] satisfies Array<Partial<Variants>>
	).map(
		(variants): Row => ({
			title: `not simplified, ${JSON.stringify(variants)}`,
			parameters: { ...atCompany, simple: false, options: { includeCompanyData: true } },
			variants,
			requests: [findOf({ ...atCompany, includeCompanyData: 'true' })],
			output: ([answer]) => [item(0, objectOf(answer))],
			credits: 1,
		}),
	),
	...misses.map(
		([form, finderMiss]): Row => ({
			title: `not simplified, no address: ${form}`,
			parameters: { ...missed, simple: false },
			variants: { finderMiss },
			requests: [findOf(missed)],
			output: [item(0, notFound(missed))],
		}),
	),
	{
		title: 'not simplified, with the input fields',
		parameters: { ...personFields, simple: false, includeInputFields: true },
		items: [{ crmId: 7, ...atCompany }],
		requests: [findOf(atCompany)],
		output: ([answer]) => [item(0, { crmId: 7, ...atCompany, ...objectOf(answer) })],
		credits: 1,
	},
];

/* ---------------------------------------- bulk finder ---------------------------------------- */

const BULK = '/api/v2/find_bulk';

const missedInParts = {
	firstName: unfindable.first,
	lastName: unfindable.last,
	company: unfindable.company.name,
};

/** The rows of {@link people} in their job: the third repeats the first. */
const jobRows = [1, 2, 1, 3];

/** A case with a job: the service numbers them, so the row depends on the number. */
interface JobRow {
	title: string;
	rowOf: (job: number) => Row;
}

/** A hit, a miss, the hit once more, and a hit with another status. */
const people: IDataObject[] = [
	atCompany,
	missedInParts,
	atCompany,
	{ fullName: catchAll.full, domain: catchAll.company.domain },
];

/** The rows that go out for them: each question once. */
const peopleRows = [
	{ tId: 1, name: valid.full, domain: company.domain },
	{ tId: 2, ...missedInParts },
	{ tId: 3, name: catchAll.full, domain: catchAll.company.domain },
];

const missedRow = notFound({ ...missedInParts, fullName: unfindable.full });
const peopleFound = [
	item(0, foundRow(valid)),
	item(1, missedRow),
	item(2, foundRow(valid)),
	item(3, foundRow(catchAll)),
];

/** The same items and the same output in another form of the interface. */
function bulkRow(title: string, variants: Partial<Variants>, more: Partial<Row> = {}): Row {
	return {
		title,
		parameters: personFields,
		items: people,
		variants,
		requests: [post(BULK, peopleRows)],
		output: peopleFound,
		credits: 2,
		...more,
	};
}

const accepted = post(BULK, peopleRows);
const pollByPath = (job: number) => get(`${BULK}/${job}`);
const pollByQuery = (job: number) => get(BULK, { id: String(job) });

/** The same items and the same output from a job. */
function bulkJobRow(
	title: string,
	variants: Partial<Variants>,
	more: (job: number) => Partial<Row>,
): JobRow {
	return { title, rowOf: (job) => bulkRow(title, { bulkAnswer: 'job', ...variants }, more(job)) };
}

/** The service's own rows, for the items of {@link people}. */
function ownRows(rows: IDataObject[]) {
	const row = (tId: number) => known(rows.find((one) => Number(one.tId) === tId));
	return [item(0, row(1)), item(1, missedRow), item(2, row(1)), item(3, row(3))];
}

const findBulkRows: Array<Row | JobRow> = [
	bulkRow('main form: a list of rows', {}),
	bulkRow(
		'an object with people (4.6)',
		{ bulkBody: 'people' },
		{
			settings: { bulkFinderBody: 'people' },
			requests: [post(BULK, { people: peopleRows })],
		},
	),
	bulkRow('tId comes back as a number', { bulkIdType: 'number' }),
	bulkRow('tId comes back as text', { bulkIdType: 'text' }),
	bulkRow('companyNetworkid (2.8)', { bulkCompanyIdSpelling: 'companyNetworkid' }),
	bulkRow(
		'no status_message (2.8)',
		{ bulkStatusMessage: false },
		{
			output: peopleFound.map((found) => ({
				...found,
				json: { ...found.json, emailStatusMessage: null },
			})),
		},
	),
	...misses.map(([form, finderMiss]) => bulkRow(`no address: ${form}`, { finderMiss })),
	...statusWords.map(([words, variants]) => bulkRow(`status words: ${words}`, variants)),
	bulkRow(
		'result in the quality object (2.6)',
		{ finderExtras: true },
		{
			output: [
				item(0, { ...foundRow(valid), result: 'deliverable' }),
				item(1, missedRow),
				item(2, { ...foundRow(valid), result: 'deliverable' }),
				item(3, { ...foundRow(catchAll), result: 'risky' }),
			],
		},
	),
	bulkRow(
		'rows in another order',
		{},
		{ fault: { rows: 'shuffled', on: { operation: 'findBulk' } } },
	),
	{
		title: 'names first and last, pasted domain, country',
		parameters: { ...personFields, options: { country: 'Poland' } },
		items: [
			{
				fullName: 'Somebody Else',
				firstName: valid.first,
				lastName: valid.last,
				domain: `https://www.${company.domain}/about`,
				company: company.name,
			},
		],
		requests: [
			post(BULK, [
				{
					tId: 1,
					firstName: valid.first,
					lastName: valid.last,
					domain: company.domain,
					company: company.name,
					country: 'Poland',
				},
			]),
		],
		output: [item(0, { ...foundRow(valid), country: 'Poland' })],
		credits: 1,
	},
	{
		title: 'input fields before those of the result, and what cannot be looked up is not sent',
		parameters: { ...personFields, includeInputFields: true },
		items: [{ crmId: 7, ...atCompany, email: 'old@address.example' }, { crmId: 8 }],
		requests: [post(BULK, [{ tId: 1, name: valid.full, domain: company.domain }])],
		output: [
			item(0, { crmId: 7, ...foundRow(valid) }),
			item(1, {
				crmId: 8,
				status: 'invalid_input',
				reason:
					'missing: Full Name (or First Name and Last Name) and Company Domain (or Company Name)',
				message: expect.any(String),
			}),
		],
		credits: 1,
	},
	bulkRow(
		'not simplified',
		{ finderExtras: true, bulkIdType: 'text' },
		{
			parameters: { ...personFields, simple: false },
			output: ([answer]) => ownRows(objectsOf(answer)),
		},
	),
	bulkJobRow('a job, asked for by its path (2.9)', { jobPolls: 1 }, (job) => ({
		requests: [accepted, pollByPath(job), pollByPath(job)],
	})),
	...([404, 405] as const).map((jobPollRefusal) =>
		bulkJobRow(
			`a job, asked for by its query after a ${jobPollRefusal}`,
			{ jobPollForm: 'query', jobPollRefusal, jobPolls: 0 },
			(job) => ({ requests: [accepted, pollByPath(job), pollByQuery(job)] }),
		),
	),
	...(['results', 'people', 'data', 'rows'] as const).map((jobResultShape) =>
		bulkJobRow(
			`a job with its rows under ${jobResultShape}`,
			{ jobResultShape, jobPolls: 0, bulkIdType: 'text' },
			(job) => ({ requests: [accepted, pollByPath(job)] }),
		),
	),
	bulkJobRow(
		'a job, with the rows in an object with people',
		{ bulkBody: 'people', jobPolls: 0 },
		(job) => ({
			settings: { bulkFinderBody: 'people' },
			requests: [post(BULK, { people: peopleRows }), pollByPath(job)],
		}),
	),
	bulkJobRow('a job, not simplified', { jobResultShape: 'rows', jobPolls: 0 }, (job) => ({
		parameters: { ...personFields, simple: false },
		requests: [accepted, pollByPath(job)],
		output: ([, answer]) => ownRows(objectsOf(answer, 'rows')),
	})),
	bulkJobRow('a job that fails', { jobOutcome: 'failed', jobPolls: 0 }, (job) => ({
		onError: 'continueRegularOutput',
		requests: [accepted, pollByPath(job)],
		output: people.map((person, index) =>
			item(index, {
				status: 'failed',
				reason: 'job_failed',
				httpCode: null,
				message: expect.stringMatching(`${job}.*failed`),
				jobId: String(job),
				jobRow: jobRows[index],
				...person,
			}),
		),
		credits: 0,
	})),
	bulkJobRow('a job that is not finished in time', { jobPolls: 9 }, (job) => ({
		parameters: { ...personFields, options: { jobTimeout: 0 } },
		onError: 'continueRegularOutput',
		requests: [accepted, pollByPath(job)],
		output: people.map((person, index) =>
			item(index, {
				status: 'pending',
				jobId: String(job),
				jobRow: jobRows[index],
				reason: expect.any(String),
				message: expect.stringContaining('Get Bulk Job'),
				...person,
			}),
		),
	})),
];

/** Sends the rows of {@link people}, as a node did that did not wait for the job; gives its number. */
async function acceptJob({ baseUrl, variants }: Service): Promise<number> {
	variants.bulkAnswer = 'job';
	const { body } = await request(`${baseUrl}${BULK}`, {
		method: 'POST',
		headers: { ...headers, 'content-type': 'application/json' },
		body: JSON.stringify(peopleRows),
	});
	return Number(objectOf(await body.json()).id);
}

/** What Get Bulk Job gives for them. The miss has what the service repeats of the question. */
const jobItems = [
	item(0, foundRow(valid)),
	item(0, { status: 'not_found', ...nothingFound, ...missedInParts, fullName: unfindable.full }),
	item(0, foundRow(catchAll)),
];

function jobRow(
	title: string,
	variants: Partial<Variants>,
	more: (job: number) => Partial<Row> = () => ({}),
): JobRow {
	return {
		title,
		rowOf: (job) => ({
			title,
			parameters: { jobId: String(job) },
			variants: { bulkAnswer: 'job', jobPolls: 0, ...variants },
			before: acceptJob,
			requests: [pollByPath(job)],
			output: jobItems,
			...more(job),
		}),
	};
}

const getBulkJobRows: JobRow[] = [
	jobRow('a bare list of rows', {}),
	...(['results', 'people', 'data', 'rows'] as const).map((jobResultShape) =>
		jobRow(`rows under ${jobResultShape}`, { jobResultShape }),
	),
	...([404, 405] as const).map((jobPollRefusal) =>
		jobRow(
			`asked for by its query after a ${jobPollRefusal}`,
			{ jobPollForm: 'query', jobPollRefusal },
			(job) => ({ requests: [pollByPath(job), pollByQuery(job)] }),
		),
	),
	...misses.map(([form, finderMiss]) => jobRow(`no address: ${form}`, { finderMiss })),
	jobRow('companyNetworkid (2.8)', { bulkCompanyIdSpelling: 'companyNetworkid' }),
	jobRow(
		'no status_message, status words OK, NOK, OKA',
		{ bulkStatusMessage: false, finderVocabulary: 'earlier', finderLetterCase: 'upper' },
		() => ({
			output: jobItems.map((found) => ({
				...found,
				json: { ...found.json, emailStatusMessage: null },
			})),
		}),
	),
	jobRow('the same job in two items, as a number', {}, (job) => ({
		parameters: { jobId: '={{ $json.jobId }}' },
		items: [{ jobId: job }, { jobId: job }],
	})),
	jobRow('still at work', { jobPolls: 9 }, (job) => ({
		onError: 'continueRegularOutput',
		output: [
			item(0, {
				status: 'pending',
				jobId: String(job),
				reason: expect.any(String),
				message: expect.any(String),
			}),
		],
	})),
	jobRow('failed', { jobOutcome: 'failed' }, (job) => ({
		onError: 'continueRegularOutput',
		output: [
			item(0, {
				status: 'failed',
				reason: 'job_failed',
				httpCode: null,
				message: expect.stringMatching(`${job}.*failed`),
				jobId: String(job),
			}),
		],
	})),
	jobRow('a job that the service does not have', {}, () => ({
		parameters: { jobId: '424242' },
		onError: 'continueRegularOutput',
		requests: [get(`${BULK}/424242`), get(BULK, { id: '424242' })],
		output: [
			item(0, {
				status: 'failed',
				reason: 'not_found',
				httpCode: 404,
				message: expect.any(String),
			}),
		],
	})),
	jobRow('without a job ID nothing is sent', {}, () => ({
		parameters: { jobId: '={{ $json.jobId }}' },
		items: [{}],
		onError: 'continueRegularOutput',
		requests: [],
		output: [
			item(0, {
				status: 'invalid_input',
				reason: 'missing: Job ID',
				message: expect.any(String),
			}),
		],
	})),
	jobRow('not simplified, bare', {}, (job) => ({
		parameters: { jobId: String(job), simple: false },
		output: ([answer]) => objectsOf(answer).map((row) => item(0, row)),
	})),
	jobRow('not simplified, rows under data', { jobResultShape: 'data' }, (job) => ({
		parameters: { jobId: String(job), simple: false },
		output: ([answer]) => objectsOf(answer, 'data').map((row) => item(0, row)),
	})),
];

/* ---------------------------------------- verifier ---------------------------------------- */

const verifyOf = (query: Record<string, string>) => get('/v3/verify', query);

/** An address that has not the form of one: answered without a request. */
const malformed = (email: string, domain: string | null): IDataObject => ({
	status: 'verified',
	email,
	emailStatus: 'invalid',
	message: expect.stringMatching(/not sent/i),
	result: null,
	format: 'invalid',
	mailboxStatus: null,
	mailboxType: null,
	mailExchange: null,
	emailDomain: domain,
});

const enriched = {
	result: 'deliverable',
	firstName: valid.first,
	lastName: valid.last,
	title: valid.title,
	company: company.name,
};
const notEnriched = { firstName: null, lastName: null, title: null, company: null };

const verifyRows: Row[] = [
	{
		title: 'each status',
		parameters: { email: '={{ $json.mail }}' },
		items: ofEachStatus.map(({ email }) => ({ mail: email })),
		inAnyOrder: true,
		requests: ofEachStatus.map(({ email }) => verifyOf({ email })),
		output: ofEachStatus.map(({ email }, index) => item(index, verified(email))),
		credits: 4,
	},
	...[
		['ada@freemail.example', 'webmail'],
		['ada@throwaway.example', 'temporary'],
	].map(
		([email, mailboxType]): Row => ({
			title: `mailbox type ${mailboxType}`,
			parameters: { email: known(email) },
			requests: [verifyOf({ email: known(email) })],
			output: [item(0, verified(known(email), mailboxType))],
			credits: 1,
		}),
	),
	{
		title: 'a plus sign is no space',
		parameters: { email: 'ada+lists@engine.example' },
		requests: [verifyOf({ email: 'ada+lists@engine.example' })],
		rawQueries: ['email=ada%2Blists%40engine.example'],
		output: [item(0, verified('ada+lists@engine.example'))],
		credits: 1,
	},
	{
		title: 'line breaks in the message (2.10)',
		parameters: { email: valid.email },
		variants: { verifyMessageLineBreaks: true },
		requests: [verifyOf({ email: valid.email })],
		output: [
			item(0, {
				...verified(valid.email),
				message: 'Mail to this address arrives. Checked just now.',
			}),
		],
		credits: 1,
	},
	{
		title: 'enriched',
		parameters: { email: valid.email, options: { enrich: true } },
		requests: [verifyOf({ email: valid.email, enrich: 'true' })],
		output: [item(0, { ...verified(valid.email), ...enriched })],
		credits: 1,
	},
	{
		title: 'enriched, but nobody is known at the address',
		parameters: { email: 'nobody@freemail.example', options: { enrich: true } },
		requests: [verifyOf({ email: 'nobody@freemail.example', enrich: 'true' })],
		output: [
			item(0, {
				...verified('nobody@freemail.example', 'webmail'),
				result: expect.any(String),
				...notEnriched,
			}),
		],
		credits: 1,
	},
	{
		title: 'Enrich where the service adds nothing (2.10)',
		parameters: { email: valid.email, options: { enrich: true } },
		variants: { verifyEnrich: false },
		requests: [verifyOf({ email: valid.email, enrich: 'true' })],
		output: [item(0, { ...verified(valid.email), ...notEnriched })],
		credits: 1,
	},
	{
		title: 'malformed addresses are answered here',
		parameters: { email: '={{ $json.mail }}' },
		items: [
			{ mail: 'no-at-sign.example' },
			{ mail: 'nobody@' },
			{ mail: 'ada lovelace@engine.example' },
			{ mail: valid.email },
		],
		requests: [verifyOf({ email: valid.email })],
		output: [
			item(0, malformed('no-at-sign.example', null)),
			item(1, malformed('nobody@', null)),
			item(2, malformed('ada lovelace@engine.example', 'engine.example')),
			item(3, verified(valid.email)),
		],
		credits: 1,
	},
	{
		title: 'a malformed address with Enrich',
		parameters: { email: 'nobody', options: { enrich: true } },
		requests: [],
		output: [item(0, { ...malformed('nobody', null), ...notEnriched })],
	},
	{
		title: 'the same address in another letter case is paid once',
		parameters: { email: '={{ $json.mail }}' },
		items: [{ mail: valid.email }, { mail: valid.email.toUpperCase() }],
		requests: [verifyOf({ email: valid.email })],
		output: [
			item(0, verified(valid.email)),
			item(1, { ...verified(valid.email), email: valid.email.toUpperCase() }),
		],
		credits: 1,
	},
	{
		title: 'input fields before those of the result; an empty address is not sent',
		parameters: { email: '={{ $json.mail }}', includeInputFields: true },
		items: [
			{ crmId: 7, mail: valid.email },
			{ crmId: 8, email: 'kept@address.example' },
		],
		onError: 'continueRegularOutput',
		requests: [verifyOf({ email: valid.email })],
		output: [
			item(0, { crmId: 7, mail: valid.email, ...verified(valid.email) }),
			item(1, {
				crmId: 8,
				status: 'invalid_input',
				reason: 'missing: Email',
				message: expect.any(String),
				email: 'kept@address.example',
			}),
		],
		credits: 1,
	},
	...[{}, { verifyMessageLineBreaks: true }, { verifyEnrich: false }].map(
		(variants): Row => ({
			title: `not simplified, ${JSON.stringify(variants)}`,
			parameters: { email: valid.email, simple: false, options: { enrich: true } },
			variants,
			requests: [verifyOf({ email: valid.email, enrich: 'true' })],
			output: ([answer]) => [item(0, objectOf(answer))],
			credits: 1,
		}),
	),
];

/** Two distinct addresses, one of them twice, and one that is malformed. */
const addresses = [valid.email, 'nobody@', invalid.email, valid.email.toUpperCase()];
const distinct = [valid.email, invalid.email];
const addressesVerified = [
	item(0, verified(valid.email)),
	item(1, malformed('nobody@', null)),
	item(2, verified(invalid.email)),
	item(3, { ...verified(valid.email), email: valid.email.toUpperCase() }),
];

function verifyBulkRow(title: string, more: Partial<Row> = {}): Row {
	return {
		title,
		parameters: { email: '={{ $json.mail }}' },
		items: addresses.map((mail) => ({ mail })),
		requests: [get('/v3/verify_bulk', { email: distinct })],
		output: addressesVerified,
		credits: 2,
		...more,
	};
}

const encoded = distinct.map((email) => encodeURIComponent(email));

const verifyBulkRows: Row[] = [
	verifyBulkRow('main form: one parameter per address', {
		rawQueries: [encoded.map((email) => `email=${email}`).join('&')],
	}),
	verifyBulkRow('comma list (4.8)', {
		settings: { bulkVerifierQuery: 'comma' },
		variants: { verifyBulkQuery: 'comma' },
		requests: [get('/v3/verify_bulk', { email: distinct.join(',') })],
	}),
	verifyBulkRow('the other path (4.8)', {
		settings: { bulkVerifierPath: '/api/v2/find_bulk' },
		variants: { verifyBulkPath: '/api/v2/find_bulk' },
		requests: [get('/api/v2/find_bulk', { email: distinct })],
	}),
	verifyBulkRow('comma list at the other path', {
		settings: { bulkVerifierPath: '/api/v2/find_bulk', bulkVerifierQuery: 'comma' },
		variants: { verifyBulkPath: '/api/v2/find_bulk', verifyBulkQuery: 'comma' },
		requests: [get('/api/v2/find_bulk', { email: distinct.join(',') })],
	}),
	verifyBulkRow('rows in another order', {
		fault: { rows: 'shuffled', on: { operation: 'verifyBulk' } },
	}),
	verifyBulkRow('line breaks in the message (2.10)', {
		items: [{ mail: valid.email }],
		variants: { verifyMessageLineBreaks: true },
		requests: [get('/v3/verify_bulk', { email: valid.email })],
		output: [
			item(0, {
				...verified(valid.email),
				message: 'Mail to this address arrives. Checked just now.',
			}),
		],
		credits: 1,
	}),
	verifyBulkRow('each status, and a plus sign', {
		items: [...ofEachStatus.map(({ email }) => email), 'ada+lists@engine.example'].map((mail) => ({
			mail,
		})),
		requests: [
			get('/v3/verify_bulk', {
				email: [...ofEachStatus.map(({ email }) => email), 'ada+lists@engine.example'],
			}),
		],
		output: [...ofEachStatus.map(({ email }) => email), 'ada+lists@engine.example'].map(
			(email, index) => item(index, verified(email)),
		),
		credits: 5,
	}),
	verifyBulkRow('nothing but malformed addresses', {
		items: [{ mail: 'nobody' }, { mail: 'two words@engine.example' }],
		requests: [],
		output: [
			item(0, malformed('nobody', null)),
			item(1, malformed('two words@engine.example', 'engine.example')),
		],
		credits: 0,
	}),
	verifyBulkRow('input fields before those of the result; an empty address is not sent', {
		parameters: { email: '={{ $json.mail }}', includeInputFields: true },
		items: [
			{ crmId: 7, mail: valid.email },
			{ crmId: 8, email: 'kept@address.example' },
		],
		requests: [get('/v3/verify_bulk', { email: valid.email })],
		output: [
			item(0, { crmId: 7, mail: valid.email, ...verified(valid.email) }),
			item(1, {
				crmId: 8,
				status: 'invalid_input',
				reason: 'missing: Email',
				message: expect.any(String),
				email: 'kept@address.example',
			}),
		],
		credits: 1,
	}),
	verifyBulkRow('not simplified', {
		parameters: { email: '={{ $json.mail }}', simple: false },
		items: distinct.map((mail) => ({ mail })),
		variants: { verifyMessageLineBreaks: true },
		output: ([answer]) => objectsOf(answer).map((result, index) => item(index, result)),
	}),
];

/* ---------------------------------------- company ---------------------------------------- */

const searchOf = (kw: string, path = '/company/search') => get(path, { kw });

const willowFound = { status: 'found', ...companyFields(willow) };

/** The same company in another form of the interface. */
function searchRow(title: string, variants: Partial<Variants>, more: Partial<Row> = {}): Row {
	return {
		title,
		parameters: { keyword: 'Willow & Sons' },
		variants,
		requests: [searchOf('Willow & Sons')],
		output: [item(0, willowFound)],
		credits: 1,
		...more,
	};
}

const searchRows: Row[] = [
	searchRow('by name', {}, { rawQueries: ['kw=Willow%20%26%20Sons'] }),
	searchRow(
		'by domain',
		{},
		{ parameters: { keyword: willow.domain }, requests: [searchOf(willow.domain)] },
	),
	searchRow(
		'by website',
		{},
		{
			parameters: { keyword: `https://www.${willow.domain}/about` },
			requests: [searchOf(`https://www.${willow.domain}/about`)],
		},
	),
	searchRow(
		'at the path of the request example (4.10)',
		{ companySearchPath: '/lwh/company/search' },
		{
			settings: { companySearchPath: '/lwh/company/search' },
			requests: [searchOf('Willow & Sons', '/lwh/company/search')],
		},
	),
	searchRow(
		'a company path set, but Customize Interface is off',
		{},
		{ settings: { customizeInterface: false, companySearchPath: '/lwh/company/search' } },
	),
	searchRow(
		'the best match only',
		{},
		{
			parameters: { keyword: 'north' },
			requests: [searchOf('north')],
			output: [item(0, { status: 'found', ...companyFields(known(northern[0])) })],
		},
	),
	searchRow(
		'all matches, for each of two items',
		{},
		{
			parameters: { keyword: '={{ $json.kw }}', returnAllMatches: true },
			items: [{ kw: 'north' }, { kw: willow.domain }],
			inAnyOrder: true,
			requests: [searchOf('north'), searchOf(willow.domain)],
			output: [
				...northern.map((one) => item(0, { status: 'found', ...companyFields(one) })),
				item(1, willowFound),
			],
			credits: 2,
		},
	),
	searchRow(
		'no lid (2.11)',
		{ companyId: false },
		{ output: [item(0, { ...willowFound, id: null })] },
	),
	searchRow('specialities (2.11)', { companySpecialtiesSpelling: 'specialities' }),
	searchRow('employee count as text (2.11)', { companyEmployeeCount: 'text' }),
	searchRow(
		'fallback logo only (2.11)',
		{ companyLogos: 'secondary' },
		{
			output: [item(0, { ...willowFound, logoUrl: `https://logos.example/${willow.domain}.png` })],
		},
	),
	searchRow('network_url without its scheme', { networkUrlScheme: 'never' }),
	searchRow(
		'no match is free',
		{},
		{
			parameters: { keyword: 'no such company' },
			requests: [searchOf('no such company')],
			output: [
				item(0, {
					status: 'not_found',
					id: null,
					name: null,
					domain: null,
					website: null,
					industry: null,
					type: null,
					profileUrl: null,
					specialties: null,
					revenue: null,
					employeeCount: null,
					employeeCountRange: null,
					address: null,
					city: null,
					region: null,
					postalCode: null,
					country: null,
					directoryUrl: null,
					logoUrl: null,
					keyword: 'no such company',
				}),
			],
			credits: 0,
		},
	),
	searchRow(
		'input fields before those of the result; without a keyword nothing is sent',
		{},
		{
			parameters: { keyword: '={{ $json.kw }}', includeInputFields: true },
			items: [
				{ crmId: 7, kw: 'Willow & Sons' },
				{ crmId: 8, keyword: 'kept' },
			],
			onError: 'continueRegularOutput',
			output: [
				item(0, { crmId: 7, kw: 'Willow & Sons', ...willowFound }),
				item(1, {
					crmId: 8,
					status: 'invalid_input',
					reason: 'missing: Company',
					message: expect.any(String),
					keyword: 'kept',
				}),
			],
		},
	),
	searchRow(
		'not simplified',
		{ companySpecialtiesSpelling: 'specialities', companyEmployeeCount: 'text' },
		{
			parameters: { keyword: 'Willow & Sons', simple: false },
			output: ([answer]) => objectsOf(answer, 'results').map((one) => item(0, one)),
		},
	),
	searchRow(
		'not simplified, all matches',
		{},
		{
			parameters: { keyword: 'north', simple: false, returnAllMatches: true },
			requests: [searchOf('north')],
			output: ([answer]) => objectsOf(answer, 'results').map((one) => item(0, one)),
		},
	),
];

const peopleOf = (query: Record<string, string>) => get('/profile/search/email', query);

const atWillow = fixtures.peopleOf(willow);
const inSalesOrGrowth = some(atWillow, ({ title }) => /sales|growth marketing/i.test(title));
const salesManagers = some(fixtures.peopleOf(company), ({ title }) => title === 'Sales Manager');
const inKyotoOrBristol = some(atWillow, ({ location }) => /Kyoto|Bristol/.test(location));

function companyLeadsRow(title: string, variants: Partial<Variants>, more: Partial<Row> = {}): Row {
	return {
		title,
		parameters: { companyWebsite: willow.domain, returnAll: true },
		variants,
		requests: [peopleOf({ companyWebsite: willow.domain, size: '150' })],
		output: atWillow.map((person) => item(0, companyLead(person))),
		...more,
	};
}

const companyLeadRows: Row[] = [
	companyLeadsRow('by website', {}),
	companyLeadsRow(
		'by pasted address',
		{},
		{ parameters: { companyWebsite: `https://www.${willow.domain}/about`, returnAll: true } },
	),
	companyLeadsRow(
		'by name',
		{},
		{
			parameters: { companyName: 'Willow & Sons', returnAll: true },
			requests: [peopleOf({ companyName: 'Willow & Sons', size: '150' })],
			rawQueries: ['companyName=Willow%20%26%20Sons&size=150'],
		},
	),
	companyLeadsRow(
		'a company that the service does not know has no people',
		{},
		{
			parameters: { companyWebsite: '={{ $json.site }}', returnAll: true },
			items: [{ site: 'nobody.example' }, { site: willow.domain }],
			inAnyOrder: true,
			requests: [
				peopleOf({ companyWebsite: 'nobody.example', size: '150' }),
				peopleOf({ companyWebsite: willow.domain, size: '150' }),
			],
			output: atWillow.map((person) => item(1, companyLead(person))),
		},
	),
	companyLeadsRow(
		'limit of 50 by default',
		{},
		{
			parameters: { companyWebsite: company.domain },
			requests: [peopleOf({ companyWebsite: company.domain, size: '50' })],
			output: fixtures
				.peopleOf(company)
				.slice(0, 50)
				.map((person) => item(0, companyLead(person))),
		},
	),
	companyLeadsRow(
		'limit',
		{},
		{
			parameters: { companyWebsite: willow.domain, limit: 2 },
			requests: [peopleOf({ companyWebsite: willow.domain, size: '2' })],
			output: atWillow.slice(0, 2).map((person) => item(0, companyLead(person))),
		},
	),
	companyLeadsRow(
		'all words in the title, by default',
		{},
		{
			parameters: {
				companyWebsite: company.domain,
				returnAll: true,
				options: { title: 'manager sales' },
			},
			requests: [peopleOf({ companyWebsite: company.domain, title: 'manager sales', size: '150' })],
			rawQueries: [`companyWebsite=${company.domain}&title=manager%20sales&size=150`],
			output: salesManagers.map((person) => item(0, companyLead(person))),
		},
	),
	companyLeadsRow(
		'any phrase in the title',
		{},
		{
			parameters: {
				companyWebsite: willow.domain,
				returnAll: true,
				options: { title: 'sales, growth marketing', titleMatch: 'any' },
			},
			requests: [
				peopleOf({
					companyWebsite: willow.domain,
					title: '{sales,growth marketing}',
					size: '150',
				}),
			],
			rawQueries: [
				`companyWebsite=${willow.domain}&title=%7Bsales%2Cgrowth%20marketing%7D&size=150`,
			],
			output: inSalesOrGrowth.map((person) => item(0, companyLead(person))),
		},
	),
	companyLeadsRow(
		'all words in the location',
		{},
		{
			parameters: {
				companyWebsite: company.domain,
				returnAll: true,
				options: { location: 'Rica San', locationMatch: 'all' },
			},
			requests: [peopleOf({ companyWebsite: company.domain, location: 'Rica San', size: '150' })],
			output: some(fixtures.peopleOf(company), ({ location }) =>
				location.startsWith('San José'),
			).map((person) => item(0, companyLead(person))),
		},
	),
	companyLeadsRow(
		'any phrase in the location, and all words in the title',
		{},
		{
			parameters: {
				companyWebsite: willow.domain,
				returnAll: true,
				options: { location: 'Kyoto, Bristol', locationMatch: 'any', title: 'a' },
			},
			requests: [
				peopleOf({
					companyWebsite: willow.domain,
					title: 'a',
					location: '{Kyoto,Bristol}',
					size: '150',
				}),
			],
			output: some(inKyotoOrBristol, ({ title }) => /a/i.test(title)).map((person) =>
				item(0, companyLead(person)),
			),
		},
	),
	companyLeadsRow(
		'any phrase, of one word',
		{},
		{
			parameters: {
				companyWebsite: willow.domain,
				returnAll: true,
				options: { location: 'Kyoto', locationMatch: 'any' },
			},
			requests: [peopleOf({ companyWebsite: willow.domain, location: '{Kyoto}', size: '150' })],
			output: some(atWillow, ({ location }) => location.startsWith('Kyoto')).map((person) =>
				item(0, companyLead(person)),
			),
		},
	),
	companyLeadsRow(
		'all words of a place with a comma',
		{},
		{
			parameters: {
				companyWebsite: willow.domain,
				returnAll: true,
				options: { location: 'Kyoto, Japan' },
			},
			requests: [peopleOf({ companyWebsite: willow.domain, location: 'Kyoto Japan', size: '150' })],
			output: some(atWillow, ({ location }) => location === 'Kyoto, Japan').map((person) =>
				item(0, companyLead(person)),
			),
		},
	),
	companyLeadsRow('total for total_results (2.11a)', { companyLeadsTotal: 'total' }),
	companyLeadsRow('current status words (3)', { companyLeadsVocabulary: 'current' }),
	companyLeadsRow('company in its other forms (2.11)', {
		companyId: false,
		companySpecialtiesSpelling: 'specialities',
		companyEmployeeCount: 'text',
		companyLogos: 'secondary',
		networkUrlScheme: 'never',
	}),
	...(['ok-nok', 'current'] as const).map((companyLeadsVocabulary) =>
		companyLeadsRow(
			`not simplified, ${companyLeadsVocabulary}`,
			{ companyLeadsVocabulary },
			{
				parameters: { companyWebsite: willow.domain, returnAll: true, simple: false },
				output: ([answer]) => objectsOf(answer, 'results').map((person) => item(0, person)),
			},
		),
	),
];

/* ---------------------------------------- the table ---------------------------------------- */

/** Estimate Cost of one lookup that is sent, from every form of the account. */
function estimateRows(parameters: Row['parameters']): Row[] {
	const estimated = {
		items: 1,
		lookups: 1,
		duplicates: 0,
		known: 0,
		skipped: 0,
		malformed: 0,
		incomplete: 0,
		alreadyBought: 0,
		mostCredits: 1,
		creditsRemaining: 250_000,
		enough: true,
	};
	const requests = [getAccount];
	return [
		{ title: 'main form', parameters, requests, output: [item(0, estimated)] },
		{
			title: 'variant with one counter (2.1)',
			parameters,
			variants: { accountShape: 'credits' },
			requests,
			output: [item(0, estimated)],
		},
		{
			title: 'no counter of this kind (2.2)',
			parameters,
			variants: { creditCounters: ['search'] },
			requests,
			output: [item(0, { ...estimated, creditsRemaining: null, enough: null })],
		},
	];
}

const table: Record<OurNode, Record<string, Array<Row | JobRow>>> = {
	contactDataAccount: { get: accountRows },
	contactDataList: {
		getAll: listsRows,
		get: listRows,
		getLeads: listLeadRows,
		exportLeads: exportRows,
	},
	contactDataFinder: {
		find: findRows,
		findBulk: findBulkRows,
		getBulkJob: getBulkJobRows,
		estimate: estimateRows({ fullName: valid.full, domain: company.domain }),
	},
	contactDataVerifier: {
		verify: verifyRows,
		verifyBulk: verifyBulkRows,
		estimate: estimateRows({ email: valid.email }),
	},
	contactDataCompany: { search: searchRows, getLeads: companyLeadRows },
};

const types = Object.keys(ourNodes).filter((type): type is OurNode => type in ourNodes);

test.each(types)('the table has every operation of %s', (type) => {
	const operation = ourNodes[type].description.properties.find(({ name }) => name === 'operation');
	const shown = known(operation?.options).map((option) =>
		'value' in option ? option.value : null,
	);
	const covered = Object.entries(table[type]).filter(([, rows]) => rows.length > 0);
	expect(covered.map(([name]) => name).toSorted()).toEqual(shown.toSorted());
});

for (const type of types) {
	for (const [operation, rows] of Object.entries(table[type])) {
		describe(`${type}: ${operation}`, () => {
			test.each(rows)('$title', async (row) => {
				// Jobs are numbered one after the other.
				const own = 'rowOf' in row ? row.rowOf((await acceptJob(service())) + 1) : row;
				await check(service(), type, operation, own);
			});
		});
	}
}

test('the input fields are in front, with the values of the result where both have one', async () => {
	const { json } = await runNode({
		node: 'contactDataFinder',
		parameters: { operation: 'find', ...atCompany, includeInputFields: true },
		items: [{ crmId: 7, email: 'old@address.example' }],
		credential: credentialFor(service()),
	});
	const [first] = json;
	expect(Object.keys(known(first)).slice(0, 3)).toEqual(['crmId', 'email', 'status']);
	expect(first?.email).toBe(valid.email);
});
