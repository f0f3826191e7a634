import type {
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	NodeExecutionHint,
	NodeOutput,
} from 'n8n-workflow';

import { isObject } from '../values/json';
import { answersOf, budgetOf, jobsOf } from './execution';
import { BulkSender, type Waiting } from './bulkSender';
import { bulkServiceOf } from './bulkService';
import type { BulkLookup } from './lookup';
import { maxCreditsOf } from './lookupOptions';
import {
	errorItem,
	missingInput,
	onErrorOf,
	problemOf,
	statusFields,
	stopError,
	type Problem,
} from './outcome';
import { Progress } from './progress';
import { Run } from './run';
import { summaryOf, type Tally } from './summary';

/**
 * Runs a bulk lookup over all items of the node: the malformed are answered here, identical questions
 * are asked once, and the rest goes out in the fewest requests, several at once. Every input item gets
 * one output item, in order and linked, whatever happens to a request.
 */
export async function runBulk<Query extends IDataObject>(
	context: IExecuteFunctions,
	lookup: BulkLookup<Query>,
): Promise<NodeOutput> {
	const option = (name: string) => context.getNodeParameter(`options.${name}`, 0, null);
	const failsWhenIncomplete = option('incompleteRun') === 'fail';
	const stops = onErrorOf(context.getNode()) === 'stop';
	const questions = readQuestions(context, lookup);

	const firstMissing = questions.findIndex(({ missing }) => missing !== undefined);
	if (firstMissing >= 0 && stops && failsWhenIncomplete) {
		const problem = missingInput(questions[firstMissing].missing ?? '');
		throw stopError(context.getNode(), problem, firstMissing);
	}

	const run = new Run(context, context.getExecutionCancelSignal());
	const budget = budgetOf(context);
	const spentBefore = budget.spent;
	const connection = await run.connection().catch((error: unknown) => problemOf(error));
	const waiting: Array<Waiting<Query>> = [];
	const answers = answersOf(context);
	const progress = new Progress(context.logger, lookup.name, questions.length);
	const outcomes = questions.map(async ({ query, missing, answer }) => {
		if (missing !== undefined) return missingInput(missing);
		if (answer !== undefined) return { result: answer };
		if ('status' in connection) return connection;
		const key = `${connection.account} ${lookup.key(query)}`;
		const result = answers.once(
			key,
			async () =>
				await new Promise((resolve, reject) => waiting.push({ key, query, resolve, reject })),
		);
		return await result
			.then((found) => ({ result: isObject(found) ? found : {} }))
			.catch(problemOf)
			.finally(() => progress.step());
	});
	const asked = waiting.length;

	if (!('status' in connection)) {
		const service = await bulkServiceOf(context, run);
		const sender = new BulkSender(lookup, service, budget, maxCreditsOf(option), jobsOf(context));
		await sender.send(waiting);
	}
	return deliver(context, lookup, questions, await Promise.all(outcomes), {
		failsWhenIncomplete: stops && failsWhenIncomplete,
		asked,
		spent: budget.spent - spentBefore,
		paused: run.paused,
	});
}

function readQuestions<Query extends IDataObject>(
	context: IExecuteFunctions,
	{ fields, prepare }: BulkLookup<Query>,
) {
	return context.getInputData().map((_, item) => {
		const values = Object.entries(fields).map(([field, parameter]) => [
			field,
			context.getNodeParameter(parameter, item, ''),
		]);
		return prepare(Object.fromEntries(values));
	});
}

const retryOnFailHint: NodeExecutionHint = {
	message:
		'Retry On Fail is on, but not needed: this node repeats by itself what may succeed later. With it, requests of unknown outcome are sent again and may be paid twice.',
	type: 'info',
	location: 'outputPane',
};

type Outcome = Problem | { result: IDataObject };

/** The items of a bulk run, one per input item, and the summary above the output. */
function deliver<Query extends IDataObject>(
	context: IExecuteFunctions,
	lookup: BulkLookup<Query>,
	questions: Array<{ query: Query }>,
	outcomes: Outcome[],
	{
		failsWhenIncomplete,
		...figures
	}: { failsWhenIncomplete: boolean } & Pick<Tally, 'asked' | 'spent' | 'paused'>,
): NodeOutput {
	const node = context.getNode();
	const onError = onErrorOf(node);
	const inputs = context.getInputData();
	const simple = context.getNodeParameter('simple', 0, true) === true;
	const withInput = context.getNodeParameter('options.includeInputFields', 0, false) === true;
	const problems: Problem[] = [];
	let hits = 0;
	let firstProblem = -1;

	const items = outcomes.map((outcome, item): INodeExecutionData => {
		const { query } = questions[item];
		let json: IDataObject;
		if (!('result' in outcome)) {
			problems.push(outcome);
			if (firstProblem < 0) firstProblem = item;
			if (onError === 'errorOutput') return errorItem(outcome, item);
			json = statusFields(outcome, query);
		} else if (!lookup.isHit(outcome.result)) {
			json = { status: 'not_found', ...lookup.simplify({}, query), ...query };
		} else {
			hits++;
			const { result } = outcome;
			json = simple ? { status: lookup.answered, ...lookup.simplify(result, query) } : result;
		}
		return {
			json: withInput ? { ...inputs[item].json, ...json } : json,
			pairedItem: { item },
		};
	});

	const tally: Tally = {
		...figures,
		items: items.length,
		answered: items.length - problems.length,
		hits,
		problems,
	};
	const pending = new Set(problems.flatMap(({ jobId }) => jobId ?? []));
	const nothing = tally.answered === 0 && pending.size === 0 && onError === 'stop';
	const stopped = context.getExecutionCancelSignal()?.aborted === true;
	if (problems.length > 0 && (nothing || failsWhenIncomplete) && !stopped) {
		const [problem] = problems;
		const jobs = pending.size > 0 ? ` Unfinished jobs: ${[...pending].join(', ')}.` : '';
		const description = `${tally.answered} of ${tally.items} items were answered. ${problem.description}${jobs}`;
		throw stopError(node, { ...problem, description }, firstProblem);
	}
	context.addExecutionHints({
		message: summaryOf(lookup.name, tally),
		type: problems.length > 0 ? 'warning' : 'info',
		location: 'outputPane',
	});
	if (node.retryOnFail === true) context.addExecutionHints(retryOnFailHint);
	return [items];
}
