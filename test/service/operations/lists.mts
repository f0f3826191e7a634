import { expectedVerification } from '../addresses.mts';
import { notFound } from '../errors.mts';
import { duplicatesAcrossPages, repeatsCursor } from '../faults.mts';
import type { Lead, LeadList } from '../fixtures.mts';
import { flag, number, text } from '../values.mts';
import type { Variants } from '../variants.mts';
import { ok, type Answer, type Call } from '../world.mts';
import { companyHeadquarters, networkUrl } from './profile.mts';

/** All lists; interface specification 4.2, variant. */
export function getLists({ world: { fixtures, variants } }: Call): Answer {
	if (variants.listIndex === 'missing') throw notFound('The index of lists');
	return ok(fixtures.lists.map((list) => listBody(list, variants.listIndexShape)));
}

/** One list without its leads; interface specification 4.2. */
export function getList(call: Call): Answer {
	return ok(listBody(requestedList(call), call.world.variants.listShape));
}

function listBody({ id, name, createdAt, leads }: LeadList, shape: Variants['listShape']): unknown {
	return shape === 'list'
		? { list_id: id, name, creation_date: createdAt, count_leads: leads.length }
		: { id, name, leads: leads.length };
}

function requestedList({ world, params }: Call): LeadList {
	const list = world.fixtures.list(number(params, 'listId') ?? 0);
	if (!list) throw notFound('The list');
	return list;
}

/**
 * A page of leads, the most recent first; interface specification 4.3.
 *
 * `next_start` is a number on every page: on an empty one it is the `start` that was sent.
 */
export function getListLeads(call: Call): Answer {
	const { query, world, faults } = call;
	const { variants, options } = world;
	const keyword = text(query, 'kw');
	const start = number(query, 'start');
	const size = Math.min(number(query, 'size') ?? 25, options.pageCap ?? Infinity);
	const matching = requestedList(call)
		.leads.filter((lead) => !keyword || matches(lead, keyword, variants.leadsKeywordFields))
		.reverse();
	const first = firstIndex(matching, start, variants.leadsStart);
	const from = duplicatesAcrossPages(faults) && size > 1 ? Math.max(0, first - 1) : first;
	const page = matching.slice(from, from + size);
	const next = page.length === 0 ? (start ?? 0) : nextStart(page, from, variants.leadsStart);
	return ok({
		count_results: keyword || variants.leadsCount === 'all' ? matching.length : page.length,
		next_start: repeatsCursor(faults) ? (start ?? next) : next,
		data: page.map((lead) => leadBody(lead, variants)),
	});
}

function firstIndex(
	leads: readonly Lead[],
	start: number | undefined,
	meaning: Variants['leadsStart'],
): number {
	if (start === undefined) return 0;
	if (meaning === 'offset') return start;
	const index = leads.findIndex(({ id }) => id < start);
	return index < 0 ? leads.length : index;
}

function nextStart(page: readonly Lead[], from: number, meaning: Variants['leadsStart']): number {
	return meaning === 'offset' ? from + page.length : (page.at(-1)?.id ?? 0);
}

function matches(
	{ person, email }: Lead,
	keyword: string,
	fields: Variants['leadsKeywordFields'],
): boolean {
	const narrow = [person.full, email ?? '', person.company.name];
	const wide = [...narrow, person.title, person.company.domain];
	const wanted = keyword.toLowerCase();
	return (fields === 'wide' ? wide : narrow).some((field) => field.toLowerCase().includes(wanted));
}

/** Interface specification 2.4; a lead without an address has empty texts in its place. */
function leadBody({ id, person, email }: Lead, variants: Variants): unknown {
	const { company } = person;
	const misspelt = variants.leadSpelling === 'misspelt';
	return {
		id,
		name: person.full,
		first_n: person.first,
		[misspelt ? 'last_nd' : 'last_n']: person.last,
		email: email ?? '',
		email_status: email ? expectedVerification(email).email_status : '',
		network_url: networkUrl(person, variants),
		location: person.location,
		domain: company.domain,
		company_industry: company.industry,
		[misspelt ? 'compnay_founded' : 'company_founded']: String(company.founded),
		company_size: company.employees,
		company_hq: companyHeadquarters(company),
	};
}

/** All leads in the export form; interface specification 2.5 and 4.4. */
export function exportLeads(call: Call): Answer {
	const withEmailOnly = flag(call.query, 'emailOnly');
	return ok(
		requestedList(call)
			.leads.filter(({ email }) => email || !withEmailOnly)
			.map(({ person, email }) => ({
				first_n: person.first,
				last_n: person.last,
				email: email ?? '',
				title: person.title,
				location: person.location,
				company: person.company.name,
				domain: person.company.domain,
				company_industry: person.company.industry,
				network_url: networkUrl(person, call.world.variants),
			})),
	);
}
