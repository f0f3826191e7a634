import type { Failure } from '../failures/failure';

/** Why a run no longer waits for the rate limit; times are in milliseconds since 1970. */
export interface GivenUp {
	cause: Failure;
	/** Until when the service asks to wait, if it says so. */
	until: number | undefined;
	/** Since when it has accepted nothing of the run; infinite if nothing was refused yet. */
	since: number;
}

/** The requests of one run of a node that wait at the gate of its account. */
export class Lane {
	readonly waiting: Array<(start?: number) => void> = [];
	inProgress = 0;

	/** When the first of its requests was refused since one was accepted, by `performance.now()`. */
	refusedSince = Number.POSITIVE_INFINITY;

	/** Why the run has given up. */
	givenUp: GivenUp | undefined;

	constructor(
		readonly maxConcurrency: number,
		readonly maxWait: number,
	) {}

	/** When the run gives up, by `performance.now()`, unless one of its requests is accepted before. */
	get deadline(): number {
		return this.refusedSince + this.maxWait;
	}

	get isReady(): boolean {
		return this.waiting.length > 0 && this.inProgress < this.maxConcurrency;
	}

	/** Sends all waiting requests away: none of them starts. */
	turnAway(): void {
		for (const enter of this.waiting.splice(0)) enter();
	}
}
