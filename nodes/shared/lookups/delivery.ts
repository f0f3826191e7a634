import type { IDataObject, INodeExecutionData, NodeExecutionHint } from 'n8n-workflow';

import type { NodeContext } from '../n8n/nodeContext';
import {
	errorItem,
	isTool,
	onErrorOf,
	statusFields,
	stopError,
	type OnError,
} from '../outcomes/onError';
import type { Lookup } from './lookup';
import type { LookupOptions } from './lookupOptions';
import type { ItemQuestion } from './questions';
import { summaryOf, Tally, type Figures, type Outcome } from './summary';

const retryOnFailHint: NodeExecutionHint = {
	message:
		'Retry On Fail is on but not needed: this node already retries on its own. With it on, a request whose connection was lost may be sent, and charged, again with each try.',
	type: 'info',
	location: 'outputPane',
};

/**
 * The output of a run: each item is put together as soon as its outcome is known, while others still wait
 * for theirs.
 */
export class Delivery<Query extends IDataObject> {
	private readonly items: INodeExecutionData[][] = [];

	private readonly tally = new Tally();

	private readonly onError: OnError;

	private readonly includesInput: boolean;

	constructor(
		private readonly context: NodeContext,
		private readonly lookup: Lookup<Query>,
		private readonly options: LookupOptions,
	) {
		this.onError = onErrorOf(context.node);
		this.includesInput = options.includesInput && !isTool(context.node);
	}

	/**
	 * The outcome of an item is known.
	 * @param isOfService whether the service answered in this run
	 */
	settle(item: number, question: ItemQuestion<Query>, outcome: Outcome, isOfService = false): void {
		if ('status' in outcome && this.onError === 'errorOutput') {
			this.items[item] = [errorItem(outcome, item)];
		} else {
			const input = this.context.inputs[item].json;
			this.items[item] = fieldsOf(this.lookup, question, outcome).map((json) => ({
				json: this.includesInput ? withInput(input, json) : json,
				pairedItem: { item },
			}));
		}
		this.tally.count(item, outcome, { isOfService, isLocal: question.answer !== undefined });
	}

	/**
	 * The items, and the summary above them. Throws where On Error and On Incomplete Run ask for that: an
	 * item that the service never answered is no reason, as long as it answered any other.
	 */
	deliver(figures: Figures): INodeExecutionData[] {
		const { context, lookup, options, tally } = this;
		const { node, signal } = context;
		const mayStop = this.onError === 'stop' && signal?.aborted !== true;
		const reason = mayStop ? tally.reasonToStop(options) : undefined;
		if (reason) throw stopError(node, reason.problem, reason.item);
		context.hint({
			message: summaryOf(lookup, tally, figures),
			type: tally.problems.length > 0 ? 'warning' : 'info',
			location: 'outputPane',
		});
		if (node.retryOnFail === true) context.hint(retryOnFailHint);
		return this.items.flat();
	}
}

/** The fields of the output items of one input item: one item, unless there are several matches. */
function fieldsOf<Query extends IDataObject>(
	{ answered, simplify }: Lookup<Query>,
	{ query, isSimple, isAll }: ItemQuestion<Query>,
	outcome: Outcome,
): IDataObject[] {
	if ('status' in outcome) return [{ ...statusFields(outcome), ...echoOf(query) }];
	const { results } = outcome;
	if (results.length === 0) {
		return [{ status: 'not_found', ...simplify({}, query), ...echoOf(query) }];
	}
	return results
		.slice(0, isAll ? results.length : 1)
		.map((result) => (isSimple ? { status: answered, ...simplify(result, query) } : { ...result }));
}

/**
 * What was asked for, as far as it is text: switches of the request are left out, and so is what is empty,
 * which would erase a field of the input.
 */
function echoOf(query: IDataObject): IDataObject {
	const texts = Object.entries(query).filter(
		([, value]) => typeof value === 'string' && value !== '',
	);
	return Object.fromEntries(texts);
}

/** The fields of the input before those of the result; n8n takes an item with an `error` for failed. */
function withInput(input: IDataObject, json: IDataObject): IDataObject {
	const fields = { ...input, ...json };
	if (!('error' in json)) delete fields.error;
	return fields;
}
