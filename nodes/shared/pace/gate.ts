import { sleep } from 'n8n-workflow';

import { Queue } from '../values/queue';
import { CubicRate } from './cubic';

/** Above this many requests at once, the gate forgets that a 429 ever halved them. */
const FULLY_OPEN = 64;

/** After so long without a run, the gate of an account is forgotten, in milliseconds. */
const FORGOTTEN_AFTER = 10 * 60_000;

/**
 * The gate of one account, through which every request of this process passes, whichever node or
 * workflow sends it. Runs take turns; a 429 slows all of them down.
 */
export class AccountGate {
	/** The runs that use the account, the one whose turn is next first. */
	private readonly lanes = new Set<Lane>();

	/** The highest Max Concurrency of these runs: the most requests at once. */
	private most = 0;

	private inProgress = 0;

	/** How many requests at once the service accepts, as far as a 429 has shown. */
	private accepted = Number.POSITIVE_INFINITY;

	private readonly rate = new CubicRate();

	/** Whether a timer is set for the moment when the next request may start. */
	private isTimed = false;

	/** Pauses for all that are not over. */
	private pauses = 0;

	/** When the last refusal came that was not part of a burst, by `performance.now()`. */
	private refusedAt = Number.NEGATIVE_INFINITY;

	idleSince = 0;

	constructor(readonly account: string) {}

	/**
	 * Opens a lane for one run of a node, until {@link close}.
	 * @param maxConcurrency the most requests at once that the run's options allow
	 */
	join(maxConcurrency: number): Lane {
		const lane = new Lane(maxConcurrency);
		this.lanes.add(lane);
		this.most = Math.max(this.most, maxConcurrency);
		idle.delete(this);
		return lane;
	}

	close(lane: Lane): void {
		this.lanes.delete(lane);
		this.most = 0;
		for (const { maxConcurrency } of this.lanes) this.most = Math.max(this.most, maxConcurrency);
		if (this.lanes.size > 0) return;
		this.idleSince = performance.now();
		idle.add(this);
	}

	/**
	 * Waits until a request of a lane may start. {@link leave} follows when it is over.
	 * @returns when it started, by `performance.now()`; undefined when it may not
	 */
	async enter(lane: Lane, isRetry = false): Promise<number | undefined> {
		return await new Promise<number | undefined>((enter) => {
			lane.add(enter, isRetry);
			this.letIn();
		});
	}

	/**
	 * A request is over.
	 * @param isAccepted whether the service answered it: neither with a 429 nor because it was not able to
	 */
	leave(isAccepted: boolean): void {
		this.inProgress--;
		if (isAccepted) this.accepted += 1 / this.accepted;
		if (isAccepted && this.accepted > FULLY_OPEN) this.accepted = Number.POSITIVE_INFINITY;
		this.letIn();
	}

	/**
	 * The service refused a request with a 429: the gate lets in half as many at once, and fewer per second.
	 * @param start when the request started
	 * @returns whether the refusal is a slight one: alone, at a rate that the service had accepted for a second
	 */
	refused(start: number): boolean {
		// Requests that started before the last refusal belong to the same burst.
		if (this.pauses > 0 || start <= this.refusedAt) return false;
		this.refusedAt = performance.now();
		this.accepted = Math.max(1, Math.floor(this.inProgress / 2));
		return this.rate.refused(this.refusedAt);
	}

	/** Closes the gate for all, for so many milliseconds. */
	pause(milliseconds: number): void {
		this.pauses++;
		void sleep(milliseconds).then(() => {
			this.pauses--;
			this.letIn();
		});
	}

	/** Lets in as many requests as may start now, the runs in turn. */
	private letIn(): void {
		while (this.isOpen) {
			const lane = this.nextLane();
			if (!lane) return;
			const now = performance.now();
			const wait = this.rate.wait(now);
			if (wait > 0) return this.letInAfter(wait);
			// Its next turn comes after all others.
			this.lanes.delete(lane);
			this.lanes.add(lane);
			this.inProgress++;
			this.rate.started(now);
			lane.next()?.(now);
		}
	}

	private get isOpen(): boolean {
		const most = Math.min(this.most, Math.floor(this.accepted));
		return this.pauses === 0 && !this.isTimed && this.inProgress < most;
	}

	private nextLane(): Lane | undefined {
		for (const lane of this.lanes) if (lane.isWaiting) return lane;
		return undefined;
	}

	private letInAfter(milliseconds: number): void {
		this.isTimed = true;
		void sleep(milliseconds).then(() => {
			this.isTimed = false;
			this.letIn();
		});
	}
}

type Enter = (start?: number) => void;

/** The requests of one run of a node that wait at the gate of its account. */
export class Lane {
	private readonly waiting = new Queue<Enter>();

	/** Requests that are sent again go before the others. */
	private readonly retries = new Queue<Enter>();

	constructor(readonly maxConcurrency: number) {}

	get isWaiting(): boolean {
		return this.waiting.length + this.retries.length > 0;
	}

	add(enter: Enter, isRetry: boolean): void {
		(isRetry ? this.retries : this.waiting).add(enter);
	}

	next(): Enter | undefined {
		return this.retries.next() ?? this.waiting.next();
	}

	/** No request that waits now may start. */
	turnAway(): void {
		for (let enter = this.next(); enter; enter = this.next()) enter();
	}
}

const gates = new Map<string, AccountGate>();

/** The gates that no run uses, the longest idle first. */
const idle = new Set<AccountGate>();

/** The gate of an account in this process. Those that no run has used for ten minutes are forgotten. */
export function gateOf(account: string): AccountGate {
	for (const gate of idle) {
		if (performance.now() - gate.idleSince <= FORGOTTEN_AFTER) break;
		gates.delete(gate.account);
		idle.delete(gate);
	}
	const gate = gates.get(account) ?? new AccountGate(account);
	gates.set(account, gate);
	return gate;
}
