/** Where credits spent are counted; n8n stores it with the execution, across its waits. */
export interface CreditRecord {
	creditsSpent?: unknown;
	/** The execution that counted: n8n hands a copy of the record to a retry, which counts anew. */
	creditsSpentBy?: unknown;
}

/** The credits that one execution has spent, as one of its records counts them. */
export class CreditCount {
	constructor(
		private readonly record: CreditRecord,
		private readonly executionId: string,
	) {}

	get spent(): number {
		const { creditsSpent, creditsSpentBy } = this.record;
		return typeof creditsSpent === 'number' && creditsSpentBy === this.executionId
			? creditsSpent
			: 0;
	}

	add(credits: number): void {
		this.record.creditsSpent = this.spent + credits;
		this.record.creditsSpentBy = this.executionId;
	}
}

/** What an execution has cost so far, in credits. */
export interface Costs {
	/** Spent for certain. */
	least: number;
	/** With all that requests may cost which are in progress, or whose outcome is not known. */
	most: number;
	/** Whether the execution was stopped and nothing is in progress any more. */
	isLast: boolean;
}

/**
 * The credits of one execution, all its nodes together. It tells what they come to whenever that
 * changes, and once more in the moment in which the execution is stopped.
 */
export class ExecutionCredits {
	private requestsInProgress = 0;

	/** What these requests may cost, and those whose outcome is not known. */
	private uncertain = 0;

	/**
	 * @param stop the signal that stops the execution
	 * @param tell is not to throw: in the moment of the stop that would end the process of n8n
	 */
	constructor(
		private readonly count: CreditCount,
		private readonly stop: AbortSignal | undefined,
		private readonly tell: (costs: Costs) => void,
	) {
		stop?.addEventListener('abort', () => this.tellCosts(), { once: true });
	}

	/** A request is in progress that may cost so many credits. */
	sent(credits: number): void {
		this.requestsInProgress++;
		this.uncertain += credits;
	}

	/**
	 * A request is over that might have cost so many credits.
	 * @param spent what it did cost of them, if known
	 * @param uncertain what it may have cost besides
	 */
	over(credits: number, spent?: number, uncertain = 0): void {
		this.requestsInProgress--;
		if (spent !== undefined) {
			this.uncertain -= credits - uncertain;
			if (spent > 0) this.count.add(spent);
		}
		// As long as nothing is spent for certain, what is in progress may turn out to be free.
		const isCertain = this.count.spent > 0 || this.requestsInProgress === 0;
		if (isCertain || this.stop?.aborted) this.tellCosts();
	}

	/** The cost of a request that is over turns out to be known. */
	turnedOut(credits: number, spent: number): void {
		this.uncertain -= credits;
		this.count.add(spent);
		this.tellCosts();
	}

	private tellCosts(): void {
		const least = this.count.spent;
		const isLast = this.stop?.aborted === true && this.requestsInProgress === 0;
		this.tell({ least, most: least + this.uncertain, isLast });
	}
}
