import {
	type IAllExecuteFunctions,
	type ICredentialDataDecryptedObject,
	type IExecuteFunctions,
	type IExecutePaginationFunctions,
	type IGetNodeParameterOptions,
	type INode,
	type INodeExecutionData,
	sleep,
} from 'n8n-workflow';
import { asBeforeFile } from './file';
import { objectAt, objectFrom } from '../values/json';

export const CREDENTIAL = 'contactDataApi';

/** The longest delay of a timer in Node, in milliseconds. */
export const MAX_TIMEOUT = 2 ** 31 - 1;

interface ItemCredential {
	credential: ICredentialDataDecryptedObject;
	/** Whether it is the same for all items, as none of its fields is an expression. */
	isForAll: boolean;
}

/** Whether a parameter, or anything in it, is an expression. */
export function hasExpression(parameter: unknown): boolean {
	if (typeof parameter === 'string') return parameter.startsWith('=');
	if (typeof parameter !== 'object' || parameter === null) return false;
	return Object.values(parameter).some(hasExpression);
}

/**
 * Reads the credential for an item. n8n does not say whether a field of it is an expression, but the workflow of the
 * context evaluates the saved fields: this watches that call. Without one the credential counts for this item only.
 */
export async function readCredential(
	n8n: Pick<IExecuteFunctions, 'getCredentials'>,
	item: number,
): Promise<ItemCredential> {
	const workflow = objectAt(n8n, 'workflow');
	const expression = objectAt(workflow, 'expression');
	const evaluate: unknown = expression.getParameterValue;
	const seen: unknown[] = [];
	const getParameterValue = (saved: unknown, ...rest: unknown[]): unknown => {
		seen.push(saved);
		return typeof evaluate === 'function' ? evaluate.call(expression, saved, ...rest) : saved;
	};
	const watching = inheriting(n8n, {
		workflow: inheriting(workflow, { expression: inheriting(expression, { getParameterValue }) }),
	});
	const credential = await watching.getCredentials(CREDENTIAL, item);
	return { credential, isForAll: seen.length > 0 && !hasExpression(seen) };
}

/** An object that inherits from another one, with own values for some properties. */
export function inheriting<T extends object>(object: T, properties: Record<string, unknown>): T {
	const descriptors = Object.entries(properties).map(([name, value]) => [name, { value }]);
	return Object.create(object, Object.fromEntries(descriptors));
}

/** Whether n8n runs the node as a tool of an AI agent. */
export function isTool({ type }: INode): boolean {
	return type.endsWith('Tool');
}

/** How long before n8n ends an execution a run ends itself, in milliseconds: what it has has to be delivered and stored. */
export const TIME_TO_DELIVER = 2_000;

/**
 * When n8n ends the execution, in milliseconds since 1970 (never without a timeout), and the signal that ends the run: that
 * of a stop, or in time before the timeout, at which n8n would lose what the node has.
 */
function endOf(n8n: Pick<IExecuteFunctions, 'getExecutionCancelSignal'>) {
	const stop = n8n.getExecutionCancelSignal();
	const { executionTimeoutTimestamp: endsAt } = objectAt(n8n, 'additionalData');
	if (typeof endsAt !== 'number') return { endsAt: Number.POSITIVE_INFINITY, signal: stop };
	const left = Math.max(0, endsAt - Date.now() - TIME_TO_DELIVER);
	const end = AbortSignal.timeout(Math.min(left, MAX_TIMEOUT));
	return { endsAt, signal: stop ? AbortSignal.any([stop, end]) : end };
}

/** The functions that n8n offers under the same name to a node and to a tool. */
function commonContext(n8n: IExecuteFunctions | IExecutePaginationFunctions) {
	const node = n8n.getNode();
	return {
		node,
		isTool: isTool(node),
		executionId: n8n.getExecutionId(),
		/** Whether items go on to another node of the same type. */
		hasNext: () =>
			n8n.getChildNodes(node.name).some(({ type, disabled }) => type === node.type && !disabled),
		logger: n8n.logger,
		isManual: n8n.getMode() === 'manual',
		...endOf(n8n),
		/** An object that n8n stores with the execution, for all nodes. */
		memory: () => n8n.getContext('flow'),
		/** What n8n shows beside the execution. */
		customData: (): Pick<Map<string, string>, 'get' | 'set'> | undefined =>
			n8n.getWorkflowDataProxy(0).$execution?.customData,
	};
}

/** n8n's functions while a node runs, the same for a node with items and for a tool. */
export interface NodeContext extends Readonly<ReturnType<typeof commonContext>> {
	readonly n8n: IAllExecuteFunctions;
	readonly inputs: INodeExecutionData[];
	/** `$json` for an item; `undefined` where only n8n's expression engine knows it. */
	json(item: number): unknown;
	/** The value of a parameter for an item; throws if its expression fails. */
	parameter(
		name: string,
		item: number,
		fallback: unknown,
		options?: IGetNodeParameterOptions,
	): unknown;
	credential(item: number): Promise<ItemCredential>;
	/** Shows a hint above the output; tools have none. */
	hint(message: string, type: 'info' | 'warning'): void;
}

/** For a node that n8n runs with all its items. */
export function contextOfNode(n8n: IExecuteFunctions): NodeContext {
	const inputs = n8n.getInputData().map((item) => {
		// A node before may give items without fields.
		return { ...item, json: asBeforeFile(objectFrom(item.json)) };
	});
	return {
		...commonContext(n8n),
		n8n,
		inputs,
		json: (item) => inputs[item].json,
		parameter: (...parameter) => n8n.getNodeParameter(...parameter),
		credential: async (item) => await readCredential(n8n, item),
		hint: (message, type) => n8n.addExecutionHints({ message, type, location: 'outputPane' }),
	};
}

/** For a node that n8n calls as a tool by its `routing`, with one item. */
export function contextOfTool(n8n: IExecutePaginationFunctions): NodeContext {
	return {
		...commonContext(n8n),
		n8n,
		inputs: [n8n.getInputData()].flat(),
		// The input item is the agent's, not the tool's.
		json: () => undefined,
		parameter: (name, _item, fallback, options) => n8n.getNodeParameter(name, fallback, options),
		credential: async () => ({ credential: await n8n.getCredentials(CREDENTIAL), isForAll: true }),
		hint: () => {},
	};
}

/** How long a loop may block the process, in milliseconds. A breath takes about one. */
const SLICE = 40;

/** Interrupts a long loop so that the rest of n8n can run. */
export class Breather {
	private since = performance.now();
	private last = Promise.resolve();

	get isDue(): boolean {
		return performance.now() - this.since > SLICE;
	}

	/** Waits its turn, so that of many callers only as many go on as fit into the next slice. */
	async breathe(): Promise<void> {
		this.last = this.last.then(async () => {
			if (!this.isDue) return;
			await sleep(0);
			this.since = performance.now();
		});
		await this.last;
	}
}
