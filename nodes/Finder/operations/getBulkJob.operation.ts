import type { IDataObject } from 'n8n-workflow';

import { includeInputFields, notForTools, simple } from '../../shared/editor/fields';
import { costOf } from '../../shared/credits/ledger';
import { readOperation } from '../../shared/editor/operation';
import { LEAD_FIELDS } from '../../shared/output/fields';
import { invalidValue, JobFailed, JobPending, missing } from '../../shared/output/problem';
import type { ReadRequest, Reading } from '../../shared/reads/reader';
import { executionOf, type Job } from '../../shared/execution/execution';
import type { AccountClient } from '../../shared/client/client';
import { unexpectedAnswer } from '../../shared/http/errors';
import { textAt } from '../../shared/values/json';
import { numberOf, toText } from '../../shared/values/text';
import { BULK_PATH, type BulkJob, matchRows, readJob, rowsById, STEADY } from '../bulk';
import { hasEmail, simplifyFoundEmail } from '../person';

/** A job as it stands, and when the service said so. */
interface CollectedJob {
	rows: IDataObject[];
	byId: Map<string | null, IDataObject>;
	isDone: boolean;
	checkedAt: string;
}

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
			displayOptions: { hide: { ...notForTools.hide, jobRow: [''] } },
		},
		simple,
	],
	keeps: LEAD_FIELDS,
	besides: { credits: 0 },
	async read(request) {
		const jobId = toText(request.parameter('jobId'));
		const jobRow = request.parameter('jobRow');
		const isByRow = request.isFilledIn('jobRow');
		const hasRow = toText(jobRow) !== '';
		// An item that waits for no job goes on as it came: found at once, say.
		if (isByRow && jobId === '' && !hasRow) return passedOn;
		if (jobId === '') throw missing('Job ID');
		if (!isByRow) return await allRows(jobId, request);
		if (!hasRow) throw missing('Job Row');
		return await oneRow(jobId, jobRow, request);
	},
});

const passedOn: Reading = {
	results: [{ status: 'skipped', credits: 0 }],
	simplify: (result) => result,
};

/** Every row of a job, for the first item that names it; none for the others. */
async function allRows(jobId: string, request: ReadRequest): Promise<Reading> {
	const isFirst = !jobsOfRun(request).has(jobId);
	const { rows, byId, isDone, checkedAt } = await collectOnce(jobId, request);
	if (!isDone && isFirst) throw new JobPending(jobId);
	// The service may repeat rows.
	const isOnce = (row: IDataObject) => {
		const id = textAt(row, 'tId');
		return id === null || byId.get(id) === row;
	};
	const results = isFirst ? rows.filter(isOnce) : [];
	return { results, simplify: (row) => simplifyRow(row, checkedAt), isWithoutInput: true };
}

/** The row of one item; the job is read once for all of them. */
async function oneRow(jobId: string, value: unknown, request: ReadRequest): Promise<Reading> {
	const jobRow = numberOf(value) ?? 0;
	if (!Number.isInteger(jobRow) || jobRow < 1) {
		throw invalidValue('Job Row', 'Job Row must be a whole number of 1 or more');
	}
	const failed = (thrown: unknown) => {
		throw thrown instanceof JobFailed ? thrown.at(jobRow) : new JobFailed(jobId, thrown, jobRow);
	};
	const { byId, isDone, checkedAt } = await collectOnce(jobId, request).catch(failed);
	if (!isDone) throw new JobPending(jobId, jobRow);
	const row = byId.get(String(jobRow));
	if (!row) throw new JobFailed(jobId, unexpectedAnswer('a result for this item'), jobRow);
	return { results: [row], isMiss: !hasEmail(row), simplify: () => simplifyRow(row, checkedAt) };
}

/** The jobs that a run has collected, or is collecting, for one account. */
const jobsByRun = new WeakMap<AccountClient, Map<string, Promise<CollectedJob>>>();

function jobsOfRun({ client }: ReadRequest): Map<string, Promise<CollectedJob>> {
	const jobs = jobsByRun.get(client) ?? new Map<string, Promise<CollectedJob>>();
	jobsByRun.set(client, jobs);
	return jobs;
}

/** Reads a job for the first item that names it. */
async function collectOnce(jobId: string, request: ReadRequest): Promise<CollectedJob> {
	const jobs = jobsOfRun(request);
	const job = jobs.get(jobId) ?? collect(jobId, request);
	jobs.set(jobId, job);
	return await job;
}

/** Reads a job; one that this execution has started tells how many rows it has, and what it may have cost. */
async function collect(jobId: string, request: ReadRequest): Promise<CollectedJob> {
	const { context } = request;
	const job = startedJob(jobId, request);
	const people = job?.questions.length;
	const { rows, isDone } = await readSteady(jobId, request, people).catch((thrown: unknown) => {
		if (job && thrown instanceof JobFailed)
			executionOf(context).ledger.collected(job, { certain: 0, uncertain: 0 });
		throw thrown;
	});
	const checkedAt = new Date().toISOString();
	const byId = rowsById(rows);
	if (job && isDone) {
		const { results } = matchRows({ rows }, job.questions.length);
		executionOf(context).ledger.collected(job, costOf(results));
	}
	return { rows, byId, isDone, checkedAt };
}

/** Reads a job; where its status does not tell whether it goes on, once more after a while. */
async function readSteady(
	jobId: string,
	{ get, client }: ReadRequest,
	people: number | undefined,
): Promise<BulkJob> {
	const read = async () =>
		await readJob(jobId, async (url, query) => await get(query, url), people);
	const first = await read();
	if (!first.isLikelyDone) return first;
	await client.sleep(STEADY);
	const job = await read();
	const isSteady = JSON.stringify(job.rows) === JSON.stringify(first.rows);
	return { ...job, isDone: job.isDone || isSteady };
}

/** The jobs that this execution has started with the account of a run, by their id. */
const startedByRun = new WeakMap<AccountClient, Map<string, Job>>();

/** Looked up once per run: the execution knows its jobs by question, up to a hundred of each. */
function startedJob(jobId: string, { context, client }: ReadRequest): Job | undefined {
	let started = startedByRun.get(client);
	if (!started) {
		const jobs = [...executionOf(context).jobs.values()];
		const own = jobs.filter(({ connection }) => connection === client.connection.id);
		started = new Map(own.map((job) => [job.id, job]));
		startedByRun.set(client, started);
	}
	return started.get(jobId);
}

function simplifyRow(row: IDataObject, checkedAt: string): IDataObject {
	const status = hasEmail(row) ? 'found' : 'not_found';
	return { status, ...simplifyFoundEmail(row, {}), credits: 0, checkedAt };
}
