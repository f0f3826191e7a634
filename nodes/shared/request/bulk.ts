import type { IDataObject, IExecuteFunctions, INodeExecutionData, NodeOutput } from 'n8n-workflow';

import { isObject } from '../values/json';
import type { CreditBudget } from './budget';
import { answersOf, budgetOf, jobsOf, type JobsOfExecution } from './execution';
import { bulkServiceOf } from './bulkService';
import type { BulkLookup, BulkService } from './lookup';
import { maxCreditsOf } from './lookupOptions';
import { NotProcessed } from './notProcessed';
import {
	errorItem,
	JobPending,
	missingInput,
	onErrorOf,
	problemOf,
	statusFields,
	stopError,
	type Problem,
} from './outcome';
import { Progress } from './progress';
import { Run } from './run';
import { ServiceError, unexpectedAnswer } from './serviceError';
import { summaryOf, type Tally } from './summary';

/** A distinct question that waits for its result. */
interface Waiting<Query> {
	key: string;
	query: Query;
	resolve: (result: IDataObject) => void;
	reject: (reason: Error) => void;
}

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
		const sender = new Sender(lookup, service, budget, maxCreditsOf(option), jobsOf(context));
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

/** Sends the waiting questions in chunks, several at once, and settles each with its result. */
class Sender<Query extends IDataObject> {
	constructor(
		private readonly lookup: BulkLookup<Query>,
		private readonly service: BulkService,
		private readonly budget: CreditBudget,
		private readonly maxCredits: number,
		private readonly jobs: JobsOfExecution,
	) {}

	async send(waiting: Array<Waiting<Query>>): Promise<void> {
		const queue = await this.collectJobs(waiting);
		const workers = Array.from({ length: this.service.requestsAtOnce }, async () => {
			while (queue.length > 0) await this.sendNext(queue);
		});
		await Promise.all(workers);
	}

	/** Collects what an earlier run of the node left with a job; gives back the other questions. */
	private async collectJobs(waiting: Array<Waiting<Query>>): Promise<Array<Waiting<Query>>> {
		const { collect } = this.lookup;
		if (!collect || this.jobs.size === 0) return [...waiting];
		const left = new Map<string, Array<Waiting<Query>>>();
		const others: Array<Waiting<Query>> = [];
		for (const question of waiting) {
			const job = this.jobs.get(question.key);
			if (job) left.set(job.id, [...(left.get(job.id) ?? []), question]);
			else others.push(question);
		}
		const collected = [...left].map(async ([id, questions]) => {
			const keys = this.jobs.get(questions[0].key)?.questions ?? [];
			await this.settle(questions, async () => {
				const results = await collect(id, keys.length, this.service);
				return questions.map(({ key }) => results[keys.indexOf(key)]);
			});
		});
		await Promise.all(collected);
		return others;
	}

	/** Cuts the next chunk off the queue, as large as request and budget allow, and sends it. */
	private async sendNext(queue: Array<Waiting<Query>>): Promise<void> {
		const fitting = () => {
			const queries = queue.slice(0, 100).map(({ query }) => query);
			return this.lookup.fitting(queries, this.service.settings);
		};
		const reservation = await this.budget.reserve(fitting(), this.maxCredits, 1);
		if (!reservation) {
			const reason = new NotProcessed('credit_limit');
			for (const question of queue.splice(0)) question.reject(reason);
			return;
		}
		// While this worker waited for credits, another may have taken questions.
		const chunk = queue.splice(0, Math.min(reservation.credits, fitting()));
		let spent = 0;
		if (chunk.length > 0) {
			const queries = chunk.map(({ query }) => query);
			spent = await this.settle(chunk, async () => await this.lookup.ask(queries, this.service));
		}
		reservation.settle(spent);
	}

	/** Gives each question of a chunk its result, or all of them the reason why there is none. */
	private async settle(
		chunk: Array<Waiting<Query>>,
		ask: () => Promise<Array<IDataObject | undefined>>,
	): Promise<number> {
		try {
			const results = await ask();
			chunk.forEach(({ resolve, reject }, index) => {
				const result = results[index];
				if (result) resolve(result);
				else reject(unexpectedAnswer('a result for this item'));
			});
			for (const { key } of chunk) this.jobs.delete(key);
			return this.lookup.charged(results);
		} catch (error) {
			const reason = error instanceof Error ? error : new Error(String(error));
			this.remember(chunk, reason);
			for (const { reject } of chunk) reject(reason);
			const mayBeCharged = reason instanceof ServiceError && reason.mayBeCharged;
			return mayBeCharged || reason instanceof JobPending ? chunk.length : 0;
		}
	}

	/** Notes a job that goes on, with the order of its questions; forgets one that has ended. */
	private remember(chunk: Array<Waiting<Query>>, reason: Error): void {
		const questions = chunk.map(({ key }) => key);
		for (const key of questions) {
			if (!(reason instanceof JobPending)) this.jobs.delete(key);
			else if (!this.jobs.has(key)) this.jobs.set(key, { id: reason.jobId, questions });
		}
	}
}

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
	return [items];
}
