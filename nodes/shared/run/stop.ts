import type { Problem } from '../failures/failure';
import { inFull, isCausedByService, reasonsOf } from '../failures/words';
import { count } from '../values/text';

export interface ItemProblem {
	problem: Problem;
	item: number;
}

/** All problems except Max Items in Manual Runs. */
export function unwanted(problems: ItemProblem[]): ItemProblem[] {
	return problems.filter(({ problem: { reason } }) => reason !== 'manual_limit');
}

/**
 * The problem that stops the workflow of a run that buys, if any: with On Incomplete Run set to Stop Workflow the first
 * one; else only where there is nothing to lose, and all items lack a field or the service has caused one of the problems.
 * @param items how many the run has
 * @param hasValue whether there is a result, or a job that will have some: the next execution would buy it again
 */
export function reasonToStop(
	problems: ItemProblem[],
	items: number,
	{ failsWhenIncomplete, hasValue }: { failsWhenIncomplete: boolean; hasValue: boolean },
): { problem: Problem; item?: number } | undefined {
	const inOrder = unwanted(problems).toSorted((a, b) => a.item - b.item);
	const [first] = inOrder;
	if (!first) return undefined;
	if (failsWhenIncomplete)
		return { ...first, problem: withProgress(first.problem, problems, items) };
	// That a job is not finished is an answer.
	if (hasValue || inOrder.some(({ problem }) => problem.reason === 'job_not_finished')) {
		return undefined;
	}
	const areAllInvalid = inOrder.every(({ problem }) => problem.status === 'invalid_input');
	if (areAllInvalid && inOrder.length === items) return { problem: ofAll(first.problem, inOrder) };
	const cause = inOrder.find(({ problem: { reason } }) => isCausedByService(reason));
	return cause && { problem: cause.problem };
}

/** Returns the problem of a run in which no item is valid: what they lack, with the first one as an example. */
function ofAll(problem: Problem, all: ItemProblem[]): Problem {
	const problems = all.map((one) => one.problem);
	if (new Set(problems.map(({ message }) => message)).size === 1) return problem;
	const description = inFull(problem).replace(/^Not sent: /, 'The first one: ');
	return {
		...problem,
		message: `No item can be looked up: ${reasonsOf(problems)}`,
		description,
	};
}

function withProgress(problem: Problem, problems: ItemProblem[], items: number): Problem {
	const pending = problems.filter((one) => one.problem.status === 'pending');
	const jobs = [...new Set(pending.map((one) => one.problem.jobId))];
	const unfinished = jobs.length > 0 ? ` Unfinished jobs: ${jobs.join(', ')}.` : '';
	const far = `${items - problems.length} of ${count(items, 'item')} ${items === 1 ? 'is' : 'are'} done`;
	return { ...problem, description: `${far}. ${problem.description}${unfinished}` };
}
