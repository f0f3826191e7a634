import { comparable, expectedVerification } from '../addresses.mts';
import { ContractViolation, notFound } from '../errors.mts';
import type { Company, Person } from '../fixtures.mts';
import { number, textsOf } from '../values.mts';
import type { Variants } from '../variants.mts';
import { charge, ok, requireCredits, type Answer, type Call } from '../world.mts';
import { earlierWords } from './finder.mts';
import { urlNames } from './profile.mts';

/** A company; interface specification 2.11. */
export function companyBody(company: Company, variants: Variants): unknown {
	const { id, domain, place, employees } = company;
	const names = urlNames[variants.urlNames];
	const scheme = variants.networkUrlScheme === 'never' ? '' : 'https://';
	return {
		...(variants.companyId && { lid: id }),
		name: company.name,
		domain,
		website: `https://www.${domain}`,
		industry: company.industry,
		type: id % 2 === 0 ? 'private' : 'public',
		[names.profile]: `${scheme}network.example/company/${id}`,
		[variants.companySpecialtiesSpelling]: company.specialties,
		revenue: employees < 500 ? '$1M to $50M' : '$50M to $1B',
		employee_count: variants.companyEmployeeCount === 'text' ? String(employees) : employees,
		employee_count_range: employees < 500 ? '1-500' : '501-20000',
		address: `${id} Market Street`,
		city: place.city,
		country: place.country,
		geo_area: place.area,
		postal_code: place.postalCode,
		[names.directory]: `https://directory.example/${id}`,
		...(variants.companyLogos === 'both' && {
			logo_url_primary: `https://logos.example/${domain}.svg`,
		}),
		logo_url_secondary: `https://logos.example/${domain}.png`,
	};
}

/**
 * Companies by name, domain or website; interface specification 4.10.
 *
 * How many credits a search takes is left open: here it is one when there is a result.
 */
export function searchCompany(call: Call): Answer {
	const { fixtures, variants } = call.world;
	requireCredits(call, 'searchCompany', 1);
	const wanted = comparable(textsOf(call.query).kw ?? '');
	const host = hostOf(wanted);
	const found = fixtures.companies.filter(
		({ name, domain }) => domain === host || comparable(name).includes(wanted),
	);
	const [first] = found.map(({ domain }) => domain);
	charge(call, 'searchCompany', first === undefined ? [] : [first]);
	return ok({ results: found.map((company) => companyBody(company, variants)) });
}

function hostOf(website: string): string {
	return website.replace(/^(?:https?:\/\/)?(?:www\.)?([^/]*).*$/, '$1');
}

/**
 * People of a company with their addresses; interface specification 2.11a and 4.9.
 *
 * No price is given there: here it is free.
 */
export function getCompanyLeads({ world, query, faults }: Call): Answer {
	const { fixtures, variants, options } = world;
	const { companyName = '', companyWebsite, title, location, nextId } = textsOf(query);
	const company = fixtures.company(
		companyWebsite ? hostOf(comparable(companyWebsite)) : companyName,
	);
	if (!company) throw notFound('The company');
	const matching = fixtures
		.peopleOf(company)
		.filter((person) => hasKeywords(person.title, title))
		.filter((person) => hasKeywords(person.location, location));
	const from = nextId === undefined ? 0 : offsetOf(nextId, company);
	const size = Math.min(number(query, 'size') ?? 25, options.pageCap ?? Infinity);
	const isEmpty = faults.some(({ emptyPage }) => emptyPage) && !isRepeated(nextId);
	const isSame = faults.some(({ samePage }) => samePage);
	const page = isEmpty ? [] : matching.slice(isSame ? 0 : from).slice(0, size);
	const end = from + page.length;
	const hasNext = isSame || end < matching.length;
	const next = hasNext ? resultsId(company, end, isEmpty) : undefined;
	const cursor = faults.some(({ repeatCursor }) => repeatCursor) ? (nextId ?? next) : next;
	return ok({
		meta: {
			total_all: faults.some(({ countsPage }) => countsPage) ? page.length : matching.length,
			[variants.companyLeadsTotal]: page.length,
			...(cursor && { next_results_id: cursor }),
		},
		company: companyBody(company, variants),
		results: page.map((person) => profileBody(person, variants, isSame ? ` ${from}` : '')),
	});
}

/** All words, or one of a braced comma list; interface specification 4.9. */
function hasKeywords(field: string, keywords = ''): boolean {
	const value = field.toLowerCase();
	const wanted = keywords.toLowerCase().trim();
	const list = /^\{(.*)\}$/s.exec(wanted)?.[1];
	return list === undefined
		? wanted.split(/\s+/).every((word) => value.includes(word))
		: list.split(',').some((phrase) => value.includes(phrase.trim()));
}

/** Behind an empty page it is another one for the same place. */
function resultsId(company: Company, offset: number, isRepeated = false): string {
	const text = `${company.id}:${offset}${isRepeated ? ':again' : ''}`;
	return Buffer.from(text).toString('base64url');
}

function isRepeated(nextId = ''): boolean {
	return Buffer.from(nextId, 'base64url').toString().endsWith(':again');
}

/** Only an id that a previous answer gave is taken. */
function offsetOf(nextId: string, company: Company): number {
	const offset = Number(Buffer.from(nextId, 'base64url').toString().split(':')[1]);
	if (resultsId(company, offset, isRepeated(nextId)) === nextId) return offset;
	throw new ContractViolation(['query/nextId is not the next_results_id of an earlier answer']);
}

/** Interface specification 2.12; a person without an address has an empty one and no quality. */
function profileBody(person: Person, { companyLeadsVocabulary }: Variants, more = ''): unknown {
	const { first, last, full, title, location, started, email } = person;
	const { email_status: status, message } = expectedVerification(email ?? '');
	// Section 3: these have the earlier words, but for this one.
	const isCurrent = companyLeadsVocabulary === 'current' || status === 'catch-all';
	const word = isCurrent ? status : earlierWords[status];
	return {
		first_name: first,
		last_name: last,
		full_name: full,
		location,
		position: { title, location, start_date: started },
		email: email ?? '',
		...(email !== null && { email_quality: { status: word, status_message: `${message}${more}` } }),
	};
}
