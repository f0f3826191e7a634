import {
	NodeApiError,
	NodeOperationError,
	type IDataObject,
	type INode,
	type INodeExecutionData,
} from 'n8n-workflow';
import { isTool } from '../host/context';
import type { Problem } from '../failures/failure';
import { WITHOUT_RESULT } from '../failures/reasons';
import { inFull } from '../failures/words';
import { isObject } from '../values/json';

/** What becomes of an item without a result, by the setting On Error of the node. */
export class OnError {
	private readonly setting: 'stop' | 'continue' | 'errorOutput';

	/** @param hasSummary whether a summary above the output says what to do about items without a result */
	constructor(
		node: INode,
		private readonly hasSummary = false,
	) {
		const { onError, continueOnFail } = node;
		const continues = onError ? onError === 'continueRegularOutput' : continueOnFail;
		// n8n tells an AI agent only what happened. An item tells it what to do as well.
		const isBareTool = isTool(node) && !onError;
		if (onError === 'continueErrorOutput') this.setting = 'errorOutput';
		else this.setting = continues || isBareTool ? 'continue' : 'stop';
	}

	get stops(): boolean {
		return this.setting === 'stop';
	}

	/**
	 * The item that comes out, as long as the workflow goes on. A job that is pending is no failure: nothing is lost.
	 * @param withStatus makes an item of the fields that say why there is no result
	 */
	output(
		problem: Problem,
		item: number,
		input: INodeExecutionData,
		withStatus: (fields: IDataObject) => INodeExecutionData,
	): INodeExecutionData {
		return this.setting === 'errorOutput' && problem.status !== 'pending'
			? errorItem(problem, item, input)
			: withStatus(statusFields(problem, this.hasSummary));
	}
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
	// n8n replaces a message that holds a network code by its own words.
	error.message = text;
	return error;
}

/**
 * The item for the error output. n8n goes by its keys: with any key but `error` and `message` it takes the item for a
 * success (n8n 1 knows only these two). n8n adds the fields of the input item, but not its binary data.
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

/**
 * The fields that say why an item has no result. There is no `error`, so n8n does not take it for an error item.
 * @param isShort whether a summary above the output says what to do, once for all items
 */
export function statusFields({ description, ...fields }: Problem, isShort = false): IDataObject {
	const message = isShort ? fields.message : inFull({ ...fields, description });
	return { httpCode: null, ...fields, message };
}

/** Whether an item of an error output has failed in a node of this package. */
export function isOwnError(error: unknown): boolean {
	return isObject(error) && WITHOUT_RESULT.has(error.status);
}
