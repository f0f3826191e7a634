import { asServiceError } from '../http/errors';
import { Failure, InvalidInput, type Problem } from '../values/failure';

/** A field that an item lacks: the end of its code, and its label with what would do instead. */
export type MissingField = [code: string, label: string];

/** For the fields that an item lacks. The code names the first of them. */
export function missing(...fields: MissingField[]): InvalidInput {
	const labels = fields.map(([, label]) => label).join(' and ');
	return new InvalidInput({
		reason: `missing_${fields[0][0]}`,
		message: `Not sent: this item has no ${labels}`,
		description: 'Check that your expressions point to fields that exist in the input.',
	});
}

/** For a field that holds what cannot be meant. */
export function invalidValue(label: string, rule: string): InvalidInput {
	return new InvalidInput({
		reason: 'invalid_value',
		message: `Not sent: ${rule}`,
		description: `Check the field ${label}.`,
	});
}

/** Thrown for what an accepted bulk job does not answer: it has failed, or it has not finished in time. */
export class JobProblem extends Failure {
	/** @param cause why it failed; a job without one is pending */
	constructor(
		readonly jobId: string,
		override readonly cause?: unknown,
		jobRow?: number,
	) {
		const pending: Problem = {
			status: 'pending',
			reason: 'job_not_finished',
			message: `The bulk job ${jobId} is not finished`,
			description: 'Nothing is lost: collect the results later with Get Bulk Job.',
		};
		const problem = cause === undefined ? pending : problemOf(cause);
		super({ ...problem, jobId, ...(jobRow !== undefined && { jobRow }) });
	}

	get isPending(): boolean {
		return this.problem.status === 'pending';
	}

	/** The same for one row of the job. */
	at(jobRow: number): JobProblem {
		return new JobProblem(this.jobId, this.cause, jobRow);
	}
}

/** What an exception means for the item that it came for. */
export function problemOf(thrown: unknown): Problem {
	return (thrown instanceof Failure ? thrown : asServiceError(thrown)).problem;
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
