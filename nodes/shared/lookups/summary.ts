import { type Problem, reasonsOf } from '../failures/failure';
import type { Credits } from '../credits/ledger';
import { count } from '../values/text';
import type { Lookup } from './lookup';

/** What a run has cost, in credits and in time. */
export interface RunCost {
	spent: Credits;
	/** By the whole execution so far. */
	spentInAll: Credits;
	/** How long the service made the run wait, in milliseconds. */
	paused: number;
}

export type Counts = ReturnType<typeof countsOf>;

/** What the items of a run come to, but for those without a result. */
export function countsOf() {
	return {
		/** Responses to lookups, and how many of them were a 404. */
		responses: 0,
		notFound: 0,
		/** Items with the same question as another item. */
		duplicates: 0,
		/** Items whose question was answered before this run. */
		earlier: 0,
		hits: 0,
		misses: 0,
		/** Answered without a request. */
		local: 0,
		known: 0,
		skipped: 0,
		/** Those known or skipped that no lookup of this package was asked about before. */
		ofOthers: 0,
		/** Skipped by Look Up Only If. */
		unmet: 0,
		/** Not verified, as their domain is catch-all. */
		verified: 0,
		/** Passed on although nothing says how old it is. */
		undated: 0,
	};
}

/** What comes before a step that Lead Fields has no field for as long as it recognizes them. */
export const CHOOSE = 'set Lead Fields to Choose Below, drag your columns in, and ';

const ONLY_404 =
	'Every lookup got a 404. If that seems wrong, run Check API of Contact Data Account: your provider may use another path or Base URL';

/** A text, if there is something to count. */
const only = (number: number, text: string) => (number > 0 ? [text] : []);

const areHave = (number: number) => `${number} ${number === 1 ? 'has' : 'have'}`;

/** From so many lookups on, a 404 for each of them is worth a warning: a wrong path gives the same. */
const MANY = 10;

export function hasOnly404({ responses, notFound }: Counts): boolean {
	return notFound >= MANY && notFound === responses;
}

type Words = Pick<Lookup<never>, 'existing' | 'hitStatus'>;

/** What came of the items, so that every item is in one of its numbers, and what that cost: two sentences. */
export function outcomeOf(
	{ existing, hitStatus }: Words,
	{ hits, misses, local, known, skipped, unmet, verified, duplicates, earlier }: Counts,
	problems: Problem[],
	{ spent, spentInAll, paused }: RunCost,
): string[] {
	const items = hits + verified + misses + known + skipped + unmet + problems.length;
	const hasLookups = items === 0 || hits + verified + misses > 0;
	const parts = [
		...(hasLookups ? [`${hits + verified} ${hitStatus}`] : []),
		...(hasLookups && (hitStatus === 'found' || misses > 0) ? [`${misses} not found`] : []),
		...only(known, `${areHave(known)} ${existing?.what} already`),
		...only(skipped, `${areHave(skipped)} no email`),
		...only(unmet, `${unmet} did not meet the condition`),
		...only(problems.length, reasonsOf(problems)),
	];
	const free = [
		...only(earlier, `${earlier} from earlier runs`),
		...only(duplicates, count(duplicates, 'duplicate')),
		...only(local, `${local} not a valid email`),
		...only(verified, `${verified} at catch-all domains`),
	];
	const seconds = Math.round(paused / 1000);
	const cost = [
		spentText(spent, spentInAll),
		...(free.length > 0 ? [`for free: ${free.join(', ')}`] : []),
		...only(seconds, `waited ${count(seconds, 'second')} for the rate limit`),
	];
	return [`${count(items, 'item')}: ${parts.join(', ')}`, cost.join('; ')];
}

/** What a run has used, and the whole execution where that is more. */
function spentText(spent: Credits, inAll: Credits): string {
	const [here, all] = [spent, inAll].map(({ certain, uncertain }) => certain + uncertain);
	const used = `${spent.uncertain > 0 ? 'Up to ' : ''}${count(here, 'credit')} used`;
	if (all <= here) return used;
	return `${used}, ${inAll.uncertain > 0 ? 'up to ' : ''}${all} in this execution`;
}

/**
 * What may be wrong though every item has its place, and what to do about it.
 * @param isChosen whether the user has chosen the fields
 */
export function warningsOf(
	{ existing }: Words,
	counts: Counts,
	items: number,
	isChosen: boolean,
): string[] {
	const { known, ofOthers, skipped, unmet, undated } = counts;
	const choose = isChosen ? '' : CHOOSE;
	const inVain = [
		...only(unmet, 'Nothing was looked up: check the condition in Look Up Only If'),
		...only(
			ofOthers && known,
			'To look up, and pay for, what is there already, add the option Look Up Again After (Days) and enter 0',
		),
		...only(ofOthers, `If your emails are in another column: ${choose}drag it onto Email`),
	];
	const isInVain = items > 0 && known + skipped + unmet === items;
	return [
		...(hasOnly404(counts) ? [ONLY_404] : []),
		...(isInVain ? inVain.slice(0, 1) : []),
		...only(
			undated,
			`${areHave(undated)} ${existing?.what} without a date in 'checkedAt', and count as new enough`,
		),
	];
}
