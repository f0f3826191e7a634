import type { IDataObject } from 'n8n-workflow';
import type { BulkJob } from '../api/bulkJob';
import { JobProblem, NotProcessed } from '../failures/failure';
import { ServiceError } from '../http/errors';

/** The first and the longest time between two polls of a job, and how much longer each is than the one before, in milliseconds. */
const FIRST_POLL = 1_000;
const LONGEST_POLL = 15_000;
const LONGER = 1.5;

/** So often in a row a service says that it does not know a job of an earlier execution, until that is believed. */
const MAX_UNKNOWN = 3;

export interface Waiting {
	id: string;
	/** Whether this execution has begun it: the service may need a moment until it knows it. */
	isOwn: boolean;
	/** How long to wait, in milliseconds. */
	timeout: number;
}

/**
 * Waits for the rows of a job, whatever is sent in their place: only its own word, a revoked key or that it is gone ends
 * the wait. Throws a {@link JobProblem} when the job has failed, or is not done in time.
 * @param turn waits for at least so many milliseconds until the job may be polled
 */
export async function waitForJob(
	{ id: jobId, isOwn, timeout }: Waiting,
	read: () => Promise<BulkJob>,
	turn: (wait: number) => Promise<void>,
): Promise<IDataObject[]> {
	const end = Date.now() + timeout;
	let unknown = 0;
	for (let wait = FIRST_POLL; ; wait = Math.min(wait * LONGER, LONGEST_POLL)) {
		const left = end - Date.now();
		await turn(Math.max(0, Math.min(wait, left)));
		const job = await read().catch((thrown: unknown) => {
			// The job is paid for: whatever cannot be read is pending, never failed.
			if (thrown instanceof NotProcessed) throw new JobProblem(jobId);
			if (!(thrown instanceof ServiceError)) throw thrown;
			if (thrown.reason === 'unauthorized') throw new JobProblem(jobId);
			unknown = isOwn || !thrown.isPath ? 0 : unknown + 1;
			const isUnknown = unknown >= MAX_UNKNOWN;
			if (thrown.isGone || isUnknown) throw new JobProblem(jobId, thrown.problem);
			return undefined;
		});
		if (job) unknown = 0;
		if (job?.isDone) return job.rows;
		// Whether it is known, a few polls tell.
		if (Date.now() >= end && unknown === 0) throw new JobProblem(jobId);
	}
}
