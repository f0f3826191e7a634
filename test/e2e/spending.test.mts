/** @file What limits the costs of a run holds in n8n itself: by the ledger, for each option. */

import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';

import { outputOf, type Execution } from '../hosts/execution.mts';
import { n8n1, n8n2 } from '../hosts/versions.mts';
import { chain } from '../hosts/workflow.mts';
import { requestsOf } from '../support/bulk.mts';
import { listWithId } from '../support/everyOperation.mts';
import { leadsWithoutEmail } from '../support/exampleScenes.mts';
import { useHost } from '../support/host.mts';
import { report } from '../support/report.mts';
import { useService } from '../support/service.mts';
import { byWebhook, manually, ours } from '../support/savedNodes.mts';

const TIMEOUT_MS = 60_000;

const service = useService();

const leads = leadsWithoutEmail(102);
const findable = leads.filter(({ person: { email } }) => email !== null).length;

/** An option, an account, and what a run then spends. */
interface Case {
	what: string;
	options: INodeParameters;
	/** How many credits the account has left. */
	left?: number;
	accountShape?: 'full' | 'credits';
	isManual?: boolean;
	/** Credits; all that there is to find, unless given. */
	spends?: number;
	/** Of the items that were not sent. */
	reason?: string;
}

const cases: Case[] = [
	{ what: 'no limit', options: {} },
	{ what: 'Max Credits 2', options: { maxCredits: 2 }, spends: 2, reason: 'credit_limit' },
	{
		what: 'Keep Credits 10 of 12',
		options: { keepCredits: 10 },
		left: 12,
		spends: 2,
		reason: 'credit_floor',
	},
	{
		what: 'Keep Credits 10 of 12, one counter for all',
		options: { keepCredits: 10 },
		left: 12,
		accountShape: 'credits',
		spends: 2,
		reason: 'credit_floor',
	},
	{
		what: 'Keep Credits 10 of 10',
		options: { keepCredits: 10 },
		left: 10,
		spends: 0,
		reason: 'credit_floor',
	},
	{ what: 'Keep Credits 10 of 10,000', options: { keepCredits: 10 }, left: 10_000 },
	{
		what: 'Max Items in Manual Runs 0, by hand',
		options: { manualLimit: 0 },
		isManual: true,
	},
	{
		what: 'Max Items in Manual Runs 1, in production',
		options: { manualLimit: 1 },
	},
];

describe.each([n8n2, n8n1])('n8n $version', (version) => {
	const running = useHost(service, { name: `n8n-spending-${version.version}`, version });
	const rows: string[] = [];
	let number = 0;

	/** Runs these nodes behind the leads of a list, by hand or started by a webhook. */
	async function run(operations: INode[], isManual: boolean): Promise<Execution> {
		const { client } = running();
		const path = `spending-${++number}`;
		const nodes = [
			byWebhook(path),
			manually('By Hand'),
			ours(running(), 'Leads', 'contactDataList', {
				resource: 'list',
				operation: 'getLeads',
				listId: listWithId('102'),
				returnAll: true,
				options: { email: 'without' },
			}),
			...operations,
		];
		const names = ['Leads', ...operations.map(({ name }) => name)];
		const saved = await client.createWorkflow({
			name: path,
			nodes,
			connections: { ...chain('Start', ...names), ...chain('By Hand', 'Leads') },
			settings: { executionOrder: 'v1' },
		});
		if (isManual) {
			return await client.waitForExecution(
				await client.startWorkflow(saved, 'By Hand'),
				TIMEOUT_MS,
			);
		}
		await client.activateWorkflow(saved);
		await client.callWebhook(path);
		const [id] = await client.newExecutions(saved);
		const ended = await client.waitForExecution(id, TIMEOUT_MS);
		await client.deactivateWorkflow(saved);
		return ended;
	}

	const finder = (name: string, operation: string, options: INodeParameters = {}) =>
		ours(running(), name, 'contactDataFinder', {
			resource: 'email',
			operation,
			fullName: '={{ $json.name }}',
			domain: '={{ $json.domain }}',
			options,
		});

	test.each(cases)('$what', { timeout: 2 * TIMEOUT_MS }, async (wanted) => {
		const { what, options, left, accountShape, isManual = false, reason } = wanted;
		const { spends = findable } = wanted;
		if (left !== undefined) service().options.creditsLeft = { email: left };
		if (accountShape) Object.assign(service().variants, { accountShape });
		const ended = await run([finder('Find', 'findBulk', options)], isManual);
		expect(ended.status).toBe('success');
		const spent = service().ledger.total();
		expect(spent).toBe(spends);
		// n8n saves it a moment after the execution has ended.
		const costs = async () => {
			const { customData } = await running().client.waitForExecution(ended.id, TIMEOUT_MS);
			return customData.contact_data_credits;
		};
		const told = spent === 1 ? '1 credit spent' : `${spent} credits spent`;
		await expect.poll(costs, { timeout: 10_000 }).toBe(spent === 0 ? undefined : told);
		const items = outputOf(ended, 'Find').map(({ json }) => json);
		expect(items).toHaveLength(leads.length);
		const reasons = new Set(items.flatMap(reasonOf));
		expect([...reasons]).toEqual(reason ? [reason] : []);
		rows.push(`${what}: ${spent}`);
	});

	test('Max Items in Manual Runs 1, by hand', { timeout: 2 * TIMEOUT_MS }, async () => {
		const ended = await run([finder('Find', 'findBulk', { manualLimit: 1 })], true);
		const items = outputOf(ended, 'Find').map(({ json }) => json);
		expect(items.flatMap(reasonOf)).toEqual(leads.slice(1).map(() => 'manual_limit'));
		const [request, ...others] = requestsOf(service(), 'findBulk');
		expect(others).toEqual([]);
		expect(JSON.stringify(request?.body)).not.toContain(leads[1]?.person.full);
		rows.push(`Max Items in Manual Runs 1, by hand: ${service().ledger.total()}`);
	});

	test(
		'Estimate Cost, then the lookup, and the estimate again',
		{ timeout: 2 * TIMEOUT_MS },
		async () => {
			const first = await run([finder('Before', 'estimate')], false);
			expect(service().ledger.total()).toBe(0);
			expect(service().requests.map(({ operation }) => operation)).toEqual([
				'getListLeads',
				'getListLeads',
				'getAccount',
			]);
			const [before] = outputOf(first, 'Before').map(({ json }) => json);
			expect(before).toMatchObject({
				items: leads.length,
				lookups: leads.length,
				mostCredits: leads.length,
				enough: true,
			});
			const second = await run([finder('Find', 'findBulk'), finder('After', 'estimate')], true);
			const [after] = outputOf(second, 'After').map(({ json }) => json);
			expect(after).toMatchObject({ alreadyBought: leads.length, lookups: 0, mostCredits: 0 });
			expect(service().ledger.total()).toBe(findable);
			expect(findable).toBeLessThanOrEqual(Number(before?.mostCredits));
		},
	);

	test(
		'an account that does not state its credits: nothing is sent',
		{ timeout: TIMEOUT_MS },
		async () => {
			Object.assign(service().variants, { creditCounters: ['verifier'] });
			const ended = await run([finder('Find', 'findBulk', { keepCredits: 1 })], false);
			expect(ended.status).toBe('error');
			expect(ended.data.resultData.error?.message).toContain('Keep Credits cannot be used');
			expect(requestsOf(service(), 'findBulk')).toEqual([]);
			report(`n8n ${version.version}, credits spent with ${rows.join('; ')}`);
		},
	);
});

function reasonOf({ reason }: IDataObject): unknown[] {
	return reason === undefined || reason === null ? [] : [reason];
}
