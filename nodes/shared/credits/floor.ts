import type { IDataObject } from 'n8n-workflow';

import { CREDIT_KINDS, countersOf, remainingOf, type CreditKind } from './account';
import type { Spending } from './spending';

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
