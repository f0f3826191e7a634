import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { ACCOUNT_PATH, remainingOf } from '../credits/account';
import { Breather } from '../n8n/breather';
import type { NodeContext } from '../n8n/nodeContext';
import { Parameters } from '../n8n/parameters';
import type { Declaration } from '../n8n/routing';
import { errorItem, onErrorOf, statusFields, stopError } from '../outcomes/onError';
import { problemOf, type Problem } from '../outcomes/problem';
import { answersOf, jobsOf } from '../sending/execution';
import type { Run } from '../sending/run';
import { Runs } from '../sending/runs';
import { objectIn } from '../service/response';
import { CREDITS_OF, keyOf, type Asking } from './lookup';
import { lookupOptionsOf } from './lookupOptions';
import { isAnswered, isPassedOn, type Outcome } from './outcome';
import { QuestionReader } from './questions';

/** An operation that tells what a lookup would cost, without looking anything up. */
export interface Estimate<Query extends IDataObject> extends Declaration, Asking<Query> {}

/**
 * Tells what the lookup of all items would cost at most: in one item, or in one for each account that
 * they belong to. Every item is read as the lookup reads it, and the account once; nothing else is sent.
 */
export async function runEstimate<Query extends IDataObject>(
	context: NodeContext,
	estimate: Estimate<Query>,
): Promise<INodeExecutionData[]> {
	return await estimateAll(context, estimate).catch((thrown: unknown) =>
		failed(context, problemOf(thrown)),
	);
}

async function estimateAll<Query extends IDataObject>(
	context: NodeContext,
	estimate: Estimate<Query>,
): Promise<INodeExecutionData[]> {
	const parameters = new Parameters(context, estimate.fields);
	const options = lookupOptionsOf(parameters);
	const reader = new QuestionReader(estimate, parameters, options);
	const breather = new Breather();
	const runs = new Runs(context, options);
	const estimates = new Map<Run, AccountEstimate>();
	try {
		for (let item = 0; item < context.inputs.length; item++) {
			if (breather.isDue) await breather.breathe();
			const run = runs.common ?? (await runs.of(item));
			const own = estimates.get(run) ?? new AccountEstimate(context, item);
			estimates.set(run, own);
			const { query, outcome } = reader.read(item);
			if (outcome) own.count(fateOf(outcome));
			else own.countQuestion(keyOf(estimate, run.connection, query));
		}
		const items = [...estimates].map(async ([run, own]) => {
			const answer = await run.send({ method: 'GET', url: ACCOUNT_PATH });
			const account = objectIn(answer, 'an account');
			return own.toItem(remainingOf(account, CREDITS_OF[estimate.kind]));
		});
		return await Promise.all(items);
	} finally {
		runs.end();
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

	/** @param first of the items that belong to the account */
	constructor(
		private readonly context: NodeContext,
		private readonly first: number,
	) {}

	count(fate: Fate): void {
		this.items++;
		this.fates[fate]++;
	}

	/** An item that asks something. */
	countQuestion(key: string): void {
		const { context, questions } = this;
		if (answersOf(context).find(key) || jobsOf(context).has(key))
			return this.count('alreadyBought');
		this.count(questions.has(key) ? 'duplicates' : 'lookups');
		questions.add(key);
	}

	/** @param remaining credits that the account has left, if the service states it */
	toItem(remaining: number | null): INodeExecutionData {
		const { items, fates, first } = this;
		// No answer costs more than 1 credit (interface specification 8).
		const mostCredits = fates.lookups;
		const enough = remaining === null ? null : remaining >= mostCredits;
		const json = { items, ...fates, mostCredits, creditsRemaining: remaining, enough };
		return { json, pairedItem: { item: first } };
	}
}

function fateOf(outcome: Outcome): Fate {
	if (isAnswered(outcome)) return 'malformed';
	return isPassedOn(outcome) ? outcome.status : 'incomplete';
}

/** Stops the workflow, or says why there is no estimate, as On Error wants it. */
function failed({ node }: NodeContext, problem: Problem): INodeExecutionData[] {
	const onError = onErrorOf(node);
	if (onError === 'stop') throw stopError(node, problem);
	if (onError === 'errorOutput') return [errorItem(problem, 0)];
	return [{ json: statusFields(problem), pairedItem: { item: 0 } }];
}
