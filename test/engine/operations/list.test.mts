import { expect } from 'vitest';
import { exportedLead, known, listLead, some } from '../../support/expected.mts';
import {
	byId,
	campaign,
	fromList,
	getAccount,
	newestFirst,
	testOperations,
	tradeFair,
	willow,
} from '../../support/operationCases.mts';
import { get, item, objectOf, objectsOf, type Row } from '../../support/operationRow.mts';
import { useService } from '../../support/service.mts';

/**
 * Every operation in every variant of the interface specification, in the real engine: what goes over
 * the wire, the whole output, and the credits. A row is one case.
 */
const service = useService();

const getLists = get('/api/v2/list');

const spring = {
	id: 101,
	name: 'Spring Campaign',
	createdAt: '2025-03-03T08:30:00.000Z',
	leadCount: 1_000,
};
const fair = {
	id: 102,
	name: 'Trade Fair',
	createdAt: '2025-06-17T14:05:12.345Z',
	leadCount: 30,
};

const listsRows: Row[] = [
	{
		title: 'entries of the index: id, name, leads',
		requests: [getLists],
		output: [item(0, { ...spring, createdAt: null }), item(0, { ...fair, createdAt: null })],
	},
	{
		title: 'entries like single lists: list_id, creation_date, count_leads',
		variants: { listIndexShape: 'list' },
		requests: [getLists],
		output: [item(0, spring), item(0, fair)],
	},
	{
		title: 'limit',
		parameters: { limit: 1 },
		requests: [getLists],
		output: [item(0, { ...spring, createdAt: null })],
	},
	{
		title: 'Return All, for each of two items',
		parameters: { returnAll: true },
		items: [{}, {}],
		variants: { listIndexShape: 'list' },
		requests: [getLists, getLists],
		output: [item(0, spring), item(0, fair), item(1, spring), item(1, fair)],
	},
	{
		title: 'without an index: the lists of the account',
		variants: { listIndex: 'missing' },
		requests: [getLists, getAccount],
		output: [
			item(0, { ...spring, createdAt: null, leadCount: null }),
			item(0, { ...fair, createdAt: null, leadCount: null }),
		],
	},
	{
		title: 'without an index, limit',
		parameters: { limit: 1 },
		variants: { listIndex: 'missing' },
		requests: [getLists, getAccount],
		output: [item(0, { ...spring, createdAt: null, leadCount: null })],
	},
	{
		title: 'without an index, and an account without lists',
		variants: { listIndex: 'missing', accountShape: 'credits' },
		requests: [getLists, getAccount],
		output: [],
	},
	...(['entry', 'list'] as const).map(
		(listIndexShape): Row => ({
			title: `not simplified, ${listIndexShape}`,
			parameters: { simple: false },
			variants: { listIndexShape },
			requests: [getLists],
			output: ([answer]) => objectsOf(answer).map((entry) => item(0, entry)),
		}),
	),
	{
		title: 'without an index, not simplified',
		parameters: { simple: false },
		variants: { listIndex: 'missing' },
		requests: [getLists, getAccount],
		output: ([, answer]) => objectsOf(answer, 'lists').map((entry) => item(0, entry)),
	},
];

const getList = get('/api/v2/list/102');

const listRows: Row[] = [
	{
		title: 'by id',
		parameters: { listId: byId('102') },
		requests: [getList],
		output: [item(0, fair)],
	},
	{
		title: 'by id, a number',
		parameters: { listId: byId(102) },
		requests: [getList],
		output: [item(0, fair)],
	},
	{
		title: 'by id, with white space around it, which the field allows',
		parameters: { listId: byId(' 102 ') },
		requests: [getList],
		output: [item(0, fair)],
	},
	{
		title: 'from the list',
		parameters: { listId: fromList('102') },
		requests: [getList],
		output: [item(0, fair)],
	},
	{
		title: 'by an expression, another list per item',
		parameters: { listId: byId('={{ $json.list }}') },
		items: [{ list: 102 }, { list: 101 }],
		inAnyOrder: true,
		requests: [getList, get('/api/v2/list/101')],
		output: [item(0, fair), item(1, spring)],
	},
	{
		title: 'what is no list ID is not sent',
		parameters: { listId: byId('={{ $json.list }}') },
		items: [{ list: '../account' }, { list: 102 }],
		onError: 'continueRegularOutput',
		requests: [getList],
		output: [
			item(0, {
				status: 'invalid_input',
				reason: 'invalid: List',
				message: expect.stringMatching(/^Not sent: The list ID must be a number.*Check the field/),
			}),
			item(1, fair),
		],
	},
	{
		title: 'variant id, name, leads (2.3)',
		parameters: { listId: byId('102') },
		variants: { listShape: 'entry' },
		requests: [getList],
		output: [item(0, { ...fair, createdAt: null })],
	},
	...(['list', 'entry'] as const).map(
		(listShape): Row => ({
			title: `not simplified, ${listShape}`,
			parameters: { listId: byId('102'), simple: false },
			variants: { listShape },
			requests: [getList],
			output: ([answer]) => [item(0, objectOf(answer))],
		}),
	),
];

const leadsOf = (id: number, query: Record<string, string>) =>
	get(`/api/v2/list/${id}/leads`, query);

const oldest = known(tradeFair.leads[0]);

/** All leads of the second list: a page with all of them, then an empty one. */
const allOfTradeFair = [
	leadsOf(102, { size: '500' }),
	leadsOf(102, { size: '500', start: String(oldest.id) }),
];

const inWide = some(newestFirst, ({ person }) => person.title.includes('Director'));

const listLeadRows: Row[] = [
	{
		title: 'main form, all leads from the newest',
		parameters: { listId: byId('102'), returnAll: true },
		requests: allOfTradeFair,
		output: newestFirst.map((lead) => item(0, listLead(lead))),
	},
	{
		title: 'limit of 50 by default, from the list',
		parameters: { listId: fromList('101') },
		requests: [leadsOf(101, { size: '50' })],
		output: campaign.leads
			.toReversed()
			.slice(0, 50)
			.map((lead) => item(0, listLead(lead))),
	},
	{
		title: 'limit',
		parameters: { listId: byId('102'), limit: 3 },
		requests: [leadsOf(102, { size: '3' })],
		output: newestFirst.slice(0, 3).map((lead) => item(0, listLead(lead))),
	},
	{
		title: 'start is an offset (4.3)',
		parameters: { listId: byId('102'), returnAll: true },
		variants: { leadsStart: 'offset' },
		requests: [leadsOf(102, { size: '500' }), leadsOf(102, { size: '500', start: '30' })],
		output: newestFirst.map((lead) => item(0, listLead(lead))),
	},
	{
		title: 'at most 100 leads per page (4.3)',
		parameters: { listId: byId('101'), limit: 150 },
		settings: { listPageSize: 100 },
		variants: { leadsMaxSize: 100 },
		requests: [
			leadsOf(101, { size: '100' }),
			leadsOf(101, { size: '50', start: String(known(campaign.leads.at(-100)).id) }),
		],
		output: campaign.leads
			.toReversed()
			.slice(0, 150)
			.map((lead) => item(0, listLead(lead))),
	},
	{
		title: 'keyword in any field, job title included',
		parameters: { listId: byId('102'), returnAll: true, options: { keyword: 'director' } },
		requests: [leadsOf(102, { kw: 'director', size: '500' })],
		output: inWide.map((lead) => item(0, listLead(lead))),
	},
	{
		title: 'keyword with characters that a URL has to encode',
		parameters: { listId: byId('101'), options: { keyword: 'Willow & Sons' }, limit: 1 },
		requests: [leadsOf(101, { kw: 'Willow & Sons', size: '1' })],
		rawQueries: ['kw=Willow%20%26%20Sons&size=1'],
		output: some(campaign.leads.toReversed(), ({ person }) => person.company === willow)
			.slice(0, 1)
			.map((lead) => item(0, listLead(lead))),
	},
	{
		title: 'keyword in name, company and email only (4.3)',
		parameters: { listId: byId('102'), returnAll: true, options: { keyword: 'director' } },
		variants: { leadsKeywordFields: 'narrow' },
		requests: [leadsOf(102, { kw: 'director', size: '500' })],
		output: [],
	},
	{
		title: 'count_results counts the page (4.3)',
		parameters: { listId: byId('102'), returnAll: true },
		variants: { leadsCount: 'page' },
		requests: allOfTradeFair,
		output: newestFirst.map((lead) => item(0, listLead(lead))),
	},
	{
		title: 'misspelt last_nd and compnay_founded (2.4)',
		parameters: { listId: byId('102'), returnAll: true },
		variants: { leadSpelling: 'misspelt' },
		requests: allOfTradeFair,
		output: newestFirst.map((lead) => item(0, listLead(lead))),
	},
	...(['always', 'never'] as const).map(
		(networkUrlScheme): Row => ({
			title: `network_url ${networkUrlScheme} with its scheme`,
			parameters: { listId: byId('102'), returnAll: true },
			variants: { networkUrlScheme },
			requests: allOfTradeFair,
			output: newestFirst.map((lead) => item(0, listLead(lead))),
		}),
	),
	...(['plain', 'misspelt'] as const).map(
		(leadSpelling): Row => ({
			title: `not simplified, ${leadSpelling}`,
			parameters: { listId: byId('102'), returnAll: true, simple: false },
			variants: { leadSpelling },
			requests: allOfTradeFair,
			output: ([answer]) => objectsOf(answer, 'data').map((lead) => item(0, lead)),
		}),
	),
];

const exportOf = (emailOnly: boolean) =>
	get('/api/v2/list/102/data', { emailOnly: String(emailOnly) });

const exportRows: Row[] = [
	{
		title: 'all leads',
		parameters: { listId: byId('102') },
		requests: [exportOf(false)],
		output: tradeFair.leads.map((lead) => item(0, exportedLead(lead))),
	},
	{
		title: 'only those with an email, from the list',
		parameters: { listId: fromList('102'), emailOnly: true },
		requests: [exportOf(true)],
		output: some(tradeFair.leads, ({ email }) => email !== null).map((lead) =>
			item(0, exportedLead(lead)),
		),
	},
	{
		title: 'network_url with its scheme',
		parameters: { listId: byId('102') },
		variants: { networkUrlScheme: 'always' },
		requests: [exportOf(false)],
		output: tradeFair.leads.map((lead) => item(0, exportedLead(lead))),
	},
	...[false, true].map(
		(emailOnly): Row => ({
			title: `not simplified, emailOnly ${emailOnly}`,
			parameters: { listId: byId('102'), emailOnly, simple: false },
			requests: [exportOf(emailOnly)],
			output: ([answer]) => objectsOf(answer).map((lead) => item(0, lead)),
		}),
	),
];

testOperations(service, 'contactDataList', {
	getAll: listsRows,
	get: listRows,
	getLeads: listLeadRows,
	exportLeads: exportRows,
});
