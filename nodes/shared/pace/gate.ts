import { sleep } from 'n8n-workflow';
import type { Failure } from '../failures/failure';
import { MAX_TIMEOUT } from '../host/context';
import type { Quota } from '../http/response';
import { CubicRate } from './cubic';
import { Lane } from './lane';
import { backOff, MINUTE } from './retry';

/**
 * How much longer than its Max Rate Limit Wait a run waits, in milliseconds: a pause of 60 s, asked for in several
 * responses one after the other or as a date, ends a little after 60 s.
 */
const TOLERANCE = 3_000;

/** Where a limit is stated, so many processes may share it. */
const SHARERS = 8;

/** A stated limit that is reset sooner is learned, in milliseconds: many state whole seconds. */
const SHORT = 10_000;

/** After so long without a run, the gate of an account is forgotten, in milliseconds. */
const FORGOTTEN_AFTER = 10 * MINUTE;

/**
 * Every request of this process to one account passes its gate. Runs take turns. A refusal says something of the account:
 * it slows all of them down, and closes the gate for as long as the service asks, and for a back-off that grows while
 * nothing is accepted. A run that cannot wait so long gives up.
 */
export class AccountGate {
	/** The runs that use the account, the one whose turn is next first. */
	private readonly lanes = new Set<Lane>();

	private inProgress = 0;

	/** How many requests at once the service accepts, as far as a 429 has shown. */
	private accepted = Number.POSITIVE_INFINITY;

	private readonly rate = new CubicRate();

	/** When the limit that the service states is reset, by `performance.now()`. */
	private resetsAt = Number.NEGATIVE_INFINITY;

	/** The refusals in a row, of which a burst counts once, and when the first one came, by `performance.now()`. */
	private refusals = 0;
	private silentSince = Number.POSITIVE_INFINITY;

	/** The last refusal, and until when it closes the gate, by `performance.now()`. */
	private refusal: Failure | undefined;
	private closedUntil = Number.NEGATIVE_INFINITY;

	/** When the last refusal came that was not part of a burst, by `performance.now()`. */
	private refusedAt = Number.NEGATIVE_INFINITY;

	/** How many requests the service has accepted. */
	acceptances = 0;

	/** The timer that lets the next requests in. One that another has replaced does nothing when it ends. */
	private timer: object | undefined;

	/** When the last run has left, by `performance.now()`. */
	private leftAt = performance.now();

	/**
	 * Opens a lane for one run of a node, until {@link close}.
	 * @param maxWait how long it waits while none of its requests is accepted, in milliseconds
	 */
	join(maxConcurrency: number, maxWait: number): Lane {
		const lane = new Lane(maxConcurrency, maxWait);
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
			lane.waiting.push(enter);
			this.tryOne(lane);
			this.letIn();
		});
	}

	/**
	 * A request is over. The service accepted it unless it responded with a 429 or was not able to respond. That it accepts
	 * the poll of a job says nothing of other requests.
	 */
	leave(lane: Lane, start: number, isAccepted: boolean, isPoll = false): void {
		this.inProgress--;
		lane.inProgress--;
		if (isAccepted) {
			this.accepted += 1 / this.accepted;
			lane.refusedSince = Number.POSITIVE_INFINITY;
			this.silentSince = Number.POSITIVE_INFINITY;
			if (!isPoll) {
				this.acceptances++;
				this.refusals = 0;
			}
			// The service has accepted a request before the time that it had asked for.
			if (start > this.refusedAt && this.closedUntil > performance.now()) {
				this.closedUntil = Number.NEGATIVE_INFINITY;
				this.timer = undefined;
			}
		}
		this.tryOne(lane);
		this.letIn();
	}

	/**
	 * The service states what its limit still takes: near the end, fewer requests start at once, as other processes may see
	 * the same. At least as many do as use it up by the reset.
	 * @param start when the request started that it responds to
	 */
	share({ remaining, reset }: Quota, start: number): void {
		if (reset < SHORT) return;
		const now = performance.now();
		this.resetsAt = now + reset;
		const part = Math.max(1 / SHARERS, (now - start) / reset);
		this.accepted = Math.max(1, Math.min(this.accepted, remaining * part));
	}

	/**
	 * The service refused a request: the gate lets in half as many at once, fewer per second, and none for a while.
	 * @returns how long the gate lets none in, in milliseconds
	 */
	pauseAfter(lane: Lane, start: number, refusal: Failure): number {
		const now = performance.now();
		this.silentSince = Math.min(this.silentSince, now);
		// What the runs before it have waited counts: a loop does not wait as long in each of its rounds.
		lane.refusedSince = Math.min(lane.refusedSince, this.silentSince);
		let pause = refusal.problem.retryAfter ?? 0;
		// Requests that started before the last refusal belong to the same burst.
		if (start > this.refusedAt) {
			this.refusedAt = now;
			this.accepted = Math.max(1, Math.floor(this.inProgress / 2));
			// What was stated need not be learned.
			if (Math.abs(now + pause - this.resetsAt) > TOLERANCE) this.rate.refused(now);
			// With half jitter: a quarter of a second, a half, 1 s and so on. The last try comes before a run gives up.
			const step = (backOff(this.refusals++ - 1) * (1 + Math.random())) / 2;
			const patience = [...this.lanes].map((one) => one.deadline - now - 1);
			pause = Math.max(pause, Math.min(step, ...patience.filter((left) => left > 0)));
		}
		if (now + pause >= this.closedUntil) this.refusal = refusal;
		this.closedUntil = Math.max(this.closedUntil, now + pause);
		if (now >= lane.deadline) this.giveUp(lane);
		for (const one of this.lanes) {
			if (this.closedUntil > one.deadline + TOLERANCE) this.giveUp(one);
			this.tryOne(one);
		}
		return this.closedUntil - now;
	}

	/**
	 * Admits one request of a run that would have to wait too long, if none of its own was refused yet: the run gives up
	 * only if that one is refused, too.
	 */
	private tryOne(lane: Lane): void {
		if (Number.isFinite(lane.refusedSince) || lane.inProgress > 0 || !lane.isReady) return;
		const now = performance.now();
		const deadline = Math.min(this.silentSince, now) + lane.maxWait;
		if (this.closedUntil > deadline + TOLERANCE) this.admit(lane, now);
	}

	private giveUp(lane: Lane): void {
		const { refusal: cause, closedUntil } = this;
		const toDate = Date.now() - performance.now();
		const until = cause?.problem.retryAfter ? closedUntil + toDate : undefined;
		lane.givenUp ??= cause && { cause, until, since: lane.refusedSince + toDate };
		lane.turnAway();
	}

	private letIn(): void {
		while (!this.timer && this.isOpen) {
			const lane = [...this.lanes].find(({ isReady }) => isReady);
			if (!lane) return;
			const now = performance.now();
			const wait = Math.max(this.closedUntil - now, this.rate.wait(now));
			if (wait > 0) return this.letInAfter(wait);
			this.admit(lane, now);
		}
	}

	private letInAfter(milliseconds: number): void {
		const timer = (this.timer = {});
		void sleep(Math.min(Math.ceil(milliseconds), MAX_TIMEOUT)).then(() => {
			if (this.timer !== timer) return;
			this.timer = undefined;
			this.letIn();
		});
	}

	/** Lets the next request of a lane in, whose next turn comes after all others. */
	private admit(lane: Lane, now: number): void {
		this.lanes.delete(lane);
		this.lanes.add(lane);
		this.inProgress++;
		lane.inProgress++;
		this.rate.started(now);
		lane.waiting.shift()?.(now);
	}

	private get isOpen(): boolean {
		if (this.inProgress >= Math.floor(this.accepted)) return false;
		// At most as many at once as the highest Max Concurrency of these runs.
		return [...this.lanes].some(({ maxConcurrency }) => this.inProgress < maxConcurrency);
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
