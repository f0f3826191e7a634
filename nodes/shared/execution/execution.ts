import type { IContextObject } from 'n8n-workflow';
import { CreditBudget, type Reservation } from '../credits/budget';
import { costTellerOf, CreditCount, ExecutionCredits } from '../credits/ledger';
import type { NodeContext } from '../host/context';
import { isObject } from '../values/json';
import { AnswerStore, SavedAnswers } from './answers';

// Everything here hangs on objects of n8n that live as long as the execution, so that the memory is
// given back with it, however the execution ends.
const answers = new WeakMap<IContextObject, AnswerStore>();
const budgets = new WeakMap<IContextObject, CreditBudget>();
const credits = new WeakMap<IContextObject, ExecutionCredits>();
const jobs = new WeakMap<IContextObject, JobsOfExecution>();
const waits = new WeakMap<IContextObject, boolean>();
const tried = new WeakMap<IContextObject, Tried>();

function getOrCreate<K extends WeakKey, V>(map: WeakMap<K, V>, key: K, create: () => V): V {
	const value = map.get(key) ?? create();
	map.set(key, value);
	return value;
}

/** The answers that this execution of the workflow has, whichever node asked. */
export function answersOf(context: NodeContext): AnswerStore {
	const record = context.memory('flow');
	return getOrCreate(answers, record, () => new AnswerStore(new SavedAnswers(record)));
}

/**
 * At the end of a run of a node: sees to it that what was bought outlives the execution as it is in
 * memory, where n8n may store it and read it again. Where it does not, nothing of it is stored.
 * @param hasThrown whether the workflow stops with this node, and may be retried from here
 */
export function keepWhatWasBought(context: NodeContext, hasThrown: boolean): void {
	const record = context.memory('flow');
	const isNeeded = hasThrown || getOrCreate(waits, context.memory('node'), context.mayWaitLater);
	// Both are read from the record before it is changed: from here on they are in memory.
	const bought = answersOf(context);
	const pending = new Set(jobsOf(context).values());
	if (isNeeded) bought.save();
	else bought.unsave();
	saveJobs(record, isNeeded ? [...pending].map(({ saved }) => saved) : []);
}

/** The questions that this node has asked in this execution, where a manual run limits them. */
export function triedOf(context: NodeContext): Tried {
	const record = context.memory('node');
	return getOrCreate(tried, record, () => new Tried(record, context.executionId));
}

/** What this node has spent in this execution, its loops and repeats included. */
export function budgetOf(context: NodeContext): CreditBudget {
	const record = context.memory('node');
	const count = () => new CreditCount(record, context.executionId);
	const { name } = context.node;
	return getOrCreate(budgets, record, () => new CreditBudget(count(), creditsOf(context), name));
}

/** What this execution has spent, all its nodes together. */
function creditsOf(context: NodeContext): ExecutionCredits {
	const record = context.memory('flow');
	return getOrCreate(credits, record, () => {
		const count = new CreditCount(record, context.executionId);
		const hasSpent = count.spent > 0 || count.uncertain > 0;
		return new ExecutionCredits(count, context.signal, costTellerOf(context, hasSpent));
	});
}

/** The bulk jobs that this execution still waits for, by question. */
export type JobsOfExecution = Map<string, JobOfExecution>;

export interface JobOfExecution {
	saved: SavedJob;
	/** What was set aside for it, where this process has sent it. */
	reservation?: Reservation;
}

/** The bulk jobs that were not finished in time: a repeated run collects them instead of paying. */
export function jobsOf(context: NodeContext): JobsOfExecution {
	const record = context.memory('flow');
	return getOrCreate(jobs, record, () => {
		const found: JobsOfExecution = new Map();
		for (const saved of savedJobs(record)) {
			const job = { saved };
			for (const question of saved.questions) found.set(question, job);
		}
		return found;
	});
}

/**
 * What a job did cost turns out: what was counted for it is put right.
 * @param uncertain credits that it may have cost besides
 */
export function settleJob(
	context: NodeContext,
	{ saved, reservation }: JobOfExecution,
	spent: number,
	uncertain: number,
): void {
	const { credits, node, executionId } = saved;
	saved.credits = 0;
	// A retry counts its own costs only.
	if (credits === 0 || executionId !== context.executionId) return;
	const budget = budgetOf(context);
	if (reservation) reservation.correct(spent, uncertain);
	else if (budget.node === node) budget.correct(credits, spent, uncertain);
	else budget.execution.turnedOut(node, credits, spent, uncertain);
}

/** How many pending jobs n8n stores with an execution; the oldest go first. */
const MAX_SAVED_JOBS = 1_000;

/** Where in the context of the execution they are. */
const NAME = 'contactDataJobs';

/** A bulk job that was left pending, as n8n stores it with the execution. */
export interface SavedJob {
	id: string;
	/** The `id` of the connection that it belongs to. */
	connection: string;
	/** The questions of the job, in their order. */
	questions: string[];
	/** What it may have cost, in credits; 0 once that is known. */
	credits: number;
	/** The node and the execution that counted it. */
	node: string;
	executionId: string;
}

/** The jobs that an earlier run of the execution has saved, or the execution that this one retries. */
export function savedJobs(record: IContextObject): SavedJob[] {
	const saved: unknown = record[NAME];
	return Array.isArray(saved) ? saved.filter(isSavedJob) : [];
}

/** Puts the jobs in progress into what n8n stores with the execution. */
export function saveJobs(record: IContextObject, jobs: SavedJob[]): void {
	if (jobs.length === 0) delete record[NAME];
	else record[NAME] = jobs.slice(-MAX_SAVED_JOBS);
}

function isSavedJob(job: unknown): job is SavedJob {
	if (!isObject(job)) return false;
	const { id, connection, questions, credits, node, executionId } = job;
	const areTexts = [id, connection, node, executionId].every((text) => typeof text === 'string');
	if (!areTexts || typeof credits !== 'number' || !Array.isArray(questions)) return false;
	return questions.every((question) => typeof question === 'string');
}

/** Where the lookups of a manual run are noted; n8n stores it with the execution, across its waits. */
export interface TriedRecord {
	lookupsTried?: unknown;
	/** The execution that noted them: n8n hands a copy of the record to a retry. */
	lookupsTriedBy?: unknown;
}

/** The distinct lookups that a node has tried in one execution: as many as a manual run allows. */
export class Tried {
	private readonly keys: Set<unknown>;

	private readonly noted: unknown[];

	constructor(record: TriedRecord, executionId: string) {
		const { lookupsTried, lookupsTriedBy } = record;
		this.noted = lookupsTriedBy === executionId && Array.isArray(lookupsTried) ? lookupsTried : [];
		this.keys = new Set(this.noted);
		record.lookupsTried = this.noted;
		record.lookupsTriedBy = executionId;
	}

	get size(): number {
		return this.keys.size;
	}

	has(key: string): boolean {
		return this.keys.has(key);
	}

	add(key: string): void {
		if (this.keys.has(key)) return;
		this.keys.add(key);
		this.noted.push(key);
	}
}
