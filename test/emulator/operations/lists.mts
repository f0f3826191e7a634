import { expectedVerification } from '../addresses.mts';
import { notFound } from '../errors.mts';
import type { Lead, LeadList } from '../fixtures.mts';
import { flag, number, textsOf } from '../values.mts';
import type { Variants } from '../variants.mts';
import { ok, type Answer, type Call } from '../world.mts';
import { companyHeadquarters, networkUrl, urlNames } from './profile.mts';

/** All lists; interface specification 4.2, variant. */
export function getLists({ world: { fixtures, variants } }: Call): Answer {
	if (variants.listIndex === 'missing') throw notFound('The index of lists');
	return ok(fixtures.lists.map((list) => listBody(list, variants.listIndexShape, variants)));
}

/** One list without its leads; interface specification 4.2. */
export function getList(call: Call): Answer {
	const { variants } = call.world;
	return ok(listBody(requestedList(call), variants.listShape, variants));
}

function listBody(
	{ id, name, createdAt, leads }: LeadList,
	shape: Variants['listShape'],
	{ listEmailCount }: Variants,
): unknown {
	if (shape === 'entry') return { id, name, leads: leads.length };
	const withEmail = leads.filter(({ email }) => email !== null);
	return {
		...{ list_id: id, name, creation_date: createdAt, count_leads: leads.length },
		...(listEmailCount && { count_leads_emails: withEmail.length }),
	};
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
	const { kw, start: text = '' } = textsOf(query);
	// A cursor that was a text is one again.
	const start = text === '' ? number(query, 'start') : Number(text.replace('after-', ''));
	const size = Math.min(number(query, 'size') ?? 25, options.pageCap ?? Infinity);
	const matching = requestedList(call)
		.leads.filter((lead) => !kw || matches(lead, kw, variants.leadsKeywordFields))
		.reverse();
	const isOffset = variants.leadsStart === 'offset';
	const older = matching.findIndex(({ id }) => id < (start ?? Infinity));
	const first = isOffset ? (start ?? 0) : older < 0 ? matching.length : older;
	const overlaps = size > 1 && faults.some((fault) => fault.duplicatesAcrossPages);
	const from = overlaps ? Math.max(0, first - 1) : first;
	const own = matching.slice(from, from + size);
	const again = own.length === 0 || isOffset ? start : own[0].id + 1;
	const isEmpty = again !== start && faults.some(({ emptyPage }) => emptyPage);
	const page = isEmpty ? [] : own;
	const last = page.at(-1);
	const next = last ? (isOffset ? from + page.length : last.id) : isEmpty ? again : (start ?? 0);
	const countsAll = kw || variants.leadsCount === 'all';
	const countsPage = !countsAll || faults.some((fault) => fault.countsPage);
	return ok({
		count_results: countsPage ? page.length : matching.length,
		next_start: faults.some(({ repeatCursor }) => repeatCursor) ? (start ?? next) : next,
		data: page.map((lead) => leadBody(lead, variants)),
	});
}

function matches(
	{ person, email }: Lead,
	keyword: string,
	fields: Variants['leadsKeywordFields'],
): boolean {
	const { full, title, company } = person;
	const narrow = [full, email ?? '', company.name];
	const searched = fields === 'wide' ? [...narrow, title, company.domain] : narrow;
	return searched.some((field) => field.toLowerCase().includes(keyword.toLowerCase()));
}

/** Interface specification 2.4; an address or status that the list lacks is an empty text. */
function leadBody({ id, person, email, unverified }: Lead, variants: Variants): unknown {
	const { company } = person;
	const misspelt = variants.leadSpelling === 'misspelt';
	return {
		id,
		name: person.full,
		first_n: person.first,
		[misspelt ? 'last_nd' : 'last_n']: person.last,
		...(variants.leadJob && { title: person.title, company: company.name }),
		email: email ?? '',
		email_status: email && !unverified ? expectedVerification(email).email_status : '',
		[urlNames[variants.urlNames].profile]: networkUrl(person, variants),
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
	const { variants } = call.world;
	const leads = requestedList(call).leads.filter(({ email }) => email || !withEmailOnly);
	return ok(
		leads.map(({ person, email }) => ({
			first_n: person.first,
			last_n: person.last,
			email: email ?? '',
			title: person.title,
			location: person.location,
			company: person.company.name,
			domain: person.company.domain,
			company_industry: person.company.industry,
			[urlNames[variants.urlNames].profile]: networkUrl(person, variants),
		})),
	);
}
