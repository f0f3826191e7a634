import type { IDataObject, IHttpRequestOptions } from 'n8n-workflow';
import { ACCOUNT_PATH, countersOf, readAccount } from '../../shared/api/account';
import { FIND_BULK_PATH } from '../../shared/api/bulkFinder';
import { COMPANY_LEADS_PATH } from '../../shared/api/company';
import { FIND_PATH } from '../../shared/api/finder';
import * as lists from '../../shared/api/lists';
import { VERIFY_PATH } from '../../shared/api/verifier';
import type { AccountClient } from '../../shared/client/client';
import { readOperation } from '../../shared/operation';
import { INTERFACE_DEFAULTS, type InterfaceSettings } from '../../shared/http/connection';
import { withoutKey } from '../../shared/http/mask';
import { objectsIn } from '../../shared/http/response';
import { SHORT_PACE } from '../../shared/pace/retry';
import { failureOf, type Problem, problemOf } from '../../shared/failures/failure';
import { asError } from '../../shared/values/text';
import { type Check, type Finding, nothingToCheck, summaryOf } from '../checkSummary';

/**
 * Check API: one item for each endpoint (interface specification 4). Costs no credits: the account, the lists and the
 * leads of one list are free (8), and a metered endpoint gets a request with nothing of what it requires, whatever the
 * settings are, so that it cannot be completed. Its refusal, a 400 (7), shows that the endpoint exists and accepts the
 * key. `works` is about the credential as it is, and `null` where nothing free can tell: where the request has a form
 * to choose (4.5, 4.6, 4.8), where it is accepted or refused for credits or for now, and where there is no list. An endpoint
 * that does not work is a result; without an API, or one that lets the key in, it throws as Get Account does.
 */
export const check = readOperation({
	option: {
		name: 'Check API',
		value: 'check',
		action: 'Check API',
		description:
			"Check what works with your provider's API, and which settings it needs. Costs no credits.",
		routing: { request: { method: 'GET', url: ACCOUNT_PATH } },
	},
	cost: 'free',
	fields: [],
	pace: { ...SHORT_PACE, maxRetries: 1 },
	async read({ client, context }) {
		let checks: Check[] = [];
		// However many items there are.
		await client.memoized('check', async () => {
			// A path of the credential may hold the key.
			checks = withoutKey(await checkAll(client), client.connection.apiKey);
			const isWarning = checks.some(({ works }) => works === false);
			context.hint(summaryOf(checks), isWarning ? 'warning' : 'info');
		});
		return { results: checks.map((one) => ({ ...one })) };
	},
});

interface Found {
	client: AccountClient;
	account?: IDataObject;
	/** The shortest list that has leads, as its export comes in one response. */
	listId?: string;
}

interface Endpoint {
	method?: 'POST';
	/** `:listId` stands for a list. */
	path: string;
	operations: string;
	/** Reads it for free, and throws what the request throws; without this it is metered, and probed. */
	read?(found: Found, path: string, endpoint: Endpoint): Promise<Finding | void>;
	/** The label of the setting for the form of its request, which only a paid request would show to be right. */
	form?: string;
	/** The label of the setting for its path, and the paths that services have. */
	paths?: [label: string, ...paths: string[]];
}

const LIST = lists.listPaths(':listId');

const endpointsOf = (settings: InterfaceSettings): Endpoint[] => [
	{
		path: ACCOUNT_PATH,
		operations: 'Get Account, Estimate Cost, On Low Credits',
		async read(found, path) {
			found.account = await readAccount({ get: async () => await send(found, path) });
			return { variant: { counters: Object.keys(countersOf(found.account)) } };
		},
	},
	{ path: lists.LISTS_PATH, operations: 'Get Many Lists', read: findList },
	{
		path: LIST.list,
		operations: 'Get List',
		read: async (found, path) => entriesOf(await send(found, path)),
	},
	{ path: LIST.leads, operations: 'Get List Leads, On New Lead in List', read: readLeads },
	{
		path: LIST.export,
		operations: 'Export List Leads',
		read: async (found, path) => void objectsIn(await send(found, path), 'leads'),
	},
	{ path: FIND_PATH, operations: 'Find Email', form: 'Company Name Parameter' },
	{
		method: 'POST',
		path: FIND_BULK_PATH,
		operations: 'Find Emails in Bulk, Get Bulk Job',
		form: 'Bulk Finder Body',
	},
	{ path: VERIFY_PATH, operations: 'Verify Email' },
	{
		path: settings.bulkVerifierPath,
		operations: 'Verify Emails in Bulk',
		form: 'Bulk Verifier Query',
		paths: ['Bulk Verifier Path', INTERFACE_DEFAULTS.bulkVerifierPath, FIND_BULK_PATH],
	},
	{ path: COMPANY_LEADS_PATH, operations: 'Get Company Leads' },
	{
		path: settings.companySearchPath,
		operations: 'Search Company',
		paths: ['Company Search Path', INTERFACE_DEFAULTS.companySearchPath, '/lwh/company/search'],
	},
];

/** The page size that every service accepts (8). */
const SMALL_PAGE = 100;

const EXISTS = 'Exists, and the API key is accepted';
const ONLY_PAID = 'Only a paid request would tell';

/** Refusals that leave open whether the endpoint works. */
const OPEN = ['rate_limited', 'conflict', 'service_unavailable'];

/** Failures of the account's endpoint after which the other endpoints are still tried. */
const GOES_ON = ['not_found', 'unexpected_answer', 'service_unavailable'];

/** One after the other: the lists may need the account, the leads a list, and a low rate limit allows no more. */
async function checkAll(client: AccountClient): Promise<Check[]> {
	const found: Found = { client };
	const checks: Check[] = [];
	for (const endpoint of endpointsOf(client.connection.settings)) {
		const { method = 'GET', operations, path } = endpoint;
		checks.push({
			operations,
			works: true,
			detail: EXISTS,
			setting: null,
			endpoint: `${method} ${path}`,
			httpCode: 200,
			variant: null,
			...(await findingOf(endpoint, found)),
		});
	}
	return checks;
}

async function findingOf(endpoint: Endpoint, found: Found): Promise<Finding | void> {
	const { path, read = probe } = endpoint;
	if (path.includes(':listId') && !found.listId) return notSent('no list is known');
	try {
		return await read(found, path.replace(':listId', found.listId ?? ''), endpoint);
	} catch (thrown) {
		const failure = failureOf(thrown);
		const goesOn = path !== ACCOUNT_PATH || GOES_ON.includes(failure.reason);
		if (goesOn) return unusable(failure.problem);
		throw nothingToCheck(failure);
	}
}

function notSent(why: string): Finding {
	return { works: null, httpCode: null, detail: `Not sent: ${why}` };
}

function unusable({ status, reason, message, httpCode }: Problem): Finding {
	const isMissing = reason === 'not_found';
	const detail = isMissing ? 'Not there: the service does not know this path' : message;
	const isOpen = status === 'not_processed' || OPEN.includes(reason);
	return { works: isOpen ? null : false, httpCode, detail };
}

function needs(setting: string, { httpCode }: Problem): Finding {
	return { works: false, httpCode, detail: 'Works only with the setting of this row', setting };
}

/** Whether the service, and no web page, refused a request for what it holds or lacks. */
function isIncomplete(thrown: unknown): boolean {
	return problemOf(thrown).next === 'parts';
}

/** Sends a request, also after a 401 of another endpoint. */
async function send({ client }: Found, url: string, more: Partial<IHttpRequestOptions> = {}) {
	return await client.send({ method: 'GET', url, ...more }, { collects: true });
}

/** What is thrown for a request that fails. */
async function outcomeOf(sent: Promise<object>): Promise<Error | undefined> {
	return await sent.then(() => undefined, asError);
}

/** Sends a metered endpoint a request with nothing of what it requires. */
async function probe(found: Found, path: string, endpoint: Endpoint): Promise<Finding> {
	const { method = 'GET', form, paths: [label, ...paths] = [] } = endpoint;
	// A path with a query might hold what is required.
	if (path.includes('?')) return notSent('the path holds a query');
	const failure = await outcomeOf(send(found, path, { method }));
	if (!failure) return { works: null, detail: `${EXISTS}. ${ONLY_PAID} more` };
	const problem = problemOf(failure);
	const { httpCode } = problem;
	if (isIncomplete(failure)) {
		if (!form) return { httpCode };
		const detail = `${EXISTS}. ${ONLY_PAID} whether it needs another choice of ${form}`;
		return { works: null, httpCode, detail };
	}
	const others = problem.isPath ? paths.filter((one) => one !== path) : [];
	for (const other of others) {
		if (isIncomplete(await outcomeOf(send(found, other, { method }))))
			return needs(`${label}: ${other}`, problem);
	}
	return unusable(problem);
}

/** The lists, of the account where the service has no index of them (4.2), as the operations read them. */
async function findList(found: Found, path: string): Promise<Finding> {
	const { account = {} } = found;
	const index = send(found, path);
	const missing = await outcomeOf(index);
	if (missing && !account.lists) throw missing;
	const all = await lists.readLists({ get: async (url) => await (url === path ? index : account) });
	const leadsOf = ({ leadCount }: IDataObject) => Number(leadCount) || Number.POSITIVE_INFINITY;
	const [list] = all.map(lists.simplifyList).toSorted((a, b) => leadsOf(a) - leadsOf(b));
	if (list?.id) found.listId = String(list.id);
	if (!missing) return all.length > 0 ? entriesOf(all[0]) : {};
	const detail = 'Not there: the operations read the lists of the account instead';
	return { httpCode: problemOf(missing).httpCode, detail };
}

/** The names of the fields of a list, in which its variants differ (2.3). */
function entriesOf(list: object): Finding {
	return { variant: { entries: Object.keys(lists.listIn(list)) } };
}

/** Reads one lead of a list, then as many as the operations request at once (4.3). */
async function readLeads(found: Found, path: string): Promise<Finding> {
	const { results, next } = lists.readLeadPage(await send(found, path, { qs: { size: 1 } }), false);
	// Where the last ID is 1, nothing is next.
	const meaning = next === results.length ? 'offset' : 'id';
	const start = next === null ? null : meaning;
	const size = found.client.connection.settings.listPageSize;
	const qs = { size, start: next ?? undefined };
	const failure = await outcomeOf(send(found, path, { qs }));
	if (!failure) return { variant: { start, pageSize: size } };
	if (!isIncomplete(failure) || size <= SMALL_PAGE) throw failure;
	const variant = { start, pageSize: SMALL_PAGE };
	return { ...needs(`List Page Size: ${SMALL_PAGE}`, problemOf(failure)), variant };
}
