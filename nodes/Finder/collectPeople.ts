import { jobReader, matchRows } from '../shared/api/bulkFinder';
import { JobProblem, NotProcessed } from '../shared/failures/failure';
import { ServiceError } from '../shared/http/errors';
import type { BatchResults, LookupService } from '../shared/lookups/lookup';
import { mayRetry } from '../shared/pace/retry';

/**
 * Waits for the answers of a job to so many people: polls after 1 s, then at growing intervals of up to
 * 15 s. Throws a {@link JobProblem} when the job has failed, is not done within `jobTimeout` or cannot be read.
 */
export async function collectPeople(
	jobId: string,
	people: number,
	service: LookupService,
): Promise<BatchResults> {
	const end = Date.now() + service.jobTimeout;
	const read = jobReader(jobId, async (qs, url) => await service.collect({ qs, url }), people);
	for (let wait = 1_000; ; wait = Math.min(wait * 1.5, 15_000)) {
		const left = end - Date.now();
		await service.pollTurn(Math.max(0, Math.min(wait, left)));
		const job = await read().catch((thrown: unknown) => {
			if (mayRetry(thrown)) return undefined;
			// The job is paid for: any error while polling means pending, never failed.
			const isUnread = thrown instanceof NotProcessed || thrown instanceof ServiceError;
			throw isUnread ? new JobProblem(jobId) : thrown;
		});
		if (job?.isDone) return { results: matchRows(job.rows, people), jobId };
		if (Date.now() >= end) throw new JobProblem(jobId);
	}
}
