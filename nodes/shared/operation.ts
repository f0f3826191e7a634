import {
	type IDataObject,
	type IExecuteFunctions,
	type IExecutePaginationFunctions,
	type INodeExecutionData,
	type INodePropertyRouting,
	type INodeType,
	NodeOperationError,
	type NodeOutput,
} from 'n8n-workflow';
import { ACCOUNT_PATH } from './api/account';
import { saveExecution } from './execution/execution';
import { OF_LOOKUP } from './failures/names';
import { WITHOUT_RESULT } from './failures/reasons';
import { contextOfNode, contextOfTool, type NodeContext } from './host/context';
import type { Declaration } from './input/declaration';
import type { Preparation } from './input/item';
import { runEstimate } from './lookups/estimate';
import type { Lookup } from './lookups/lookup';
import { LookupRun } from './lookups/runner';
import { type Read, runRead } from './reads/reader';

/** One operation of a node: its declaration, and the function that runs it for all items. */
export interface Operation extends Declaration {
	run(context: NodeContext): Promise<INodeExecutionData[]>;
}

export function lookupOperation<Query extends IDataObject>(
	lookup: Lookup<Query>,
): Operation & Preparation<Query> {
	return { ...lookup, run: async (context) => await new LookupRun(context, lookup).items() };
}

/** Estimate Cost: an operation that says what a lookup would cost at most (interface specification 4.1, 8). */
export function estimateOperation<Query extends IDataObject>(
	lookup: Omit<Preparation<Query>, 'option' | 'cost'>,
): Operation {
	const estimate: Preparation<Query> = {
		...lookup,
		option: {
			name: 'Estimate Cost',
			value: 'estimate',
			action: 'Estimate cost',
			description:
				'Estimate the most credits that looking up all input items can use. Nothing is looked up. Costs no credits.',
			routing: { request: { method: 'GET', url: ACCOUNT_PATH } },
		},
		cost: 'free',
	};
	return { ...estimate, run: async (context) => await runEstimate(context, estimate) };
}

export function readOperation(read: Read): Operation {
	return { ...read, run: async (context) => await runRead(context, read) };
}

/** The operations of a node, as n8n runs them for all items at once. */
export function customOperations(
	resource: string,
	operations: Operation[],
): NonNullable<INodeType['customOperations']> {
	const byName = operations.map((operation) => [
		String(operation.option.value),
		async function (this: IExecuteFunctions): Promise<NodeOutput> {
			return [await runAndSave(operation, contextOfNode(this))];
		},
	]);
	return { [resource]: Object.fromEntries(byName) };
}

/** Runs an operation, and stores what it bought, even if it stops the workflow: a retry reuses that. */
async function runAndSave(
	operation: Operation,
	context: NodeContext,
): Promise<INodeExecutionData[]> {
	try {
		return selected(await operation.run(context), context, operation);
	} finally {
		saveExecution(context);
	}
}

/** The items as the model of an agent gets them, by the Output of its tool. */
function selected(
	items: INodeExecutionData[],
	context: NodeContext,
	{ names = OF_LOOKUP }: Operation,
): INodeExecutionData[] {
	if (!context.isTool || context.parameter('output', 0, '') !== 'fields') return items;
	const wanted = [context.parameter('fields', 0, [])].flat();
	if (wanted.length === 0) return items;
	const why = [names.status, names.message];
	return items.map(({ json, ...item }) => {
		const told = WITHOUT_RESULT.has(json[names.status]) ? [...wanted, ...why] : wanted;
		const isTold = ([name]: [string, unknown]) => told.includes(name);
		return { ...item, json: Object.fromEntries(Object.entries(json).filter(isTold)) };
	});
}

/**
 * Runs an operation where n8n calls the node as a tool directly. There n8n reads `routing` only, and runs
 * this pagination in place of the request. It also runs operations that the editor hides from tools.
 */
export function toolRouting(operations: Operation[]): INodePropertyRouting {
	return {
		send: { paginate: true },
		operations: {
			async pagination(this: IExecutePaginationFunctions) {
				const name = this.getNodeParameter('operation');
				const operation = operations.find(({ option }) => option.value === name);
				if (!operation) {
					throw new NodeOperationError(this.getNode(), `No operation ${String(name)}`);
				}
				const pairedItem = { item: this.getItemIndex() };
				const items = await runAndSave(operation, contextOfTool(this));
				return items.map((item) => ({ ...item, pairedItem }));
			},
		},
	};
}
