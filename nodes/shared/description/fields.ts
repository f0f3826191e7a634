import type { INodeProperties } from 'n8n-workflow';

import { DEFAULT_MAX_CONCURRENCY, DEFAULT_MAX_RETRIES } from '../pacing/pace';

/** Whether items have the few fields that people use, or all that the service sent. */
export const simple: INodeProperties = {
	displayName: 'Simplify',
	name: 'simple',
	type: 'boolean',
	default: true,
	description: 'Whether to return a simplified version of the response instead of the raw data',
};

/** How many results an operation with pages returns. */
export const returnAllOrLimit: INodeProperties[] = [
	{
		displayName: 'Return All',
		name: 'returnAll',
		type: 'boolean',
		default: false,
		description: 'Whether to return all results or only up to a given limit',
	},
	{
		displayName: 'Limit',
		name: 'limit',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 50,
		description: 'Max number of results to return',
		displayOptions: { show: { returnAll: [false] } },
	},
];

/** The options of every lookup, in the order of their names, with those of the operation. */
export function lookupOptions(...own: INodeProperties[]): INodeProperties {
	const options: INodeProperties[] = [
		{
			displayName: 'Include Input Fields',
			name: 'includeInputFields',
			type: 'boolean',
			default: false,
			description: 'Whether to put the fields of the input item before those of the result',
		},
		{
			displayName: 'Max Concurrency',
			name: 'maxConcurrency',
			type: 'number',
			typeOptions: { minValue: 1 },
			default: DEFAULT_MAX_CONCURRENCY,
			description:
				'Max number of requests to send at once. All workflows that use this account take turns.',
		},
		{
			displayName: 'Max Credits',
			name: 'maxCredits',
			type: 'number',
			typeOptions: { minValue: 0 },
			default: 100,
			description:
				'Max number of credits this node may spend per execution, including loops and retries',
		},
		{
			displayName: 'Max Retries',
			name: 'maxRetries',
			type: 'number',
			typeOptions: { minValue: 0 },
			default: DEFAULT_MAX_RETRIES,
			description:
				'Max number of times to retry a request if the service is busy or unavailable, or the connection is lost. Works without Retry On Fail.',
		},
		{
			displayName: 'On Incomplete Run',
			name: 'incompleteRun',
			type: 'options',
			default: 'return',
			options: [
				{
					name: 'Return Partial Results',
					value: 'return',
					description:
						"Return everything received so far; items without a result are marked in their 'status' field",
				},
				{
					name: 'Stop Workflow',
					value: 'fail',
					description:
						'Stop and report how many items are done. Results already paid for are reused if the node runs again.',
				},
			],
			description:
				'What to do if some items get no result, e.g. because credits run out. Applies if On Error is set to Stop Workflow.',
		},
		...own,
	];
	return optionsField(options.sort((a, b) => a.displayName.localeCompare(b.displayName)));
}

/** The collection of the fields that few users need. */
export function optionsField(options: INodeProperties[]): INodeProperties {
	return {
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		options,
	};
}
