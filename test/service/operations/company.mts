import { comparable, expectedVerification, type EmailStatus } from '../addresses.mts';
import { ContractViolation, notFound } from '../errors.mts';
import { repeatsCursor } from '../faults.mts';
import type { Company, Person } from '../fixtures.mts';
import { number, text } from '../values.mts';
import type { Variants } from '../variants.mts';
import { charge, ok, requireCredits, type Answer, type Call } from '../world.mts';

/** A company; interface specification 2.11. */
export function companyBody(company: Company, variants: Variants): unknown {
	const { place, domain } = company;
	const scheme = variants.networkUrlScheme === 'never' ? '' : 'https://';
	const employees = company.employees;
	return {
		...(variants.companyId ? { lid: company.id } : {}),
		name: company.name,
		domain,
		website: `https://www.${domain}`,
		industry: company.industry,
		type: company.id % 2 === 0 ? 'private' : 'public',
		network_url: `${scheme}network.example/company/${company.id}`,
		[variants.companySpecialtiesSpelling]: company.specialties,
		revenue: employees < 500 ? '$1M to $50M' : '$50M to $1B',
		employee_count: variants.companyEmployeeCount === 'text' ? String(employees) : employees,
		employee_count_range: employees < 500 ? '1-500' : '501-20000',
		address: `${company.id} Market Street`,
		city: place.city,
		country: place.country,
		geo_area: place.area,
		postal_code: place.postalCode,
		directory_url: `https://directory.example/${company.id}`,
		...(variants.companyLogos === 'both'
			? { logo_url_primary: `https://logos.example/${domain}.svg` }
			: {}),
		logo_url_secondary: `https://logos.example/${domain}.png`,
	};
}

/** Companies by name, domain or website; interface specification 4.10. */
export function searchCompany(call: Call): Answer {
	return search(call, '/company/search');
}

/** The same at the path that the request example uses. */
export function searchCompanyAtExamplePath(call: Call): Answer {
	return search(call, '/lwh/company/search');
}

/** How many credits a search takes is left open: here it is one when there is a result. */
function search(call: Call, path: Variants['companySearchPath']): Answer {
	if (call.world.variants.companySearchPath !== path) throw notFound('The company search');
	requireCredits(call, 'searchCompany', 1);
	const wanted = comparable(text(call.query, 'kw') ?? '');
	const host = hostOf(wanted);
	const results = call.world.fixtures.companies.filter(
		({ name, domain }) => domain === host || comparable(name).includes(wanted),
	);
	charge(
		call,
		'searchCompany',
		results.slice(0, 1).map(({ domain }) => domain),
	);
	return ok({ results: results.map((company) => companyBody(company, call.world.variants)) });
}

function hostOf(website: string): string {
	return website
		.replace(/^https?:\/\//, '')
		.replace(/^www\./, '')
		.replace(/\/.*$/, '');
}

/**
 * People of a company with their addresses; interface specification 2.11a and 4.9.
 *
 * No price is given there: here it is free.
 */
export function getCompanyLeads({ world, query, faults }: Call): Answer {
	const { fixtures, variants, options } = world;
	const name = text(query, 'companyName');
	const website = text(query, 'companyWebsite');
	const company = fixtures.company(website ? hostOf(comparable(website)) : (name ?? ''));
	if (!company) throw notFound('The company');
	const matching = fixtures
		.peopleOf(company)
		.filter(({ title }) => hasKeywords(title, text(query, 'title')))
		.filter(({ location }) => hasKeywords(location, text(query, 'location')));
	const nextId = text(query, 'nextId');
	const from = nextId === undefined ? 0 : offsetOf(nextId, company);
	const size = Math.min(number(query, 'size') ?? 25, options.pageCap ?? Infinity);
	const page = matching.slice(from, from + size);
	const end = from + page.length;
	const next = end < matching.length ? resultsId(company, end) : undefined;
	const cursor = repeatsCursor(faults) ? (nextId ?? next) : next;
	return ok({
		meta: {
			total_all: matching.length,
			[variants.companyLeadsTotal]: page.length,
			...(cursor ? { next_results_id: cursor } : {}),
		},
		company: companyBody(company, variants),
		results: page.map((person) => profileBody(person, variants)),
	});
}

/** All words, or one of a braced comma list; interface specification 4.9. */
function hasKeywords(field: string, keywords: string | undefined): boolean {
	if (keywords === undefined) return true;
	const value = field.toLowerCase();
	const list = /^\{(.*)\}$/s.exec(keywords.toLowerCase())?.[1];
	return list === undefined
		? keywords
				.toLowerCase()
				.trim()
				.split(/\s+/)
				.every((word) => value.includes(word))
		: list.split(',').some((phrase) => value.includes(phrase.trim()));
}

function resultsId(company: Company, offset: number): string {
	return Buffer.from(`${company.id}:${offset}`).toString('base64url');
}

/** Only an id that a previous answer gave is taken. */
function offsetOf(nextId: string, company: Company): number {
	const [id, offset] = Buffer.from(nextId, 'base64url').toString().split(':').map(Number);
	if (id !== company.id || offset === undefined || !Number.isInteger(offset)) {
		throw new ContractViolation(['query/nextId is not the next_results_id of an earlier answer']);
	}
	return offset;
}

/** Interface specification 2.12; a person without an address has an empty one and no quality. */
function profileBody(person: Person, variants: Variants): unknown {
	const verification = person.email === null ? null : expectedVerification(person.email);
	return {
		first_name: person.first,
		last_name: person.last,
		full_name: person.full,
		location: person.location,
		position: { title: person.title, location: person.location, start_date: person.started },
		email: person.email ?? '',
		...(verification && {
			email_quality: {
				status: statusWord(verification.email_status, variants.companyLeadsVocabulary),
				status_message: verification.message,
			},
		}),
	};
}

/** Interface specification 3; there is no other word for an unknown address. */
function statusWord(status: EmailStatus, vocabulary: Variants['companyLeadsVocabulary']): string {
	if (vocabulary === 'current') return status;
	return { valid: 'ok', invalid: 'nok', 'catch-all': 'catch-all', unknown: 'unknown' }[status];
}
