import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { Breather } from '../n8n/breather';
import type { NodeContext } from '../n8n/nodeContext';
import { Parameters } from '../n8n/parameters';
import { onErrorOf, stopError } from '../outcomes/onError';
import { problemOf, type Problem } from '../outcomes/problem';
import type { AnswerStore, OpenQuestion } from '../sending/answerStore';
import { answersOf, budgetOf } from '../sending/execution';
import { Delivery } from './delivery';
import type { Lookup } from './lookup';
import { lookupOptionsOf, NO_OPTIONS, type LookupOptions } from './lookupOptions';
import { Progress } from './progress';
import { QuestionReader, type ItemQuestion } from './questions';
import type { Sender } from './sender';
import { Senders } from './senders';
import type { Outcome } from './summary';

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
	const before = { spent: budget.spent, uncertain: budget.uncertain };
	const delivery = new Delivery(context, lookup, options);
	const run = new LookupRun(context, lookup, { senders, delivery, refused });
	try {
		await run.askAll(new QuestionReader(lookup, parameters), options);
	} finally {
		await senders.end();
	}
	const { repeated } = run;
	const { paused } = senders;
	const isUncertain = budget.uncertain > before.uncertain;
	// A job of an earlier run that was counted in full may turn out to have cost less.
	const spent = Math.max(0, budget.spent - before.spent);
	return delivery.deliver({ repeated, paused, spent, isUncertain });
}

/** The options; where they cannot be meant, why no item of the run is sent. */
function readOptions(parameters: Parameters): { options: LookupOptions; refused?: Problem } {
	try {
		return { options: lookupOptionsOf(parameters) };
	} catch (error) {
		return { options: NO_OPTIONS, refused: problemOf(error) };
	}
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
	async askAll(
		reader: QuestionReader<Query>,
		{ failsWhenIncomplete }: LookupOptions,
	): Promise<void> {
		const { inputs, node } = this.context;
		// A run that stops for an incomplete item is not to cost anything before.
		const readsFirst = failsWhenIncomplete && onErrorOf(node) === 'stop';
		for (let item = 0; item < inputs.length; item++) {
			if (this.breather.isDue) await this.breather.breathe();
			this.questions[item] = reader.read(item);
			const { refused } = this.questions[item];
			if (readsFirst && refused) throw stopError(node, problemOf(refused), item);
			if (!readsFirst) await this.ask(item);
		}
		for (let item = 0; readsFirst && item < inputs.length; item++) {
			if (this.breather.isDue) await this.breather.breathe();
			await this.ask(item);
		}
		await this.parts.senders.finish();
		await this.settled();
	}

	/** Sees to it that the item gets its outcome, now or when its answer is there. */
	private ask(item: number): Promise<void> | void {
		const { query, refused, answer } = this.questions[item];
		if (this.parts.refused) this.settle(item, this.parts.refused);
		else if (refused) this.fail(item, refused);
		else if (answer) this.settle(item, { results: [answer] });
		else if (this.parts.senders.common) this.askWith(this.parts.senders.common, item, query);
		else return this.askWithOwn(item, query);
	}

	private async askWithOwn(item: number, query: Query): Promise<void> {
		try {
			this.askWith(await this.parts.senders.of(item), item, query);
		} catch (error) {
			this.fail(item, error);
		}
	}

	/** Takes the answer that this execution has or is getting, or asks for it. */
	private askWith(sender: Sender<Query>, item: number, query: Query): void {
		const key = sender.keyOf(query);
		// What this run has asked is not asked again, whatever came of it: it may have been charged.
		const found = this.asked.get(key) ?? this.answers.find(key);
		if (found) this.repeated++;
		if (Array.isArray(found)) {
			this.settle(item, { results: found });
			return;
		}
		const question = found ?? this.answers.ask(key);
		this.asked.set(key, question);
		this.waitFor(question, item);
		if (!found) sender.add({ key, query, question });
	}

	private waitFor(question: OpenQuestion, item: number): void {
		this.open++;
		question.wait((settled) => {
			if ('error' in settled) this.fail(item, settled.error);
			else this.settle(item, settled, true);
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

	private settle(item: number, outcome: Outcome, isOfService = false): void {
		const { delivery } = this.parts;
		try {
			delivery.settle(item, this.questions[item], outcome, isOfService);
		} catch (error) {
			// A result that we cannot put in our words is this item's business alone.
			delivery.settle(item, this.questions[item], problemOf(error));
		}
		this.progress.step();
	}

	private fail(item: number, reason: unknown): void {
		this.settle(item, problemOf(reason));
	}
}
