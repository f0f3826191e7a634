import type { IContextObject, Logger } from 'n8n-workflow';
import type { NodeContext } from '../host/context';
import { count } from '../values/text';

/** Credits that were charged, and credits that may have been charged: the outcome of a request is not always known. */
export interface Credits {
	certain: number;
	uncertain: number;
}

export const NOTHING: Credits = { certain: 0, uncertain: 0 };

export function sum(one: Credits, other: Credits): Credits {
	return { certain: one.certain + other.certain, uncertain: one.uncertain + other.uncertain };
}

/** What answers have cost (interface specification 8): a hit 1 credit, a miss nothing; one left out may have been charged. */
export function costOf(answers: Array<unknown[] | Error | undefined>): Credits {
	const known = answers.filter(Array.isArray);
	const certain = known.filter((results) => results.length > 0).length;
	return { certain, uncertain: answers.length - known.length };
}

/** Where n8n stores the ledger with the execution. Another shape of it needs another name. */
const RECORD = 'contactDataCredits';

interface Stored {
	executionId: string;
	nodes: Record<string, Credits>;
}

const CUSTOM_DATA = 'contact_data_credits';

type Context = Pick<NodeContext, 'executionId' | 'signal' | 'customData'> & {
	logger: Pick<Logger, 'warn'>;
};

/**
 * The credits that one execution has spent and reserved, by node. n8n stores it with the execution, over its waits; a
 * retry is another execution and begins at 0. The custom data of the execution shows the sum, which a stopped execution
 * keeps as it is at the moment of the stop.
 */
export class Ledger {
	private readonly spent: Map<string, Credits>;
	private readonly reserved = new Map<string, number>();

	private readonly inProgress = { requests: 0, credits: 0 };

	private waiting: Array<() => void> = [];

	/** The custom data of the execution. It is read once, as n8n builds everything that an expression can read for it. */
	private readonly customData: ReturnType<Context['customData']>;

	private isShown: boolean;

	constructor(
		private readonly record: IContextObject,
		private readonly context: Context,
	) {
		const stored: Stored | undefined = record[RECORD];
		// A tool that n8n calls directly has no execution id.
		const isOwn = stored !== undefined && stored.executionId === context.executionId;
		this.spent = new Map(isOwn ? Object.entries(stored.nodes) : []);
		// A retry begins with the custom data of the execution that it retries.
		this.customData = context.customData();
		this.isShown = this.customData?.get(CUSTOM_DATA) !== undefined;
		if (this.isShown && this.spent.size === 0) this.show();
		context.signal?.addEventListener('abort', () => this.show());
	}

	/** What a node has spent, including what may have been charged. */
	spentBy(node: string): number {
		const { certain, uncertain } = this.spent.get(node) ?? NOTHING;
		return certain + uncertain;
	}

	reservedBy(node: string): number {
		return this.reserved.get(node) ?? 0;
	}

	reserve(node: string, credits: number): void {
		this.reserved.set(node, this.reservedBy(node) + credits);
	}

	/** Counts a request that was sent, or with -1 one that is over. */
	sent(credits: number, requests: 1 | -1 = 1): void {
		this.inProgress.requests += requests;
		this.inProgress.credits += requests * credits;
	}

	/** Turns reserved credits of a node into what was spent of them. */
	post(node: string, reserved: number, spent: Credits): void {
		this.reserve(node, -reserved);
		this.add(node, spent);
		// As long as nothing is spent for sure, what is in progress may turn out to be free.
		const isSure = this.total.certain > 0 || this.inProgress.requests === 0;
		if (isSure || this.context.signal?.aborted) this.show();
		for (const wake of this.waiting.splice(0)) wake();
	}

	/** A bulk job has been collected: its cost replaces the most that it could have cost. */
	collected(job: { node: string; executionId: string; credits: number }, cost: Credits): void {
		const { node, executionId, credits } = job;
		job.credits = 0;
		if (credits === 0 || executionId !== this.context.executionId) return;
		this.add(node, { certain: cost.certain, uncertain: cost.uncertain - credits });
		this.show();
	}

	/** Resolves when some reserved credits have been spent or released. */
	async posted(): Promise<void> {
		await new Promise<void>((resolve) => this.waiting.push(resolve));
	}

	get total(): Credits {
		return [...this.spent.values()].reduce(sum, NOTHING);
	}

	private add(node: string, spent: Credits): void {
		if (spent.certain === 0 && spent.uncertain === 0) return;
		this.spent.set(node, sum(this.spent.get(node) ?? NOTHING, spent));
		const { executionId } = this.context;
		this.record[RECORD] = { executionId, nodes: Object.fromEntries(this.spent) } satisfies Stored;
	}

	/** Shows the sum in the custom data of the execution; after a stop, the last sum goes into the log of n8n. */
	private show(): void {
		const { executionId, logger, signal } = this.context;
		const { certain, uncertain } = this.total;
		const most = certain + uncertain + this.inProgress.credits;
		const range = most > certain ? `${certain} to ` : '';
		const text = `${range}${count(most, 'credit')} spent${this.perNode()}`;
		this.isShown ||= most > 0;
		if (this.isShown) this.customData?.set(CUSTOM_DATA, text);
		if (signal?.aborted && this.inProgress.requests === 0) {
			logger.warn(`Contact Data: execution ${executionId} was stopped, ${text}`);
		}
	}

	/** What each node has spent, where there are several: ` (Find: 10, Verify: 2)`. */
	private perNode(): string {
		const nodes = [...this.spent].filter(([, { certain }]) => certain > 0);
		if (nodes.length < 2) return '';
		return ` (${nodes.map(([node, { certain }]) => `${node}: ${certain}`).join(', ')})`;
	}
}
