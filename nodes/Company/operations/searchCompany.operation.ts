import { companiesIn, isElsewhere, simplifyCompany } from '../../shared/api/company';
import {
	leadFields,
	lookupOptions,
	manualLimit,
	otherStatuses,
	queryField,
} from '../../shared/editor/fields';
import { lookupOperation } from '../../shared/operation';
import { INTERFACE_DEFAULTS } from '../../shared/http/connection';
import { OF_COMPANY } from '../../shared/failures/names';
import { isSocialPage, toDomain } from '../../shared/values/text';

/** Search Company (interface specification 4.10). The service does not document its cost: Max Credits counts 1. */
export const search = lookupOperation<{ keyword: string }>({
	option: {
		name: 'Search Company',
		value: 'searchCompany',
		action: 'Search company',
		description:
			'Look up a company by name, domain or website. Costs credits if there is a match; Max Credits counts 1.',
		routing: { request: { method: 'GET', url: INTERFACE_DEFAULTS.companySearchPath } },
	},
	tool: `Look up a company by name, domain or website: industry, size, location and more. Costs credits if there is a match. 'companyStatus' is 'found' or 'not_found'. ${otherStatuses(OF_COMPANY)}`,
	cost: 'credits per match',
	fields: [
		...leadFields(
			'the website of the company, else its name, from fields with common names, e.g. Website, Company',
			queryField({
				displayName: 'Company',
				name: 'keyword',
				placeholder: 'e.g. acme.com',
				description: 'Name, domain or website of the company',
				routing: { send: { type: 'query', property: 'kw' } },
			}),
		),
		{
			displayName: 'Return All Matches',
			name: 'returnAllMatches',
			type: 'boolean',
			default: false,
			description: 'Whether to return all matching companies instead of the best match only',
		},
		manualLimit,
	],
	lead: {
		keyword: {
			meanings: ['domain', 'company'],
			forModel: 'Name, domain or website of the company',
		},
	},
	options: lookupOptions,
	hitStatus: 'found',
	finds: 'companyData',
	kind: 'search',
	perRequest: 1,
	identity: ({ keyword }) => ({ keyword: comparable(keyword) }),
	columns: ['companyStatus', 'companyData', 'companyCredits', 'companyCheckedAt'],
	names: OF_COMPANY,
	prepare(values) {
		const name = values.name('kw');
		const text = isSocialPage(name) ? '' : name;
		// Of an address what tells one company from another: not who led to it, nor a second one.
		const [keyword] = toDomain(text) === '' ? [text] : text.split(/\s*[?#;]/, 1);
		return { query: { keyword }, missing: keyword === '' ? ['missing_company'] : undefined };
	},
	request: ([{ keyword }], { companySearchPath }) => ({
		url: companySearchPath,
		qs: { kw: keyword },
	}),
	read: (response, [{ keyword }]) => ({ results: [companiesIn(response, keyword)] }),
	isElsewhere: (company, { keyword }) => isElsewhere(company, keyword),
	simplify: (company) => ({ companyData: simplifyCompany(company) }),
});

/** A keyword without the spellings that do not matter. The path of a URL does: companies share websites. */
function comparable(keyword: string): string {
	const address = keyword.replace(/^https?:\/\//i, '').replace(/^www\./i, '');
	const [nameOrHost, ...path] = address.split('/');
	return [nameOrHost.toLowerCase(), ...path].join('/').replace(/\/$/, '');
}
