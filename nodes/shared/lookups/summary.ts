import type { IDataObject } from 'n8n-workflow';
import type { NotProcessedReason } from '../http/errors';
import type { Problem } from '../output/problem';
import { count } from '../values/text';
import type { Outcome } from './item';
import type { Lookup } from './lookup';

export interface Figures {
	/** Items that ask what another item of the execution asks as well. */
	duplicates: number;
	spent: number;
	/** Whether some of them may not have been spent after all. */
	isUncertain?: boolean;
	/** How long the service made the run wait, in milliseconds. */
	paused: number;
}

/** Reasons of items that were not sent because of the service, not because of a setting. */
const CAUSED_BY_SERVICE: string[] = [
	'out_of_credits',
	'unauthorized',
	'service_down',
	'rate_limited',
	'account_unreadable',
] satisfies NotProcessedReason[];

const NOT_SENT: Record<string, string> = {
	out_of_credits: 'out of credits',
	credit_limit: 'Max Credits reached',
	credit_floor: 'Keep Credits reached',
	manual_limit: 'Max Items in Manual Runs reached',
	cancelled: 'execution stopped',
	unauthorized: 'API key not accepted',
	service_down: 'service not responding',
	rate_limited: 'rate limit still exceeded',
	account_unreadable: 'account not readable',
};

const NOT_READ: Record<string, string> = {
	missing: 'missing a required field',
	expression: 'with an expression that cannot be evaluated',
	invalid: 'with a value that is not valid',
};

interface ItemProblem {
	problem: Problem;
	item: number;
}

/** Counts what the items of a run come to. */
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
			({ problem: { status, reason } }) =>
				status === 'failed' || CAUSED_BY_SERVICE.includes(reason),
		);
	}

	/** Adds to a problem how far the run has got. */
	private inFull(problem: Problem): Problem {
		const pending = this.problems.filter((one) => one.problem.status === 'pending');
		const jobs = [...new Set(pending.map((one) => one.problem.jobId))];
		const unfinished = jobs.length > 0 ? ` Unfinished jobs: ${jobs.join(', ')}.` : '';
		const done = this.counts.items - this.problems.length;
		const far = `${done} of ${count(this.counts.items, 'item')} ${this.counts.items === 1 ? 'is' : 'are'} done`;
		return { ...problem, description: `${far}. ${problem.description}${unfinished}` };
	}
}

/** The summary of a run: its results, its problems, its cost and its waits. */
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
		...(answered === 'found' ? [`${misses} not found`] : only(misses, `${misses} not found`)),
		...only(known, `${known} already known`),
		...only(skipped, `${skipped} skipped`),
	];
	const parts = [
		`${count(items, 'item')}: ${results.join(', ')}`,
		`${isUncertain ? 'Up to ' : ''}${count(spent, 'credit')} used`,
		...only(
			local + duplicates,
			`${count(local + duplicates, 'item')} cost nothing (${free.join(' or ')})`,
		),
		...only(undated, `${count(undated, 'known item')} without a valid date in Checked At`),
		...reasonsOf(tally.problems.map(({ problem }) => problem)),
		...only(seconds, `Waited ${count(seconds, 'second')} for the rate limit`),
	];
	return `${parts.join('. ')}.`;
}

/** How many items have a problem, by reason. */
function reasonsOf(problems: Problem[]): string[] {
	const counts = new Map<string, number>();
	for (const { status, reason } of problems) {
		const [kind] = reason.split(':');
		const words = {
			invalid_input: NOT_READ[kind] ?? kind,
			not_processed: `not sent (${NOT_SENT[reason] ?? reason})`,
			failed: `failed (${reason})`,
			pending: 'waiting for a bulk job',
		}[status];
		counts.set(words, (counts.get(words) ?? 0) + 1);
	}
	return [...counts].map(([words, number]) => `${number} ${words}`);
}
