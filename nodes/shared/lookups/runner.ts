import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { NotProcessed } from '../http/errors';
import { type AnswerStore, OpenQuestion } from '../execution/answers';
import { answersOf, budgetOf, triedOf } from '../execution/execution';
import { Breather } from '../host/breather';
import type { NodeContext } from '../host/context';
import { Parameters } from '../host/parameters';
import { onErrorOf, stopError } from '../output/onError';
import { InvalidInput, type Problem, problemOf } from '../output/problem';
import { Sender, Senders } from './batcher';
import { Delivery, Progress, type Source } from './delivery';
import { isProblem, type ItemQuestion, type Outcome, QuestionReader } from './item';
import type { Lookup } from './lookup';
import { type LookupOptions, lookupOptionsOf, noOptions } from './options';

/**
 * Runs a lookup over all items of the node: the malformed are answered here, identical questions are
 * asked once, and the rest goes out in the fewest requests, several at once, while further items are
 * still being read. Every input item gets its output, in order and linked, whatever happens to a
 * request.
 */
export async function runLookup<Query extends IDataObject>(
	context: NodeContext,
	lookup: Lookup<Query>,
): Promise<INodeExecutionData[]> {
	const parameters = new Parameters(context, lookup.fields);
	const { options, refused } = readOptions(parameters);
	const senders = new Senders(context, lookup, options);
	const budget = budgetOf(context);
	const before = { ...budget.counted };
	const delivery = new Delivery(context, lookup, options);
	const run = new LookupRun(context, lookup, { options, senders, delivery, refused });
	try {
		await run.askAll(new QuestionReader(lookup, parameters, options));
	} finally {
		await senders.end();
	}
	const { repeated } = run;
	const { paused } = senders;
	const { credits, uncertain } = budget.counted;
	const isUncertain = uncertain > before.uncertain;
	const spent = credits - before.credits;
	return delivery.deliver({ repeated, paused, spent, isUncertain });
}

/** The options; where they cannot be meant, why no item of the run is sent. */
function readOptions(parameters: Parameters): { options: LookupOptions; refused?: Problem } {
	try {
		return { options: lookupOptionsOf(parameters) };
	} catch (error) {
		return { options: noOptions(parameters), refused: problemOf(error) };
	}
}

const BEYOND_MANUAL_LIMIT = new NotProcessed('manual_limit');

/** How an item waits for the answer to its question. */
interface Waits {
	/** Whether the question is asked for this item: others get the same answer for free. */
	pays: boolean;
	/** Asks the question in this run, where another run has asked it and did not send it. */
	askAgain?: () => void;
}

/** The items of one run of a lookup, on their way from question to outcome. */
class LookupRun<Query extends IDataObject> {
	/** Items that ask what another item of the execution asks as well. */
	repeated = 0;

	private readonly questions: Array<ItemQuestion<Query>> = [];

	private readonly asked = new Map<string, OpenQuestion>();

	/** How many items wait for their answer. */
	private open = 0;

	private onSettled = () => {};

	private readonly answers: AnswerStore;

	private readonly breather = new Breather();

	private readonly progress: Progress;

	constructor(
		private readonly context: NodeContext,
		lookup: Lookup<Query>,
		private readonly parts: {
			options: LookupOptions;
			senders: Senders<Query>;
			delivery: Delivery<Query>;
			/** Why no item is sent at all. */
			refused?: Problem;
		},
	) {
		const { logger } = context;
		this.answers = answersOf(context);
		this.progress = new Progress(logger, lookup.option.name, context.inputs.length);
	}

	/** Reads and asks the questions of all items, and waits for the answers. */
	async askAll(reader: QuestionReader<Query>): Promise<void> {
		const { inputs, node } = this.context;
		const { failsWhenIncomplete, keep } = this.parts.options;
		// A run that stops for an incomplete item sends nothing before.
		const readsFirst = failsWhenIncomplete && onErrorOf(node) === 'stop';
		const needsCounter = keep !== undefined;
		if (needsCounter && !readsFirst) this.parts.refused ??= await this.refusal();
		for (let item = 0; item < inputs.length; item++) {
			if (this.breather.isDue) await this.breather.breathe();
			this.questions[item] = reader.read(item);
			const problem = readsFirst && (await this.problemOf(item));
			if (problem) throw stopError(node, problem, item);
			if (!readsFirst) await this.ask(item);
		}
		if (needsCounter && readsFirst) await this.assertCounted();
		for (let item = 0; readsFirst && item < inputs.length; item++) {
			if (this.breather.isDue) await this.breather.breathe();
			await this.ask(item);
		}
		await this.parts.senders.finish();
		await this.settled();
	}

	/** Keep Credits is refused where the account states no counter: for every item, as a wrong value is. */
	private async refusal(): Promise<Problem | undefined> {
		if (this.context.inputs.length === 0) return undefined;
		const found = await this.uncounted(0);
		return this.parts.senders.hasOneAccount ? found : undefined;
	}

	/** Stops the workflow where an account that is needed states no counter for Keep Credits. */
	private async assertCounted(): Promise<void> {
		const { node } = this.context;
		const refused = await this.refusal();
		if (refused) throw stopError(node, refused, 0);
		for (const [item, { outcome }] of this.questions.entries()) {
			const problem = outcome ? undefined : await this.uncounted(item);
			if (problem) throw stopError(node, problem, item);
			if (!outcome && this.parts.senders.hasOneAccount) return;
		}
	}

	/** Whether the account of an item states no counter for Keep Credits. */
	private async uncounted(item: number): Promise<Problem | undefined> {
		const found = await this.parts.senders.purseOf(item).catch(problemOf);
		return 'status' in found && found.status === 'invalid_input' ? found : undefined;
	}

	/** Why nothing can be sent for an item, as far as that is known before anything is. */
	private async problemOf(item: number): Promise<Problem | undefined> {
		const { outcome } = this.questions[item];
		if (outcome) return isProblem(outcome) ? outcome : undefined;
		if (this.parts.senders.common) return undefined;
		const found = await this.parts.senders.of(item).catch(problemOf);
		return found instanceof Sender ? undefined : found;
	}

	/** Sees to it that the item gets its outcome, now or when its answer is there. */
	private ask(item: number): Promise<void> | void {
		const { query, outcome } = this.questions[item];
		if (this.parts.refused) this.settle(item, this.parts.refused);
		else if (outcome) this.settle(item, outcome);
		else if (this.parts.senders.common) this.askWith(this.parts.senders.common, item, query);
		else return this.askWithOwn(item, query);
	}

	/** Whether a lookup is one too many for a manual run. */
	private isBeyondManualLimit(key: string): boolean {
		const { context, parts } = this;
		const { manualLimit } = parts.options;
		if (!context.isManual || manualLimit === Number.POSITIVE_INFINITY) return false;
		const tried = triedOf(context);
		if (tried.size >= manualLimit && !tried.has(key)) return true;
		tried.add(key);
		return false;
	}

	private async askWithOwn(item: number, query: Query): Promise<void> {
		try {
			this.askWith(await this.parts.senders.of(item), item, query);
		} catch (error) {
			this.settle(item, problemOf(error));
		}
	}

	/** Takes the answer that this execution has or is getting, or asks for it. */
	private askWith(sender: Sender<Query>, item: number, query: Query): void {
		const key = sender.keyOf(query);
		// What this run has asked is not asked again, whatever came of it: it may have been charged.
		const found = this.asked.get(key) ?? this.answers.find(key);
		if (found && !(found instanceof OpenQuestion)) {
			this.repeated++;
			this.settle(item, found);
			return;
		}
		if (!found && !sender.jobOf(key) && this.isBeyondManualLimit(key)) {
			this.settle(item, problemOf(BEYOND_MANUAL_LIMIT));
			return;
		}
		const question = found ?? this.answers.ask(key);
		const isOwn = found === undefined || this.asked.get(key) === found;
		const askAgain = () => {
			if (this.asked.get(key) === question) this.asked.delete(key);
			this.askWith(sender, item, query);
		};
		if (isOwn) this.asked.set(key, question);
		this.waitFor(question, item, { pays: !found, askAgain: isOwn ? undefined : askAgain });
		if (!found) sender.add({ key, query, question });
	}

	private waitFor(question: OpenQuestion, item: number, { pays, askAgain }: Waits): void {
		this.open++;
		question.wait((settled) => {
			const source: Source = { isOfService: true, credits: pays ? settled.credits : 0 };
			const error = 'error' in settled ? settled.error : undefined;
			// The limits of another run of a node are its own business.
			const isOfOther = error instanceof NotProcessed || error instanceof InvalidInput;
			if (!error && !pays) this.repeated++;
			if (askAgain && isOfOther) askAgain();
			else if ('error' in settled) this.settle(item, problemOf(settled.error), source);
			else this.settle(item, settled.answer, source);
			if (--this.open === 0) this.onSettled();
		});
	}

	/** Waits for the answers that another run of a node, of this execution, is getting. */
	private async settled(): Promise<void> {
		if (this.open === 0) return;
		await new Promise<void>((resolve) => {
			this.onSettled = resolve;
		});
	}

	private settle(item: number, outcome: Outcome, source?: Source): void {
		const { delivery } = this.parts;
		try {
			delivery.settle(item, this.questions[item], outcome, source);
		} catch (error) {
			// A result that we cannot put in our words is this item's business alone.
			delivery.settle(item, this.questions[item], problemOf(error), source);
		}
		this.progress.step();
	}
}
