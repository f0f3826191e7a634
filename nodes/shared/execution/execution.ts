import type { IContextObject } from 'n8n-workflow';
import { type Credits, Ledger } from '../credits/ledger';
import type { NodeContext } from '../host/context';
import { AnswerStore } from './answers';
import { PendingJobs } from './jobs';

/** Where n8n stores that an execution was started by hand. */
const RECORD = 'contactDataManual';

/** What the nodes of one execution share, with what n8n has stored of it before a wait or a retry. */
export class Execution {
	readonly answers: AnswerStore;
	readonly ledger: Ledger;
	readonly jobs: PendingJobs;
	/** Whether it was started by hand, or retries such an execution: n8n calls that a retry, whatever it was. */
	readonly isManual: boolean;
	/** The distinct lookups that each node has tried in a manual run. */
	readonly tried = new Map<string, Set<string>>();
	/** The domains that accept every email, as an answer says, by account. */
	readonly catchAllDomains = new Set<string>();
	/** What lookups have cost, by the place of their node in the execution. */
	readonly paid = new Map<string, Credits>();

	constructor(record: IContextObject, context: NodeContext) {
		if (context.isManual) record[RECORD] = true;
		this.isManual = record[RECORD] === true;
		this.answers = new AnswerStore(record);
		this.ledger = new Ledger(record, context);
		this.jobs = new PendingJobs(record, this.answers, this.ledger);
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
