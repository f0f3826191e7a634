import type { IDataObject, IHttpRequestOptions } from 'n8n-workflow';
import { costOf } from '../credits/ledger';
import type { Paid, Settled } from '../execution/answers';
import { failureOf, ofJob } from '../failures/failure';
import { type Connection, digest, type InterfaceSettings } from '../http/connection';
import { unexpectedResponse } from '../http/errors';
import type { Preparation } from '../input/item';

/** The results for some questions, in their order: an error where one says nothing, `undefined` where it was left out. */
export interface Received {
	results: Array<IDataObject[] | Error | undefined>;
	/** The job that had them, if any. */
	jobId?: string;
}

/** What the service sends in place of results, where it looks them up in the background. */
export interface AcceptedJob {
	acceptedJob: string;
}

/** An operation that looks something up for each item, for credits. A single lookup has one question in a request. */
export interface Lookup<Query extends IDataObject> extends Preparation<Query> {
	/** The status of an item that has a result. What is to be found may be unknown, for free; a verification has a result. */
	hitStatus: 'found' | 'verified';
	columns: string[];
	/** The most questions of one request (interface specification 8). */
	perRequest: number;
	/** How many of these questions, from the first, fit into one request; all of them by default. */
	fitting?(queries: Query[], settings: InterfaceSettings): number;
	/** The request for these questions, beside the method and the path of the operation. */
	request(queries: Query[], settings: InterfaceSettings): Partial<IHttpRequestOptions>;
	/**
	 * Reads the response to such a request: the results, or the job that the service has accepted in their place. Throws a
	 * `Failure` for what is none.
	 * @param queries in the spelling in which a response repeats them: with the API key masked
	 */
	read(response: object, queries: Query[]): Received | AcceptedJob;
	/** Whether a result has another website than the one that was asked for. */
	isElsewhere?(result: IDataObject, query: Query): boolean;
	/** The fields that a result gives, in the package's words, in a new object: the status and the time are put into it. */
	simplify(result: IDataObject, query: Query): IDataObject;
}

/** The key of a question: a digest of the account, the interface settings, what is to be found and the query. */
export function keyOf<Query extends IDataObject>(
	{ finds, identity }: Pick<Preparation<Query>, 'finds' | 'identity'>,
	{ id }: Connection,
	query: Query,
): string {
	return digest([id, finds, identity?.(query) ?? query]);
}

/** A distinct question, and the function that resolves it. */
export interface Entry<Query> {
	key: string;
	query: Query;
	resolve: (settled: Settled) => void;
}

/** The entries of a request or a job in the order of its rows, without those that nobody asks for now. */
type Entries = Array<Entry<unknown> | undefined>;

export function leftOut(): Error {
	return unexpectedResponse('a result for this item');
}

/**
 * Resolves each question with its results; one that the service left out gets an error.
 * @param isRenewed whether an earlier attempt may have been charged too, so that nobody knows the cost
 */
export function resolve(
	entries: Entries,
	{ results, jobId }: Received,
	{ isRenewed = false, isOfJob = false },
): void {
	const at = Date.now();
	entries.forEach((entry, index) => {
		const result = results[index];
		if (Array.isArray(result)) {
			const credits = isRenewed ? null : costOf([result]).certain;
			return entry?.resolve({ answer: { results: result, at }, credits, isOfJob });
		}
		// A job may still get a row that it lacks.
		const error =
			jobId === undefined
				? (result ?? leftOut())
				: ofJob(jobId, result && failureOf(result)).with({ jobRow: index + 1 });
		return entry?.resolve({ error, credits: null, isOfJob });
	});
}

/** Resolves each question with an error, that of a job with its row. */
export function fail(entries: Entries, error: unknown, paid: Paid): void {
	entries.forEach((entry, index) => {
		const failure = failureOf(error);
		const isOfJob = failure.problem.jobId !== undefined;
		entry?.resolve({ ...paid, error: isOfJob ? failure.with({ jobRow: index + 1 }) : failure });
	});
}
