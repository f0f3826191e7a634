import type { Problem } from './failure';
import { BY_SERVICE, CATCH_ALL_DOMAIN, FAILED, INVALID, NOT_SENT, PENDING, UNMET } from './reasons';

/** The message and the description in one text, where n8n shows the message alone. */
export function inFull({ message, description }: Pick<Problem, 'message' | 'description'>): string {
	return `${message.replace(/(?<!\.)\.+$/, '')}. ${description}`;
}

/** The most pieces of advice in one summary. */
const MAX_ADVICE = 2;

/** What to do about items without a result, each sentence once. */
export function adviceOn(problems: Problem[]): string[] {
	// What is wrong with the account or the service comes before what single items lack.
	const ofItems = problems.filter(({ status }) => status === 'invalid_input');
	const inOrder = [...problems.filter(({ status }) => status !== 'invalid_input'), ...ofItems];
	const advice = once(inOrder.map(({ description }) => description.replace(/\.$/, '')));
	return once(advice.slice(0, MAX_ADVICE).flatMap((one) => one.split(/\. (?=[A-Z])/)));
}

/** Returns each text once. A text that is a part of another one gives way to that one. */
function once(texts: string[]): string[] {
	const all = [...new Set(texts)];
	const whole = (one: string) => all.find((other) => other !== one && other.includes(one));
	return [...new Set(all.map((one) => whole(one) ?? one))];
}

/** The fields of an item that say why it has no result. */
export type Reason = Record<'status' | 'reason', string>;

const words = new Map<string, string | string[]>(
	Object.entries({ ...FAILED, ...INVALID, ...PENDING, ...NOT_SENT }),
);

/** Counts the reasons in words: `2 without a name, 1 failed (connection lost)`. */
export function reasonsOf(problems: Reason[]): string {
	const counts = new Map<string, number>();
	for (const problem of problems) {
		const short = shortOf(problem);
		counts.set(short, (counts.get(short) ?? 0) + 1);
	}
	return [...counts].map(([short, number]) => `${number} ${short}`).join(', ');
}

/** Why an item has no result, in words short enough to be counted by. */
function shortOf({ status, reason }: Reason): string {
	const [short] = [words.get(reason) ?? reason].flat();
	if (status === 'not_processed') return `not sent (${short})`;
	return status === 'failed' ? `failed (${short})` : short;
}

/** Whether the service caused that an item has no result. */
export function isCausedByService(reason: string): boolean {
	return Object.hasOwn(BY_SERVICE, reason) || Object.hasOwn(FAILED, reason);
}

/** Whether an item says why it needed no request of its own: Look Up Only If, or Verify Catch-All Domains Once. */
export function saysWhyFree({ status, reason }: Record<string, unknown>): boolean {
	if (reason === UNMET) return status === 'skipped';
	return reason === CATCH_ALL_DOMAIN && status === 'verified';
}
