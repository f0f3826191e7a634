import { sleep } from 'n8n-workflow';
import { Queue } from '../values/queue';
import { CubicRate } from './cubic';

/** After so long without a run, the gate of an account is forgotten, in milliseconds. */
const FORGOTTEN_AFTER = 10 * 60_000;

/** Every request of this process to one account passes its gate. Runs take turns; a 429 slows all of them down. */
export class AccountGate {
	/** The runs that use the account, the one whose turn is next first. */
	private readonly lanes = new Set<Lane>();

	private inProgress = 0;

	/** How many requests at once the service accepts, as far as a 429 has shown. */
	private accepted = Number.POSITIVE_INFINITY;

	private readonly rate = new CubicRate();

	/** How many timers keep the gate closed. */
	private pauses = 0;

	/** When the last refusal came that was not part of a burst, by `performance.now()`. */
	private refusedAt = Number.NEGATIVE_INFINITY;

	/** When the last run has left, by `performance.now()`. */
	private leftAt = performance.now();

	/** Opens a lane for one run of a node, until {@link close}. */
	join(maxConcurrency: number): Lane {
		const lane = new Lane(maxConcurrency);
		this.lanes.add(lane);
		return lane;
	}

	close(lane: Lane): void {
		this.lanes.delete(lane);
		this.leftAt = performance.now();
	}

	get isForgotten(): boolean {
		return this.lanes.size === 0 && performance.now() - this.leftAt > FORGOTTEN_AFTER;
	}

	/**
	 * Waits until a request of a lane may start. {@link leave} follows when it is over.
	 * @returns when it started, by `performance.now()`; undefined when it may not
	 */
	async enter(lane: Lane): Promise<number | undefined> {
		return await new Promise<number | undefined>((enter) => {
			lane.waiting.add(enter);
			this.letIn();
		});
	}

	/** A request is over. The service accepted it unless it answered with a 429 or was not able to answer. */
	leave(lane: Lane, isAccepted: boolean): void {
		this.inProgress--;
		lane.inProgress--;
		if (isAccepted) this.accepted += 1 / this.accepted;
		this.letIn();
	}

	/**
	 * The service refused a request with a 429: the gate lets in half as many at once, fewer per second, and none before
	 * the request may be sent again. A single refusal at a rate that was accepted for a second delays no other request.
	 * @param wait of the refused request, in milliseconds
	 * @param isDemanded whether the service asked for this wait
	 * @returns how long the gate lets none in, in milliseconds
	 */
	refused(start: number, wait: number, isDemanded: boolean): number {
		let isSlight = false;
		// Requests that started before the last refusal belong to the same burst.
		if (start > this.refusedAt) {
			this.refusedAt = performance.now();
			this.accepted = Math.max(1, Math.floor(this.inProgress / 2));
			isSlight = this.rate.refused(this.refusedAt);
		}
		if (isSlight && !isDemanded) return 0;
		this.pause(wait);
		return wait;
	}

	private pause(milliseconds: number): void {
		this.pauses++;
		void sleep(milliseconds).then(() => {
			this.pauses--;
			this.letIn();
		});
	}

	private letIn(): void {
		while (this.isOpen) {
			const lane = this.nextLane();
			if (!lane) return;
			const now = performance.now();
			const wait = this.rate.wait(now);
			if (wait > 0) return this.pause(wait);
			// Its next turn comes after all others.
			this.lanes.delete(lane);
			this.lanes.add(lane);
			this.inProgress++;
			lane.inProgress++;
			this.rate.started(now);
			lane.waiting.next()?.(now);
		}
	}

	private get isOpen(): boolean {
		if (this.pauses > 0 || this.inProgress >= Math.floor(this.accepted)) return false;
		// At most as many at once as the highest Max Concurrency of these runs.
		for (const { maxConcurrency } of this.lanes) if (this.inProgress < maxConcurrency) return true;
		return false;
	}

	private nextLane(): Lane | undefined {
		for (const lane of this.lanes) if (lane.isReady) return lane;
		return undefined;
	}
}

/** The requests of one run of a node that wait at the gate of its account. */
export class Lane {
	readonly waiting = new Queue<(start?: number) => void>();
	inProgress = 0;

	constructor(readonly maxConcurrency: number) {}

	get isReady(): boolean {
		return this.waiting.length > 0 && this.inProgress < this.maxConcurrency;
	}

	/** No request that waits now may start. */
	turnAway(): void {
		while (this.waiting.length > 0) this.waiting.next()?.();
	}
}

const gates = new Map<string, AccountGate>();

/** The gate of an account in this process. Those that no run has used for ten minutes are forgotten. */
export function gateOf(account: string): AccountGate {
	for (const [name, gate] of gates) if (gate.isForgotten) gates.delete(name);
	const gate = gates.get(account) ?? new AccountGate();
	gates.set(account, gate);
	return gate;
}
