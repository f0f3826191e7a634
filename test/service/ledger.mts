import type { CreditKind } from './fixtures.mts';

/** Operations that cost credits; interface specification 8. */
export type MeteredOperation = 'find' | 'findBulk' | 'verify' | 'verifyBulk' | 'searchCompany';

/** Which credits pay for an operation; interface specification 2.2. */
export const creditKinds: Record<MeteredOperation, CreditKind> = {
	find: 'email',
	findBulk: 'email',
	verify: 'verifier',
	verifyBulk: 'verifier',
	searchCompany: 'search',
};

export interface Charge {
	/** Milliseconds since 1970. */
	at: number;
	/** The access key that paid. */
	account: string;
	operation: MeteredOperation;
	/** The address found or verified, or the domain of the first company found. */
	subject: string;
	credits: number;
	/** `id` of the request in the wire log. */
	requestId: number;
}

/** What was charged, to whom, for what. Only actual charges are entered: a miss leaves no trace. */
export class Ledger {
	readonly charges: Charge[] = [];
	readonly #spent = new Map<string, number>();
	#toppedUp: Record<CreditKind, number> = { email: 0, verifier: 0, search: 0 };

	enter(charge: Omit<Charge, 'at'>): void {
		const kind = creditKinds[charge.operation];
		this.charges.push({ at: Date.now(), ...charge });
		this.#spent.set(`${kind} ${charge.account}`, this.spent(charge.account, kind) + charge.credits);
	}

	/** Credits charged to all accounts, for one operation or for all. */
	total(operation?: MeteredOperation): number {
		return this.charges
			.filter((charge) => !operation || charge.operation === operation)
			.reduce((credits, charge) => credits + charge.credits, 0);
	}

	/** Credits charged per address or company, to tell what was paid more than once. */
	bySubject(): Map<string, number> {
		const totals = new Map<string, number>();
		for (const { subject, credits } of this.charges) {
			totals.set(subject, (totals.get(subject) ?? 0) + credits);
		}
		return totals;
	}

	spent(account: string, kind: CreditKind): number {
		return this.#spent.get(`${kind} ${account}`) ?? 0;
	}

	/** Gives every paid account more credits. */
	topUp(credits: number, kind: CreditKind = 'email'): void {
		this.#toppedUp[kind] += credits;
	}

	toppedUp(kind: CreditKind): number {
		return this.#toppedUp[kind];
	}

	clear(): void {
		this.charges.length = 0;
		this.#spent.clear();
		this.#toppedUp = { email: 0, verifier: 0, search: 0 };
	}
}
