import type { IDataObject } from 'n8n-workflow';
import { matchRows } from '../api/bulkFinder';
import { type BulkJob, jobReader } from '../api/bulkJob';
import { isFound } from '../api/finder';
import type { AccountClient } from '../client/client';
import type { Job } from '../execution/execution';
import { failureOf, ofJob } from '../failures/failure';
import { withoutKey } from '../http/mask';
import type { Run } from '../run/run';
import type { Entry, Lookup, Received } from './lookup';

/** The first and the longest time between two polls of a job, and how much longer each is than the one before, in milliseconds. */
const FIRST_POLL = 1_000;
const LONGEST_POLL = 15_000;
const LONGER = 1.5;

/** So often in a row a service says that it does not know a job of an earlier execution, until that is believed. */
const MAX_UNKNOWN = 3;

/** The jobs of one run at one account: those that its requests begin, and those that its items wait for. */
export class RunJobs<Query extends IDataObject> {
	constructor(
		private readonly client: AccountClient,
		private readonly lookup: Lookup<Query>,
		private readonly run: Run<{ client: AccountClient }>,
	) {}

	/**
	 * Notes the job that has the results of a request, for the next run.
	 * @param credits that it may cost, if nobody has counted them yet
	 */
	begun(entries: Array<Entry<Query>>, id: string, credits = 0): Job {
		const { node, executionId } = this.run.context;
		const questions = entries.map(({ key }) => key);
		const connection = this.client.connection.id;
		const paidBy = { node: node.name, executionId };
		const job: Job = { id, connection, questions, over: [], credits, ...paidBy };
		this.run.execution.jobs.remember(job);
		return job;
	}

	/** Waits for the results of a job. Throws a `Failure` when it has failed, is not known or has none in time. */
	async resultsOf(
		{ id, executionId, questions }: Job,
		entries: Array<Entry<Query> | undefined>,
	): Promise<Received> {
		const { client, run } = this;
		const isOwn = executionId === run.context.executionId;
		const get = async (qs: IDataObject, url: string) =>
			await client.send({ method: 'GET', url, qs }, { collects: true, isPoll: true });
		// Of a job that items brought along this is the last row that is wanted: rows may come one after the other.
		const read = jobReader(id, get, questions.length);
		const job = await this.waitFor(id, isOwn, read);
		const queries = entries.map((entry) => entry?.query);
		const asked = withoutKey(queries, client.connection.apiKey);
		// Nobody knows the other questions of a job that an item brings: a row has to name the person.
		const isOfStranger = executionId === '';
		const rows = matchRows(job.rows, asked, isOfStranger);
		if (job.isDone) return { results: rows.map((row) => row ?? job.failure), jobId: id };
		// When the time is over, who is found is delivered. A row without an email may not have been looked for yet.
		if (!rows.some(isFound)) throw ofJob(id);
		return { results: rows.map((row) => (isFound(row) ? row : ofJob(id))), jobId: id };
	}

	/**
	 * Waits for the rows of a job, whatever is sent in their place: only its own word, a revoked key or that it is gone ends
	 * the wait before its time. Throws a `Failure` when the job has failed, or is not known in time.
	 * @param isOwn whether this execution has begun it: the service may need a moment until it knows it
	 */
	private async waitFor(
		jobId: string,
		isOwn: boolean,
		read: () => Promise<BulkJob>,
	): Promise<BulkJob> {
		const { client, lookup, run } = this;
		// A single lookup does not wait for the job of a bulk request that may have its answer.
		const end = Date.now() + (lookup.perRequest > 1 ? run.options.jobTimeout : 0);
		let unknown = 0;
		let isEnded = false;
		let last: BulkJob = { rows: [], isDone: false };
		for (let wait = FIRST_POLL; ; wait = Math.min(wait * LONGER, LONGEST_POLL)) {
			await client.sleep(Math.max(0, Math.min(wait, end - Date.now())));
			await client.sleep(run.nextPoll());
			const job = await read().catch((thrown: unknown) => {
				// The job is paid for: whatever cannot be read is pending, never failed.
				const failure = failureOf(thrown);
				const { httpCode, isPath, jobId: ended, next, reason } = failure.problem;
				if (ended !== undefined) throw thrown;
				isEnded = next === 'unsent' || reason === 'unauthorized';
				unknown = !isOwn && (isPath || next === 'parts') ? unknown + 1 : 0;
				if (httpCode === 410 || unknown >= MAX_UNKNOWN) throw ofJob(jobId, failure);
				return undefined;
			});
			if (job) unknown = 0;
			last = job ?? last;
			if (job?.isDone) return job;
			// Whether it is known, a few polls tell.
			if (isEnded || (Date.now() >= end && unknown === 0)) return last;
		}
	}
}
