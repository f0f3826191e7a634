import type { IDataObject, INodeProperties } from 'n8n-workflow';
import {
	COMPANY_LEADS_PAGE,
	COMPANY_LEADS_PATH,
	readProfilePage,
	simplifyCompanyLead,
	toKeywords,
} from '../../shared/api/company';
import {
	includeInputFields,
	leadFields,
	limitFields,
	lookUpIf,
	queryField,
	rateLimitWait,
	simple,
} from '../../shared/editor/fields';
import { readOperation } from '../../shared/operation';
import type { Settled } from '../../shared/execution/answers';
import { executionOf } from '../../shared/execution/execution';
import { isMiss } from '../../shared/failures/failure';
import { UNKNOWN_COMPANY } from '../../shared/failures/reasons';
import { companyOf, type FieldValues } from '../../shared/input/fieldValues';
import { digest } from '../../shared/http/connection';
import { collectPages, type Pages } from '../../shared/reads/pages';
import type { Reading, ReadRequest } from '../../shared/reads/reader';
import { objectAt, objectFrom, textAt } from '../../shared/values/json';
import { areOneSite, count, toText } from '../../shared/values/text';

/** Get Company Leads (interface specification 4.9): people at a company, with their emails. */
export const getLeads = readOperation({
	option: {
		name: 'Get Company Leads',
		value: 'getLeads',
		action: 'Get leads from company',
		description: 'Get people who work at a company, with their emails. May cost credits.',
		routing: { request: { method: 'GET', url: COMPANY_LEADS_PATH } },
	},
	cost: 'may cost credits',
	goesOn: true,
	tool: "Get people who work at a company, with job title, location and email. Needs the company's website or name. May cost credits, so request few people, and filter by title or location.",
	fields: [
		...leadFields(
			'the website of the company, else its name, from fields with common names, e.g. Website, Company. Your provider may charge credits for the people returned: start with a low Limit',
			queryField({
				displayName: 'Company Website',
				name: 'companyWebsite',
				placeholder: 'e.g. acme.com',
				description: 'Domain of the company. A full URL works too.',
			}),
			queryField({
				displayName: 'Company Name',
				name: 'companyName',
				placeholder: 'e.g. Acme Inc',
				description: "Name of the company, if you don't know its website",
			}),
		),
		...wordFilter('Title', 'e.g. sales manager'),
		...wordFilter('Location', 'e.g. Berlin'),
		...limitFields(10),
	],
	columns: Object.keys(simplifyCompanyLead({}, {})),
	options: [
		{
			...includeInputFields,
			description: "Whether to add the input item to each person, in the field 'input'",
		},
		lookUpIf,
		rateLimitWait,
		simple,
	],
	lead: {
		companyWebsite: {
			meanings: ['domain'],
			forModel: 'Domain or website of the company, if you know it',
			isOptional: true,
		},
		companyName: {
			meanings: ['company'],
			forModel: 'Name of the company, if you do not know its website',
			isOptional: true,
		},
	},
	outcome: (companies, people) =>
		`${count(companies, 'company', 'companies')} with ${count(people, 'person', 'people')}`,
	async read(request) {
		const { limit, values } = request;
		const { companyStatus, companyData } = request.input;
		if (companyStatus === 'not_found') return UNKNOWN_COMPANY;
		const company = objectFrom(companyData);
		if (companyStatus === 'found') request.noteRead('companyData');
		const { domain, name } = companyIn(company, values);
		if (!domain && !name) throw request.missing('missing_company');
		const filters = {
			companyWebsite: domain || undefined,
			// Beside a website it could only make several requests, which may cost credits, of one company.
			companyName: domain ? undefined : name || undefined,
			title: toKeywords(values.text('title'), values.raw('titleMatch')),
			location: toKeywords(values.text('location'), values.raw('locationMatch')),
		};
		return await request.once({ ...filters, limit }, async () => await peopleAt(filters, request));
	},
});

/** Reads the people whom these filters let through, page by page. */
async function peopleAt(filters: IDataObject, request: ReadRequest): Promise<Reading> {
	const named: IDataObject = {};
	const pages: Pages = {
		pageSize: COMPANY_LEADS_PAGE,
		// A page may cost credits.
		endsOnRepeat: true,
		// By what is shown of somebody: an id may count per page, and other fields change with each request.
		idOf: (lead) => JSON.stringify(simplifyCompanyLead(lead, {})),
		async fetch(size, nextId) {
			const page = await buyPage({ ...filters, size, nextId }, request);
			const ofPage = objectAt(page, 'company');
			named.name ??= textAt(ofPage, 'name');
			named.domain ??= textAt(ofPage, 'domain');
			return readProfilePage(page);
		},
	};
	const collected = await collectPages(pages, request.limit);
	return { ...collected, simplify: (lead) => simplifyCompanyLead(lead, named) };
}

/** A name that is a host, by common endings: `Node.js` is none. */
const COMMON_HOST =
	/^[a-z\d-]+(?:\.[a-z\d-]+)*\.(?:com|net|org|io|co|ai|app|eu|de|at|ch|fr|be|es|mx|pt|br|it|nl|uk|us|ca|au)$/;

/** The company of the item's own website, else that of Search Company, else that of its name: a website comes before any name. */
function companyIn(found: IDataObject, values: FieldValues): { domain: string; name: string } {
	const known = companyOf(toText(found.domain) || found.website, found.name);
	const given = values.company('companyWebsite', 'companyName');
	const isOther = given.domain !== '' && !areOneSite(given.domain, known.domain);
	const company = isOther || !(known.domain || known.name) ? given : known;
	return company.domain === '' && COMMON_HOST.test(company.name)
		? companyOf(company.name)
		: company;
}

const NOBODY: IDataObject = { results: [] };

/** A page of people. It may cost credits: an execution requests it once, and a lost connection is tried once more. */
async function buyPage(query: IDataObject, { client, context }: ReadRequest): Promise<IDataObject> {
	const { breaker, connection } = client;
	const { companyName } = query;
	// The service compares company names without case (interface specification 4.9). A page of another size is as good: what
	// it lacks is on the next one.
	const asked = { ...query, size: undefined, companyName: toText(companyName).toLowerCase() };
	const key = digest([connection.id, COMPANY_LEADS_PATH, asked]);
	const request = { method: 'GET' as const, url: COMPANY_LEADS_PATH, qs: query };
	/** How many of its requests may have been charged. */
	let charged = 0;
	const reservation = {
		credits: 1,
		sent: () => void charged++,
		notCharged: () => void charged--,
		renew: async () => true,
	};
	const work = async (): Promise<Settled> =>
		await client
			.send(request, { cost: 'single', reservation })
			.catch((thrown: unknown) => {
				// The service sends a 404 for a company that it does not know. A 404 of a later page is no end of the people.
				if (isMiss(thrown) && query.nextId === undefined) return NOBODY;
				throw thrown;
			})
			.then((page) => {
				const { results, next } = breaker.reading(() => readProfilePage(page));
				breaker.brought();
				// A miss, which may be none tomorrow, has no results.
				const bought = results.length === 0 && next === null ? [] : [objectFrom(page)];
				return { credits: null, answer: { results: bought, at: Date.now() } };
			})
			.catch((error: unknown) => ({ credits: charged > 0 ? null : 0, sent: charged, error }));
	// A page that failed may have been charged: this run does not request it again.
	const { answers } = executionOf(context);
	const settled = await client.memoized(
		key,
		async () => await answers.ask(key, connection, work, 0),
	);
	if ('error' in settled) throw settled.error;
	return settled.answer.results[0] ?? NOBODY;
}

function wordFilter(displayName: string, placeholder: string): INodeProperties[] {
	const name = displayName.toLowerCase();
	const description = `Only return leads whose ${name} contains these words`;
	return [
		queryField({ displayName, name, placeholder, description }),
		queryField({
			displayName: `${displayName} Match`,
			name: `${name}Match`,
			type: 'options',
			default: 'all',
			options: [
				{ name: 'All Words', value: 'all', description: 'All words must appear' },
				{
					name: 'Any Phrase',
					value: 'any',
					description:
						'Any of the comma-separated phrases may appear, e.g. "sales, growth marketing"',
				},
			],
			description: 'How to match more than one word',
			displayOptions: { hide: { [name]: [''] } },
		}),
	];
}
