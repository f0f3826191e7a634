import type { IDataObject, INodeExecutionData, NodeExecutionHint } from 'n8n-workflow';
import { Runs } from '../client/accounts';
import type { Run } from '../client/client';
import { readAccount, remainingOf } from '../credits/account';
import type { AnswerStore } from '../execution/answers';
import { answersOf, jobsOf, type JobsOfExecution } from '../execution/execution';
import { Breather } from '../host/breather';
import type { NodeContext } from '../host/context';
import { Parameters } from '../host/parameters';
import type { Declaration } from '../host/routing';
import { errorItem, onErrorOf, statusFields, stopError } from '../output/onError';
import { problemOf } from '../output/problem';
import { asError } from '../values/text';
import { isAnswered, isPassedOn, type Outcome, QuestionReader } from './item';
import { type Asking, CREDITS_OF, keyOf } from './lookup';
import { type LookupOptions, lookupOptionsOf } from './options';

/** An operation that tells what a lookup would cost, without looking anything up. */
export interface Estimate<Query extends IDataObject> extends Declaration, Asking<Query> {}

/** An estimate of nothing is no all-clear. */
const nothingToLookUp: NodeExecutionHint = {
	message:
		'No item could be looked up: connect this node to your items, and check the fields that name what to look up',
	type: 'warning',
	location: 'outputPane',
};

/**
 * Tells what the lookup of all items would cost at most: in one item, or in one for each account that
 * they belong to. Every item is read as the lookup reads it, and the account once (interface
 * specification 4.1); nothing else is sent. An account that cannot be read has an item that says why,
 * or stops the workflow, as On Error wants it.
 */
export async function runEstimate<Query extends IDataObject>(
	context: NodeContext,
	estimate: Estimate<Query>,
): Promise<INodeExecutionData[]> {
	const parameters = new Parameters(context, estimate.fields);
	const options = optionsOf(parameters);
	if (options instanceof Error) return [outputForFailure(context, options, 0)];
	const reader = new QuestionReader(estimate, parameters, options);
	const breather = new Breather();
	const runs = new Runs(context, options);
	const estimates = new Map<Run, AccountEstimate>();
	const outputs: INodeExecutionData[] = [];
	try {
		for (let item = 0; item < context.inputs.length; item++) {
			if (breather.isDue) await breather.breathe();
			const run = runs.common ?? (await runs.of(item).catch(asError));
			if (run instanceof Error) {
				outputs.push(outputForFailure(context, run, item));
				continue;
			}
			const own = estimates.get(run) ?? new AccountEstimate(context, item);
			estimates.set(run, own);
			const { query, outcome } = reader.read(item);
			if (outcome) own.count(fateOf(outcome));
			else own.countQuestion(keyOf(estimate, run.connection, query));
		}
		for (const [run, own] of estimates) {
			const account = await readAccount(run).catch(asError);
			const isRead = !(account instanceof Error);
			outputs.push(
				isRead
					? own.toItem(remainingOf(account, CREDITS_OF[estimate.kind]))
					: outputForFailure(context, account, own.first),
			);
		}
		const accounts = [...estimates.values()];
		const isVain = accounts.length > 0 && accounts.every((account) => account.isVain);
		if (isVain) context.hint(nothingToLookUp);
		return outputs;
	} finally {
		runs.end();
	}
}

function optionsOf(parameters: Parameters): LookupOptions | Error {
	try {
		return lookupOptionsOf(parameters);
	} catch (error) {
		return asError(error);
	}
}

/** What becomes of an item: each is counted once. */
const FATES = {
	/** Sent, as the first of those that ask the same. */
	lookups: 0,
	duplicates: 0,
	known: 0,
	skipped: 0,
	/** Answered without the service. */
	malformed: 0,
	incomplete: 0,
	/** The execution has the answer, or is getting it. */
	alreadyBought: 0,
};

type Fate = keyof typeof FATES;

/** What the items of one account come to. */
class AccountEstimate {
	private items = 0;

	private readonly fates = { ...FATES };

	private readonly questions = new Set<string>();

	private readonly answers: AnswerStore;

	private readonly jobs: JobsOfExecution;

	/** @param first of the items that belong to the account */
	constructor(
		context: NodeContext,
		readonly first: number,
	) {
		this.answers = answersOf(context);
		this.jobs = jobsOf(context);
	}

	/** Whether no item could be looked up, and none brings its result along. */
	get isVain(): boolean {
		const { incomplete, skipped, malformed } = this.fates;
		return this.items > malformed && incomplete + skipped + malformed === this.items;
	}

	count(fate: Fate): void {
		this.items++;
		this.fates[fate]++;
	}

	/** An item that asks something. */
	countQuestion(key: string): void {
		const { answers, jobs, questions } = this;
		if (answers.find(key) || jobs.has(key)) return this.count('alreadyBought');
		this.count(questions.has(key) ? 'duplicates' : 'lookups');
		questions.add(key);
	}

	/** @param remaining credits that the account has left, if the service states it */
	toItem(remaining: number | null): INodeExecutionData {
		const { items, fates, first } = this;
		// An email costs 1 credit (interface specification 8).
		const mostCredits = fates.lookups;
		const enough = remaining === null ? null : remaining >= mostCredits || mostCredits === 0;
		const json = { items, ...fates, mostCredits, creditsRemaining: remaining, enough };
		return { json, pairedItem: { item: first } };
	}
}

function fateOf(outcome: Outcome): Fate {
	if (isAnswered(outcome)) return 'malformed';
	return isPassedOn(outcome) ? outcome.status : 'incomplete';
}

/** Says why there is no estimate, or stops the workflow, as On Error wants it. */
function outputForFailure(
	{ node, inputs }: NodeContext,
	thrown: unknown,
	item: number,
): INodeExecutionData {
	const problem = problemOf(thrown);
	const onError = onErrorOf(node);
	if (onError === 'stop') throw stopError(node, problem, item);
	if (onError === 'errorOutput') return errorItem(problem, item, inputs[item]);
	return { json: statusFields(problem), pairedItem: { item } };
}
