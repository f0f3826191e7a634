import type { IDataObject } from 'n8n-workflow';

import type { Purse } from '../credits/budget';
import { joinSpending, type Spending } from '../credits/spending';
import type { NodeContext } from '../n8n/nodeContext';
import { budgetOf, jobsOf, settleJob } from '../sending/execution';
import { NotProcessed } from '../sending/notProcessed';
import type { Run } from '../sending/run';
import { Runs } from '../sending/runs';
import { CREDITS_OF, type Lookup } from './lookup';
import type { LookupOptions } from './lookupOptions';
import { Places } from './places';
import { openPurse } from './purse';
import { Sender } from './sender';
import { serviceOf } from './service';

/** What sends the questions of one run of a node: for each account that its items belong to, one. */
export class Senders<Query extends IDataObject> {
	private readonly senders = new Map<Run, Sender<Query>>();

	/** What is paid with at each account, once it is needed. */
	private readonly purses = new Map<Run, Promise<Purse>>();

	private readonly spendings: Spending[] = [];

	private readonly runs: Runs;

	private readonly places: Places;

	constructor(
		private readonly context: NodeContext,
		private readonly lookup: Lookup<Query>,
		private readonly options: LookupOptions,
	) {
		this.runs = new Runs(context, options);
		this.places = new Places(options.pace.maxConcurrency);
		context.signal?.addEventListener('abort', this.wake, { once: true });
	}

	/** The sender for every item, once it is known that they all belong to one account. */
	get common(): Sender<Query> | undefined {
		return this.runs.common && this.senders.get(this.runs.common);
	}

	/** Whether all items are known to belong to one account. */
	get hasOneAccount(): boolean {
		return this.runs.common !== undefined;
	}

	/** The sender for an item; throws a `ServiceError` if there is no account that can be used. */
	async of(item: number): Promise<Sender<Query>> {
		const run = await this.runs.of(item);
		const sender = this.senders.get(run) ?? this.senderOf(run);
		this.senders.set(run, sender);
		return sender;
	}

	/** What is paid with at the account of an item; throws where Keep Credits cannot watch over it. */
	async purseOf(item: number): Promise<Purse> {
		return await this.purse(await this.runs.of(item));
	}

	private async purse(run: Run): Promise<Purse> {
		const opened = this.purses.get(run) ?? this.openPurse(run);
		this.purses.set(run, opened);
		return await opened;
	}

	private async openPurse(run: Run): Promise<Purse> {
		const spending = joinSpending(run.connection.account);
		this.spendings.push(spending);
		const account = { spending, kind: CREDITS_OF[this.lookup.kind] };
		return await openPurse(run, account, this.options, this.context.signal);
	}

	private senderOf(run: Run): Sender<Query> {
		const { context, lookup, options } = this;
		const isBulk = lookup.perRequest > 1;
		// A single lookup does not wait for the job of a bulk request that may have its answer.
		const jobTimeout = isBulk ? options.jobTimeout : 0;
		return new Sender({
			lookup,
			connection: run.connection,
			service: (reservation) => serviceOf(lookup, run, { isBulk, jobTimeout, reservation }),
			budget: budgetOf(context),
			purse: async () => await this.purse(run),
			jobs: jobsOf(context),
			origin: { node: context.node.name, executionId: context.executionId },
			settleJob: (job, spent, uncertain) => settleJob(context, job, spent, uncertain),
			places: this.places,
		});
	}

	/** How long the service made the run wait, in milliseconds. */
	get paused(): number {
		return this.runs.paused;
	}

	/** Sends what is left, and waits until every question is settled. */
	async finish(): Promise<void> {
		await Promise.all([...this.senders.values()].map(async (sender) => await sender.finish()));
	}

	/** The run is over, whatever ended it: nothing more is sent, and no question stays open. */
	async end(): Promise<void> {
		this.runs.end();
		const reason = new NotProcessed('stopped');
		const senders = [...this.senders.values()];
		await Promise.all(senders.map(async (sender) => await sender.giveUp(reason)));
		this.context.signal?.removeEventListener('abort', this.wake);
		for (const spending of this.spendings) spending.leave();
	}

	/** Who waits for credits is not to wait any longer. */
	private readonly wake = () => {
		for (const spending of this.spendings) spending.wake();
	};
}
