import type { IDataObject } from 'n8n-workflow';
import type { Problem } from '../failures/failure';
import { count } from '../values/text';
import type { Outcome } from '../input/item';
import type { Lookup } from './lookup';
import { isCausedByService, shortOf } from '../failures/reasons';

export interface Figures {
	/** Items that ask what another item of the execution asks as well. */
	duplicates: number;
	spent: number;
	isUncertain?: boolean;
	/** How long the service made the run wait, in milliseconds. */
	paused: number;
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
		/** Answered by the service in this run, not by what the execution had before. */
		ofService: 0,
		known: 0,
		skipped: 0,
		/** Passed on although Checked At is no date. */
		undated: 0,
	};

	readonly problems: ItemProblem[] = [];

	/** @param isOfService whether the service answered in this run */
	count(item: number, outcome: Outcome, isOfService: boolean): void {
		const { counts } = this;
		counts.items++;
		if ('results' in outcome) {
			counts[outcome.results.length > 0 ? 'hits' : 'misses']++;
			if (outcome.at === undefined) counts.local++;
			if (isOfService) counts.ofService++;
		} else if ('fields' in outcome) {
			counts[outcome.status]++;
			if (outcome.isUndated) counts.undated++;
		} else this.problems.push({ problem: outcome, item });
	}

	/** All problems except Max Items in Manual Runs. */
	get unwanted(): ItemProblem[] {
		return this.problems.filter(({ problem: { reason } }) => reason !== 'manual_limit');
	}

	/**
	 * The problem that stops the workflow, if any: with On Incomplete Run set to Stop Workflow the first one; else only
	 * where all items lack a field, or where the service has answered none and caused one of the problems.
	 */
	reasonToStop(failsWhenIncomplete: boolean): ItemProblem | undefined {
		const problems = this.unwanted.toSorted((a, b) => a.item - b.item);
		const [first] = problems;
		if (!first) return undefined;
		if (failsWhenIncomplete) return { ...first, problem: this.inFull(first.problem) };
		const statuses = problems.map(({ problem }) => problem.status);
		const areAllInvalid = statuses.every((status) => status === 'invalid_input');
		if (areAllInvalid && problems.length === this.counts.items) return first;
		if (this.counts.ofService > 0 || statuses.includes('pending')) return undefined;
		return problems.find(
			({ problem: { status, reason } }) => status === 'failed' || isCausedByService(reason),
		);
	}

	private inFull(problem: Problem): Problem {
		const pending = this.problems.filter((one) => one.problem.status === 'pending');
		const jobs = [...new Set(pending.map((one) => one.problem.jobId))];
		const unfinished = jobs.length > 0 ? ` Unfinished jobs: ${jobs.join(', ')}.` : '';
		const done = this.counts.items - this.problems.length;
		const far = `${done} of ${count(this.counts.items, 'item')} ${this.counts.items === 1 ? 'is' : 'are'} done`;
		return { ...problem, description: `${far}. ${problem.description}${unfinished}` };
	}
}

export function summaryOf<Query extends IDataObject>(
	{ answered }: Lookup<Query>,
	tally: Tally,
	{ duplicates, spent, isUncertain, paused }: Figures,
): string {
	const { items, hits, misses, local, known, skipped, undated } = tally.counts;
	const only = (number: number, text: string) => (number > 0 ? [text] : []);
	const free = [...only(duplicates, 'duplicate'), ...only(local, 'not a valid email')];
	const seconds = Math.round(paused / 1000);
	const results = [
		`${hits} ${answered}`,
		// An email that is verified always has a result.
		...only(known, `${known} already there`),
		...(answered === 'found' ? [`${misses} not found`] : only(misses, `${misses} not found`)),
	];
	const parts = [
		`${count(items, 'item')}: ${results.join(', ')}`,
		`${isUncertain ? 'Up to ' : ''}${count(spent, 'credit')} used`,
		...only(
			local + duplicates,
			`${count(local + duplicates, 'item')} cost nothing (${free.join(' or ')})`,
		),
		...only(skipped, `${count(skipped, 'item')} skipped: no email`),
		...only(undated, `${count(undated, 'known item')} without a valid date in Checked At`),
		...reasonsOf(tally.problems.map(({ problem }) => problem)),
		...only(seconds, `Waited ${count(seconds, 'second')} for the rate limit`),
	];
	return `${parts.join('. ')}.`;
}

/** The field to check where a run has looked nothing up, as every item was known or skipped. */
export function nothingLookedUp<Query extends IDataObject>(
	{ existing: field }: Lookup<Query>,
	{ counts: { items, known, skipped } }: Tally,
): string | undefined {
	if (items === 0 || known + skipped < items) return undefined;
	if (known === 0) return 'Nothing was looked up: no item has an email. Check the field Email.';
	const rest = skipped > 0 ? ', or no email' : '';
	return `Nothing was looked up: every item already has a value in ${field?.label}${rest}. If that is not what you expect, check the fields of this node.`;
}

function reasonsOf(problems: Problem[]): string[] {
	const counts = new Map<string, number>();
	for (const problem of problems) {
		const words = shortOf(problem);
		counts.set(words, (counts.get(words) ?? 0) + 1);
	}
	return [...counts].map(([words, number]) => `${number} ${words}`);
}
