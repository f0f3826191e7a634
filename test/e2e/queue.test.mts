/**
 * @file Queue mode: several worker processes that look up leads at the same time. As n8n 3 does, it runs what is
 * started by hand on workers too.
 */

import { readFile } from 'node:fs/promises';

import type { INode } from 'n8n-workflow';
import { expect, test, vi } from 'vitest';

import { n8n3 } from '../hosts/versions.mts';
import { chain, readExample, withCredential, withList } from '../hosts/workflow.mts';
import { findBulk, numbers, requestsOf } from '../support/leads/lookups.mts';
import { useComponent } from '../support/hosts/component.mts';
import { withTable, withWebhook } from '../support/hosts/exampleChanges.mts';
import { createLeadsTable, leadsWithoutEmail } from '../support/hosts/exampleScenes.mts';
import { listWithId } from '../operations.mts';
import { list } from '../support/leads/expected.mts';
import { createCredential } from '../support/hosts/host.mts';
import { LeadQueue, QUEUE_TIMEOUT_MS } from '../support/hosts/leadQueue.mts';
import { report } from '../support/measures/report.mts';
import { manually, ours } from '../support/hosts/savedNodes.mts';
import { useService } from '../support/servers/service.mts';
import { PushConnection } from './support/pushConnection.mts';
import { resume, waiting } from './support/waiting.mts';

const WORKERS = 3;
/** Executions that a worker has in progress at most. */
const CONCURRENCY = 5;
/** Of one execution. */
const LEADS = 40;
const LATENCY_MS = 200;
/** Leads in a batch of the example that survives a crash. */
const BATCH = 200;
/** What the service allows. */
const PER_SECOND = 50;

const service = useService();
const leadQueue = useComponent(
	async () =>
		await LeadQueue.open(service(), {
			version: n8n3,
			workers: WORKERS,
			concurrency: CONCURRENCY,
			leads: LEADS,
		}),
);

const charged = () => service().ledger.charges.map(({ subject }) => subject);

/** Waits until a quarter of the leads has been asked for. */
async function inTheMiddle(executions: number): Promise<void> {
	const wanted = (executions * LEADS) / 4;
	await vi.waitUntil(() => requestsOf(service(), 'find').length >= wanted, {
		timeout: QUEUE_TIMEOUT_MS / 2,
		interval: 100,
	});
}

test(
	'20 executions share the request rate: all succeed, and nothing is paid twice',
	{ timeout: QUEUE_TIMEOUT_MS },
	async () => {
		Object.assign(service().options, {
			latencyMs: LATENCY_MS,
			rateLimit: { perSecond: PER_SECOND },
		});
		const executions = numbers(20);
		const ended = await leadQueue().execute(executions);
		expect(ended.map(({ status }) => status)).toEqual(executions.map(() => 'success'));
		const complete = ended.map((execution) => leadQueue().expectComplete(execution));
		expect(complete.toSorted((a, b) => a - b)).toEqual(executions);
		expect(charged().sort()).toEqual(leadQueue().paidFor(executions).sort());

		const requests = requestsOf(service(), 'find');
		const refused = requests.filter(({ status }) => status === 429).length;
		expect(requests).toHaveLength(executions.length * LEADS + refused);
		report(
			`${leadQueue().queue.versions}, ${WORKERS} workers with ${CONCURRENCY} executions each: ` +
				`${executions.length} executions of ${LEADS} leads, ${service().ledger.total()} credits; ` +
				`${refused} requests refused (429) and sent again`,
		);
	},
);

test(
	'a stop: what it has cost is in the log of the worker',
	{ timeout: QUEUE_TIMEOUT_MS },
	async () => {
		Object.assign(service().options, { latencyMs: LATENCY_MS });
		const { main, workers } = leadQueue().queue;
		let stoppedAt = 0;
		const [execution] = await leadQueue().execute([60], async ([id]) => {
			await inTheMiddle(1);
			await main.client.stopExecution(id);
			stoppedAt = Date.now();
		});
		expect(execution).toMatchObject({ status: 'canceled', customData: {} });
		const costs = async () => {
			const logs = await Promise.all(workers.map(async ({ log }) => await readFile(log, 'utf8')));
			const lines = logs.map((log) => /execution (\d+) was stopped, (\d+) credits spent/.exec(log));
			return lines.filter((line) => line !== null).map(([, id, credits]) => [id, Number(credits)]);
		};
		// The worker hears of the stop a moment later, and writes the line after its last answer.
		await expect.poll(costs).toHaveLength(1);
		expect(await costs()).toEqual([[execution?.id, service().ledger.total()]]);
		expectNothingSentAfter(stoppedAt);
	},
);

test(
	'a run by hand is run by workers: what it bought before a Wait is not bought after it',
	{ timeout: QUEUE_TIMEOUT_MS },
	async () => {
		const { client } = leadQueue().queue.main;
		const id = await startByHand([
			leadsOf('Leads', 20),
			lookup('Find', 10),
			...waiting('by-hand'),
			leadsOf('Again', 40),
			lookup('Rest'),
		]);
		const stored = await client.waitForStatus(id, 'waiting', QUEUE_TIMEOUT_MS);
		expect(requestsOf(service(), 'find')).toHaveLength(10);
		await resume(leadQueue().queue.main.host, stored);

		const ended = async () => await client.waitForExecution(id, QUEUE_TIMEOUT_MS);
		expect((await ended()).status).toBe('success');
		expect(requestsOf(service(), 'find')).toHaveLength(40);
		// The worker saves the custom data a moment after the end.
		const costs = async () => (await ended()).customData.contact_data_credits;
		await expect
			.poll(costs)
			.toMatch(new RegExp(`^${charged().length} credits spent \\(Find: \\d+, Rest: \\d+\\)$`));
		// The part before the Wait, and the part after it.
		expect(await partsOf(id)).toHaveLength(2);
	},
);

test(
	'a run by hand that is stopped: the worker sends nothing more, and the editor shows all that was paid for',
	{ timeout: QUEUE_TIMEOUT_MS },
	async () => {
		Object.assign(service().options, { latencyMs: LATENCY_MS });
		const { main } = leadQueue().queue;
		await using push = await PushConnection.open(main);
		const id = await startByHand([leadsOf('Leads', LEADS), lookup('Find')], push.ref);
		await inTheMiddle(1);
		await main.client.stopExecution(id);
		const stoppedAt = Date.now();
		const { data } = await push.outputOf(id, 'Find', 60_000);
		const items = (data?.main[0] ?? []).map(({ json }) => json);
		expect(items).toHaveLength(LEADS);
		expect(items.at(-1)).toMatchObject({ status: 'not_processed', reason: 'cancelled' });
		const found = items.filter(({ status }) => status === 'found').map(({ email }) => email);
		expect(found.toSorted()).toEqual(charged().toSorted());
		expect(await partsOf(id)).toHaveLength(1);
		expectNothingSentAfter(stoppedAt);
	},
);

test(
	'a worker is killed: the executions of the others are untouched',
	{ timeout: QUEUE_TIMEOUT_MS },
	async () => {
		Object.assign(service().options, { latencyMs: LATENCY_MS });
		const executions = numbers(12, 40);
		const ended = await leadQueue().execute(executions, async () => {
			await inTheMiddle(executions.length);
			await leadQueue().queue.workers[0]?.kill();
		});
		const complete = ended
			.filter(({ status }) => status === 'success')
			.map((execution) => leadQueue().expectComplete(execution));
		const lost = executions.filter((execution) => !complete.includes(execution));
		expect(lost.length).toBeGreaterThan(0);
		expect(lost.length).toBeLessThanOrEqual(CONCURRENCY);

		// n8n starts none of them again and keeps nothing of them; what they found is paid for.
		const failed = ended.filter(({ status }) => status !== 'success');
		expect(failed.map(({ status, data }) => [status, data.resultData.runData])).toEqual(
			lost.map(() => ['error', {}]),
		);
		const all = charged();
		expect(new Set(all).size).toBe(all.length);
		const delivered = leadQueue().paidFor(complete);
		expect(all).toEqual(expect.arrayContaining(delivered));
		const cost = all.length - delivered.length;
		expect(cost).toBeLessThan(leadQueue().paidFor(lost).length);
		report(
			`one of ${WORKERS} workers killed while ${executions.length} executions ran: ${complete.length} ` +
				`complete, ${lost.length} ended as "error" without data after ${cost} credits`,
		);
	},
);

test(
	'large-list-that-survives-a-crash: run again after a crash, it pays for one batch twice at most',
	{ timeout: QUEUE_TIMEOUT_MS },
	async () => {
		Object.assign(service().options, { latencyMs: LATENCY_MS });
		const { main, workers } = leadQueue().queue;
		const { client, packageName } = main;
		const leads = leadsWithoutEmail(101);
		const leadsTable = await createLeadsTable(client, 'Leads');
		const example = withCredential(
			withList(await readExample('large-list-that-survives-a-crash'), list(101)),
			packageName,
			await createCredential(client, service()),
		);
		const workflow = withWebhook(withTable(example, leadsTable), 'Start', 'large-list');
		const saved = await client.createWorkflow(workflow);
		await client.activateWorkflow(saved);
		const start = async () => {
			const before = (await client.listExecutions(saved)).map(({ id }) => id);
			await client.callWebhook('large-list');
			const [id] = await client.newExecutions(saved, 1, before);
			return id;
		};

		const crashed = await start();
		// The second batch is paid for then, and not saved yet.
		const answered = () => requestsOf(service(), 'findBulk').filter(({ status }) => status === 200);
		const wanted = (2 * BATCH) / findBulk.perRequest;
		await vi.waitUntil(() => answered().length >= wanted, { timeout: 120_000, interval: 5 });
		await Promise.all(workers.map(async (worker) => await worker.kill()));
		const before = charged();
		const rows = await client.rowsOf(leadsTable);
		const kept = rows.filter(({ email }) => email !== null).length;
		expect(rows.length).toBeGreaterThanOrEqual(BATCH);
		expect(kept).toBeLessThan(before.length);

		await workers[0]?.start();
		const { status } = await client.waitForExecution(crashed, QUEUE_TIMEOUT_MS);
		expect(status).not.toBe('success');
		expect(charged()).toEqual(before);
		const again = await client.waitForExecution(await start(), QUEUE_TIMEOUT_MS);
		expect(again.status).toBe('success');

		const emails = leads.flatMap(({ person: { email } }) => email ?? []);
		const all = charged();
		expect([...new Set(all)].sort()).toEqual(emails.toSorted());
		const twice = all.length - emails.length;
		expect(twice).toBe(before.length - kept);
		expect(twice).toBeGreaterThan(0);
		expect(twice).toBeLessThanOrEqual(BATCH);
		const ended = await client.rowsOf(leadsTable);
		expect(ended.map(({ leadId, email }) => [leadId, email])).toEqual(
			leads.map(({ id, person: { email } }) => [id, email]),
		);
		report(
			`the workers killed in the second batch of ${BATCH} of ${leads.length} leads: ${before.length} ` +
				`credits spent, ${kept} of them saved; run again, ${all.length - before.length} more, ` +
				`so ${twice} paid twice`,
		);
	},
);

function expectNothingSentAfter(stoppedAt: number): void {
	const starts = requestsOf(service(), 'find').map(({ startedAt }) => startedAt);
	expect(starts.length).toBeLessThan(LEADS);
	expect(Math.max(...starts) - stoppedAt).toBeLessThan(1_000);
}

/** Executes a row of nodes as the button of the editor does. */
async function startByHand(nodes: INode[], pushRef?: string): Promise<string> {
	const { client } = leadQueue().queue.main;
	const workflow = await client.createWorkflow({
		name: 'By hand',
		nodes: [manually(), ...nodes],
		connections: chain('Start', ...nodes.map(({ name }) => name)),
		settings: { executionOrder: 'v1' },
	});
	return await client.startWorkflow(workflow, 'Start', pushRef);
}

/** The lines in the logs of the workers that say which began a part of an execution. */
async function partsOf(id: string): Promise<string[]> {
	const { workers } = leadQueue().queue;
	const logs = await Promise.all(workers.map(async ({ log }) => await readFile(log, 'utf8')));
	const begins = `Worker started execution ${id} `;
	return logs.flatMap((log) => log.split('\n').filter((line) => line.includes(begins)));
}

function leadsOf(name: string, limit: number): INode {
	const { credential, queue } = leadQueue();
	const host = { packageName: queue.main.packageName, credential };
	const listId = listWithId('101');
	return ours(host, name, 'contactDataList', {
		resource: 'list',
		operation: 'getLeads',
		listId,
		limit,
	});
}

/** @param manualLimit how many leads a run by hand looks up; 0 for all */
function lookup(name: string, manualLimit = 0): INode {
	const { credential, queue } = leadQueue();
	const host = { packageName: queue.main.packageName, credential };
	const parameters = { operation: 'find', existingEmail: '', manualLimit };
	return ours(host, name, 'contactDataFinder', { resource: 'email', ...parameters });
}
