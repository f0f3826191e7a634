import type { NotProcessedReason, ServiceError } from '../http/errors';

/** After so many failures in a row a run sends nothing more. */
const MAX_IN_A_ROW = 10;

/** Counts failures of one kind in a row: once it is open, the client of the run sends nothing more. */
export class CircuitBreaker {
	failures = 0;

	cause: ServiceError | undefined;

	/** @param reason of the items that are not sent once it is open */
	constructor(readonly reason: NotProcessedReason) {}

	get isOpen(): boolean {
		return this.failures >= MAX_IN_A_ROW;
	}

	failed(cause: ServiceError): void {
		this.failures++;
		this.cause = cause;
	}

	reset(): void {
		this.failures = 0;
	}
}
