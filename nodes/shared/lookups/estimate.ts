import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { readAccount, remainingOf } from '../api/account';
import type { AccountClient } from '../client/client';
import { type Problem, problemOf, reasonsOf } from '../failures/failure';
import type { NodeContext } from '../host/context';
import { type Preparation, type Prepared, prepareItem } from '../input/item';
import { Run } from '../run/run';
import { count } from '../values/text';
import { keyOf } from './lookup';

/**
 * Estimates what the lookup of all items would cost at most: in one item, or in one for each account that they belong
 * to. It reads every item as the lookup does, and each account once (interface specification 4.1). An account that
 * cannot be read stops the workflow or gives an item that says why, depending on On Error.
 */
export async function runEstimate<Query extends IDataObject>(
	context: NodeContext,
	estimate: Preparation<Query>,
): Promise<INodeExecutionData[]> {
	const run = new Run(context, estimate, tallyOf);
	const { accounts, execution, options, parameters } = run;
	const failing = (item: number) => (error: unknown) => run.fail(problemOf(error), item);
	if (options.refusal !== undefined) {
		failing(0)(options.refusal);
		return run.deliver();
	}
	const bucketFor = ({ client, keys }: ReturnType<typeof tallyOf>, prepared: Prepared<Query>) => {
		const { outcome, query } = prepared;
		if (outcome && 'results' in outcome) return 'malformed';
		if (outcome) return 'fields' in outcome ? outcome.status : 'incomplete';
		const { connection } = client;
		const key = keyOf(estimate, connection, query);
		const isBought = execution.answers.find(key, connection, run.since(prepared)) !== undefined;
		// The job that an item brings along may be another provider's, or gone.
		if (isBought || execution.jobs.of(key)) return 'alreadyBought';
		if (keys.has(key)) return 'duplicates';
		keys.add(key);
		return 'lookups';
	};
	try {
		await run.forEachItem(async (item) => {
			const tally = await accounts.of(item).catch(failing(item));
			if (!tally) return;
			tally.first = Math.min(tally.first, item);
			const prepared = prepareItem(estimate, parameters, item, options);
			tally.buckets[bucketFor(tally, prepared)]++;
			const { outcome } = prepared;
			if (outcome && 'reason' in outcome) tally.problems.push(outcome);
		});
		for (const { client, first, buckets, problems } of accounts.all) {
			const account = await readAccount(client).catch(failing(first));
			if (!account) continue;
			const json = totalOf(buckets, remainingOf(account, estimate.kind));
			run.put(first, { json, pairedItem: { item: first } });
			const isWarning = json.enough === false || problems.length > 0;
			const without = problems.length > 0 ? `; ${reasonsOf(problems)}` : '';
			run.say(`${verdictOn(json)}${without}`, problems, isWarning);
		}
	} finally {
		accounts.end();
	}
	return run.deliver();
}

/** What the items of one account come to: the first of them, and the keys of the lookups. */
function tallyOf(client: AccountClient) {
	const problems: Problem[] = [];
	const keys = new Set<string>();
	return { client, first: Number.POSITIVE_INFINITY, keys, problems, buckets: { ...EMPTY_BUCKETS } };
}

/** A lookup costs 1 credit at most (interface specification 8). */
function totalOf(buckets: typeof EMPTY_BUCKETS, remaining: number | null) {
	const mostCredits = buckets.lookups;
	const enough = remaining === null ? null : Math.max(0, remaining) >= mostCredits;
	const creditsRemaining = Number.isFinite(remaining) ? remaining : null;
	const items = Object.values(buckets).reduce((sum, bucket) => sum + bucket);
	return { items, ...buckets, mostCredits, creditsRemaining, enough };
}

function verdictOn(total: ReturnType<typeof totalOf>): string {
	const { items, mostCredits, creditsRemaining, enough } = total;
	const left = creditsRemaining === null ? '' : `, and the account has ${creditsRemaining}`;
	const verdict = enough === false ? ': not enough for all' : '';
	return `${count(items, 'item')} would use up to ${count(mostCredits, 'credit')}${left}${verdict}`;
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
