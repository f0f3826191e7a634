import {
	type INodeProperties,
	type INodePropertyOptions,
	type INodeTypeDescription,
	NodeConnectionTypes,
	type NodeHint,
	type NodeParameterValue,
	updateDisplayOptions,
} from 'n8n-workflow';
import { CREDENTIAL } from '../host/context';
import { ADDED_FIELDS, type RecognizedFields } from '../input/declaration';
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
	const isOfLead = ({ field }: Shared) => field.name in lead;
	const start = fields.findIndex(isOfLead);
	const byDefault = operations[0].option.value;
	const tools = operations.filter(({ tool }) => tool !== undefined);
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
			options: operations.map(menuEntry).toSorted((a, b) => a.name.localeCompare(b.name)),
			default: byDefault,
			routing: toolRouting(operations),
		},
		...tools.map(toolDescription),
		...fields.flatMap((one, index) => [
			...(index === start ? leadFields(operations, fields.filter(isOfLead)) : []),
			...updateDisplayOptions(
				{ show: { operation: one.operation } },
				twins(one.field, lead[one.field.name]),
			),
		]),
		...tools.map(selectableFields),
		...optionsField(operations),
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

/** A field, and the operations that have it. */
interface Shared {
	field: INodeProperties;
	operation: NodeParameterValue[];
}

/**
 * The fields of all operations, each field once: the editor forgets the value of a field when the operation changes,
 * unless the next operation has the same field.
 */
function shared(operations: Operation[], fieldsOf: (operation: Operation) => INodeProperties[]) {
	const all: Shared[] = [];
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

/**
 * A field whose default differs in tools, as an agent has no items: in workflows it begins with an expression, or it is of a
 * lead and stands in the collection "Lead Fields"; in tools it is filled in by the model, or begins empty.
 */
function twins(field: INodeProperties, lead?: RecognizedFields[string]): INodeProperties[] {
	if (field === simple) return [...updateDisplayOptions(notForTools, [simple]), toolOutput];
	const isExpression = typeof field.default === 'string' && field.default.startsWith('=');
	const ofWorkflow = lead ? [] : [field];
	if ((!lead && !isExpression) || field.displayOptions?.hide?.['@tool']) return ofWorkflow;
	const byModel = lead?.forModel && fromAi(field.displayName, lead.forModel, lead.isOptional);
	return [
		...updateDisplayOptions(notForTools, ofWorkflow),
		...updateDisplayOptions(forTools, [{ ...field, default: byModel ?? '' }]),
	];
}

/** The expression by which n8n shows a field of a tool as "Defined automatically by the model". */
function fromAi(label: string, description: string, isOptional = false): string {
	const key = label.replaceAll(' ', '_');
	const byDefault = isOptional ? ", ''" : '';
	return `={{ /*n8n-auto-generated-fromAI-override*/ $fromAI('${key}', \`${description}\`, 'string'${byDefault}) }}`;
}

function leadFields(operations: Operation[], fields: Shared[]): INodeProperties[] {
	const withLead = operations.filter(({ lead }) => lead !== undefined);
	const named = { displayName: 'Lead Fields', name: ADDED_FIELDS, placeholder: 'Add Field' };
	// A condition on its operation is all that a field of a collection may have.
	const bare = fields.map(({ field: { displayOptions: _, ...field }, operation }) => ({
		field,
		operation,
	}));
	const description =
		'What to read in place of what is recognized: drag a column in, or type. A field that you leave empty is not read at all.';
	const collection = { ...collectionOf(named, withLead, bare), description };
	return updateDisplayOptions(notForTools, [collection]);
}

function optionsField(operations: Operation[]): INodeProperties[] {
	const withOptions = operations.filter(({ options }) => options !== undefined);
	if (withOptions.length === 0) return [];
	const named = { displayName: 'Options', name: 'options', placeholder: 'Add option' };
	return [
		collectionOf(
			named,
			withOptions,
			shared(withOptions, ({ options = [] }) => options),
		),
	];
}

type Named = Pick<INodeProperties, 'displayName' | 'name' | 'placeholder'>;

/** A collection, sorted by name. A field that some of the operations lack is shown for the others. */
function collectionOf(named: Named, operations: Operation[], fields: Shared[]): INodeProperties {
	const options = fields.flatMap(({ field, operation }) =>
		operation.length === operations.length
			? field
			: updateDisplayOptions({ show: { '/operation': operation } }, [field]),
	);
	return {
		...named,
		type: 'collection',
		default: {},
		// By a name without its path, n8n empties a collection when that field changes.
		displayOptions: { show: { '/operation': operations.map(({ option }) => option.value) } },
		options: options.toSorted((a, b) => a.displayName.localeCompare(b.displayName)),
	};
}

function menuEntry({ option, tool }: Operation): INodePropertyOptions {
	return {
		...option,
		...(tool === undefined && { displayOptions: notForTools }),
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
