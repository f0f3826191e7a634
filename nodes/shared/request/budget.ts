interface Asking {
	credits: number;
	maxCredits: number;
	answer: (granted: boolean) => void;
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
	 * @returns false when the cap leaves no room
	 */
	async reserve(credits: number, maxCredits: number): Promise<boolean> {
		return await new Promise((answer) => {
			this.asking.push({ credits, maxCredits: maxCredits || Number.POSITIVE_INFINITY, answer });
			this.decide();
		});
	}

	/** Turns a reservation into what the request did cost. */
	settle(reserved: number, spent: number): void {
		this.reserved -= reserved;
		if (spent > 0) this.record.creditsSpent = this.spent + spent;
		this.decide();
	}

	private decide(): void {
		while (this.asking.length > 0) {
			const { credits, maxCredits, answer } = this.asking[0];
			const granted = this.spent + this.reserved + credits <= maxCredits;
			const mayChange = this.reserved > 0 && this.spent + credits <= maxCredits;
			if (!granted && mayChange) return;
			if (granted) this.reserved += credits;
			this.asking.shift();
			answer(granted);
		}
	}
}
