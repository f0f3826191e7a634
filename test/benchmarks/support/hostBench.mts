import type { IConnections, IDataObject, INode } from 'n8n-workflow';
import { expect } from 'vitest';

import { outputOf, type Execution } from '../../hosts/execution.mts';
import { openHost, type OpenHost } from '../../hosts/open.mts';
import type { Credential, SavedWorkflow } from '../../hosts/rest.mts';
import { n8n2 } from '../../hosts/versions.mts';
import { chain, type Workflow } from '../../hosts/workflow.mts';
import { numbers } from '../../support/bulk.mts';
import { manually, node } from '../../support/savedNodes.mts';
import { KEY } from '../../support/service.mts';
import { MEASURED, type Contender } from './contenders.mts';
import { HealthPoller } from './healthPoller.mts';
import { LeadSource } from './leadSource.mts';
import type { Circumstances } from './serviceMessages.mts';
import { ServiceProcess } from './serviceProcess.mts';

const START = 'Start';
const LEADS = 'Leads';
const EXECUTION_TIMEOUT_MS = 180_000;

/** How a node did, by n8n's own account. */
export interface NodeRun {
	milliseconds: number;
	/** The longest that n8n let somebody else wait in that time; where it was looked at. */
	longestWait: number;
}

/** Nodes that are to look up leads, one of them named {@link MEASURED}, and what is right for them. */
export interface Attempt {
	name: string;
	nodes: INode[];
	/** Whether the first node hands the leads to the others part by part. */
	loops?: boolean;
	/** How many leads of a CRM they get; without them they start with nothing. */
	leads?: number;
	circumstances: Circumstances;
	isRight: (json: IDataObject, item: number) => boolean;
}

/** What came of it. */
export interface Attempted {
	milliseconds: number;
	/** Items with the right result. */
	right: number;
	credits: number;
	requests: number;
	/** Requests refused for the rate limit. */
	refused: number;
	/** When the others arrived, in milliseconds since the first one. */
	admitted: number[];
}

/** An n8n in which nodes of different origin do the same work. */
export class HostBench implements AsyncDisposable {
	private constructor(
		readonly host: OpenHost,
		readonly service: ServiceProcess,
		private readonly circumstances: Circumstances,
		/** For our nodes. */
		readonly credential: Credential,
		/** For n8n's HTTP Request. */
		readonly headerCredential: Credential,
		private readonly leads: LeadSource,
		private readonly resources: AsyncDisposableStack,
	) {}

	/** @param circumstances in which all contenders work */
	static async open(circumstances: Circumstances): Promise<HostBench> {
		await using resources = new AsyncDisposableStack();
		const host = resources.use(await openHost({ name: 'n8n-benchmark', version: n8n2 }));
		const service = resources.use(await ServiceProcess.start());
		const leads = resources.use(await LeadSource.open());
		const credential = await host.client.createCredential('Contact Data', 'contactDataApi', {
			baseUrl: service.baseUrl,
			apiKey: KEY,
		});
		const headerCredential = await host.client.createCredential('Key', 'httpHeaderAuth', {
			name: 'X-Access-Key',
			value: KEY,
		});
		return new HostBench(
			host,
			service,
			circumstances,
			credential,
			headerCredential,
			leads,
			resources.move(),
		);
	}

	/**
	 * Makes ready what measures a contender.
	 *
	 * @param watched whether somebody else asks something of n8n meanwhile
	 */
	async prepare(contender: Contender, watched = false): Promise<() => Promise<NodeRun>> {
		const workflow = await this.host.client.createWorkflow(this.#workflowOf(contender));
		return async () => {
			await this.service.reset(this.circumstances);
			const poller = watched ? new HealthPoller(this.host.host.url) : undefined;
			const execution = await this.#execute(workflow).finally(async () => await poller?.stop());
			await this.#expectRight(contender, execution);
			const [run] = execution.data.resultData.runData[MEASURED] ?? [];
			if (!run) throw new Error(`${contender.name} did not run`);
			const { startTime, executionTime } = run;
			return {
				milliseconds: executionTime,
				longestWait: poller?.longestWait(startTime, startTime + executionTime) ?? Number.NaN,
			};
		};
	}

	/** Runs nodes, which may get it wrong. */
	async attempt(attempt: Attempt): Promise<Attempted> {
		const { name, nodes, loops, leads, circumstances, isRight } = attempt;
		await this.service.reset(circumstances);
		const sources: INode[] = [manually(START)];
		if (leads !== undefined) {
			const source = { url: this.leads.crmUrlOf(leads), options: {} };
			sources.push(node(LEADS, 'n8n-nodes-base.httpRequest', 4.5, source));
		}
		const sourceNames = sources.map(({ name: source }) => source);
		const [first, ...others] = nodes.map((own) => own.name);
		const workflow = await this.host.client.createWorkflow({
			name,
			nodes: [...sources, ...nodes],
			connections: loops
				? { ...chain(...sourceNames, first), ...loopOver(first, others) }
				: chain(...sourceNames, first, ...others),
			settings: { executionOrder: 'v1' },
		});
		const execution = await this.#execute(workflow);
		expect({ name, status: execution.status }).toEqual({ name, status: 'success' });
		const runs = nodes.flatMap((own) => execution.data.resultData.runData[own.name] ?? []);
		const began = Math.min(...runs.map(({ startTime }) => startTime));
		const ended = Math.max(
			...runs.map(({ startTime, executionTime }) => startTime + executionTime),
		);
		const { answers, paid, admitted } = await this.service.books();
		const counts = Object.entries(answers);
		return {
			milliseconds: ended - began,
			right: outputOf(execution, MEASURED).filter(({ json }, item) => isRight(json, item)).length,
			credits: paid.length,
			requests: counts.reduce((sum, [, count]) => sum + count, 0),
			refused: counts.reduce((sum, [kind, count]) => sum + (kind.endsWith(' 429') ? count : 0), 0),
			admitted,
		};
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.resources.disposeAsync();
	}

	#workflowOf({ name, leads, node: measured }: Contender): Workflow {
		const leadsFrom = { url: this.leads.urlOf(leads), options: {} };
		return {
			name,
			nodes: [
				manually(START),
				node(LEADS, 'n8n-nodes-base.httpRequest', 4.5, leadsFrom),
				{ id: 'measured', name: MEASURED, position: [0, 0], ...measured },
			],
			connections: chain(START, LEADS, MEASURED),
			settings: { executionOrder: 'v1' },
		};
	}

	async #execute(workflow: SavedWorkflow): Promise<Execution> {
		const { client } = this.host;
		const id = await client.startWorkflow(workflow, START);
		return await client.waitForExecution(id, EXECUTION_TIMEOUT_MS);
	}

	/** A contender that gives a wrong answer, or pays for anything else, gets no figure. */
	async #expectRight(contender: Contender, execution: Execution): Promise<void> {
		const { name, leads, answer, expected, paid } = contender;
		expect({ name, status: execution.status }).toEqual({ name, status: 'success' });
		const output = outputOf(execution, MEASURED);
		expect(output).toHaveLength(leads);
		expect(output.map(({ json }) => answer(json))).toEqual(numbers(leads).map(expected));
		const books = await this.service.books();
		expect(books.paid.toSorted()).toEqual(paid.toSorted());
		expect(books.violations).toEqual([]);
	}
}

/** The second output of a loop leads through these nodes and back to it. */
function loopOver(loop: string, body: string[]): IConnections {
	const [first = ''] = body;
	const around = [...body, loop].map((name) => ({ node: name, type: 'main' as const, index: 0 }));
	return {
		...chain(...body),
		[loop]: { main: [[], [{ node: first, type: 'main', index: 0 }]] },
		[body.at(-1) ?? '']: { main: [around.slice(-1)] },
	};
}
