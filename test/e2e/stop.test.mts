import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

import type { IDataObject, INode, IWorkflowSettings } from 'n8n-workflow';
import { beforeAll, describe, expect, test, vi } from 'vitest';

import type { Execution } from '../hosts/execution.mts';
import type { SavedWorkflow } from '../hosts/rest.mts';
import { n8n1, n8n2 } from '../hosts/versions.mts';
import { chain } from '../hosts/workflow.mts';
import { requestsOf } from '../support/bulk.mts';
import { useComponent } from '../support/component.mts';
import { listWithId } from '../support/everyOperation.mts';
import { known, list, some } from '../support/expected.mts';
import { useHost, type TestHost } from '../support/host.mts';
import { report } from '../support/report.mts';
import { useService } from '../support/service.mts';
import { byWebhook, manually, ours } from '../support/savedNodes.mts';
import { PushConnection } from './support/pushConnection.mts';

const TIMEOUT_MS = 180_000;
/** How long after the answer to a stop a request may still start. */
const GRACE_MS = 1_000;

/** A lookup of a thousand leads, and when it is in the middle of them. */
interface Case {
	operation: 'find' | 'findBulk';
	latencyMs: number;
	maxConcurrency: number;
	/** The most leads in one request. */
	perRequest: number;
	/** After so many requests it is stopped. */
	stopAfter: number;
}

const single: Case = {
	operation: 'find',
	latencyMs: 50,
	maxConcurrency: 5,
	perRequest: 1,
	stopAfter: 150,
};
const bulk: Case = {
	operation: 'findBulk',
	latencyMs: 500,
	maxConcurrency: 2,
	perRequest: 100,
	stopAfter: 3,
};

const { leads } = list(101);
const service = useService();
let n8n: string;
let opened: TestHost;

/** A workflow that looks up every lead of a list. */
async function createWorkflow(
	{ operation, maxConcurrency }: Case,
	start: INode,
	settings: IWorkflowSettings = {},
): Promise<SavedWorkflow> {
	return await opened.client.createWorkflow({
		name: `${operation} of a list`,
		nodes: [
			start,
			ours(opened, 'Leads', 'contactDataList', {
				resource: 'list',
				operation: 'getLeads',
				listId: listWithId('101'),
				returnAll: true,
			}),
			ours(opened, 'Find', 'contactDataFinder', {
				resource: 'email',
				operation,
				firstName: '={{ $json.firstName }}',
				lastName: '={{ $json.lastName }}',
				domain: '={{ $json.domain }}',
				options: { maxConcurrency },
			}),
		],
		connections: chain('Start', 'Leads', 'Find'),
		settings: { executionOrder: 'v1', ...settings },
	});
}

/** Waits until the lookup is in the middle. */
async function inTheMiddle({ operation, stopAfter }: Case): Promise<void> {
	await vi.waitUntil(() => requestsOf(service(), operation).length >= stopAfter, {
		timeout: TIMEOUT_MS / 2,
		interval: 5,
	});
}

/**
 * Lets a webhook start a workflow.
 *
 * @returns the id of the execution
 */
async function startInProduction(workflow: SavedWorkflow, path: string): Promise<string> {
	await opened.client.activateWorkflow(workflow);
	await opened.client.callWebhook(path);
	const [id] = await opened.client.newExecutions(workflow);
	return id;
}

/** @returns when the stop was answered, in milliseconds since 1970 */
async function stop(executionId: string): Promise<number> {
	await opened.client.stopExecution(executionId);
	return performance.timeOrigin + performance.now();
}

/** Waits until nothing can come any more. */
async function calm(stoppedAt: number): Promise<void> {
	const underWay = () => service().requests.some(({ finishedAt }) => finishedAt === null);
	do await delay(Math.max(100, stoppedAt + 2 * GRACE_MS - Date.now()));
	while (underWay());
}

/** The first half of the promise: the stop is a stop. */
function expectNothingSentAfter(stoppedAt: number, { operation, perRequest }: Case): void {
	const sent = requestsOf(service(), operation);
	expect(lastStart(operation) - stoppedAt).toBeLessThan(GRACE_MS);
	expect(sent.length * perRequest).toBeLessThan(leads.length);
}

/** The other half: what was charged is in the execution, and to the credit in the log of n8n. */
async function expectCostsTold(execution: Execution, stoppedAt: number, wanted: Case) {
	const { operation, maxConcurrency, perRequest } = wanted;
	const total = service().ledger.total();
	const { id, customData } = execution;
	const costs = customData.contact_data_credits;
	const log = await readFile(opened.host.log, 'utf8');
	const [inLog] = new RegExp(`execution ${id} was stopped, .*`).exec(log) ?? [];
	report(
		`${n8n}, ${operation}: ${requestsOf(service(), operation).length} requests, ` +
			`the last one ${Math.round(stoppedAt - lastStart(operation))} ms before the stop; charged: ` +
			`${total} credits; in the execution: "${costs}"; in the log: "${inLog}"`,
	);
	const [, least = '', most = least] = /^(\d+)(?: to (\d+))? credits spent$/.exec(costs) ?? [];
	expect(total).toBeGreaterThan(0);
	expect(Number(least)).toBeLessThanOrEqual(total);
	expect(Number(most)).toBeGreaterThanOrEqual(total);
	// No more is left open than what was under way.
	expect(Number(most) - Number(least)).toBeLessThanOrEqual(maxConcurrency * perRequest);
	expect(inLog).toBe(`execution ${id} was stopped, ${total} credits spent`);
}

/** When the last request started, in milliseconds since 1970. */
function lastStart(operation: Case['operation']): number {
	return Math.max(...requestsOf(service(), operation).map(({ startedAt }) => startedAt));
}

function charged(): string[] {
	return service()
		.ledger.charges.map(({ subject }) => subject)
		.sort();
}

function emailsIn(items: IDataObject[]): string[] {
	return items.map(({ email }) => String(email)).sort();
}

describe.each([n8n2, n8n1])('n8n $version', (version) => {
	const running = useHost(service, { name: `n8n-stop-${version.version}`, version });
	const push = useComponent(async () => await PushConnection.open(running()));

	beforeAll(() => {
		n8n = `n8n ${version.version}`;
		opened = running();
	});

	describe.each([single, bulk])('$operation of a thousand leads', (wanted) => {
		const { operation, latencyMs, perRequest, maxConcurrency } = wanted;
		const slowDown = () => service().faults.add({ delayMs: latencyMs, on: { operation } });

		test(
			'stopped in the editor: it shows all that was paid for',
			async () => {
				slowDown();
				const workflow = await createWorkflow(wanted, manually());
				const id = await opened.client.startWorkflow(workflow, 'Start', push().ref);
				await inTheMiddle(wanted);
				const stoppedAt = await stop(id);
				const { data, hints = [] } = await push().outputOf(id, 'Find', 30_000);
				await calm(stoppedAt);
				expectNothingSentAfter(stoppedAt, wanted);
				const execution = await opened.client.waitForExecution(id, 10_000);
				await expectCostsTold(execution, stoppedAt, wanted);

				const output = data?.main[0] ?? [];
				const items = output.map(({ json }) => json);
				expect(output.map(({ pairedItem }) => pairedItem)).toEqual(
					leads.map((_, item) => ({ item })),
				);
				const found = some(items, ({ status }) => status === 'found');
				expect(emailsIn(found)).toEqual(charged());
				const rest = some(items, ({ status }) => status === 'not_processed');
				expect(new Set(rest.map(({ reason }) => reason))).toEqual(new Set(['cancelled']));
				const asked = requestsOf(service(), operation).length * perRequest;
				expect(rest).toHaveLength(leads.length - asked);
				expect(items.filter(({ status }) => status === 'not_found')).toHaveLength(
					asked - found.length,
				);
				expect(hints.map(({ message }) => message)).toEqual([
					expect.stringContaining(`${charged().length} credits used.`),
				]);
			},
			TIMEOUT_MS,
		);

		test(
			'stopped in production: n8n saves no items of it, but what they cost',
			async () => {
				slowDown();
				const path = `stop-${operation}`;
				const workflow = await createWorkflow(wanted, byWebhook(path));
				const id = await startInProduction(workflow, path);
				await inTheMiddle(wanted);
				const stoppedAt = await stop(id);
				await calm(stoppedAt);
				expectNothingSentAfter(stoppedAt, wanted);

				const execution = await opened.client.waitForExecution(id, 10_000);
				expect(execution.status).toBe('canceled');
				expect(execution.data.resultData.runData).not.toHaveProperty('Find');
				await expectCostsTold(execution, stoppedAt, wanted);
				// What was under way at the stop is answered and charged; nothing more.
				const late = service().ledger.charges.filter(({ at }) => at > stoppedAt);
				expect(late.length).toBeLessThanOrEqual(maxConcurrency * perRequest);
			},
			TIMEOUT_MS,
		);
	});

	test(
		'a bulk run in production that meets the timeout of its workflow tells its costs as well',
		async () => {
			// Long enough to be in the middle of it at the timeout, on a busy machine too.
			const slow: Case = { ...bulk, latencyMs: 2_000, maxConcurrency: 1 };
			service().faults.add({ delayMs: slow.latencyMs, on: { operation: slow.operation } });
			const workflow = await createWorkflow(slow, byWebhook('timeout'), { executionTimeout: 12 });
			const id = await startInProduction(workflow, 'timeout');
			const ended = await opened.client.waitForExecution(id, 60_000);
			const stoppedAt = known(ended.stoppedAt).getTime();
			await calm(stoppedAt);
			expectNothingSentAfter(stoppedAt, slow);
			const execution = await opened.client.waitForExecution(id, 10_000);
			expect(execution.status).toBe('canceled');
			await expectCostsTold(execution, stoppedAt, slow);
		},
		TIMEOUT_MS,
	);
});
