import type { IContextObject } from 'n8n-workflow';
import { Ledger } from '../credits/ledger';
import type { NodeContext } from '../host/context';
import { AnswerStore } from './answers';
import { PendingJobs } from './jobs';

export interface Execution {
	answers: AnswerStore;
	ledger: Ledger;
	jobs: PendingJobs;
	/** Whether it has an answer of the service, or a job that will have one: what stops it may lose them. */
	readonly hasBought: boolean;
	/** The distinct lookups that each node has tried in a manual run. */
	tried: Map<string, Set<string>>;
}

/** By the object that n8n stores with the execution, so that both are forgotten together. */
const executions = new WeakMap<IContextObject, Execution>();

/** What the nodes of this execution share, with what n8n has stored of it before a wait or a retry. */
export function executionOf(context: NodeContext): Execution {
	const record = context.memory();
	const known = executions.get(record);
	if (known) return known;
	const answers = new AnswerStore(record);
	const ledger = new Ledger(record, context);
	const jobs = new PendingJobs(record, answers, ledger);
	const execution: Execution = {
		answers,
		ledger,
		jobs,
		tried: new Map(),
		get hasBought() {
			return !answers.isEmpty || !jobs.isEmpty;
		},
	};
	executions.set(record, execution);
	return execution;
}

/** Puts what was bought into what n8n stores with the execution: a wait, a retry or another node may need it. */
export function saveExecution(context: NodeContext): void {
	const { answers, jobs } = executionOf(context);
	answers.save();
	jobs.save();
}
