import { type Problem, reasonsOf } from '../failures/failure';
import { RUN_AGAIN } from '../failures/reasons';
import { count } from '../values/text';

/** What the items of a run come to, but for those without a result. */
export function countsOf() {
	return {
		/** Responses to lookups, and how many of them were a 404. */
		responses: 0,
		notFound: 0,
		hits: 0,
		misses: 0,
		known: 0,
		skipped: 0,
		/** Those known or skipped that no lookup of this package was asked about before. */
		ofOthers: 0,
		/** Skipped although a lookup before had to answer first. */
		unanswered: 0,
		/** Skipped by Look Up Only If. */
		unmet: 0,
		/** Answered without a charge: before this run, to another item, or without a request. */
		earlier: 0,
		duplicates: 0,
		local: 0,
		/** Credits for emails that their items had, and the fields of these. */
		wasted: 0,
		wastedIn: new Set<string>(),
		/** The user's own fields that the result has replaced. */
		replaced: new Set<string>(),
	};
}

export type Counts = ReturnType<typeof countsOf>;

/** What a lookup calls its result and what items may have already: `found`, `an email`. */
interface Words {
	hitStatus: string;
	existing?: { what: string };
}

/** What a run has cost, in credits and in milliseconds. */
interface Cost {
	spent: { certain: number; uncertain: number };
	paused: number;
}

const counted = (rows: Array<[number, words: string]>) =>
	rows.flatMap(([number, words]) => (number > 0 ? [`${number} ${words}`] : []));

/** What came of the items of a lookup, so that every item is in one of the numbers, and what that cost. */
export function outcomeOf(
	{ hitStatus, existing }: Words,
	counts: Counts,
	problems: Problem[],
	{ spent, paused }: Cost,
): string {
	const { hits, misses, known, skipped, unanswered, unmet } = counts;
	const items = hits + misses + known + skipped + unanswered + unmet + problems.length;
	const parts = [
		...(hits + misses > 0 || items === 0 ? [`${hits} ${hitStatus}`] : []),
		...counted([
			[misses, 'not found'],
			[known, `already with ${existing?.what}`],
			[skipped, 'without an email'],
			[unanswered, 'came in without a result'],
			[unmet, 'not wanted by Look Up Only If'],
		]),
		...(problems.length > 0 ? [reasonsOf(problems)] : []),
	];
	const free = counted([
		[counts.earlier, 'from earlier runs'],
		[counts.duplicates, counts.duplicates === 1 ? 'duplicate' : 'duplicates'],
		[counts.local, 'not a valid email'],
	]);
	const used = count(spent.certain + spent.uncertain, 'credit');
	const seconds = Math.round(paused / 1000);
	return [
		`${count(items, 'item')}: ${parts.join(', ')}. ${spent.uncertain > 0 ? 'Up to ' : ''}${used} used`,
		...(free.length > 0 ? [`for free: ${free.join(', ')}`] : []),
		...(seconds > 0 ? [`waited ${count(seconds, 'second')} for the rate limit`] : []),
	].join('; ');
}

/** What a run knows at its end. */
export interface Facts {
	counts: Counts;
	/** The label of the field for what items have already. */
	existing: string | undefined;
	/** How many items it has. */
	items: number;
	/** Problems of the causes that weigh most. */
	causes: Problem[];
	/** Whether the user has chosen the fields. */
	isChosen: boolean;
	retriesOnFail: boolean;
}

/** From so many lookups on, a 404 for each of them is worth a warning: a wrong path gives the same. */
const MANY = 10;

const dragOnto = ({ isChosen }: Facts, label = 'Email') =>
	`${isChosen ? '' : 'set Lead Fields to Choose Below, drag your columns in, and '}drag it onto ${label}`;

const adviceOn = (causes: Problem[]) => causes.map(({ description }) => description).join(' ');

type Row = [isSo: (facts: Facts) => boolean, says: (facts: Facts) => string, type?: 'info'];

/** What may be wrong with a run and what to do about it, the most costly first: only the first that is so is said. */
const ROWS: Row[] = [
	[
		({ counts }) => counts.wasted > 0,
		(facts) =>
			`${count(facts.counts.wasted, 'credit')} went to items that already had an email in ${[...facts.counts.wastedIn].join(', ')}, which was not read: ${dragOnto(facts, facts.existing)}`,
	],
	[
		({ counts }) => counts.replaced.size > 0,
		({ counts }) =>
			`Fields of your own were replaced (${[...counts.replaced].join(', ')}): to keep them, add the option Put Result in Field`,
	],
	[
		({ counts: { notFound, responses } }) => notFound >= MANY && notFound === responses,
		() =>
			'Every lookup got a 404. If that seems wrong, run Check API of Contact Data Account: your provider may use another path or Base URL',
	],
	[
		({ causes }) => causes.length > 0 && causes.every(({ reason }) => reason === 'manual_limit'),
		({ causes }) => adviceOn(causes),
		'info',
	],
	[({ causes }) => causes.length > 0, ({ causes }) => adviceOn(causes)],
	[
		({ counts, items }) => counts.ofOthers > 0 && counts.skipped === items,
		(facts) => `If your emails are in another column: ${dragOnto(facts)}`,
	],
	[
		({ counts, items }) => counts.ofOthers > 0 && counts.known + counts.skipped === items,
		() =>
			'To look up, and pay for, what is there already, set the option Look Up Again After (Days) to 0',
		'info',
	],
	[({ counts }) => counts.unanswered > 0, () => `Once the cause is gone, ${RUN_AGAIN}`],
	[
		({ retriesOnFail }) => retriesOnFail,
		() =>
			'Turn Retry On Fail off: this node retries on its own, and with it a lost request may be charged again',
		'info',
	],
];

const NOTHING_WRONG: Row = [() => true, () => '', 'info'];

/** A sentence in the HTML that n8n makes of a hint. */
function asHtml(sentence: string): string {
	return `${sentence.replace(/\.$/, '')}.`.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

/**
 * What is said above the output, each in a line of its own: what came of the items and what it cost, the most costly thing
 * that is wrong with what to do, and what was read.
 */
export function summaryOf(
	facts: Facts,
	outcome: string,
	readFrom = '',
): [text: string, type: 'info' | 'warning'] {
	const [, says, type = 'warning'] = ROWS.find(([isSo]) => isSo(facts)) ?? NOTHING_WRONG;
	const lines = [outcome, says(facts), readFrom].filter((line) => line !== '');
	return [lines.map(asHtml).join('<br>'), type];
}
