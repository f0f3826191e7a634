/** A documented refusal; interface specification 7. */
export class ServiceError extends Error {
	readonly status: number;
	readonly body: Record<string, unknown>;

	constructor(status: number, error: string, message: string, more: Record<string, unknown> = {}) {
		super(message);
		this.status = status;
		this.body = { error, message, ...more };
	}
}

export function notFound(what: string): ServiceError {
	return new ServiceError(404, 'not_found', `${what} was not found.`);
}

/** The request is not what the specification describes: the client has a bug. */
export class ContractViolation extends Error {
	readonly statusCode = 400;
	readonly problems: string[];

	constructor(problems: string[]) {
		super(problems.join('; '));
		this.problems = problems;
	}
}
