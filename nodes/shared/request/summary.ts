import { count } from '../values/text';
import type { Problem } from './outcome';

/** What a bulk run came to. */
export interface Tally {
	items: number;
	/** Items with an answer, a miss included. */
	answered: number;
	/** Items with what was asked for. */
	hits: number;
	/** Distinct questions that were sent. */
	asked: number;
	/** Credits. */
	spent: number;
	/** Milliseconds that the service made the run wait. */
	paused: number;
	problems: Problem[];
}

const NOT_SENT: Record<string, string> = {
	out_of_credits: 'out of credits',
	credit_limit: 'Max Credits reached',
	cancelled: 'execution stopped',
	unauthorized: 'API key not accepted',
};

/** The summary of a bulk run, in a sentence each for what came out, what did not, and the costs. */
export function summaryOf(name: string, tally: Tally): string {
	const { items, answered, hits, asked, spent, paused, problems } = tally;
	const misses = answered - hits;
	const local = problems.filter(({ status }) => status === 'invalid_input').length;
	const reused = Math.max(0, items - local - asked);
	const seconds = Math.round(paused / 1000);
	const parts = [
		`${name}: ${count(items, 'item')}, ${hits} with a result, ${misses} without`,
		...reasonsOf(problems),
		`${count(spent, 'credit')} spent`,
		...(reused > 0
			? [`${count(reused, 'lookup')} saved by reuse or answered without a request`]
			: []),
		...(seconds > 0 ? [`${count(seconds, 'second')} waited for the rate limit`] : []),
	];
	return `${parts.join('. ')}.`;
}

/** How many items have no answer, per reason. */
function reasonsOf(problems: Problem[]): string[] {
	const counts = new Map<string, number>();
	for (const { status, reason } of problems) {
		const words = {
			invalid_input: 'lack a field',
			not_processed: `not sent (${NOT_SENT[reason] ?? reason})`,
			failed: `failed (${reason})`,
			pending: 'wait for a bulk job',
		}[status];
		counts.set(words, (counts.get(words) ?? 0) + 1);
	}
	return [...counts].map(([words, number]) => `${number} ${words}`);
}
