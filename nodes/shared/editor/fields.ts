import type { IDisplayOptions, INodeProperties } from 'n8n-workflow';
import { type Names, OF_LOOKUP } from '../failures/names';
import { DEFAULT_JOB_TIMEOUT } from '../input/options';
import { DEFAULT_PACE } from '../pace/retry';

const { maxConcurrency, maxRateLimitWait, maxRetries } = DEFAULT_PACE;

/** Hides a field or an operation from AI agents, which look up one thing at a time. */
export const notForTools: IDisplayOptions = { hide: { '@tool': [true] } };

export function notice(name: string, displayName: string): INodeProperties {
	return { displayName, name, type: 'notice', default: '', displayOptions: notForTools };
}

/**
 * The fields of a lead: in workflows, what is not to be recognized is added under Lead Fields; tools show them.
 * @param reads what is recognized, with examples of names
 */
export function leadFields(reads: string, ...fields: INodeProperties[]): INodeProperties[] {
	return [
		notice('leadNotice', `Reads ${reads}. To read another column, add its field below.`),
		{
			displayName: 'Lead Fields',
			name: 'leadFields',
			type: 'collection',
			placeholder: 'Add Field',
			default: {},
			options: fields.toSorted((a, b) => a.displayName.localeCompare(b.displayName)),
			description:
				'What to read in place of what is recognized: drag a column in, or type. A field that you leave empty is not read at all.',
			displayOptions: notForTools,
		},
		...fields,
	];
}

export const simple: INodeProperties = {
	displayName: 'Simplify',
	name: 'simple',
	type: 'boolean',
	default: true,
	description: 'Whether to return a simplified version of the response instead of the raw data',
	displayOptions: notForTools,
};

export const forTools: IDisplayOptions = { show: { '@tool': [true] } };

/** What takes the place of Simplify in tools. */
export const toolOutput: INodeProperties = {
	displayName: 'Output',
	name: 'output',
	type: 'options',
	default: 'simple',
	options: [
		{ name: 'Raw', value: 'raw', description: 'With the response as the service sent it' },
		{ name: 'Selected Fields', value: 'fields', description: 'Only the fields that you select' },
		{ name: 'Simplified', value: 'simple', description: 'A simplified version of the response' },
	],
	description: 'What the model of the agent is given',
	displayOptions: forTools,
};

type NamedField = Pick<INodeProperties, 'displayName' | 'name'> & Partial<INodeProperties>;

/** A field whose value goes into the query of the request: a text under its own name, by default. */
export function queryField(field: NamedField): INodeProperties {
	const routing = { send: { type: 'query' as const, property: field.name } };
	return { type: 'string', default: '', routing, ...field };
}

/** Tools ignore it: their input item belongs to the AI agent. */
export const includeInputFields = workflowField({
	displayName: 'Include Input Fields',
	name: 'includeInputFields',
	type: 'boolean',
	default: true,
	description: 'Whether to keep your own fields on each item. If off, only the result comes out.',
});

/** A field that tools do not have: a text, by default. */
export function workflowField(field: NamedField): INodeProperties {
	return { type: 'string', default: '', displayOptions: notForTools, ...field };
}

function atLeast(minValue: number, field: Omit<INodeProperties, 'type'>): INodeProperties {
	return { type: 'number', typeOptions: { minValue }, ...field };
}

/** The fields of an operation whose results come in pages. */
export function limitFields(limit: number): INodeProperties[] {
	return [
		{
			displayName: 'Return All',
			name: 'returnAll',
			type: 'boolean',
			default: false,
			description: 'Whether to return all results or only up to a given limit',
		},
		atLeast(1, {
			displayName: 'Limit',
			name: 'limit',
			default: limit,
			description: 'Max number of results to return',
			displayOptions: { show: { returnAll: [false] } },
		}),
	];
}

export const returnAllOrLimit = limitFields(50);

export const manualLimit = atLeast(0, {
	displayName: 'Max Items in Manual Runs',
	name: 'manualLimit',
	default: 10,
	description:
		'Max number of items to look up in a test run in the editor; production runs look up all. 0 means all.',
	displayOptions: notForTools,
});

export const rateLimitWait = atLeast(0, {
	displayName: 'Max Rate Limit Wait (Minutes)',
	name: 'maxRateLimitWait',
	default: maxRateLimitWait / 60_000,
	description:
		'How long to wait while the rate limit lets nothing through. Without this option 15 minutes, or 1 in manual runs and tools.',
	displayOptions: notForTools,
});

/** For values that age. */
export const refreshAfter = atLeast(0, {
	displayName: 'Look Up Again After (Days)',
	name: 'refreshAfterDays',
	default: 90,
	description:
		"Look up again, and pay for, what was checked more days ago than this, by the item's 'checkedAt'; with 0 everything",
	displayOptions: notForTools,
});

export const lookUpIf = workflowField({
	displayName: 'Look Up Only If',
	name: 'lookUpIf',
	type: 'boolean',
	default: true,
	description:
		"Whether to look up the item. To look up only some of your leads, switch to Expression and enter a condition, or drag in a column with true or false: the others come out as 'skipped', for free.",
});

/** What is rarely needed: one entry of the options for all of it. */
const advanced: INodeProperties = {
	displayName: 'Advanced',
	name: 'advanced',
	type: 'collection',
	placeholder: 'Add option',
	default: {},
	description: 'Timeouts, retries and the like. The defaults suit nearly everybody.',
	options: [
		atLeast(0, {
			displayName: 'Job Timeout (Minutes)',
			name: 'jobTimeout',
			default: DEFAULT_JOB_TIMEOUT,
			description:
				"How long to wait if the service processes a bulk request in the background. Items still unfinished get the status 'pending': run this operation again to collect them.",
			displayOptions: { show: { '/operation': ['findBulk'] } },
		}),
		atLeast(1, {
			displayName: 'Max Concurrency',
			name: 'maxConcurrency',
			default: maxConcurrency,
			description: 'Max number of requests to send at once',
		}),
		rateLimitWait,
		atLeast(0, {
			displayName: 'Max Retries',
			name: 'maxRetries',
			default: maxRetries,
			description:
				'Max number of times to retry a request if the service is unavailable, or the connection is lost',
		}),
		{
			displayName: 'On Incomplete Run',
			name: 'incompleteRun',
			type: 'options',
			default: 'return',
			options: [
				{
					name: 'Return Partial Results',
					value: 'return',
					description: 'Return all items; those without a result say why',
				},
				{
					name: 'Stop Workflow',
					value: 'fail',
					description:
						'Stop and report how many items are done; what is paid for is reused in the next run',
				},
			],
			description: 'What to do if some items get no result and On Error is set to Stop Workflow',
		},
		simple,
	],
	displayOptions: notForTools,
};

export const lookupOptions: INodeProperties[] = [
	advanced,
	includeInputFields,
	atLeast(0, {
		displayName: 'Leave Credits in Account',
		name: 'keepCredits',
		default: 100,
		description: 'Stop before the account drops below this many credits',
	}),
	lookUpIf,
	atLeast(0, {
		displayName: 'Max Credits',
		name: 'maxCredits',
		default: 100,
		description:
			'Max number of credits this node may spend per execution, loops and retries included',
	}),
];

export const EMAIL_STATUSES =
	"'emailStatus' is 'valid' (it accepts mail), 'catch-all' (the domain accepts everything, so it is uncertain), 'invalid' (do not write to it) or 'unknown' (verify it; if it was verified, again in a day).";

/** What the model of an agent is told of the other statuses. */
export function otherStatuses({ message }: Names = OF_LOOKUP): string {
	return `With any other status there is no result: '${message}' says why and what to do.`;
}
