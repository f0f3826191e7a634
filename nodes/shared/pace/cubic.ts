const SECOND = 1_000;

// Tuned with simulations like those of test/unit/requestRate.test.mts, and measured by `npm run benchmark`: to be
// done again after a change. Times are milliseconds.

/** The least distance between two starts, as a part of the average one: the rest lets them make up for a delay. */
const LEAST_DISTANCE = 0.7;

/** After this time without a start, time does not count. */
const IDLE_AFTER = 2_000;

/**
 * A refusal surprises where it comes early, before this part of the recovery, or late, above this multiple of the rate
 * that was refused before: others share the limit, or it has changed.
 */
const EARLY = 0.3;
const LATE = 1.1;

/** What such a refusal adds to the surprise, what any other takes away, and the most. */
const SURPRISE_ADDED = 1.5;
const SURPRISE_TAKEN = 1;
const MOST_SURPRISE = 4;

/** After a first guess: what a process got until then was left to chance. */
const SURPRISE_OF_GUESS = 2;

/** How far below the refused rate to go on, as a part of it, and how much further per surprise. */
const STEP_BACK = 0.02;
const STEP_BACK_PER_SURPRISE = 0.025;

/** How much further still right after a refusal, as a part of the rate: until the service's window is over. */
const DIP = 0.02;

/** What is left at least, as a part, of a rate that was refused within a second. */
const LEAST_LEFT = 0.6;

/**
 * How long it takes to come back to the refused rate if nothing surprised: this times the root of the rate, so that of
 * two processes the one with less catches up; no more than that; but at least the time of so many requests.
 */
const RECOVERY = 5_000;
const LONGEST_BY_ROOT = 20_000;
const RECOVERY_STARTS = 60;

/** By what a surprise divides the recovery, beyond 1. */
const SHORTER_PER_SURPRISE = 0.66;

/** Where the service asks to wait, the recovery lasts at least so many times that and a second more. */
const RECOVERY_PER_PAUSE = 20;

/** The recovery lasts at least so long once two pauses were too short, until one was over before the next refusal. */
const RECOVERY_IF_SHORT = 30_000;

/** After the recovery the rate grows with the cube of the time, too: by so many starts per second in such a time. */
const GROWTH = 400;
const GROWTH_TIME = 30_000;

/** After so many times that, a refusal is forgotten. */
const FORGOTTEN = 2;

/** The fewest starts per second: a service that allows one per second bears it on an uneven network, too. */
const SLOWEST = 0.98;

/** By what each wait is multiplied while the first request after each pause is refused, and the longest. */
const LONGER = 3;
const LONGEST_WAIT = 27_000;

/** When a request started, by `performance.now()`; moved later if it left later. */
export interface Start {
	at: number;
}

/**
 * How many requests may start per second, learned from the refusals (429) of a service whose limit
 * is not known and may be shared with other processes: a little below the rate that was refused at
 * first, back at it after a while in a straight line, then more and more. The more the refusals
 * surprise, the further it steps back, and the sooner it is back. So processes that share a limit
 * come to share it about evenly: who sends more steps back by more, and who sends less comes back
 * sooner. The first refusal teaches nothing: it may come from what others sent. All times are
 * milliseconds.
 */
export class RequestRate {
	/** The starts of the last two seconds. */
	private readonly starts: Start[] = [];

	/** The rate that was refused, in starts per second; undefined before the second refusal. */
	private refusedRate: number | undefined;

	/** How surprising the last refusals were: 0 where all were refused at about the same rate. */
	private surprise = 0;

	/** How long it takes to come back to the refused rate. */
	private recovery = 0;

	/** Whether the rate that was refused last had been borne for a second. */
	private wasBorne = false;

	/** When the first request started after the last refusal; before that, the refusal itself. */
	private resumed: number | undefined;

	private startsSinceRefusal = 0;

	/** How many times in a row no more than one request had started since the last pause. */
	private row = 0;

	/**
	 * How many pauses were too short, as the first request after them was refused: once may be chance, more tell that the
	 * service counts over a longer time.
	 */
	private shortPauses = 0;

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
	 * @param asked how long it asked to wait, 0 if it did not
	 * @returns whether the rate had been borne for a second, and is only a little too high
	 */
	refused(now: number, asked = 0): boolean {
		let pause = SECOND;
		let isBorne = false;
		if (this.resumed !== undefined) {
			this.row = this.startsSinceRefusal > 1 ? 0 : this.row + 1;
			const rate = this.rate(now);
			const isGuess = rate === Number.POSITIVE_INFINITY;
			const elapsed = now - this.resumed;
			isBorne = !isGuess && this.row === 0 && elapsed >= SECOND;
			if (this.row > 0) this.shortPauses++;
			// Where the first request after each pause is refused, others take what there is: it stays away longer each
			// time. A rate that was borne needs no pause.
			pause = isBorne ? SECOND / rate : Math.min(LONGEST_WAIT, SECOND * LONGER ** this.row);
			// What is refused right after a pause, or within a second after a rate that was borne, tells of the same excess.
			const isSameExcess = this.row > 0 || (this.wasBorne && !isBorne);
			if (isGuess) this.guess(now);
			else if (!isSameExcess) this.learn(rate, elapsed);
			// The longer the pauses, the rarer they should be.
			const byPause = asked > 0 ? RECOVERY_PER_PAUSE * (asked + SECOND) : 0;
			const byShortPauses = this.shortPauses > 1 ? RECOVERY_IF_SHORT : 0;
			this.recovery = Math.max(this.recovery, byPause, byShortPauses);
		}
		this.wasBorne = isBorne;
		this.closedUntil = now + pause;
		this.resumed = now;
		this.startsSinceRefusal = 0;
		return isBorne;
	}

	private guess(now: number): void {
		const measured = this.starts.filter(({ at }) => at > now - SECOND).length;
		this.stepBackFrom(measured, SURPRISE_OF_GUESS);
	}

	/** @param elapsed since the first request after the last refusal */
	private learn(rate: number, elapsed: number): void {
		const { refusedRate = rate, recovery } = this;
		const isSurprise = elapsed < EARLY * recovery || rate > LATE * refusedRate;
		if (elapsed >= recovery) this.shortPauses = 0;
		const surprise = this.surprise + (isSurprise ? SURPRISE_ADDED : -SURPRISE_TAKEN);
		// Of a rate that was refused within a second, what had started by then tells more. It may have been chance, too:
		// so the mean (geometric) of both.
		const started = Math.min(rate, this.startsSinceRefusal);
		const mean = Math.sqrt(started * rate);
		this.stepBackFrom(elapsed < SECOND ? Math.max(LEAST_LEFT * rate, mean) : rate, surprise);
	}

	private stepBackFrom(rate: number, surprise: number): void {
		this.refusedRate = Math.max(1, rate);
		this.surprise = Math.min(MOST_SURPRISE, Math.max(0, surprise));
		const settled = Math.max(
			Math.min(LONGEST_BY_ROOT, RECOVERY * Math.sqrt(this.refusedRate)),
			(RECOVERY_STARTS * SECOND) / this.refusedRate,
		);
		this.recovery = settled / (1 + SHORTER_PER_SURPRISE * this.surprise);
	}

	/** The most starts per second at this moment. */
	private rate(now: number): number {
		const { refusedRate, resumed, recovery } = this;
		if (refusedRate === undefined || resumed === undefined) return Number.POSITIVE_INFINITY;
		// After the recovery less than nothing: the straight line goes on upwards.
		const left = 1 - (now - resumed) / recovery;
		const beyond = Math.max(0, now - resumed - recovery) / GROWTH_TIME;
		if (beyond > FORGOTTEN) return Number.POSITIVE_INFINITY;
		const stepBack = (STEP_BACK + STEP_BACK_PER_SURPRISE * this.surprise) * left;
		const dip = DIP * Math.max(0, left) ** 3;
		return Math.max(SLOWEST, refusedRate * (1 - stepBack - dip) + GROWTH * beyond ** 3);
	}
}
