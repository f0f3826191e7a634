import {
	type IDataObject,
	type IExecuteFunctions,
	type IExecutePaginationFunctions,
	type INodeExecutionData,
	type INodeProperties,
	type INodePropertyOptions,
	type INodePropertyRouting,
	type INodeType,
	type INodeTypeDescription,
	NodeConnectionTypes,
	type NodeHint,
	NodeOperationError,
	type NodeParameterValue,
	type NodeOutput,
	updateDisplayOptions,
} from 'n8n-workflow';
import { saveExecution } from '../execution/execution';
import { contextOfNode, contextOfTool, CREDENTIAL, type NodeContext } from '../host/context';
import type { Declaration } from '../host/routing';
import { type Estimate, runEstimate } from '../lookups/estimate';
import type { Lookup } from '../lookups/lookup';
import { runLookup } from '../lookups/runner';
import { type Read, runRead } from '../reads/reader';
import { notForTools } from './fields';

/** One operation of a node: its declaration, and the function that runs it for all items. */
export interface Operation extends Declaration {
	run(context: NodeContext): Promise<INodeExecutionData[]>;
}

/** An operation that looks something up for each item, for credits. */
export function lookupOperation<Query extends IDataObject>(lookup: Lookup<Query>): Operation {
	return { ...lookup, run: async (context) => await runLookup(context, lookup) };
}

/** An operation that says what a lookup would cost at most. */
export function estimateOperation<Query extends IDataObject>(estimate: Estimate<Query>): Operation {
	return { ...estimate, run: async (context) => await runEstimate(context, estimate) };
}

/** An operation that reads from the service. */
export function readOperation(read: Read): Operation {
	return { ...read, run: async (context) => await runRead(context, read) };
}

/** The properties of a node: its one resource (hidden), its operations, and the fields of each. */
export function operationProperties(resource: string, operations: Operation[]): INodeProperties[] {
	const byDefault = operations[0].option.value;
	const shown: Array<{ field: INodeProperties; operation: NodeParameterValue[] }> = [];
	for (const { option, fields } of operations) {
		// The first fields, as far as another operation has the same, are one property for both: where n8n calls
		// the node as a tool directly, it evaluates a parameter once for each property of its name.
		let common = true;
		for (const field of fields) {
			const known = shown.find((one) => one.field === field);
			common &&= known !== undefined;
			if (common) known?.operation.push(option.value);
			else shown.push({ field, operation: [option.value] });
		}
	}
	return [
		{ displayName: 'Resource', name: 'resource', type: 'hidden', default: resource },
		{
			displayName: 'Operation',
			name: 'operation',
			type: 'options',
			// n8n names nodes and tools by the action of an operation, and finds that by the resource only.
			displayOptions: { show: { resource: [resource] } },
			noDataExpression: true,
			options: operations.map(menuEntry),
			default: byDefault,
			routing: toolRouting(operations),
		},
		...operations.flatMap(toolDescription),
		...shown.flatMap(({ field, operation }) =>
			updateDisplayOptions({ show: { operation } }, [field]),
		),
	];
}

function menuEntry({ option, tool }: Operation): INodePropertyOptions {
	return tool === undefined ? { ...option, displayOptions: notForTools } : option;
}

/**
 * The description of a tool for the model of an AI agent. n8n adds its own property of this name, which
 * holds no more than the name of the operation, unless the node has one.
 */
function toolDescription({ option, tool }: Operation): INodeProperties[] {
	if (tool === undefined) return [];
	return [
		{
			displayName: 'Tool Description',
			name: 'toolDescription',
			type: 'string',
			typeOptions: { rows: 5 },
			default: tool,
			description: 'What the AI agent is told about this tool',
			displayOptions: { show: { operation: [option.value], '@tool': [true] } },
		},
	];
}

/** The text below the node on the canvas: an expression that gives the label of the operation. */
export function operationSubtitle(operations: Operation[]): string {
	const labels = Object.fromEntries(operations.map(({ option }) => [option.value, option.name]));
	return `={{ (${JSON.stringify(labels)})[$parameter.operation] }}`;
}

/** The operations of a node, as n8n runs them for all items at once. */
export function customOperations(
	resource: string,
	operations: Operation[],
): NonNullable<INodeType['customOperations']> {
	const byName = operations.map(({ option, run }) => [
		String(option.value),
		async function (this: IExecuteFunctions): Promise<NodeOutput> {
			return [await runAndSave(run, contextOfNode(this))];
		},
	]);
	return { [resource]: Object.fromEntries(byName) };
}

/** Runs an operation, and stores what it bought, even if it stops the workflow: a retry reuses that. */
async function runAndSave(
	run: Operation['run'],
	context: NodeContext,
): Promise<INodeExecutionData[]> {
	try {
		return await run(context);
	} finally {
		saveExecution(context);
	}
}

/**
 * Runs an operation where n8n calls the node as a tool directly. There n8n reads `routing` only, and runs
 * this pagination in place of the request. It also runs operations that the editor hides from tools.
 */
function toolRouting(operations: Operation[]): INodePropertyRouting {
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
				const items = await runAndSave(operation.run, contextOfTool(this));
				return items.map((item) => ({ ...item, pairedItem }));
			},
		},
	};
}

/** The parts of a description that all nodes but the trigger share, and the properties of this node. */
export function nodeDefaults(resource: string, operations: Operation[]) {
	return {
		group: ['input'],
		version: 1,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: CREDENTIAL, required: true }],
		// These mark the node as declarative. `sendOnce` adds the Base URL.
		requestDefaults: { headers: { Accept: 'application/json' } },
		properties: operationProperties(resource, operations),
	} satisfies Partial<INodeTypeDescription>;
}

/** The hint at the bulk operation appears above this number of lookups. */
const MANY = 20;

/** Counts identical items once, as they need one lookup, and the first items only, which is quick. */
const LOOKUPS = `new Set($input.all().slice(0, ${5 * MANY}).map((item) => JSON.stringify(item.json))).size`;

/**
 * The hint at the bulk operation, for users who look up many items one by one.
 * @param perRequest how much fits into one bulk request, e.g. `100 people`
 * @param onlySingle an option that the bulk operation lacks: while it is on, there is no hint
 */
export function bulkHint(
	single: Operation,
	bulk: Operation,
	perRequest: string,
	onlySingle: string,
): NodeHint {
	const isShown = `$parameter.operation === "${single.option.value}" && !$parameter.options.${onlySingle}`;
	return {
		message: `${bulk.option.name} does this with one request per ${perRequest}, at the same price and several times as fast`,
		type: 'info',
		location: 'outputPane',
		whenToDisplay: 'always',
		displayCondition: `={{ ${isShown} && ${LOOKUPS} > ${MANY} }}`,
	};
}
