import {
	type FailedReason,
	type INCOMPLETE,
	type InvalidReason,
	JOB_OVER,
	NOT_SENT,
	type NotSentReason,
	type PendingReason,
} from './reasons';

/** Why an item has no result. */
export interface Problem {
	status: (typeof INCOMPLETE)[number];
	/** A code that a workflow can route by. */
	reason: InvalidReason | NotSentReason | FailedReason | PendingReason;
	message: string;
	description: string;
	httpCode?: number | null;
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

/** Thrown instead of sending a request: nothing was sent and nothing charged. */
export class NotProcessed extends Failure {
	constructor(
		override readonly reason: NotSentReason,
		cause?: Error,
	) {
		const [short, advice] = NOT_SENT[reason];
		const again = reason === 'manual_limit' ? '.' : ', then run only these items again.';
		super({
			status: 'not_processed',
			reason,
			message: `Not sent: ${short}${cause ? ` (${cause.message})` : ''}`,
			description: `${advice}${again}`,
		});
	}
}

/** What to do about a bulk job that has not finished in time. */
export const COLLECT_LATER = 'Nothing is lost: collect the results later with Get Bulk Job.';

/** Thrown when an accepted bulk job fails, does not finish in time or omits a row. */
export class JobProblem extends Failure {
	constructor(
		readonly jobId: string,
		private readonly why: Problem = {
			status: 'pending',
			reason: 'job_not_finished',
			message: `The bulk job ${jobId} is not finished`,
			description: COLLECT_LATER,
		},
		jobRow?: number,
	) {
		// Of a job that is over there is nothing to collect.
		const job = { jobId, ...(jobRow !== undefined && { jobRow }) };
		super(JOB_OVER.has(why.reason) ? why : { ...why, ...job });
	}

	get isPending(): boolean {
		return this.problem.status === 'pending';
	}

	/** The same problem for one row of the job. */
	at(jobRow: number): JobProblem {
		return new JobProblem(this.jobId, this.why, jobRow);
	}
}

/** What an exception means for the item that it came for. Any but a {@link Failure} is a fault of this package. */
export function problemOf(thrown: unknown): Problem {
	if (thrown instanceof Failure) return thrown.problem;
	return {
		status: 'failed',
		reason: 'unexpected',
		message: thrown instanceof Error ? thrown.message : String(thrown),
		description: 'Run the item again. If it happens each time, please report it.',
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
