import type { IDataObject } from 'n8n-workflow';
import type { Problem } from '../failures/failure';
import { UNMET } from '../failures/reasons';
import { count } from '../values/text';
import type { Outcome } from '../input/item';
import { Replaced } from '../output/replaced';
import type { Lookup } from './lookup';
import { adviceOn, inFull, isCausedByService, reasonsOf } from '../failures/words';

export interface Figures {
	/** Items with the same question as another item of the execution. */
	duplicates: number;
	spent: number;
	isUncertain?: boolean;
	/** How long the service made the run wait, in milliseconds. */
	paused: number;
	/** Whether each of many lookups got a 404, which a wrong path gives too. */
	hasOnly404?: boolean;
	/** From which fields of the items leads were read, in words; `undefined` where the user has chosen them. */
	readFrom?: string;
}

interface ItemProblem {
	problem: Problem;
	item: number;
}

export class Tally {
	readonly counts = {
		items: 0,
		hits: 0,
		misses: 0,
		/** Answered without a request. */
		local: 0,
		known: 0,
		skipped: 0,
		/** Skipped by Look Up Only If. */
		unmet: 0,
		/** Passed on although Checked At is no date. */
		undated: 0,
	};

	readonly replaced = new Replaced();

	readonly problems: ItemProblem[] = [];

	count(item: number, outcome: Outcome): void {
		const { counts } = this;
		counts.items++;
		if ('results' in outcome) {
			counts[outcome.results.length > 0 ? 'hits' : 'misses']++;
			if (outcome.at === undefined) counts.local++;
		} else if ('fields' in outcome) {
			counts[outcome.fields.reason === UNMET ? 'unmet' : outcome.status]++;
			if (outcome.isUndated) counts.undated++;
		} else this.problems.push({ problem: outcome, item });
	}

	/** All problems except Max Items in Manual Runs. */
	get unwanted(): ItemProblem[] {
		return this.problems.filter(({ problem: { reason } }) => reason !== 'manual_limit');
	}

	/**
	 * The problem that stops the workflow, if any: with On Incomplete Run set to Stop Workflow the first one; else only
	 * where the execution has bought nothing, and all items lack a field or the service has caused one of the problems.
	 */
	reasonToStop(
		failsWhenIncomplete: boolean,
		hasBought: boolean,
	): { problem: Problem; item?: number } | undefined {
		const problems = this.unwanted.toSorted((a, b) => a.item - b.item);
		const [first] = problems;
		if (!first) return undefined;
		if (failsWhenIncomplete) return { ...first, problem: this.withProgress(first.problem) };
		// It would be lost, and bought again by the next execution.
		if (hasBought) return undefined;
		const areAllInvalid = problems.every(({ problem }) => problem.status === 'invalid_input');
		if (areAllInvalid && problems.length === this.counts.items)
			return { problem: this.ofAll(first) };
		const cause = problems.find(
			({ problem: { status, reason } }) => status === 'failed' || isCausedByService(reason),
		);
		return cause && { problem: cause.problem };
	}

	/** What is said of all items: what each lacks, with the first one as an example. */
	private ofAll({ problem }: ItemProblem): Problem {
		const messages = new Set(this.problems.map((one) => one.problem.message));
		if (messages.size === 1) return problem;
		const reasons = reasonsOf(this.problems.map((one) => one.problem));
		const description = inFull(problem).replace(/^Not sent: /, 'The first one: ');
		return { ...problem, message: `No item can be looked up: ${reasons}`, description };
	}

	private withProgress(problem: Problem): Problem {
		const pending = this.problems.filter((one) => one.problem.status === 'pending');
		const jobs = [...new Set(pending.map((one) => one.problem.jobId))];
		const unfinished = jobs.length > 0 ? ` Unfinished jobs: ${jobs.join(', ')}.` : '';
		const done = this.counts.items - this.problems.length;
		const far = `${done} of ${count(this.counts.items, 'item')} ${this.counts.items === 1 ? 'is' : 'are'} done`;
		return { ...problem, description: `${far}. ${problem.description}${unfinished}` };
	}
}

const ONLY_404 =
	'Every lookup got a 404. If that seems wrong, run Check API of Contact Data Account: your provider may use another path or Base URL';

export function summaryOf<Query extends IDataObject>(
	{ answered, existing }: Lookup<Query>,
	tally: Tally,
	{ duplicates, spent, isUncertain, paused, hasOnly404, readFrom }: Figures,
): string {
	const { items, hits, misses, local, known, skipped, unmet, undated } = tally.counts;
	const only = (number: number, text: string) => (number > 0 ? [text] : []);
	const free = [...only(duplicates, 'duplicate'), ...only(local, 'not a valid email')];
	const seconds = Math.round(paused / 1000);
	const passedOn = [
		...only(known, `${known} ${known === 1 ? 'has' : 'have'} ${existing?.what} already`),
		...only(skipped, `${skipped} ${skipped === 1 ? 'has' : 'have'} no email`),
		...only(unmet, `${unmet} did not meet the condition`),
	];
	const passed = known + skipped + unmet;
	const problems = tally.problems.map(({ problem }) => problem);
	const parts = [
		// An email that is verified always has a result.
		`${count(items, 'item')}: ${hits} ${answered}${answered === 'found' || misses > 0 ? `, ${misses} not found` : ''}`,
		...only(passed, `${passed} passed on: ${passedOn.join(', ')}`),
		...only(problems.length, reasonsOf(problems)),
		`${isUncertain ? 'Up to ' : ''}${count(spent, 'credit')} used`,
		...only(
			local + duplicates,
			`${count(local + duplicates, 'item')} cost nothing (${free.join(' or ')})`,
		),
		...only(undated, `${count(undated, 'known item')} without a valid date in Checked At`),
		...only(seconds, `Waited ${count(seconds, 'second')} for the rate limit`),
		...(hasOnly404 ? [ONLY_404] : []),
		...(readFrom ? [readFrom] : []),
		...tally.replaced.said,
		...adviceOn(problems),
	];
	return `${parts.join('. ')}.`;
}

/**
 * The field to check where a run has looked nothing up, as every item was known or skipped.
 * @param isChosen whether the user has chosen the fields
 */
export function nothingLookedUp<Query extends IDataObject>(
	{ existing }: Lookup<Query>,
	{ counts: { items, known, skipped, unmet } }: Tally,
	isChosen = false,
): string | undefined {
	if (items === 0 || known + skipped + unmet < items) return undefined;
	if (unmet > 0) return 'Nothing was looked up: check the condition in Look Up Only If.';
	const choose = isChosen ? '' : 'set Lead Fields to Choose Below and ';
	if (known === 0) {
		return `Nothing was looked up: no item has an email. If your emails are in another column, ${choose}drag it onto Email.`;
	}
	const rest = skipped > 0 ? ', or no email' : '';
	return `Nothing had to be looked up: every item already has ${existing?.what}${rest}. To look up again what it has, ${choose}leave ${existing?.label} empty.`;
}
