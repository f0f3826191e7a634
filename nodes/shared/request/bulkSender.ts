import type { IDataObject } from 'n8n-workflow';

import type { CreditBudget } from './budget';
import type { MeteredService } from './bulkService';
import type { JobsOfExecution } from './execution';
import type { BulkLookup } from './lookup';
import { NotProcessed } from './notProcessed';
import { JobPending } from './outcome';
import { ServiceError, unexpectedAnswer } from './serviceError';

/** A distinct question that waits for its result. */
export interface Waiting<Query> {
	key: string;
	query: Query;
	resolve: (result: IDataObject) => void;
	reject: (reason: Error) => void;
}

/** Sends the waiting questions in chunks, several at once, and settles each with its result. */
export class BulkSender<Query extends IDataObject> {
	constructor(
		private readonly lookup: BulkLookup<Query>,
		private readonly service: MeteredService,
		private readonly budget: CreditBudget,
		private readonly maxCredits: number,
		private readonly jobs: JobsOfExecution,
	) {}

	async send(waiting: Array<Waiting<Query>>): Promise<void> {
		const queue = await this.collectJobs(waiting);
		const length = Math.min(this.service.requestsAtOnce, queue.length);
		const workers = Array.from({ length }, async () => {
			while (queue.length > 0) await this.sendNext(queue);
		});
		await Promise.all(workers);
	}

	/** Collects what an earlier run of the node left with a job; gives back the other questions. */
	private async collectJobs(waiting: Array<Waiting<Query>>): Promise<Array<Waiting<Query>>> {
		const { collect } = this.lookup;
		if (!collect || this.jobs.size === 0) return [...waiting];
		const left = new Map<string, Array<Waiting<Query>>>();
		const others: Array<Waiting<Query>> = [];
		for (const question of waiting) {
			const job = this.jobs.get(question.key);
			if (job) left.set(job.id, [...(left.get(job.id) ?? []), question]);
			else others.push(question);
		}
		const collected = [...left].map(async ([id, questions]) => {
			const keys = this.jobs.get(questions[0].key)?.questions ?? [];
			await this.settle(questions, async () => {
				const results = await collect(id, keys.length, this.service);
				return questions.map(({ key }) => results[keys.indexOf(key)]);
			});
		});
		await Promise.all(collected);
		return others;
	}

	/** Cuts the next chunk off the queue, as large as request and budget allow, and sends it. */
	private async sendNext(queue: Array<Waiting<Query>>): Promise<void> {
		const fitting = () => {
			const queries = queue.slice(0, 100).map(({ query }) => query);
			return this.lookup.fitting(queries, this.service.settings);
		};
		const reservation = await this.budget.reserve(fitting(), this.maxCredits, 1);
		if (!reservation) {
			const reason = new NotProcessed('credit_limit');
			for (const question of queue.splice(0)) question.reject(reason);
			return;
		}
		// While this worker waited for credits, another may have taken questions.
		const chunk = queue.splice(0, Math.min(reservation.credits, fitting()));
		reservation.reduceTo(chunk.length);
		if (chunk.length === 0) return;
		const queries = chunk.map(({ query }) => query);
		const service = this.service.paidFrom(reservation);
		const ask = async () => await this.lookup.ask(queries, service);
		reservation.settle(await this.settle(chunk, ask));
	}

	/**
	 * Gives each question of a chunk its result, or all of them the reason why there is none.
	 * @returns what the request did cost, if known
	 */
	private async settle(
		chunk: Array<Waiting<Query>>,
		ask: () => Promise<Array<IDataObject | undefined>>,
	): Promise<number | undefined> {
		try {
			const results = await ask();
			chunk.forEach(({ resolve, reject }, index) => {
				const result = results[index];
				if (result) resolve(result);
				else reject(unexpectedAnswer('a result for this item'));
			});
			for (const { key } of chunk) this.jobs.delete(key);
			return this.lookup.charged(results);
		} catch (error) {
			const reason = error instanceof Error ? error : new Error(String(error));
			this.remember(chunk, reason);
			for (const { reject } of chunk) reject(reason);
			const mayBeCharged = reason instanceof ServiceError && reason.mayBeCharged;
			return mayBeCharged || reason instanceof JobPending ? undefined : 0;
		}
	}

	/** Notes a job that goes on, with the order of its questions; forgets one that has ended. */
	private remember(chunk: Array<Waiting<Query>>, reason: Error): void {
		const questions = chunk.map(({ key }) => key);
		for (const key of questions) {
			if (!(reason instanceof JobPending)) this.jobs.delete(key);
			else if (!this.jobs.has(key)) this.jobs.set(key, { id: reason.jobId, questions });
		}
	}
}
