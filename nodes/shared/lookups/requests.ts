import { type IDataObject, sleep } from 'n8n-workflow';
import type { AccountClient } from '../client/client';
import { Budget, type Reservation } from '../credits/budget';
import { costOf, NOTHING } from '../credits/ledger';
import type { Settled } from '../execution/answers';
import { type Job, openIn } from '../execution/execution';
import { failureOf, isMiss, isPending, leftOf, type Problem, problemOf } from '../failures/failure';
import { unexpectedResponse, unknownPath } from '../http/errors';
import { withoutKey } from '../http/mask';
import { pathOf } from '../input/declaration';
import type { Run } from '../run/run';
import type { Places } from '../values/places';
import { RunJobs } from './jobs';
import {
	type AcceptedJob,
	type Entry,
	fail,
	leftOut,
	type Lookup,
	type Received,
	resolve,
} from './lookup';

/** What the requests of one run share, to whichever account they go. */
interface Sharing<Query extends IDataObject> {
	readonly run: Run<Requests<Query>>;
	readonly lookup: Lookup<Query>;
	readonly places: Places;
	/** Whether further items are about to ask: what does not fill a request waits for them. */
	readonly isReading: boolean;
}

/** Sends the questions of one run to one account in the fewest requests. Every question is resolved, whatever happens. */
export class Requests<Query extends IDataObject> {
	/** Entries that do not fill a request yet. */
	private entries: Array<Entry<Query>> = [];

	/** Entries that the job of an earlier run may answer, by their keys. */
	private readonly ofJobs = new Map<Job, Map<string, Entry<Query>>>();

	readonly budget: Budget;
	private readonly jobs: RunJobs<Query>;

	constructor(
		readonly client: AccountClient,
		private readonly shared: Sharing<Query>,
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
		this.jobs = new RunJobs(client, shared.lookup, shared.run);
	}

	/** Resolves a question. Its request leaves as soon as it is full. */
	async ask(key: string, query: Query): Promise<Settled> {
		return await new Promise((resolve) => {
			const entry = { key, query, resolve };
			const job = this.shared.run.execution.jobs.of(key);
			if (job) this.ofJobs.set(job, (this.ofJobs.get(job) ?? new Map()).set(key, entry));
			else this.entries.push(entry);
			// With what else is asked at the same time.
			if (!this.shared.isReading) queueMicrotask(() => this.sendAll());
			else if (this.entries.length >= this.shared.lookup.perRequest) this.sendNext();
		});
	}

	/** Sends what does not fill a request, and collects from jobs. */
	sendAll(): void {
		while (this.entries.length > 0) this.sendNext();
		for (const [job, byKey] of this.ofJobs) void this.collectLeft(job, byKey);
		this.ofJobs.clear();
	}

	private sendNext(): void {
		const { fitting, perRequest } = this.shared.lookup;
		const queries = this.entries.slice(0, perRequest).map(({ query }) => query);
		const most = fitting?.(queries, this.client.connection.settings) ?? perRequest;
		void this.send(this.entries.splice(0, Math.max(1, most)));
	}

	/** Does all for one request: takes a place and credits, asks, waits for its job, charges and resolves its questions. */
	private async send(batch: Array<Entry<Query>>, isUrgent = false): Promise<void> {
		const { places, run } = this.shared;
		const { jobs } = run.execution;
		const leave = await places.take(isUrgent);
		let job: Job | undefined;
		let reservation: Reservation | undefined;
		let paid = batch;
		try {
			if (run.breather.isDue) await run.breather.breathe();
			reservation = await this.reserve(batch.length);
			paid = batch.slice(0, reservation.credits);
			if (paid.length < batch.length) void this.send(batch.slice(paid.length), true);
			let received = await this.request(paid, reservation);
			if ('acceptedJob' in received) {
				// It is paid for: n8n stores it with the execution, also if that is stopped while it is waited for.
				job = this.jobs.begun(paid, received.acceptedJob);
				jobs.save();
				// The wait for it takes no place.
				leave();
				received = await this.jobs.resultsOf(job, paid);
			}
			// Whether it, or its job, has brought something for at least one item.
			if (received.results.some(Array.isArray)) this.client.breaker.brought();
			else this.client.breaker.failed(unexpectedResponse('a result'), false);
			reservation.charge(costOf(received.results));
			if (job) jobs.ended(job, this.client.connection, received.results);
			leave();
			// The next request leaves before these results become items.
			await sleep(0);
			resolve(paid, received, { isRenewed: reservation.isRenewed });
		} catch (error) {
			if (reservation) this.failed(paid, error, reservation, job);
			else fail(paid, error, { credits: 0 });
		} finally {
			leave();
		}
	}

	/** Settles a request that brought no results: it is sent again in parts, or its questions fail. */
	private failed(
		paid: Array<Entry<Query>>,
		error: unknown,
		reservation: Reservation,
		job?: Job,
	): void {
		const failure = failureOf(error);
		const { problem } = failure;
		reservation.charge(problem.mayBeCharged ? undefined : NOTHING);
		if (this.isSentInParts(paid, problem)) return;
		if (isPending(error)) this.jobs.begun(paid, `${problem.jobId}`, reservation.credits);
		else if (job) this.shared.run.execution.jobs.ended(job, this.client.connection);
		const sent = reservation.isRenewed ? 2 : 1;
		const isRefused = problem.httpCode !== null && problem.reason === 'out_of_credits';
		const needed = `. This request may have needed ${paid.length}, and was not charged`;
		fail(paid, isRefused && paid.length > 1 ? failure.saying(needed) : failure, {
			credits: problem.mayBeCharged || sent > 1 ? null : 0,
			sent,
		});
	}

	/** Reserves credits for a batch, or for its first entries. Throws a `Failure` if there are none. */
	private async reserve(credits: number): Promise<Reservation> {
		const { budget, client } = this;
		const { execution, options } = this.shared.run;
		if (options.keep !== undefined) {
			const { hasJobs } = this.shared.lookup;
			const keep = options.keep + (hasJobs ? execution.jobs.mayCost(client.connection) : 0);
			await client.memoized('account', async () => await budget.keep(keep, client));
		}
		return await budget.reserve(credits);
	}

	/** Sends the request of some questions. A 404 is the answer of a lookup that may find nothing. */
	private async request(
		entries: Array<Entry<Query>>,
		reservation: Reservation,
	): Promise<Received | AcceptedJob> {
		const { lookup, run } = this.shared;
		const { breaker, connection } = this.client;
		const queries = entries.map(({ query }) => query);
		const { method } = lookup.option.routing?.request ?? {};
		const asked = { method, url: pathOf(lookup), ...lookup.request(queries, connection.settings) };
		const cost = lookup.perRequest > 1 ? 'bulk' : 'single';
		const response = await this.client
			.send(asked, { cost, reservation })
			.catch((thrown: unknown) => {
				if (!isMiss(thrown)) throw thrown;
				if (cost === 'bulk' || lookup.hitStatus !== 'found') throw unknownPath(asked.url);
				return undefined;
			});
		run.counts.responses++;
		if (response === undefined) {
			run.counts.notFound++;
			return { results: [[]] };
		}
		return breaker.reading(() => lookup.read(response, withoutKey(queries, connection.apiKey)));
	}

	/**
	 * Sends a refused batch again, if that may help: as large as the credits that are left, or in halves, so that one item
	 * which the service refuses does not cost the others their answers. Returns whether it did.
	 */
	private isSentInParts(entries: Array<Entry<Query>>, problem: Problem): boolean {
		const left = leftOf(problem, entries.length);
		if (left > 0) {
			this.budget.learn(left);
			void this.send(entries, true);
			return true;
		}
		if (entries.length === 1 || problem.next !== 'parts') return false;
		const middle = Math.ceil(entries.length / 2);
		void this.send(entries.slice(middle), true);
		void this.send(entries.slice(0, middle), true);
		return true;
	}

	/** Collects the answers that an earlier request left with a job. What it does not have is sent. */
	private async collectLeft(job: Job, byKey: Map<string, Entry<Query>>): Promise<void> {
		const { jobs } = this.shared.run.execution;
		const { connection } = this.client;
		const entries = job.questions.map((key) => (key === null ? undefined : byKey.get(key)));
		try {
			const received = await this.jobs.resultsOf(job, entries);
			const asked = received.results.map((result, index) => entries[index] && result);
			const isOpen = (_: unknown, index: number) => !job.over.includes(index);
			const open = received.results.filter(isOpen);
			jobs.ended(job, connection, asked, costOf(open), openIn(open));
			const answered = entries.map((entry, index) => received.results[index] && entry);
			resolve(answered, received, { isOfJob: true });
			const lost = entries.filter((_, index) => !received.results[index]);
			this.sendInstead(lost, leftOut());
		} catch (error) {
			if (!isPending(error) && problemOf(error).jobId !== undefined) {
				// One that is gone may have been charged.
				const uncertain = problemOf(error).mayBeCharged ? job.credits : 0;
				jobs.ended(job, connection, undefined, { certain: 0, uncertain });
				this.sendInstead(entries, failureOf(error));
			} else fail(entries, error, { credits: null, isOfJob: true });
		}
	}

	/** Sends the questions that a job has left without an answer, though it may have been charged for them. */
	private sendInstead(entries: Array<Entry<Query> | undefined>, error: Error): void {
		const { run } = this.shared;
		const { answers } = run.execution;
		for (const entry of entries) {
			if (!entry) continue;
			if (problemOf(error).mayBeCharged) answers.sentInVain(entry.key, { error });
			const refusal = run.beyondManualLimit(entry.key) ?? answers.refusalOf(entry.key);
			if (refusal) entry.resolve(refusal);
			else this.entries.push(entry);
		}
		this.sendAll();
	}
}
