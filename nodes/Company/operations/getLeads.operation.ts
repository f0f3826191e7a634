import type { IDataObject, INodeProperties } from 'n8n-workflow';
import {
	includeInputFields,
	notice,
	optionsField,
	queryField,
	returnAllOrLimit,
	simple,
} from '../../shared/editor/fields';
import { readOperation } from '../../shared/editor/operation';
import { isNotFound } from '../../shared/http/errors';
import { objectIn, objectsIn } from '../../shared/http/response';
import { missing } from '../../shared/output/problem';
import { collectPages, type Page, type Pages } from '../../shared/reads/pages';
import { toEmailStatus } from '../../shared/values/email';
import { lineAt, numberAt, objectAt, textAt } from '../../shared/values/json';
import { toDomain, toText } from '../../shared/values/text';

/** The most people that the service gives per page (interface specification 8). */
const PAGE_SIZE = 150;

/** Get Company Leads (interface specification 4.9): people at a company, with their emails. */
export const getLeads = readOperation({
	option: {
		name: 'Get Company Leads',
		value: 'getLeads',
		action: 'Get leads from company',
		description: 'Get people who work at a company, with their emails. May cost credits.',
		routing: { request: { method: 'GET', url: '/profile/search/email' } },
		builderHint: {
			propertyHint:
				'May cost credits that Max Credits does not limit: keep Limit low, and filter by Title and Location.',
		},
	},
	tool: "Get people who work at a company, with job title, location and email. Needs the company's website or name. May cost credits, so request few people, and filter by title or location.",
	fields: [
		notice(
			'companyNotice',
			'Enter Company Website or Company Name. Your provider may charge credits for the people returned: start with a low Limit.',
		),
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
		...returnAllOrLimit,
		{ ...includeInputFields, default: false },
		simple,
		optionsField([
			...wordFilter('Location', 'e.g. Berlin'),
			...wordFilter('Title', 'e.g. sales manager'),
		]),
	],
	async read({ fields, limit, get }) {
		const companyWebsite = toDomain(toText(fields.companyWebsite)) || undefined;
		const companyName = toText(fields.companyName) || undefined;
		if (!companyWebsite && !companyName) throw missing('Company Website (or Company Name)');
		const title = toKeywords(toText(fields.title), fields.titleMatch);
		const location = toKeywords(toText(fields.location), fields.locationMatch);
		const company: IDataObject = {};
		const pages: Pages = {
			pageSize: PAGE_SIZE,
			// A page may cost credits.
			endsOnRepeat: true,
			idOf: (lead) => JSON.stringify(lead),
			async fetch(size, nextId) {
				const read = get({ companyWebsite, companyName, title, location, size, nextId });
				// A 404 of a later page is no end of the people.
				const answer = await (nextId === undefined ? read.catch(noPeople) : read);
				const named = objectAt(answer, 'company');
				company.name ??= textAt(named, 'name');
				company.domain ??= textAt(named, 'domain');
				return readProfilePage(answer);
			},
		};
		const collected = await collectPages(pages, limit);
		return { ...collected, simplify: (lead) => simplifyCompanyLead(lead, company) };
	},
});

/** The service answers 404 for a company that it does not know: that company has no people. */
function noPeople(thrown: unknown): object {
	if (isNotFound(thrown)) return { results: [] };
	throw thrown;
}

/** A filter by words, and how they are matched. */
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
		}),
	];
}

/** The fields of a person of a company with Simplify (interface specification 2.12, 2.11a). */
export function simplifyCompanyLead(lead: IDataObject, company: IDataObject): IDataObject {
	const position = objectAt(lead, 'position');
	const quality = objectAt(lead, 'email_quality');
	return {
		firstName: textAt(lead, 'first_name'),
		lastName: textAt(lead, 'last_name'),
		fullName: textAt(lead, 'full_name'),
		title: textAt(position, 'title'),
		location: textAt(lead, 'location'),
		positionLocation: textAt(position, 'location'),
		startedAt: toMonth(objectAt(position, 'start_date')),
		email: textAt(lead, 'email'),
		emailStatus: toEmailStatus(textAt(quality, 'status')),
		emailStatusMessage: lineAt(quality, 'status_message'),
		companyName: textAt(company, 'name'),
		companyDomain: textAt(company, 'domain'),
	};
}

/** A month as "YYYY-MM"; a year without a month as "YYYY". */
function toMonth(date: IDataObject): string | null {
	const year = numberAt(date, 'year');
	const month = numberAt(date, 'month');
	if (year === null) return null;
	return month === null ? String(year) : `${year}-${String(month).padStart(2, '0')}`;
}

/**
 * A page of the people of a company (interface specification 4.9, 2.11a). The `next_results_id` is the
 * cursor of the next page.
 */
export function readProfilePage(answer: object): Page {
	const page = objectIn(answer, 'a page of people');
	const meta = objectAt(page, 'meta');
	return {
		results: objectsIn(page.results, 'a page of people'),
		next: textAt(meta, 'next_results_id'),
		total: numberAt(meta, 'total_all'),
	};
}

/**
 * Keywords for one filter (interface specification 4.9): all of the words, or any of the phrases between
 * commas. A space stands for the `+` that joins words; the user cannot search for `+`, `{` and `}`.
 */
export function toKeywords(text: string, match: unknown): string | undefined {
	const phrases = text
		.split(',')
		.map((phrase) => phrase.replace(/[+{}\s]+/g, ' ').trim())
		.filter((phrase) => phrase !== '');
	if (phrases.length === 0) return undefined;
	return match === 'any' ? `{${phrases.join(',')}}` : phrases.join(' ');
}
