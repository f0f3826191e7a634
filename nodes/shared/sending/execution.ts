import type { IContextObject } from 'n8n-workflow';

import { CreditBudget, type Reservation } from '../credits/budget';
import { CreditCount, ExecutionCredits } from '../credits/executionCredits';
import { costTellerOf } from '../credits/costTeller';
import type { NodeContext } from '../n8n/nodeContext';
import { AnswerStore } from './answerStore';

// Everything here hangs on objects of n8n that live as long as the execution, so that the memory is
// given back with it, however the execution ends.
const answers = new WeakMap<IContextObject, AnswerStore>();
const budgets = new WeakMap<IContextObject, CreditBudget>();
const credits = new WeakMap<IContextObject, ExecutionCredits>();
const jobs = new WeakMap<IContextObject, JobsOfExecution>();

function getOrCreate<K extends WeakKey, V>(map: WeakMap<K, V>, key: K, create: () => V): V {
	const value = map.get(key) ?? create();
	map.set(key, value);
	return value;
}

/** The answers that this execution of the workflow has, whichever node asked. */
export function answersOf(context: NodeContext): AnswerStore {
	return getOrCreate(answers, context.memory('flow'), () => new AnswerStore());
}

/** What this node has spent in this execution, its loops and repeats included. */
export function budgetOf(context: NodeContext): CreditBudget {
	const record = context.memory('node');
	const count = () => new CreditCount(record, context.executionId);
	return getOrCreate(budgets, record, () => new CreditBudget(count(), creditsOf(context)));
}

/** What this execution has spent, all its nodes together. */
function creditsOf(context: NodeContext): ExecutionCredits {
	const record = context.memory('flow');
	return getOrCreate(credits, record, () => {
		const count = new CreditCount(record, context.executionId);
		return new ExecutionCredits(count, context.signal, costTellerOf(context));
	});
}

/** The bulk jobs that this execution still waits for, by question. */
export type JobsOfExecution = Map<string, JobOfExecution>;

interface JobOfExecution {
	id: string;
	/** The `id` of the connection that it belongs to. */
	connection: string;
	/** The questions of the job, in their order. */
	questions: string[];
	/** What may have been paid for it. */
	reservation?: Reservation;
}

/** The bulk jobs that were not finished in time: a repeated run collects them instead of paying. */
export function jobsOf(context: NodeContext): JobsOfExecution {
	return getOrCreate(jobs, context.memory('flow'), () => new Map());
}
