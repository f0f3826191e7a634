import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { Accounts } from '../client/accounts';
import type { AccountClient } from '../client/client';
import type { Settled } from '../execution/answers';
import { type Execution, executionOf } from '../execution/execution';
import {
	causesOf,
	endedBy,
	isCausedByService,
	notSent,
	type Problem,
	reasonsOf,
} from '../failures/failure';
import { type Names, OF_LOOKUP } from '../failures/names';
import { Breather, CREDENTIAL, type NodeContext } from '../host/context';
import { allFields, type Declaration } from '../input/declaration';
import type { Prepared } from '../input/item';
import { type LookupOptions, lookupOptionsOf } from '../input/options';
import { LeadParameters } from '../input/leadParameters';
import {
	type ItemProblem,
	OnError,
	reasonToStop,
	statusFields,
	stopError,
} from '../output/onError';
import type { Pace } from '../pace/retry';
import { countsOf, summaryOf } from './summary';

/** The least time between two polls of the jobs of a run, in milliseconds, however many they are. */
const POLL_INTERVAL = 200;

/** Where items go on to another node of the same type. */
const NEXT_PROVIDER =
	' To go on with the next provider, set On Error in the Settings of this node to Continue.';

/** What a run has to know of its operation. */
export interface Runnable extends Declaration {
	/** The kind of credits that it costs. */
	kind?: string;
	/** The pace of its requests; without one, as the options say. */
	pace?: Pace;
	/** Whether it goes on after a problem: its results are bought, and would be lost. */
	goesOn?: true;
}

/** One operation with the items of its node: it reads the options once, hands over the items, and gives the output. */
export class Run<T extends { client: AccountClient }> {
	readonly parameters: LeadParameters;
	readonly options: LookupOptions;
	readonly names: Names;
	readonly accounts: Accounts<T>;
	readonly onError: OnError;
	readonly execution: Execution;
	readonly breather = new Breather();

	/** Why items have no result, or no whole one, in the order in which that was known. */
	readonly problems: ItemProblem[] = [];

	/** What lookups before say of items that it passes on. */
	readonly cameIn: Problem[] = [];

	/** What the other items come to, for the summary. */
	readonly counts = countsOf();

	/** Whether it has a result that was bought, by this execution or another one. */
	hasResult = false;

	private readonly outputs: INodeExecutionData[][];

	/** The time of the latest poll that was given a turn, in milliseconds since 1970. */
	private polledAt = Number.NEGATIVE_INFINITY;

	constructor(
		readonly context: NodeContext,
		private readonly operation: Runnable,
		open: (client: AccountClient) => T,
	) {
		this.parameters = new LeadParameters(context, operation);
		this.options = lookupOptionsOf(this.parameters, context);
		this.names = operation.names ?? OF_LOOKUP;
		const { requestOptions } = this.options;
		const pace = operation.pace ?? this.options.pace;
		// A limit that cannot be met in the time of the execution ends the run at once.
		const left = Math.max(0, context.endsAt - Date.now());
		const maxRateLimitWait = Math.min(pace.maxRateLimitWait, left);
		const hasOption = allFields(operation).some(({ name }) => name === 'maxRateLimitWait');
		const mayWaitUntil = hasOption && !context.isTool ? context.endsAt : 0;
		this.accounts = new Accounts(
			context,
			{ requestOptions, mayWaitUntil, pace: { ...pace, maxRateLimitWait } },
			open,
		);
		this.onError = new OnError(context.node);
		this.execution = executionOf(context);
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
			// A run decides by the columns of all items: looked at beforehand, they need not be at once.
			this.parameters.leads?.look(this.context.json(item));
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
		const problem = this.withAccount(thrown);
		const { inputs, isTool } = this.context;
		const errorItem = this.onError.errorItem(problem, item, inputs[item]);
		// Above the output of a node it stands once what to do.
		const why = statusFields(problem, this.names, !isTool);
		this.put(item, errorItem ?? withStatus(why));
		this.problems.push({ problem, item });
		if (this.isStopped) this.accounts.end();
	}

	/**
	 * The outputs in the order of the items. Throws where On Error or On Incomplete Run stops the workflow.
	 * @param outcome what came of the items and what it cost; by default what has no result, if there is any
	 */
	deliver(outcome?: string): INodeExecutionData[] {
		const { hasNext, node } = this.context;
		const { problem, item } = this.reasonToStop() ?? {};
		if (problem) {
			const goesOn = hasNext() && isCausedByService(problem.reason) ? NEXT_PROVIDER : '';
			const description = `${problem.description}${goesOn}`;
			throw stopError(node, { ...problem, description }, item);
		}
		const problems = this.problems.map((one) => one.problem);
		const said = outcome ?? reasonsOf(problems);
		if (said !== '') this.say(said, problems);
		return this.outputs.flat();
	}

	/** Says above the output what came of the items, what to do and what was read. */
	say(outcome: string, problems: Problem[], isWarning = false): void {
		const { context, counts, operation, parameters } = this;
		const facts = {
			counts,
			items: context.inputs.length,
			// The limit of another node is to be raised there.
			causes: causesOf([
				...problems,
				...this.cameIn.filter(({ reason }) => reason !== 'manual_limit'),
			]),
			toPick: () => parameters.toPick([['email']]),
			retriesOnFail: operation.goesOn === true && context.node.retryOnFail === true,
		};
		const [summary, type] = summaryOf(facts, outcome, parameters.readFrom);
		context.hint(summary, isWarning ? 'warning' : type);
	}

	/** A problem whose description names the credential and the credits: several providers may stand in a row. */
	private withAccount(problem: Problem): Problem {
		const { name } = this.context.node.credentials?.[CREDENTIAL] ?? {};
		const { kind } = this.operation;
		const credits = kind === undefined ? 'credits' : `${kind} credits`;
		const description = problem.description
			.replace('of the credential', (of) => (name === undefined ? of : `${of} "${name}"`))
			.replace('Add credits', `Add ${credits}`);
		return { ...problem, description };
	}

	/** What comes of a question beyond Max Items in Manual Runs: the first ones of the node in this execution are sent. */
	beyondManualLimit(key: string): Settled | undefined {
		const { isTool, node } = this.context;
		const { execution, options } = this;
		if (!execution.isManual || isTool) return undefined;
		const isFirst = execution.isAmongFirst(options.manualLimit, node.name, key);
		return isFirst ? undefined : { credits: 0, error: notSent('manual_limit') };
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
