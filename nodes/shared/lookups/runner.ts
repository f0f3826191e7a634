import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import type { Settled } from '../execution/answers';
import { problemOf } from '../failures/failure';
import type { NodeContext } from '../host/context';
import { type Prepared, prepareItem } from '../input/item';
import { stopError } from '../output/onError';
import { Run } from '../run/run';
import { Delivery } from './delivery';
import { keyOf, type Lookup } from './lookup';
import { Places } from '../values/places';
import { Requests } from './requests';

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

	/** The items that are on their way. */
	private ways: Array<Promise<void>> = [];

	isReading = true;
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
		this.delivery = new Delivery(this.run, lookup);
	}

	async items(): Promise<INodeExecutionData[]> {
		const { run } = this;
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
			for (const turn of items) {
				if (run.breather.isDue) await run.breather.breathe();
				this.begin(turn);
			}
			await this.arrived();
		} finally {
			// Nothing more is sent, and no question stays open.
			run.accounts.end();
			await this.arrived();
		}
		return this.delivery.deliver();
	}

	/** Begins the way of an item. What it throws, `arrived` throws. */
	private begin(turn: Turn<Query>): void {
		const way = this.lookUp(turn);
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
	private async lookUp({ item, prepared, requests }: Turn<Query>): Promise<void> {
		const { run, lookup, delivery } = this;
		const { query, outcome } = prepared;
		if (outcome) return delivery.place(item, prepared, outcome);
		if (!requests) return;
		const key = keyOf(lookup, requests.client.connection, query);
		let asked = this.asked.get(key);
		const isFirst = asked === undefined;
		asked ??= this.ask(key, prepared, requests, run.since(prepared));
		this.asked.set(key, asked);
		const settled = await asked;
		if (run.breather.isDue) await run.breather.breathe();
		if ('answer' in settled && (!isFirst || settled.isShared)) run.counts.duplicates++;
		else if (settled.isEarlier) run.counts.earlier++;
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
		const isPaid = jobs.of(key) !== undefined || answers.has(key);
		const refusal = isPaid ? undefined : this.run.beyondManualLimit(key);
		if (refusal) return refusal;
		return await answers.ask(key, connection, async () => await requests.ask(key, query), since);
	}
}
