import {
	type INodeProperties,
	type INodeTypeDescription,
	NodeConnectionTypes,
	type NodeHint,
	type NodeParameterValue,
	updateDisplayOptions,
} from 'n8n-workflow';
import { CREDENTIAL } from '../host/context';
import { allFields, type RecognizedFields } from '../input/declaration';
import { type Operation, toolRouting } from '../operation';
import { forTools, notForTools, simple, toolOutput } from './fields';

/** The parts of a description that all nodes but the trigger share, and the properties of this node. */
export function nodeDefaults(displayName: string, resource: string, operations: Operation[]) {
	return {
		displayName,
		defaults: { name: displayName },
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

/** The properties of a node: its one resource (hidden), its operations, and the fields of each. */
function operationProperties(resource: string, operations: Operation[]): INodeProperties[] {
	const fields = shared(operations, ({ fields }) => fields);
	const lead: RecognizedFields = Object.assign({}, ...operations.map((one) => one.lead));
	const byDefault = operations[0].option.value;
	const tools = operations.filter(({ tool }) => tool !== undefined);
	const simplified = operations
		.filter((one) => allFields(one).includes(simple))
		.map(({ option }) => option.value);
	return [
		{
			displayName: 'Resource',
			name: 'resource',
			type: 'hidden',
			default: resource,
			// n8n's node panel lists the operations of a resource that is an option.
			options: [{ name: `${resource[0].toUpperCase()}${resource.slice(1)}`, value: resource }],
		},
		{
			displayName: 'Operation',
			name: 'operation',
			type: 'options',
			// n8n names nodes and tools by the action of an operation, and finds that by the resource only.
			displayOptions: { show: { resource: [resource] } },
			noDataExpression: true,
			options: operations
				.map(({ option, tool }) => (tool ? option : { ...option, displayOptions: notForTools }))
				.toSorted((a, b) => a.name.localeCompare(b.name)),
			default: byDefault,
			routing: toolRouting(operations),
		},
		...tools.map(toolDescription),
		...fields.flatMap(({ field, operation }) =>
			updateDisplayOptions(
				// By a name without its path, n8n empties a collection when that field changes.
				{ show: { [field.type === 'collection' ? '/operation' : 'operation']: operation } },
				twins(field, lead[field.name]),
			),
		),
		...updateDisplayOptions({ show: { operation: simplified } }, [toolOutput]),
		...tools.map(selectableFields),
		optionsField(operations),
	];
}

/** The fields that a tool may give to the model, where its Output is Selected Fields. */
function selectableFields({ option, columns = [], optionalColumn }: Operation): INodeProperties {
	const names = optionalColumn ? [...columns, optionalColumn.column] : columns;
	return {
		displayName: 'Fields',
		name: 'fields',
		type: 'multiOptions',
		default: [],
		options: names.toSorted().map((name) => ({ name, value: name })),
		description:
			'The fields to give to the model, all of them if none is selected. Without a result, it is always told why.',
		displayOptions: { show: { operation: [option.value], output: ['fields'], '@tool': [true] } },
	};
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

/** A field as it differs in tools: one of a lead stands under Lead Fields in workflows, and is filled in by the model in tools. */
function twins(field: INodeProperties, lead?: RecognizedFields[string]): INodeProperties[] {
	if (!lead) return [field];
	const { forModel, isOptional } = lead;
	if (forModel === undefined) return [];
	const key = field.displayName.replaceAll(' ', '_');
	const otherwise = isOptional ? ", ''" : '';
	// By this expression n8n shows the field as "Defined automatically by the model".
	const byModel = `={{ /*n8n-auto-generated-fromAI-override*/ $fromAI('${key}', \`${forModel}\`, 'string'${otherwise}) }}`;
	return updateDisplayOptions(forTools, [{ ...field, default: byModel }]);
}

/** The collection "Options", sorted by name. An option that some operations lack is shown for the others. */
function optionsField(operations: Operation[]): INodeProperties {
	const withOptions = operations.filter(({ options }) => options !== undefined);
	const options = shared(withOptions, ({ options = [] }) => options).flatMap(
		({ field, operation }) =>
			operation.length === withOptions.length
				? field
				: updateDisplayOptions({ show: { '/operation': operation } }, [field]),
	);
	return {
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		// By a name without its path, n8n empties a collection when that field changes.
		displayOptions: { show: { '/operation': withOptions.map(({ option }) => option.value) } },
		options: options.toSorted((a, b) => a.displayName.localeCompare(b.displayName)),
	};
}

/** What the model of an AI agent reads. Without it, n8n adds a property that holds the name of the operation alone. */
function toolDescription({ option, tool }: Operation): INodeProperties {
	return {
		displayName: 'Tool Description',
		name: 'toolDescription',
		type: 'string',
		typeOptions: { rows: 5 },
		default: tool,
		description: 'What the AI agent is told about this tool',
		displayOptions: { show: { operation: [option.value], '@tool': [true] } },
	};
}

/** n8n gives `$parameter.listId` as the id alone, and all parameters with the name of the list. */
export const LIST_NAME = '$parameter.toJSON().listId?.cachedResultName';

/** The text below the node on the canvas: the list that it is about, else what the operation costs. */
export function subtitleOf(operations: Operation[]): string {
	const costs = Object.fromEntries(operations.map(({ option, cost }) => [option.value, cost]));
	return `={{ ${LIST_NAME} || (${JSON.stringify(costs)})[$parameter.operation] }}`;
}
