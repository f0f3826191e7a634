import type { Logger } from 'n8n-workflow';
import type { NodeContext } from '../host/context';
import { objectAt } from '../values/json';
import { count } from '../values/text';

/** Where credits spent are counted; n8n stores it with the execution, across its waits. */
export interface CreditRecord {
	creditsSpent?: unknown;
	/** The execution that counted: n8n hands a copy of the record to a retry, which counts again from 0. */
	creditsSpentBy?: unknown;
	/** What may have been spent besides, by requests that are over. */
	creditsUncertain?: unknown;
	/** What each node has spent for certain, by its name. */
	creditsSpentByNode?: unknown;
}

/** The credits that one execution has spent, as one of its records counts them. */
export class CreditCount {
	constructor(
		private readonly record: CreditRecord,
		private readonly executionId: string,
	) {}

	get spent(): number {
		return this.counted(this.record.creditsSpent);
	}

	/** What may have been spent besides. */
	get uncertain(): number {
		return this.counted(this.record.creditsUncertain);
	}

	/** What each node has spent for certain. */
	get byNode(): Map<string, number> {
		const counted = Object.entries(objectAt(this.record, 'creditsSpentByNode'));
		const own = counted.map(([node, credits]) => [node, this.counted(credits)] as const);
		return new Map(own.filter(([, credits]) => credits > 0));
	}

	/**
	 * @param uncertain credits of which it is not known whether they were spent; fewer if negative
	 * @param node that has spent them, where nodes are told apart
	 */
	add(credits: number, uncertain = 0, node?: string): void {
		const { spent, uncertain: before, byNode } = this;
		if (node !== undefined) {
			if (credits !== 0) byNode.set(node, (byNode.get(node) ?? 0) + credits);
			if (byNode.size > 0) this.record.creditsSpentByNode = Object.fromEntries(byNode);
			else delete this.record.creditsSpentByNode;
		}
		this.record.creditsSpent = spent + credits;
		if (before + uncertain !== 0) this.record.creditsUncertain = before + uncertain;
		else delete this.record.creditsUncertain;
		this.record.creditsSpentBy = this.executionId;
	}

	private counted(credits: unknown): number {
		const isOwn = this.record.creditsSpentBy === this.executionId;
		return isOwn && typeof credits === 'number' ? credits : 0;
	}
}

/** What an execution has cost so far, in credits. */
export interface Costs {
	/** Spent for certain. */
	least: number;
	/** With all that requests may cost which are in progress, or whose outcome is not known. */
	most: number;
	/** What each node has spent for certain. */
	byNode: Map<string, number>;
	/** Whether the execution was stopped and nothing is in progress any more. */
	isLast: boolean;
}

/**
 * The credits of one execution, all its nodes together. It tells what they come to whenever that
 * changes, and once more in the moment in which the execution is stopped.
 */
export class ExecutionCredits {
	private requestsInProgress = 0;

	/** What these requests may cost. */
	private inProgress = 0;

	/**
	 * @param stop the signal that stops the execution
	 * @param tell is not to throw: in the moment of the stop that would end the process of n8n
	 */
	constructor(
		private readonly count: CreditCount,
		private readonly stop: AbortSignal | undefined,
		private readonly tell: (costs: Costs) => void,
	) {
		stop?.addEventListener('abort', () => this.tellCosts());
	}

	/** A request is in progress that may cost so many credits. */
	sent(credits: number): void {
		this.requestsInProgress++;
		this.inProgress += credits;
	}

	/**
	 * A request of a node is over that might have cost so many credits.
	 * @param spent what it did cost of them, if known
	 * @param uncertain what it may have cost besides
	 */
	over(node: string, credits: number, spent?: number, uncertain = 0): void {
		this.requestsInProgress--;
		this.inProgress -= credits;
		this.add(node, spent ?? 0, spent === undefined ? credits : uncertain);
		// As long as nothing is spent for certain, what is in progress may turn out to be free.
		const isCertain = this.count.spent > 0 || this.requestsInProgress === 0;
		if (isCertain || this.stop?.aborted) this.tellCosts();
	}

	/**
	 * The cost of a request of a node that is over turns out to be known.
	 * @param uncertain what it may have cost besides
	 */
	turnedOut(node: string, credits: number, spent: number, uncertain = 0): void {
		this.add(node, spent, uncertain - credits);
		this.tellCosts();
	}

	private add(node: string, spent: number, uncertain: number): void {
		if (spent !== 0 || uncertain !== 0) this.count.add(spent, uncertain, node);
	}

	private tellCosts(): void {
		const { spent: least, uncertain, byNode } = this.count;
		const isLast = this.stop?.aborted === true && this.requestsInProgress === 0;
		this.tell({ least, most: least + uncertain + this.inProgress, byNode, isLast });
	}
}

/** The key of the custom data. */
const NAME = 'contact_data_credits';

/** n8n cuts off the value after 512 characters. */
const MAX_LENGTH = 400;

interface Context extends Pick<NodeContext, 'executionId' | 'customData'> {
	logger: Pick<Logger, 'warn'>;
}

/**
 * Tells what an execution has cost in its custom data, which n8n shows beside it. A stopped execution is
 * saved without the items of the node that was running, right after the stop: answers that come later
 * count there as what may be spent. The log of n8n has the figures after the last answer.
 * @param hasSpent whether the execution has spent credits already
 */
export function costTellerOf(context: Context, hasSpent: boolean): (costs: Costs) => void {
	const { executionId, logger } = context;
	const customData = context.customData();
	// A retry begins with the custom data of the execution that it retries.
	let isTold = customData?.get(NAME) !== undefined;
	if (isTold && !hasSpent) customData?.set(NAME, `${count(0, 'credit')} spent`);
	return ({ least, most, byNode, isLast }) => {
		const range = most > least ? `${least} to ` : '';
		const costs = `${range}${count(most, 'credit')} spent${perNode(byNode)}`;
		isTold ||= most > 0;
		if (isTold) customData?.set(NAME, costs);
		if (isLast) logger.warn(`Contact Data: execution ${executionId} was stopped, ${costs}`);
	};
}

/** What each node has spent, where there are several: ` (Find: 10, Verify: 2)`. */
function perNode(byNode: Map<string, number>): string {
	if (byNode.size < 2) return '';
	const costs = [...byNode].map(([node, credits]) => `${node}: ${credits}`).join(', ');
	return ` (${costs.length > MAX_LENGTH ? `${costs.slice(0, MAX_LENGTH)}…` : costs})`;
}

/**
 * What an answer costs, in credits (interface specification 8): a hit 1, a miss nothing. One that the
 * service left out may have been charged all the same.
 */
export function costOf(results: unknown[] | undefined): number {
	return results?.length === 0 ? 0 : 1;
}

/** What a request did cost, by its answers: for certain, and perhaps besides. */
export function costsOf(answers: Array<unknown[] | undefined>): {
	spent: number;
	uncertain: number;
} {
	const costs = { spent: 0, uncertain: 0 };
	for (const results of answers) costs[results ? 'spent' : 'uncertain'] += costOf(results);
	return costs;
}
