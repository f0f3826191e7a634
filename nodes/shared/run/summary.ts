import type { Credits } from '../credits/ledger';
import { type Problem, reasonsOf } from '../failures/failure';
import { THEN_AGAIN } from '../failures/reasons';
import { count } from '../values/text';

/** What the items of a run come to, but for those without a result. */
export function countsOf() {
	return {
		/** Responses to lookups, and how many of them were a 404. */
		responses: 0,
		notFound: 0,
		hits: 0,
		/** Hits with another website than the one that was asked for. */
		elsewhere: 0,
		misses: 0,
		known: 0,
		skipped: 0,
		/** Those known or skipped that no lookup of this package was asked about before. */
		ofOthers: 0,
		/** Skipped by Look Up Only If. */
		unmet: 0,
		/** Answered without a charge: before this run, to another item, or without a request. */
		earlier: 0,
		duplicates: 0,
		local: 0,
		/** Credits for emails that their items had, and the fields of these. */
		wasted: 0,
		wastedIn: new Set<string>(),
	};
}

export type Counts = ReturnType<typeof countsOf>;

/** What a run has cost, in credits and in milliseconds. */
interface Cost {
	spent: Credits;
	/** By the whole execution so far. */
	inAll: Credits;
	paused: number;
}

const counted = (rows: Array<[number, words: string]>) =>
	rows.flatMap(([number, words]) => (number > 0 ? [`${number} ${words}`] : []));

/** What came of the items of a lookup, so that every item is in one of the numbers, and what that cost. */
export function outcomeOf(
	{ hitStatus, existing }: { hitStatus: string; existing?: { what: string } },
	counts: Counts,
	problems: Problem[],
	cameIn: Problem[],
	{ spent, inAll, paused }: Cost,
): string {
	const { elsewhere, hits, misses, known, skipped, unmet } = counts;
	const others = elsewhere > 0 ? ` (${elsewhere} with another website than the lead's)` : '';
	const passedOn = known + skipped + unmet + cameIn.length;
	const items = hits + misses + passedOn + problems.length;
	const parts = [
		...(hits + misses > 0 || items === 0 ? [`${hits} ${hitStatus}${others}`] : []),
		...counted([
			[misses, 'not found'],
			[known, `already with ${existing?.what}`],
			[skipped, 'without an email'],
			[unmet, 'not wanted by Look Up Only If'],
		]),
		...(problems.length > 0 ? [reasonsOf(problems)] : []),
		...(cameIn.length > 0 ? [`${reasonsOf(cameIn)} before this node`] : []),
	];
	const free = counted([
		[counts.earlier, 'from earlier runs'],
		[counts.duplicates, counts.duplicates === 1 ? 'duplicate' : 'duplicates'],
		[counts.local, 'not a valid email'],
	]);
	const [here, all] = [spent, inAll].map(({ certain, uncertain }) => certain + uncertain);
	const used = `${count(here, 'credit')} used${all > here ? `, ${all} in this execution` : ''}`;
	const seconds = Math.round(paused / 1000);
	return [
		`${count(items, 'item')}: ${parts.join(', ')}. ${spent.uncertain > 0 ? 'Up to ' : ''}${used}`,
		...(free.length > 0 ? [`for free: ${free.join(', ')}`] : []),
		...(seconds > 0 ? [`waited ${count(seconds, 'second')} for the rate limit`] : []),
	].join('; ');
}

/** What a run knows at its end. */
export interface Facts {
	counts: Counts;
	items: number;
	/** One problem of each cause, the most costly first. */
	causes: Problem[];
	/** What to do where another column is to be read as the email. */
	toPick(): string;
	retriesOnFail: boolean;
}

/** From so many lookups on, a 404 for each of them is worth a warning: a wrong path gives the same. */
const MANY = 10;

type Advice = [isSo: boolean, sentence: string, type?: 'info'];

/** What may be wrong with a run and what to do about it, the most costly first. */
function adviceOn({ causes, counts, items, toPick, retriesOnFail }: Facts): Advice[] {
	const { known, notFound, ofOthers, responses, skipped, unmet, wasted } = counts;
	return [
		[
			wasted > 0,
			`${count(wasted, 'credit')} went to items that already had an email in ${[...counts.wastedIn].join(', ')}, which was not read: ${toPick()}.`,
		],
		[
			notFound >= MANY && notFound === responses,
			'Every lookup got a 404. If that seems wrong, run Check API of Contact Data Account: your provider may use another path or Base URL.',
		],
		...causes.map(({ description, reason }): Advice => {
			return [description !== '', description, reason === 'manual_limit' ? 'info' : undefined];
		}),
		[
			unmet > 0 && unmet === items,
			'Nothing was looked up: check the condition in Look Up Only If.',
		],
		[ofOthers > 0 && skipped === items, `If your emails are in another column: ${toPick()}.`],
		[
			ofOthers > 0 && known > 0 && known + skipped === items,
			'To look up, and pay for, what is there already, set the option Look Up Again After (Days) to 0.',
			'info',
		],
		[
			retriesOnFail,
			'Turn Retry On Fail off: this node retries on its own, and with it a lost request may be charged again.',
			'info',
		],
	];
}

/** A sentence in the HTML that n8n makes of a hint. */
function asHtml(sentence: string): string {
	return `${sentence.replace(/\.$/, '')}.`.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

/**
 * What is said above the output, each in a line of its own: what came of the items and what it cost, what to do about the
 * two most costly things that are wrong, and what was read.
 */
export function summaryOf(
	facts: Facts,
	outcome: string,
	readFrom = '',
): [text: string, type: 'info' | 'warning'] {
	const advice = adviceOn(facts).filter(([isSo]) => isSo);
	const [first = '', second = ''] = advice.map(([, sentence]) => sentence);
	const others = facts.causes.filter(({ description }) => ![first, second].includes(description));
	const toDo = [
		// What both end in stands once.
		second.includes(THEN_AGAIN) ? first.replace(THEN_AGAIN, '') : first,
		second,
		others.length > 0 ? `And ${others.length} more: see the messages of the items.` : '',
	];
	const lines = [outcome, toDo.join(' ').trim(), readFrom].filter((line) => line !== '');
	const isInfo = advice.every(([, , type]) => type === 'info');
	return [lines.map(asHtml).join('<br>'), isInfo ? 'info' : 'warning'];
}
