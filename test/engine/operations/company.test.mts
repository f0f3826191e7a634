import { expect } from 'vitest';
import type { Variants } from '../../service/variants.mts';
import { companyFields, companyLead, fixtures, known, some } from '../../support/expected.mts';
import { company, northern, testOperations, willow } from '../../support/operationCases.mts';
import { get, item, objectsOf, type Row } from '../../support/operationRow.mts';
import { useService } from '../../support/service.mts';

/**
 * Every operation in every variant of the interface specification, in the real engine: what goes over
 * the wire, the whole output, and the credits. A row is one case.
 */
const service = useService();

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

testOperations(service, 'contactDataCompany', { search: searchRows, getLeads: companyLeadRows });
