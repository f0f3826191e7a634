import {
	NodeApiError,
	NodeOperationError,
	type IDataObject,
	type INode,
	type INodeExecutionData,
} from 'n8n-workflow';

import { NotProcessed } from './notProcessed';
import { inFull, ServiceError } from './serviceError';

/** Why an item has no answer. */
export interface Problem {
	status: 'invalid_input' | 'not_processed' | 'failed' | 'pending';
	/** In a word that a workflow can route by; for `invalid_input` it names the fields. */
	reason: string;
	/** What happened. */
	message: string;
	/** What to do now. */
	description: string;
	httpCode?: number | null;
	/** For `pending`: the bulk job to collect. */
	jobId?: string;
}

/** The setting On Error of a node. */
type OnError = 'stop' | 'continue' | 'errorOutput';

/** What the user chose under On Error. */
export function onErrorOf(node: INode): OnError {
	// n8n would tell an AI agent only what happened: with an item it learns what to do as well.
	const isTool = node.type.endsWith('Tool');
	if (isTool && !node.onError && !node.continueOnFail) return 'continue';
	if (node.onError === 'continueErrorOutput') return 'errorOutput';
	const continues = node.onError ? node.onError === 'continueRegularOutput' : node.continueOnFail;
	return continues ? 'continue' : 'stop';
}

/** An item that lacks what its operation needs. */
export function missingInput(missing: string): Problem {
	return {
		status: 'invalid_input',
		reason: `missing: ${missing}`,
		message: `Not sent: the item has no ${missing}`,
		description:
			'Fill the field, or check that its expression finds a value in this item of the input.',
	};
}

/** Thrown where an item turns out to lack what its operation needs. */
export class InvalidInput extends Error {}

/** Thrown when a bulk job has not finished in the time that the user gave it. */
export class JobPending extends Error {
	constructor(readonly jobId: string) {
		super(`The bulk job ${jobId} is not finished`);
	}
}

/** What an exception of the request path means for an item. Other exceptions are passed on. */
export function problemOf(thrown: unknown): Problem {
	if (thrown instanceof InvalidInput) return missingInput(thrown.message);
	if (thrown instanceof JobPending) {
		const description = 'Nothing is lost: collect the results later with Get Bulk Job.';
		const { message, jobId } = thrown;
		return { status: 'pending', reason: 'job_not_finished', message, description, jobId };
	}
	if (thrown instanceof NotProcessed) {
		const { reason, message, description } = thrown;
		return { status: 'not_processed', reason, message, description };
	}
	if (thrown instanceof ServiceError) {
		const { reason, message, description, httpCode } = thrown;
		// The request that ran into the end of the credits was refused, so the item can be sent again.
		const status = reason === 'out_of_credits' ? 'not_processed' : 'failed';
		return { status, reason, message, description, httpCode };
	}
	throw thrown;
}

/** The exception that stops the workflow: it names the item, if any, what happened and what to do. */
export function stopError(
	node: INode,
	{ status, reason, message, description, httpCode }: Problem,
	itemIndex?: number,
): NodeApiError | NodeOperationError {
	const text = itemIndex === undefined ? message : `${message} [item ${itemIndex}]`;
	if (status === 'invalid_input') {
		return new NodeOperationError(node, text, { description, itemIndex });
	}
	const error = new NodeApiError(
		node,
		{ reason },
		{ message: text, description, httpCode: httpCode ? String(httpCode) : undefined, itemIndex },
	);
	// n8n puts its own words in the place of a message that holds a network code.
	error.message = text;
	return error;
}

/**
 * The item that goes to the error branch. n8n routes it by its keys: with any other than `error` and
 * `message` it counts as a success (n8n 1 knows only these two). The fields of the input item are
 * added by n8n.
 */
export function errorItem(problem: Problem, itemIndex: number): INodeExecutionData {
	const { description, ...error } = problem;
	return {
		json: { error, message: description },
		pairedItem: { item: itemIndex },
	};
}

/**
 * What becomes of an item without an answer, by the setting On Error of the node: an item for the
 * error branch, the given item, or an exception that stops the workflow.
 */
export function problemItem(
	node: INode,
	problem: Problem,
	itemIndex: number,
	continueWith: () => INodeExecutionData,
): INodeExecutionData {
	const onError = onErrorOf(node);
	if (onError === 'errorOutput') return errorItem(problem, itemIndex);
	if (onError === 'continue' || problem.reason === 'cancelled') return continueWith();
	throw stopError(node, problem, itemIndex);
}

/** What was asked for, as far as it is text: switches of the request are left out. */
export function echoOf(query: IDataObject): IDataObject {
	return Object.fromEntries(Object.entries(query).filter(([, value]) => typeof value === 'string'));
}

/** The fields of a lookup item without an answer. It is no error item: it has no `error`. */
export function statusFields(problem: Problem, query: IDataObject = {}): IDataObject {
	const { message, description, ...fields } = problem;
	return { ...fields, message: inFull({ message, description }), ...query };
}
