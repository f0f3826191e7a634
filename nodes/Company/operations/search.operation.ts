import { lookupOptions, simple } from '../../shared/fields';
import type { Operation } from '../../shared/operation';
import { objectsIn } from '../../shared/request/answer';
import { INTERFACE_DEFAULTS } from '../../shared/request/interfaceSettings';
import { lookup } from '../../shared/request/requestPath';
import { simplifyCompany } from '../../shared/values/company';
import { isObject } from '../../shared/values/json';
import { toText } from '../../shared/values/text';

/**
 * Search Company (interface specification 4.10). It costs credits when there is a match; how many
 * is not documented, so Max Credits counts 1.
 */
export const search: Operation = {
	option: {
		name: 'Search Company',
		value: 'search',
		action: 'Search for a company',
		description:
			'Look up a company by name, domain or website. Costs credits when there is a match; the service does not publish how many, and Max Credits counts 1.',
		routing: {
			request: { method: 'GET', url: INTERFACE_DEFAULTS.companySearchPath },
			send: { paginate: true },
			operations: {
				pagination: lookup({
					answered: 'found',
					key: ({ keyword }) => `search ${keyword}`,
					prepare({ kw }) {
						const keyword = toText(kw);
						return { query: { keyword }, missing: keyword === '' ? 'keyword' : undefined };
					},
					path: ({ companySearchPath }) => companySearchPath,
					toQueryString: ({ keyword }) => ({ kw: keyword }),
					results: (answer) =>
						objectsIn(isObject(answer) ? answer.results : undefined, 'a list of companies'),
					charged: (answer) =>
						isObject(answer) && Array.isArray(answer.results) && answer.results.length > 0 ? 1 : 0,
					simplify: simplifyCompany,
				}),
			},
		},
	},
	fields: [
		{
			displayName: 'Keyword',
			name: 'keyword',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. acme.com',
			description: 'Name, domain or website of the company',
			routing: { send: { type: 'query', property: 'kw' } },
		},
		{
			displayName: 'Return All Matches',
			name: 'returnAllMatches',
			type: 'boolean',
			default: false,
			description: 'Whether to return all matching companies instead of the best match only',
			routing: { output: { maxResults: '={{ $value ? undefined : 1 }}' } },
		},
		simple,
		lookupOptions(),
	],
};
