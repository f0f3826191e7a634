import type { Problem } from '../outcomes/problem';
import type { Results } from '../sending/answer';
import type { PassedOn } from './known';

/** What became of an item. */
export type Outcome = Answered | PassedOn | Problem;

/** An answer: its results, none for a miss. */
export interface Answered {
	results: Results;
	/** When the service gave it, in milliseconds since 1970; never for an answer that is certain without it. */
	at?: number;
}

/** Whether the service, or a certain answer without it, says what came out. */
export function isAnswered(outcome: Outcome): outcome is Answered {
	return 'results' in outcome;
}

/** Whether the item goes on without a lookup. */
export function isPassedOn(outcome: Outcome): outcome is PassedOn {
	return 'fields' in outcome;
}

/** Whether there is no result, for a reason. */
export function isProblem(outcome: Outcome): outcome is Problem {
	return 'reason' in outcome;
}
