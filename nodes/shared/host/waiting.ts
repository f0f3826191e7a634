import type { IExecuteFunctions, NodeTypeAndVersion } from 'n8n-workflow';
import { isObject, objectAt } from '../values/json';

/** Nodes that may put an execution to sleep, whatever they are set to. */
const WAITING_TYPE = /\.(?:wait|form|chat|executeWorkflow)$/;

/** In a chat, the answer to a person waits for what the person says next. */
const CHAT_TRIGGER = /\.chatTrigger$/;
const RESPONSE = /\.respondToWebhook$/;

/** The operations by which many nodes wait for what a person or a service answers. */
const WAITING_OPERATION = /AndWait$/;

/** Tools by which an agent waits: for what a person answers, or for a workflow that may do so. */
const WAITING_TOOL = /(?:hitlTool|toolWorkflow)$/i;

type Neighbours = Pick<IExecuteFunctions, 'getNode' | 'getChildNodes' | 'getParentNodes'> & {
	/** The workflow that n8n's context works with. */
	workflow?: unknown;
};

/**
 * Whether a node that may run after this one can make n8n store the execution and read it again: nodes
 * behind it, and those on other branches, which run when this one is done. A node that runs once, and that
 * every way to this one leads through, has run before.
 */
export function mayWaitLater(n8n: Neighbours): boolean {
	const { name: own, type } = n8n.getNode();
	// Where the agent of a tool leads, n8n does not tell.
	if (type.endsWith('Tool')) return true;
	const ancestors = n8n.getParentNodes(own);
	const isChat = ancestors.some((node) => CHAT_TRIGGER.test(node.type));
	const others = ancestors.flatMap(({ name }) => nodesBehind(n8n, name));
	return [...nodesBehind(n8n, own), ...others].some(
		(node) => canWait(n8n, node, isChat) && !isOver(n8n, own, node.name),
	);
}

/** Whether another node has run before this one and does not run again. */
function isOver(n8n: Neighbours, own: string, other: string): boolean {
	return isPassedBy(n8n, own, other) && runsOnce(n8n, other);
}

/** Whether a node runs once at most: to it, and to each node before it, leads one connection only. */
function runsOnce({ workflow }: Neighbours, name: string): boolean {
	if (!isObject(workflow) || !isObject(workflow.connectionsByDestinationNode)) return false;
	const connections = workflow.connectionsByDestinationNode;
	const seen = new Set([name]);
	for (const passed of seen) {
		const { main } = objectAt(connections, passed);
		const [next, ...others] = Array.isArray(main) ? main.flat().filter(isObject) : [];
		if (others.length > 0) return false;
		if (next && seen.has(String(next.node))) return false;
		if (next) seen.add(String(next.node));
	}
	return true;
}

/** Whether every way from a trigger to a node leads through another one. */
function isPassedBy(n8n: Neighbours, own: string, other: string): boolean {
	const seen = new Set([own, other]);
	for (const name of seen) {
		if (name === other) continue;
		const parents = n8n.getParentNodes(name, { depth: 1 });
		if (parents.length === 0) return false;
		for (const parent of parents) seen.add(parent.name);
	}
	return true;
}

function nodesBehind(n8n: Neighbours, name: string): NodeTypeAndVersion[] {
	return n8n.getChildNodes(name, { includeNodeParameters: true });
}

function canWait(n8n: Neighbours, node: NodeTypeAndVersion, isChat: boolean): boolean {
	if (node.disabled) return false;
	if (WAITING_TYPE.test(node.type) || hasWaitingOperation(node)) return true;
	if (isChat && RESPONSE.test(node.type)) return true;
	if (!node.type.endsWith('.agent')) return false;
	const ofTools = { connectionType: 'ai_tool', includeNodeParameters: true } as const;
	const tools = n8n.getParentNodes(node.name, ofTools).filter(({ disabled }) => !disabled);
	return tools.some((tool) => WAITING_TOOL.test(tool.type) || hasWaitingOperation(tool));
}

function hasWaitingOperation({ parameters }: NodeTypeAndVersion): boolean {
	return WAITING_OPERATION.test(String(parameters?.operation));
}
