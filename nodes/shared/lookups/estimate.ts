import type { IDataObject, INodeExecutionData, NodeExecutionHint } from 'n8n-workflow';

import { Accounts } from '../client/accounts';
import type { AccountClient } from '../client/client';
import { readAccount, remainingOf } from '../credits/account';
import { executionOf, type Execution } from '../execution/execution';
import { Breather } from '../host/breather';
import type { NodeContext } from '../host/context';
import { Parameters } from '../host/parameters';
import type { Declaration } from '../host/routing';
import { OnError } from '../output/onError';
import { problemOf } from '../output/problem';
import { ItemReader, type Outcome, type PreparedItem } from './item';
import { keyOf, type Preparation } from './lookup';
import { lookupOptionsOf } from './options';

/** An operation that estimates what a lookup would cost, without looking anything up. */
export interface Estimate<Query extends IDataObject> extends Declaration, Preparation<Query> {}

/** An estimate of nothing is no all-clear. */
const nothingToLookUp: NodeExecutionHint = {
	message:
		'No item could be looked up: connect this node to your items, and check the fields that name what to look up',
	type: 'warning',
	location: 'outputPane',
};

/**
 * Estimates what the lookup of all items would cost at most: in one item, or in one for each account that they belong
 * to. It reads every item as the lookup does, and each account once (interface specification 4.1). An account that
 * cannot be read stops the workflow or gives an item that says why, depending on On Error.
 */
export async function runEstimate<Query extends IDataObject>(
	context: NodeContext,
	estimate: Estimate<Query>,
): Promise<INodeExecutionData[]> {
	const { inputs, node } = context;
	const onError = new OnError(node);
	const outputs: INodeExecutionData[] = [];
	const fail = (thrown: unknown, item: number): undefined => {
		const problem = problemOf(thrown);
		if (onError.stops) throw onError.exception(problem, item);
		const withStatus = (json: IDataObject) => ({ json, pairedItem: { item } });
		outputs.push(onError.output(problem, item, inputs[item], withStatus));
	};
	const parameters = new Parameters(context, estimate.fields);
	const options = lookupOptionsOf(parameters);
	if (options.refusal !== undefined) {
		fail(options.refusal, 0);
		return outputs;
	}
	const reader = new ItemReader(estimate, parameters, options);
	const execution = executionOf(context);
	const open = (client: AccountClient) => new AccountEstimate(client, execution, estimate);
	const accounts = new Accounts(context, options, open);
	const breather = new Breather();
	try {
		for (let item = 0; item < inputs.length; item++) {
			if (breather.isDue) await breather.breathe();
			const own = accounts.common ?? (await accounts.of(item).catch((error) => fail(error, item)));
			if (!own) continue;
			own.count(item, reader.read(item));
		}
		for (const own of accounts.all) {
			const json = await own.toJson().catch((error) => fail(error, own.first));
			if (json) outputs.push({ json, pairedItem: { item: own.first } });
		}
		const isVain = accounts.all.length > 0 && accounts.all.every((own) => own.isVain);
		if (isVain) context.hint(nothingToLookUp);
	} finally {
		accounts.end();
	}
	return outputs;
}

/** What the items come to. Each item is in one bucket. */
const EMPTY_BUCKETS = {
	/** The first of those that ask the same: they are sent. */
	lookups: 0,
	duplicates: 0,
	known: 0,
	skipped: 0,
	malformed: 0,
	incomplete: 0,
	/** The execution has the answer, or is getting it. */
	alreadyBought: 0,
};

type Bucket = keyof typeof EMPTY_BUCKETS;

class AccountEstimate<Query extends IDataObject> {
	/** The first item that belongs to the account. */
	first = Number.POSITIVE_INFINITY;

	private readonly buckets = { ...EMPTY_BUCKETS };

	private readonly keys = new Set<string>();

	constructor(
		private readonly client: AccountClient,
		private readonly execution: Execution,
		private readonly estimate: Estimate<Query>,
	) {
		execution.answers.load(client.connection);
	}

	/** Whether no item could be looked up, and none has its result already. */
	get isVain(): boolean {
		const { incomplete, skipped, lookups, known, alreadyBought } = this.buckets;
		return incomplete + skipped > 0 && lookups + known + alreadyBought === 0;
	}

	count(item: number, { query, outcome }: PreparedItem<Query>): void {
		this.first = Math.min(this.first, item);
		this.buckets[outcome ? bucketOf(outcome) : this.bucketOf(query)]++;
	}

	private bucketOf(query: Query): Bucket {
		const { answers, jobs } = this.execution;
		const key = keyOf(this.estimate, this.client.connection, query);
		if (answers.find(key) || jobs.has(key)) return 'alreadyBought';
		if (this.keys.has(key)) return 'duplicates';
		this.keys.add(key);
		return 'lookups';
	}

	/** Reads the account. An email costs 1 credit (interface specification 8). */
	async toJson(): Promise<IDataObject> {
		const creditsRemaining = remainingOf(await readAccount(this.client), this.estimate.kind);
		const items = Object.values(this.buckets).reduce((sum, bucket) => sum + bucket);
		const mostCredits = this.buckets.lookups;
		const hasEnough = mostCredits === 0 || (creditsRemaining ?? 0) >= mostCredits;
		const enough = creditsRemaining === null ? null : hasEnough;
		return { items, ...this.buckets, mostCredits, creditsRemaining, enough };
	}
}

function bucketOf(outcome: Outcome): Bucket {
	if ('results' in outcome) return 'malformed';
	return 'fields' in outcome ? outcome.status : 'incomplete';
}
