import type { IConnections, IDataObject, INode } from 'n8n-workflow';
import { expect } from 'vitest';

import { outputOf } from '../../hosts/execution.mts';
import { openHost } from '../../hosts/open.mts';
import { n8n2 } from '../../hosts/versions.mts';
import { chain } from '../../hosts/workflow.mts';
import { createCredential } from '../../support/realN8n/host.mts';
import { manually, node } from '../../support/realN8n/savedNodes.mts';
import { KEY } from '../../support/servers/service.mts';
import { MEASURED } from './contenders.mts';
import { openLeadSource } from './leadSource.mts';
import { startServiceProcess } from './serviceProcess.mts';
import type { Books, Circumstances } from './serviceProgram.mts';

/** Nodes that are to do some work, one of them named {@link MEASURED}. */
export interface Contender {
	name: string;
	nodes: INode[];
	/** Whether the first node hands the leads to the others part by part. */
	loops?: boolean;
	/** How many items are right. */
	countRight: (items: IDataObject[]) => number;
	/** What it has to pay for. */
	paid?: string[];
}

/** What all contenders get to do, and how. */
export interface Task {
	/** Where n8n fetches the leads; without it they start with nothing. */
	leads?: string;
	circumstances: Circumstances;
}

/** What came of it. */
export interface Outcome extends Books {
	milliseconds: number;
	/** Items with the right result. */
	right: number;
}

export type HostBench = Awaited<ReturnType<typeof openHostBench>>;

/** An n8n in which nodes of different origin do the same work. */
export async function openHostBench() {
	await using resources = new AsyncDisposableStack();
	const host = resources.use(await openHost({ name: 'n8n-benchmark', version: n8n2 }));
	const service = resources.use(await startServiceProcess());
	const leads = resources.use(await openLeadSource());
	const { client } = host;
	const credential = await createCredential(client, service);
	const header = { name: 'X-Access-Key', value: KEY };
	const headerCredential = await client.createCredential('Key', 'httpHeaderAuth', header);
	const opened = resources.move();
	return {
		host,
		service,
		leads,
		/** For our nodes. */
		credential,
		/** For n8n's HTTP Request. */
		headerCredential,
		run,
		[Symbol.asyncDispose]: async () => await opened.disposeAsync(),
	};

	/** Runs nodes, which may get it wrong. */
	async function run(
		{ name, nodes, loops, countRight }: Contender,
		{ leads, circumstances }: Task,
	): Promise<Outcome> {
		await service.reset(circumstances);
		const sources = [manually()];
		if (leads !== undefined) {
			sources.push(node('Leads', 'n8n-nodes-base.httpRequest', 4.5, { url: leads, options: {} }));
		}
		const before = sources.map((source) => source.name);
		const [first = '', ...others] = nodes.map((own) => own.name);
		const workflow = await client.createWorkflow({
			name,
			nodes: [...sources, ...nodes],
			connections: loops
				? { ...chain(...before, first), ...loopOver(first, others) }
				: chain(...before, first, ...others),
			settings: { executionOrder: 'v1' },
		});
		const id = await client.startWorkflow(workflow, 'Start');
		const execution = await client.waitForExecution(id);
		expect({ name, status: execution.status }).toEqual({ name, status: 'success' });
		const runs = nodes.flatMap((own) => execution.data.resultData.runData[own.name] ?? []);
		const began = Math.min(...runs.map(({ startTime }) => startTime));
		const ended = Math.max(
			...runs.map(({ startTime, executionTime }) => startTime + executionTime),
		);
		return {
			milliseconds: ended - began,
			right: countRight(outputOf(execution, MEASURED).map(({ json }) => json)),
			...(await service.books()),
		};
	}
}

/** The second output of a loop leads through these nodes and back to it. */
function loopOver(loop: string, body: string[]): IConnections {
	const to = (name = '') => [{ node: name, type: 'main' as const, index: 0 }];
	return {
		...chain(...body),
		[loop]: { main: [[], to(body[0])] },
		[body.at(-1) ?? '']: { main: [to(loop)] },
	};
}
