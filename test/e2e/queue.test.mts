/** @file Queue mode: several worker processes that look up leads at the same time. */

import { readFile } from 'node:fs/promises';

import { expect, test, vi } from 'vitest';

import { outputOf, type Execution } from '../hosts/execution.mts';
import { openQueue, type OpenQueue } from '../hosts/queue.mts';
import type { SavedWorkflow } from '../hosts/rest.mts';
import { chain, readExample, withCredential, withList } from '../hosts/workflow.mts';
import type { WireRequest } from '../service/wireLog.mts';
import { answerIn, findBulk, leadOf, numbers, requestsOf, subjectsOf } from '../support/bulk.mts';
import { useComponent } from '../support/component.mts';
import { withTable, withWebhook } from '../support/exampleChanges.mts';
import { createLeadsTable, leadsWithoutEmail } from '../support/exampleScenes.mts';
import { list } from '../support/expected.mts';
import { createCredential } from '../support/host.mts';
import { report } from '../support/report.mts';
import { useService } from '../support/service.mts';

const WORKERS = 3;
/** Executions that a worker has under way at most. */
const CONCURRENCY = 5;
/** Of one execution. */
const LEADS = 250;
const LATENCY_MS = 50;
/** Leads in a batch of the example that survives a crash. */
const BATCH = 200;
/** What the service allows. */
const PER_SECOND = 25;
const RUN_TIMEOUT_MS = 15 * 60_000;

const service = useService();
const queue = useComponent(open);

interface Running extends OpenQueue {
	workflow: SavedWorkflow;
}

/** Three workers, and a workflow that looks up every lead that its webhook is given. */
async function open(): Promise<Running> {
	await using resources = new AsyncDisposableStack();
	const settings = { DB_POSTGRESDB_POOL_SIZE: '10' };
	const started = resources.use(
		await openQueue({ workers: WORKERS, concurrency: CONCURRENCY, settings }),
	);
	const { client, packageName } = started.main;
	const { id, name, type } = await createCredential(client, service());
	const workflow = await client.createWorkflow({
		name: 'Enrich leads',
		nodes: [
			{
				id: 'Start',
				name: 'Start',
				type: 'n8n-nodes-base.webhook',
				typeVersion: 2,
				position: [0, 0],
				parameters: { path: 'leads', httpMethod: 'POST', responseMode: 'onReceived' },
				webhookId: 'leads',
			},
			{
				id: 'Leads',
				name: 'Leads',
				type: 'n8n-nodes-base.splitOut',
				typeVersion: 1,
				position: [220, 0],
				parameters: { fieldToSplitOut: 'body.leads' },
			},
			{
				id: 'Find',
				name: 'Find',
				type: `${packageName}.contactDataFinder`,
				typeVersion: 1,
				position: [440, 0],
				parameters: {
					resource: 'email',
					operation: 'find',
					firstName: '={{ $json.first }}',
					lastName: '={{ $json.last }}',
					domain: '={{ $json.domain }}',
				},
				credentials: { [type]: { id, name } },
			},
		],
		connections: chain('Start', 'Leads', 'Find'),
		settings: { executionOrder: 'v1' },
	});
	await client.activateWorkflow(workflow);
	const opened = resources.move();
	return {
		...started,
		workflow,
		[Symbol.asyncDispose]: async () => await opened.disposeAsync(),
	};
}

/** The leads of one execution: nobody else's. */
const leadsOf = (execution: number) => numbers(LEADS, execution * LEADS);

/** Calls the webhook with the leads of an execution. */
async function call(execution: number): Promise<void> {
	const leads = leadsOf(execution).map(leadOf);
	await queue().main.client.callWebhook('leads', { execution, leads });
}

/** Starts all these executions at once and waits for their ends; in between, something happens. */
async function execute(
	executions: number[],
	meanwhile: (ids: string[]) => Promise<void> = async () => {},
): Promise<Execution[]> {
	const { main, workflow } = queue();
	const before = (await main.client.listExecutions(workflow)).map(({ id }) => id);
	await Promise.all(executions.map(call));
	const started = await main.client.newExecutions(workflow, executions.length, before);
	expect(started).toHaveLength(executions.length);
	await meanwhile(started);
	const ended: Execution[] = [];
	for (const id of started) {
		ended.push(await main.client.waitForExecution(id, RUN_TIMEOUT_MS));
	}
	return ended;
}

/** By the leads that it was started with, which it looked up one by one. */
function expectComplete(execution: Execution): number {
	const number = Number(Object(outputOf(execution, 'Start')[0]?.json.body).execution);
	const output = outputOf(execution, 'Find');
	expect(output.map(({ json }) => answerIn(json))).toEqual(leadsOf(number).map(findBulk.answer));
	expect(output.map(({ pairedItem }) => pairedItem)).toEqual(
		numbers(LEADS).map((item) => ({ item })),
	);
	return number;
}

const paidFor = (executions: number[]) => subjectsOf(findBulk, executions.flatMap(leadsOf));

const charged = () => service().ledger.charges.map(({ subject }) => subject);

const isRefused = ({ status }: WireRequest) => status === 429;

/** Waits until a quarter of the leads has been asked for. */
async function inTheMiddle(executions: number): Promise<void> {
	const wanted = (executions * LEADS) / 4;
	await vi.waitUntil(() => requestsOf(service(), 'find').length >= wanted, {
		timeout: RUN_TIMEOUT_MS / 2,
		interval: 100,
	});
}

const percent = (share: number) => `${(100 * share).toFixed(1)} %`;

test(
	'40 executions share the request rate: all succeed, and nothing is paid twice',
	async () => {
		Object.assign(service().options, {
			latencyMs: LATENCY_MS,
			rateLimit: { perSecond: PER_SECOND },
		});
		const executions = numbers(40);
		const ended = await execute(executions);
		expect(ended.map(({ status }) => status)).toEqual(executions.map(() => 'success'));
		expect(ended.map(expectComplete).sort(ascending)).toEqual(executions);
		expect(charged().sort()).toEqual(paidFor(executions).sort());

		const requests = requestsOf(service(), 'find');
		const answered = requests.filter((request) => !isRefused(request));
		expect(answered).toHaveLength(executions.length * LEADS);
		const refused = 1 - answered.length / requests.length;
		const lastStart = Math.max(...ended.map(({ startedAt }) => startedAt.getTime()));
		const whileQueued = usedRate(answered.filter(({ startedAt }) => startedAt <= lastStart));
		report(
			`${queue().versions}, ${WORKERS} workers with ${CONCURRENCY} executions each: ` +
				`${executions.length} executions of ${LEADS} leads, ${service().ledger.total()} credits; ` +
				`of ${PER_SECOND} requests per second ${percent(whileQueued)} used while executions were ` +
				`waiting, ${percent(usedRate(answered))} to the end; ${percent(refused)} of the requests refused (429)`,
		);
		// 90 to 92 % on two idle cores; a busy machine takes some of it.
		expect(whileQueued).toBeGreaterThanOrEqual(0.85);
		expect(refused).toBeLessThanOrEqual(0.05);
	},
	RUN_TIMEOUT_MS,
);

const ascending = (a: number, b: number) => a - b;

/** How much of the allowed rate these requests used. */
function usedRate(requests: WireRequest[]): number {
	const times = requests.map(({ startedAt }) => startedAt);
	const seconds = (Math.max(...times) - Math.min(...times)) / 1_000;
	return requests.length / (seconds * PER_SECOND);
}

test(
	'a stop: what it has cost is in the log of the worker',
	async () => {
		Object.assign(service().options, { latencyMs: LATENCY_MS });
		const { main, workers } = queue();
		let stoppedAt = 0;
		const [execution] = await execute([60], async ([id]) => {
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
	RUN_TIMEOUT_MS,
);

test(
	'a worker is killed: the executions of the others are untouched',
	async () => {
		Object.assign(service().options, { latencyMs: LATENCY_MS });
		const executions = numbers(12, 40);
		const ended = await execute(executions, async () => {
			await inTheMiddle(executions.length);
			const [worker] = queue().workers;
			if (worker) process.kill(-worker.pid, 'SIGKILL');
		});
		const complete = ended.filter(({ status }) => status === 'success').map(expectComplete);
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
		const delivered = paidFor(complete);
		expect(all).toEqual(expect.arrayContaining(delivered));
		const cost = all.length - delivered.length;
		expect(cost).toBeLessThan(paidFor(lost).length);
		report(
			`one of ${WORKERS} workers killed while ${executions.length} executions ran: ${complete.length} ` +
				`complete, ${lost.length} ended as "error" without data after ${cost} credits`,
		);
	},
	RUN_TIMEOUT_MS,
);

test(
	'large-list-that-survives-a-crash: run again after a crash, it pays for one batch twice at most',
	async () => {
		Object.assign(service().options, { latencyMs: LATENCY_MS });
		const { main, workers } = queue();
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
			await client.callWebhook('large-list', {});
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
		const { status } = await client.waitForExecution(crashed, RUN_TIMEOUT_MS);
		expect(status).not.toBe('success');
		expect(charged()).toEqual(before);
		const again = await client.waitForExecution(await start(), RUN_TIMEOUT_MS);
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
	RUN_TIMEOUT_MS,
);

/** Kills a process and its children, unless it has ended. */
function kill(pid: number): void {
	try {
		process.kill(-pid, 'SIGKILL');
	} catch (error) {
		if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
	}
}
