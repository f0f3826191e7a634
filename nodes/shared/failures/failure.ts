import {
	BY_SERVICE,
	INCOMPLETE,
	INVALID,
	JOB_OVER,
	type Next,
	type Reason,
	REASONS,
	type Row,
	THEN_AGAIN,
} from './reasons';

/** Why an item has no result: the row of its reason in the table, and what is known beside it. */
export interface Problem {
	status: (typeof INCOMPLETE)[number];
	reason: Reason;
	message: string;
	description: string;
	httpCode: number | null;
	/** What happens after the request. */
	next: Next;
	/** Whether the service may have charged the request. */
	mayBeCharged: boolean;
	/** Whether the service may not have the path. */
	isPath?: true;
	/** The pause that the service asks for, in milliseconds. */
	retryAfter?: number;
	/** How many credits are left, where the service refused a request for them (interface specification 7). */
	remaining?: number;
	/** The most retries that may help, if fewer than those of the run. */
	maxRetries?: number;
	/** The bulk job, and the row of the item in it, from 1: for `pending`, and for what the job did not answer. */
	jobId?: string;
	jobRow?: number;
}

/** Thrown, or returned in place of a response, where something brings no result. */
export class Failure extends Error {
	readonly problem: Problem;

	constructor(
		readonly reason: Reason,
		own: Partial<Problem> = {},
	) {
		const {
			message = '',
			todo = '',
			next = 'end',
			mayBeCharged = false,
			...row
		}: Row = REASONS[reason];
		const byReason = reason in INVALID ? 'invalid_input' : 'failed';
		const status = own.status ?? row.status ?? byReason;
		// What was not sent is there for the next run.
		const again = status === 'not_processed' ? THEN_AGAIN : '';
		const description = todo && `${todo}${again}.`;
		const known = { reason, message, description, httpCode: null, next, mayBeCharged };
		const problem: Problem = { ...known, ...own, status };
		super(problem.message);
		this.problem = problem;
	}

	/** Under this name n8n shows it where a list of the editor cannot be loaded. */
	get description(): string {
		return this.problem.description;
	}

	/** The same with something else. */
	with(own: Partial<Problem>): Failure {
		return new Failure(this.reason, { ...this.problem, ...own });
	}

	/** The same with a message that says more. */
	saying(more: string): Failure {
		return this.with({ message: `${this.message.replace(/\.+$/, '')}${more}` });
	}

	/** The same, with how often the request was sent. */
	after(attempts: number): Failure {
		return attempts === 1 ? this : this.saying(` (sent ${attempts} times)`);
	}
}

/** Any exception as a failure. One that is none is a fault of this package: it fails one request only. */
export function failureOf(thrown: unknown): Failure {
	if (thrown instanceof Failure) return thrown;
	return new Failure('unexpected', {
		message: thrown instanceof Error ? thrown.message : String(thrown),
	});
}

/** What an exception means for the item that it came for. */
export function problemOf(thrown: unknown): Problem {
	return failureOf(thrown).problem;
}

/** The failure of a field whose value cannot be used, with the rule that it breaks. */
export function invalidValue(label: string, rule: string): Failure {
	return new Failure('invalid_value', {
		message: `Not sent: ${rule}`,
		description: `Check the field ${label}.`,
	});
}

/** The failure of a request that is not sent: it costs nothing. */
export function notSent(reason: Reason, cause?: Failure): Failure {
	const { short }: Row = REASONS[reason];
	return new Failure(reason, {
		status: 'not_processed',
		message: `Not sent: ${short}${cause ? ` (${cause.message})` : ''}`,
		next: 'unsent',
		mayBeCharged: false,
		retryAfter: cause?.problem.retryAfter,
	});
}

/** Why a run sends nothing more once the signal of its end has come: it was stopped, or its time is over. */
export function endedBy({ reason }: AbortSignal): Failure {
	const isOver = reason instanceof Error && reason.name === 'TimeoutError';
	return notSent(isOver ? 'run_time_over' : 'cancelled');
}

/** What a bulk job that was accepted did not answer: that it is not finished, by default. Only one that has failed is free. */
export function ofJob(jobId: string, why?: Failure): Failure {
	if (why) return why.with({ jobId, mayBeCharged: why.reason !== 'job_failed' });
	return new Failure('job_not_finished', {
		jobId,
		message: `The bulk job ${jobId} is not finished`,
	});
}

/** Whether the service refuses the account, and so every other request too. */
export function isOfAccount(failure: Failure): boolean {
	return failure.problem.next === 'halt';
}

/** How many credits are left for a smaller request than one that needed so many; 0 where that is not known. */
export function leftOf({ reason, remaining = 0 }: Problem, credits: number): number {
	const left = Math.max(0, Math.floor(remaining));
	return reason === 'out_of_credits' && left < credits ? left : 0;
}

export function isPending(thrown: unknown): boolean {
	return problemOf(thrown).status === 'pending';
}

/** Whether the service knows nothing of what was asked, or not the path. */
export function isMiss(thrown: unknown): boolean {
	return problemOf(thrown).next === 'miss';
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

const SHOWN = ['status', 'reason', 'message', 'httpCode', 'jobId', 'jobRow'] as const;

/** What an item says of its problem. Of a job that is over there is nothing to collect. */
export function shown(problem: Problem): Partial<Pick<Problem, (typeof SHOWN)[number]>> {
	const names = SHOWN.slice(0, JOB_OVER.has(problem.reason) ? -2 : undefined);
	return Object.fromEntries(
		names.flatMap((name) => ((problem[name] ?? '') === '' ? [] : [[name, problem[name]]])),
	);
}

/** The message and the description in one text, where n8n shows the message alone. */
export function inFull({ message, description }: Pick<Problem, 'message' | 'description'>): string {
	return `${message.replace(/(?<!\.)\.+$/, '')}. ${description}`;
}

/** The problem that an earlier lookup names in an item by its status and its reason, if it does. */
export function problemSaid(status: unknown, reason: unknown): Problem | undefined {
	const said = INCOMPLETE.find((one) => one === status);
	const isOwn = (name: unknown): name is Reason => Object.hasOwn(REASONS, String(name));
	return said && isOwn(reason) ? new Failure(reason, { status: said }).problem : undefined;
}

/** Counts the reasons in words: `2 without a name, 1 failed (connection lost)`. */
export function reasonsOf(problems: Problem[]): string {
	const counts = new Map<string, number>();
	for (const { status, reason } of problems) {
		const { short } = REASONS[reason];
		const before = { not_processed: 'not sent', failed: 'failed', invalid_input: '', pending: '' };
		const said = before[status] ? `${before[status]} (${short})` : short;
		counts.set(said, (counts.get(said) ?? 0) + 1);
	}
	return [...counts].map(([short, number]) => `${number} ${short}`).join(', ');
}

/**
 * One problem for each cause: what may have cost something in vain first, then what most items have, and last what a manual
 * run is meant to leave.
 */
export function causesOf(problems: Problem[]): Problem[] {
	const causes = new Map<string, { one: Problem; weight: number }>();
	for (const one of problems) {
		const isLoss = one.status === 'failed' && one.mayBeCharged;
		const key = one.description.replace(THEN_AGAIN, '');
		const cause = causes.get(key) ?? { one, weight: 0 };
		// Of a loss, one item weighs more than all others.
		cause.weight += isLoss ? problems.length : Number(one.reason !== 'manual_limit');
		causes.set(key, cause);
	}
	const inOrder = [...causes.values()].toSorted((a, b) => b.weight - a.weight);
	return inOrder.map(({ one }) => one);
}

/** Whether the service caused that an item has no result. */
export function isCausedByService(reason: string): boolean {
	return Object.hasOwn(BY_SERVICE, reason);
}
