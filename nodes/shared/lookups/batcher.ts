import type { IDataObject } from 'n8n-workflow';
import { MAX_IN_A_ROW } from '../client/breaker';
import type { AccountClient, Sending } from '../client/client';
import { hasCode, isNotFound, ServiceError, unknownPath } from '../http/errors';
import { Budget, Reservation } from '../credits/budget';
import { costOf, NOTHING } from '../credits/ledger';
import type { Job } from '../execution/jobs';
import { withoutKey } from '../http/mask';
import { asError } from '../values/text';
import type { Run } from '../run/run';
import type { AcceptedJob, BatchResults, Lookup, LookupService } from './lookup';
import type { Pool } from './pool';
import { type Entry, fail, isFreeFailure, isPending, resolve } from './rows';
import { pathOf } from '../input/declaration';

/** A request that is refused for its content, not for its sender or its time (7). */
const REFUSED_FOR_CONTENT = [400, 413, 414, 422];

/** What the batchers of one run share, one for each account. */
export interface Batching<Query extends IDataObject> {
	readonly run: Run<Batcher<Query>>;
	readonly lookup: Lookup<Query>;
	readonly pool: Pool;
	/** Responses to lookups, and how many of them were a 404. */
	readonly responses: { all: number; notFound: number };
	/** How long the next poll of a job has to wait for its turn, in milliseconds. */
	nextPoll(): number;
}

/** Sends the questions of one run to one account in the fewest requests. Every question is resolved, whatever happens. */
export class Batcher<Query extends IDataObject> {
	/** Entries that do not fill a request yet. */
	private entries: Array<Entry<Query>> = [];

	/** Entries that the job of an earlier run may answer, by their keys. */
	private readonly ofJobs = new Map<Job, Map<string, Entry<Query>>>();

	readonly budget: Budget;

	private isComplete = false;

	/** How many responses held no results, as those to an expired plan do; minus infinity once one did. */
	private sayingNothing = 0;

	constructor(
		readonly client: AccountClient,
		private readonly shared: Batching<Query>,
	) {
		const { context, execution, options } = shared.run;
		this.budget = new Budget({
			ledger: execution.ledger,
			node: context.node.name,
			kind: shared.lookup.kind,
			account: client.gate,
			cap: options.cap,
			signal: context.signal,
		});
	}

	/** The job of an earlier run that may have the answer. */
	jobOf(key: string): Job | undefined {
		return this.shared.lookup.collect && this.shared.run.execution.jobs.of(key);
	}

	/** Takes a question. A request leaves as soon as it is full. */
	ask(entry: Entry<Query>): void {
		const job = this.jobOf(entry.key);
		if (job) this.ofJobs.set(job, (this.ofJobs.get(job) ?? new Map()).set(entry.key, entry));
		else this.entries.push(entry);
		// With what else is asked at the same time.
		if (this.isComplete) queueMicrotask(() => void this.finish());
		else if (this.entries.length >= this.shared.lookup.perRequest) this.enqueueNext();
	}

	/** All items are read: sends what does not fill a request, and collects from jobs. */
	async finish(): Promise<void> {
		this.isComplete = true;
		while (this.entries.length > 0) this.enqueueNext();
		const ofJobs = [...this.ofJobs];
		this.ofJobs.clear();
		await Promise.all(ofJobs.map(async ([job, byKey]) => await this.collect(job, byKey)));
	}

	private enqueueNext(): void {
		const { fitting, perRequest } = this.shared.lookup;
		const queries = this.entries.slice(0, perRequest).map(({ query }) => query);
		const most = fitting?.(queries, this.client.connection.settings) ?? perRequest;
		this.enqueue(this.entries.splice(0, Math.max(1, most)));
	}

	private enqueue(batch: Array<Entry<Query>>, isUrgent = false): void {
		this.shared.pool.add(async () => await this.send(batch), isUrgent);
	}

	/** Sends as much of a batch as there are credits for. */
	private async send(batch: Array<Entry<Query>>): Promise<(() => void) | undefined> {
		const { breather } = this.shared.run;
		if (breather.isDue) await breather.breathe();
		const reservation = await this.reserve(batch.length).catch(asError);
		if (!(reservation instanceof Reservation)) return fail(batch, reservation, { credits: 0 });
		const paid = batch.slice(0, reservation.credits);
		if (paid.length < batch.length) this.enqueue(batch.slice(paid.length), true);
		const queries = paid.map(({ query }) => query);
		const asking = this.shared.lookup.ask(queries, this.service(reservation));
		return await this.conclude(paid, reservation, asking);
	}

	/** Resolves a batch, and charges its credits. A job that the service has accepted takes no place while it is waited for. */
	private async conclude(
		paid: Array<Entry<Query>>,
		reservation: Reservation,
		coming: Promise<BatchResults | AcceptedJob>,
		job?: Job,
	): Promise<(() => void) | undefined> {
		const { jobs } = this.shared.run.execution;
		try {
			const received = await coming;
			if ('acceptedJob' in received) {
				// It is paid for: n8n stores it with the execution, also if that is stopped while it is waited for.
				const accepted = this.remember(paid, received.acceptedJob, 0);
				jobs.save();
				const results = this.resultsOf(accepted.id, paid.length);
				const concluding = this.conclude(paid, reservation, results, accepted);
				this.shared.pool.addBeside(concluding.then((rest) => rest?.()));
				return undefined;
			}
			this.sayingNothing = Number.NEGATIVE_INFINITY;
			reservation.charge(costOf(received.results));
			if (job) jobs.ended(job, this.client.connection, received.results);
			return () => resolve(paid, received, { isRenewed: reservation.isRenewed });
		} catch (error) {
			const isFree = isFreeFailure(error);
			const saysNothing = error instanceof ServiceError && error.reason === 'unexpected_answer';
			if (saysNothing && ++this.sayingNothing >= MAX_IN_A_ROW) {
				this.client.halt('unexpected_answer', error);
			}
			reservation.charge(isFree ? NOTHING : undefined);
			if (this.isSentInParts(paid, error)) return undefined;
			if (isPending(error)) this.remember(paid, error.jobId, reservation.credits);
			else if (job) jobs.ended(job, this.client.connection);
			const failure = error instanceof ServiceError ? error.needing(paid.length) : error;
			return fail(paid, failure, { credits: isFree && !reservation.isRenewed ? 0 : null });
		}
	}

	/** Reserves credits for a batch, or for its first entries. Throws `NotProcessed` if there are none, or `InvalidInput`. */
	private async reserve(credits: number): Promise<Reservation> {
		const { budget, client } = this;
		const { keep } = this.shared.run.options;
		if (keep !== undefined) {
			await client.once('account', async () => await budget.keep(keep, client));
		}
		return await budget.reserve(credits);
	}

	/**
	 * Queues a refused batch again, if that may help: as large as the credits that are left, or in halves, so that one item
	 * which the service refuses does not cost the others their answers. Returns whether it did.
	 */
	private isSentInParts(entries: Array<Entry<Query>>, error: unknown): boolean {
		const left = error instanceof ServiceError ? error.leftOf(entries.length) : 0;
		if (left > 0) {
			this.budget.learn(left);
			this.enqueue(entries, true);
			return true;
		}
		if (entries.length === 1 || !hasCode(error, REFUSED_FOR_CONTENT)) return false;
		const middle = Math.ceil(entries.length / 2);
		this.enqueue(entries.slice(middle), true);
		this.enqueue(entries.slice(0, middle), true);
		return true;
	}

	private remember(entries: Array<Entry<Query>>, id: string, credits: number): Job {
		const { context, execution } = this.shared.run;
		const { node, executionId } = context;
		const questions = entries.map(({ key }) => key);
		const connection = this.client.connection.id;
		const job = { id, connection, questions, credits, node: node.name, executionId };
		execution.jobs.remember(job);
		return job;
	}

	private async resultsOf(jobId: string, questions: number): Promise<BatchResults> {
		const { collect } = this.shared.lookup;
		return (await collect?.(jobId, questions, this.service())) ?? { results: [] };
	}

	/** Collects the answers that an earlier run left with a job. */
	private async collect(job: Job, byKey: Map<string, Entry<Query>>): Promise<void> {
		const { jobs } = this.shared.run.execution;
		const entries = job.questions.map((key) => byKey.get(key));
		const received = await this.resultsOf(job.id, entries.length).catch(asError);
		if (received instanceof Error) {
			if (isFreeFailure(received)) jobs.ended(job, this.client.connection);
			return fail(entries, received, { credits: isPending(received) ? null : 0, isOfJob: true });
		}
		jobs.ended(job, this.client.connection, received.results);
		resolve(entries, received, { isOfJob: true });
	}

	private service(reservation?: Reservation): LookupService {
		const { client } = this;
		const { lookup, responses, run } = this.shared;
		const { method } = lookup.option.routing?.request ?? {};
		const url = pathOf(lookup);
		const isBulk = lookup.perRequest > 1;
		const sending: Sending = { reservation, repeats: isBulk ? 'never' : 'once', isBulk };
		return {
			settings: client.connection.settings,
			asReceived: (texts) => withoutKey(texts, client.connection.apiKey),
			ask: async (request) => {
				const asked = { method, url, ...request };
				const response = await client.send(asked, sending).catch((thrown: unknown) => {
					if (!isNotFound(thrown)) throw thrown;
					if (isBulk || !lookup.canMiss) throw unknownPath(asked.url);
					responses.notFound++;
					return { results: [] };
				});
				responses.all++;
				return response;
			},
			collect: async (request) =>
				await client.send({ method: 'GET', url, ...request }, { collects: true, isPoll: true }),
			pollTurn: async (wait) => {
				await client.sleep(wait);
				await client.sleep(this.shared.nextPoll());
			},
			// A single lookup does not wait for the job of a bulk request that may have its answer.
			jobTimeout: isBulk ? run.options.jobTimeout : 0,
		};
	}
}
