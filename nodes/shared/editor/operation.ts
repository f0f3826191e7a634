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
	type NodeOutput,
	updateDisplayOptions,
} from 'n8n-workflow';
import { keepWhatWasBought } from '../execution/execution';
import { contextOfNode, contextOfTool, CREDENTIAL, type NodeContext } from '../host/context';
import type { Declaration } from '../host/routing';
import { type Estimate, runEstimate } from '../lookups/estimate';
import type { Lookup } from '../lookups/lookup';
import { runLookup } from '../lookups/runner';
import { type Read, runRead } from '../reads/reader';
import { notForTools } from './fields';

/** Everything that one operation shows in the editor, and what it does. */
export interface Operation extends Declaration {
	run(context: NodeContext): Promise<INodeExecutionData[]>;
}

/** An operation that looks something up for each item, for credits. */
export function lookupOperation<Query extends IDataObject>(lookup: Lookup<Query>): Operation {
	const { option, tool, fields } = lookup;
	return { option, tool, fields, run: async (context) => await runLookup(context, lookup) };
}

/** An operation that tells what a lookup would cost. */
export function estimateOperation<Query extends IDataObject>(estimate: Estimate<Query>): Operation {
	const { option, fields } = estimate;
	return { option, fields, run: async (context) => await runEstimate(context, estimate) };
}

/** An operation that reads what the service holds. */
export function readOperation(read: Read): Operation {
	const { option, tool, fields } = read;
	return { option, tool, fields, run: async (context) => await runRead(context, read) };
}

/** A field, and the operations that it is shown for. */
interface ShownField {
	field: INodeProperties;
	operation: Array<INodePropertyOptions['value']>;
}

/** The properties of a node: its resource (fixed), its operations, and the fields of each. */
export function operationProperties(resource: string, operations: Operation[]): INodeProperties[] {
	const byDefault = operations[0].option.value;
	const shown: ShownField[] = [];
	for (const { option, fields } of operations) {
		// Fields that operations begin with in common are one property: where n8n calls the node as a tool
		// directly, it evaluates the expression of a parameter once for each property of its name.
		let common = true;
		for (const field of fields) {
			const known: ShownField | undefined = common
				? shown.find((one) => one.field === field)
				: undefined;
			common = known !== undefined;
			if (known) known.operation.push(option.value);
			else shown.push({ field, operation: [option.value] });
		}
	}
	return [
		{ displayName: 'Resource', name: 'resource', type: 'hidden', default: resource },
		{
			displayName: 'Operation',
			name: 'operation',
			type: 'options',
			// Only through a resource n8n finds the action of an operation, by which it names nodes and tools.
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
 * What the model of an AI agent is told; n8n's own words would be the name of the operation alone. A
 * property of this name keeps n8n from adding its own.
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

/** What stands below the node on the canvas: the label of its operation, as an expression. */
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
			return [await runAndKeep(run, contextOfNode(this))];
		},
	]);
	return { [resource]: Object.fromEntries(byName) };
}

/** Runs an operation; what the execution has bought is kept, also where it stops the workflow. */
async function runAndKeep(
	run: Operation['run'],
	context: NodeContext,
): Promise<INodeExecutionData[]> {
	let hasThrown = true;
	try {
		const items = await run(context);
		hasThrown = false;
		return items;
	} finally {
		keepWhatWasBought(context, hasThrown);
	}
}

/**
 * Where n8n calls a node as a tool directly, for one item, it knows only `routing`: there the pagination of
 * a request stands in for the request. It serves operations too that the editor does not offer for tools.
 */
function toolRouting(operations: Operation[]): INodePropertyRouting {
	return {
		send: { paginate: true },
		operations: {
			async pagination(this: IExecutePaginationFunctions) {
				const name = this.getNodeParameter('operation');
				const operation = operations.find(({ option }) => option.value === name);
				if (!operation)
					throw new NodeOperationError(this.getNode(), `No operation ${String(name)}`);
				const pairedItem = { item: this.getItemIndex() };
				const items = await operation.run(contextOfTool(this));
				return items.map((item) => ({ ...item, pairedItem }));
			},
		},
	};
}

/** What the declarative nodes of the package have in common, and what follows from their operations. */
export function nodeDefaults(resource: string, operations: Operation[]) {
	return {
		group: ['input'],
		version: 1,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: CREDENTIAL, required: true }],
		// Marks the node as declarative. Requests get their Base URL where they are sent.
		requestDefaults: { headers: { Accept: 'application/json' } },
		properties: operationProperties(resource, operations),
	} satisfies Partial<INodeTypeDescription>;
}

/** With more lookups than this the bulk operation is worth a hint. */
const MANY = 20;

/** Identical items are asked once, so they count once; the first items tell whether they differ. */
const LOOKUPS = `new Set($input.all().slice(0, ${5 * MANY}).map((item) => JSON.stringify(item.json))).size`;

/**
 * Points at the bulk operation where many items go through the single one.
 * @param perRequest what one bulk request takes
 * @param onlySingle an option that only the single operation has: while it is on, there is no hint
 */
export function bulkHint(
	single: Operation,
	bulk: Operation,
	perRequest: string,
	onlySingle: string,
): NodeHint {
	const conditions = [
		`$parameter.operation === "${single.option.value}"`,
		`!$parameter.options.${onlySingle}`,
		`${LOOKUPS} > ${MANY}`,
	];
	return {
		message: `${bulk.option.name} does this with one request per ${perRequest}, at the same price and several times as fast`,
		type: 'info',
		location: 'outputPane',
		whenToDisplay: 'always',
		displayCondition: `={{ ${conditions.join(' && ')} }}`,
	};
}
