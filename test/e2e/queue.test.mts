/** @file Queue mode: several worker processes that look up leads at the same time. */

import { readFile } from 'node:fs/promises';

import { expect, test, vi } from 'vitest';

import { readExample, withCredential, withList } from '../hosts/workflow.mts';
import { findBulk, numbers, requestsOf } from '../support/bulk.mts';
import { useComponent } from '../support/component.mts';
import { withTable, withWebhook } from '../support/exampleChanges.mts';
import { createLeadsTable, leadsWithoutEmail } from '../support/exampleScenes.mts';
import { list } from '../support/expected.mts';
import { createCredential } from '../support/host.mts';
import { LeadQueue, QUEUE_TIMEOUT_MS } from '../support/leadQueue.mts';
import { report } from '../support/report.mts';
import { useService } from '../support/service.mts';

const WORKERS = 3;
/** Executions that a worker has in progress at most. */
const CONCURRENCY = 5;
/** Of one execution. */
const LEADS = 100;
const LATENCY_MS = 50;
/** Leads in a batch of the example that survives a crash. */
const BATCH = 200;
/** What the service allows. */
const PER_SECOND = 50;

const service = useService();
const leadQueue = useComponent(
	async () =>
		await LeadQueue.open(service(), { workers: WORKERS, concurrency: CONCURRENCY, leads: LEADS }),
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
	QUEUE_TIMEOUT_MS,
);

test(
	'a stop: what it has cost is in the log of the worker',
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
		const starts = requestsOf(service(), 'find').map(({ startedAt }) => startedAt);
		expect(starts.length).toBeLessThan(LEADS);
		expect(Math.max(...starts) - stoppedAt).toBeLessThan(1_000);
	},
	QUEUE_TIMEOUT_MS,
);

test(
	'a worker is killed: the executions of the others are untouched',
	async () => {
		Object.assign(service().options, { latencyMs: LATENCY_MS });
		const executions = numbers(12, 40);
		const ended = await leadQueue().execute(executions, async () => {
			await inTheMiddle(executions.length);
			const [worker] = leadQueue().queue.workers;
			if (worker) process.kill(-worker.pid, 'SIGKILL');
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
	QUEUE_TIMEOUT_MS,
);

test(
	'large-list-that-survives-a-crash: run again after a crash, it pays for one batch twice at most',
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
		for (const worker of workers) kill(worker.pid);
		await Promise.all(workers.map(async ({ exited }) => await exited));
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
	QUEUE_TIMEOUT_MS,
);

/** Kills a process and its children, unless it has ended. */
function kill(pid: number): void {
	try {
		process.kill(-pid, 'SIGKILL');
	} catch (error) {
		if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
	}
}
