import { endedBy, failureOf, invalidValue, isOfAccount, notSent } from '../failures/failure';
import { countersOf, type Getter, readAccount, remainingOf } from '../api/account';
import { NOTHING, sum, type Credits, type Ledger } from './ledger';

interface BudgetSettings {
	ledger: Ledger;
	node: string;
	/** Of the credits that it spends (interface specification 2.2). */
	kind: string;
	/** The account in this process: one object, whichever run uses it. */
	account: object;
	/** Max Credits, of one execution; infinite for no cap. */
	cap: number;
	/** Stops the execution: nothing is reserved after it. */
	signal?: AbortSignal;
}

type PerKind = Record<string, number>;
type Totals = Record<'spent' | 'reserved', PerKind>;

/** What all executions of this process have spent and reserved at each account, by kind. */
const processTotals = new WeakMap<object, Totals>();

/** What a node may spend at one account, by Max Credits and Leave Credits in Account. All figures are credits. */
export class Budget {
	/** By this run of the node. */
	spent = NOTHING;

	/** How many credits may still be spent without falling below Leave Credits in Account. */
	private roomAboveFloor = () => Number.POSITIVE_INFINITY;

	/** How many credits the account has for this kind, once the service has said so in a refusal. */
	private roomInAccount = () => Number.POSITIVE_INFINITY;

	private readonly totals: Totals;

	constructor(private readonly settings: BudgetSettings) {
		const { account, kind } = settings;
		this.totals = processTotals.get(account) ?? { spent: {}, reserved: {} };
		for (const counts of Object.values(this.totals)) counts[kind] ??= 0;
		processTotals.set(account, this.totals);
	}

	/**
	 * Enforces Leave Credits in Account: reads the balance once, then subtracts what this process spends.
	 * Throws a `Failure` where the account cannot be read, or has no counter for this kind.
	 */
	async keep(credits: number, client: Getter): Promise<void> {
		const { kind } = this.settings;
		const { spent, reserved } = this.totals;
		// A request in progress may reach the counter too late for the reading, so it counts as spent after it.
		const spentBefore = { ...spent };
		const account = await readAccount(client).catch(notReadable);
		const remaining = remainingOf(account, kind);
		if (remaining === null) {
			throw invalidValue(
				'Leave Credits in Account',
				`Leave Credits in Account cannot be used here: the service sends no counter for the ${kind} credits of this account`,
			);
		}
		const isForAll = 'all' in countersOf(account);
		const total = (counts: PerKind) =>
			isForAll ? Object.values(counts).reduce((all, one) => all + one, 0) : counts[kind];
		const most = Math.floor(remaining - credits) + total(spentBefore);
		this.roomAboveFloor = () => most - total(spent) - total(reserved);
	}

	/**
	 * Limits what is spent to the credits that are left, as the service says when it refuses a request (interface
	 * specification 7). Requests in progress count as charged already: for one that was not, a later refusal corrects it.
	 */
	learn(remaining: number): void {
		const { kind } = this.settings;
		const { spent, reserved } = this.totals;
		const most = remaining + spent[kind] + reserved[kind];
		this.roomInAccount = () => most - spent[kind] - reserved[kind];
	}

	/**
	 * Reserves credits for a request: as many as there is room for now. Without any room, it waits for the node's own
	 * requests in progress, which may cost less than they reserved. Throws a `Failure` if that gives none.
	 */
	async reserve(credits: number): Promise<Reservation> {
		return new Reservation(this, this.settings.ledger, await this.take(credits, 1));
	}

	/** @param least credits without which the request is not sent */
	async take(credits: number, least: number): Promise<number> {
		const { ledger, node, kind, cap, signal } = this.settings;
		for (;;) {
			if (signal?.aborted) throw endedBy(signal);
			const inFlight = ledger.reservedBy(node);
			const byCap = cap - ledger.spentBy(node) - inFlight;
			const byFloor = this.roomAboveFloor();
			const room = Math.min(credits, byCap, byFloor, this.roomInAccount());
			if (room >= least) {
				ledger.reserve(node, room);
				this.totals.reserved[kind] += room;
				return room;
			}
			if (byCap + inFlight < least) throw notSent('credit_limit');
			if (byFloor + inFlight < least) throw notSent('credit_floor');
			if (room + inFlight < least) throw notSent('out_of_credits');
			await ledger.posted();
		}
	}

	/** Turns reserved credits into what was spent of them. */
	spend(reserved: number, spent: Credits): void {
		const { ledger, node, kind } = this.settings;
		this.spent = sum(this.spent, spent);
		this.totals.reserved[kind] -= reserved;
		this.totals.spent[kind] += spent.certain + spent.uncertain;
		ledger.post(node, reserved, spent);
	}
}

/** Throws why nothing is sent when the account cannot be read. */
function notReadable(thrown: unknown): never {
	const failure = failureOf(thrown);
	const { next } = failure.problem;
	if (next === 'unsent') throw thrown;
	if (isOfAccount(failure)) throw notSent(failure.reason, failure);
	throw notSent(next === 'again' ? 'service_down' : 'account_unreadable', failure);
}

/** Credits set aside for one request. */
export class Reservation {
	private isOpen = true;
	private isSent = false;

	/** Whether an earlier attempt may have been charged as well. */
	isRenewed = false;

	constructor(
		private readonly budget: Budget,
		private readonly ledger: Ledger,
		readonly credits: number,
	) {}

	sent(): void {
		this.isSent = true;
		this.ledger.sent(this.credits);
	}

	/** The request has cost nothing; it may be sent again. */
	notCharged(): void {
		if (this.isSent) this.ledger.sent(this.credits, -1);
		this.isSent = false;
	}

	/**
	 * Gives back what the request has not cost. Only the first call counts.
	 * @param cost of the request; where nobody knows it, a request that was sent counts as its most
	 */
	charge(cost?: Credits): void {
		if (!this.isOpen) return;
		this.isOpen = false;
		const uncertain = this.isSent ? this.credits : 0;
		this.notCharged();
		this.budget.spend(this.credits, cost ?? { certain: 0, uncertain });
	}

	/**
	 * Reserves as much again, for a request that is sent again though the first attempt may have been charged.
	 * @returns false when there is no room for that
	 */
	async renew(): Promise<boolean> {
		this.charge();
		this.isRenewed = true;
		const taken = await this.budget.take(this.credits, this.credits).catch(() => undefined);
		this.isOpen = taken !== undefined;
		return this.isOpen;
	}
}
