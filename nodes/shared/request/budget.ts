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

	/** @param record keeps the credits spent; n8n stores it with the execution, across its waits */
	constructor(private readonly record: { creditsSpent?: unknown }) {}

	get spent(): number {
		return typeof this.record.creditsSpent === 'number' ? this.record.creditsSpent : 0;
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

	constructor(
		private readonly budget: CreditBudget,
		readonly credits: number,
		private readonly maxCredits: number,
	) {}

	/** Gives back what the request did not cost. Only the first call counts. */
	settle(spent: number): void {
		if (!this.open) return;
		this.open = false;
		this.budget.settle(this.credits, spent);
	}

	/** For a repetition: what was reserved may be spent already, so the same is reserved anew. */
	async renew(): Promise<Reservation | undefined> {
		this.settle(this.credits);
		return await this.budget.reserve(this.credits, this.maxCredits);
	}
}
