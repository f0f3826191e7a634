import type { INodeProperties } from 'n8n-workflow';

import { DEFAULT_MAX_CONCURRENCY, DEFAULT_MAX_RETRIES } from './request/run';

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
		routing: { output: { maxResults: '={{ $value }}' } },
	},
];

/** What a bulk operation does with the setting On Error at "Stop Workflow". */
export const incompleteRunOption: INodeProperties = {
	displayName: 'Incomplete Run',
	name: 'incompleteRun',
	type: 'options',
	default: 'return',
	options: [
		{
			name: 'Return What Was Bought',
			value: 'return',
			description: 'Deliver all answers and mark the items without one in their field "status"',
		},
		{
			name: 'Stop the Workflow',
			value: 'fail',
			description:
				'Stop, and say how far the run got. Retry On Fail does not pay again for what was answered.',
		},
	],
	description:
		'What to do when not every item gets an answer, because credits run out for example. Applies when On Error is set to Stop Workflow.',
};

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
			description: 'Max number of requests to the account at the same time, over all workflows',
		},
		{
			displayName: 'Max Credits',
			name: 'maxCredits',
			type: 'number',
			typeOptions: { minValue: 0 },
			default: 0,
			description:
				'Max number of credits that this node may spend in one execution of the workflow, loops and repeats included. 0 means no cap.',
		},
		{
			displayName: 'Max Retries',
			name: 'maxRetries',
			type: 'number',
			typeOptions: { minValue: 0 },
			default: DEFAULT_MAX_RETRIES,
			description:
				'Max number of times one request is repeated when the service is busy, is not available or the connection is lost. The setting Retry On Fail is not needed for this.',
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
