import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { Accounts } from '../client/accounts';
import type { AccountClient } from '../client/client';
import { type Execution, executionOf } from '../execution/execution';
import { adviceOn, endedBy, type Problem, type Reason, reasonsOf } from '../failures/failure';
import { WITHOUT_RESULT } from '../failures/reasons';
import { Breather, CREDENTIAL, type NodeContext } from '../host/context';
import type { Declaration } from '../input/declaration';
import type { Prepared } from '../input/item';
import { type LookupOptions, lookupOptionsOf } from '../input/options';
import { LeadParameters } from '../input/leadParameters';
import { type ItemProblem, OnError, reasonToStop, stopError } from '../output/onError';
import { Replaced } from '../output/shape';
import type { Pace } from '../pace/retry';
import { count } from '../values/text';
import { cameInWithout, summaryOf, withAccount, withNextProvider } from './summary';

/** The least time between two polls of the jobs of a run, in milliseconds, however many they are. */
const POLL_INTERVAL = 200;

/** What a run has to know of its operation. */
export interface Runnable extends Declaration {
	/** The pace of its requests; without one, as the options say. */
	pace?: Pace;
	/** Whether it goes on after a problem: its results are bought, and would be lost. */
	goesOn?: true;
	/** The kind of credits that it costs, if any (interface specification 2.2). */
	kind?: string;
}

/** What is said above the output beside what came of the items. */
interface Said {
	isWarning: boolean;
	/** What was paid for in vain, each a sentence with what to do about it: it comes before all advice. */
	losses?: string[];
	/** What else may be wrong. */
	warnings?: string[];
	/** Why items have no result; by default those of the run. */
	problems?: Problem[];
}

/** One operation with the items of its node: it reads the options once, hands over the items, and gives the output. */
export class Run<T extends { client: AccountClient }> {
	readonly parameters: LeadParameters;
	readonly options: LookupOptions;
	readonly accounts: Accounts<T>;
	readonly onError: OnError;
	readonly execution: Execution;
	readonly breather = new Breather();

	/** Why items have no result, or no whole one, in the order in which that was known. */
	readonly problems: ItemProblem[] = [];

	readonly replaced = new Replaced();

	/** The nodes that `source` may name. */
	readonly sources: Set<unknown>;

	/** Why items that are passed on came in without a result. */
	private readonly before: Reason[] = [];

	/** Whether it has a result that was bought, by this execution or another one. */
	hasResult = false;

	private readonly outputs: INodeExecutionData[][];

	/** The time of the latest poll that was given a turn, in milliseconds since 1970. */
	private polledAt = Number.NEGATIVE_INFINITY;

	/** @param open makes what belongs to an account, with the client that sends its requests */
	constructor(
		readonly context: NodeContext,
		private readonly operation: Runnable,
		open: (client: AccountClient) => T,
	) {
		this.parameters = new LeadParameters(context, operation);
		this.options = lookupOptionsOf(this.parameters, context, operation.optionalColumn?.option);
		const { requestOptions } = this.options;
		const pace = operation.pace ?? this.options.pace;
		// A limit that cannot be met in the time of the execution ends the run at once.
		const left = Math.max(0, context.endsAt - Date.now());
		const maxRateLimitWait = Math.min(pace.maxRateLimitWait, left);
		const hasOption = operation.options?.some(({ name }) => name === 'maxRateLimitWait');
		const mayWaitUntil = hasOption && !context.isTool ? context.endsAt : 0;
		this.accounts = new Accounts(
			context,
			{ requestOptions, mayWaitUntil, pace: { ...pace, maxRateLimitWait } },
			open,
		);
		this.onError = new OnError(context.node, !context.isTool);
		this.execution = executionOf(context);
		this.sources = new Set(context.namesBefore());
		this.outputs = context.inputs.map(() => []);
	}

	/**
	 * The time that an answer for an item has to be newer than, in milliseconds since 1970: that of what the item has, or
	 * with Look Up Again After at 0 the beginning of the execution, whose own answers are new enough.
	 */
	since({ due, isRefreshed }: Pick<Prepared<unknown>, 'due' | 'isRefreshed'>): number {
		const { startedAt } = this.execution;
		return isRefreshed ? startedAt : Math.min(due?.checked ?? 0, startedAt);
	}

	/** Hands over the items in their order, so many at once, until one ends the run. */
	async forEachItem(handle: (item: number) => Promise<void>, atOnce = 1): Promise<void> {
		for (let item = 0; item < this.outputs.length; item++) {
			if (this.breather.isDue) await this.breather.breathe();
			this.parameters.look(item);
		}
		let next = 0;
		const work = async () => {
			for (;;) {
				// Before an item is taken, so that no later one overtakes it.
				if (this.breather.isDue) await this.breather.breathe();
				if (next >= this.outputs.length || this.isStopped) return;
				await handle(next++);
			}
		};
		await Promise.all(Array.from({ length: atOnce }, work));
	}

	/** Goes over some of them again, with pauses for the rest of n8n. */
	async forEachOf<I>(items: I[], handle: (item: I) => void): Promise<void> {
		for (const item of items) {
			if (this.breather.isDue) await this.breather.breathe();
			handle(item);
		}
	}

	/** How long the next poll of a job has to wait for its turn, in milliseconds. */
	nextPoll(): number {
		const now = Date.now();
		this.polledAt = Math.max(now, this.polledAt + POLL_INTERVAL);
		return this.polledAt - now;
	}

	/** Puts out what an item has become. */
	put(item: number, ...outputs: INodeExecutionData[]): void {
		this.outputs[item].push(...outputs);
	}

	/**
	 * Puts out an item without a result, as On Error says.
	 * @param withStatus makes an item of the fields that say why
	 */
	fail(
		thrown: Problem,
		item: number,
		withStatus = (json: IDataObject): INodeExecutionData => ({ json, pairedItem: { item } }),
	): void {
		const { credentials } = this.context.node;
		const problem = withAccount(thrown, this.operation.kind, credentials?.[CREDENTIAL]?.name);
		this.put(item, this.onError.output(problem, item, this.context.inputs[item], withStatus));
		this.problems.push({ problem, item });
		if (this.isStopped) this.accounts.end();
	}

	/** Notes an item that is passed on as it is: if it came in without a result, the summary says so. */
	passOn(item: number): void {
		const { status, reason } = this.context.inputs[item].json;
		if (WITHOUT_RESULT.has(status)) this.before.push({ status: `${status}`, reason: `${reason}` });
	}

	/**
	 * The outputs in the order of the items. Throws where On Error or On Incomplete Run stops the workflow.
	 * @param outcome what came of the items and what it cost; by default what has no result, if there is any
	 */
	deliver(outcome?: string[], said: Partial<Said> = {}): INodeExecutionData[] {
		const { isWarning = this.problems.length > 0 } = said;
		const reason = this.reasonToStop();
		const { hasNext, node } = this.context;
		if (reason) throw stopError(node, withNextProvider(reason.problem, hasNext()), reason.item);
		if (outcome ?? isWarning) this.say(outcome ?? this.incomplete, { ...said, isWarning });
		return this.outputs.flat();
	}

	/** How many items have no result, or no whole one, and why; nothing if all have one. */
	get incomplete(): string[] {
		const problems = this.problems.map(({ problem }) => problem);
		if (problems.length === 0) return [];
		return [`${count(problems.length, 'item')} without a whole result: ${reasonsOf(problems)}`];
	}

	/** Says above the output what came of the items and what it cost, what to do, and what was read, in this order. */
	say(outcome: string[], { isWarning, losses = [], warnings = [], problems }: Said): void {
		const { before, parameters, replaced } = this;
		const toDo = [
			...losses,
			...replaced.said,
			...parameters.warnings,
			...adviceOn(problems ?? this.problems.map(({ problem }) => problem)),
			...warnings,
			...cameInWithout(before),
			...parameters.leftAside,
		];
		const summary = summaryOf(outcome, toDo, parameters.readFrom);
		if (summary) this.context.hint(summary, isWarning || before.length > 0 ? 'warning' : 'info');
	}

	/** Whether the workflow may be stopped here: one that somebody has stopped is not stopped again. */
	private get mayStop(): boolean {
		const { signal } = this.context;
		const isCancelled = signal?.aborted === true && endedBy(signal).reason === 'cancelled';
		return this.onError.stops && !isCancelled;
	}

	/** Whether a problem has ended the run: what is free is asked again by the next one. */
	private get isStopped(): boolean {
		return this.mayStop && !this.operation.goesOn && this.problems.length > 0;
	}

	private reasonToStop(): { problem: Problem; item?: number } | undefined {
		if (!this.mayStop) return undefined;
		if (!this.operation.goesOn) return this.problems[0];
		return reasonToStop(this.problems, this.outputs.length, {
			failsWhenIncomplete: this.options.failsWhenIncomplete,
			hasValue: this.hasResult || this.execution.hasBought,
		});
	}
}
