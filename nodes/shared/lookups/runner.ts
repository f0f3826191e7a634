import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { Accounts } from '../client/accounts';
import type { AccountClient } from '../client/client';
import { NotProcessed } from '../http/errors';
import type { Settled } from '../execution/answers';
import { executionOf, lookupsTriedBy } from '../execution/execution';
import { Breather } from '../host/breather';
import type { NodeContext } from '../host/context';
import { Parameters } from '../host/parameters';
import { OnError } from '../output/onError';
import { InvalidInput, problemOf, type Problem } from '../output/problem';
import { Batcher } from './batcher';
import { Delivery, type Origin } from './delivery';
import { isProblem, ItemReader, type Outcome, type PreparedItem } from './item';
import { keyOf, type Lookup } from './lookup';
import { lookupOptionsOf, type LookupOptions } from './options';
import { Pool } from './pool';

/**
 * Runs a lookup over all items of the node. Identical questions are sent once, in the fewest requests, several at once,
 * while further items are still being read. Every item gets its output, in order and linked to its input, whatever
 * happens to a request.
 */
export async function runLookup<Query extends IDataObject>(
	context: NodeContext,
	lookup: Lookup<Query>,
): Promise<INodeExecutionData[]> {
	return await new LookupRun(context, lookup).run();
}

const BEYOND_MANUAL_LIMIT = new NotProcessed('manual_limit');

/** One run of a lookup: its items on their way from question to outcome. */
class LookupRun<Query extends IDataObject> {
	private readonly prepared: Array<PreparedItem<Query>> = [];

	/** The questions that this run has sent, with their coming answers. */
	private readonly sent = new Map<string, Promise<Settled>>();

	/** How many items ask what another item of the execution asks as well. */
	private duplicates = 0;

	/** Items that wait for an answer. */
	private readonly waiting = new Set<Promise<void>>();

	private readonly options: LookupOptions;

	private readonly refusal: Problem | undefined;

	private readonly reader: ItemReader<Query>;

	private readonly accounts: Accounts<Batcher<Query>>;

	private readonly delivery: Delivery<Query>;

	private readonly onError: OnError;

	private readonly pool: Pool;

	private readonly breather = new Breather();

	constructor(
		private readonly context: NodeContext,
		private readonly lookup: Lookup<Query>,
	) {
		const parameters = new Parameters(context, lookup.fields);
		const options = lookupOptionsOf(parameters);
		const pool = new Pool(options.pace.maxConcurrency);
		const open = (client: AccountClient) => new Batcher(client, { context, lookup, options, pool });
		this.options = options;
		this.refusal = options.refusal === undefined ? undefined : problemOf(options.refusal);
		this.pool = pool;
		this.reader = new ItemReader(lookup, parameters, options);
		this.onError = new OnError(context.node);
		this.delivery = new Delivery(context, lookup, options, this.onError);
		this.accounts = new Accounts(context, options, open);
	}

	async run(): Promise<INodeExecutionData[]> {
		try {
			await this.askAll();
			await this.finish();
			while (this.waiting.size > 0) await Promise.all(this.waiting);
		} finally {
			// Nothing more is sent, and no question stays open.
			this.accounts.end();
			await this.finish();
		}
		const uncertain = this.accounts.all.reduce((sum, { spent }) => sum + spent.uncertain, 0);
		return this.delivery.deliver({
			duplicates: this.duplicates,
			paused: this.accounts.paused,
			spent: this.accounts.all.reduce((sum, { spent }) => sum + spent.certain, uncertain),
			isUncertain: uncertain > 0,
		});
	}

	/** Reads all items, and asks their questions. */
	private async askAll(): Promise<void> {
		const { inputs } = this.context;
		const { options, reader } = this;
		// A run that stops for an incomplete item sends nothing before it.
		const readsFirst = options.failsWhenIncomplete && this.onError.stops;
		for (let item = 0; item < inputs.length; item++) {
			if (this.breather.isDue) await this.breather.breathe();
			this.prepared[item] = reader.read(item);
			const problem = readsFirst && (await this.problemOf(item));
			if (problem) throw this.onError.exception(problem, item);
			if (!readsFirst) await this.ask(item);
		}
		for (let item = 0; readsFirst && item < inputs.length; item++) {
			if (this.breather.isDue) await this.breather.breathe();
			await this.ask(item);
		}
	}

	/** Sends all that is left. */
	private async finish(): Promise<void> {
		await Promise.all(this.accounts.all.map(async (batcher) => await batcher.finish()));
		await this.pool.done();
	}

	/** Why nothing can be sent for an item, as far as that is known before anything is. */
	private async problemOf(item: number): Promise<Problem | undefined> {
		const { outcome } = this.prepared[item];
		if (outcome) return isProblem(outcome) ? outcome : undefined;
		if (this.accounts.common) return undefined;
		const found = await this.accounts.of(item).catch(problemOf);
		return found instanceof Batcher ? undefined : found;
	}

	/** Settles an item that needs no lookup, and asks the question of any other. */
	private async ask(item: number): Promise<void> {
		const local = this.refusal ?? this.prepared[item].outcome;
		if (local) return this.settle(item, local);
		const batcher = this.accounts.common ?? (await this.accounts.of(item).catch(problemOf));
		if (batcher instanceof Batcher) this.askWith(batcher, item);
		else this.settle(item, batcher);
	}

	/** Takes the answer that this execution has or is getting, or sends the question. */
	private askWith(batcher: Batcher<Query>, item: number): void {
		const { answers } = executionOf(this.context);
		const { query } = this.prepared[item];
		const key = keyOf(this.lookup, batcher.connection, query);
		// This run does not send a question twice, whatever came of it: it may have been charged.
		const own = this.sent.get(key);
		const found = own ?? answers.find(key);
		if (found instanceof Promise) {
			const askAgain = () => this.askWith(batcher, item);
			return this.waitFor(found, item, { isFirst: false, askAgain: own ? undefined : askAgain });
		}
		if (found) {
			this.duplicates++;
			return this.settle(item, found);
		}
		if (!batcher.jobOf(key) && this.isBeyondManualLimit(key)) {
			return this.settle(item, problemOf(BEYOND_MANUAL_LIMIT));
		}
		const { settled, settle } = answers.open(key, batcher.connection);
		this.sent.set(key, settled);
		this.waitFor(settled, item, { isFirst: true });
		batcher.add({ key, query, settle });
	}

	/** Whether a lookup is one too many for a manual run. */
	private isBeyondManualLimit(key: string): boolean {
		const { manualLimit } = this.options;
		if (!this.context.isManual || manualLimit === Number.POSITIVE_INFINITY) return false;
		const tried = lookupsTriedBy(this.context);
		if (tried.size >= manualLimit && !tried.has(key)) return true;
		tried.add(key);
		return false;
	}

	/**
	 * Settles an item once its answer is there.
	 * @param isFirst whether the question is sent for this item: others get the same answer for free
	 * @param askAgain asks in this run what another run of a node did not send
	 */
	private waitFor(
		answer: Promise<Settled>,
		item: number,
		{ isFirst, askAgain }: { isFirst: boolean; askAgain?: () => void },
	): void {
		const waiting = answer.then((settled) => {
			this.waiting.delete(waiting);
			const origin: Origin = { isOfService: true, credits: isFirst ? settled.credits : 0 };
			const error = 'error' in settled ? settled.error : undefined;
			// The limits of another run of a node are its own business.
			const isNotSent = error instanceof NotProcessed || error instanceof InvalidInput;
			if (!error && !isFirst) this.duplicates++;
			if (askAgain && isNotSent) askAgain();
			else if ('error' in settled) this.settle(item, problemOf(settled.error), origin);
			else this.settle(item, settled.answer, origin);
		});
		this.waiting.add(waiting);
	}

	private settle(item: number, outcome: Outcome, origin?: Origin): void {
		const prepared = this.prepared[item];
		try {
			this.delivery.settle(item, prepared, outcome, origin);
		} catch (error) {
			// A result that cannot be put in our words fails for this item alone.
			this.delivery.settle(item, prepared, problemOf(error), origin);
		}
	}
}
