import type { IDataObject, INodeExecutionData, Logger, NodeExecutionHint } from 'n8n-workflow';
import type { NodeContext } from '../host/context';
import { arrangedItem } from '../output/fields';
import {
	errorItem,
	isTool,
	type OnError,
	onErrorOf,
	statusFields,
	stopError,
} from '../output/onError';
import { isAnswered, isPassedOn, isProblem, type ItemQuestion, type Outcome } from './item';
import type { Lookup } from './lookup';
import type { LookupOptions } from './options';
import { type Figures, summaryOf, Tally } from './summary';

/** Who gave an answer, and what it did cost in this run. */
export interface Source {
	/** Whether the service gave it in this run. */
	isOfService: boolean;
	/** `null` where it is not known. */
	credits: number | null;
}

/** Of an outcome without a request in this run. */
const FREE: Source = { isOfService: false, credits: 0 };

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

	constructor(
		private readonly context: NodeContext,
		private readonly lookup: Lookup<Query>,
		private readonly options: LookupOptions,
	) {
		this.onError = onErrorOf(context.node);
	}

	/** The outcome of an item is known. */
	settle(item: number, question: ItemQuestion<Query>, outcome: Outcome, source = FREE): void {
		const { context, lookup, options } = this;
		const input = context.inputs[item];
		if (isProblem(outcome) && this.onError === 'errorOutput') {
			this.items[item] = [errorItem(outcome, item, input)];
		} else {
			const includesInput = question.includesInput && !isTool(context.node);
			const isAnswer = isAnswered(outcome);
			const isMiss = isAnswer && outcome.results.length === 0;
			const { keeps } = lookup;
			const arrangement = { ...options, keeps, includesInput, isMiss, isAnswer };
			this.items[item] = fieldsOf(lookup, question, outcome, source.credits).map((fields) =>
				arrangedItem(input, item, fields, arrangement),
			);
		}
		this.tally.count(item, outcome, source.isOfService);
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
			type: tally.unwanted.length > 0 ? 'warning' : 'info',
			location: 'outputPane',
		});
		if (node.retryOnFail === true) context.hint(retryOnFailHint);
		return this.items.flat();
	}
}

/** What an item says of its lookup: once, unless there are several matches. */
function fieldsOf<Query extends IDataObject>(
	{ answered, simplify }: Lookup<Query>,
	{ query, isSimple, isAll }: ItemQuestion<Query>,
	outcome: Outcome,
	credits: number | null,
): IDataObject[] {
	if (isPassedOn(outcome)) {
		const { status, fields } = outcome;
		return [{ status, ...fields, credits }];
	}
	if (!isAnswered(outcome)) return [{ ...statusFields(outcome), ...echoOf(query), credits }];
	const { results, at } = outcome;
	const checkedAt = at === undefined ? null : new Date(at).toISOString();
	if (results.length === 0) {
		const status = 'not_found';
		return [{ status, ...simplify({}, query), ...echoOf(query), credits, checkedAt }];
	}
	return results.slice(0, isAll ? results.length : 1).map((result, index) => {
		if (!isSimple) return { ...result };
		const cost = index === 0 ? credits : 0;
		return { status: answered, ...simplify(result, query), credits: cost, checkedAt };
	});
}

/**
 * What was asked for, as far as it is text: switches of the request are left out, and so is what is empty,
 * which would erase a field of the result.
 */
function echoOf(query: IDataObject): IDataObject {
	const texts = Object.entries(query).filter(
		([, value]) => typeof value === 'string' && value !== '',
	);
	return Object.fromEntries(texts);
}

/** The shortest time between two lines in the log, in milliseconds. */
const INTERVAL = 5_000;

/** Tells in the log of n8n, at most every few seconds, how far a long run is. */
export class Progress {
	private done = 0;

	private lastLine = Date.now();

	constructor(
		private readonly logger: Logger,
		private readonly name: string,
		private readonly total: number,
	) {}

	/** One more is done. */
	step(): void {
		this.done++;
		const now = Date.now();
		if (now - this.lastLine < INTERVAL) return;
		this.lastLine = now;
		this.logger.info(`${this.name}: ${this.done} of ${this.total} items done`);
	}
}
