import { comparable } from './addresses.mts';
import type { PersonQuery } from './fixtures.mts';

/** Which credits pay for an operation; interface specification 2.2 and 8. */
export const creditKinds = {
	find: 'email',
	findBulk: 'email',
	verify: 'verifier',
	verifyBulk: 'verifier',
	searchCompany: 'search',
} as const;

/** Operations that cost credits. */
export type MeteredOperation = keyof typeof creditKinds;

const isMetered = (name: string): name is MeteredOperation => name in creditKinds;

export const metered = Object.keys(creditKinds).filter(isMetered);

export type CreditKind = (typeof creditKinds)[MeteredOperation];

export const kinds = [...new Set(Object.values(creditKinds))];

/** So much of each kind. */
export function ofEachKind(credits: number): Partial<Record<CreditKind, number>> {
	return Object.fromEntries(kinds.map((kind) => [kind, credits]));
}

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
	readonly #toppedUp = new Map<string, number>();
	readonly #spent = new Map<string, number>();
	readonly #owners = new Map<string, Set<string>>();

	enter(charge: Omit<Charge, 'at'>): void {
		this.charges.push({ at: Date.now(), ...charge });
		add(this.#spent, `${creditKinds[charge.operation]} ${charge.account}`, charge.credits);
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
		for (const { subject, credits } of this.charges) add(totals, subject, credits);
		return totals;
	}

	/** Notes for whom an email was found. */
	own(email: string, person: PersonQuery): void {
		const owners = this.#owners.get(email.toLowerCase()) ?? new Set();
		this.#owners.set(email.toLowerCase(), owners.add(nameOf(person)));
	}

	/** Whether an email was found for this person, by the name and the company or domain that were asked for. */
	isOf(email: string, person: PersonQuery): boolean {
		return this.#owners.get(email.toLowerCase())?.has(nameOf(person)) ?? false;
	}

	spent(account: string, kind: CreditKind): number {
		return this.#spent.get(`${kind} ${account}`) ?? 0;
	}

	/** What every paid account got on top of its quota. */
	toppedUp(kind: CreditKind): number {
		return this.#toppedUp.get(kind) ?? 0;
	}

	topUp(credits: number, kind: CreditKind = 'email'): void {
		add(this.#toppedUp, kind, credits);
	}
}

function nameOf({ firstName, lastName, fullName, company, domain }: PersonQuery): string {
	const name = firstName && lastName ? `${firstName} ${lastName}` : (fullName ?? '');
	return comparable(`${name} @ ${domain ?? company ?? ''}`);
}

function add(totals: Map<string, number>, name: string, credits: number): void {
	totals.set(name, (totals.get(name) ?? 0) + credits);
}
