import type { IDataObject } from 'n8n-workflow';
import { Failure, ofJob, problemOf } from '../failures/failure';
import { unexpectedResponse } from '../http/errors';
import { objectsIn } from '../http/response';
import { holdsError, isObject, numberAt, textAt, wordsIn } from '../values/json';
import { FIND_BULK_PATH, isNumberedFromOne, matchRows, numberIn, resultIn } from './bulkFinder';
import { isFound, type Person } from './finder';

/** The keys that may hold the rows of a response, when it is no bare list. */
const ROW_KEYS = ['results', 'people', 'data', 'rows', 'items', 'records', 'output'];

/** Words for the status of a job; interface specification 3 lists only `processing`. */
const RUNNING =
	/^((in[ _-]?)?progress|processing|pending|queued|waiting|running|started|accepted|created|new|working|submitted|scheduled)$/i;
const FAILED =
	/^(fail(ed|ure)|error(ed)?|cancel(l?ed)?|rejected|expired|aborted|stopped|terminated|timed[ _-]?out)$/i;
const DONE =
	/^(completed?|done|ended|finished|processed|succe(ss|ssful|eded)|ready)([ _-]with[ _-]\w+)?$/i;

/** For how long the rows of a job have to stay the same, in milliseconds: if its word is none of these, and if rows are missing. */
const STEADY = 60_000;
const STEADY_WITH_GAPS = 10_000;

/** A job, or the rows that came at once (interface specification 2.8, 2.9). */
export interface BulkJob {
	/** Absent where the rows came at once. */
	jobId?: string;
	rows: IDataObject[];
	isDone: boolean;
	/** Why it has no other rows, if it has failed or is not finished in time. */
	failure?: Error;
	/** For how long its rows have to stay the same until it is done, in milliseconds, where it does not say so for sure. */
	settlesAfter?: number;
}

/**
 * Reads a response of the bulk finder (interface specification 4.6). A job is done when its status says so, or when it
 * has no status, and all rows are there. A job that failed keeps only the people who were found, as the service may not
 * have looked for the others; without any it throws a {@link Failure}.
 * @param sent the number of rows in the request, if known
 * @param askedFor the id of the job that the response is about, if known
 */
export function jobIn(response: object, sent?: number, askedFor?: string): BulkJob {
	const fields = isObject(response) ? response : {};
	const list: unknown = [response, ...ROW_KEYS.map((key) => fields[key])].find(Array.isArray);
	const id = jobIdIn(fields);
	const status = textAt(fields, 'status') ?? '';
	const isNamed = id !== null || 'total' in fields;
	const isError = FAILED.test(status) ? !isNamed : status === '' && holdsError(fields);
	// An error has a status or an id too: that ends no job, and begins none.
	if (!list && isError) throw unexpectedResponse('rows', response);
	const isJob = id !== null || (status !== '' && askedFor !== undefined);
	const rows = isJob ? [list ?? []].flat().filter(isObject) : objectsIn(list ?? response, 'rows');
	// A row without a person may be of somebody whom the service has not looked for yet.
	const hasPerson = (row: IDataObject) => isFound(resultIn(row));
	const jobId = askedFor ?? id ?? undefined;
	if (FAILED.test(status)) {
		const kept = rows.filter(hasPerson);
		const failure = jobFailed(status, jobId, wordsIn({ ...fields, status: null }));
		if (kept.length === 0) throw failure;
		return { jobId, rows: kept, isDone: true, failure };
	}
	if (RUNNING.test(status)) return { jobId, rows, isDone: false };
	const people = sent ?? numberAt(fields, 'total');
	const isWhole = people === null ? rows.length > 0 : people > 0 && countIn(rows, people) >= people;
	if (status === '') return { jobId, rows, isDone: isWhole };
	if (DONE.test(status)) {
		// Without rows and a name, the status may be that of the response alone.
		if (!isNamed && list === undefined) return { jobId, rows, isDone: false };
		return { jobId, rows, isDone: isWhole || people === null, settlesAfter: STEADY_WITH_GAPS };
	}
	const isLikelyDone = people !== null && isWhole && rows.some(hasPerson);
	return { jobId, rows, isDone: false, ...(isLikelyDone && { settlesAfter: STEADY }) };
}

function jobIdIn(fields: IDataObject): string | null {
	return textAt(fields, 'id', 'job_id', 'jobId');
}

/** Reads the response to a bulk request for these people: the results, or the job that was accepted in their place. */
export function readBulk(response: object, people: Person[]) {
	const { isDone, jobId, rows } = jobIn(response, people.length);
	// A job that is done at once may keep its rows for the request that collects it.
	const hasRows = isDone && rows.length > 0;
	if (jobId !== undefined && !hasRows) return { acceptedJob: jobId };
	return { results: matchRows(rows, people), jobId };
}

/** The job that a service has accepted in place of an answer; `undefined` for any other response. */
export function acceptedIn(response: object): { acceptedJob: string } | undefined {
	const fields = isObject(response) ? response : {};
	const id = jobIdIn(fields);
	const isRunning = RUNNING.test(textAt(fields, 'status') ?? '') && !('email' in fields);
	return id !== null && isRunning ? { acceptedJob: id } : undefined;
}

/** How many of so many people have rows, by the numbers of these, if they have some. */
function countIn(rows: IDataObject[], people: number): number {
	const numbers = rows.map(numberIn);
	if (!isNumberedFromOne(numbers)) return rows.length;
	return new Set(numbers.filter((number = 0) => number >= 1 && number <= people)).size;
}

function jobFailed(status: string, jobId: string | undefined, words: string | null): Error {
	const job = jobId === undefined ? 'The bulk job' : `The bulk job ${jobId}`;
	const failed = new Failure('job_failed', {
		message: `${job} ended with the status "${status}"${words === null ? '' : `: ${words}`}`,
	});
	return jobId === undefined ? failed : ofJob(jobId, failed);
}

type Get = (query: IDataObject, path: string) => Promise<object>;

/**
 * Returns a function that reads a job (interface specification 4.6, its variant), and takes it for done once its rows have
 * stayed the same for as long as it has to. Throws as {@link jobIn} does.
 * @param people the number of rows in the request of the job, if known
 */
export function jobReader(jobId: string, get: Get, people?: number): () => Promise<BulkJob> {
	let steady = { rows: '', since: 0 };
	return async () => {
		const job = jobIn(await readJob(jobId, get), people, jobId);
		if (job.isDone || job.settlesAfter === undefined) return job;
		const rows = JSON.stringify(job.rows);
		if (rows !== steady.rows) steady = { rows, since: Date.now() };
		return { ...job, isDone: Date.now() - steady.since >= job.settlesAfter };
	};
}

/** The specification does not show whether the id of a job goes into the path or into a parameter. */
async function readJob(jobId: string, get: Get): Promise<object> {
	const byParameter = async () => await get({ id: jobId }, FIND_BULK_PATH);
	// In a path, an id of dots alone would lead to another endpoint.
	if (/^\.+$/.test(jobId)) return await byParameter();
	return await get({}, `${FIND_BULK_PATH}/${encodeURIComponent(jobId)}`).catch(
		async (thrown: unknown) => {
			if (problemOf(thrown).isPath) return await byParameter();
			throw thrown;
		},
	);
}
