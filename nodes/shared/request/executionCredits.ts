/** Where credits spent are counted; n8n stores it with the execution, across its waits. */
export interface CreditRecord {
	creditsSpent?: unknown;
}

/** The credits that a record counts. */
export function spentIn({ creditsSpent }: CreditRecord): number {
	return typeof creditsSpent === 'number' ? creditsSpent : 0;
}

/** What a stopped execution has cost, in credits. */
export interface Costs {
	/** Spent for certain. */
	least: number;
	/** With all that requests may cost which are under way, or whose outcome is not known. */
	most: number;
	/** Whether nothing is under way any more. */
	final: boolean;
}

/**
 * The credits of one execution, all its nodes together. Once the execution is stopped it tells what
 * they come to: at once, and again whenever a request that was under way is over.
 */
export class ExecutionCredits {
	private requestsUnderWay = 0;

	/** What these requests may cost, and those whose outcome is not known. */
	private uncertain = 0;

	/**
	 * @param stop the signal that stops the execution
	 * @param tell is not to throw: in the moment of the stop that would end the process of n8n
	 */
	constructor(
		private readonly record: CreditRecord,
		private readonly stop: AbortSignal | undefined,
		private readonly tell: (costs: Costs) => void,
	) {
		stop?.addEventListener('abort', () => this.tellCosts(), { once: true });
	}

	/** A request is under way that may cost so many credits. */
	sent(credits: number): void {
		this.requestsUnderWay++;
		this.uncertain += credits;
	}

	/**
	 * A request is over that might have cost so many credits.
	 * @param spent what it did cost of them, if known
	 */
	over(credits: number, spent?: number): void {
		this.requestsUnderWay--;
		if (spent !== undefined) {
			this.uncertain -= credits;
			this.record.creditsSpent = spentIn(this.record) + spent;
		}
		if (this.stop?.aborted) this.tellCosts();
	}

	private tellCosts(): void {
		const least = spentIn(this.record);
		this.tell({ least, most: least + this.uncertain, final: this.requestsUnderWay === 0 });
	}
}
