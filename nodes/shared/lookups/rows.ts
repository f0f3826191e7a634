import { costOf } from '../credits/ledger';
import type { Cost, Settled } from '../execution/answers';
import { JobProblem, NotProcessed } from '../failures/failure';
import { asServiceError, unexpectedResponse } from '../http/errors';
import type { BatchResults } from './lookup';

/** A distinct question, and the function that resolves it. */
export interface Entry<Query> {
	key: string;
	query: Query;
	resolve: (settled: Settled) => void;
}

/** The entries of a request or a job in the order of its rows, without those that nobody asks for now. */
type Rows = Array<Entry<unknown> | undefined>;

/**
 * Gives each row its results; one that the service left out gets an error.
 * @param isRenewed whether an earlier attempt may have been charged too, so that nobody knows the cost
 */
export function resolve(
	rows: Rows,
	{ results, jobId }: BatchResults,
	{ isRenewed = false, isOfJob = false },
): void {
	const at = Date.now();
	rows.forEach((row, index) => {
		const own = results[index];
		const credits = own && !isRenewed ? costOf([own]).certain : null;
		if (own) return row?.resolve({ answer: { results: own, at }, credits, isOfJob });
		const leftOut = unexpectedResponse('a result for this item');
		const error = jobId === undefined ? leftOut : new JobProblem(jobId, leftOut.problem, index + 1);
		return row?.resolve({ error, credits, isOfJob });
	});
}

export function fail(rows: Rows, error: unknown, cost: Cost): undefined {
	rows.forEach((row, index) => {
		row?.resolve({ ...cost, error: error instanceof JobProblem ? error.at(index + 1) : error });
	});
}

export function isPending(error: unknown): error is JobProblem {
	return error instanceof JobProblem && error.isPending;
}

/** Whether a request that brought no answers has cost nothing. */
export function isFreeFailure(error: unknown): boolean {
	if (error instanceof JobProblem) return !error.isPending;
	return error instanceof NotProcessed || !asServiceError(error).mayBeCharged;
}
