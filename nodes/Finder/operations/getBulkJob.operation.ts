import type { IExecuteFunctions, INodeExecutionData, NodeOutput } from 'n8n-workflow';

import { simple } from '../../shared/fields';
import type { Operation } from '../../shared/operation';
import { bulkServiceOf } from '../../shared/request/bulkService';
import {
	InvalidInput,
	JobPending,
	problemItem,
	problemOf,
	statusFields,
} from '../../shared/request/outcome';
import { Run } from '../../shared/request/run';
import { textAt } from '../../shared/values/json';
import { toText } from '../../shared/values/text';
import { readJob } from '../bulkJob';
import { simplifyFoundEmail } from '../foundEmail';

/**
 * Get Bulk Job (interface specification 4.6, its variant): the rows of a job that Find Emails in Bulk
 * did not wait for. The addresses were charged when the job was accepted; reading them is free.
 */
export const getBulkJob: Operation = {
	option: {
		name: 'Get Bulk Job',
		value: 'getBulkJob',
		action: 'Get a bulk job',
		description:
			'Collect the results of a job that Find Emails in Bulk did not wait for. Costs no further credits.',
	},
	run: collectJobs,
	fields: [
		{
			displayName: 'Job ID',
			name: 'jobId',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. {{ $json.jobId }}',
			description:
				'The field "jobId" of a pending item. Items that name the same job get its results once.',
		},
		simple,
	],
};

/** One item per row of each job, linked to the first item that names the job. */
async function collectJobs(context: IExecuteFunctions): Promise<NodeOutput> {
	const run = new Run(context, context.getExecutionCancelSignal());
	const simplified = context.getNodeParameter('simple', 0, true) === true;
	const items = new Map<string, number>();
	context.getInputData().forEach((_, item) => {
		const jobId = toText(context.getNodeParameter('jobId', item, ''));
		if (!items.has(jobId)) items.set(jobId, item);
	});
	const collected = [...items].map(async ([jobId, item]): Promise<INodeExecutionData[]> => {
		const pairedItem = { item };
		try {
			if (jobId === '') throw new InvalidInput('jobId');
			const rows = await readJob(jobId, await bulkServiceOf(context, run));
			if (!rows) throw new JobPending(jobId);
			return rows.map((row) => ({
				json: simplified ? { status: statusOf(row), ...simplifyFoundEmail(row, {}) } : row,
				pairedItem,
			}));
		} catch (error) {
			const problem = problemOf(error);
			const statusItem = () => ({ json: statusFields(problem), pairedItem });
			return [problemItem(context.getNode(), problem, item, statusItem)];
		}
	});
	return [(await Promise.all(collected)).flat()];
}

function statusOf(row: Parameters<typeof textAt>[0]): string {
	return textAt(row, 'email') === null ? 'not_found' : 'found';
}
