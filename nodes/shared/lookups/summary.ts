import type { IDataObject } from 'n8n-workflow';
import { type Problem, reasonsOf } from '../failures/failure';
import type { Credits } from '../credits/ledger';
import { count } from '../values/text';
import type { Lookup } from './lookup';

export interface Figures {
	/** Items with the same question as another item. */
	duplicates: number;
	/** Items whose question was answered before this run. */
	earlier: number;
	spent: Credits;
	/** By the whole execution so far. */
	spentInAll: Credits;
	/** How long the service made the run wait, in milliseconds. */
	paused: number;
	/** Whether each of many lookups got a 404, which a wrong path gives too. */
	hasOnly404?: boolean;
}

export type Counts = ReturnType<typeof countsOf>;

/** What items with a result, and those that were passed on, come to. */
export function countsOf() {
	return {
		hits: 0,
		misses: 0,
		/** Answered without a request. */
		local: 0,
		known: 0,
		skipped: 0,
		/** Skipped by Look Up Only If. */
		unmet: 0,
		/** Not verified, as their domain is catch-all. */
		verified: 0,
		/** Passed on although Checked At is no date. */
		undated: 0,
	};
}

/** What comes before a step that Lead Fields has no field for as long as it recognizes them. */
export const CHOOSE = 'set Lead Fields to Choose Below and ';

const ONLY_404 =
	'Every lookup got a 404. If that seems wrong, run Check API of Contact Data Account: your provider may use another path or Base URL';

/** What the summary of a lookup says of its items, so that every item is in one of its numbers. */
export function partsOf<Query extends IDataObject>(
	{ canMiss, existing, hitStatus }: Lookup<Query>,
	{ hits, misses, local, known, skipped, unmet, verified, undated }: Counts,
	problems: Problem[],
	{ duplicates, earlier, spent, spentInAll, paused, hasOnly404 }: Figures,
): string[] {
	const only = (number: number, text: string) => (number > 0 ? [text] : []);
	const passed = known + skipped + unmet;
	const items = hits + verified + misses + passed + problems.length;
	const free = [
		...only(duplicates, 'duplicate'),
		...only(local, 'not a valid email'),
		...only(verified, 'catch-all domain'),
	];
	const seconds = Math.round(paused / 1000);
	const missed = canMiss || misses > 0 ? `, ${misses} not found` : '';
	const reasons = [
		...only(known, `${known} ${known === 1 ? 'has' : 'have'} ${existing?.what} already`),
		...only(skipped, `${skipped} ${skipped === 1 ? 'has' : 'have'} no email`),
		...only(unmet, `${unmet} did not meet the condition`),
	];
	const passedOn = reasons.length > 1 ? `${passed} passed on: ` : '';
	const [first, ...others] = [
		...only(items === 0 ? 1 : hits + verified + misses, `${hits + verified} ${hitStatus}${missed}`),
		...only(passed, `${passedOn}${reasons.join(', ')}`),
		...only(problems.length, reasonsOf(problems)),
	];
	return [
		`${count(items, 'item')}: ${first}`,
		...others,
		spentText(spent, spentInAll),
		...only(earlier, `${earlier} answered from earlier runs, for free`),
		...only(
			local + duplicates + verified,
			`${count(local + duplicates + verified, 'item')} cost nothing (${free.join(' or ')})`,
		),
		...only(undated, `${count(undated, 'known item')} without a valid date in Checked At`),
		...only(seconds, `Waited ${count(seconds, 'second')} for the rate limit`),
		...(hasOnly404 ? [ONLY_404] : []),
	];
}

/** What a run has used, and the whole execution where that is more. */
function spentText(spent: Credits, inAll: Credits): string {
	const [own, all] = [spent, inAll].map(({ certain, uncertain }) => certain + uncertain);
	const used = `${spent.uncertain > 0 ? 'Up to ' : ''}${count(own, 'credit')} used`;
	if (all <= own) return used;
	return `${used}, ${inAll.uncertain > 0 ? 'up to ' : ''}${all} in this execution`;
}

/**
 * The field to check where a run has looked nothing up, as every item was known or skipped.
 * @param isChosen whether the user has chosen the fields
 */
export function nothingLookedUp<Query extends IDataObject>(
	{ existing }: Lookup<Query>,
	{ known, skipped, unmet }: Counts,
	items: number,
	isChosen: boolean,
): string | undefined {
	if (items === 0 || known + skipped + unmet < items) return undefined;
	if (unmet > 0) return 'Nothing was looked up: check the condition in Look Up Only If.';
	const choose = isChosen ? '' : CHOOSE;
	if (known === 0) {
		return `Nothing was looked up: no item has an email. If your emails are in another column, ${choose}drag it onto Email.`;
	}
	const rest = skipped > 0 ? ', or no email' : '';
	return `Nothing had to be looked up: every item already has ${existing?.what}${rest}. To look up again what it has, ${choose}leave ${existing?.label} empty.`;
}
