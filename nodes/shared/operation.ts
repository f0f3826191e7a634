import {
	updateDisplayOptions,
	type IExecuteFunctions,
	type INodeProperties,
	type INodePropertyOptions,
	type INodeType,
	type INodeTypeDescription,
	type NodeOutput,
} from 'n8n-workflow';

import { CREDENTIAL } from './request/run';

/** Everything that one operation shows in the editor, and what it does. */
export interface Operation {
	/** Its entry in the menu; `routing` describes the request of a declarative operation. */
	option: INodePropertyOptions;
	fields: INodeProperties[];
	/** For an operation on all items at once: n8n runs it instead of `routing`. */
	run?: (context: IExecuteFunctions) => Promise<NodeOutput>;
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
		// Fields that operations begin with in common are one property: n8n evaluates the expression of
		// a parameter once for each property of its name, and for every item.
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
			// Without a resource here, n8n does not tell an AI agent what the operation does.
			displayOptions: { show: { resource: [resource] } },
			noDataExpression: true,
			options: operations.map(({ option }) => option),
			default: byDefault,
		},
		...shown.flatMap(({ field, operation }) =>
			updateDisplayOptions({ show: { operation } }, [field]),
		),
	];
}

/** What stands below the node on the canvas: the label of its operation, as an expression. */
export function operationSubtitle(operations: Operation[]): string {
	const labels = Object.fromEntries(operations.map(({ option }) => [option.value, option.name]));
	return `={{ (${JSON.stringify(labels)})[$parameter.operation] }}`;
}

/** The operations of a node that work on all items at once, as n8n wants them. */
export function customOperations(
	resource: string,
	operations: Operation[],
): NonNullable<INodeType['customOperations']> {
	const own = operations.flatMap(({ option, run }) =>
		run
			? [
					[
						String(option.value),
						async function (this: IExecuteFunctions) {
							return await run(this);
						},
					] as const,
				]
			: [],
	);
	return { [resource]: Object.fromEntries(own) };
}

/** What all nodes of the package have in common. */
export const nodeDefaults = {
	version: 1,
	credentials: [{ name: CREDENTIAL, required: true }],
	// The Base URL is set where requests are sent: an expression here would cost n8n time per item.
	requestDefaults: {
		headers: { Accept: 'application/json' },
	},
} satisfies Partial<INodeTypeDescription>;
