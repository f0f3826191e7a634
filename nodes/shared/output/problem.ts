import { FailingExpression } from '../host/parameters';
import { asServiceError, NotProcessed } from '../http/errors';

/** Why an item has no answer. */
export interface Problem {
	status: 'invalid_input' | 'not_processed' | 'failed' | 'pending';
	/** In a word that a workflow can route by; for `invalid_input` it names the fields. */
	reason: string;
	/** What happened. */
	message: string;
	/** What to do now. */
	description: string;
	httpCode?: number | null;
	/** For `pending` and for what a job did not answer: the bulk job, and the row of the item in it, from 1. */
	jobId?: string;
	jobRow?: number;
}

/** Thrown for an item that gets no answer. */
class ItemProblem extends Error {
	constructor(readonly problem: Problem) {
		super(problem.message);
	}
}

/** Thrown for an item that lacks what its operation needs, or that has something else there. */
export class InvalidInput extends ItemProblem {
	constructor(problem: Omit<Problem, 'status'>) {
		super({ status: 'invalid_input', ...problem });
	}
}

/** Fields that an item lacks, each by its label, with what would do instead. */
export function missing(...labels: string[]): InvalidInput {
	const fields = labels.join(' and ');
	return new InvalidInput({
		reason: `missing: ${fields}`,
		message: `Not sent: this item is missing ${fields}`,
		description:
			'Fill in the field, or check that its expression finds a value in this item of the input.',
	});
}

/** A field that holds what cannot be meant. */
export function invalidValue(label: string, rule: string): InvalidInput {
	return new InvalidInput({
		reason: `invalid: ${label}`,
		message: `Not sent: ${rule}`,
		description: `Check the field ${label}.`,
	});
}

/** Thrown when a bulk job has not finished in the time that the user gave it. */
export class JobPending extends ItemProblem {
	constructor(
		readonly jobId: string,
		jobRow?: number,
	) {
		super({
			status: 'pending',
			reason: 'job_not_finished',
			message: `The bulk job ${jobId} is not finished`,
			description: 'Nothing is lost: collect the results later with Get Bulk Job.',
			jobId,
			...(jobRow !== undefined && { jobRow }),
		});
	}

	at(jobRow: number): JobPending {
		return new JobPending(this.jobId, jobRow);
	}
}

/** Thrown for what went wrong with an accepted bulk job. */
export class JobFailed extends ItemProblem {
	constructor(
		readonly jobId: string,
		private readonly reason: unknown,
		jobRow?: number,
	) {
		super({ ...problemOf(reason), jobId, ...(jobRow !== undefined && { jobRow }) });
	}

	at(jobRow: number): JobFailed {
		return new JobFailed(this.jobId, this.reason, jobRow);
	}
}

/** What an exception means for the item that it came for. */
export function problemOf(thrown: unknown): Problem {
	if (thrown instanceof ItemProblem) return thrown.problem;
	if (thrown instanceof FailingExpression) {
		const { label, message } = thrown;
		return {
			status: 'invalid_input',
			reason: `expression: ${label}`,
			message: `Not sent: the expression of ${label} cannot be evaluated for this item (${message})`,
			description: 'Check the expression of the field with the data of this item.',
		};
	}
	if (thrown instanceof NotProcessed) {
		const { reason, message, description } = thrown;
		return { status: 'not_processed', reason, message, description };
	}
	const { reason, message, description, httpCode } = asServiceError(thrown);
	// The request that ran into the end of the credits was refused, so the item can be sent again.
	const status = reason === 'out_of_credits' ? 'not_processed' : 'failed';
	return { status, reason, message, description, httpCode };
}
