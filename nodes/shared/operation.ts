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

/** The properties of a node: its resource (fixed), its operations, and the fields of each. */
export function operationProperties(resource: string, operations: Operation[]): INodeProperties[] {
	const byDefault = operations[0].option.value;
	return [
		{ displayName: 'Resource', name: 'resource', type: 'hidden', default: resource },
		{
			displayName: 'Operation',
			name: 'operation',
			type: 'options',
			noDataExpression: true,
			options: operations.map(({ option }) => option),
			default: byDefault,
		},
		...operations.flatMap(({ option, fields }) =>
			updateDisplayOptions({ show: { operation: [option.value] } }, fields),
		),
	];
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
	requestDefaults: {
		baseURL: '={{ $credentials.baseUrl }}',
		headers: { Accept: 'application/json' },
	},
} satisfies Partial<INodeTypeDescription>;
