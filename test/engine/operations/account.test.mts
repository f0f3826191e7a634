/** @file The operations of the Account node: what goes over the wire, the whole output, and the credits. */

import { ASKING } from '../../emulator/contract.mts';
import { kinds } from '../../emulator/ledger.mts';
import type { Service } from '../../emulator/service.mts';
import type { Operation } from '../../emulator/wireLog.mts';
import { endpointRows } from '../../support/node/endpointRows.mts';
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
	credits: Object.fromEntries(kinds.map((kind) => [kind, unusedCredits])),
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
		{
			credits: {
				...account.credits,
				email: usedCredits,
				verifier: usedCredits,
				search: usedCredits,
			},
		},
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

const counters = { counters: kinds };
const entries = { entries: ['id', 'name', 'leads'] };
const listFields = { entries: ['list_id', 'name', 'creation_date', 'count_leads'] };
const leads = { start: 'id', pageSize: 500 };

/** What the main form shows of an endpoint. */
const variants: Partial<Record<Operation, object>> = {
	...{ getAccount: counters, getLists: entries, getList: listFields, getListLeads: leads },
};

const exists = 'Exists, and the API key is accepted';
const whether = 'Only a paid request would tell whether it needs another choice of';

/** How many leads a page holds, and what its cursor is, take one request each. */
const start = String(newestFirst[0].id);
const pages: Array<Record<string, string>> = [{ size: '1' }, { size: '500', start }];

/** Other forms have a test of their own. */
const checkRow: Row = {
	title: 'main form',
	requests: endpointRows.flatMap(({ endpoint }): ExpectedRequest[] => {
		const [method, path] = endpoint.replace(':listId', '102').split(' ');
		if (path.endsWith('/leads')) return pages.map((query) => get(path, query));
		return [method === 'GET' ? get(path) : post(path, undefined)];
	}),
	output: endpointRows.map(({ endpoint, operation, names, form }) => ({
		...{ endpoint, operations: names, works: form ? null : true },
		httpCode: ASKING.has(operation) ? 400 : 200,
		detail: form ? `${exists}. ${whether} ${form}` : exists,
		...{ variant: variants[operation] ?? null, setting: null },
	})),
};

testOperations('contactDataAccount', { get: accountRows, check: [checkRow] });
