import type { IDataObject } from 'n8n-workflow';

import type { BulkService } from '../shared/request/lookup';
import { NotProcessed } from '../shared/request/notProcessed';
import { JobPending } from '../shared/request/outcome';
import { mayRetry } from '../shared/request/retry';
import { ServiceError } from '../shared/request/serviceError';
import { isObject, textAt } from '../shared/values/json';
import { rowsIn } from './bulkRows';

const PATH = '/api/v2/find_bulk';

const FIRST_WAIT = 1_000;

const LONGEST_WAIT = 15_000;

/** The words of a job that will bring no rows; the specification lists only `processing` (3). */
const FAILED = /fail|error|cancel|reject|expired/i;

/** The id of the job in an answer of the bulk finder (interface specification 2.9), if it is one. */
export function jobIdIn(answer: object): string | undefined {
	const id = isObject(answer) ? textAt(answer, 'id') : null;
	return id ?? undefined;
}

/**
 * Waits for the rows of a job (interface specification 4.6, its variant), asking after 1 s and then
 * ever more seldom. Throws {@link JobPending} when they do not come in time, or the job can't be
 * read: it is never lost.
 */
export async function waitForJob(jobId: string, service: BulkService): Promise<IDataObject[]> {
	const end = Date.now() + service.jobTimeout;
	for (let wait = FIRST_WAIT; ; wait = Math.min(wait * 1.5, LONGEST_WAIT)) {
		const left = end - Date.now();
		if (left > 0) await service.sleep(Math.min(wait, left));
		const rows = await readJob(jobId, service).catch((thrown: unknown) => {
			if (!mayRetry(thrown)) throw mayComeLater(thrown) ? new JobPending(jobId) : thrown;
			return undefined;
		});
		if (rows) return rows;
		if (Date.now() >= end) throw new JobPending(jobId);
	}
}

/** The job was accepted: what keeps us from reading it does not undo it. */
function mayComeLater(thrown: unknown): boolean {
	if (thrown instanceof NotProcessed) return true;
	return thrown instanceof ServiceError && thrown.reason !== 'job_failed';
}

/** The rows of a job, or nothing when it is not finished. */
export async function readJob(
	jobId: string,
	{ collect }: BulkService,
): Promise<IDataObject[] | undefined> {
	// The specification does not show how a job is asked for: by its path, or by a parameter.
	const path = `${PATH}/${encodeURIComponent(jobId)}`;
	const answer = await collect({ method: 'GET', url: path }).catch(async (thrown: unknown) => {
		if (!isUnknownPath(thrown)) throw thrown;
		return await collect({ method: 'GET', url: PATH, qs: { id: jobId } });
	});
	const rows = rowsIn(answer);
	const status = isObject(answer) ? textAt(answer, 'status') : null;
	if (rows === undefined && status !== null && FAILED.test(status)) {
		throw new ServiceError('job_failed', {
			message: `The bulk job ${jobId} ended with the status "${status}"`,
			description: 'Run these items again.',
		});
	}
	return rows;
}

function isUnknownPath(thrown: unknown): boolean {
	return thrown instanceof ServiceError && (thrown.httpCode === 404 || thrown.httpCode === 405);
}
