import { type IDataObject, sleep } from 'n8n-workflow';
import { Runs } from '../client/accounts';
import type { Run } from '../client/client';
import { type CreditKind, readAccount } from '../credits/account';
import {
	type CreditBudget,
	Floor,
	joinSpending,
	type Purse,
	Reservation,
	type Spending,
} from '../credits/budget';
import { costOf, costsOf } from '../credits/ledger';
import type { OpenQuestion, Results } from '../execution/answers';
import {
	budgetOf,
	type JobOfExecution,
	jobsOf,
	type JobsOfExecution,
	type SavedJob,
	settleJob,
} from '../execution/execution';
import { Breather } from '../host/breather';
import type { NodeContext } from '../host/context';
import { type Declaration, pathOf } from '../host/routing';
import type { Connection } from '../http/connection';
import {
	asServiceError,
	isNotFound,
	NotProcessed,
	type NotProcessedReason,
	ServiceError,
	unexpectedAnswer,
	unknownPath,
} from '../http/errors';
import { withoutKey } from '../http/mask';
import { invalidValue, JobFailed, JobPending } from '../output/problem';
import { Queue } from '../values/queue';
import { asError } from '../values/text';
import {
	type Answers,
	CREDITS_OF,
	keyOf,
	type Lookup,
	type LookupService,
	type RequestPart,
} from './lookup';
import { KEEP_CREDITS, type LookupOptions } from './options';
import { Places } from './pool';

/** A distinct question that waits for its answer. */
export interface Waiting<Query> {
	key: string;
	query: Query;
	question: OpenQuestion;
}

/** A request that is refused for what it holds, rather than for who sends it, or when (7). */
const REFUSED_FOR_CONTENT = [400, 413, 414, 422];

/** So many items refused one by one, and none answered: then it is hardly the items. */
const MAX_REFUSED = 100;

/** What a request did cost, in credits. */
interface Cost {
	/** For certain; nothing where that is not known. */
	spent?: number;
	/** What may have been charged besides. */
	uncertain: number;
}

const FREE: Cost = { spent: 0, uncertain: 0 };

const UNKNOWN: Cost = { uncertain: 0 };

const NO_ANSWERS: Answers = { results: [] };

/** Questions that a job of an earlier run may answer. */
interface OfJob<Query> {
	job: JobOfExecution;
	questions: Array<Waiting<Query>>;
	/** To be called when the job is over: what it did cost is known, as far as it ever will be. */
	release: () => void;
}

/** What becomes of questions that were asked together. */
interface Fate {
	/** What asking them did cost. */
	cost: Cost;
	/** Whether they were sent at all. */
	isSent: boolean;
	/** Gives each its answer, or the reason why there is none. */
	settle: () => void;
}

/** How questions were asked. */
interface Asked {
	/** Pays for them; nothing does where an earlier run has. */
	reservation?: Reservation;
	/** Their rows in the job that answers them, if they are not numbered from 1. */
	rows?: number[];
}

/** What a sender of questions works with. */
export interface SenderSettings<Query extends IDataObject> {
	lookup: Lookup<Query>;
	connection: Connection;
	/** The service, where these credits pay for what is asked. */
	service(reservation?: Reservation): LookupService;
	budget: CreditBudget;
	/** What the credits come from; throws where it cannot be opened. */
	purse(): Promise<Purse>;
	jobs: JobsOfExecution;
	/** The node and the execution that pay. */
	origin: Pick<SavedJob, 'node' | 'executionId'>;
	/** What a job of an earlier run did cost turns out. */
	settleJob(job: JobOfExecution, spent: number, uncertain: number): void;
	places: Places;
}

/**
 * Sends the questions of one run to one account: in the fewest requests, several at once, while more
 * questions come in. Every question is settled, whatever happens.
 */
export class Sender<Query extends IDataObject> {
	private readonly queue = new Queue<Waiting<Query>>();

	/** What is left of a request that was refused for its content, or for which there were too few credits. */
	private readonly parts: Array<Array<Waiting<Query>>> = [];

	/** What jobs of earlier runs may answer, by the job. */
	private readonly ofJobs = new Map<string, OfJob<Query>>();

	private readonly working = new Set<Promise<void>>();

	/** Whether it is told when a place is free. */
	private isWaiting = false;

	private isComplete = false;

	/** Items that were refused one by one before any was answered. */
	private refused = 0;

	private isAnswered = false;

	private readonly breather = new Breather();

	constructor(private readonly settings: SenderSettings<Query>) {}

	keyOf(query: Query): string {
		const { connection, lookup } = this.settings;
		return keyOf(lookup, connection, query);
	}

	/** The job of an earlier run that may have the answer. */
	jobOf(key: string): JobOfExecution | undefined {
		return this.settings.lookup.collect && this.settings.jobs.get(key);
	}

	/** Takes a question; it is sent as soon as a request is full. */
	add(question: Waiting<Query>): void {
		const job = this.jobOf(question.key);
		if (job) this.addToJob(job, question);
		else this.queue.add(question);
		this.work();
	}

	/** There are no more questions: sends the rest, and waits until all are settled. */
	async finish(): Promise<void> {
		this.isComplete = true;
		for (const ofJob of this.ofJobs.values()) this.start(this.collect(ofJob));
		this.ofJobs.clear();
		this.work();
		while (this.working.size > 0) await Promise.all(this.working);
	}

	/** Gives up: what was not sent is not sent any more, and what is in progress is waited for. */
	async giveUp(reason: Error): Promise<void> {
		const ofJobs = [...this.ofJobs.values()];
		for (const { release } of ofJobs) release();
		this.ofJobs.clear();
		const left = [...ofJobs.map(({ questions }) => questions), ...this.parts.splice(0)].flat();
		this.reject([...left, ...this.queue.take(this.queue.length)], reason);
		await this.finish();
	}

	private start(work: Promise<void>): void {
		const working = work.finally(() => this.working.delete(working));
		this.working.add(working);
	}

	private work(): void {
		while (this.hasChunk) {
			if (!this.settings.places.take()) return this.waitForPlace();
			this.start(this.send(this.nextChunk()));
		}
	}

	private waitForPlace(): void {
		if (this.isWaiting) return;
		this.isWaiting = true;
		this.settings.places.whenFree(() => {
			this.isWaiting = false;
			this.work();
		});
	}

	/** Whether there are enough questions for a request. */
	private get hasChunk(): boolean {
		const enough = this.isComplete ? 1 : this.settings.lookup.perRequest;
		return this.parts.length > 0 || this.queue.length >= enough;
	}

	/** The questions of the next request. */
	private nextChunk(): Array<Waiting<Query>> {
		const { lookup, connection } = this.settings;
		const part = this.parts.pop();
		if (part) return part;
		if (!lookup.fitting) return this.queue.take(lookup.perRequest);
		const queries = this.queue.peek(lookup.perRequest).map(({ query }) => query);
		return this.queue.take(Math.max(1, lookup.fitting(queries, connection.settings)));
	}

	private async send(chunk: Array<Waiting<Query>>): Promise<void> {
		const { places } = this.settings;
		const { isSent, settle } = await this.ask(chunk);
		const others = this.working.size;
		places.free();
		this.work();
		// The next request is on its way before these results are put in our words.
		if (isSent && this.working.size > others) await sleep(0);
		settle();
	}

	/** Asks as much of a chunk as the budget allows; the rest is for a later request. */
	private async ask(chunk: Array<Waiting<Query>>): Promise<Fate> {
		const { lookup, service } = this.settings;
		// Where nothing is sent any more, thousands of chunks are done in no time.
		if (this.breather.isDue) await this.breather.breathe();
		const reservation = await this.reserve(chunk.length);
		if (!(reservation instanceof Reservation)) {
			const settle = () => this.reject(chunk, reservation);
			return { cost: FREE, isSent: false, settle };
		}
		const paid = chunk.slice(0, reservation.credits);
		if (paid.length < chunk.length) this.parts.push(chunk.slice(paid.length));
		const queries = paid.map(({ query }) => query);
		const asked = async () => await lookup.ask(queries, service(reservation));
		const fate = await this.fateOf(paid, asked(), { reservation });
		reservation.settle(fate.cost.spent, fate.cost.uncertain);
		return fate;
	}

	/** Credits for so many questions, or for the first of them; else why there are none. */
	private async reserve(questions: number): Promise<Reservation | Error> {
		const { budget, purse } = this.settings;
		try {
			const reserved = await budget.reserve(questions, await purse(), 1);
			return reserved instanceof Reservation ? reserved : new NotProcessed(reserved);
		} catch (error) {
			return asError(error);
		}
	}

	private addToJob(job: JobOfExecution, question: Waiting<Query>): void {
		const { id, node, executionId, credits } = job.saved;
		const ofJob = this.ofJobs.get(id);
		if (ofJob) ofJob.questions.push(question);
		else {
			const { budget, origin } = this.settings;
			const isOwn = node === origin.node && executionId === origin.executionId;
			// A job may turn out to have cost less than was counted for it, which leaves room under the cap.
			const release = budget.reopen(isOwn ? credits : 0);
			this.ofJobs.set(id, { job, questions: [question], release });
		}
	}

	/** Collects what an earlier run of the node left with a job. */
	private async collect({ job, questions, release }: OfJob<Query>): Promise<void> {
		const { lookup, service, settleJob } = this.settings;
		const { id: jobId, questions: keys } = job.saved;
		const rows = questions.map(({ key }) => keys.indexOf(key) + 1);
		let cost: Cost = FREE;
		const ofJob = async (): Promise<Answers> => {
			const { results } = (await lookup.collect?.(jobId, keys.length, service())) ?? NO_ANSWERS;
			cost = costsOf(results);
			return { jobId, results: rows.map((row) => results[row - 1]) };
		};
		const fate = await this.fateOf(questions, ofJob(), { rows });
		fate.settle();
		if (fate.cost.spent !== undefined) settleJob(job, cost.spent ?? 0, cost.uncertain);
		release();
	}

	/** What becomes of questions: each gets its answer, the reason why there is none, or is asked again. */
	private async fateOf(
		chunk: Array<Waiting<Query>>,
		asked: Promise<Answers>,
		{ reservation, rows }: Asked,
	): Promise<Fate> {
		const { jobs } = this.settings;
		const rowOf = (index: number) => rows?.[index] ?? index + 1;
		try {
			const { results, jobId } = await asked;
			const at = Date.now();
			this.isAnswered = true;
			const settle = () =>
				chunk.forEach(({ key, question }, index) => {
					const result = results[index];
					jobs.delete(key);
					const credits = creditsOf(result, reservation);
					if (result) question.settle({ answer: { results: result, at }, credits });
					else question.settle({ error: leftOut(jobId, rowOf(index)), credits });
				});
			const cost = costsOf(chunk.map((_, index) => results[index]));
			return { cost, isSent: true, settle };
		} catch (error) {
			if (this.isCutInHalves(chunk, error)) return { cost: FREE, isSent: true, settle: () => {} };
			this.remember(chunk, error, reservation);
			const cost = costOfFailure(error);
			const isOpen = cost === UNKNOWN || reservation?.isRenewed;
			const credits = isOpen && reservation ? null : 0;
			const isOfJob = error instanceof JobPending || error instanceof JobFailed;
			const settle = () =>
				chunk.forEach(({ question }, index) =>
					question.settle({ error: isOfJob ? error.at(rowOf(index)) : error, credits }),
				);
			return { cost, isSent: !(error instanceof NotProcessed), settle };
		}
	}

	private reject(chunk: Array<Waiting<Query>>, reason: unknown): void {
		for (const { question } of chunk) question.settle({ error: reason, credits: 0 });
	}

	/** One item that the service refuses is not to cost the others of its request their answer. */
	private isCutInHalves(chunk: Array<Waiting<Query>>, error: unknown): boolean {
		const code = error instanceof ServiceError ? error.httpCode : null;
		if (!REFUSED_FOR_CONTENT.includes(code ?? 0)) return false;
		if (chunk.length === 1) this.refused++;
		const isHopeless = this.refused >= MAX_REFUSED && !this.isAnswered;
		const middle = Math.ceil(chunk.length / 2);
		// Then only the halves of a request are tried, in case one of them is answered after all.
		const smallest = isHopeless ? Math.max(1, this.settings.lookup.perRequest / 2) : 1;
		if (chunk.length <= smallest) return false;
		this.parts.push(chunk.slice(middle), chunk.slice(0, middle));
		return true;
	}

	/** Notes a job that goes on, with the order of its questions; forgets one that has ended. */
	private remember(chunk: Array<Waiting<Query>>, reason: unknown, reservation?: Reservation): void {
		const { jobs, connection, origin } = this.settings;
		const questions = chunk.map(({ key }) => key);
		const saved = (id: string) => ({
			id,
			connection: connection.id,
			questions,
			credits: reservation?.credits ?? 0,
			...origin,
		});
		const job =
			reason instanceof JobPending ? { saved: saved(reason.jobId), reservation } : undefined;
		for (const key of questions) {
			if (!job) jobs.delete(key);
			else if (!jobs.has(key)) jobs.set(key, job);
		}
	}
}

/** What a request did cost that brought no answers. */
function costOfFailure(error: unknown): Cost {
	if (error instanceof NotProcessed || error instanceof JobFailed) return FREE;
	return error instanceof JobPending || asServiceError(error).mayBeCharged ? UNKNOWN : FREE;
}

/**
 * What one answer did cost this run, in credits: nothing where an earlier one paid; `null` where that is
 * not known, as the service left it out, or may have charged it twice.
 */
function creditsOf(
	result: Results | undefined,
	reservation: Reservation | undefined,
): number | null {
	if (!reservation) return 0;
	return result && !reservation.isRenewed ? costOf(result) : null;
}

/** Why a question has no answer that the service left out. */
function leftOut(jobId: string | undefined, jobRow: number): Error {
	const reason = unexpectedAnswer('a result for this item');
	return jobId === undefined ? reason : new JobFailed(jobId, reason, jobRow);
}

/** What sends the questions of one run of a node: for each account that its items belong to, one. */
export class Senders<Query extends IDataObject> {
	private readonly senders = new Map<Run, Sender<Query>>();

	/** What is paid with at each account, once it is needed. */
	private readonly purses = new Map<Run, Promise<Purse>>();

	private readonly spendings: Spending[] = [];

	private readonly runs: Runs;

	private readonly places: Places;

	constructor(
		private readonly context: NodeContext,
		private readonly lookup: Lookup<Query>,
		private readonly options: LookupOptions,
	) {
		this.runs = new Runs(context, options);
		this.places = new Places(options.pace.maxConcurrency);
		context.signal?.addEventListener('abort', this.wake, { once: true });
	}

	/** The sender for every item, once it is known that they all belong to one account. */
	get common(): Sender<Query> | undefined {
		return this.runs.common && this.senders.get(this.runs.common);
	}

	/** Whether all items are known to belong to one account. */
	get hasOneAccount(): boolean {
		return this.runs.common !== undefined;
	}

	/** The sender for an item; throws a `ServiceError` if there is no account that can be used. */
	async of(item: number): Promise<Sender<Query>> {
		const run = await this.runs.of(item);
		const sender = this.senders.get(run) ?? this.senderOf(run);
		this.senders.set(run, sender);
		return sender;
	}

	/** What is paid with at the account of an item; throws where Keep Credits cannot watch over it. */
	async purseOf(item: number): Promise<Purse> {
		return await this.purse(await this.runs.of(item));
	}

	private async purse(run: Run): Promise<Purse> {
		const opened = this.purses.get(run) ?? this.openPurse(run);
		this.purses.set(run, opened);
		return await opened;
	}

	private async openPurse(run: Run): Promise<Purse> {
		const spending = joinSpending(run.connection.account);
		this.spendings.push(spending);
		const account = { spending, kind: CREDITS_OF[this.lookup.kind] };
		return await openPurse(run, account, this.options, this.context.signal);
	}

	private senderOf(run: Run): Sender<Query> {
		const { context, lookup, options } = this;
		const isBulk = lookup.perRequest > 1;
		// A single lookup does not wait for the job of a bulk request that may have its answer.
		const jobTimeout = isBulk ? options.jobTimeout : 0;
		return new Sender({
			lookup,
			connection: run.connection,
			service: (reservation) => serviceOf(lookup, run, { isBulk, jobTimeout, reservation }),
			budget: budgetOf(context),
			purse: async () => await this.purse(run),
			jobs: jobsOf(context),
			origin: { node: context.node.name, executionId: context.executionId },
			settleJob: (job, spent, uncertain) => settleJob(context, job, spent, uncertain),
			places: this.places,
		});
	}

	/** How long the service made the run wait, in milliseconds. */
	get paused(): number {
		return this.runs.paused;
	}

	/** Sends what is left, and waits until every question is settled. */
	async finish(): Promise<void> {
		await Promise.all([...this.senders.values()].map(async (sender) => await sender.finish()));
	}

	/** The run is over, whatever ended it: nothing more is sent, and no question stays open. */
	async end(): Promise<void> {
		this.runs.end();
		const reason = new NotProcessed('stopped');
		const senders = [...this.senders.values()];
		await Promise.all(senders.map(async (sender) => await sender.giveUp(reason)));
		this.context.signal?.removeEventListener('abort', this.wake);
		for (const spending of this.spendings) spending.leave();
	}

	/** Who waits for credits is not to wait any longer. */
	private readonly wake = () => {
		for (const spending of this.spendings) spending.wake();
	};
}

/**
 * What a run of a node pays with at one account. With Keep Credits the account is read for that
 * (interface specification 4.1), which is free. Throws `InvalidInput` where the service states no
 * counter, and `NotProcessed` where the account cannot be read.
 */
export async function openPurse(
	run: Run,
	account: { spending: Spending; kind: CreditKind },
	{ cap, keep }: LookupOptions,
	signal: AbortSignal | undefined,
): Promise<Purse> {
	const purse: Purse = { ...account, cap, signal };
	if (keep === undefined) return purse;
	const floor = await Floor.read({ ...account, keep }, async () => await accountOf(run));
	if (floor) return { ...purse, floor };
	throw invalidValue(
		KEEP_CREDITS,
		`${KEEP_CREDITS} cannot be used with this account: the service sends no counter for its ${account.kind} credits`,
	);
}

async function accountOf(run: Run): Promise<IDataObject> {
	return await readAccount(run).catch((thrown: unknown) => {
		throw asNotProcessed(thrown);
	});
}

/** Why nothing was sent, in the words that the items of a lookup have for it. */
function asNotProcessed(thrown: unknown): unknown {
	if (!(thrown instanceof ServiceError)) return thrown;
	const { httpCode, reason } = thrown;
	const isDown = reason === 'connection' || (httpCode !== null && httpCode >= 500);
	const known = isDown ? 'service_down' : REASONS[httpCode ?? 0];
	return new NotProcessed(known ?? 'account_unreadable', thrown);
}

const REASONS: Partial<Record<number, NotProcessedReason>> = {
	401: 'unauthorized',
	402: 'out_of_credits',
};

/**
 * The service, as the requests of an operation reach it in one run of the node.
 * @param reservation pays for what is asked
 */
export function serviceOf(
	declaration: Declaration,
	run: Run,
	{
		isBulk = false,
		jobTimeout = 0,
		reservation,
	}: { isBulk?: boolean; jobTimeout?: number; reservation?: Reservation },
): LookupService {
	const { method } = declaration.option.routing?.request ?? {};
	const url = pathOf(declaration, {});
	const repeats = isBulk ? 'never' : 'once';
	const send = async (part: RequestPart) =>
		await run.send({ method, url, ...part }, { reservation, repeats, isBulk });
	return {
		settings: run.connection.settings,
		asReceived: (text) => withoutKey(text, run.connection.apiKey),
		ask: async (part) =>
			await send(part).catch((thrown: unknown) => {
				throw isNotFound(thrown) ? unknownPath() : thrown;
			}),
		askOne: async (part) =>
			await send(part).catch((thrown: unknown) => {
				if (isNotFound(thrown)) return undefined;
				throw thrown;
			}),
		collect: async (part) => {
			reservation?.accepted();
			return await run.send({ method: 'GET', url, ...part }, { collects: true });
		},
		sleep: async (milliseconds) => await run.sleep(milliseconds),
		jobTimeout,
	};
}
