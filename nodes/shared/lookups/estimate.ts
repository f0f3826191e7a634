import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { Accounts } from '../client/accounts';
import type { AccountClient } from '../client/client';
import { readAccount, remainingOf } from '../credits/account';
import { executionOf } from '../execution/execution';
import { Breather } from '../host/breather';
import type { NodeContext } from '../host/context';
import { Parameters } from '../input/parameters';
import { OnError, stopError } from '../output/onError';
import { type Outcome, type Preparation, prepareItem } from '../input/item';
import { keyOf } from './lookup';
import { lookupOptionsOf } from '../input/options';
import { type Problem, problemOf } from '../failures/failure';
import { count } from '../values/text';
import { adviceOn, reasonsOf } from '../failures/words';

/**
 * Estimates what the lookup of all items would cost at most: in one item, or in one for each account that they belong
 * to. It reads every item as the lookup does, and each account once (interface specification 4.1). An account that
 * cannot be read stops the workflow or gives an item that says why, depending on On Error.
 */
export async function runEstimate<Query extends IDataObject>(
	context: NodeContext,
	estimate: Preparation<Query>,
): Promise<INodeExecutionData[]> {
	const { inputs, node } = context;
	const onError = new OnError(node);
	const outputs: INodeExecutionData[] = [];
	const fail = (thrown: unknown, item: number): undefined => {
		const problem = problemOf(thrown);
		if (onError.stops) throw stopError(node, problem, item);
		const withStatus = (json: IDataObject) => ({ json, pairedItem: { item } });
		outputs.push(onError.output(problem, item, inputs[item], withStatus));
	};
	const parameters = new Parameters(context, estimate);
	const options = lookupOptionsOf(parameters, context);
	if (options.refusal !== undefined) {
		fail(options.refusal, 0);
		return outputs;
	}
	const { answers, jobs } = executionOf(context);
	const open = (client: AccountClient) => {
		const keys = new Set<string>();
		const problems: Problem[] = [];
		return { client, first: inputs.length, buckets: { ...EMPTY_BUCKETS }, keys, problems };
	};
	const accounts = new Accounts(context, options, open);
	const bucketFor = ({ client, keys }: ReturnType<typeof open>, query: Query) => {
		const key = keyOf(estimate, client.connection, query);
		if (answers.find(key, client.connection) || jobs.of(key)) return 'alreadyBought';
		if (keys.has(key)) return 'duplicates';
		keys.add(key);
		return 'lookups';
	};
	const breather = new Breather();
	try {
		for (let item = 0; item < inputs.length; item++) {
			if (breather.isDue) await breather.breathe();
			const own = await accounts.of(item).catch((error) => fail(error, item));
			if (!own) continue;
			own.first = Math.min(own.first, item);
			const { query, outcome } = prepareItem(estimate, parameters, item, options);
			own.buckets[outcome ? bucketOf(outcome) : bucketFor(own, query)]++;
			if (outcome && 'reason' in outcome) own.problems.push(outcome);
		}
		for (const { client, first, buckets, problems } of accounts.all) {
			const account = await readAccount(client).catch((error) => fail(error, first));
			if (!account) continue;
			const creditsRemaining = remainingOf(account, estimate.kind);
			// A lookup costs 1 credit at most (interface specification 8).
			const mostCredits = buckets.lookups;
			const enough =
				creditsRemaining === null ? null : Math.max(0, creditsRemaining) >= mostCredits;
			const items = Object.values(buckets).reduce((sum, bucket) => sum + bucket);
			const json = { items, ...buckets, mostCredits, creditsRemaining, enough };
			outputs.push({ json, pairedItem: { item: first } });
			const left = creditsRemaining === null ? '' : `, and the account has ${creditsRemaining}`;
			const verdict = enough === false ? ': not enough for all' : '';
			const parts = [
				`${count(items, 'item')} would use up to ${count(mostCredits, 'credit')}${left}${verdict}`,
				reasonsOf(problems),
				parameters.readFrom,
				...adviceOn(problems),
			];
			const isWarning = enough === false || problems.length > 0;
			context.hint(`${parts.filter(Boolean).join('. ')}.`, isWarning ? 'warning' : 'info');
		}
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
	/** The execution has the answer, or a job that will have it. */
	alreadyBought: 0,
};

function bucketOf(outcome: Outcome): keyof typeof EMPTY_BUCKETS {
	if ('results' in outcome) return 'malformed';
	return 'fields' in outcome ? outcome.status : 'incomplete';
}
