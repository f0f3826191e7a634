import type { IDataObject } from 'n8n-workflow';
import { cursorIn, objectsIn, objectWith } from '../http/response';
import { emailAt, toEmailStatus } from '../values/email';
import { numberAt, objectAt, textAt } from '../values/json';
import { areOneSite, toDomain, withScheme, wordsOf } from '../values/text';

/** The path of people at a company (interface specification 4.9). */
export const COMPANY_LEADS_PATH = '/profile/search/email';

/** The most people that the service gives per page (interface specification 8). */
export const COMPANY_LEADS_PAGE = 150;

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

/** The fields of a person of a company with Simplify (interface specification 2.12, 2.11a). */
export function simplifyCompanyLead(lead: IDataObject, company: IDataObject): IDataObject {
	const position = objectAt(lead, 'position');
	return {
		fullName: textAt(lead, 'full_name'),
		firstName: textAt(lead, 'first_name'),
		lastName: textAt(lead, 'last_name'),
		title: textAt(position, 'title'),
		email: emailAt(lead),
		emailStatus: toEmailStatus(textAt(objectAt(lead, 'email_quality'), 'status')),
		company: textAt(company, 'name'),
		domain: textAt(company, 'domain'),
		location: textAt(lead, 'location'),
		startedAt: toMonth(objectAt(position, 'start_date')),
	};
}

/** A month as "YYYY-MM"; a year without a month as "YYYY". */
function toMonth(date: IDataObject): string | null {
	const year = numberAt(date, 'year');
	const month = numberAt(date, 'month');
	if (year === null) return null;
	return month === null ? String(year) : `${year}-${String(month).padStart(2, '0')}`;
}

/** A page of the people of a company (interface specification 4.9, 2.11a). */
export function readProfilePage(response: object) {
	const page = objectWith(['results'], response, 'a page of people');
	const meta = objectAt(page, 'meta');
	return {
		results: objectsIn(page.results, 'a page of people'),
		next: cursorIn(meta, 'next_results_id', 'nextId'),
		total: numberAt(meta, 'total_all'),
	};
}

/** The companies in a response to a search (interface specification 4.10), the ones that were asked for first. */
export function companiesIn(response: object, keyword: string): IDataObject[] {
	// A response without a body is an empty list.
	if (Array.isArray(response) && response.length === 0) return [];
	const { results } = objectWith(['results'], response, 'a list of companies');
	const companies = objectsIn(results, 'a list of companies');
	const rankOf = (company: IDataObject) => Number(isAskedFor(company, keyword));
	return companies.toSorted((one, other) => rankOf(other) - rankOf(one));
}

function domainOf(company: IDataObject): string {
	return toDomain(textAt(company, 'domain', 'website') ?? '');
}

function isAskedFor(company: IDataObject, keyword: string): boolean {
	const domain = toDomain(keyword);
	if (domain !== '') return areOneSite(domainOf(company), domain);
	return wordsOf(textAt(company, 'name') ?? '').join('') === wordsOf(keyword).join('');
}

/** Whether a company has another website than the one that was asked for. */
export function isElsewhere(company: IDataObject, keyword: string): boolean {
	const isKnown = toDomain(keyword) !== '' && domainOf(company) !== '';
	return isKnown && !isAskedFor(company, keyword);
}

/**
 * What people sort companies by, in the package's words (interface specification 2.11): absent values are `null`, URLs have
 * a scheme.
 */
export function simplifyCompany(company: IDataObject): IDataObject {
	const employees = textAt(company, 'employee_count', 'employee_count_range');
	return {
		name: textAt(company, 'name'),
		domain: textAt(company, 'domain'),
		website: withScheme(textAt(company, 'website')),
		industry: textAt(company, 'industry'),
		type: textAt(company, 'type'),
		employeeCount: numberAt(company, 'employee_count') ?? employees,
		revenue: textAt(company, 'revenue'),
		city: textAt(company, 'city'),
		country: textAt(company, 'country'),
		profileUrl: withScheme(textAt(company, 'network_url', 'linkedin_url')),
	};
}
