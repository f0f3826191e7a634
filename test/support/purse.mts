import {
	type CreditBudget,
	joinSpending,
	type Purse,
	Reservation,
} from '../../nodes/shared/credits/budget.ts';

/** Where the credits of a node come from that has this cap, and an account of its own. */
export function purseOf(cap = Number.POSITIVE_INFINITY): Purse {
	return { cap, spending: joinSpending('account'), kind: 'email' };
}

/** Reserves credits where there surely are some. */
export async function reserved(budget: CreditBudget, credits: number): Promise<Reservation> {
	const reservation = await budget.reserve(credits, purseOf());
	if (reservation instanceof Reservation) return reservation;
	throw new Error('Without a cap there is always a reservation');
}
