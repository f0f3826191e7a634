/** Over how long starts are counted: a second, and a little more because the network is uneven. */
const WINDOW = 1_020;

/** In which part of the window all starts that it may hold can follow each other. */
const SPREAD = 1 / 16;

/** How much of the refused number to go on with. */
const STEP_BACK = 0.95;

/** How long to stay below what was refused: this, and the time that so many requests take. */
const RECOVERY = 30_000;
const RECOVERY_STARTS = 15;

/** The same for a number that was only measured: what a process gets at first is left to chance. */
const RECOVERY_FROM_GUESS = 6_000;

/** How fast the number grows where nothing is refused any more. */
const GROWTH = 20;

/** Above this multiple of the refused number, the refusal is forgotten. */
const FORGOTTEN = 10;

/** The longest wait where the first request after each pause is refused. */
const LONGEST_WAIT = 16_000;

/**
 * How many requests may start per second, learned from the refusals (429) of a service whose limit
 * is not known and may be shared with other processes: a little below the number that was refused
 * at first, near it for a while, then more and more. Processes that share a limit come to share it
 * evenly, as those that send more are refused more often. The first refusal teaches nothing: it may
 * come from what others sent. All times are milliseconds.
 */
export class RequestRate {
	/** The moments of the starts in the last window. */
	private readonly starts: number[] = [];

	/** How many starts within a window were refused, if known. */
	private refusedNumber: number | undefined;

	/** How long to stay below the refused number. */
	private recovery = RECOVERY;

	/** When the first request started after the last refusal; before that, the refusal itself. */
	private resumed: number | undefined;

	private startsSinceRefusal = 0;

	/** How many times in a row the first request after a pause was refused. */
	private row = 0;

	/** No request starts before. */
	private closedUntil = 0;

	/** How long to wait before the next request may start. */
	wait(now: number): number {
		const closed = this.closedUntil - now;
		const number = this.number(now);
		const last = this.starts.at(-1);
		if (last === undefined || number === Number.POSITIVE_INFINITY) return Math.max(0, closed);
		const spread = last + (WINDOW / number) * SPREAD - now;
		const oldest = this.starts.at(-number) ?? Number.NEGATIVE_INFINITY;
		return Math.max(0, closed, spread, oldest + WINDOW - now);
	}

	/** A request starts. */
	started(now: number): void {
		while (this.starts.length > 0 && this.starts[0] <= now - WINDOW) this.starts.shift();
		this.starts.push(now);
		if (this.startsSinceRefusal === 0 && this.resumed !== undefined) this.resumed = now;
		this.startsSinceRefusal++;
	}

	/** The service refused a request for being too many; one call per burst of refusals. */
	refused(now: number): void {
		if (this.resumed !== undefined) {
			this.row = this.startsSinceRefusal > 1 ? 0 : this.row + 1;
			const measured = this.starts.filter((start) => start > now - WINDOW).length;
			const number = this.number(now);
			const guess = number === Number.POSITIVE_INFINITY;
			this.refusedNumber = guess ? Math.max(1, measured) : number;
			this.recovery = guess
				? RECOVERY_FROM_GUESS
				: RECOVERY + (RECOVERY_STARTS * WINDOW) / this.refusedNumber;
		}
		// Others take what there is: not to meet them again and again, it stays away longer each time.
		this.closedUntil = now + Math.min(LONGEST_WAIT, 1_000 * 2 ** this.row);
		this.resumed = now;
		this.startsSinceRefusal = 0;
	}

	/** The most starts within a window at this moment. */
	private number(now: number): number {
		if (this.refusedNumber === undefined || this.resumed === undefined) {
			return Number.POSITIVE_INFINITY;
		}
		const time = (now - this.resumed) / this.recovery - 1;
		// Cubic: quickly near the refused number, long close to it, then ever faster beyond. Below it, at least
		// one less.
		const curve = (time < 0 ? 1 - STEP_BACK : GROWTH) * time ** 3;
		if (1 + curve > FORGOTTEN) return Number.POSITIVE_INFINITY;
		if (time >= 0) return Math.floor(this.refusedNumber * (1 + curve));
		return Math.max(1, Math.ceil(this.refusedNumber * (1 + curve)) - 1);
	}
}
