import type { FailedReason, NotSentReason } from '../failures/reasons';
import type { ServiceError } from '../http/errors';

/** After so many requests in a row that ended the same way, a run sends nothing more. */
const MAX_IN_A_ROW = 10;

/** Failures that all other requests of the run would meet too, and the reason of the items that are not sent then. */
const HOPELESS: Partial<Record<FailedReason, NotSentReason>> = {
	connection: 'service_down',
	forbidden: 'forbidden',
	redirected: 'redirected',
	not_the_service: 'not_the_service',
	bad_request: 'bad_request',
};

/** Counts requests of a run that end in the same way, with no other answer of the service in between. */
export class CircuitBreaker {
	private inARow = 0;

	private hasResult = false;

	/** The last failure of these. */
	cause: ServiceError | undefined;

	/** Why nothing more is sent, once it is open. */
	reason: NotSentReason | undefined;

	/** @param rows of the request: one with several rows may be refused for a single one of them */
	note(failure: ServiceError | undefined, rows = 1): void {
		const reason = failure && HOPELESS[failure.reason];
		this.hasResult ||= failure === undefined;
		// Values are refused for what they are: once a run has a result, others may be accepted.
		const isOfValues = reason === 'bad_request' && (rows > 1 || this.hasResult);
		const before = reason && this.cause?.reason === failure?.reason ? this.inARow : 0;
		this.inARow = before + (reason && !isOfValues ? 1 : 0);
		this.cause = reason && failure;
		if (this.inARow >= MAX_IN_A_ROW) this.reason ??= reason;
	}
}
