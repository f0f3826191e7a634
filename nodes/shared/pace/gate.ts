import { sleep } from 'n8n-workflow';
import { Queue } from '../values/queue';
import { RequestRate, type Start } from './cubic';

/** Above this many requests at once, a limit that the service caused once is forgotten. */
const FULLY_OPEN = 64;

/** The delay of the timer that shows whether n8n is busy, in milliseconds: about what a request takes to leave if not. */
const LEAVING = 3;

/** After so long without a request, what was learned of an account is forgotten, in milliseconds. */
const FORGOTTEN_AFTER = 10 * 60_000;

/** A request that the service refused for being too many. Times are milliseconds. */
export interface Refusal {
	start: Start;
	/** Whether it was refused before. */
	isRepeat: boolean;
	/** How long it waits before it is sent again. */
	wait: number;
	/** How long the service asked to wait, 0 if it did not. */
	asked: number;
}

/**
 * The gate through which every request to one account passes, whichever node or workflow of this
 * process sends it. It takes turns between the runs that wait, lets in no more at once than the run
 * that allows the most, and slows down or closes for all when the service refuses something (429).
 */
export class AccountGate {
	/** How many runs use the account, by the most requests at once that they allow. */
	private readonly runs = new Map<number, number>();

	/** The runs that may send, in the order of their turns. */
	private readonly turns = new Queue<Lane>();

	private inProgress = 0;

	/** How many requests at once the service has shown to bear. */
	private allowed = Number.POSITIVE_INFINITY;

	private readonly rate = new RequestRate();

	/** Whether a timer is set for the moment when the next request may start. */
	private isTimed = false;

	/** Pauses for all that are not over. */
	private pauses = 0;

	/** When the last refusal came that told anything new, by `performance.now()`. */
	private refusedAt = Number.NEGATIVE_INFINITY;

	/** When its last run ended. */
	idleSince = 0;

	constructor(private readonly account: string) {}

	/**
	 * Opens a lane for one run of a node. It is to be closed in the end.
	 * @param maxConcurrency the most requests of this run in progress at once
	 */
	join(maxConcurrency: number): Lane {
		this.runs.set(maxConcurrency, (this.runs.get(maxConcurrency) ?? 0) + 1);
		idle.delete(this);
		return new Lane(this, maxConcurrency);
	}

	/** For a lane: it is closed. */
	closed({ maxConcurrency }: Lane): void {
		const others = (this.runs.get(maxConcurrency) ?? 0) - 1;
		if (others > 0) this.runs.set(maxConcurrency, others);
		else this.runs.delete(maxConcurrency);
		if (this.runs.size > 0) return;
		this.idleSince = performance.now();
		idle.add(this);
	}

	/** Forgets the account, with all that was learned of it. */
	forget(): void {
		gates.delete(this.account);
		idle.delete(this);
	}

	/** For a lane: somebody waits in it. */
	waits(lane: Lane): void {
		this.addTurn(lane);
		this.letIn();
	}

	/** For a lane: a request is over. Where the service bore it, a limit that a 429 caused grows back. */
	left(lane: Lane, wasBorne: boolean): void {
		this.inProgress--;
		if (wasBorne) this.allowed += 1 / this.allowed;
		if (wasBorne && this.allowed > FULLY_OPEN) this.allowed = Number.POSITIVE_INFINITY;
		this.addTurn(lane);
		this.letIn();
	}

	/**
	 * The service refused a request for being too many (429). Half as many requests at once are let in from now on. The
	 * gate closes for as long as the request is to wait, unless it is the only one, at a rate that the service had borne:
	 * then the others go on, a little more slowly.
	 * @returns whether the gate is closed: the request waits there, and goes first
	 */
	refused({ start, isRepeat, wait, asked }: Refusal): boolean {
		// The answers to requests that were sent before all tell of the same excess.
		const isNews = this.pauses === 0 && start.at > this.refusedAt;
		let wasBorne = false;
		if (isNews) {
			this.refusedAt = performance.now();
			this.allowed = Math.max(1, Math.floor(this.inProgress / 2));
			// More than the longest wait is never waited.
			wasBorne = this.rate.refused(this.refusedAt, Math.min(asked, wait));
		}
		// A second refusal, of a burst or of a request, tells of more than a little. What is asked for is kept by all.
		if (wasBorne && !isRepeat && asked === 0) return false;
		this.pauses++;
		void sleep(wait).then(() => {
			this.pauses--;
			this.letIn();
		});
		return true;
	}

	private addTurn(lane: Lane): void {
		if (lane.hasTurn || !lane.maySend) return;
		lane.hasTurn = true;
		this.turns.add(lane);
	}

	private letIn(): void {
		while (this.pauses === 0 && !this.isTimed && this.turns.length > 0) {
			if (this.inProgress >= this.bound()) return;
			const wait = this.rate.wait(performance.now());
			if (wait > 0) return this.letInAfter(wait);
			const lane = this.turns.next();
			if (!lane) return;
			lane.hasTurn = false;
			const enter = lane.next();
			if (enter) {
				this.inProgress++;
				enter(this.countStart());
			}
			this.addTurn(lane);
		}
	}

	/**
	 * Counts a start. The request leaves only when n8n gets round to it: a timer that fires late tells how much later.
	 * What is let in before it fires is still measured from the earlier moment.
	 */
	private countStart(): Start {
		const start = this.rate.started(performance.now());
		void sleep(LEAVING).then(() => {
			start.at = performance.now() - LEAVING;
		});
		return start;
	}

	private bound(): number {
		let most = 1;
		for (const maxConcurrency of this.runs.keys()) most = Math.max(most, maxConcurrency);
		return Math.min(most, Math.max(1, Math.floor(this.allowed)));
	}

	private letInAfter(milliseconds: number): void {
		this.isTimed = true;
		void sleep(milliseconds).then(() => {
			this.isTimed = false;
			this.letIn();
		});
	}
}

/** Tells who waits that the request may start, or, without a start, that it may not. */
type Enter = (start?: Start) => void;

/** The place of one run of a node at the gate of its account. */
export class Lane {
	/** Whether the gate has it among its turns. */
	hasTurn = false;

	private readonly waiting = new Queue<Enter>();

	/** Requests that are sent again: they go before the others. */
	private readonly repeats = new Queue<Enter>();

	private inProgress = 0;

	private isOpen = true;

	constructor(
		private readonly gate: AccountGate,
		readonly maxConcurrency: number,
	) {}

	/** Whether somebody waits who may send, as far as this run is concerned. */
	get maySend(): boolean {
		const { length } = this.waiting;
		return length + this.repeats.length > 0 && this.inProgress < this.maxConcurrency;
	}

	/**
	 * Waits for a place. Each place is to be given back with {@link leave}.
	 * @param isRepeat whether the request waited before: it goes first
	 * @returns the start of the request; undefined, without a place, when all who wait are turned away
	 */
	async enter(isRepeat = false): Promise<Start | undefined> {
		return await new Promise<Start | undefined>((enter) => {
			(isRepeat ? this.repeats : this.waiting).add(enter);
			this.gate.waits(this);
		});
	}

	/**
	 * Gives a place back.
	 * @param wasBorne whether the service answered: not that it had too many requests, or was not able to
	 */
	leave(wasBorne: boolean): void {
		this.inProgress--;
		this.gate.left(this, wasBorne);
	}

	/** For the gate: the next one, who is to enter, if there still is one. */
	next(): Enter | undefined {
		const enter = this.repeats.next() ?? this.waiting.next();
		if (enter) this.inProgress++;
		return enter;
	}

	/** The run is over. Only the first call counts. */
	close(): void {
		if (!this.isOpen) return;
		this.isOpen = false;
		this.gate.closed(this);
	}

	/** Lets nobody in who waits now. */
	turnAway(): void {
		for (const queue of [this.repeats, this.waiting]) {
			for (const enter of queue.take(queue.length)) enter();
		}
	}
}

const gates = new Map<string, AccountGate>();

/** The gates that no run uses, in the order in which their last runs ended. */
const idle = new Set<AccountGate>();

/** The gate of an account in this process; those that nobody has used for long are forgotten. */
export function gateOf(account: string): AccountGate {
	for (const gate of idle) {
		if (performance.now() - gate.idleSince <= FORGOTTEN_AFTER) break;
		gate.forget();
	}
	const gate = gates.get(account) ?? new AccountGate(account);
	gates.set(account, gate);
	return gate;
}
