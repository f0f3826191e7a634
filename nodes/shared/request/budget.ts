import { spentIn, type CreditRecord, type ExecutionCredits } from './executionCredits';

interface Asking {
	credits: number;
	least: number;
	maxCredits: number;
	answer: (reservation: Reservation | undefined) => void;
}

/**
 * What one node may spend in one execution. Credits are reserved before a request and settled after
 * it, so that the cap holds with any number of requests under way.
 */
export class CreditBudget {
	private readonly asking: Asking[] = [];

	private reserved = 0;

	/**
	 * @param record counts what the node has spent
	 * @param execution counts what all nodes have spent
	 */
	constructor(
		private readonly record: CreditRecord,
		readonly execution: ExecutionCredits,
	) {}

	get spent(): number {
		return spentIn(this.record);
	}

	/**
	 * Reserves credits for a request. While the requests under way may still give credits back,
	 * it waits for them.
	 * @param maxCredits the cap; 0 for none
	 * @param least what to be content with, where the cap leaves no room for all
	 * @returns nothing when the cap leaves no room for even the least
	 */
	async reserve(
		credits: number,
		maxCredits: number,
		least = credits,
	): Promise<Reservation | undefined> {
		return await new Promise((answer) => {
			const cap = maxCredits || Number.POSITIVE_INFINITY;
			this.asking.push({ credits, least, maxCredits: cap, answer });
			this.decide();
		});
	}

	/** Turns reserved credits into what was spent of them. */
	settle(reserved: number, spent: number): void {
		this.reserved -= reserved;
		if (spent > 0) this.record.creditsSpent = this.spent + spent;
		this.decide();
	}

	private decide(): void {
		while (this.asking.length > 0) {
			const { credits, least, maxCredits, answer } = this.asking[0];
			const room = maxCredits - this.spent - this.reserved;
			const mayGrow = this.reserved > 0 && maxCredits - this.spent >= least;
			if (room < credits && mayGrow) return;
			this.asking.shift();
			const granted = room >= least ? Math.min(room, credits) : 0;
			this.reserved += granted;
			answer(granted > 0 ? new Reservation(this, granted, maxCredits) : undefined);
		}
	}
}

/** Credits set aside for one request. */
export class Reservation {
	private open = true;

	/** Whether a request is under way that may cost the credits. */
	private isSent = false;

	constructor(
		private readonly budget: CreditBudget,
		public credits: number,
		private readonly maxCredits: number,
	) {}

	/** Gives back all but so many of the credits, before a request is sent. */
	reduceTo(credits: number): void {
		this.budget.settle(this.credits - credits, 0);
		this.credits = credits;
	}

	/** A request is under way. */
	sent(): void {
		this.isSent = true;
		this.budget.execution.sent(this.credits);
	}

	/** The request did not cost anything; it may be sent again. */
	refused(): void {
		if (this.isSent) this.budget.execution.over(this.credits, 0);
		this.isSent = false;
	}

	/**
	 * Gives back what the request did not cost. Only the first call counts.
	 * @param spent if that is not known, a request that was sent counts as having cost all it may
	 */
	settle(spent?: number): void {
		if (!this.open) return;
		this.open = false;
		if (this.isSent) this.budget.execution.over(this.credits, spent);
		this.budget.settle(this.credits, spent ?? (this.isSent ? this.credits : 0));
	}

	/** For a repetition: what was reserved may be spent already, so the same is reserved anew. */
	async renew(): Promise<Reservation | undefined> {
		this.settle();
		return await this.budget.reserve(this.credits, this.maxCredits);
	}
}
