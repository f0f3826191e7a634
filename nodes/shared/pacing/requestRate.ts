const SECOND = 1_000;

// Tuned with simulations like those of test/unit/requestRate.test.mts, and measured by `npm run benchmark`: to be
// done again after a change. Times are milliseconds.

/** The least distance between two starts, as a part of the average one: the rest lets them make up for a delay. */
const LEAST_DISTANCE = 0.7;

/** After this time without a start, time does not count. */
const IDLE_AFTER = 2_000;

/** The part of a refused rate that the service is taken to bear. */
const RELIABLE = 0.99;

/**
 * How far below the refused rate to go on, as a part of it: where it was reached slowly; where it was refused early, or
 * only guessed; and at most, as it doubles while refusals come very early.
 */
const STEP_BACK = 0.02;
const EARLY_STEP_BACK = 0.05;
const LARGEST_STEP_BACK = 0.2;

/** The recovery: how long to stay below the refused rate, and for how many more requests. */
const RECOVERY = 30_000;
const RECOVERY_STARTS = 15;

/** The recovery lasts at least so many times what the service asks to wait beyond a second. */
const RECOVERY_PER_PAUSE = 20;

/** The recovery after a first guess: what a process gets at first is left to chance. */
const RECOVERY_FROM_GUESS = 15_000;

/** Parts of the recovery: before the first a refusal is early, before the second it tells of a far lower limit. */
const EARLY = 0.5;
const VERY_EARLY = 0.1;

/** How many requests per second are added by the time twice the recovery is over. */
const GROWTH = 400;

/** A refusal is forgotten after this multiple of the recovery. */
const FORGOTTEN = 2.4;

/** The fewest starts per second: a service that allows one per second bears it on an uneven network, too. */
const SLOWEST = 0.98;

/** By what each wait is multiplied while the first request after each pause is refused, and the longest. */
const LONGER = 3;
const LONGEST_WAIT = 27_000;

/** When a request started, in milliseconds; moved later if it left later. */
export interface Start {
	at: number;
}

/**
 * How many requests may start per second, learned from the refusals (429) of a service whose limit
 * is not known and may be shared with other processes: a little below the rate that was refused
 * at first, near it for a while, then more and more. Processes that share a limit come to share it
 * evenly, as those that send more are refused more often. The first refusal teaches nothing: it may
 * come from what others sent. All times are milliseconds.
 */
export class RequestRate {
	/** The starts of the last two seconds. */
	private readonly starts: Start[] = [];

	/** The rate that was refused, in starts per second, or a little less; undefined before the second refusal. */
	private refusedRate: number | undefined;

	/** How far below the refused rate to go on at first, as a part of it. */
	private stepBack = EARLY_STEP_BACK;

	/** How long to stay below the refused rate. */
	private recovery = RECOVERY;

	/** When the first request started after the last refusal; before that, the refusal itself. */
	private resumed: number | undefined;

	private startsSinceRefusal = 0;

	/** How many times in a row no more than one request had started since the last pause. */
	private row = 0;

	/** No request starts before. */
	private closedUntil = 0;

	/** How long to wait before the next request may start. */
	wait(now: number): number {
		const closed = this.closedUntil - now;
		const last = this.starts.at(-1);
		const rate = this.rate(now);
		if (!last || rate === Number.POSITIVE_INFINITY) return Math.max(0, closed);
		const distance = SECOND / rate;
		// Over about a second the average distance holds: what ran ahead is waited for.
		const number = Math.max(1, Math.round(rate));
		const oldest = this.starts.at(-number)?.at ?? Number.NEGATIVE_INFINITY;
		return Math.max(
			0,
			closed,
			last.at + LEAST_DISTANCE * distance - now,
			oldest + number * distance - now,
		);
	}

	/**
	 * A request starts.
	 * @returns the start, whose moment is to be corrected if the request leaves later
	 */
	started(now: number): Start {
		// Only time in which requests start tells what the service bears.
		const idle = now - (this.starts.at(-1)?.at ?? now) - IDLE_AFTER;
		if (idle > 0 && this.resumed !== undefined) this.resumed += idle;
		while (this.starts.length > 0 && this.starts[0].at <= now - 2 * SECOND) this.starts.shift();
		const start = { at: now };
		this.starts.push(start);
		if (this.startsSinceRefusal === 0 && this.resumed !== undefined) this.resumed = now;
		this.startsSinceRefusal++;
		return start;
	}

	/**
	 * The service refused a request for being too many; one call per burst of refusals.
	 * @param asked how long it asked to wait
	 */
	refused(now: number, asked = 0): void {
		let pause = SECOND;
		if (this.resumed !== undefined) {
			this.row = this.startsSinceRefusal > 1 ? 0 : this.row + 1;
			const rate = this.rate(now);
			const isGuess = rate === Number.POSITIVE_INFINITY;
			// Others take what there is: not to meet them again and again, it stays away longer each time. A rate
			// that was borne for a while is only a little too fast.
			const wasBorne = !isGuess && this.row === 0 && now - this.resumed >= SECOND;
			pause = wasBorne ? SECOND / rate : Math.min(LONGEST_WAIT, SECOND * LONGER ** this.row);
			if (isGuess) this.guess(now);
			// What is refused right after a pause says nothing of the rate.
			else if (this.row === 0) this.learn(rate, (now - this.resumed) / this.recovery);
			// The longer the pauses, the rarer they should be.
			this.recovery = Math.max(this.recovery, RECOVERY_PER_PAUSE * (asked - SECOND));
		}
		this.closedUntil = now + pause;
		this.resumed = now;
		this.startsSinceRefusal = 0;
	}

	private guess(now: number): void {
		const measured = this.starts.filter(({ at }) => at > now - SECOND).length;
		this.refusedRate = Math.max(1, measured);
		this.stepBack = EARLY_STEP_BACK;
		this.recovery = RECOVERY_FROM_GUESS;
	}

	private learn(rate: number, recovered: number): void {
		if (recovered >= EARLY) this.stepBack = STEP_BACK;
		else if (recovered >= VERY_EARLY) this.stepBack = EARLY_STEP_BACK;
		else {
			const twice = Math.max(EARLY_STEP_BACK, 2 * this.stepBack);
			this.stepBack = Math.min(LARGEST_STEP_BACK, twice);
		}
		this.refusedRate = RELIABLE * rate;
		this.recovery = RECOVERY + (RECOVERY_STARTS * SECOND) / rate;
	}

	/** The most starts per second at this moment. */
	private rate(now: number): number {
		if (this.refusedRate === undefined || this.resumed === undefined) {
			return Number.POSITIVE_INFINITY;
		}
		const recovered = (now - this.resumed) / this.recovery;
		if (recovered > FORGOTTEN) return Number.POSITIVE_INFINITY;
		// Cubic: quickly near the refused rate, long close to it, then ever faster beyond. The growth does not
		// depend on the rate, so that processes with less catch up.
		const curve = (recovered - 1) ** 3;
		const change = recovered < 1 ? this.refusedRate * this.stepBack * curve : GROWTH * curve;
		return Math.max(SLOWEST, this.refusedRate + change);
	}
}
