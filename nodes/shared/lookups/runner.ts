import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import type { Answer, Settled } from '../execution/answers';
import { NotProcessed, problemOf } from '../failures/failure';
import type { NodeContext } from '../host/context';
import { digest } from '../http/connection';
import { type Prepared, prepareItem } from '../input/item';
import { stopError } from '../output/onError';
import { Run } from '../run/run';
import { atCatchAll, Delivery } from './delivery';
import { keyOf, type Lookup } from './lookup';
import { Places } from '../values/places';
import { Requests } from './requests';
import { countsOf } from './summary';

const BEYOND_MANUAL_LIMIT: Settled = { credits: 0, error: new NotProcessed('manual_limit') };

/** An item whose turn has come, with the requests of its account if it has a question. */
interface Turn<Query extends IDataObject> {
	item: number;
	prepared: Prepared<Query>;
	requests?: Requests<Query>;
}

/**
 * Runs a lookup over all items of the node. The items are read one after the other, and each then goes its own way
 * ({@link lookUp}) from its question to its place in the output, whatever happens to a request.
 */
export class LookupRun<Query extends IDataObject> {
	/** What comes of the questions of this run, each sent once: it may have been charged. */
	private readonly asked = new Map<string, Promise<Settled>>();

	/** The items that are on their way, and those that wait for what is known of their domain then. */
	private ways: Array<Promise<void>> = [];
	private later: Array<Turn<Query>> = [];

	/** The domains of emails that are asked. */
	private readonly domains = new Set<string>();

	isReading = true;
	readonly counts = countsOf();
	readonly run: Run<Requests<Query>>;
	readonly places: Places;
	private readonly delivery: Delivery<Query>;

	constructor(
		private readonly context: NodeContext,
		readonly lookup: Lookup<Query>,
	) {
		this.run = new Run(
			context,
			{ ...lookup, goesOn: true },
			(client) => new Requests(client, this),
		);
		this.places = new Places(this.run.options.pace.maxConcurrency);
		this.delivery = new Delivery(this.run, lookup, this.counts);
	}

	async items(): Promise<INodeExecutionData[]> {
		const { run } = this;
		const { accounts } = run;
		// A run that stops for an incomplete item sends nothing before it.
		const readsFirst = run.options.failsWhenIncomplete && run.onError.stops;
		const items: Array<Turn<Query>> = [];
		try {
			await run.forEachItem(async (item) => {
				const turn = await this.read(item);
				if (!readsFirst) return this.begin(turn);
				items.push(turn);
				const { outcome } = turn.prepared;
				if (outcome && 'reason' in outcome) throw stopError(this.context.node, outcome, item);
			});
			await run.forEachOf(items, (turn) => this.begin(turn));
			await this.arrived();
			const later = this.later.splice(0);
			this.isReading = true;
			await run.forEachOf(later, (turn) => this.begin(turn, false));
			await this.arrived();
		} finally {
			// Nothing more is sent, and no question stays open.
			accounts.end();
			await this.arrived();
		}
		return this.delivery.deliver();
	}

	/** Begins the way of an item. What it throws, `arrived` throws. */
	private begin(turn: Turn<Query>, mayWait?: boolean): void {
		const way = this.lookUp(turn, mayWait);
		way.catch(() => {});
		this.ways.push(way);
	}

	/** Resolves when all items have their places: what does not fill a request is sent. */
	private async arrived(): Promise<void> {
		this.isReading = false;
		for (const requests of this.run.accounts.all) requests.sendAll();
		await Promise.all(this.ways);
	}

	private async read(item: number): Promise<Turn<Query>> {
		const { run } = this;
		const prepared = prepareItem(this.lookup, run.parameters, item, run.options);
		if (prepared.outcome) return { item, prepared };
		try {
			return { item, prepared, requests: await run.accounts.of(item) };
		} catch (error) {
			return { item, prepared: { ...prepared, outcome: problemOf(error) } };
		}
	}

	/**
	 * The way of an item: its outcome is certain; or its question is asked already, by it or another item; or the execution
	 * has, or gets, the answer (`AnswerStore.ask`); or it is sent (`Requests.ask`).
	 */
	private async lookUp(turn: Turn<Query>, mayWait = true): Promise<void> {
		const { run, lookup, delivery, counts } = this;
		const { item, prepared, requests } = turn;
		const { query, outcome } = prepared;
		const { answers, catchAllDomains } = run.execution;
		if (outcome || !requests) {
			return outcome && delivery.place(item, prepared, outcome);
		}
		const { connection } = requests.client;
		const key = keyOf(lookup, connection, query);
		let asked = this.asked.get(key);
		const isFirst = asked === undefined;
		const domain = isFirst ? this.domainOf(query, connection.id) : undefined;
		const since = run.since(prepared);
		if (domain !== undefined) {
			const { [domain]: at } = catchAllDomains;
			const isKnown = () => answers.find(key, connection, since) !== undefined;
			if (at !== undefined && !isKnown()) return delivery.place(item, prepared, atCatchAll(at));
			if (mayWait && this.domains.has(domain)) return void this.later.push(turn);
			this.domains.add(domain);
		}
		asked ??= this.ask(key, prepared, requests, since);
		this.asked.set(key, asked);
		const settled = await asked;
		if (run.breather.isDue) await run.breather.breathe();
		const { results = [], at }: Partial<Answer> = 'answer' in settled ? settled.answer : {};
		const isCatchAll = domain !== undefined && lookup.catchAll?.isCatchAll(results);
		if (isCatchAll && at !== undefined) catchAllDomains[domain] = at;
		if ('answer' in settled && (!isFirst || settled.isShared)) counts.duplicates++;
		else if (settled.isEarlier) counts.earlier++;
		// The first item of a question pays for it, unless another node does.
		delivery.place(
			item,
			prepared,
			'answer' in settled ? settled.answer : problemOf(settled.error),
			isFirst ? settled : { credits: 0 },
		);
	}

	/** Asks a question that this run has not asked yet: the job that its item waits for, the execution, or the service. */
	private async ask(
		key: string,
		{ job, query }: Prepared<Query>,
		requests: Requests<Query>,
		since: number,
	): Promise<Settled> {
		const { answers, jobs } = this.run.execution;
		const { connection } = requests.client;
		if (job && !answers.find(key, connection, since)) jobs.expect(job, key, connection);
		const refusal = this.beyondManualLimit(key);
		// What is paid for is no further lookup.
		if (refusal && !jobs.of(key) && !answers.has(key)) return refusal;
		return await answers.ask(key, connection, async () => await requests.ask(key, query), since);
	}

	/** The domain of which one email is verified first. */
	private domainOf(query: Query, account: string): string | undefined {
		const { catchAll } = this.lookup;
		if (!catchAll || !this.run.options.catchAllOnce) return undefined;
		return digest([account, catchAll.domainOf(query)]);
	}

	/** What comes of a question that exceeds Max Items in Manual Runs: the first ones that this node was asked for are sent. */
	beyondManualLimit(key: string): Settled | undefined {
		const { isTool, node } = this.context;
		const { execution, options } = this.run;
		const { manualLimit } = options;
		const { isManual, tried } = execution;
		if (!isManual || isTool || manualLimit === Number.POSITIVE_INFINITY) return undefined;
		const places = tried.get(node.name) ?? new Map<string, number>();
		tried.set(node.name, places);
		const place = places.get(key) ?? places.size;
		places.set(key, place);
		return place < manualLimit ? undefined : BEYOND_MANUAL_LIMIT;
	}
}
