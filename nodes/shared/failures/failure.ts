import {
	BY_SERVICE,
	CATCH_ALL_DOMAIN,
	FAILED,
	type FailedReason,
	type INCOMPLETE,
	INVALID,
	type InvalidReason,
	JOB_OVER,
	NOT_SENT,
	type NotSentReason,
	PENDING,
	type PendingReason,
	UNKNOWN_COMPANY,
	UNMET,
} from './reasons';

/** Why an item has no result. */
export interface Problem {
	status: (typeof INCOMPLETE)[number];
	/** A code that a workflow can route by. */
	reason: InvalidReason | NotSentReason | FailedReason | PendingReason;
	message: string;
	description: string;
	httpCode?: number | null;
	/** The pause that the service asks for, in milliseconds: for n8n, no field of an item. */
	retryAfter?: number;
	/** For `pending` and for what a job did not answer: the bulk job, and the row of the item in it, from 1. */
	jobId?: string;
	jobRow?: number;
}

/** Thrown for an item that gets no result. */
export class Failure extends Error {
	readonly reason: Problem['reason'];
	readonly description: string;

	constructor(readonly problem: Problem) {
		super(problem.message);
		this.reason = problem.reason;
		this.description = problem.description;
	}
}

/** Thrown for an item that lacks what its operation needs, or that has something else there. */
export class InvalidInput extends Failure {
	constructor(problem: Omit<Problem, 'status'> & { reason: InvalidReason }) {
		super({ status: 'invalid_input', ...problem });
	}
}

/** Returns the error for a field whose value cannot be used, with the rule that it breaks. */
export function invalidValue(label: string, rule: string): InvalidInput {
	return new InvalidInput({
		reason: 'invalid_value',
		message: `Not sent: ${rule}`,
		description: `Check the field ${label}.`,
	});
}

/** The process remembers what was charged. */
export const FREE_FOR_A_DAY = 'what was found is free for a day';

/** What to do once a cause is gone. */
export const RUN_AGAIN = `run again: ${FREE_FOR_A_DAY}`;
const THEN_AGAIN = `, then ${RUN_AGAIN}`;

/** Thrown instead of sending a request: nothing was sent and nothing charged. */
export class NotProcessed extends Failure {
	constructor(
		override readonly reason: NotSentReason,
		cause?: Error & { retryAfter?: number },
		advice = `${NOT_SENT[reason][1]}${THEN_AGAIN}`,
	) {
		const [short] = NOT_SENT[reason];
		super({
			status: 'not_processed',
			reason,
			message: `Not sent: ${short}${cause ? ` (${cause.message})` : ''}`,
			description: `${advice}.`,
			...(cause?.retryAfter !== undefined && { retryAfter: cause.retryAfter }),
		});
	}
}

/** Why a run sends nothing more once the signal of its end has come: it was stopped, or its time is over. */
export function endedBy({ reason }: AbortSignal): NotProcessed {
	const isOver = reason instanceof Error && reason.name === 'TimeoutError';
	return new NotProcessed(isOver ? 'run_time_over' : 'cancelled');
}

/** Thrown when an accepted bulk job fails, does not finish in time or omits a row. */
export class JobProblem extends Failure {
	constructor(
		readonly jobId: string,
		why: Problem = {
			status: 'pending',
			reason: 'job_not_finished',
			message: `The bulk job ${jobId} is not finished`,
			description:
				'Nothing is lost: run the Finder again later, and it collects what is waiting, for free.',
		},
		jobRow?: number,
	) {
		// Of a job that is over there is nothing to collect.
		const job = { jobId, ...(jobRow !== undefined && { jobRow }) };
		super(JOB_OVER.has(why.reason) ? why : { ...why, ...job });
	}

	/** The same problem for one row of the job. */
	at(jobRow: number): JobProblem {
		return new JobProblem(this.jobId, this.problem, jobRow);
	}
}

export function isPending(error: unknown): error is JobProblem {
	return error instanceof JobProblem && error.problem.status === 'pending';
}

/** What an exception means for the item that it came for. Any but a {@link Failure} is a fault of this package. */
export function problemOf(thrown: unknown): Problem {
	if (thrown instanceof Failure) return thrown.problem;
	return {
		status: 'failed',
		reason: 'unexpected',
		message: thrown instanceof Error ? thrown.message : String(thrown),
		description: 'Run again. If it happens each time, please report it.',
		httpCode: null,
	};
}

/** Keeps the first exception of several attempts, and goes on. */
export class FirstFailure {
	constructor(public error?: unknown) {}

	of<T>(attempt: () => T): T | undefined {
		try {
			return attempt();
		} catch (error) {
			this.error ??= error;
			return undefined;
		}
	}
}

/** The message and the description in one text, where n8n shows the message alone. */
export function inFull({ message, description }: Pick<Problem, 'message' | 'description'>): string {
	return `${message.replace(/(?<!\.)\.+$/, '')}. ${description}`;
}

const MAX_ADVICE = 2;

/** What to do about items without a result, each sentence once: what ends in running again is one sentence. */
export function adviceOn(problems: Problem[]): string[] {
	// What is wrong with the account or the service comes before what single items lack.
	const isOfItem = ({ status }: Problem) => Number(status === 'invalid_input');
	const inOrder = problems.toSorted((a, b) => isOfItem(a) - isOfItem(b));
	const advice = once(inOrder.map(({ description }) => description.replace(/\.$/, '')));
	const sentences = once(advice.slice(0, MAX_ADVICE).flatMap((text) => text.split(/\. (?=[A-Z])/)));
	const endsInAgain = (sentence: string) => sentence.endsWith(THEN_AGAIN);
	const again = sentences.filter(endsInAgain);
	if (again.length < 2) return sentences;
	const causes = again.map((sentence) => sentence.slice(0, -THEN_AGAIN.length)).join('; ');
	return [`${causes}${THEN_AGAIN}`, ...sentences.filter((sentence) => !endsInAgain(sentence))];
}

/** Returns each text once. A text that is a part of another one gives way to that one. */
function once(texts: string[]): string[] {
	const all = [...new Set(texts)];
	const whole = (text: string) =>
		all.find((other) => other !== text && other.includes(text)) ?? text;
	return [...new Set(all.map(whole))];
}

/** The fields of an item that say why it has no result. */
export type Reason = Record<'status' | 'reason', string>;

const REASONS = new Map<string, string | Array<string | null>>(
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
	const [short] = [REASONS.get(reason) ?? reason].flat();
	if (status === 'not_processed') return `not sent (${short})`;
	return status === 'failed' ? `failed (${short})` : `${short}`;
}

const CAUSES = new Map(
	Object.entries({ ...BY_SERVICE, ...FAILED }).map(([reason, row]) => [reason, row.at(-1)]),
);

/** Why a run failed in n8n's words (`failure` of an error), where it knows one for the reason. */
export function causeOf(reason: string): string | undefined {
	return CAUSES.get(reason) ?? undefined;
}

/** Whether the service caused that an item has no result. */
export function isCausedByService(reason: string): boolean {
	return CAUSES.has(reason);
}

/** Whether an item says why it needed no request of its own: an unmet condition, an unknown company, a catch-all domain. */
export function saysWhyFree({ status, reason }: Record<string, unknown>): boolean {
	if (reason === UNMET || reason === UNKNOWN_COMPANY) return status === 'skipped';
	return reason === CATCH_ALL_DOMAIN && status === 'verified';
}
