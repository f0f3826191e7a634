import type { IDataObject } from 'n8n-workflow';

import type { AccountClient } from '../client/client';
import {
	asServiceError,
	isNotFound,
	NotProcessed,
	ServiceError,
	unexpectedAnswer,
	unknownPath,
} from '../http/errors';
import { readAccount } from '../credits/account';
import { Budget, Reservation } from '../credits/budget';
import { costOf, type Credits } from '../credits/ledger';
import type { Results, Settled } from '../execution/answers';
import { executionOf, type Execution, type Job } from '../execution/execution';
import { Breather } from '../host/breather';
import type { NodeContext } from '../host/context';
import { pathOf } from '../host/routing';
import { withoutKey } from '../http/mask';
import { invalidValue, JobFailed, JobPending } from '../output/problem';
import { asError } from '../values/text';
import type { Lookup, LookupService, RequestPart } from './lookup';
import { KEEP_CREDITS, type LookupOptions } from './options';
import type { Pool } from './pool';

/** A distinct question, and the function that settles it. */
export interface Entry<Query> {
	key: string;
	query: Query;
	settle: (settled: Settled) => void;
}

/** A request that is refused for its content, not for its sender or its time (7). */
const REFUSED_FOR_CONTENT = [400, 413, 414, 422];

/** After so many items that were refused alone, with no answer at all, the content is hardly the reason. */
const MAX_REFUSED = 100;

const FREE: Credits = { certain: 0, uncertain: 0 };

/** What a batcher shares with those of other accounts in one run of a node. */
export interface BatcherRun<Query extends IDataObject> {
	context: NodeContext;
	lookup: Lookup<Query>;
	options: LookupOptions;
	pool: Pool;
}

/**
 * Sends the questions of one run to one account in the fewest requests, while more questions come in. Every question is
 * settled, whatever happens.
 */
export class Batcher<Query extends IDataObject> {
	/** Entries that do not fill a request yet. */
	private entries: Array<Entry<Query>> = [];

	/** Entries that the job of an earlier run may answer. */
	private readonly ofJobs = new Map<Job, Array<Entry<Query>>>();

	private readonly execution: Execution;

	private readonly breather = new Breather();

	private budget: Promise<Budget> | undefined;

	/** Whether all items are read. */
	private isComplete = false;

	/** Items that were refused alone before any item was answered. */
	private refused = 0;

	private isAnswered = false;

	constructor(
		private readonly client: AccountClient,
		private readonly run: BatcherRun<Query>,
	) {
		this.execution = executionOf(run.context);
		this.execution.answers.load(client.connection);
	}

	async spent(): Promise<Credits> {
		const budget = await this.budget?.catch(() => undefined);
		return budget?.spent ?? FREE;
	}

	get connection(): AccountClient['connection'] {
		return this.client.connection;
	}

	/** The job of an earlier run that may have the answer. */
	jobOf(key: string): Job | undefined {
		return this.run.lookup.collect && this.execution.jobs.get(key);
	}

	/** Takes an entry. A request leaves as soon as it is full. */
	add(entry: Entry<Query>): void {
		const job = this.jobOf(entry.key);
		if (job) this.ofJobs.set(job, [...(this.ofJobs.get(job) ?? []), entry]);
		else this.entries.push(entry);
		if (this.isComplete) void this.finish();
		else if (this.entries.length >= this.run.lookup.perRequest) this.enqueueNext();
	}

	/** All items are read: sends what does not fill a request, and collects from jobs. */
	async finish(): Promise<void> {
		this.isComplete = true;
		while (this.entries.length > 0) this.enqueueNext();
		const ofJobs = [...this.ofJobs];
		this.ofJobs.clear();
		await Promise.all(ofJobs.map(async ([job, entries]) => await this.collect(job, entries)));
	}

	/** Cuts the next batch: as many entries as fit into one request. */
	private enqueueNext(): void {
		const { fitting, perRequest } = this.run.lookup;
		const queries = this.entries.slice(0, perRequest).map(({ query }) => query);
		const most = fitting?.(queries, this.connection.settings) ?? perRequest;
		this.enqueue(this.entries.splice(0, Math.max(1, most)));
	}

	private enqueue(batch: Array<Entry<Query>>, isUrgent = false): void {
		this.run.pool.add(async () => await this.send(batch), isUrgent);
	}

	/** Sends as much of a batch as there are credits for. */
	private async send(batch: Array<Entry<Query>>): Promise<(() => void) | undefined> {
		if (this.breather.isDue) await this.breather.breathe();
		const reservation = await this.reserve(batch.length).catch(asError);
		if (!(reservation instanceof Reservation)) {
			for (const { settle } of batch) settle({ error: reservation, credits: 0 });
			return undefined;
		}
		const paid = batch.slice(0, reservation.credits);
		if (paid.length < batch.length) this.enqueue(batch.slice(paid.length), true);
		try {
			const queries = paid.map(({ query }) => query);
			const { results, jobId } = await this.run.lookup.ask(queries, this.service(reservation));
			const answers = paid.map((_, index) => results[index]);
			this.isAnswered = true;
			reservation.settle(costOf(answers));
			const costs = answers.map((answer) =>
				answer && !reservation.isRenewed ? costOf([answer]).certain : null,
			);
			return this.answered(paid, answers, { jobId, costs });
		} catch (error) {
			this.failed(paid, error, reservation);
			return undefined;
		}
	}

	/** Credits for a batch, or for its first entries. Throws `NotProcessed` without any, or `InvalidInput`. */
	private async reserve(credits: number): Promise<Reservation> {
		this.budget ??= this.openBudget();
		const reserved = await (await this.budget).reserve(credits);
		if (reserved instanceof Reservation) return reserved;
		throw new NotProcessed(reserved);
	}

	/** Opens the budget. With Keep Credits it reads the account (interface specification 4.1), which is free. */
	private async openBudget(): Promise<Budget> {
		const { client, execution, run } = this;
		const { context, options } = run;
		const { kind } = run.lookup;
		const { node, signal } = context;
		const { ledger } = execution;
		const { cap } = options;
		const account = client.gate;
		const budget = new Budget({ ledger, node: node.name, kind, account, cap, signal });
		if (options.keep === undefined) return budget;
		const read = async () =>
			await readAccount(client).catch((thrown: unknown) => {
				throw asNotProcessed(thrown);
			});
		if (await budget.keep(options.keep, read)) return budget;
		throw invalidValue(
			KEEP_CREDITS,
			`${KEEP_CREDITS} cannot be used with this account: the service sends no counter for its ${kind} credits`,
		);
	}

	/** Gives each entry its answer, with its cost; an entry that the service left out gets an error. */
	private answered(
		entries: Array<Entry<Query>>,
		answers: Array<Results | undefined>,
		{ jobId, costs, rows }: { jobId?: string; costs: Array<number | null>; rows?: number[] },
	): () => void {
		const at = Date.now();
		return () =>
			entries.forEach(({ key, settle }, index) => {
				this.execution.jobs.delete(key);
				const results = answers[index];
				const credits = costs[index];
				if (results) settle({ answer: { results, at }, credits });
				else settle({ error: leftOut(jobId, rows?.[index] ?? index + 1), credits });
			});
	}

	/** Gives each entry the error, unless a smaller request may be accepted. */
	private failed(entries: Array<Entry<Query>>, error: unknown, reservation: Reservation): void {
		const isFree = isFreeFailure(error);
		reservation.settle(isFree ? FREE : undefined);
		if (this.isCutInHalves(entries, error)) return;
		if (error instanceof JobPending) this.remember(entries, error.jobId, reservation.credits);
		const credits = isFree && !reservation.isRenewed ? 0 : null;
		entries.forEach(({ settle }, index) => settle({ error: atRow(error, index + 1), credits }));
	}

	/** One item that the service refuses does not cost the other items of its request their answers. */
	private isCutInHalves(entries: Array<Entry<Query>>, error: unknown): boolean {
		const code = error instanceof ServiceError ? error.httpCode : null;
		if (!REFUSED_FOR_CONTENT.includes(code ?? 0)) return false;
		if (entries.length === 1) this.refused++;
		// Where nothing is ever accepted, only the halves of a full request are tried.
		const isHopeless = this.refused >= MAX_REFUSED && !this.isAnswered;
		const smallest = isHopeless ? Math.max(1, this.run.lookup.perRequest / 2) : 1;
		if (entries.length <= smallest) return false;
		const middle = Math.ceil(entries.length / 2);
		this.enqueue(entries.slice(middle), true);
		this.enqueue(entries.slice(0, middle), true);
		return true;
	}

	/** Notes a job that is still pending, so that a later run collects it. */
	private remember(entries: Array<Entry<Query>>, id: string, credits: number): void {
		const { jobs } = this.execution;
		const { node, executionId } = this.run.context;
		const questions = entries.map(({ key }) => key);
		const connection = this.connection.id;
		const job = { id, connection, questions, credits, node: node.name, executionId };
		for (const key of questions) jobs.set(key, job);
	}

	/** Collects the answers that an earlier run left with a job. */
	private async collect(job: Job, entries: Array<Entry<Query>>): Promise<void> {
		const { jobs, ledger } = this.execution;
		const rows = entries.map(({ key }) => job.questions.indexOf(key) + 1);
		const free = entries.map(() => 0);
		try {
			const { results = [] } =
				(await this.run.lookup.collect?.(job.id, job.questions.length, this.service())) ?? {};
			const answers = rows.map((row) => results[row - 1]);
			this.answered(entries, answers, { jobId: job.id, costs: free, rows })();
			ledger.collected(job, costOf(results));
		} catch (error) {
			if (!(error instanceof JobPending)) for (const { key } of entries) jobs.delete(key);
			entries.forEach(({ settle }, index) =>
				settle({ error: atRow(error, rows[index]), credits: 0 }),
			);
			if (isFreeFailure(error)) ledger.collected(job, FREE);
		}
	}

	/**
	 * The service, as the lookup's requests reach it.
	 * @param reservation pays for metered requests
	 */
	private service(reservation?: Reservation): LookupService {
		const { client } = this;
		const { lookup, options } = this.run;
		const { method } = lookup.option.routing?.request ?? {};
		const url = pathOf(lookup, {});
		const isBulk = lookup.perRequest > 1;
		const repeats = isBulk ? 'never' : 'once';
		const send = async (part: RequestPart) =>
			await client.send({ method, url, ...part }, { reservation, repeats, isBulk });
		return {
			settings: client.connection.settings,
			asReceived: (text) => withoutKey(text, client.connection.apiKey),
			ask: async (part) =>
				await send(part).catch((thrown: unknown) => {
					throw isNotFound(thrown) ? unknownPath() : thrown;
				}),
			askOne: async (part) =>
				await send(part).catch((thrown: unknown) => {
					if (isNotFound(thrown)) return undefined;
					throw thrown;
				}),
			collect: async (part) =>
				await client.send({ method: 'GET', url, ...part }, { collects: true }),
			sleep: async (milliseconds) => await client.sleep(milliseconds),
			// A single lookup does not wait for the job of a bulk request that may have its answer.
			jobTimeout: isBulk ? options.jobTimeout : 0,
		};
	}
}

/** Whether a request that brought no answers has cost nothing. */
function isFreeFailure(error: unknown): boolean {
	if (error instanceof NotProcessed || error instanceof JobFailed) return true;
	return !(error instanceof JobPending) && !asServiceError(error).mayBeCharged;
}

function atRow(error: unknown, row: number): unknown {
	return error instanceof JobPending || error instanceof JobFailed ? error.at(row) : error;
}

/** Why an entry has no answer that the service left out. */
function leftOut(jobId: string | undefined, jobRow: number): Error {
	const reason = unexpectedAnswer('a result for this item');
	return jobId === undefined ? reason : new JobFailed(jobId, reason, jobRow);
}

/** Why nothing is sent where the account could not be read. */
function asNotProcessed(thrown: unknown): unknown {
	if (!(thrown instanceof ServiceError)) return thrown;
	const { httpCode, reason } = thrown;
	const isDown = reason === 'connection' || (httpCode ?? 0) >= 500;
	if (isDown) return new NotProcessed('service_down', thrown);
	const isKnown = reason === 'unauthorized' || reason === 'out_of_credits';
	return new NotProcessed(isKnown ? reason : 'account_unreadable', thrown);
}
