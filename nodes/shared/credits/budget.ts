import { Queue } from '../values/queue';
import type { CreditCount, ExecutionCredits } from './executionCredits';

interface Waiting {
	credits: number;
	least: number;
	cap: number;
	grant: (credits: number) => void;
}

/**
 * What one node may spend in one execution. Credits are reserved before a request and settled after
 * it, so that the cap holds with any number of requests in progress.
 */
export class CreditBudget {
	private readonly waiting = new Queue<Waiting>();

	private reserved = 0;

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
	 * Reserves credits for a request. While the requests in progress may still give credits back,
	 * it waits for them.
	 * @param cap the most that the node may spend; infinite for no cap
	 * @param least what to be content with, where the cap leaves no room for all
	 * @returns nothing when the cap leaves no room for even the least
	 */
	async reserve(credits: number, cap: number, least = credits): Promise<Reservation | undefined> {
		const granted = await this.grant(credits, cap, least);
		return granted > 0 ? new Reservation(this, granted, cap) : undefined;
	}

	/** The same, as a number: how many credits are reserved, 0 for none. */
	async grant(credits: number, cap: number, least: number): Promise<number> {
		return await new Promise((grant) => {
			this.waiting.add({ credits, least, cap, grant });
			this.decide();
		});
	}

	/** Turns reserved credits into what was spent of them. */
	settle(reserved: number, spent: number): void {
		this.reserved -= reserved;
		if (spent > 0) this.count.add(spent);
		this.counted.credits += spent;
		this.decide();
	}

	/** What was counted as spent in full turns out to be less. */
	correct(counted: number, spent: number, uncertain: number): void {
		this.count.add(spent + uncertain - counted);
		this.execution.turnedOut(counted, spent, uncertain);
		this.decide();
	}

	private decide(): void {
		for (let [next] = this.waiting.peek(1); next; [next] = this.waiting.peek(1)) {
			const { credits, least, cap, grant } = next;
			const room = cap - this.spent - this.reserved;
			const mayGrow = this.reserved > 0 && cap - this.spent >= least;
			if (room < credits && mayGrow) return;
			this.waiting.take(1);
			const granted = room >= least ? Math.min(room, credits) : 0;
			this.reserved += granted;
			grant(granted);
		}
	}
}

/** Credits set aside for one request. */
export class Reservation {
	private isOpen = true;

	/** Whether a request is in progress that may cost the credits. */
	private isSent = false;

	private isCorrected = false;

	/** Whether what was reserved at first may have been spent as well. */
	isRenewed = false;

	constructor(
		private readonly budget: CreditBudget,
		private readonly reserved: number,
		private readonly cap: number,
	) {}

	get credits(): number {
		return this.reserved;
	}

	/** A request is in progress. */
	sent(): void {
		this.isSent = true;
		this.budget.execution.sent(this.reserved);
	}

	/** The request did not cost anything; it may be sent again. */
	refused(): void {
		if (this.isSent) this.budget.execution.over(this.reserved, 0);
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
		const { reserved, isSent, budget } = this;
		if (isSent) budget.execution.over(reserved, spent, uncertain);
		if (isSent) budget.counted.uncertain += spent === undefined ? reserved : uncertain;
		budget.settle(reserved, (spent ?? (isSent ? reserved : 0)) + uncertain);
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
	 * @returns false when the cap leaves no room for that
	 */
	async renew(): Promise<boolean> {
		this.settle();
		this.isRenewed = true;
		const { reserved, cap } = this;
		const granted = await this.budget.grant(reserved, cap, reserved);
		this.isOpen = granted > 0;
		this.isSent = false;
		return this.isOpen;
	}
}
