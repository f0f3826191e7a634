import { sleep } from 'n8n-workflow';

import { RequestRate } from './requestRate';

interface Waiting {
	maxConcurrency: number;
	enter: (entered: boolean) => void;
}

/** Above this many requests at once, a limit that the service caused once is forgotten. */
const FULLY_OPEN = 64;

/**
 * The gate through which every request to one account passes, whichever node or workflow of this
 * process sends it: it bounds how many are under way, and closes for all of them while the service
 * asks for a pause (429).
 */
export class AccountGate {
	private readonly queue: Waiting[] = [];

	/** Requests that are sent again: they go before the others. */
	private readonly repeats: Waiting[] = [];

	private underWay = 0;

	/** How many requests at once the service has shown to bear. */
	private allowed = Number.POSITIVE_INFINITY;

	private readonly rate = new RequestRate();

	/** Whether a timer is set for the moment when the next request may start. */
	private timed = false;

	/** Pauses that the service asked for and that are not over. */
	private pauses = 0;

	/**
	 * Waits for a place. Each place is to be given back with {@link leave}.
	 * @param maxConcurrency the most requests under way to this account, as seen by the caller
	 * @param repeated whether the request waited before: it goes first
	 * @returns false, without a place, when the signal is aborted
	 */
	async enter(
		maxConcurrency: number,
		signal: AbortSignal | undefined,
		repeated = false,
	): Promise<boolean> {
		if (signal?.aborted) return false;
		return await new Promise<boolean>((resolve) => {
			const queue = repeated ? this.repeats : this.queue;
			const waiting: Waiting = { maxConcurrency, enter: resolve };
			const cancel = () => {
				const place = queue.indexOf(waiting);
				if (place >= 0) queue.splice(place, 1);
				resolve(false);
				this.letIn();
			};
			waiting.enter = (entered) => {
				signal?.removeEventListener('abort', cancel);
				resolve(entered);
			};
			signal?.addEventListener('abort', cancel, { once: true });
			queue.push(waiting);
			this.letIn();
		});
	}

	/** Gives a place back. After an answer, a limit that a 429 caused grows back by one per round. */
	leave(answered: boolean): void {
		this.underWay--;
		if (answered) this.allowed += 1 / this.allowed;
		if (this.allowed > FULLY_OPEN) this.allowed = Number.POSITIVE_INFINITY;
		this.letIn();
	}

	/** Lets nothing in for a while, and half as many requests at once after it. */
	closeFor(milliseconds: number): void {
		// Of the answers to one burst only the first halves: they all tell of the same excess.
		if (this.pauses === 0) {
			this.allowed = Math.max(1, Math.floor(this.underWay / 2));
			if (milliseconds > 0) this.rate.refused(performance.now());
		}
		this.pauses++;
		void sleep(milliseconds).then(() => {
			this.pauses--;
			this.letIn();
		});
	}

	private letIn(): void {
		while (this.pauses === 0 && !this.timed) {
			const queue = this.repeats.length > 0 ? this.repeats : this.queue;
			if (queue.length === 0) return;
			const bound = Math.min(queue[0].maxConcurrency, Math.floor(this.allowed));
			if (this.underWay >= Math.max(1, bound)) return;
			const wait = this.rate.wait(performance.now());
			if (wait > 0) return this.letInAfter(wait);
			this.rate.started(performance.now());
			this.underWay++;
			queue.shift()?.enter(true);
		}
	}

	private letInAfter(milliseconds: number): void {
		this.timed = true;
		void sleep(milliseconds).then(() => {
			this.timed = false;
			this.letIn();
		});
	}
}

const gates = new Map<string, AccountGate>();

/** The gate of an account in this process. */
export function gateOf(account: string): AccountGate {
	const gate = gates.get(account) ?? new AccountGate();
	gates.set(account, gate);
	return gate;
}
