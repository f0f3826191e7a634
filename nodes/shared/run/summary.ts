import {
	isCausedByService,
	type Problem,
	type Reason,
	reasonsOf,
	RUN_AGAIN,
} from '../failures/failure';
import { count } from '../values/text';

/** The same problem; what lacks credits names which, and whose. */
export function withAccount(problem: Problem, kind?: string, credential?: string): Problem {
	if (problem.reason !== 'out_of_credits' || kind === undefined) return problem;
	const of = credential === undefined ? '' : ` of the credential "${credential}"`;
	return { ...problem, description: `Add ${kind} credits to the account${of}, then ${RUN_AGAIN}.` };
}

/** The same problem; where another provider is behind this one, with how to go on to it. */
export function withNextProvider(problem: Problem, hasNext: boolean): Problem {
	if (!hasNext || !isCausedByService(problem.reason)) return problem;
	const next =
		'To go on with the next provider, set On Error in the Settings of this node to Continue.';
	return { ...problem, description: `${problem.description} ${next}` };
}

/** How many items came in without a result, and what to do about them: what waits for a job is paid for. */
export function cameInWithout(before: Reason[]): string[] {
	if (before.length === 0) return [];
	const isWaiting = before.every(({ status }) => status === 'pending');
	return [
		`${count(before.length, 'item')} came in without a result: ${reasonsOf(before)}`,
		isWaiting
			? 'The next run of their Finder collects them, for free'
			: `Once the cause is gone, ${RUN_AGAIN}`,
	];
}

/** Text in the HTML that n8n makes of a hint. */
function asHtml(text: string): string {
	return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

/** The most sentences of a summary, beside what was read: people read no more. */
const MAX_SENTENCES = 5;

/** What is said above the output, each part in a line of its own, as n8n shows it; empty if there is nothing to say. */
export function summaryOf(outcome: string[], toDo: string[], readFrom?: string): string {
	const read = readFrom === undefined ? [] : [readFrom];
	const lines = [outcome, toDo.slice(0, MAX_SENTENCES - outcome.length), read];
	return lines
		.filter((line) => line.length > 0)
		.map((line) => line.map((sentence) => `${asHtml(sentence)}.`).join(' '))
		.join('<br>');
}
