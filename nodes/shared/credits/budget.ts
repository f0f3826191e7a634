import type { IDataObject } from 'n8n-workflow';
import { Queue } from '../values/queue';
import { numberOf } from '../values/text';
import { countersOf, CREDIT_KINDS, type CreditKind, remainingOf } from './account';
import type { CreditCount, ExecutionCredits } from './ledger';

/** What one run of a node pays with at one account. All figures are credits. */
export interface Purse {
	/** The most that the node may spend; infinite for no cap. */
	cap: number;
	/** What is to stay in the account, if anything. */
	floor?: Floor;
	/** What the process spends of the account. */
	spending: Spending;
	kind: CreditKind;
	/** Stops the execution: nothing is granted after it. */
	signal?: AbortSignal;
}

/** Why no credits are granted. */
export type Refusal = 'cancelled' | 'credit_limit' | 'credit_floor';

interface Waiting {
	credits: number;
	least: number;
	purse: Purse;
	decided: (granted: number | Refusal) => void;
}

/**
 * What one node may spend in one execution. Credits are reserved before a request and settled after
 * it, so that the cap and the floor of the account hold with any number of requests in progress.
 */
export class CreditBudget {
	/** Who waits, by the account: nobody waits for the credits of another one. */
	private readonly waiting = new Map<Spending, Queue<Waiting>>();

	private reserved = 0;

	/** The part of it that bulk jobs hold, which may go on for long. */
	private held = 0;

	/** What counts as spent and may turn out not to be: jobs that are being collected. */
	private open = 0;

	/** What was counted as spent in this process so far, whatever it turned out to be later. */
	readonly counted = { credits: 0, uncertain: 0 };

	/**
	 * @param count of what the node has spent
	 * @param execution counts what all nodes have spent
	 * @param node its name
	 */
	constructor(
		private readonly count: CreditCount,
		readonly execution: ExecutionCredits,
		readonly node: string,
	) {}

	get spent(): number {
		return this.count.spent;
	}

	/**
	 * Reserves credits for a request. While requests in progress may still give credits back, it waits for
	 * them.
	 * @param least what to be content with, where there is no room for all
	 * @returns why there is no room for even the least
	 */
	async reserve(credits: number, purse: Purse, least = credits): Promise<Reservation | Refusal> {
		const granted = await this.grant(credits, purse, least);
		return typeof granted === 'number' ? new Reservation(this, granted, purse) : granted;
	}

	/** The same, for who holds a reservation already. */
	async grant(credits: number, purse: Purse, least: number): Promise<number | Refusal> {
		return await new Promise((decided) => {
			const queue = this.waiting.get(purse.spending) ?? new Queue<Waiting>();
			this.waiting.set(purse.spending, queue);
			queue.add({ credits, least, purse, decided });
			this.decideOn(queue);
		});
	}

	/** Turns reserved credits into what was spent of them. */
	settle(reserved: number, spent: number, { spending, kind }: Purse): void {
		this.reserved -= reserved;
		if (spent > 0) this.count.add(spent);
		this.counted.credits += spent;
		spending.settle(kind, reserved, spent);
		this.decide();
	}

	/**
	 * Reserved credits belong to a bulk job: who has room for a part is not to wait for the rest.
	 * @returns is to be called when the job is over
	 */
	hold(credits: number): () => void {
		this.held += credits;
		this.decide();
		return () => {
			this.held -= credits;
		};
	}

	/**
	 * Credits that count as spent may turn out not to be: who has no room under the cap waits until then.
	 * @returns is to be called when that is known
	 */
	reopen(credits: number): () => void {
		this.open += credits;
		return () => {
			this.open -= credits;
			this.decide();
		};
	}

	/**
	 * What was counted as spent in full turns out to be less. That gives no floor any room: it may have been
	 * read since, from a counter that knew.
	 */
	correct(counted: number, spent: number, uncertain: number): void {
		this.count.add(spent + uncertain - counted);
		this.execution.turnedOut(this.node, counted, spent, uncertain);
		this.decide();
	}

	private readonly decide = () => {
		for (const queue of this.waiting.values()) this.decideOn(queue);
	};

	private decideOn(queue: Queue<Waiting>): void {
		for (let [next] = queue.peek(1); next; [next] = queue.peek(1)) {
			const { purse, decided } = next;
			const granted = this.decisionOn(next);
			if (granted === 'wait') {
				// Other nodes, and other workflows, give credits back as well.
				if (purse.floor) purse.spending.whenFreed(this.decide);
				return;
			}
			queue.take(1);
			if (typeof granted === 'number') {
				this.reserved += granted;
				purse.spending.reserve(purse.kind, granted);
			}
			decided(granted);
		}
	}

	/** How many credits there are for a request, why there are none, or that this is still open. */
	private decisionOn({ credits, least, purse }: Waiting): number | Refusal | 'wait' {
		const { cap, floor, signal } = purse;
		if (signal?.aborted) return 'cancelled';
		const mostByCap = cap - this.spent;
		const byCap = mostByCap - this.reserved;
		const byFloor = floor?.room ?? Number.POSITIVE_INFINITY;
		const mostByFloor = floor?.mostRoomOf(this) ?? Number.POSITIVE_INFINITY;
		if (mostByCap + this.open < least) return 'credit_limit';
		if (mostByFloor < least) return 'credit_floor';
		// The node's own requests are soon over; what others do with the account may go on for long.
		const maySoonGrow = byCap < credits && byCap < mostByCap - this.held;
		const mayGrow = maySoonGrow || byCap < least || byFloor < least;
		return mayGrow ? 'wait' : Math.min(credits, byCap, byFloor);
	}
}

/** Credits set aside for one request. */
export class Reservation {
	private isOpen = true;

	/** Whether a request is in progress that may cost the credits. */
	private isSent = false;

	private isCorrected = false;

	private releaseJob: (() => void) | undefined;

	/** Whether what was reserved at first may have been spent as well. */
	isRenewed = false;

	constructor(
		private readonly budget: CreditBudget,
		private readonly reserved: number,
		private readonly purse: Purse,
	) {}

	get credits(): number {
		return this.reserved;
	}

	/** A request is in progress. */
	sent(): void {
		this.isSent = true;
		this.budget.execution.sent(this.reserved);
	}

	/** The service has made a bulk job of the request: others are not to wait for what it may give back. */
	accepted(): void {
		const { isOpen, budget: owner, purse, reserved: credits } = this;
		if (!isOpen || this.releaseJob) return;
		const releases = [
			purse.spending.hold({ owner, kind: purse.kind, credits }),
			owner.hold(credits),
		];
		this.releaseJob = () => releases.forEach((release) => release());
	}

	/** The request did not cost anything; it may be sent again. */
	refused(): void {
		if (this.isSent) this.budget.execution.over(this.budget.node, this.reserved, 0);
		this.isSent = false;
	}

	/**
	 * Gives back what the request did not cost. Only the first call counts.
	 * @param spent if that is not known, a request that was sent counts as having cost all it may
	 * @param uncertain what it may have cost besides; it counts as spent
	 */
	settle(spent?: number, uncertain = 0): void {
		if (!this.isOpen) return;
		this.isOpen = false;
		this.releaseJob?.();
		const { reserved, isSent, budget, purse } = this;
		if (isSent) budget.execution.over(budget.node, reserved, spent, uncertain);
		if (isSent) budget.counted.uncertain += spent === undefined ? reserved : uncertain;
		budget.settle(reserved, (spent ?? (isSent ? reserved : 0)) + uncertain, purse);
	}

	/**
	 * What the request did cost, where that is known only after it was settled. Only the first call counts.
	 * @param uncertain what it may have cost besides
	 */
	correct(spent: number, uncertain = 0): void {
		if (this.isCorrected) return;
		this.isCorrected = true;
		this.budget.correct(this.reserved, spent, uncertain);
	}

	/**
	 * For a request that is sent again though it may have been charged: what was reserved counts as
	 * spent, and as much is reserved again.
	 * @returns false when there is no room for that
	 */
	async renew(): Promise<boolean> {
		this.settle();
		this.isRenewed = true;
		const { reserved, purse } = this;
		this.isOpen = (await this.budget.grant(reserved, purse, reserved)) === reserved;
		this.isSent = false;
		return this.isOpen;
	}
}

/**
 * What is to stay in an account, by one reading of its counter and all that this process spends of it
 * from then on. What is in progress during the reading counts as spent after it: it may come too late
 * for the counter.
 */
export class Floor {
	private constructor(
		private readonly spending: Spending,
		/** The kinds that the counter counts. */
		private readonly kinds: CreditKind[],
		/** What may be spent after the reading. */
		private readonly allowance: number,
		private readonly spentBefore: number,
	) {}

	/**
	 * Reads the account.
	 * @param keep credits that are to stay
	 * @returns nothing where the service states no counter for this kind
	 */
	static async read(
		{ spending, kind, keep }: { spending: Spending; kind: CreditKind; keep: number },
		readAccount: () => Promise<IDataObject>,
	): Promise<Floor | undefined> {
		const before = new Map(CREDIT_KINDS.map((one) => [one, spending.spentOf([one])]));
		const account = await readAccount();
		const remaining = remainingOf(account, kind);
		if (remaining === null) return undefined;
		const kinds = countersOf(account).all ? CREDIT_KINDS : [kind];
		const spentBefore = kinds.reduce((sum, one) => sum + (before.get(one) ?? 0), 0);
		return new Floor(spending, kinds, Math.floor(remaining - keep), spentBefore);
	}

	/** How many credits may be reserved now. */
	get room(): number {
		return this.mostRoom - this.spending.reservedOf(this.kinds);
	}

	/** How many, should all that is reserved be given back, but for the bulk jobs of others than the owner. */
	mostRoomOf(owner: object): number {
		return this.mostRoom - this.spending.heldByOthers(owner, this.kinds);
	}

	private get mostRoom(): number {
		return this.allowance - (this.spending.spentOf(this.kinds) - this.spentBefore);
	}
}

/** A bulk job that goes on, and the credits reserved for it. */
interface Job {
	owner: object;
	kind: CreditKind;
	credits: number;
}

/**
 * What this process spends of one account, whichever workflow does: of each kind of credits, what is
 * reserved for requests, and what was spent since somebody began to use the account.
 */
export class Spending {
	private users = 0;

	private readonly reserved = counters();

	private readonly spent = counters();

	private readonly jobs = new Set<Job>();

	private readonly waiting = new Set<() => void>();

	constructor(private readonly account: string) {}

	/** Credits are set aside for a request. */
	reserve(kind: CreditKind, credits: number): void {
		this.reserved[kind] += credits;
	}

	/** Reserved credits are given back, but for what was spent of them. */
	settle(kind: CreditKind, reserved: number, spent: number): void {
		this.reserved[kind] -= reserved;
		this.spent[kind] += spent;
		this.wake();
	}

	/**
	 * Reserved credits are those of a bulk job, which may keep them for long.
	 * @returns to be called when they are settled
	 */
	hold(job: Job): () => void {
		this.jobs.add(job);
		this.wake();
		return () => void this.jobs.delete(job);
	}

	/** What the jobs of others keep: nobody waits for that. */
	heldByOthers(owner: object, kinds: CreditKind[]): number {
		const ofOthers = [...this.jobs].filter(
			(job) => job.owner !== owner && kinds.includes(job.kind),
		);
		return ofOthers.reduce((total, { credits }) => total + credits, 0);
	}

	/** Calls back, once, when credits were given back. */
	whenFreed(callBack: () => void): void {
		this.waiting.add(callBack);
	}

	/** Tells all who wait for credits to look again. */
	wake(): void {
		const waiting = [...this.waiting];
		this.waiting.clear();
		for (const callBack of waiting) callBack();
	}

	reservedOf(kinds: CreditKind[]): number {
		return sum(this.reserved, kinds);
	}

	spentOf(kinds: CreditKind[]): number {
		return sum(this.spent, kinds);
	}

	/** Somebody uses the account from now on, until {@link leave}. */
	join(): this {
		this.users++;
		return this;
	}

	leave(): void {
		this.users--;
		if (this.users === 0) accounts.delete(this.account);
	}
}

const accounts = new Map<string, Spending>();

/** What is spent of an account, which the caller uses until it leaves. */
export function joinSpending(account: string): Spending {
	const spending = accounts.get(account) ?? new Spending(account);
	accounts.set(account, spending);
	return spending.join();
}

function counters(): Record<CreditKind, number> {
	return { email: 0, verifier: 0, search: 0 };
}

function sum(counts: Record<CreditKind, number>, kinds: CreditKind[]): number {
	return kinds.reduce((total, kind) => total + counts[kind], 0);
}

/**
 * What Max Credits, Keep Credits or Max Items in Manual Runs says: a number or its text, fractions cut off; less than 0
 * means 0.
 * @returns `undefined` for what is no number, an empty text and infinity included
 */
export function creditAmountOf(value: unknown): number | undefined {
	const number = numberOf(value);
	return number === undefined ? undefined : Math.max(0, Math.trunc(number));
}
