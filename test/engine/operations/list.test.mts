/** @file The operations of the List node: what goes over the wire, the whole output, and the credits. */

import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { expect } from 'vitest';

import type { Lead } from '../../emulator/fixtures.mts';
import { exportedLead, known, listLead, some } from '../../support/leads/expected.mts';
import {
	byId,
	campaign,
	fromList,
	getAccount,
	newestFirst,
	tradeFair,
} from '../../support/node/operationCases.mts';
import { get, testOperations, type Row } from '../../support/node/operationRow.mts';

const spring = {
	...{ id: 101, name: 'Spring Campaign' },
	...{ createdAt: '2025-03-03T08:30:00.000Z', leadCount: 1_000, emailCount: null },
};
const fair = {
	...{ id: 102, name: 'Trade Fair' },
	...{ createdAt: '2025-06-17T14:05:12.345Z', leadCount: 30, emailCount: null },
};

/** Entries as the index has them. */
const bare = [spring, fair].map((list) => ({ ...list, createdAt: null }));

const withEmail = some(tradeFair.leads, ({ email }) => email !== null);

const listsRow = (title: string, output: IDataObject[], more: Partial<Row> = {}): Row => ({
	title,
	requests: [get('/api/v2/list')],
	output,
	...more,
});

const listsRows: Row[] = [
	listsRow('entries of the index: id, name, leads', bare),
	listsRow('entries like single lists: list_id, creation_date, count_leads', [spring, fair], {
		variants: { listIndexShape: 'list' },
	}),
	listsRow('limit', bare.slice(0, 1), { parameters: { limit: 1 } }),
	listsRow('Return All, for each of two items', [...bare, ...bare], {
		parameters: { returnAll: true },
		items: [{}, {}],
		requests: [get('/api/v2/list'), get('/api/v2/list')],
		links: [0, 0, 1, 1],
	}),
	listsRow('without an index, limit', [{ ...bare[0], leadCount: null }], {
		variants: { listIndex: 'missing' },
		requests: [get('/api/v2/list'), getAccount],
		parameters: { limit: 1 },
	}),
];

const getList = get('/api/v2/list/102');

const listRow = (title: string, listId: INodeParameters, more: Partial<Row> = {}): Row => ({
	title,
	parameters: { listId },
	requests: [getList],
	output: [fair],
	...more,
});

const refused = { lookupStatus: 'invalid_input' };
const noProblem = { lookupStatus: null, lookupReason: null, lookupMessage: null };
const noList = Object.fromEntries(Object.keys(fair).map((name) => [name, null]));

const listRows: Row[] = [
	listRow('by id', byId('102')),
	listRow('its leads with an email are counted, too', byId('102'), {
		variants: { listEmailCount: true },
		output: [{ ...fair, emailCount: withEmail.length }],
	}),
	listRow('by id, a number', byId(102)),
	listRow('by id, with white space around it, which the field allows', byId(' 102 ')),
	listRow('by id, with an invisible character', byId('={{ "102\u200b" }}')),
	listRow('from the list', fromList('102')),
	listRow('by an expression, another list per item', byId('={{ $json.list }}'), {
		items: [{ list: 102 }, { list: 101 }],
		requests: [getList, get('/api/v2/list/101')],
		output: [fair, spring],
	}),
	listRow('what is no list ID is not sent', byId('={{ $json.list }}'), {
		items: [{ list: '../account' }, { list: 102 }, {}],
		onError: 'continueRegularOutput',
		output: [
			{
				...{ ...noList, ...refused, listId: '../account', lookupReason: 'invalid_value' },
				lookupMessage: expect.stringMatching(
					/^Not sent: The list ID must be a number, e\.g\. 101$/,
				),
			},
			{ ...fair, ...noProblem, listId: null },
			{
				...{ ...noList, ...refused, listId: null, lookupReason: 'missing_list' },
				lookupMessage: 'Not sent: no list is chosen',
			},
		],
	}),
];

const leadsOf = (id: number, query: Record<string, string>) =>
	get(`/api/v2/list/${id}/leads`, query);

const oldest = String(known(tradeFair.leads[0]).id);

/** All leads of the second list: a page with all of them, then an empty one. */
const leadsRow = (title: string, leads: Lead[] = newestFirst, more: Partial<Row> = {}): Row => ({
	title,
	parameters: { listId: byId('102'), returnAll: true },
	requests: [leadsOf(102, { size: '500' }), leadsOf(102, { size: '500', start: oldest })],
	output: leads.map(listLead),
	...more,
});

const listLeadRows: Row[] = [
	leadsRow('main form, all leads from the newest'),
	leadsRow('with the job of each lead', newestFirst, {
		variants: { leadJob: true },
		output: newestFirst.map((lead) => {
			const { title, company } = lead.person;
			return { ...listLead(lead), title, company: company.name };
		}),
	}),
	leadsRow('limit of 50 by default, from the list', campaign.leads.toReversed().slice(0, 50), {
		parameters: { listId: fromList('101') },
		requests: [leadsOf(101, { size: '50' })],
	}),
	leadsRow('keyword in name, company and email only (4.3)', [], {
		variants: { leadsKeywordFields: 'narrow' },
		parameters: { listId: byId('102'), returnAll: true, options: { keyword: 'director' } },
		requests: [leadsOf(102, { kw: 'director', size: '500' })],
	}),
];

/** The leads of the second list, and whether only those with an email are requested. */
const exportRow = (title: string, email: string, leads: Lead[], more: Partial<Row> = {}): Row => ({
	title,
	parameters: { listId: byId('102'), options: { email } },
	requests: [get('/api/v2/list/102/data', { emailOnly: String(email === 'with') })],
	output: leads.map(exportedLead),
	...more,
});

const withoutEmail = some(tradeFair.leads, ({ email }) => email === null);

const exportRows: Row[] = [
	exportRow('all leads', 'all', tradeFair.leads, { parameters: { listId: byId('102') } }),
	exportRow('only those with an email', 'with', withEmail),
	exportRow('only those without an email, from the list', 'without', withoutEmail, {
		parameters: { listId: fromList('102'), options: { email: 'without' } },
	}),
];

testOperations('contactDataList', {
	getAll: listsRows,
	get: listRows,
	getLeads: listLeadRows,
	exportLeads: exportRows,
});
