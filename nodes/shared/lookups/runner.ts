import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { Accounts } from '../client/accounts';
import { NOTHING, sum } from '../credits/ledger';
import { NotProcessed } from '../http/errors';
import type { Settled } from '../execution/answers';
import { executionOf } from '../execution/execution';
import { Breather } from '../host/breather';
import type { NodeContext } from '../host/context';
import { Parameters } from '../host/parameters';
import { OnError } from '../output/onError';
import { InvalidInput, problemOf, type Problem } from '../output/problem';
import { Batcher, type BatcherRun } from './batcher';
import { Delivery } from './delivery';
import { ItemReader, type Outcome, type PreparedItem } from './item';
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
class LookupRun<Query extends IDataObject> implements BatcherRun<Query> {
	private readonly prepared: Array<PreparedItem<Query>> = [];

	/** The questions that this run has sent, with their coming answers. */
	private readonly sent = new Map<string, Promise<Settled>>();

	/** How many items ask what another item of the execution asks as well. */
	private duplicates = 0;

	/** Items that wait for an answer. */
	private readonly waiting = new Set<Promise<void>>();

	readonly options: LookupOptions;

	readonly pool: Pool;

	private readonly reader: ItemReader<Query>;

	private readonly onError: OnError;

	private readonly delivery: Delivery<Query>;

	private readonly accounts: Accounts<Batcher<Query>>;

	private readonly breather = new Breather();

	constructor(
		readonly context: NodeContext,
		readonly lookup: Lookup<Query>,
	) {
		const parameters = new Parameters(context, lookup.fields);
		this.options = lookupOptionsOf(parameters);
		this.pool = new Pool(this.options.pace.maxConcurrency);
		this.reader = new ItemReader(lookup, parameters, this.options);
		this.onError = new OnError(context.node);
		this.delivery = new Delivery(context, lookup, this.options, this.onError);
		this.accounts = new Accounts(context, this.options, (client) => new Batcher(client, this));
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
		const spent = this.accounts.all.map((batcher) => batcher.spent).reduce(sum, NOTHING);
		return this.delivery.deliver({
			duplicates: this.duplicates,
			paused: this.accounts.paused,
			spent: spent.certain + spent.uncertain,
			isUncertain: spent.uncertain > 0,
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
		if (outcome) return 'reason' in outcome ? outcome : undefined;
		if (this.accounts.common) return undefined;
		const found = await this.accounts.of(item).catch(problemOf);
		return found instanceof Batcher ? undefined : found;
	}

	/** Settles an item that needs no lookup, and asks the question of any other. */
	private async ask(item: number): Promise<void> {
		const { refusal } = this.options;
		const local = refusal === undefined ? this.prepared[item].outcome : problemOf(refusal);
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
			return this.waitFor(found, (settled) => {
				const error = 'error' in settled ? settled.error : undefined;
				if (!error) this.duplicates++;
				// The limits of another run of a node are its own business.
				const isNotSent = error instanceof NotProcessed || error instanceof InvalidInput;
				if (isNotSent && !own) this.askWith(batcher, item);
				else this.settle(item, outcomeOf(settled), 0);
			});
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
		this.waitFor(settled, (first) => this.settle(item, outcomeOf(first), first.credits));
		batcher.add({ key, query, settle });
	}

	/** Whether a lookup is one too many for a manual run. */
	private isBeyondManualLimit(key: string): boolean {
		const { manualLimit } = this.options;
		if (!this.context.isManual || manualLimit === Number.POSITIVE_INFINITY) return false;
		const { tried: triedBy } = executionOf(this.context);
		const { name } = this.context.node;
		const tried = triedBy.get(name) ?? new Set();
		triedBy.set(name, tried);
		if (tried.size >= manualLimit && !tried.has(key)) return true;
		tried.add(key);
		return false;
	}

	private waitFor(answer: Promise<Settled>, use: (settled: Settled) => void): void {
		const waiting = answer.then((settled) => {
			this.waiting.delete(waiting);
			use(settled);
		});
		this.waiting.add(waiting);
	}

	private settle(item: number, outcome: Outcome, cost?: number | null): void {
		const prepared = this.prepared[item];
		try {
			this.delivery.settle(item, prepared, outcome, cost);
		} catch (error) {
			// A result that cannot be put in our words fails for this item alone.
			this.delivery.settle(item, prepared, problemOf(error), cost);
		}
	}
}

function outcomeOf(settled: Settled): Outcome {
	return 'error' in settled ? problemOf(settled.error) : settled.answer;
}
