import {
	type IDataObject,
	type INode,
	type INodeExecutionData,
	NodeApiError,
	NodeOperationError,
} from 'n8n-workflow';
import { inFull } from '../http/errors';
import type { Problem } from './problem';

/** The setting On Error of a node. */
export type OnError = 'stop' | 'continue' | 'errorOutput';

/** Whether n8n runs the node as a tool of an AI agent. */
export function isTool({ type }: INode): boolean {
	return type.endsWith('Tool');
}

/** What the user chose under On Error. */
export function onErrorOf(node: INode): OnError {
	// n8n would tell an AI agent only what happened: with an item it learns what to do as well.
	if (isTool(node) && !node.onError && !node.continueOnFail) return 'continue';
	if (node.onError === 'continueErrorOutput') return 'errorOutput';
	const continues = node.onError ? node.onError === 'continueRegularOutput' : node.continueOnFail;
	return continues ? 'continue' : 'stop';
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
 * added by n8n, its binary data is not.
 */
export function errorItem(
	problem: Problem,
	item: number,
	{ binary }: INodeExecutionData,
): INodeExecutionData {
	const { description, ...error } = problem;
	const message = inFull({ ...error, description });
	return { json: { error, message }, pairedItem: { item }, ...(binary && { binary }) };
}

/** The fields of an item without an answer. It is no error item: it has no `error`. */
export function statusFields({ description, jobId, jobRow, ...fields }: Problem): IDataObject {
	const message = inFull({ ...fields, description });
	return { ...fields, message, ...(jobId && { jobId }), ...(jobRow && { jobRow }) };
}
