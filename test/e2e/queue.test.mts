/**
 * @file Queue mode: several worker processes that look up leads at the same time. As n8n 3 does, it runs what is
 * started by hand on workers too.
 */

import { readFile } from 'node:fs/promises';

import type { INode, IWorkflowSettings } from 'n8n-workflow';
import { expect, test } from 'vitest';

import { outputOf, type Execution } from '../hosts/execution.mts';
import { openQueue } from '../hosts/queue.mts';
import { n8n3 } from '../hosts/versions.mts';
import { chain } from '../hosts/workflow.mts';
import {
	answerIn,
	find,
	leadOf,
	numbers,
	requestsOf,
	subjectsOf,
} from '../support/leads/lookups.mts';
import { list } from '../support/leads/expected.mts';
import { isLong } from '../support/depth.mts';
import { useComponent } from '../support/realN8n/component.mts';
import { withNodes, withParameters } from '../support/realN8n/exampleChanges.mts';
import {
	createLeadsTable,
	keepLeads,
	leadsWithoutEmail,
	setUpExample,
} from '../support/realN8n/exampleScenes.mts';
import { listWithId } from '../operations.mts';
import { withOwnAccount } from '../support/realN8n/host.mts';
import { report } from '../support/measures/report.mts';
import { byWebhook, manually, node, ours } from '../support/realN8n/savedNodes.mts';
import { useService } from '../support/servers/service.mts';
import { until } from '../support/until.mts';
import { PushConnection } from './support/pushConnection.mts';
import { resume, waiting } from './support/waiting.mts';

const WORKERS = 3;
/** Executions that a worker has in progress at most. */
const CONCURRENCY = 5;
/** Of one execution. */
const LEADS = 40;
const LATENCY_MS = 200;
/** After so many seconds n8n ends an execution that would take longer. */
const TIMEOUT = 6;
/** What the service allows. */
const PER_SECOND = 50;

/** n8n takes its time until it notices that a worker is gone. */
const longTest = test.runIf(isLong);

const service = useService();
const queue = useComponent(
	async () =>
		await openQueue({
			version: n8n3,
			workers: WORKERS,
			concurrency: CONCURRENCY,
			settings: { DB_POSTGRESDB_POOL_SIZE: '10' },
		}),
);

/** What a node of the package needs; with an account of its own, it starts at the pace of a new one. */
async function ourHost() {
	return await withOwnAccount(queue().main, service());
}

const charged = () => service().ledger.charges.map(({ subject }) => subject);

/** The leads of one execution: nobody else's. */
const leadsOf = (execution: number) => numbers(LEADS, execution * LEADS);

/** Of whom something is charged. */
const paidFor = (executions: number[]) => subjectsOf(find, executions.flatMap(leadsOf));

/** What is started by hand: all leads of one execution, each looked up. */
const ALL_LEADS: Array<[string, number]> = [
	['Leads', LEADS],
	['Find', 0],
];

/** Waits until a quarter of the leads has been asked for. */
async function inTheMiddle(executions: number): Promise<void> {
	const wanted = (executions * LEADS) / 4;
	await until(() => requestsOf(service(), 'find').length >= wanted);
}

/** Looks leads up, one by one, in all these executions at once; gives their ends. */
async function execute(
	executions: number[],
	meanwhile: () => Promise<void> = async () => {},
): Promise<Execution[]> {
	const host = await ourHost();
	const path = `leads-${executions[0]}`;
	const workflow = await host.client.createWorkflow({
		name: 'Enrich leads',
		nodes: [
			byWebhook(path),
			node('Leads', 'n8n-nodes-base.splitOut', 1, { fieldToSplitOut: 'body.leads' }),
			ours(host, 'Find', find.node, { ...find.parameters, resource: 'email' }),
		],
		connections: chain('Start', 'Leads', 'Find'),
		settings: { executionOrder: 'v1' },
	});
	await host.client.activateWorkflow(workflow);
	await Promise.all(
		executions.map(async (execution) => {
			const leads = leadsOf(execution).map(leadOf);
			await host.client.callWebhook(path, { execution, leads });
		}),
	);
	const started = await host.client.newExecutions(workflow, executions.length);
	expect(started).toHaveLength(executions.length);
	await meanwhile();
	const ends = started.map(async (id) => await host.client.waitForExecution(id));
	return await Promise.all(ends);
}

/** That each lead of the execution has its own answer; the number it was started with. */
function expectComplete(execution: Execution): number {
	const number = Number(Object(outputOf(execution, 'Start')[0]?.json.body).execution);
	const output = outputOf(execution, 'Find');
	const leads = leadsOf(number);
	expect(output.map(({ json }) => answerIn(json))).toEqual(leads.map(find.answer));
	expect(output.map(({ pairedItem }) => pairedItem)).toEqual(leads.map((_, item) => ({ item })));
	return number;
}

test('20 executions share the request rate: all succeed, and nothing is paid twice', async () => {
	const rateLimit = { perSecond: PER_SECOND };
	Object.assign(service().options, { latencyMs: LATENCY_MS, rateLimit });
	const executions = numbers(20);
	const ended = await execute(executions);
	expect(ended.map(({ status }) => status)).toEqual(executions.map(() => 'success'));
	expect(ended.map(expectComplete).toSorted((a, b) => a - b)).toEqual(executions);
	expect(charged().sort()).toEqual(paidFor(executions).sort());

	const requests = requestsOf(service(), 'find');
	const refused = requests.filter(({ status }) => status === 429).length;
	expect(requests).toHaveLength(executions.length * LEADS + refused);
	const sizes = `${WORKERS} workers, ${executions.length} executions of ${LEADS} leads`;
	report(`${queue().versions}, ${sizes}: ${refused} requests refused (429) and sent again`);
});

test('a run by hand is run by workers: what it bought before a Wait is not bought after it', async () => {
	const { client, host } = queue().main;
	const wait = waiting('by-hand');
	const id = await startByHand([['Leads', 20], ['Find', 10], ...wait, ['Again', 40], ['Rest', 0]]);
	const stored = await client.waitForStatus(id, 'waiting');
	expect(requestsOf(service(), 'find')).toHaveLength(10);
	await resume(host, stored);

	const ended = async () => await client.waitForExecution(id);
	expect((await ended()).status).toBe('success');
	expect(requestsOf(service(), 'find')).toHaveLength(40);
	// The worker saves the custom data a moment after the end.
	const costs = async () => (await ended()).customData.contact_data_credits;
	const told = `^${charged().length} credits spent \\(Find: \\d+, Rest: \\d+\\)$`;
	await expect.poll(costs).toMatch(new RegExp(told));
	// The part before the Wait, and the part after it.
	expect(await logged(`Worker started execution ${id} `)).toHaveLength(2);
});

test('a stop: the worker sends nothing more and logs what it has cost, and the editor shows all that was paid for', async () => {
	// So that there is time to stop it.
	service().options.latencyMs = 5 * LATENCY_MS;
	const { main } = queue();
	await using push = await PushConnection.open(main);
	const id = await startByHand(ALL_LEADS, push.ref);
	await inTheMiddle(1);
	await main.client.stopExecution(id);
	const { data } = await push.outputOf(id, 'Find');
	const items = (data?.main[0] ?? []).map(({ json }) => json);
	expect(items).toHaveLength(LEADS);
	const stopped = { lookupStatus: 'not_processed', lookupReason: 'cancelled' };
	expect(items.at(-1)).toMatchObject(stopped);
	const found = items.filter((item) => item.lookupStatus === 'found').map(({ email }) => email);
	expect(found.toSorted()).toEqual(charged().toSorted());
	const costs = `execution ${id} was stopped, ${charged().length} credits spent`;
	await expect.poll(async () => await logged(costs)).toHaveLength(1);
	expect(await logged(`execution ${id} was stopped`)).toHaveLength(1);

	const execution = await main.client.waitForExecution(id);
	expect(execution).toMatchObject({ status: 'canceled', customData: {} });
	expect(requestsOf(service(), 'find').length).toBeLessThan(LEADS);
});

test(`a timeout of ${TIMEOUT} s: the worker saves all that was paid for before it`, async () => {
	service().options.latencyMs = 5 * LATENCY_MS;
	const { client } = queue().main;
	const id = await startByHand(ALL_LEADS, undefined, { executionTimeout: TIMEOUT });
	const ended = async () => await client.waitForExecution(id);
	const execution = await ended();
	expect(execution.status).toBe('success');
	const items = outputOf(execution, 'Find').map(({ json }) => json);
	const found = items.filter((item) => item.lookupStatus === 'found').map(({ email }) => email);
	expect(found.toSorted()).toEqual(charged().toSorted());
	const sent = requestsOf(service(), 'find').length;
	const rest = items.filter(({ lookupReason }) => lookupReason === 'run_time_over');
	expect(rest.length).toBeGreaterThan(0);
	expect(rest).toHaveLength(LEADS - sent);
	const costs = async () => (await ended()).customData.contact_data_credits;
	await expect.poll(costs).toBe(`${charged().length} credits spent`);
	report(`${queue().versions}, timeout of ${TIMEOUT} s: ${charged().length} credits, all saved`);
});

longTest('a worker is killed: the executions of the others are untouched', async () => {
	service().options.latencyMs = LATENCY_MS;
	const executions = numbers(12, 40);
	const ended = await execute(executions, async () => {
		await inTheMiddle(executions.length);
		await queue().workers[0]?.kill();
	});
	const [succeeded = [], failed = []] = [true, false].map((isSuccess) =>
		ended.filter(({ status }) => (status === 'success') === isSuccess),
	);
	const complete = succeeded.map(expectComplete);
	const lost = executions.filter((execution) => !complete.includes(execution));
	expect(lost.length).toBeGreaterThan(0);
	expect(lost.length).toBeLessThanOrEqual(CONCURRENCY);

	// n8n starts none of them again and keeps nothing of them; what they found is paid for.
	expect(failed.map(({ status, data }) => [status, data.resultData.runData])).toEqual(
		lost.map(() => ['error', {}]),
	);
	const all = charged();
	expect(new Set(all).size).toBe(all.length);
	const delivered = paidFor(complete);
	expect(all).toEqual(expect.arrayContaining(delivered));
	const cost = all.length - delivered.length;
	expect(cost).toBeLessThan(paidFor(lost).length);
	const ends = `${complete.length} executions complete, ${lost.length} lost after ${cost} credits`;
	report(`one of ${WORKERS} workers killed: ${ends}`);
});

longTest(
	'large-list-that-survives-a-crash: run again after a crash, it pays for one batch twice at most',
	async () => {
		service().options.latencyMs = LATENCY_MS;
		const host = await ourHost();
		const { client } = host;
		const batchSize = 40;
		const leads = leadsWithoutEmail(101).slice(0, 2.5 * batchSize);
		keepLeads(service(), 101, leads);
		const table = await createLeadsTable(client);
		const example = await setUpExample('large-list-that-survives-a-crash', host, {
			listId: 101,
			table,
		});
		const workflow = withParameters(example, 'Loop Over Items', { batchSize });
		const { id: _, ...webhook } = byWebhook('large-list');
		const saved = await client.createWorkflow(withNodes(workflow, 'Start', () => webhook));
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
		await until(() => answered().length >= 2, 5);
		const { workers } = queue();
		await Promise.all(workers.map(async (worker) => await worker.kill()));
		const before = charged();
		const rows = await client.rowsOf(table);
		const kept = rows.filter(({ email }) => email !== null).length;
		expect(rows.length).toBeGreaterThanOrEqual(batchSize);
		expect(kept).toBeLessThan(before.length);

		await workers[0]?.start();
		const { status } = await client.waitForExecution(crashed);
		expect(status).not.toBe('success');
		expect(charged()).toEqual(before);
		const again = await client.waitForExecution(await start());
		expect(again.status).toBe('success');

		const emails = leads.flatMap(({ person: { email } }) => email ?? []);
		const all = charged();
		expect([...new Set(all)].sort()).toEqual(emails.toSorted());
		const twice = all.length - emails.length;
		expect(twice).toBe(before.length - kept);
		expect(twice).toBeGreaterThan(0);
		expect(twice).toBeLessThanOrEqual(batchSize);
		const ended = await client.rowsOf(table);
		expect(ended.map(({ leadId, email }) => [leadId, email])).toEqual(
			leads.map(({ id, person: { email } }) => [id, email]),
		);
		const paid = `${before.length} credits spent, ${kept} of them saved, ${twice} paid twice`;
		report(`the workers killed in the second batch of ${batchSize}: ${paid}`);
	},
);

longTest(
	'pay-once-for-good: what one worker has paid for, no other one pays for again, nor one that is started anew',
	async () => {
		const host = await ourHost();
		const { client } = host;
		const leads = list(101).leads.map(({ person }) => person);
		const table = await createLeadsTable(client);
		const example = await setUpExample('pay-once-for-good', host, { listId: 101, table });
		const { id: _, ...webhook } = byWebhook('pay-once');
		const saved = await client.createWorkflow(
			withNodes(example, 'Every Day', () => ({ ...webhook, name: 'Every Day' })),
		);
		await client.activateWorkflow(saved);
		const { workers } = queue();
		const [first, second, ...others] = workers;
		/** Runs all leads on the worker that is there; gives what that has cost, and how many requests were sent. */
		const run = async () => {
			const before = (await client.listExecutions(saved)).map(({ id }) => id);
			const [spent, sent] = [charged().length, requestsOf(service(), 'findBulk').length];
			const began = Date.now();
			await client.callWebhook('pay-once');
			const [id] = await client.newExecutions(saved, 1, before);
			expect((await client.waitForExecution(id)).status).toBe('success');
			const seconds = Math.round((Date.now() - began) / 1_000);
			report(
				`${leads.length} leads through one worker: ${charged().length - spent} credits, ${seconds} s`,
			);
			return [charged().length - spent, requestsOf(service(), 'findBulk').length - sent];
		};
		await Promise.all([second, ...others].map(async (worker) => await worker?.kill()));
		const [paid] = await run();
		expect(paid).toBeGreaterThan(0);
		await first?.kill();
		await second?.start();
		expect(await run()).toEqual([0, 0]);
		await second?.kill();
		await first?.start();
		expect(await run()).toEqual([0, 0]);
		const charges = service().ledger.charges.map((one) => `${one.operation} ${one.subject}`);
		expect(new Set(charges).size).toBe(charges.length);
		expect(await client.rowsOf(table)).toHaveLength(leads.length);
		await Promise.all([second, ...others].map(async (worker) => await worker?.start()));
	},
);

/**
 * Executes a row of nodes as the button of the editor does.
 *
 * @param row nodes, or reads of a list and lookups by their names, each with its limit; 0 for all
 */
async function startByHand(
	row: Array<INode | [string, number]>,
	pushRef?: string,
	settings: IWorkflowSettings = {},
) {
	const host = await ourHost();
	const ownNode = (name: string, limit: number) =>
		/^(?:Leads|Again)$/.test(name)
			? ours(host, name, 'contactDataList', {
					...{ resource: 'list', operation: 'getLeads', listId: listWithId('101'), limit },
				})
			: ours(host, name, 'contactDataFinder', {
					...{ resource: 'email', operation: 'find', existingEmail: '', manualLimit: limit },
				});
	const nodes = row.map((entry) => (Array.isArray(entry) ? ownNode(...entry) : entry));
	const workflow = await host.client.createWorkflow({
		name: 'By hand',
		nodes: [manually(), ...nodes],
		connections: chain('Start', ...nodes.map(({ name }) => name)),
		settings: { executionOrder: 'v1', ...settings },
	});
	return await host.client.startWorkflow(workflow, 'Start', pushRef);
}

/** The lines in the logs of the workers that have this text. */
async function logged(text: string): Promise<string[]> {
	const logs = await Promise.all(
		queue().workers.map(async ({ log }) => await readFile(log, 'utf8')),
	);
	return logs.flatMap((log) => log.split('\n').filter((line) => line.includes(text)));
}
