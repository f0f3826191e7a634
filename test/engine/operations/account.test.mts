/** @file The operations of the Account node: what goes over the wire, the whole output, and the credits. */

import type { Service } from '../../emulator/service.mts';
import type { Operation } from '../../emulator/wireLog.mts';
import { operations } from '../../operations.mts';
import { company, getAccount, newestFirst, valid } from '../../support/node/operationCases.mts';
import {
	ask,
	get,
	post,
	testOperations,
	type ExpectedRequest,
	type Row,
} from '../../support/node/operationRow.mts';

const unusedCredits = { quota: 250_000, used: 0, remaining: 250_000 };
const usedCredits = { quota: 250_000, used: 1, remaining: 249_999 };
const account = {
	name: 'Ada Lovelace',
	email: 'ada@engine.example',
	plan: 'Business',
	renewsAt: '2030-01-15T00:00:00.000Z',
	credits: { email: unusedCredits, verifier: unusedCredits, search: unusedCredits },
	csvImport: true,
	lists: [
		{ id: 101, name: 'Spring Campaign', path: '/lists/101' },
		{ id: 102, name: 'Trade Fair', path: '/lists/102' },
	],
};

/** Spends one credit of each kind. */
async function spendCredits(service: Service): Promise<void> {
	const name = encodeURIComponent(valid.full);
	await ask(service, `/api/v2/find?fullName=${name}&domain=${company.domain}`);
	await ask(service, `/v3/verify?email=${valid.email}`);
	await ask(service, `/company/search?kw=${company.domain}`);
}

const accountRow = (title: string, fields: object, more: Partial<Row> = {}): Row => ({
	title,
	requests: [getAccount],
	output: [{ ...account, ...fields }],
	...more,
});

const accountRows = [
	accountRow('main form', {}),
	accountRow(
		'credits used before',
		{ credits: { email: usedCredits, verifier: usedCredits, search: usedCredits } },
		{ before: spendCredits },
	),
	accountRow(
		'only finder credits are counted (2.2)',
		{ credits: { email: unusedCredits } },
		{ variants: { creditCounters: ['email'] } },
	),
	accountRow(
		'one counter as in the main form, figures as text, and a date in seconds',
		{ credits: { all: usedCredits } },
		{
			variants: { accountShape: 'flat', accountNumbers: 'text', renewalUnit: 'seconds' },
			before: spendCredits,
		},
	),
	accountRow(
		'variant with credits.remaining and credits.total (2.1)',
		{ name: null, credits: { all: usedCredits }, csvImport: null, lists: null },
		{ variants: { accountShape: 'credits' }, before: spendCredits },
	),
];

const counters = { counters: ['email', 'verifier', 'search'] };
const entries = { entries: ['id', 'name', 'leads'] };
const listFields = { entries: ['list_id', 'name', 'creation_date', 'count_leads'] };
const leads = { start: 'id', pageSize: 500 };

/** What Check API says of an endpoint, which these operations of the service answer. */
const endpoints: Array<[string, code: number, answeredBy: Operation[], variant?: object]> = [
	['GET /api/v2/account', 200, ['getAccount'], counters],
	['GET /api/v2/list', 200, ['getLists'], entries],
	['GET /api/v2/list/:listId', 200, ['getList'], listFields],
	['GET /api/v2/list/:listId/leads', 200, ['getListLeads'], leads],
	['GET /api/v2/list/:listId/data', 200, ['exportLeads']],
	['GET /api/v2/find', 400, ['find']],
	['POST /api/v2/find_bulk', 400, ['findBulk', 'getBulkJob']],
	['GET /v3/verify', 400, ['verify']],
	['GET /v3/verify_bulk', 400, ['verifyBulk']],
	['GET /profile/search/email', 400, ['getCompanyLeads']],
	['GET /company/search', 400, ['searchCompany']],
];

const events: Partial<Record<Operation, string>> = {
	getAccount: 'On Low Credits',
	getListLeads: 'On New Lead in List',
};

/** What a user has of an endpoint, as the menus call it; `ENDPOINTS` of the operation has it in this order. */
function namesOf(answeredBy: Operation[]): string {
	const own = operations.filter(({ endpoint }) => answeredBy.includes(endpoint));
	const labels = new Set(own.map(({ label }) => label));
	labels.delete('Check API');
	return [...labels, ...answeredBy.flatMap((one) => events[one] ?? [])].join(', ');
}

/** The settings for the forms of requests, which only a paid one would show to be right, by their operation. */
const forms: Partial<Record<Operation, string>> = {
	find: 'Company Name Parameter',
	findBulk: 'Bulk Finder Body',
	verifyBulk: 'Bulk Verifier Query',
};

const exists = 'Exists, and the API key is accepted';
const whether = 'Only a paid request would tell whether it needs another choice of';

/** How many leads a page holds, and what its cursor is, take one request each. */
const start = String(newestFirst[0].id);
const pages: Array<Record<string, string>> = [{ size: '1' }, { size: '500', start }];

/** Other forms have a test of their own. */
const checkRow: Row = {
	title: 'main form',
	requests: endpoints.flatMap(([endpoint]): ExpectedRequest[] => {
		const [method, path] = endpoint.replace(':listId', '102').split(' ');
		if (path.endsWith('/leads')) return pages.map((query) => get(path, query));
		return [method === 'GET' ? get(path) : post(path, undefined)];
	}),
	output: endpoints.map(([endpoint, httpCode, answeredBy, variant = null]) => {
		const form = forms[answeredBy[0]];
		return {
			...{ endpoint, operations: namesOf(answeredBy), works: form ? null : true, httpCode },
			detail: form ? `${exists}. ${whether} ${form}` : exists,
			...{ variant, setting: null },
		};
	}),
};

testOperations('contactDataAccount', { get: accountRows, check: [checkRow] });
