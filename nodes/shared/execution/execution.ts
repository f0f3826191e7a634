import type { IContextObject } from 'n8n-workflow';

import { Ledger } from '../credits/ledger';
import type { NodeContext } from '../host/context';
import { AnswerStore } from './answers';

/** The oldest go first. */
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

export interface Execution {
	answers: AnswerStore;
	ledger: Ledger;
	/** The pending bulk jobs, by question: a node that runs again collects them instead of paying again. */
	jobs: Map<string, Job>;
	/** The distinct lookups that each node has tried in a manual run. */
	tried: Map<string, Set<string>>;
}

/** By the object that n8n stores with the execution, so that both are forgotten together. */
const executions = new WeakMap<IContextObject, Execution>();

/** What the nodes of this execution share, with what n8n has stored of it before a wait or a retry. */
export function executionOf(context: NodeContext): Execution {
	const record = context.memory();
	const execution = executions.get(record) ?? {
		answers: new AnswerStore(record),
		ledger: new Ledger(record, context),
		jobs: jobsIn(record),
		tried: new Map(),
	};
	executions.set(record, execution);
	return execution;
}

/** Puts what was bought into what n8n stores with the execution: a wait, a retry or another node may need it. */
export function saveExecution(context: NodeContext): void {
	const record = context.memory();
	const { answers, jobs } = executionOf(context);
	answers.save();
	const pending = [...new Set(jobs.values())];
	if (pending.length > 0) record[RECORD] = pending.slice(-MAX_STORED_JOBS);
	else delete record[RECORD];
}

function jobsIn(record: IContextObject): Map<string, Job> {
	const stored: Job[] = record[RECORD] ?? [];
	return new Map(stored.flatMap((job) => job.questions.map((question) => [question, job])));
}
