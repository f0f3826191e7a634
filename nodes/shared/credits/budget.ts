import { Queue } from '../values/queue';
import type { CreditKind } from './account';
import type { CreditCount, ExecutionCredits } from './executionCredits';
import type { Floor } from './floor';
import type { Spending } from './spending';

/** What one run of a node pays with at one account. All figures are credits. */
export interface Purse {
	/** The most that the node may spend; infinite for no cap. */
	cap: number;
	/** What is to stay in the account, if anything. */
	floor?: Floor;
	/** What the process spends of the account. */
	spending: Spending;
	kind: CreditKind;
	/** Stops the execution: nothing is granted after it. */
	signal?: AbortSignal;
}

/** Why no credits are granted. */
export type Refusal = 'cancelled' | 'credit_limit' | 'credit_floor';

interface Waiting {
	credits: number;
	least: number;
	purse: Purse;
	decided: (granted: number | Refusal) => void;
}

/**
 * What one node may spend in one execution. Credits are reserved before a request and settled after
 * it, so that the cap and the floor of the account hold with any number of requests in progress.
 */
export class CreditBudget {
	/** Who waits, by the account: nobody waits for the credits of another one. */
	private readonly waiting = new Map<Spending, Queue<Waiting>>();

	private reserved = 0;

	/** The part of it that bulk jobs hold, which may go on for long. */
	private held = 0;

	/** What counts as spent and may turn out not to be: jobs that are being collected. */
	private open = 0;

	/** What was counted as spent in this process so far, whatever it turned out to be later. */
	readonly counted = { credits: 0, uncertain: 0 };

	/**
	 * @param count of what the node has spent
	 * @param execution counts what all nodes have spent
	 * @param node its name
	 */
	constructor(
		private readonly count: CreditCount,
		readonly execution: ExecutionCredits,
		readonly node: string,
	) {}

	get spent(): number {
		return this.count.spent;
	}

	/**
	 * Reserves credits for a request. While requests in progress may still give credits back, it waits for
	 * them.
	 * @param least what to be content with, where there is no room for all
	 * @returns why there is no room for even the least
	 */
	async reserve(credits: number, purse: Purse, least = credits): Promise<Reservation | Refusal> {
		const granted = await this.grant(credits, purse, least);
		return typeof granted === 'number' ? new Reservation(this, granted, purse) : granted;
	}

	/** The same, for who holds a reservation already. */
	async grant(credits: number, purse: Purse, least: number): Promise<number | Refusal> {
		return await new Promise((decided) => {
			const queue = this.waiting.get(purse.spending) ?? new Queue<Waiting>();
			this.waiting.set(purse.spending, queue);
			queue.add({ credits, least, purse, decided });
			this.decideOn(queue);
		});
	}

	/** Turns reserved credits into what was spent of them. */
	settle(reserved: number, spent: number, { spending, kind }: Purse): void {
		this.reserved -= reserved;
		if (spent > 0) this.count.add(spent);
		this.counted.credits += spent;
		spending.settle(kind, reserved, spent);
		this.decide();
	}

	/**
	 * Reserved credits belong to a bulk job: who has room for a part is not to wait for the rest.
	 * @returns is to be called when the job is over
	 */
	hold(credits: number): () => void {
		this.held += credits;
		this.decide();
		return () => {
			this.held -= credits;
		};
	}

	/**
	 * Credits that count as spent may turn out not to be: who has no room under the cap waits until then.
	 * @returns is to be called when that is known
	 */
	reopen(credits: number): () => void {
		this.open += credits;
		return () => {
			this.open -= credits;
			this.decide();
		};
	}

	/**
	 * What was counted as spent in full turns out to be less. That gives no floor any room: it may have been
	 * read since, from a counter that knew.
	 */
	correct(counted: number, spent: number, uncertain: number): void {
		this.count.add(spent + uncertain - counted);
		this.execution.turnedOut(this.node, counted, spent, uncertain);
		this.decide();
	}

	private readonly decide = () => {
		for (const queue of this.waiting.values()) this.decideOn(queue);
	};

	private decideOn(queue: Queue<Waiting>): void {
		for (let [next] = queue.peek(1); next; [next] = queue.peek(1)) {
			const { purse, decided } = next;
			const granted = this.decisionOn(next);
			if (granted === 'wait') {
				// Other nodes, and other workflows, give credits back as well.
				if (purse.floor) purse.spending.whenFreed(this.decide);
				return;
			}
			queue.take(1);
			if (typeof granted === 'number') {
				this.reserved += granted;
				purse.spending.reserve(purse.kind, granted);
			}
			decided(granted);
		}
	}

	/** How many credits there are for a request, why there are none, or that this is still open. */
	private decisionOn({ credits, least, purse }: Waiting): number | Refusal | 'wait' {
		const { cap, floor, signal } = purse;
		if (signal?.aborted) return 'cancelled';
		const mostByCap = cap - this.spent;
		const byCap = mostByCap - this.reserved;
		const byFloor = floor?.room ?? Number.POSITIVE_INFINITY;
		const mostByFloor = floor?.mostRoomOf(this) ?? Number.POSITIVE_INFINITY;
		if (mostByCap + this.open < least) return 'credit_limit';
		if (mostByFloor < least) return 'credit_floor';
		// The node's own requests are soon over; what others do with the account may go on for long.
		const maySoonGrow = byCap < credits && byCap < mostByCap - this.held;
		const mayGrow = maySoonGrow || byCap < least || byFloor < least;
		return mayGrow ? 'wait' : Math.min(credits, byCap, byFloor);
	}
}

/** Credits set aside for one request. */
export class Reservation {
	private isOpen = true;

	/** Whether a request is in progress that may cost the credits. */
	private isSent = false;

	private isCorrected = false;

	private releaseJob: (() => void) | undefined;

	/** Whether what was reserved at first may have been spent as well. */
	isRenewed = false;

	constructor(
		private readonly budget: CreditBudget,
		private readonly reserved: number,
		private readonly purse: Purse,
	) {}

	get credits(): number {
		return this.reserved;
	}

	/** A request is in progress. */
	sent(): void {
		this.isSent = true;
		this.budget.execution.sent(this.reserved);
	}

	/** The service has made a bulk job of the request: others are not to wait for what it may give back. */
	accepted(): void {
		const { isOpen, budget: owner, purse, reserved: credits } = this;
		if (!isOpen || this.releaseJob) return;
		const releases = [
			purse.spending.hold({ owner, kind: purse.kind, credits }),
			owner.hold(credits),
		];
		this.releaseJob = () => releases.forEach((release) => release());
	}

	/** The request did not cost anything; it may be sent again. */
	refused(): void {
		if (this.isSent) this.budget.execution.over(this.budget.node, this.reserved, 0);
		this.isSent = false;
	}

	/**
	 * Gives back what the request did not cost. Only the first call counts.
	 * @param spent if that is not known, a request that was sent counts as having cost all it may
	 * @param uncertain what it may have cost besides; it counts as spent
	 */
	settle(spent?: number, uncertain = 0): void {
		if (!this.isOpen) return;
		this.isOpen = false;
		this.releaseJob?.();
		const { reserved, isSent, budget, purse } = this;
		if (isSent) budget.execution.over(budget.node, reserved, spent, uncertain);
		if (isSent) budget.counted.uncertain += spent === undefined ? reserved : uncertain;
		budget.settle(reserved, (spent ?? (isSent ? reserved : 0)) + uncertain, purse);
	}

	/**
	 * What the request did cost, where that is known only after it was settled. Only the first call counts.
	 * @param uncertain what it may have cost besides
	 */
	correct(spent: number, uncertain = 0): void {
		if (this.isCorrected) return;
		this.isCorrected = true;
		this.budget.correct(this.reserved, spent, uncertain);
	}

	/**
	 * For a request that is sent again though it may have been charged: what was reserved counts as
	 * spent, and as much is reserved again.
	 * @returns false when there is no room for that
	 */
	async renew(): Promise<boolean> {
		this.settle();
		this.isRenewed = true;
		const { reserved, purse } = this;
		this.isOpen = (await this.budget.grant(reserved, purse, reserved)) === reserved;
		this.isSent = false;
		return this.isOpen;
	}
}
