import type { IDataObject, INodeExecutionData, NodeExecutionHint } from 'n8n-workflow';

import type { NodeContext } from '../host/context';
import { arrangedItem } from '../output/fields';
import { isTool, OnError } from '../output/onError';
import type { Problem } from '../output/problem';
import type { Outcome, PreparedItem } from './item';
import type { Lookup } from './lookup';
import type { LookupOptions } from './options';
import { summaryOf, Tally, type Figures } from './summary';

/** The shortest time between two lines of progress in the log, in milliseconds. */
const PROGRESS_INTERVAL = 5_000;

const retryOnFailHint: NodeExecutionHint = {
	message:
		'Retry On Fail is on but not needed: this node already retries on its own. With it on, a request whose connection was lost may be sent, and charged, again with each try.',
	type: 'info',
	location: 'outputPane',
};

/** The output of a run. Each item is put together as soon as its outcome is known. */
export class Delivery<Query extends IDataObject> {
	private readonly items: INodeExecutionData[][] = [];

	private readonly tally = new Tally();

	private lastProgress = Date.now();

	constructor(
		private readonly context: NodeContext,
		private readonly lookup: Lookup<Query>,
		private readonly options: LookupOptions,
		private readonly onError: OnError,
	) {}

	/**
	 * Puts the output of an item into its place.
	 * @param cost what the request for it has cost, in credits: `null` where nobody knows; `undefined` without a request
	 */
	settle(
		item: number,
		prepared: PreparedItem<Query>,
		outcome: Outcome,
		cost: number | null | undefined,
	): void {
		const { context, lookup, options } = this;
		const credits = cost === undefined ? 0 : cost;
		const input = context.inputs[item];
		const isAnswer = 'results' in outcome;
		const arrange = (fields: IDataObject) =>
			arrangedItem(input, item, fields, {
				...options,
				keeps: lookup.keeps,
				includesInput: prepared.includesInput && !isTool(context.node),
				isMiss: isAnswer && outcome.results.length === 0,
				isAnswer,
			});
		if ('reason' in outcome) {
			const besides = { ...textsOf(prepared.query), credits };
			const withStatus = (fields: IDataObject) => arrange({ ...fields, ...besides });
			this.items[item] = [this.onError.output(outcome, item, input, withStatus)];
		} else this.items[item] = fieldsOf(lookup, prepared, outcome, credits).map(arrange);
		this.tally.count(item, outcome, cost !== undefined);
		this.logProgress();
	}

	/**
	 * The items, with the summary above them. Throws where On Error and On Incomplete Run stop the workflow.
	 */
	deliver(figures: Figures): INodeExecutionData[] {
		const { context, lookup, options, onError, tally } = this;
		const mayStop = onError.stops && context.signal?.aborted !== true;
		const reason = mayStop ? tally.reasonToStop(options.failsWhenIncomplete) : undefined;
		if (reason) throw onError.exception(reason.problem, reason.item);
		context.hint({
			message: summaryOf(lookup, tally, figures),
			type: tally.unwanted.length > 0 ? 'warning' : 'info',
			location: 'outputPane',
		});
		if (context.node.retryOnFail === true) context.hint(retryOnFailHint);
		return this.items.flat();
	}

	private logProgress(): void {
		const now = Date.now();
		if (now - this.lastProgress < PROGRESS_INTERVAL) return;
		this.lastProgress = now;
		const { context, lookup, tally } = this;
		const done = `${tally.counts.items} of ${context.inputs.length} items done`;
		context.logger.info(`${lookup.option.name}: ${done}`);
	}
}

/** What an item says of its lookup: once, unless all matches are wanted. */
function fieldsOf<Query extends IDataObject>(
	{ answered, simplify }: Lookup<Query>,
	{ query, isSimple, isAll }: PreparedItem<Query>,
	outcome: Exclude<Outcome, Problem>,
	credits: number | null,
): IDataObject[] {
	if ('fields' in outcome) return [{ status: outcome.status, ...outcome.fields, credits }];
	const { results, at } = outcome;
	const checkedAt = at === undefined ? null : new Date(at).toISOString();
	if (results.length === 0) {
		const fields = { ...simplify({}, query), ...textsOf(query) };
		return [{ status: 'not_found', ...fields, credits, checkedAt }];
	}
	return results.slice(0, isAll ? results.length : 1).map((result, index) => {
		if (!isSimple) return { ...result };
		const cost = index === 0 ? credits : 0;
		return { status: answered, ...simplify(result, query), credits: cost, checkedAt };
	});
}

/** The texts of a query. An empty one would erase a field of the input. */
function textsOf(query: IDataObject): IDataObject {
	const texts = Object.entries(query).filter(
		([, value]) => typeof value === 'string' && value !== '',
	);
	return Object.fromEntries(texts);
}
