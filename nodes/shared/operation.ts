import {
	updateDisplayOptions,
	type INodeProperties,
	type INodePropertyOptions,
	type INodeTypeDescription,
} from 'n8n-workflow';

import { CREDENTIAL } from './request/run';

/** Everything that one operation shows in the editor, and where its fields go in the request. */
export interface Operation {
	option: INodePropertyOptions;
	fields: INodeProperties[];
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

/** What all nodes of the package have in common. */
export const nodeDefaults = {
	version: 1,
	credentials: [{ name: CREDENTIAL, required: true }],
	requestDefaults: {
		baseURL: '={{ $credentials.baseUrl }}',
		headers: { Accept: 'application/json' },
	},
} satisfies Partial<INodeTypeDescription>;
