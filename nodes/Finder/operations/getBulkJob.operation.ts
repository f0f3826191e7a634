import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { simple } from '../../shared/description/fields';
import { notForTools, type Operation } from '../../shared/description/operation';
import { serviceOf } from '../../shared/lookups/service';
import type { NodeContext } from '../../shared/n8n/nodeContext';
import { Parameters } from '../../shared/n8n/parameters';
import type { Declaration } from '../../shared/n8n/routing';
import { errorItem, onErrorOf, statusFields, stopError } from '../../shared/outcomes/onError';
import { JobPending, missing, problemOf } from '../../shared/outcomes/problem';
import { jobsOf } from '../../shared/sending/execution';
import { Runs } from '../../shared/sending/runs';
import { requestOptionsOf } from '../../shared/service/requestOptions';
import { toText } from '../../shared/values/text';
import { readJob } from '../bulkJob';
import { BULK_PATH } from '../bulkRows';
import { hasEmail, simplifyFoundEmail } from '../foundEmail';

const declaration: Declaration = {
	option: {
		name: 'Get Bulk Job',
		value: 'getBulkJob',
		action: 'Get bulk job',
		description:
			'Collect the results of a job that Find Emails in Bulk did not wait for. Costs no further credits.',
		routing: { request: { method: 'GET', url: BULK_PATH } },
		displayOptions: notForTools,
	},
	fields: [
		{
			displayName: 'Job ID',
			name: 'jobId',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. {{ $json.jobId }}',
			description:
				"The field 'jobId' of a pending item. Items that name the same job get its results once.",
		},
		simple,
	],
};

/**
 * Get Bulk Job (interface specification 4.6, its variant): the rows of a job that Find Emails in Bulk
 * did not wait for. The emails were charged when the job was accepted; reading them is free.
 */
export const getBulkJob: Operation = { ...declaration, run: collectJobs };

/** One item per row of each job, linked to the first item that names the job. */
async function collectJobs(context: NodeContext): Promise<INodeExecutionData[]> {
	const { inputs, node, signal } = context;
	const onError = onErrorOf(node);
	const jobs = new JobReader(context);
	const items: INodeExecutionData[] = [];
	try {
		for (const item of inputs.keys()) {
			try {
				for (const json of await jobs.read(item)) items.push({ json, pairedItem: { item } });
			} catch (error) {
				const problem = problemOf(error);
				const isPending = problem.status === 'pending';
				if (onError === 'stop' && !isPending && !signal?.aborted) {
					throw stopError(node, problem, item);
				}
				const status = { json: statusFields(problem), pairedItem: { item } };
				items.push(onError === 'errorOutput' && !isPending ? errorItem(problem, item) : status);
			}
		}
	} finally {
		jobs.end();
	}
	return items;
}

/** Reads the jobs that the items name, each job of an account once. */
class JobReader {
	private readonly parameters: Parameters;

	private readonly seen = new Set<string>();

	private runs: Runs | undefined;

	constructor(private readonly context: NodeContext) {
		this.parameters = new Parameters(context, declaration.fields);
	}

	/** The rows of the job of an item; none where an earlier item had them. */
	async read(item: number): Promise<IDataObject[]> {
		const jobId = toText(this.parameters.get('jobId', item, ''));
		if (jobId === '') throw missing('Job ID');
		const isSimple = this.parameters.get('simple', item, true) === true;
		this.runs ??= new Runs(this.context, { requestOptions: requestOptionsOf(this.parameters) });
		const run = await this.runs.of(item);
		const job = `${run.connection.id} ${jobId}`;
		if (this.seen.has(job)) return [];
		this.seen.add(job);
		const known = [...jobsOf(this.context).values()].find(
			({ id, connection }) => id === jobId && connection === run.connection.id,
		);
		const service = serviceOf(declaration, run, {});
		const { rows, isDone } = await readJob(jobId, service, known?.questions.length);
		if (!isDone) throw new JobPending(jobId);
		return rows.map((row) => {
			const status = hasEmail(row) ? 'found' : 'not_found';
			return isSimple ? { status, ...simplifyFoundEmail(row, {}) } : row;
		});
	}

	/** Nothing more is sent. */
	end(): void {
		this.runs?.end();
	}
}
