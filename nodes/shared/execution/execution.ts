import type { IContextObject, IDataObject } from 'n8n-workflow';
import { costOf, Ledger, NOTHING } from '../credits/ledger';
import { isPending } from '../failures/failure';
import type { NodeContext } from '../host/context';
import type { Connection } from '../http/connection';
import { AnswerStore } from './answers';
import { MAX_AGE, Recent } from './recent';

/** The most jobs that n8n stores with the execution; the oldest of more are dropped. */
const MAX_STORED_JOBS = 1_000;

/** Where n8n stores the pending jobs with the execution. Another shape of them needs another name. */
const JOBS_RECORD = 'contactDataJobs';

/** A bulk job that is pending, as n8n stores it with the execution. */
export interface Job {
	id: string;
	/** The `id` of the connection that it belongs to. */
	connection: string;
	/** The keys of its questions, in the order of its rows; `null` for one that nobody waits for. */
	questions: Array<string | null>;
	/** The places of those that have their answers. */
	over: number[];
	/** What it may have cost, in credits; 0 once that is known. */
	credits: number;
	/** The node and the execution that have paid for it; empty for one of another execution. */
	node: string;
	executionId: string;
}

/**
 * The jobs of all executions of this process that are not collected, by the keys of their questions, for a week: a workflow
 * that runs once a day still finds that of the day before.
 */
const recentJobs = new Recent<Job>(7 * MAX_AGE);

/** The job that an item waits for, and the row in it, from 1. */
export interface JobRow {
	id: string;
	row: number;
}

/** The bulk jobs of one execution that are pending: a node that runs again collects them instead of paying again. */
export class PendingJobs {
	/** By the keys of their questions, and by their connections and ids. */
	private readonly byKey = new Map<string, Job>();
	private readonly byId = new Map<string, Job>();

	constructor(
		private readonly record: IContextObject,
		private readonly answers: AnswerStore,
		private readonly ledger: Ledger,
	) {
		const stored: Job[] = record[JOBS_RECORD] ?? [];
		for (const job of stored) this.remember(job);
	}

	get isEmpty(): boolean {
		return this.byKey.size === 0;
	}

	/** The job that may have the answer to a question: what this process has bought comes before what an item brings. */
	of(key: string): Job | undefined {
		return recentJobs.get(key) ?? this.byKey.get(key);
	}

	/**
	 * Notes that a row of a job, maybe of an earlier execution, has the answer to a question. A row answers one question:
	 * a second one that claims it is asked.
	 */
	expect({ id, row }: JobRow, key: string, { id: connection }: Connection): void {
		const unknown = { questions: [], over: [], credits: 0, node: '', executionId: '' };
		const of = { id, connection };
		const job = this.byId.get(nameOf(of)) ?? { ...of, ...unknown };
		const owner = job.questions[row - 1] ?? key;
		if (owner !== key || this.of(key)) return;
		while (job.questions.length < row) job.questions.push(null);
		job.questions[row - 1] = key;
		this.remember(job);
	}

	remember(job: Job): void {
		this.byId.set(nameOf(job), job);
		for (const key of job.questions) {
			if (key === null) continue;
			this.byKey.set(key, job);
			if (job.executionId !== '') recentJobs.set(key, job);
		}
	}

	/**
	 * Ends a job: its cost is settled and its answers are kept for later callers. A question that it left open is sent
	 * again.
	 * @param results in the order of its questions; none for a job that has failed
	 * @param left how many of its rows may still come, and cost a credit
	 * @param cost of all its rows, also of those that nobody asks for now: nobody knows whose these are
	 */
	ended(
		job: Job,
		connection: Connection,
		results?: Array<IDataObject[] | Error | undefined>,
		cost = results ? costOf(results) : NOTHING,
		left = openIn(results ?? []),
	): void {
		const at = Date.now();
		job.questions.forEach((key, index) => {
			if (key === null) return;
			const result = results?.[index];
			// It may still get a row that it lacks, or be asked for.
			const isOver = results === undefined || openIn([result]) === 0;
			if (isOver && this.byKey.get(key) === job) this.byKey.delete(key);
			if (isOver && recentJobs.get(key) === job) recentJobs.delete(key);
			if (isOver) job.over.push(index);
			if (Array.isArray(result)) this.answers.keep([key, { results: result, at }], connection);
		});
		if (!job.questions.some((key) => key !== null && this.byKey.get(key) === job)) {
			this.byId.delete(nameOf(job));
		}
		this.ledger.collected(job, cost);
		job.credits = left;
	}

	/** What the pending jobs of this process may still cost, in credits: a service may charge for them at their end. */
	mayCost({ id }: Connection): number {
		const own = new Set(recentJobs.values().filter(({ connection }) => connection === id));
		return [...own].reduce((sum, { credits }) => sum + credits, 0);
	}

	/** Puts the pending jobs into what n8n stores with the execution. */
	save(): void {
		const pending = [...this.byId.values()].filter(({ executionId }) => executionId !== '');
		if (pending.length > 0) this.record[JOBS_RECORD] = pending.slice(-MAX_STORED_JOBS);
		else delete this.record[JOBS_RECORD];
	}
}

/** How many results are left out, or may still come. */
export function openIn(results: Array<IDataObject[] | Error | undefined>): number {
	return results.filter((result) => result === undefined || isPending(result)).length;
}

/** The name of a job among those of all accounts. */
function nameOf({ connection, id }: Pick<Job, 'connection' | 'id'>): string {
	return `${connection} ${id}`;
}

/** Where n8n stores that an execution was started by hand, and when its first node of ours ran. */
const MANUAL_RECORD = 'contactDataManual';
const STARTED_RECORD = 'contactDataStarted';

/** What the nodes of one execution share, with what n8n has stored of it before a wait or a retry. */
export class Execution {
	readonly answers: AnswerStore;
	readonly ledger: Ledger;
	readonly jobs: PendingJobs;
	/** Whether it was started by hand, or retries such an execution: n8n calls that a retry, whatever it was. */
	readonly isManual: boolean;
	/** In milliseconds since 1970; for a retry, that of the execution that it retries. */
	readonly startedAt: number;
	/** By the names of nodes, the questions that Max Items in Manual Runs lets through. */
	private readonly tried = new Map<string, Set<string>>();

	constructor(record: IContextObject, context: NodeContext) {
		if (context.isManual) record[MANUAL_RECORD] = true;
		this.isManual = record[MANUAL_RECORD] === true;
		this.startedAt = record[STARTED_RECORD] ??= Date.now();
		this.answers = new AnswerStore(record, context.signal);
		this.ledger = new Ledger(record, context);
		this.jobs = new PendingJobs(record, this.answers, this.ledger);
	}

	/** Whether a question is among the first ones that a node was asked for in this execution, over all rounds of a loop. */
	isAmongFirst(most: number, node: string, key: string): boolean {
		const tried = this.tried.get(node) ?? new Set();
		this.tried.set(node, tried);
		if (tried.size < most) tried.add(key);
		return tried.has(key);
	}

	/** Whether the execution has an answer of the service, or a job that will have one. A stop may lose them. */
	get hasBought(): boolean {
		return !this.answers.isEmpty || !this.jobs.isEmpty;
	}
}

/** Keyed by the object that n8n stores with the execution, so both are forgotten together. */
const executions = new WeakMap<IContextObject, Execution>();

export function executionOf(context: NodeContext): Execution {
	const record = context.memory();
	const execution = executions.get(record) ?? new Execution(record, context);
	executions.set(record, execution);
	return execution;
}

/** Puts what was bought into what n8n stores with the execution: a wait, a retry or another node may need it. */
export function saveExecution(context: NodeContext): void {
	const { answers, jobs } = executionOf(context);
	answers.save();
	jobs.save();
}
