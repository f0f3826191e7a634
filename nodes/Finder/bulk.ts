import type { IDataObject } from 'n8n-workflow';
import { NotProcessed, ServiceError, unexpectedAnswer } from '../shared/http/errors';
import type { Answers, LookupService } from '../shared/lookups/lookup';
import { JobFailed, JobPending } from '../shared/output/problem';
import { mayRetry } from '../shared/pace/retry';
import { isObject, numberAt, textAt } from '../shared/values/json';
import { hasEmail, type Person } from './person';

/** The path of the bulk finder and of its jobs (interface specification 4.6). */
export const BULK_PATH = '/api/v2/find_bulk';

/** The most rows of one request (interface specification 8). */
export const MAX_ROWS = 100;

/** The rows of a bulk request (2.8). Their `tId` counts from 1 within the request. */
export function toRows(people: Person[]): IDataObject[] {
	return people.map(({ fullName, ...person }, index) => ({
		tId: index + 1,
		...person,
		...(fullName !== undefined && { name: fullName }),
	}));
}

/** Rows by their `tId`, the first of each: the service may repeat rows, and send the `tId` as text. */
export function rowsById(rows: IDataObject[]): Map<string | null, IDataObject> {
	const byId = new Map<string | null, IDataObject>();
	for (const row of rows) {
		const id = textAt(row, 'tId');
		if (!byId.has(id)) byId.set(id, row);
	}
	return byId;
}

/**
 * The answers in the order of the request, by the `tId` of their rows and never by their position: the
 * service may leave rows out, or add others.
 */
export function matchRows(
	{ rows, jobId }: { rows: IDataObject[]; jobId?: string },
	people: number,
): Answers {
	const byId = rowsById(rows);
	const results = Array.from({ length: people }, (_, index) => {
		const row = byId.get(String(index + 1));
		return row && (hasEmail(row) ? [row] : []);
	});
	return { results, jobId };
}

const FIRST_WAIT = 1_000;

const LONGEST_WAIT = 15_000;

/** Where an answer may hold its rows, when it is no bare list. */
const ROW_KEYS = ['results', 'people', 'data', 'rows'];

/** The words of a job that goes on, or has ended; the specification lists only `processing` (3). */
const RUNNING =
	/^((in[ _-]?)?progress|processing|pending|queued|waiting|running|started|accepted|created|new|working|submitted|scheduled)$/i;
const FAILED = /^(fail(ed|ure)|error(ed)?|cancel(l?ed)?|rejected|expired|aborted)$/i;
const DONE = /^(completed?|done|ended|finished|processed|succe(ss|ssful|eded)|ready)$/i;

/** How long the rows of a job have to stay the same where its status does not tell whether it goes on. */
export const STEADY = 60_000;

/** What an answer of the bulk finder says of its job, or of its rows where it made no job (2.8, 2.9). */
export interface BulkJob {
	/** None where the rows came at once. */
	jobId?: string;
	rows: IDataObject[];
	/** Whether no more rows will come. */
	isDone: boolean;
	/** Whether all rows are there, and somebody is found, under a status that nobody has heard of. */
	isLikelyDone?: boolean;
	/** The status of a job that failed. */
	failure?: string;
}

/**
 * Reads an answer of the bulk finder (interface specification 4.6). A job is done when its status says
 * so, or when all rows are there and it states none; whatever rows it shows before are not final. Of a
 * job that failed only those who were found count: the others were hardly looked for.
 * @param sent how many rows the request had, if known
 */
export function jobIn(answer: object, sent?: number): BulkJob {
	const key = isObject(answer) ? ROW_KEYS.find((name) => Array.isArray(answer[name])) : undefined;
	const list: unknown = isObject(answer) ? key && answer[key] : answer;
	const rows = Array.isArray(list) ? list.filter(isObject) : [];
	const jobId = isObject(answer) ? (textAt(answer, 'id') ?? undefined) : undefined;
	const status = isObject(answer) ? textAt(answer, 'status') : null;
	const isJob = jobId !== undefined || status !== null;
	const hasRows = Array.isArray(list) && (rows.length > 0 || list.length === 0);
	if (!isJob && !hasRows) throw unexpectedAnswer('rows');
	if (status !== null && FAILED.test(status)) {
		return { jobId, rows: rows.filter(hasEmail), isDone: true, failure: status };
	}
	if (status !== null && DONE.test(status)) return { jobId, rows, isDone: true };
	const byId = rowsById(rows);
	const people = sent ?? (isObject(answer) ? numberAt(answer, 'total') : null);
	const isWhole = people === null ? status === null && rows.length > 0 : hasAll(byId, people);
	if (status === null) return { jobId, rows, isDone: isWhole && list !== undefined };
	const isLikelyDone = isWhole && !RUNNING.test(status) && rows.some(hasEmail);
	return { jobId, rows, isDone: false, ...(isLikelyDone && { isLikelyDone }) };
}

/** Whether the rows of so many people are there, however many the service says that there are. */
function hasAll(byId: Map<string | null, IDataObject>, people: number): boolean {
	if (people === 0 || people > byId.size) return false;
	const rows = Array.from({ length: people }, (_, index) => String(index + 1));
	return rows.every((row) => byId.has(row));
}

/**
 * Waits for the rows of a job (interface specification 4.6, its variant), polling after 1 s and then
 * ever more seldom. Throws {@link JobPending} when they do not come in time, or the job can't be
 * read: it is never lost.
 */
async function waitForJob(jobId: string, people: number, service: LookupService): Promise<BulkJob> {
	const end = Date.now() + service.jobTimeout;
	const get = async (url: string, qs: IDataObject) => await service.collect({ url, qs });
	let steady = { rows: '', since: 0 };
	for (let wait = FIRST_WAIT; ; wait = Math.min(wait * 1.5, LONGEST_WAIT)) {
		const left = end - Date.now();
		if (left > 0) await service.sleep(Math.min(wait, left));
		const job = await readJob(jobId, get, people).catch((thrown: unknown) => {
			if (mayRetry(thrown)) return undefined;
			throw mayComeLater(thrown) ? new JobPending(jobId) : thrown;
		});
		if (job?.isDone) return job;
		if (job?.isLikelyDone) {
			const rows = JSON.stringify(job.rows);
			if (rows !== steady.rows) steady = { rows, since: Date.now() };
			else if (Date.now() - steady.since >= STEADY) return job;
		}
		if (Date.now() >= end) throw new JobPending(jobId);
	}
}

/** The answers of a job to so many people, once it is done. */
export async function collectPeople(
	jobId: string,
	people: number,
	service: LookupService,
): Promise<Answers> {
	return matchRows(await waitForJob(jobId, people, service), people);
}

/** The job was accepted: what keeps us from reading it does not undo it. */
function mayComeLater(thrown: unknown): boolean {
	return thrown instanceof NotProcessed || thrown instanceof ServiceError;
}

/**
 * A job as it stands. Throws {@link JobFailed} for one that ended without rows.
 * @param get sends a request to a path
 * @param people how many rows its request had, if known
 */
export async function readJob(
	jobId: string,
	get: (url: string, query: IDataObject) => Promise<object>,
	people?: number,
): Promise<BulkJob> {
	// The specification does not show how a job is asked for: by its path, or by a parameter.
	const byParameter = async () => await get(BULK_PATH, { id: jobId });
	const byPath = async () =>
		await get(`${BULK_PATH}/${encodeURIComponent(jobId)}`, {}).catch(async (thrown: unknown) => {
			if (isUnknownPath(thrown)) return await byParameter();
			throw thrown;
		});
	// As a part of a path, dots alone would lead elsewhere.
	const answer = /^\.+$/.test(jobId) ? await byParameter() : await byPath();
	return withRows({ ...jobIn(answer, people), jobId });
}

/** The job itself; throws for one that ended without rows. */
export function withRows(job: BulkJob): BulkJob {
	const { jobId, failure, rows } = job;
	if (failure === undefined || rows.length > 0) return job;
	const failed = new ServiceError('job_failed', {
		message: `The bulk job ${jobId ?? ''} ended with the status "${failure}"`.replace('  ', ' '),
		description: 'Run these items again.',
	});
	throw jobId === undefined ? failed : new JobFailed(jobId, failed);
}

function isUnknownPath(thrown: unknown): boolean {
	return thrown instanceof ServiceError && (thrown.httpCode === 404 || thrown.httpCode === 405);
}
