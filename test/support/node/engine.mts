import 'reflect-metadata';

import { DirectoryLoader, ExecuteContext, RoutingNode, WorkflowExecute } from 'n8n-core';
import {
	Workflow,
	type IConnections,
	type ICredentialDataDecryptedObject,
	type IDataObject,
	type IExecuteFunctions,
	type INode,
	type INodeExecutionData,
	type INodeProperties,
	type INodeType,
	type IRun,
	type IRunExecutionData,
	type ITaskData,
	type WorkflowExecuteMode,
} from 'n8n-workflow';

import { ContactDataAccount } from '../../../nodes/Account/ContactDataAccount.node.ts';
import { ContactDataCompany } from '../../../nodes/Company/ContactDataCompany.node.ts';
import { ContactDataFinder } from '../../../nodes/Finder/ContactDataFinder.node.ts';
import { ContactDataList } from '../../../nodes/List/ContactDataList.node.ts';
import { ContactDataVerifier } from '../../../nodes/Verifier/ContactDataVerifier.node.ts';
import { serverOf, type OnCredentialRead } from '../servers/server.mts';
import { asSaved } from './asSaved.mts';

/** A node beside ours. */
function helper(
	name: string,
	execute: INodeType['execute'],
	properties: INodeProperties[] = [],
): INodeType {
	const isFirst = name === 'start';
	const texts = { displayName: name, name, description: 'Of the tests', defaults: { name } };
	const ends = { inputs: isFirst ? [] : ['main' as const], outputs: ['main' as const] };
	const group = [isFirst ? ('trigger' as const) : ('transform' as const)];
	return { description: { ...texts, ...ends, group, version: 1, properties }, execute };
}

/** Emits the items of a test, as any node before ours would. */
const start = helper(
	'start',
	async function (this: IExecuteFunctions) {
		const items: IDataObject[] = JSON.parse(String(this.getNodeParameter('items', 0)));
		const file = String(this.getNodeParameter('file', 0, ''));
		const binary = { data: { data: file, fileName: 'card.txt', mimeType: 'text/plain' } };
		return [items.map((json) => ({ json, ...(file !== '' && { binary }) }))];
	},
	[
		{ displayName: 'Items', name: 'items', type: 'json', default: '[]' },
		{ displayName: 'File of Each Item', name: 'file', type: 'string', default: '' },
	],
);

/** Passes its items on: an end for a branch. */
const end = helper('end', async function (this: IExecuteFunctions) {
	return [this.getInputData()];
});

/** Puts the execution to sleep, as n8n's Wait node does, under the name by which it is known. */
const wait = helper('wait', async function (this: IExecuteFunctions) {
	await this.putExecutionToWait(new Date(Date.now() + 60_000));
	return [this.getInputData()];
});

const WAIT = 'n8n-nodes-base.wait';

/** Our nodes by the name of their type, as n8n would load them. */
export const ourNodes = {
	contactDataAccount: new ContactDataAccount(),
	contactDataList: new ContactDataList(),
	contactDataFinder: new ContactDataFinder(),
	contactDataVerifier: new ContactDataVerifier(),
	contactDataCompany: new ContactDataCompany(),
} satisfies Record<string, INodeType>;

export type OurNode = keyof typeof ourNodes;

// n8n gives declarative nodes the Request Options and this `execute` when it loads them.
for (const nodeType of Object.values<INodeType>(ourNodes)) {
	DirectoryLoader.applyDeclarativeNodeOptionParameters(nodeType);
	nodeType.execute = async function (this: IExecuteFunctions) {
		if (!(this instanceof ExecuteContext)) throw new Error('Not the context of the engine');
		return (await new RoutingNode(this, nodeType).runNode()) ?? [];
	};
}

const nodeTypes: Record<string, INodeType> = { start, end, [WAIT]: wait, ...ourNodes };

function nodeTypeOf(name: string, others: Record<string, INodeType> = {}): INodeType {
	const nodeType = nodeTypes[name] ?? others[name];
	if (!nodeType) throw new Error(`No node type ${name}`);
	return nodeType;
}

/** A node of a test workflow. */
export interface TestNode extends Partial<INode> {
	name: string;
	type: OurNode | 'start' | 'end' | typeof WAIT | 'other';
}

export interface TestWorkflow {
	nodes: TestNode[];
	/** `from > to` by name; `from !> to` from the error output. */
	connections: string[];
	credential: ICredentialDataDecryptedObject;
	/** What nodes have in its place that name another credential. */
	otherCredentials?: Record<string, ICredentialDataDecryptedObject>;
	mode?: WorkflowExecuteMode;
	/** Node types besides those that are here. */
	types?: Record<string, INodeType>;
	/** Aborted to stop the execution, as the Stop button does. */
	stop?: AbortSignal;
	/** When n8n ends the execution, in milliseconds since 1970: Timeout Workflow. */
	timeoutAt?: number;
	/** Is given what n8n saves, in the moment in which it does: at the end, or when it is stopped. */
	save?: (run: IRun) => void;
	/** Is told of each node that begins. */
	onNode?: (name: string) => void;
	onCredentialRead?: OnCredentialRead;
	/** A failed execution that this one repeats, as n8n's Retry button does. */
	retryOf?: IRun;
	/** An execution that waits, which this one goes on with, as n8n does when the wait is over. */
	resumes?: IRun;
}

let executions = 0;

/** What n8n knows each execution by. */
const idOf = new WeakMap<IRun, string>();

/** Runs a workflow in the real engine and returns what n8n would store. */
export async function runWorkflow(test: TestWorkflow): Promise<IRun> {
	const connections: IConnections = {};
	for (const text of test.connections) {
		const [, from, error, to] = /^(.*?) (!?)> (.*)$/.exec(text) ?? [];
		const outputs = (connections[from] ??= { main: [] }).main;
		const index = error ? 1 : 0;
		while (outputs.length <= index) outputs.push([]);
		outputs[index]?.push({ node: to, type: 'main', index: 0 });
	}
	const nodes = test.nodes.map((node, index) => ({
		id: String(index),
		typeVersion: 1,
		position: [index * 200, 0] satisfies [number, number],
		...(node.type in ourNodes && { credentials: { contactDataApi: { id: '1', name: 'Test' } } }),
		...node,
		parameters: asSaved(node.type, node.parameters),
	}));
	const workflow = new Workflow({
		id: 'test',
		name: 'Test',
		nodes,
		connections,
		active: false,
		nodeTypes: {
			getByName: (name) => nodeTypeOf(name, test.types),
			getByNameAndVersion: (name) => nodeTypeOf(name, test.types),
			getKnownTypes: () => ({}),
		},
		// Luxon knows the offset of this zone without asking for it, for each expression that is evaluated.
		settings: { executionOrder: 'v1', timezone: 'utc' },
	});
	const mode = test.mode ?? (test.retryOf ? 'retry' : 'trigger');
	const id = (test.resumes && idOf.get(test.resumes)) ?? String(++executions);
	const { credential, onCredentialRead, otherCredentials, timeoutAt } = test;
	const server = serverOf(credential, mode, id, onCredentialRead, otherCredentials, timeoutAt);
	server.hooks?.addHandler('workflowExecuteAfter', async (run) => test.save?.(run));
	server.hooks?.addHandler('nodeExecuteBefore', async (name) => test.onNode?.(name));
	const stored = storedOf(test, workflow);
	const execute = new WorkflowExecute(server, mode, stored);
	const running = stored
		? execute.processRunExecutionData(workflow)
		: execute.run({ workflow, startNode: workflow.getNode('Start') ?? undefined });
	test.stop?.addEventListener('abort', () => running.cancel());
	const run = await running;
	idOf.set(run, id);
	return run;
}

/** The execution that this one goes on with, as n8n has stored it; a failed one with the workflow as it is now. */
function storedOf(
	{ retryOf, resumes }: TestWorkflow,
	workflow: Workflow,
): IRunExecutionData | undefined {
	const before = retryOf ?? resumes;
	const data: IRunExecutionData | undefined = before && JSON.parse(JSON.stringify(before.data));
	if (!retryOf || !data) return data;
	const { lastNodeExecuted = '', runData } = data.resultData;
	delete data.resultData.error;
	if (runData[lastNodeExecuted]?.at(-1)?.error) runData[lastNodeExecuted].pop();
	for (const waiting of data.executionData?.nodeExecutionStack ?? []) {
		waiting.node = workflow.getNode(waiting.node.name) ?? waiting.node;
	}
	return data;
}

type NodeSettings = 'onError' | 'retryOnFail' | 'maxTries' | 'waitBetweenTries' | 'executeOnce';

/** What one of our nodes is run with. */
export interface NodeTest
	extends Pick<INode, NodeSettings>,
		Pick<TestWorkflow, 'credential' | 'stop' | 'save' | 'retryOf' | 'mode' | 'timeoutAt'> {
	node: OurNode;
	parameters: INode['parameters'];
	items?: IDataObject[];
}

export interface NodeResult {
	run: IRun;
	/** What the node gave out on its first output. */
	items: INodeExecutionData[];
	/** What it gave out on its error output. */
	errorItems: INodeExecutionData[];
	/** The `json` of the items on the first output. */
	json: IDataObject[];
	/** What stopped the workflow. */
	error: ITaskData['error'];
	hints: ITaskData['hints'];
	/** What it tells above its output. */
	summary: string;
	/** How often n8n had to read the credential. */
	credentialReads: number;
}

/** Runs one node of ours in the real engine, between a node that emits the items and two ends. */
export async function runNode({ items = [{}], ...test }: NodeTest): Promise<NodeResult> {
	const { node: type, credential, stop, save, retryOf, mode, timeoutAt, ...settings } = test;
	let credentialReads = 0;
	const run = await runWorkflow({
		nodes: [
			{ name: 'Start', type: 'start', parameters: { items: JSON.stringify(items) } },
			{ name: 'Node', type, waitBetweenTries: 1, ...settings },
			{ name: 'End', type: 'end' },
			{ name: 'Failed', type: 'end' },
		],
		connections: ['Start > Node', 'Node > End', 'Node !> Failed'],
		...{ credential, stop, save, retryOf, mode, timeoutAt },
		onCredentialRead: () => credentialReads++,
	});
	const task = run.data.resultData.runData.Node?.at(-1);
	const [success, failed] = task?.data?.main ?? [];
	return {
		run,
		items: success ?? [],
		errorItems: failed ?? [],
		json: (success ?? []).map(({ json }) => json),
		error: task?.error ?? run.data.resultData.error,
		hints: task?.hints,
		summary: task?.hints?.[0]?.message ?? '',
		credentialReads,
	};
}
