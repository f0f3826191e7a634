const SECOND = 1_000;

// Tuned with simulations like those of test/unit/requestRate.test.mts, and measured by `npm run benchmark`: to be
// done again after a change. Times are milliseconds.

/** The least distance between two starts, as a part of the average one: the rest lets them make up for a delay. */
const LEAST_DISTANCE = 0.7;

/** After this time without a start, time does not count. */
const IDLE_AFTER = 2_000;

/**
 * How surprising refusals are: 0 where the service refused about the rate that it had refused before. An early or a
 * late one adds, any other takes away 1. After a first guess, what a process gets is left to chance.
 */
const SURPRISE = 1.5;
const SURPRISE_OF_GUESS = 2;
const MOST_SURPRISE = 4;

/** A refusal is early before this part of the recovery, and late above this multiple of the rate refused before. */
const EARLY = 0.3;
const LATE = 1.1;

/** How far below the refused rate to go on, as a part of it, and how much further per surprise. */
const STEP_BACK = 0.02;
const STEP_BACK_PER_SURPRISE = 0.025;

/** What is left at least, as a part, of a rate that was refused within a second. */
const LEAST_LEFT = 0.6;

/** How much further at first, until the service has forgotten what was too much. */
const DIP = 0.02;

/**
 * How long it takes to come back to the refused rate: so many seconds times the root of the rate, so that a process
 * with less catches up; the shorter, the more surprising, but the time of so many requests.
 */
const RECOVERY = 5_000;
const SHORTER_PER_SURPRISE = 0.66;
const RECOVERY_STARTS = 60;
const LONGEST_RECOVERY = 20_000;

/** The recovery lasts at least so many times what the service asks to wait beyond a second. */
const RECOVERY_PER_PAUSE = 20;

/** How many requests per second are added within 30 seconds after the recovery; after twice that, it is forgotten. */
const GROWTH = 400;
const GROWTH_TIME = 30_000;
const FORGOTTEN = 2;

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
 * at first, back at it after a while, then more and more. Refusals that surprise tell of others, or
 * of a limit that has changed: then it steps back further, and is back sooner. So processes that
 * share a limit come to share it evenly, as all grow about equally fast, but those that send more
 * step back by more. The first refusal teaches nothing: it may come from what others sent. All
 * times are milliseconds.
 */
export class RequestRate {
	/** The starts of the last two seconds. */
	private readonly starts: Start[] = [];

	/** The rate that was refused, in starts per second; undefined before the second refusal. */
	private refusedRate: number | undefined;

	private surprise = 0;

	/** How long it takes to come back to the refused rate. */
	private recovery = LONGEST_RECOVERY;

	/** Whether only what was refused waited after the last refusal. */
	private wasSlight = false;

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
	 * @returns whether the rate was only a little too high: the others need not wait
	 */
	refused(now: number, asked = 0): boolean {
		let pause = SECOND;
		let isSlight = false;
		if (this.resumed !== undefined) {
			this.row = this.startsSinceRefusal > 1 ? 0 : this.row + 1;
			const rate = this.rate(now);
			const isGuess = rate === Number.POSITIVE_INFINITY;
			isSlight = !isGuess && this.row === 0 && now - this.resumed >= SECOND;
			// Others take what there is: not to meet them again and again, it stays away longer each time.
			pause = isSlight ? SECOND / rate : Math.min(LONGEST_WAIT, SECOND * LONGER ** this.row);
			if (isGuess) this.guess(now);
			// What is refused right after a pause, or after a refusal that was slight, tells of the same excess.
			else if (this.row === 0 && (isSlight || !this.wasSlight)) this.learn(rate, now);
			// The longer the pauses, the rarer they should be.
			this.recovery = Math.max(this.recovery, RECOVERY_PER_PAUSE * (asked - SECOND));
		}
		this.wasSlight = isSlight;
		this.closedUntil = now + pause;
		this.resumed = now;
		this.startsSinceRefusal = 0;
		return isSlight;
	}

	private guess(now: number): void {
		const measured = this.starts.filter(({ at }) => at > now - SECOND).length;
		this.stepBackFrom(Math.max(1, measured), SURPRISE_OF_GUESS);
	}

	private learn(rate: number, now: number): void {
		const { refusedRate = rate, resumed = now, recovery } = this;
		const isSurprise = now - resumed < EARLY * recovery || rate > LATE * refusedRate;
		const surprise = this.surprise + (isSurprise ? SURPRISE : -1);
		if (now - resumed >= SECOND) return this.stepBackFrom(rate, surprise);
		// Within a second, what has started since tells how far the limit is from what it was.
		const started = Math.sqrt(this.startsSinceRefusal / rate);
		this.stepBackFrom(Math.max(1, rate * Math.min(1, Math.max(LEAST_LEFT, started))), surprise);
	}

	private stepBackFrom(rate: number, surprise: number): void {
		this.refusedRate = rate;
		this.surprise = Math.min(MOST_SURPRISE, Math.max(0, surprise));
		const settled = Math.max(
			Math.min(LONGEST_RECOVERY, RECOVERY * Math.sqrt(rate)),
			(RECOVERY_STARTS * SECOND) / rate,
		);
		this.recovery = settled / (1 + SHORTER_PER_SURPRISE * this.surprise);
	}

	/** The most starts per second at this moment. */
	private rate(now: number): number {
		const { refusedRate, resumed, recovery } = this;
		if (refusedRate === undefined || resumed === undefined) return Number.POSITIVE_INFINITY;
		const left = 1 - (now - resumed) / recovery;
		const beyond = Math.max(0, now - resumed - recovery) / GROWTH_TIME;
		if (beyond > FORGOTTEN) return Number.POSITIVE_INFINITY;
		const stepBack = (STEP_BACK + STEP_BACK_PER_SURPRISE * this.surprise) * left;
		const dip = DIP * Math.max(0, left) ** 3;
		return Math.max(SLOWEST, refusedRate * (1 - stepBack - dip) + GROWTH * beyond ** 3);
	}
}
