import type { IDataObject } from 'n8n-workflow';

import { includeInputFields, notForTools, simple } from '../../shared/editor/fields';
import { costOf } from '../../shared/credits/ledger';
import { readOperation } from '../../shared/editor/operation';
import { JobFailed, JobPending, missing } from '../../shared/output/problem';
import { countIn, type Reading, type ReadRequest } from '../../shared/reads/reader';
import { executionOf } from '../../shared/execution/execution';
import type { AccountClient } from '../../shared/client/client';
import { unexpectedAnswer } from '../../shared/http/errors';
import { textAt } from '../../shared/values/json';
import { toText } from '../../shared/values/text';
import { BULK_PATH, type BulkJob, jobReader, matchRows, rowsById, STEADY } from '../bulk';
import { hasEmail, simplifyFoundEmail } from '../person';

/**
 * Get Bulk Job (interface specification 4.6, its variant): the rows of a job that Find Emails in Bulk
 * did not wait for. The emails were charged when the job was accepted; reading them is free.
 */
export const getBulkJob = readOperation({
	option: {
		name: 'Get Bulk Job',
		value: 'getBulkJob',
		action: 'Get bulk job',
		description:
			'Collect the results of a job that Find Emails in Bulk did not wait for. Costs no further credits.',
		routing: { request: { method: 'GET', url: BULK_PATH } },
		builderHint: {
			propertyHint:
				"Only for items with the status 'pending': map Job ID to the item's jobId and Job Row to its jobRow.",
		},
	},
	fields: [
		{
			displayName: 'Job ID',
			name: 'jobId',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. {{ $json.jobId }}',
			description: "The field 'jobId' of a pending item",
		},
		{
			displayName: 'Job Row',
			name: 'jobRow',
			type: 'string',
			default: '',
			placeholder: 'e.g. {{ $json.jobRow }}',
			description:
				"The field 'jobRow' of a pending item, to get the result of this item only. Leave empty to get all results of the job once.",
		},
		{
			...includeInputFields,
			// n8n reads no value of a hidden field: all rows of a job come without input fields.
			displayOptions: { hide: { ...notForTools.hide, jobRow: [''] } },
		},
		simple,
	],
	collects: true,
	async read(request) {
		const jobId = toText(request.parameter('jobId'));
		const jobRow = request.parameter('jobRow');
		const isByRow = request.isFilledIn('jobRow');
		const hasRow = toText(jobRow) !== '';
		// An item that is not pending, such as one that was found at once, passes through.
		if (isByRow && jobId === '' && !hasRow) {
			return { results: [{ status: 'skipped', credits: 0 }], simplify: (result) => result };
		}
		if (jobId === '') throw missing('Job ID');
		if (!isByRow) return await allRows(jobId, request);
		if (!hasRow) throw missing('Job Row');
		return await oneRow(jobId, jobRow, request);
	},
});

/** Every row of a job, for the first item that names it; none for the others. */
async function allRows(jobId: string, request: ReadRequest): Promise<Reading> {
	const isFirst = !jobsByRun.get(request.client)?.has(jobId);
	const { rows, byId, isDone, checkedAt } = await collectOnce(jobId, request);
	if (!isDone && isFirst) throw new JobPending(jobId);
	const isRepeated = (row: IDataObject, id = textAt(row, 'tId')) =>
		id !== null && byId.get(id) !== row;
	const results = isFirst ? rows.filter((row) => !isRepeated(row)) : [];
	return { results, simplify: (row) => simplifyRow(row, checkedAt) };
}

/** The row of one item. */
async function oneRow(jobId: string, value: unknown, request: ReadRequest): Promise<Reading> {
	const jobRow = countIn('Job Row', value);
	const failed = (thrown: unknown) => {
		throw thrown instanceof JobFailed ? thrown.at(jobRow) : new JobFailed(jobId, thrown, jobRow);
	};
	const { byId, isDone, checkedAt } = await collectOnce(jobId, request).catch(failed);
	if (!isDone) throw new JobPending(jobId, jobRow);
	const row = byId.get(String(jobRow));
	if (!row) throw new JobFailed(jobId, unexpectedAnswer('a result for this item'), jobRow);
	return { results: [row], isMiss: !hasEmail(row), simplify: () => simplifyRow(row, checkedAt) };
}

/** The jobs that a run of the node reads for one account, by their id. */
const jobsByRun = new WeakMap<AccountClient, Map<string, ReturnType<typeof collect>>>();

/** Reads a job once for all items that name it. */
async function collectOnce(jobId: string, request: ReadRequest) {
	const jobs = jobsByRun.get(request.client) ?? new Map<string, ReturnType<typeof collect>>();
	jobsByRun.set(request.client, jobs);
	const job = jobs.get(jobId) ?? collect(jobId, request);
	jobs.set(jobId, job);
	return await job;
}

/** Reads a job, again after a while if it is only likely to be done, and settles what it has cost. */
async function collect(jobId: string, { context, client, get }: ReadRequest) {
	const { jobs, ledger } = executionOf(context);
	const started = [...jobs.values()].find(
		({ id, connection }) => id === jobId && connection === client.connection.id,
	);
	const read = jobReader(jobId, get, started?.questions.length);
	const readAgain = async (job: BulkJob) => {
		if (!job.isLikelyDone) return job;
		await client.sleep(STEADY);
		return await read();
	};
	const job = await read()
		.then(readAgain)
		.catch((thrown: unknown) => {
			if (started && thrown instanceof JobFailed) ledger.collected(started, costOf([]));
			throw thrown;
		});
	if (started && job.isDone) {
		ledger.collected(started, costOf(matchRows(job, started.questions.length).results));
	}
	return { ...job, byId: rowsById(job.rows), checkedAt: new Date().toISOString() };
}

function simplifyRow(row: IDataObject, checkedAt: string): IDataObject {
	const status = hasEmail(row) ? 'found' : 'not_found';
	return { status, ...simplifyFoundEmail(row, {}), credits: 0, checkedAt };
}
