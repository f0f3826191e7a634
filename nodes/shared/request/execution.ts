import type {
	IContextObject,
	IExecuteData,
	IExecuteFunctions,
	IExecuteSingleFunctions,
} from 'n8n-workflow';

import { AnswerStore } from './answers';
import { CreditBudget } from './budget';
import { ExecutionCredits } from './executionCredits';
import { Run } from './run';
import { stoppedCostsOf } from './stoppedCosts';

// Everything here hangs on objects of n8n that live as long as the execution, so that the memory is
// given back with it, however the execution ends.
const answers = new WeakMap<IContextObject, AnswerStore>();
const budgets = new WeakMap<IContextObject, CreditBudget>();
const credits = new WeakMap<IContextObject, ExecutionCredits>();
const jobs = new WeakMap<IContextObject, JobsOfExecution>();
const runs = new WeakMap<IExecuteData, { run: Run; lastItem: number }>();

function getOrCreate<K extends WeakKey, V>(map: WeakMap<K, V>, key: K, create: () => V): V {
	const value = map.get(key) ?? create();
	map.set(key, value);
	return value;
}

/** The answers that this execution of the workflow has, whichever node asked. */
export function answersOf(context: IExecuteFunctions | IExecuteSingleFunctions): AnswerStore {
	return getOrCreate(answers, context.getContext('flow'), () => new AnswerStore());
}

/** What this node has spent in this execution, its loops and repeats included. */
export function budgetOf(context: IExecuteFunctions | IExecuteSingleFunctions): CreditBudget {
	const record = context.getContext('node');
	return getOrCreate(budgets, record, () => new CreditBudget(record, creditsOf(context)));
}

/** What this execution has spent, all its nodes together. */
function creditsOf(context: IExecuteFunctions | IExecuteSingleFunctions): ExecutionCredits {
	const record = context.getContext('flow');
	return getOrCreate(credits, record, () => {
		const stop = context.getExecutionCancelSignal();
		return new ExecutionCredits(record, stop, stoppedCostsOf(context));
	});
}

/** The bulk jobs that this execution still waits for, by question. */
export type JobsOfExecution = Map<string, JobOfExecution>;

interface JobOfExecution {
	id: string;
	/** The questions of the job, in their order. */
	questions: string[];
}

/** The bulk jobs that were not finished in time: a repeated run collects them instead of paying. */
export function jobsOf(context: IExecuteFunctions): JobsOfExecution {
	return getOrCreate(jobs, context.getContext('flow'), () => new Map());
}

/**
 * The run of the node that an item belongs to. n8n starts the items of a run in their order, so an
 * item that does not come after the last one belongs to a new run: a Retry On Fail, say.
 */
export function runOf(context: IExecuteSingleFunctions): Run {
	const executeData = context.getExecuteData();
	const item = context.getItemIndex();
	const known = runs.get(executeData);
	if (known && item > known.lastItem) {
		known.lastItem = item;
		return known.run;
	}
	const run = new Run(context, context.getExecutionCancelSignal());
	runs.set(executeData, { run, lastItem: item });
	return run;
}
