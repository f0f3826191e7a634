import type { IContextObject } from 'n8n-workflow';
import { costOf, type Ledger, NOTHING } from '../credits/ledger';
import type { Connection } from '../http/connection';
import type { AnswerStore, Results } from './answers';

/** The most jobs that n8n stores with the execution; the oldest of more are dropped. */
const MAX_STORED_JOBS = 1_000;

/** Where n8n stores the pending jobs with the execution. Another shape of them needs another name. */
const RECORD = 'contactDataJobs';

/** A bulk job that is pending, as n8n stores it with the execution. */
export interface Job {
	id: string;
	/** The `id` of the connection that it belongs to. */
	connection: string;
	/** The keys of its questions, in their order. */
	questions: string[];
	/** What it may have cost, in credits; 0 once that is known. */
	credits: number;
	/** The node and the execution that have paid for it. */
	node: string;
	executionId: string;
}

/** The bulk jobs of one execution that are pending: a node that runs again collects them instead of paying again. */
export class PendingJobs {
	private readonly byKey: Map<string, Job>;

	constructor(
		private readonly record: IContextObject,
		private readonly answers: AnswerStore,
		private readonly ledger: Ledger,
	) {
		const stored: Job[] = record[RECORD] ?? [];
		this.byKey = new Map(stored.flatMap((job) => job.questions.map((key) => [key, job])));
	}

	get isEmpty(): boolean {
		return this.byKey.size === 0;
	}

	/** The job that may have the answer to a question. */
	of(key: string): Job | undefined {
		return this.byKey.get(key);
	}

	withId(id: string, connection: Connection): Job | undefined {
		const jobs = [...this.byKey.values()];
		return jobs.find((job) => job.id === id && job.connection === connection.id);
	}

	remember(job: Job): void {
		for (const key of job.questions) this.byKey.set(key, job);
	}

	/**
	 * Ends a job: its cost is settled and its answers are kept for later callers. A question that it left open is sent
	 * again.
	 * @param results in the order of its questions; none for a job that has failed
	 */
	ended(job: Job, connection: Connection, results?: Array<Results | undefined>): void {
		const at = Date.now();
		job.questions.forEach((key, index) => {
			if (this.byKey.get(key) === job) this.byKey.delete(key);
			const own = results?.[index];
			if (own) this.answers.keep([key, { results: own, at }], connection);
		});
		this.ledger.collected(job, results ? costOf(results) : NOTHING);
	}

	/** Puts the pending jobs into what n8n stores with the execution. */
	save(): void {
		const pending = [...new Set(this.byKey.values())];
		if (pending.length > 0) this.record[RECORD] = pending.slice(-MAX_STORED_JOBS);
		else delete this.record[RECORD];
	}
}
