import type { IDataObject } from 'n8n-workflow';
import { JobProblem } from '../failures/failure';
import type { InterfaceSettings } from '../http/connection';
import { isPathError, ServiceError, unexpectedResponse } from '../http/errors';
import { objectsIn } from '../http/response';
import { holdsError, isObject, numberAt, textAt } from '../values/json';
import { hasEmail, type Person } from './finder';

/** The path of the bulk finder and its jobs (interface specification 4.6). */
export const FIND_BULK_PATH = '/api/v2/find_bulk';

/** The most rows of one request (interface specification 8). */
export const MAX_ROWS = 100;

/**
 * The body of a bulk request, in the form that the credential says (interface specification 2.8, 4.6). The `tId` of its
 * rows counts from 1 in each request.
 */
export function bulkBody(people: Person[], { bulkFinderBody }: InterfaceSettings) {
	const rows = people.map(({ fullName, ...person }, index) => ({
		tId: index + 1,
		...person,
		...(fullName !== undefined && { name: fullName }),
	}));
	return bulkFinderBody === 'people' ? { people: rows } : rows;
}

/** Rows by their `tId`, the first of each: the service may repeat rows, and send the `tId` as text. */
export function rowsById(rows: IDataObject[]): Map<string | null, IDataObject> {
	return new Map(rows.toReversed().map((row) => [textAt(row, 'tId'), row] as const));
}

/** The results in the order of the request, by the `tId` of their rows: the service may leave rows out, or add others. */
export function matchRows(rows: IDataObject[], people: number): Array<IDataObject[] | undefined> {
	const byId = rowsById(rows);
	return Array.from({ length: people }, (_, index) => resultsIn(byId.get(`${index + 1}`)));
}

/** The results in a row; `undefined` if it says nothing, as it holds an error, or an email in another form. */
export function resultsIn(row: IDataObject | undefined): IDataObject[] | undefined {
	if (!row || hasEmail(row)) return row && [row];
	return holdsError(row) || typeof (row.email ?? '') === 'object' ? undefined : [];
}

/** The keys that may hold the rows of a response, when it is no bare list. */
const ROW_KEYS = ['results', 'people', 'data', 'rows'];

/** Words for the status of a job; interface specification 3 lists only `processing`. */
const RUNNING =
	/^((in[ _-]?)?progress|processing|pending|queued|waiting|running|started|accepted|created|new|working|submitted|scheduled)$/i;
const FAILED = /^(fail(ed|ure)|error(ed)?|cancel(l?ed)?|rejected|expired|aborted)$/i;
const DONE =
	/^(completed?|done|ended|finished|processed|succe(ss|ssful|eded)|ready)([ _-]with[ _-]\w+)?$/i;

/** Milliseconds for which the rows of a job have to stay the same if its status is none of these words. */
export const STEADY = 60_000;

/** A job of the bulk finder, or the rows that it sent at once (interface specification 2.8, 2.9). */
export interface BulkJob {
	/** Absent where the rows came at once. */
	jobId?: string;
	rows: IDataObject[];
	isDone: boolean;
	/** Whether nothing says how many rows it will have. */
	isOpenEnded?: boolean;
	/** Whether all rows are there and somebody is found, under a status that is none of the known words. */
	isLikelyDone?: boolean;
}

/**
 * Reads a response of the bulk finder (interface specification 4.6). A job is done when its status says so, or when it
 * has no status and all rows are there. A job that failed keeps only the people who were found, as the service may not
 * have looked for the others; without any it throws a {@link JobProblem}, or a {@link ServiceError} if it has no id.
 * @param sent the number of rows in the request, if known
 * @param askedFor the id of the job that the response is about, if known
 */
export function jobIn(response: object, sent?: number, askedFor?: string): BulkJob {
	const fields = isObject(response) ? response : {};
	const list: unknown = [response, ...ROW_KEYS.map((key) => fields[key])].find(Array.isArray);
	const id = textAt(fields, 'id');
	const status = textAt(fields, 'status') ?? '';
	const isError = status === '' && holdsError(fields);
	const isNamed = id !== null || 'total' in fields;
	// An error has a status or an id too: that ends no job, and begins none.
	if (!list && (isError || (FAILED.test(status) && !isNamed)))
		throw unexpectedResponse('rows', response);
	const isJob = id !== null || (status !== '' && askedFor !== undefined);
	const rows = isJob ? [list ?? []].flat().filter(isObject) : objectsIn(list ?? response, 'rows');
	const jobId = askedFor ?? id ?? undefined;
	if (FAILED.test(status)) {
		const found = rows.filter(hasEmail);
		if (found.length === 0) throw jobFailed(status, jobId);
		return { jobId, rows: found, isDone: true };
	}
	// Without rows and a name, the status may be that of the response alone.
	if (DONE.test(status)) return { jobId, rows, isDone: isNamed || list !== undefined };
	if (RUNNING.test(status)) return { jobId, rows, isDone: false };
	const people = sent ?? numberAt(fields, 'total');
	// The service may state any total, so no list of that length is made for a few rows.
	const canBeWhole = people === null ? rows.length > 0 : people > 0 && people <= rows.length;
	const byId = rowsById(rows);
	const isWhole =
		canBeWhole &&
		Array.from({ length: people ?? 0 }, (_, index) => `${index + 1}`).every((id) => byId.has(id));
	if (status === '') return { jobId, rows, isDone: isWhole, isOpenEnded: people === null };
	const isLikelyDone = people !== null && isWhole && rows.some(hasEmail);
	return { jobId, rows, isDone: false, isLikelyDone };
}

function jobFailed(status: string, jobId: string | undefined): Error {
	const job = jobId === undefined ? 'The bulk job' : `The bulk job ${jobId}`;
	const failed = new ServiceError('job_failed', {
		message: `${job} ended with the status "${status}"`,
		description: 'Run these items again.',
	});
	return jobId === undefined ? failed : new JobProblem(jobId, failed.problem);
}

type Get = (query: IDataObject, path: string) => Promise<object>;

/** Where a lookup finds the jobs that have its results. */
export interface JobEndpoint {
	/** Makes a function that reads a job of so many rows, if that is known. */
	reader(jobId: string, get: Get, rows?: number): () => Promise<BulkJob>;
	/** The results in the rows of a job, in the order of its questions. */
	match(rows: IDataObject[], questions: number): Array<IDataObject[] | undefined>;
}

/** The jobs of the bulk finder. */
export const FINDER_JOBS: JobEndpoint = { reader: jobReader, match: matchRows };

/**
 * A function that reads a job (interface specification 4.6, its variant). A job that is only likely to be done is done
 * once its rows have stayed the same for {@link STEADY}. Throws as {@link jobIn} does.
 * @param people the number of rows in the request of the job, if known
 */
export function jobReader(jobId: string, get: Get, people?: number): () => Promise<BulkJob> {
	let steady = { rows: '', since: 0 };
	return async () => {
		const job = jobIn(await readJob(jobId, get), people, jobId);
		if (!job.isLikelyDone) return job;
		const rows = JSON.stringify(job.rows);
		if (rows !== steady.rows) steady = { rows, since: Date.now() };
		return { ...job, isDone: Date.now() - steady.since >= STEADY };
	};
}

/** The specification does not show whether the id of a job goes into the path or into a parameter. */
async function readJob(jobId: string, get: Get): Promise<object> {
	const byParameter = async () => await get({ id: jobId }, FIND_BULK_PATH);
	// In a path, an id of dots alone would lead to another endpoint.
	if (/^\.+$/.test(jobId)) return await byParameter();
	const path = `${FIND_BULK_PATH}/${encodeURIComponent(jobId)}`;
	return await get({}, path).catch(async (thrown: unknown) => {
		if (isPathError(thrown)) return await byParameter();
		throw thrown;
	});
}

/** Returns the name and the company of the person in a row, for results that join no item. */
export function nameIn(row: IDataObject): IDataObject {
	return {
		fullName: textAt(row, 'name', 'fullName'),
		firstName: textAt(row, 'firstName'),
		lastName: textAt(row, 'lastName'),
		company: textAt(row, 'company', 'companyName'),
		domain: textAt(row, 'domain'),
	};
}
