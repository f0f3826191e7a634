import {
	NodeApiError,
	NodeOperationError,
	type IDataObject,
	type INode,
	type INodeExecutionData,
} from 'n8n-workflow';
import { isTool } from '../host/context';
import { inFull, isCausedByService, type Problem, reasonsOf, shown } from '../failures/failure';
import { named, type Names } from '../failures/names';
import { REASONS, type Row, WITHOUT_RESULT } from '../failures/reasons';
import { isObject } from '../values/json';
import { count } from '../values/text';

/** What becomes of an item without a result, by the setting On Error of the node. */
export class OnError {
	readonly stops: boolean;
	private readonly hasErrorOutput: boolean;

	constructor(node: INode) {
		const { onError, continueOnFail } = node;
		this.hasErrorOutput = onError === 'continueErrorOutput';
		// n8n tells an AI agent only what happened. An item tells it what to do as well.
		this.stops = onError ? onError === 'stopWorkflow' : !continueOnFail && !isTool(node);
	}

	/** The item for the error output, if it goes there. A job that is pending is no failure: nothing is lost. */
	errorItem(
		problem: Problem,
		item: number,
		{ binary }: INodeExecutionData,
	): INodeExecutionData | undefined {
		if (!this.hasErrorOutput || problem.status === 'pending') return undefined;
		// n8n goes by the keys: with any but `error` and `message` it takes the item for a success (n8n 1 knows only these
		// two). It adds the fields of the input item, but not its binary data.
		const error = shown(problem);
		delete error.message;
		return {
			json: { message: inFull(problem), error },
			pairedItem: { item },
			...(binary && { binary }),
		};
	}
}

/** Somebody has to add credits: until then, a poll every half an hour is enough, in milliseconds. */
const QUOTA_WAIT = 30 * 60_000;

/** The exception that stops the workflow: it names the item, if any, what happened and what to do. */
export function stopError(
	node: INode,
	{ status, reason, message, description, httpCode, retryAfter }: Problem,
	itemIndex?: number,
): NodeApiError | NodeOperationError {
	const text = itemIndex === undefined ? message : `${message} [item ${itemIndex}]`;
	const row: Row = REASONS[reason];
	const cause = status === 'invalid_input' ? 'configuration-invalid' : row.cause;
	const wait = retryAfter ?? (cause === 'quota-exhausted' ? QUOTA_WAIT : undefined);
	const until = wait !== undefined && { retryAfterMs: wait, resetsAtEpochMs: Date.now() + wait };
	// n8n 1 does not read it.
	const failure = cause && { cause, ...until };
	if (status === 'invalid_input') {
		const error = new NodeOperationError(node, text, { description, itemIndex });
		return Object.assign(error, { failure });
	}
	const error = new NodeApiError(
		node,
		{ reason },
		{ message: text, description, httpCode: httpCode ? String(httpCode) : undefined, itemIndex },
	);
	// n8n replaces a message that holds a network code by its own words.
	error.message = text;
	return Object.assign(error, { failure });
}

/**
 * The fields that say why an item has no result. There is no `error`, so n8n does not take it for an error item.
 * @param isShort whether a summary above the output says what to do, once for all items
 */
export function statusFields(problem: Problem, names: Names, isShort = false): IDataObject {
	const message = isShort ? problem.message : inFull(problem);
	return named({ ...shown(problem), message }, names);
}

/** Whether an item of an error output has failed in a node of this package. */
export function isOwnError(error: unknown): boolean {
	return isObject(error) && WITHOUT_RESULT.has(error.status);
}

export interface ItemProblem {
	problem: Problem;
	item: number;
}

/**
 * The problem that stops the workflow of a run that buys, if any: with On Incomplete Run set to Stop Workflow the first
 * one; else only where there is nothing to lose, and all items lack a field or the service has caused one of the problems.
 * @param items how many the run has
 * @param hasValue whether there is a result, or a job that will have some: the next execution would buy it again
 */
export function reasonToStop(
	problems: ItemProblem[],
	items: number,
	{ failsWhenIncomplete, hasValue }: { failsWhenIncomplete: boolean; hasValue: boolean },
): { problem: Problem; item?: number } | undefined {
	const inOrder = problems
		.filter(({ problem: { reason } }) => reason !== 'manual_limit')
		.toSorted((a, b) => a.item - b.item);
	const [first] = inOrder;
	if (!first) return undefined;
	if (failsWhenIncomplete)
		return { ...first, problem: withProgress(first.problem, problems, items) };
	// That a job is not finished is an answer.
	if (hasValue || inOrder.some(({ problem }) => problem.reason === 'job_not_finished')) {
		return undefined;
	}
	const areAllInvalid = inOrder.every(({ problem }) => problem.status === 'invalid_input');
	if (areAllInvalid && inOrder.length === items) return { problem: ofAll(first.problem, inOrder) };
	const cause = inOrder.find(({ problem: { reason } }) => isCausedByService(reason));
	return cause && { problem: cause.problem };
}

/** Returns the problem of a run in which no item is valid: what they lack, with the first one as an example. */
function ofAll(problem: Problem, all: ItemProblem[]): Problem {
	const problems = all.map((one) => one.problem);
	if (new Set(problems.map(({ message }) => message)).size === 1) return problem;
	const message = `No item can be looked up: ${reasonsOf(problems)}`;
	const description = inFull(problem).replace(/^Not sent: /, 'The first one: ');
	return { ...problem, message, description };
}

function withProgress(problem: Problem, problems: ItemProblem[], items: number): Problem {
	const pending = problems.filter(({ problem: { status } }) => status === 'pending');
	const jobs = [...new Set(pending.map(({ problem: { jobId } }) => jobId))];
	const unfinished = jobs.length > 0 ? ` Unfinished jobs: ${jobs.join(', ')}.` : '';
	const far = `${items - problems.length} of ${count(items, 'item')} ${items === 1 ? 'is' : 'are'} done`;
	return { ...problem, description: `${far}. ${problem.description}${unfinished}` };
}
