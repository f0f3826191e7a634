/** @file The runs of the nodes that send the requests of a recording: nothing else is known of who made it. */

import type { INodeParameters } from 'n8n-workflow';

import { readProfilePage } from '../../../nodes/Company/operations/getLeads.operation.ts';
import { readLeadPage } from '../../../nodes/shared/reads/lists.ts';
import type { Page } from '../../../nodes/shared/reads/pages.ts';
import { rowsOf } from '../../emulator/operations/bulkFinder.mts';
import { identityOf, type Exchange } from '../../emulator/recording/recording.mts';
import { number } from '../../emulator/values.mts';
import type { NodeTest } from './engine.mts';
import { listWithId } from '../../operations.mts';

/** One run of one node; the settings are those of the credential. */
export type RecordedRun = Pick<NodeTest, 'node' | 'parameters' | 'items'> & {
	settings?: Record<string, string | number>;
};

/** The most people at a company that the nodes request per page. */
const PEOPLE_PER_PAGE = 150;

/** One for each request that no other run sends on its way. */
export function runsOf(exchanges: readonly Exchange[]): RecordedRun[] {
	const same = Map.groupBy(exchanges, ({ request }) => identityOf(request));
	const distinct = [...same.values()].map(([first]) => first);
	return distinct.flatMap((exchange) => runOf(exchange, distinct) ?? []);
}

/** The run of Check API in a recording: nothing else sends a metered endpoint a request that holds nothing. */
export function checksIn(exchanges: readonly Exchange[]): RecordedRun[] {
	const bare = exchanges
		.map(({ request }) => request)
		.filter(({ method, query }) => method === 'GET' && Object.keys(query).length === 0)
		.map(({ path }) => path);
	if (!bare.includes('/v3/verify')) return [];
	// The credential's own path comes first, then the one that other services have.
	const bulkVerifierPath = bare.find((path) => /\/(?:verify|find)_bulk$/.test(path)) ?? '';
	const companySearchPath = bare.find((path) => path.endsWith('/company/search')) ?? '';
	const sizes = exchanges
		.filter(({ request }) => request.path.endsWith('/leads'))
		.map(({ request }) => Number(request.query.size));
	const listPageSize = Math.max(1, ...sizes);
	return [run('Account', 'check', {}, { bulkVerifierPath, companySearchPath, listPageSize })];
}

function runOf(exchange: Exchange, all: Exchange[]): RecordedRun | undefined {
	const { method, path, query: sent, body } = exchange.request;
	const query: Partial<Record<string, string>> = Object.fromEntries(
		Object.entries(sent).map(([name, value]) => [name, String(value)]),
	);
	const { kw = '', email = '', size, start, nextId, ...who } = query;
	const [, id = '', listPart] = /^\/api\/v2\/list\/([^/]+)(?:\/(.*))?$/.exec(path) ?? [];
	const list = { listId: listWithId(id) };
	const jobId = /^\/api\/v2\/find_bulk\/(.+)$/.exec(path)?.[1] ?? query.id;

	// A page that another one leads to.
	if (start !== undefined || nextId !== undefined) return undefined;
	if (path === '/api/v2/account') return run('Account', 'get');
	if (path === '/api/v2/list') return run('List', 'getAll', { returnAll: true });
	if (listPart === 'data') {
		const options = { email: query.emailOnly === 'true' ? 'with' : 'all' };
		return run('List', 'exportLeads', { ...list, options });
	}
	if (listPart === 'leads') {
		const pages = pagesFrom(exchange, all, (answer) => readLeadPage(answer, kw !== ''));
		const parameters = { ...list, ...limitOf(pages, Number(size)), options: { keyword: kw } };
		return run('List', 'getLeads', parameters, { listPageSize: Number(size) });
	}
	if (id !== '') return run('List', 'get', list);
	if (path === '/profile/search/email') {
		const limit = limitOf(pagesFrom(exchange, all, readProfilePage), PEOPLE_PER_PAGE);
		return run('Company', 'getLeads', { ...who, ...limit });
	}
	if (path === '/api/v2/find') {
		const { companyName, country = '', includeCompanyData, ...person } = who;
		const options = { country, includeCompanyData: includeCompanyData === 'true' };
		const parameters = { company: companyName ?? '', ...person, options };
		const companyNameParameter = companyName === undefined ? 'company' : 'companyName';
		return run('Finder', 'find', parameters, { companyNameParameter });
	}
	if (method === 'POST') {
		const options = { country: '={{ $json.country }}' };
		const bulkFinderBody = Array.isArray(body) ? 'array' : 'people';
		const parameters = { fullName: '={{ $json.name }}', options };
		const items = JSON.parse(JSON.stringify(rowsOf(body)));
		return { ...run('Finder', 'findBulk', parameters, { bulkFinderBody }), items };
	}
	if (jobId !== undefined) {
		// Whoever sent the rows polls the job, by one form of poll and then by the other.
		const asksFirst = all.find(
			({ request, response }) =>
				(request.method === 'POST' && String(number(response.body, 'id')) === jobId) ||
				request.path.endsWith(`/find_bulk/${jobId}`) ||
				request.query.id === jobId,
		);
		return asksFirst === exchange ? run('Finder', 'getBulkJob', { jobId, jobRow: '' }) : undefined;
	}
	if (path === '/v3/verify') {
		return run('Verifier', 'verify', { email, options: { enrich: query.enrich === 'true' } });
	}
	if (email !== '') {
		const bulkVerifierQuery = Array.isArray(sent.email) ? 'repeat' : 'comma';
		const settings = { bulkVerifierPath: path, bulkVerifierQuery };
		const items = email.split(',').map((one) => ({ email: one }));
		return { ...run('Verifier', 'verifyBulk', {}, settings), items };
	}
	if (kw !== '') return run('Company', 'search', { keyword: kw }, { companySearchPath: path });
	throw new Error(`No operation of the nodes sends ${method} ${path}`);
}

function run(
	name: 'Account' | 'List' | 'Finder' | 'Verifier' | 'Company',
	operation: string,
	parameters: Record<string, INodeParameters[string] | undefined> = {},
	settings: RecordedRun['settings'] = {},
): RecordedRun {
	return { node: `contactData${name}`, parameters: { operation, ...parameters }, settings };
}

type SizedPage = Page & { size: number };

/** A page and those that followed it. */
function pagesFrom(
	first: Exchange,
	all: readonly Exchange[],
	read: (answer: object) => Page,
): SizedPage[] {
	const { body, status } = first.response;
	const isPage = status === 200 && typeof body === 'object' && body !== null;
	const page = isPage ? read(body) : { results: [], next: null, total: null };
	const cursorOf = ({ request: { query } }: Exchange) => query.start ?? query.nextId;
	const filtersOf = ({ request: { path, query } }: Exchange) =>
		JSON.stringify([path, { ...query, start: 0, nextId: 0, size: 0 }]);
	const others = all.filter((one) => one !== first && filtersOf(one) === filtersOf(first));
	const next = others.find((one) => cursorOf(one) === String(page.next));
	const later = next ? pagesFrom(next, others, read) : [];
	return [{ ...page, size: Number(first.request.query.size) }, ...later];
}

/** How many results were wanted, by the sizes of the pages: the last one is smaller where a limit was set. */
function limitOf(pages: SizedPage[], largest: number): INodeParameters {
	const smaller = pages.findIndex(({ size }) => size < largest);
	const read = pages
		.slice(0, smaller === -1 ? undefined : smaller)
		.flatMap(({ results }) => results);
	if (smaller !== -1) return { limit: read.length + pages[smaller].size };
	const { next = null, results = [], total = null } = pages.at(-1) ?? {};
	const isEnd = next === null || results.length === 0 || read.length >= (total ?? Infinity);
	return isEnd ? { returnAll: true } : { limit: read.length };
}
