import type { CreditKind } from './account';

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
