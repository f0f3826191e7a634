const SECOND = 1_000;

/** β_cubic (RFC 9438, 4.6): the part of a refused rate to go on with. TCP takes 0.7; a 429 is a milder sign than a loss. */
const BETA = 0.9;

/** C (RFC 9438, 4.2): how steeply the rate grows, in requests per second per cubed second. */
const C = 0.0015;

/** A refused rate counts as this one at least, in requests per second: a lower one would take minutes to recover. */
const LEAST_REFUSED = 1;

/**
 * How many requests may start per second, learned by CUBIC (RFC 9438) from the refusals (429) of a service whose limit
 * nobody knows and other processes may share. Requests per second take the place of TCP's window. All times are
 * milliseconds by one clock.
 */
export class CubicRate {
	/** The starts of the last second. */
	private readonly starts: number[] = [];

	/** W_max: the rate that the service refused, in requests per second; undefined before the second refusal. */
	private wMax: number | undefined;

	/** K: how long the rate takes from the refusal back to W_max, in seconds. */
	private k = 0;

	/** When the first request started after the last refusal; undefined before any refusal. */
	private epoch: number | undefined;

	private isResuming = false;

	/** When the next request may start, by the learned rate. */
	private due = 0;

	wait(now: number): number {
		return this.wMax === undefined ? 0 : Math.max(0, this.due - now);
	}

	started(now: number): void {
		this.starts.push(now);
		this.forgetStarts(now);
		if (this.isResuming) this.epoch = now;
		this.isResuming = false;
		const gap = SECOND / this.rate(now);
		// A late start may be made up for, by one request at most.
		this.due = Math.max(this.due, now - gap) + gap;
	}

	/** The service refused a request. One call per burst of refusals. */
	refused(now: number): void {
		const rate = this.rate(now);
		const isLearned = this.wMax !== undefined;
		const isAccepted = isLearned && !this.isResuming && now - (this.epoch ?? now) >= SECOND;
		// The first refusal may come from what others sent: only the next one starts an estimate.
		if (this.epoch !== undefined) {
			this.forgetStarts(now);
			const measured = Math.min(rate, this.starts.length);
			this.reduce(Math.max(LEAST_REFUSED, isLearned && !isAccepted ? rate : measured));
		}
		this.epoch ??= now;
		this.isResuming = true;
	}

	private forgetStarts(now: number): void {
		while (this.starts.length > 0 && this.starts[0] <= now - SECOND) this.starts.shift();
	}

	/** Multiplicative decrease with fast convergence (RFC 9438, 4.6 and 4.7). */
	private reduce(refused: number): void {
		const isFalling = refused < (this.wMax ?? 0);
		this.wMax = isFalling ? (refused * (1 + BETA)) / 2 : refused;
		this.k = Math.cbrt((this.wMax - refused * BETA) / C);
	}

	/** W_cubic (RFC 9438, 4.2): the most requests per second at this moment. */
	private rate(now: number): number {
		if (this.wMax === undefined) return Number.POSITIVE_INFINITY;
		const elapsed = this.isResuming ? 0 : (now - (this.epoch ?? now)) / SECOND;
		return C * (elapsed - this.k) ** 3 + this.wMax;
	}
}
