import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { type Credits, NOTHING, sum } from '../credits/ledger';
import type { Cost, Settled } from '../execution/answers';
import type { NodeContext } from '../host/context';
import { stopError } from '../output/onError';
import { Run } from '../run/run';
import { Batcher } from './batcher';
import { AT_CATCH_ALL, Delivery, type Placed } from './delivery';
import { type Outcome, type PreparedItem, prepareItem } from '../input/item';
import { keyOf, type Lookup } from './lookup';
import { Pool } from './pool';
import { isPending } from './rows';
import { NotProcessed, problemOf } from '../failures/failure';

const BEYOND_MANUAL_LIMIT: Settled = { credits: 0, error: new NotProcessed('manual_limit') };

/** From so many lookups on, a 404 for each of them is worth a warning: a wrong path gives the same. */
const MANY = 10;

/** The least time between two polls of the jobs of a run, in milliseconds, however many they are. */
const POLL_INTERVAL = 200;

/**
 * Runs a lookup over all items of the node. Identical questions are sent once, in the fewest requests, several at once,
 * while further items are still being read. Every item gets its output, whatever happens to a request.
 */
export class LookupRun<Query extends IDataObject> {
	private readonly prepared: Array<PreparedItem<Query>> = [];
	private readonly inflight = new Map<string, Inflight>();
	private readonly coming: Array<Promise<void>> = [];

	/** Responses to lookups, and how many of them were a 404. */
	readonly responses = { all: 0, notFound: 0 };

	/** How many items have the same question as another item of the execution. */
	private duplicates = 0;

	/** The domains of emails that are asked, and the items that wait for what these say of their domain. */
	private readonly domains = new Set<string>();
	private readonly waiting: Array<[item: number, batcher: Batcher<Query>]> = [];

	readonly run: Run<Batcher<Query>>;
	private readonly delivery: Delivery<Query>;
	readonly pool: Pool;

	/** The time of the latest poll that was given a turn, in milliseconds since 1970. */
	private polledAt = Number.NEGATIVE_INFINITY;

	constructor(
		private readonly context: NodeContext,
		readonly lookup: Lookup<Query>,
	) {
		this.run = new Run(
			context,
			{ ...lookup, isBought: true },
			(client) => new Batcher(client, this),
		);
		this.pool = new Pool(this.run.options.pace.maxConcurrency);
		this.delivery = new Delivery(this.run, lookup);
	}

	async items(): Promise<INodeExecutionData[]> {
		const { accounts } = this.run;
		try {
			await this.askAll();
			await this.finish();
			for (const [item, batcher] of this.waiting) {
				if (this.run.breather.isDue) await this.run.breather.breathe();
				this.askWith(batcher, item, false);
			}
			await this.finish();
		} finally {
			// Nothing more is sent, and no question stays open.
			accounts.end();
			await this.finish();
		}
		const own = accounts.all.map(({ budget }) => budget.spent).reduce(sum, NOTHING);
		const spent = this.withEarlier('', own);
		const { all, notFound } = this.responses;
		return this.delivery.deliver({
			hasOnly404: notFound >= MANY && notFound === all,
			duplicates: this.duplicates,
			paused: accounts.paused,
			spent,
			spentInAll: this.run.execution.ledger.total,
		});
	}

	private async askAll(): Promise<void> {
		const { run } = this;
		// A run that stops for an incomplete item sends nothing before it.
		const readsFirst = run.options.failsWhenIncomplete && run.onError.stops;
		await run.forEachItem(async (item) => {
			this.prepared[item] = prepareItem(this.lookup, run.parameters, item, run.options);
			const found = await this.accountOf(item);
			if (!readsFirst) this.ask(item, found);
			else if ('reason' in found) throw stopError(this.context.node, found, item);
		});
		if (!readsFirst) return;
		await run.forEachItem(async (item) => this.ask(item, await this.accountOf(item)));
	}

	private async finish(): Promise<void> {
		await Promise.all(this.run.accounts.all.map(async (batcher) => await batcher.finish()));
		await this.pool.done();
		await Promise.all(this.coming);
	}

	/** The batcher that sends an item's question, or the outcome of an item that has none. */
	private async accountOf(item: number): Promise<Batcher<Query> | Outcome> {
		return this.prepared[item].outcome ?? (await this.run.accounts.of(item).catch(problemOf));
	}

	private ask(item: number, found: Batcher<Query> | Outcome): void {
		if (found instanceof Batcher) this.askWith(found, item);
		else this.place(item, found);
	}

	/** How long the next poll of a job has to wait for its turn, in milliseconds. */
	nextPoll(): number {
		const now = Date.now();
		this.polledAt = Math.max(now, this.polledAt + POLL_INTERVAL);
		return this.polledAt - now;
	}

	/** Takes the answer that this execution has or is getting, waits for that of its domain, or sends the question. */
	private askWith(batcher: Batcher<Query>, item: number, mayWait = true): void {
		const { answers, catchAllDomains } = this.run.execution;
		const { query } = this.prepared[item];
		const { connection } = batcher.client;
		const key = keyOf(this.lookup, connection, query);
		// This run does not send a question twice, whatever came of it: it may have been charged.
		const own = this.inflight.get(key);
		if (own?.settled) return this.resolveItem(item, own.settled, false);
		if (own) return void own.items.push(item);
		const { catchAll } = this.lookup;
		const isOnce = catchAll && this.run.options.catchAllOnce;
		const domain = isOnce ? `${connection.id} ${catchAll.domainOf(query)}` : undefined;
		if (domain !== undefined && !answers.find(key, connection)) {
			if (catchAllDomains.has(domain)) return this.place(item, AT_CATCH_ALL);
			if (mayWait && this.domains.has(domain)) return void this.waiting.push([item, batcher]);
			this.domains.add(domain);
		}
		const inflight: Inflight = { key, items: [item], domain };
		this.inflight.set(key, inflight);
		const work = () =>
			new Promise<Settled>((resolve) => {
				const isTooMany = !batcher.jobOf(key) && this.isBeyondManualLimit(key);
				if (isTooMany) resolve(BEYOND_MANUAL_LIMIT);
				else batcher.ask({ key, query, resolve });
			});
		this.coming.push(this.resolveAll(inflight, answers.ask(key, connection, work)));
	}

	/** Whether a lookup exceeds Max Items in Manual Runs. */
	private isBeyondManualLimit(key: string): boolean {
		const { isTool, node } = this.context;
		const { execution, options } = this.run;
		const { manualLimit } = options;
		const { isManual, tried: triedBy } = execution;
		if (!isManual || isTool || manualLimit === Number.POSITIVE_INFINITY) return false;
		const tried = triedBy.get(node.name) ?? new Set();
		triedBy.set(node.name, tried);
		if (tried.size >= manualLimit && !tried.has(key)) return true;
		tried.add(key);
		return false;
	}

	/** Adds to an outcome what earlier tries of its question cost; to a pending one only once its job is collected. */
	private told(key: string, settled: Settled): Settled {
		if ('error' in settled && isPending(settled.error)) return settled;
		const { credits: own, isShared } = settled;
		// What an earlier try of this node has asked is no duplicate.
		const { paid } = this.run.execution;
		const isAgain = paid.size > 0 && paid.has(this.placeOf(key));
		const cost = { certain: own ?? 0, uncertain: Number(own === null) };
		const { certain, uncertain } = this.withEarlier(key, cost);
		const credits = uncertain > 0 ? null : certain;
		return { ...settled, credits, isShared: credits === 0 && !isAgain ? isShared : undefined };
	}

	/** Adds what earlier tries of this node have paid for it: Retry On Fail runs the node again with the same run index. */
	private withEarlier(what: string, cost: Credits): Credits {
		const { node, isTool } = this.context;
		if (isTool || !node.retryOnFail) return cost;
		const { paid } = this.run.execution;
		const place = this.placeOf(what);
		const total = sum(paid.get(place) ?? NOTHING, cost);
		paid.set(place, total);
		return total;
	}

	private placeOf(what: string): string {
		const { node, runIndex } = this.context;
		return `${runIndex()} ${node.name} ${what}`;
	}

	private async resolveAll(inflight: Inflight, coming: Promise<Settled>): Promise<void> {
		const { breather, execution } = this.run;
		const settled = this.told(inflight.key, await coming);
		const results = 'answer' in settled ? settled.answer.results : [];
		const isCatchAll = this.lookup.catchAll?.isCatchAll(results);
		if (inflight.domain && isCatchAll) execution.catchAllDomains.add(inflight.domain);
		// Items may join while this breathes.
		for (const [index, item] of inflight.items.entries()) {
			if (breather.isDue) await breather.breathe();
			this.resolveItem(item, settled, index === 0);
		}
		inflight.settled = settled;
	}

	/** The first item of a question pays for it, unless another node does. */
	private resolveItem(item: number, settled: Settled, isFirst: boolean): void {
		if ('answer' in settled && (!isFirst || settled.isShared)) this.duplicates++;
		const outcome = 'answer' in settled ? settled.answer : problemOf(settled.error);
		this.place(item, outcome, isFirst ? settled : { credits: 0 });
	}

	private place(item: number, outcome: Placed, cost?: Cost): void {
		const prepared = this.prepared[item];
		try {
			this.delivery.place(item, prepared, outcome, cost);
		} catch (error) {
			// A result that cannot be put in our words fails for this item alone.
			this.delivery.place(item, prepared, problemOf(error), cost);
		}
	}
}

/** A question that this run has asked, and the items that wait for its answer. */
interface Inflight {
	key: string;
	items: number[];
	/** Of which the answer may say that it is catch-all. */
	domain: string | undefined;
	/** What came of it, once no item waits any more. */
	settled?: Settled;
}
