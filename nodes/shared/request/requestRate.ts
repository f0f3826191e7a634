/** How far below the refused rate to go on. */
const STEP_BACK = 0.95;

/** The same, when refusals follow each other within {@link QUICKLY}: the rate was much too high. */
const STEP_BACK_QUICKLY = 0.8;

const QUICKLY = 3_000;

/** After how long without a refusal the rate is back where it was refused. */
const RECOVERY = 20_000;

/** Above this multiple of the refused rate, the refusal is forgotten. */
const FORGOTTEN = 10;

/** Over how long the rate is measured. */
const WINDOW = 1_000;

/** The longest time between two starts: slower than this only while the service asks for a pause. */
const LONGEST_INTERVAL = 500;

/**
 * How often requests may start, learned from the refusals (429) of a service whose limit is not
 * known and may be shared with other processes: a little below the rate that was refused at first,
 * near it for a while, then more and more. The first refusal teaches nothing: it may come from what
 * others sent. All times are milliseconds.
 */
export class RequestRate {
	/** The moments of the last starts. */
	private starts: number[] = [];

	/** Starts per millisecond that were refused, if known. */
	private refusedRate: number | undefined;

	private stepBack = STEP_BACK;

	private lastRefusal: number | undefined;

	/** When the next request may start. */
	private next = 0;

	/** How long to wait before the next request may start. */
	wait(now: number): number {
		return this.interval(now) === 0 ? 0 : Math.max(0, this.next - now);
	}

	/** A request starts. */
	started(now: number): void {
		const firstInWindow = this.starts.findIndex((start) => start > now - WINDOW);
		this.starts.splice(0, firstInWindow < 0 ? this.starts.length : firstInWindow);
		this.starts.push(now);
		// What a late timer has missed is made up for, as far as it is little.
		this.next = Math.max(this.next, now - 50) + this.interval(now);
	}

	/** The service refused a request for being too many; one call per burst of refusals. */
	refused(now: number): void {
		const measured = this.starts.filter((start) => start > now - WINDOW).length / WINDOW;
		if (this.lastRefusal !== undefined && measured > 0) {
			const interval = this.interval(now);
			this.refusedRate = interval === 0 ? measured : Math.min(1 / interval, measured * 1.1);
			const quickly = interval > 0 && now - this.lastRefusal < QUICKLY;
			this.stepBack = quickly ? STEP_BACK_QUICKLY : STEP_BACK;
		}
		this.lastRefusal = now;
	}

	/** The time between two starts at this moment; 0 for no bound. */
	private interval(now: number): number {
		if (this.refusedRate === undefined || this.lastRefusal === undefined) return 0;
		const time = (now - this.lastRefusal) / RECOVERY - 1;
		const factor = 1 + (1 - this.stepBack) * time ** 3;
		return factor > FORGOTTEN ? 0 : Math.min(LONGEST_INTERVAL, 1 / (this.refusedRate * factor));
	}
}
