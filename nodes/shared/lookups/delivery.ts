import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import type { Cost } from '../execution/answers';
import { executionOf } from '../execution/execution';
import type { NodeContext } from '../host/context';
import { stopError, type OnError } from '../output/onError';
import { alignFields, itemWith, type Result } from '../output/shape';
import { PROBLEM_FIELDS } from '../failures/reasons';
import type { LookupResult, Outcome, PreparedItem } from '../input/item';
import type { Lookup } from './lookup';
import type { LookupOptions } from '../input/options';
import { nothingLookedUp, summaryOf, Tally, type Figures } from './summary';

/** The shortest time between two lines of progress in the log, in milliseconds. */
const PROGRESS_INTERVAL = 5_000;

const RETRY_ON_FAIL =
	'Retry On Fail is on but not needed: this node already retries on its own. With it on, a request whose connection was lost may be sent, and charged, again with each try.';

/** The output of a run. Each item is put together as soon as its outcome is known. */
export class Delivery<Query extends IDataObject> {
	private readonly items: INodeExecutionData[][] = [];
	private readonly tally = new Tally();
	private readonly columns: string[];
	private readonly sources: Set<unknown>;
	private lastProgress = Date.now();

	constructor(
		private readonly context: NodeContext,
		private readonly lookup: Lookup<Query>,
		private readonly options: LookupOptions,
		private readonly onError: OnError,
	) {
		const { columns, extra } = lookup;
		const own = options.includesSource ? [...columns, 'source'] : columns;
		this.columns = extra && options.hasExtra ? [...own, extra.column] : own;
		this.sources = new Set(context.namesBefore());
	}

	/** @param cost of the request for the item; absent where the execution had the answer, or nothing was sent */
	settle(item: number, prepared: PreparedItem<Query>, outcome: Outcome, cost?: Cost): void {
		const { context, lookup, options, columns, sources } = this;
		const input = context.inputs[item];
		const resultField = options.resultField ?? lookup.resultField;
		const { query: asked, includesInput } = prepared;
		const { isTool } = context;
		const { replaced } = this.tally;
		const place = { includesInput, isTool, resultField, asked, sources, replaced };
		const output = (fields: IDataObject, more?: Partial<Result>) =>
			itemWith(input, item, place, { fields, columns, credits: 0, ...cost, ...more });
		if ('reason' in outcome) {
			const withProblem = [...columns, ...PROBLEM_FIELDS];
			const withStatus = (fields: IDataObject) => output(fields, { columns: withProblem });
			this.items[item] = [this.onError.output(outcome, item, input, withStatus)];
		} else if ('fields' in outcome) {
			const email = prepared.query.email || null;
			this.items[item] = [output({ email, ...outcome.fields, status: outcome.status })];
		} else {
			const source = options.includesSource ? context.node.name : undefined;
			const [first, ...others] = resultsOf(lookup, prepared, outcome, source);
			// A company that was found takes the place of the one that the item has.
			const replaces = lookup.resultField !== undefined && outcome.results.length > 0;
			this.items[item] = [
				output(first, { replaces }),
				...others.map((fields) => output(fields, { replaces, isFurther: true, credits: 0 })),
			];
		}
		this.tally.count(item, outcome);
		this.logProgress();
	}

	/** The items, with the summary above them. Throws where On Error and On Incomplete Run stop the workflow. */
	deliver(figures: Figures): INodeExecutionData[] {
		const { context, lookup, options, onError, tally } = this;
		const mayStop = onError.stops && context.signal?.aborted !== true;
		const reason = tally.reasonToStop(options.failsWhenIncomplete, executionOf(context).hasBought);
		if (reason && mayStop) throw stopError(context.node, reason.problem, reason.item);
		const isWarning = tally.unwanted.length > 0 || figures.hasOnly404 === true;
		context.hint(summaryOf(lookup, tally, figures), isWarning ? 'warning' : 'info');
		const vain = nothingLookedUp(lookup, tally, figures.readFrom === undefined);
		if (vain) context.hint(vain, tally.counts.known === 0 ? 'warning' : 'info');
		if (context.node.retryOnFail === true) context.hint(RETRY_ON_FAIL, 'info');
		const items = this.items.flat();
		alignFields(items, options.resultField ?? lookup.resultField);
		return items;
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

/** What the items of one input item say of its results: of the best one, unless all matches are wanted. */
function resultsOf<Query extends IDataObject>(
	{ answered, simplify }: Lookup<Query>,
	{ query, isSimple, isAll, isDue }: PreparedItem<Query>,
	{ results, at }: LookupResult,
	source?: string,
): IDataObject[] {
	const checkedAt = at === undefined ? null : new Date(at).toISOString();
	// A miss is no check of what the item keeps.
	if (results.length === 0) return [{ status: 'not_found', checkedAt: isDue ? null : checkedAt }];
	return results.slice(0, isAll ? results.length : 1).map((result) => {
		const fields = Object.assign(simplify(result, query), { status: answered, checkedAt });
		if (source !== undefined) fields.source = source;
		// An answer that needed no service has no response.
		if (!isSimple && at !== undefined) fields.response = { ...result };
		return fields;
	});
}
