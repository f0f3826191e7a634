/**
 * @file What was bought outlives the run of a node: over a Wait, over n8n's button Retry, and over a
 * restart of n8n in between.
 */

import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';
import { describe, expect, test, vi } from 'vitest';

import { outputOf, type Execution } from '../hosts/execution.mts';
import type { SavedWorkflow } from '../hosts/rest.mts';
import { n8n1, n8n2 } from '../hosts/versions.mts';
import { chain } from '../hosts/workflow.mts';
import { requestsOf } from '../support/bulk.mts';
import { listWithId } from '../support/everyOperation.mts';
import { known } from '../support/expected.mts';
import { useHost, type TestHost } from '../support/host.mts';
import { report } from '../support/report.mts';
import { useService } from '../support/service.mts';
import { manually, node, ours } from '../support/savedNodes.mts';

const TIMEOUT_MS = 240_000;

/** How many leads there are to look up: the last of three bulk requests is not full. */
const LEADS = 250;

const service = useService();

describe.each([n8n2, n8n1])('n8n $version', (version) => {
	const running = useHost(service, { name: `n8n-bought-${version.version}`, version });

	test(
		'a Wait between two lookups: the second one sends nothing, and a job is collected',
		async () => {
			const id = await start([
				leads('Leads'),
				find('Find'),
				...waiting(),
				leads('Again'),
				find('Once'),
			]);
			const resume = await stored(id);
			const before = spent();
			expect(before.requests).toBe(3);
			await restart();
			await resume();
			const ended = await client().waitForExecution(id, TIMEOUT_MS);

			expect(ended.status).toBe('success');
			expect(spent()).toEqual(before);
			const first = results(ended, 'Find');
			expect(results(ended, 'Once')).toEqual(first.map((item) => ({ ...item, credits: 0 })));
			expect(first.reduce((sum, { credits }) => sum + Number(credits), 0)).toBe(before.credits);
			expect(ended.customData.contact_data_credits).toBe(`${before.credits} credits spent`);
			reportSize('that waited', ended);
		},
		TIMEOUT_MS,
	);

	test(
		'a bulk job that was left pending is collected after the Wait, not bought again',
		async () => {
			Object.assign(service().variants, { bulkAnswer: 'job', jobPolls: 1_000_000 });
			const options = { jobTimeout: 0 };
			const id = await start([
				leads('Leads'),
				find('Find', options),
				...waiting(),
				leads('Again'),
				find('Once', options),
			]);
			const resume = await stored(id);
			const before = spent();
			service().variants.jobPolls = 0;
			await restart();
			await resume();
			const ended = await client().waitForExecution(id, TIMEOUT_MS);

			expect(spent()).toEqual(before);
			const pending = results(ended, 'Find');
			expect(new Set(pending.map(({ status }) => status))).toEqual(new Set(['pending']));
			const collected = results(ended, 'Once');
			expect(collected.filter(({ status }) => status === 'found')).toHaveLength(before.credits);
			expect(new Set(collected.map(({ credits }) => credits))).toEqual(new Set([0]));
			expect(ended.customData.contact_data_credits).toBe(`${before.credits} credits spent`);
		},
		TIMEOUT_MS,
	);

	test.each([
		['original', false],
		['current', true],
	])(
		'the button Retry with the %s workflow: what the failed execution bought is not sent again',
		async (_, isCurrent) => {
			service().faults.add({ status: 503, on: { operation: 'findBulk', nth: 2 } });
			const options = { incompleteRun: 'fail', maxRetries: 0, maxConcurrency: 1 };
			const id = await start([leads('Leads'), find('Find', options)]);
			const failed = await client().waitForExecution(id, TIMEOUT_MS);
			expect(failed.status).toBe('error');
			reportSize('of which a node has thrown', failed);
			const before = spent();
			expect(before.credits).toBeGreaterThan(0);

			await restart();
			service().faults.clear();
			await client().retryExecution(id, isCurrent);
			const [latest] = await client().newExecutions(known(saved), 1, [id]);
			const retried = await client().waitForExecution(latest, TIMEOUT_MS);
			expect(retried.status).toBe('success');
			const items = results(retried, 'Find');
			expect(items).toHaveLength(LEADS);
			// Two of the three requests had their answers.
			expect(spent().requests - before.requests).toBe(1);
			expect(new Set(charged()).size).toBe(charged().length);
			const inRetry = items.reduce((sum, { credits }) => sum + Number(credits), 0);
			expect(inRetry).toBe(spent().credits - before.credits);
		},
		TIMEOUT_MS,
	);

	let saved: SavedWorkflow | undefined;

	/** Saves a workflow of these nodes in a row, and executes it. */
	async function start(nodes: INode[]): Promise<string> {
		const manual = manually();
		saved = await client().createWorkflow({
			name: 'Bought once',
			nodes: [manual, ...nodes],
			connections: chain('Start', ...nodes.map(({ name }) => name)),
			settings: { executionOrder: 'v1' },
		});
		return await client().startWorkflow(saved, 'Start');
	}

	function leads(name: string): INode {
		return ours(running(), name, 'contactDataList', {
			resource: 'list',
			operation: 'getLeads',
			listId: listWithId('101'),
			limit: LEADS,
		});
	}

	function find(name: string, options: INodeParameters = {}): INode {
		return ours(running(), name, 'contactDataFinder', {
			resource: 'email',
			operation: 'findBulk',
			firstName: '={{ $json.firstName }}',
			lastName: '={{ $json.lastName }}',
			domain: '={{ $json.domain }}',
			includeInputFields: false,
			options,
		});
	}

	/** Waits for a call; n8n stores the execution and forgets it. The first node tells what to call. */
	function waiting(): INode[] {
		const assignments = [
			{ id: 'url', name: 'url', type: 'string', value: '={{ $execution.resumeUrl }}' },
		];
		const parameters = { assignments: { assignments }, options: {} };
		const wait = node('Wait', 'n8n-nodes-base.wait', 1.1, { resume: 'webhook', options: {} });
		return [node('Url', 'n8n-nodes-base.set', 3.4, parameters), { ...wait, webhookId: 'wait' }];
	}

	function client(): TestHost['client'] {
		return running().client;
	}

	async function restart(): Promise<void> {
		await running().host.stop();
		await running().host.start();
	}

	/** Waits until n8n has stored the execution, which is to be woken by a call of the result. */
	async function stored(id: string): Promise<() => Promise<void>> {
		const execution = await client().waitForStatus(id, 'waiting', TIMEOUT_MS);
		reportSize('that waits', execution);
		const { pathname, search } = new URL(String(results(execution, 'Url')[0].url));
		return async () => {
			// n8n opens its webhooks some time after it said that it is there.
			const answer = async () => await fetch(`${running().host.url}${pathname}${search}`);
			await vi.waitUntil(async () => (await answer()).ok, { timeout: 30_000, interval: 500 });
		};
	}

	function spent(): { requests: number; credits: number } {
		const { length } = requestsOf(service(), 'findBulk');
		return { requests: length, credits: service().ledger.total() };
	}

	function charged(): string[] {
		return service().ledger.charges.map(({ subject }) => subject);
	}

	/** How much of a stored execution are the answers that it keeps for later. */
	function reportSize(title: string, { data }: Execution): void {
		const all = JSON.stringify(data).length;
		const { contextData } = data.executionData ?? {};
		const own = JSON.stringify(contextData ?? {}).length;
		report(
			`n8n ${version.version}, an execution ${title}: ${all} characters stored, ` +
				`${own} of them in its context`,
		);
	}
});

function results(execution: Execution, name: string): IDataObject[] {
	return outputOf(execution, name).map(({ json }) => json);
}
