/** @file The operations of the Company node: what goes over the wire, the whole output, and the credits. */

import { expect } from 'vitest';

import type { Company, Person } from '../../emulator/fixtures.mts';
import { companyFields, companyLead, fixtures, some } from '../../support/leads/expected.mts';
import { company, northern, willow } from '../../support/node/operationCases.mts';
import { get, testOperations, type Row } from '../../support/node/operationRow.mts';

/** What comes of a company, which the input does not join. */
const found = (keyword: string, one: Company) => ({
	...{ companyStatus: 'found', keyword, companyData: companyFields(one) },
});

/** The search for a company by a text, which costs a credit. */
const searchRow = (title: string, keyword: string, more: Partial<Row> = {}): Row => ({
	title,
	parameters: { keyword },
	requests: [get('/company/search', { kw: keyword })],
	output: [found(keyword, willow)],
	credits: 1,
	...more,
});

const missing = 'no such company';

const searchRows: Row[] = [
	searchRow('by name', 'Willow & Sons'),
	searchRow('by domain', willow.domain, { parameters: {}, items: [{ domain: willow.domain }] }),
	searchRow('by website', `https://www.${willow.domain}/about`),
	searchRow('a website once, whatever led to it', `https://www.${willow.domain}/`, {
		parameters: { keyword: '={{ $json.kw }}' },
		items: ['', '?utm_source=maps', '?gclid=1#top', '; north.example'].map((rest) => ({
			kw: `https://www.${willow.domain}/${rest}`,
		})),
		output: Array.from({ length: 4 }, () => found(`https://www.${willow.domain}/`, willow)),
		links: [0, 1, 2, 3],
	}),
	searchRow('the best match only', 'north', { output: [found('north', northern[0])] }),
	searchRow('all matches, for each of two items', 'north', {
		parameters: { keyword: '={{ $json.kw }}', returnAllMatches: true },
		items: [{ kw: 'north' }, { kw: willow.domain }],
		requests: ['north', willow.domain].map((kw) => get('/company/search', { kw })),
		output: [...northern.map((one) => found('north', one)), found(willow.domain, willow)],
		links: [...northern.map(() => 0), 1],
		credits: 2,
	}),
	{
		title: 'for a page at a social network nothing is sent',
		parameters: { keyword: 'https://www.linkedin.com/company/willow' },
		onError: 'continueRegularOutput',
		requests: [],
		output: [
			{
				...{ companyStatus: 'invalid_input', companyReason: 'missing_company' },
				...{ companyMessage: expect.any(String), companyData: null },
			},
		],
		credits: 0,
	},
	searchRow('no match is free', missing, {
		output: [{ companyStatus: 'not_found', keyword: missing, companyData: null }],
		credits: 0,
	}),
];

const atWillow = fixtures.peopleOf(willow);
const byDomain = { companyWebsite: willow.domain };

/** The people whom the service gives for what is typed, and for what is sent if that is something else. */
function leadsRow(
	title: string,
	typed: Record<string, string>,
	more: Partial<Row> & { people?: Person[]; sent?: Record<string, string> } = {},
): Row {
	const { people = atWillow, sent = typed, ...row } = more;
	return {
		title,
		parameters: { returnAll: true, ...typed },
		requests: [get('/profile/search/email', { size: '150', ...sent })],
		output: people.map(companyLead),
		...row,
	};
}

/** How filters are typed, and sent: with braces any of the phrases counts, else all words. */
const filters: Array<[typed: Record<string, string>, sent: Record<string, string>]> = [
	[{ title: 'sales, growth m', titleMatch: 'any' }, { title: '{sales,growth m}' }],
	[
		{ location: 'Kyoto, Bristol', locationMatch: 'any', title: 'a' },
		{ title: 'a', location: '{Kyoto,Bristol}' },
	],
	[{ location: 'Kyoto, Japan' }, { location: 'Kyoto Japan' }],
];

function passes(text: string, filter = ''): boolean {
	const [, phrases] = /^\{(.*)\}$/.exec(filter) ?? [];
	const isIn = (part: string) => text.toLowerCase().includes(part.toLowerCase());
	return phrases ? phrases.split(',').some(isIn) : filter.split(' ').every(isIn);
}

const filteredRows = filters.map(([typed, filter]) => {
	const people = some(
		atWillow,
		({ title, location }) => passes(title, filter.title) && passes(location, filter.location),
	);
	const words = `only those who pass ${Object.values(typed).join('; ')}`;
	return leadsRow(words, { ...byDomain, ...typed }, { people, sent: { ...byDomain, ...filter } });
});

const asking = [1, 2].map((id) => ({ id, domain: willow.domain, email: 'info@acme.example' }));

const companyLeadRows: Row[] = [
	leadsRow('by website', byDomain),
	leadsRow('by pasted address', byDomain, {
		parameters: { companyWebsite: `https://www.${willow.domain}/about`, returnAll: true },
	}),
	leadsRow('by name', { companyName: 'Willow & Sons' }),
	leadsRow('limit of 10 by default, of the company of the item', byDomain, {
		parameters: {},
		items: [{ domain: company.domain }],
		sent: { companyWebsite: company.domain, size: '10' },
		people: fixtures.peopleOf(company).slice(0, 10),
	}),
	leadsRow('the item that asked stands under `input`; identical requests are sent once', byDomain, {
		parameters: { returnAll: true, includeInputFields: true },
		items: asking,
		output: asking.flatMap((input) =>
			atWillow.map((person) => ({ ...companyLead(person), input })),
		),
		links: asking.flatMap((_, item) => atWillow.map(() => item)),
	}),
	{
		title: 'without a company nothing is sent',
		items: [{ domain: 'N/A', company: '-' }],
		onError: 'continueRegularOutput',
		requests: [],
		output: [
			{
				...{ lookupStatus: 'invalid_input', lookupReason: 'missing_company' },
				lookupMessage: expect.stringMatching(/^Not sent: no company .*[^.]$/),
			},
		],
	},
	...filteredRows,
];

testOperations('contactDataCompany', { searchCompany: searchRows, getLeads: companyLeadRows });
