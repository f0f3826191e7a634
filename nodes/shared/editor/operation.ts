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
import { ACCOUNT_PATH } from '../credits/account';
import { saveExecution } from '../execution/execution';
import { contextOfNode, contextOfTool, CREDENTIAL, type NodeContext } from '../host/context';
import type { Declaration } from '../host/routing';
import { runEstimate } from '../lookups/estimate';
import type { Lookup, Preparation } from '../lookups/lookup';
import { LookupRun } from '../lookups/runner';
import { type Read, runRead } from '../reads/reader';
import { notForTools } from './fields';

/** One operation of a node: its declaration, and the function that runs it for all items. */
export interface Operation extends Declaration {
	run(context: NodeContext): Promise<INodeExecutionData[]>;
}

/** An operation that looks something up for each item, for credits. */
export function lookupOperation<Query extends IDataObject>(lookup: Lookup<Query>): Operation {
	return { ...lookup, run: async (context) => await new LookupRun(context, lookup).run() };
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
			builderHint: {
				propertyHint:
					'Gives one item with mostCredits, creditsRemaining and enough, to decide before a large lookup. Give it the same fields as the lookup.',
			},
		},
		cost: 'free',
	};
	return { ...estimate, run: async (context) => await runEstimate(context, estimate) };
}

export function readOperation(read: Read): Operation {
	return { ...read, run: async (context) => await runRead(context, read) };
}

/** The properties of a node: its one resource (hidden), its operations, and the fields of each. */
function operationProperties(resource: string, operations: Operation[]): INodeProperties[] {
	const fields = shared(operations, ({ fields }) => fields);
	const byDefault = operations[0].option.value;
	return [
		{
			displayName: 'Resource',
			name: 'resource',
			type: 'hidden',
			default: resource,
			// n8n's node panel lists the operations of a resource that is an option.
			options: [{ name: resource, value: resource }],
		},
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
		...fields.flatMap(({ field, operation }) =>
			updateDisplayOptions({ show: { operation } }, twins(field)),
		),
		...optionsField(operations),
	];
}

/**
 * The fields of all operations, each field once: the editor forgets the value of a field when the operation changes,
 * unless the next operation has the same field.
 */
function shared(operations: Operation[], fieldsOf: (operation: Operation) => INodeProperties[]) {
	const all: Array<{ field: INodeProperties; operation: NodeParameterValue[] }> = [];
	for (const operation of operations) {
		let end = 0;
		for (const field of fieldsOf(operation)) {
			const index = all.findIndex((one) => one.field === field);
			const { value } = operation.option;
			if (index >= 0) all[index].operation.push(value);
			else all.splice(end, 0, { field, operation: [value] });
			end = Math.max(end, index < 0 ? end : index) + 1;
		}
	}
	return all;
}

/** A field that begins with an expression in workflows, and empty in tools: an agent has no items. */
function twins(field: INodeProperties): INodeProperties[] {
	const isExpression = typeof field.default === 'string' && field.default.startsWith('=');
	if (!isExpression || field.displayOptions?.hide?.['@tool']) return [field];
	return [
		...updateDisplayOptions(notForTools, [field]),
		...updateDisplayOptions({ show: { '@tool': [true] } }, [{ ...field, default: '' }]),
	];
}

/** The collection "Options", sorted by name. An option that some operations lack is shown for the others. */
function optionsField(operations: Operation[]): INodeProperties[] {
	const withOptions = operations.filter(({ options }) => options !== undefined);
	if (withOptions.length === 0) return [];
	const options = shared(withOptions, ({ options = [] }) => options).flatMap(
		({ field, operation }) =>
			operation.length === withOptions.length
				? field
				: updateDisplayOptions({ show: { '/operation': operation } }, [field]),
	);
	return [
		{
			displayName: 'Options',
			name: 'options',
			type: 'collection',
			placeholder: 'Add option',
			default: {},
			// By a name without its path, n8n empties a collection when that field changes.
			displayOptions: { show: { '/operation': withOptions.map(({ option }) => option.value) } },
			options: options.toSorted((a, b) => a.displayName.localeCompare(b.displayName)),
		},
	];
}

function menuEntry({ option, tool }: Operation): INodePropertyOptions {
	return tool === undefined ? { ...option, displayOptions: notForTools } : option;
}

/** What the model of an AI agent reads. Without it, n8n adds a property that holds the name of the operation alone. */
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

/** n8n gives `$parameter.listId` as the id alone, and all parameters with the name of the list. */
export const LIST_NAME = '$parameter.toJSON().listId?.cachedResultName';

/** The text below the node on the canvas: the list that it is about, else what the operation costs. */
export function subtitleOf(operations: Operation[]): string {
	const costs = Object.fromEntries(operations.map(({ option, cost }) => [option.value, cost]));
	return `={{ ${LIST_NAME} || (${JSON.stringify(costs)})[$parameter.operation] }}`;
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

/** The hint at the bulk operation, for users who look up more than 20 items one by one. */
export function bulkHint(single: Operation, bulk: Operation): NodeHint {
	return {
		message: `Switch to ${bulk.option.name}: same price, several times faster`,
		type: 'info',
		location: 'outputPane',
		whenToDisplay: 'always',
		displayCondition: `={{ $parameter.operation === "${single.option.value}" && $input.all().length > 20 }}`,
	};
}
