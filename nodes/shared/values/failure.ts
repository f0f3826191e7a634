/** Why an item has no result. */
export interface Problem {
	status: 'invalid_input' | 'not_processed' | 'failed' | 'pending';
	/** A code that a workflow can route by. */
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

/** Thrown for an item that gets no result. */
export class Failure extends Error {
	readonly reason: string;

	readonly description: string;

	constructor(readonly problem: Problem) {
		super(problem.message);
		this.reason = problem.reason;
		this.description = problem.description;
	}
}

/** Thrown for an item that lacks what its operation needs, or that has something else there. */
export class InvalidInput extends Failure {
	constructor(problem: Omit<Problem, 'status'>) {
		super({ status: 'invalid_input', ...problem });
	}
}
