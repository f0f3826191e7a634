import { request } from 'undici';
import type { Service } from '../../service/service.mts';
import {
	company,
	getAccount,
	headers,
	testOperations,
	valid,
} from '../../support/operationCases.mts';
import { item, objectOf, type Row } from '../../support/operationRow.mts';
import { useService } from '../../support/service.mts';

/**
 * Every operation in every variant of the interface specification, in the real engine: what goes over
 * the wire, the whole output, and the credits. A row is one case.
 */
const service = useService();

const unusedCredits = { quota: 250_000, used: 0, remaining: 250_000 };
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
async function spendCredits({ baseUrl }: Service): Promise<void> {
	for (const path of [
		`/api/v2/find?fullName=${encodeURIComponent(valid.full)}&domain=${company.domain}`,
		`/v3/verify?email=${valid.email}`,
		`/company/search?kw=${company.domain}`,
	]) {
		await request(`${baseUrl}${path}`, { headers });
	}
}

const accountRows: Row[] = [
	{
		title: 'main form',
		requests: [getAccount],
		output: [item(0, account)],
	},
	{
		title: 'credits used before',
		before: spendCredits,
		requests: [getAccount],
		output: [
			item(0, {
				...account,
				credits: {
					email: { quota: 250_000, used: 1, remaining: 249_999 },
					verifier: { quota: 250_000, used: 1, remaining: 249_999 },
					search: { quota: 250_000, used: 1, remaining: 249_999 },
				},
			}),
		],
	},
	{
		title: 'only finder credits are counted (2.2)',
		variants: { creditCounters: ['email'] },
		requests: [getAccount],
		output: [item(0, { ...account, credits: { email: unusedCredits } })],
	},
	{
		title: 'variant with credits.remaining and credits.total (2.1)',
		variants: { accountShape: 'credits' },
		before: spendCredits,
		requests: [getAccount],
		output: [
			item(0, {
				...account,
				name: null,
				credits: { all: { quota: 250_000, used: 1, remaining: 249_999 } },
				csvImport: null,
				lists: null,
			}),
		],
	},
	...(['full', 'credits'] as const).map(
		(accountShape): Row => ({
			title: `not simplified, ${accountShape}`,
			parameters: { simple: false },
			variants: { accountShape },
			requests: [getAccount],
			output: ([answer]) => [item(0, objectOf(answer))],
		}),
	),
];

testOperations(service, 'contactDataAccount', { get: accountRows });
