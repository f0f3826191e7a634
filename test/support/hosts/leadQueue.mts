import { expect } from 'vitest';

import { outputOf, type Execution } from '../../hosts/execution.mts';
import { openQueue, type OpenQueue } from '../../hosts/queue.mts';
import type { Credential, SavedWorkflow } from '../../hosts/rest.mts';
import type { HostVersion } from '../../hosts/versions.mts';
import { chain } from '../../hosts/workflow.mts';
import type { Service } from '../../emulator/service.mts';
import { createCredential } from './host.mts';
import { answerIn, find, findBulk, leadOf, numbers, subjectsOf } from '../leads/lookups.mts';
import { byWebhook, node, ours } from './savedNodes.mts';

export interface LeadQueueOptions {
	/** n8n 2 unless told. */
	version?: HostVersion;
	workers: number;
	/** Executions that a worker has in progress at most. */
	concurrency: number;
	/** Leads of one execution. */
	leads: number;
}

/** How long a test of the queue may take, its executions included. */
export const QUEUE_TIMEOUT_MS = 15 * 60_000;

/** n8n in queue mode with a workflow that looks up, one by one, every lead that its webhook is given. */
export class LeadQueue implements AsyncDisposable {
	private constructor(
		readonly queue: OpenQueue,
		/** A credential for the service. */
		readonly credential: Credential,
		private readonly workflow: SavedWorkflow,
		private readonly leads: number,
	) {}

	static async open(service: Service, options: LeadQueueOptions): Promise<LeadQueue> {
		await using resources = new AsyncDisposableStack();
		const { leads, ...processes } = options;
		const settings = { DB_POSTGRESDB_POOL_SIZE: '10' };
		const queue = resources.use(await openQueue({ ...processes, settings }));
		const { client, packageName } = queue.main;
		const credential = await createCredential(client, service);
		const workflow = await client.createWorkflow({
			name: 'Enrich leads',
			nodes: [
				byWebhook('leads'),
				node('Leads', 'n8n-nodes-base.splitOut', 1, { fieldToSplitOut: 'body.leads' }),
				ours({ packageName, credential }, 'Find', find.node, {
					...find.parameters,
					resource: 'email',
					includeInputFields: true,
				}),
			],
			connections: chain('Start', 'Leads', 'Find'),
			settings: { executionOrder: 'v1' },
		});
		await client.activateWorkflow(workflow);
		resources.move();
		return new LeadQueue(queue, credential, workflow, leads);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.queue[Symbol.asyncDispose]();
	}

	/** Starts all these executions at once and waits for their ends; in between, something happens. */
	async execute(
		executions: number[],
		meanwhile: (ids: string[]) => Promise<void> = async () => {},
	): Promise<Execution[]> {
		const { client } = this.queue.main;
		const before = (await client.listExecutions(this.workflow)).map(({ id }) => id);
		await Promise.all(
			executions.map(async (execution) => {
				const leads = this.leadsOf(execution).map(leadOf);
				await client.callWebhook('leads', { execution, leads });
			}),
		);
		const started = await client.newExecutions(this.workflow, executions.length, before);
		expect(started).toHaveLength(executions.length);
		await meanwhile(started);
		const ended: Execution[] = [];
		for (const id of started) ended.push(await client.waitForExecution(id, QUEUE_TIMEOUT_MS));
		return ended;
	}

	/** That each lead of the execution has its own answer; the number it was started with. */
	expectComplete(execution: Execution): number {
		const number = Number(Object(outputOf(execution, 'Start')[0]?.json.body).execution);
		const output = outputOf(execution, 'Find');
		const leads = this.leadsOf(number);
		expect(output.map(({ json }) => answerIn(json))).toEqual(leads.map(findBulk.answer));
		expect(output.map(({ pairedItem }) => pairedItem)).toEqual(leads.map((_, item) => ({ item })));
		return number;
	}

	/** Of whom something is charged. */
	paidFor(executions: number[]): string[] {
		return subjectsOf(
			findBulk,
			executions.flatMap((execution) => this.leadsOf(execution)),
		);
	}

	/** The leads of one execution: nobody else's. */
	leadsOf(execution: number): number[] {
		return numbers(this.leads, execution * this.leads);
	}
}
