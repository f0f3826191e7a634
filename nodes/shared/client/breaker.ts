import type { FailedReason, NotSentReason } from '../failures/reasons';
import type { ServiceError } from '../http/errors';

/** After so many requests in a row that ended the same way, a run sends nothing more. */
export const MAX_IN_A_ROW = 10;

/** Failures that all other requests of the run would meet too, and the reason of the items that are not sent then. */
const HOPELESS: Partial<Record<FailedReason, NotSentReason>> = {
	connection: 'service_down',
	forbidden: 'forbidden',
	redirected: 'redirected',
	not_the_service: 'not_the_service',
	bad_request: 'bad_request',
};

/** Counts requests of a run that end in the same way, with no other response of the service in between. */
export class CircuitBreaker {
	private inARow = 0;

	private hasResult = false;

	/** The last failure in this row; `undefined` after any other response. */
	cause: ServiceError | undefined;

	/** Why nothing more is sent, once it is open. */
	reason: NotSentReason | undefined;

	/**
	 * @param isMetered whether the request may cost credits: what is refused for its values counts only then
	 * @param rows of the request: one of several may be refused for a single row
	 */
	note(failure: ServiceError | undefined, isMetered: boolean, rows = 1): void {
		const { reason: what, httpCode = 200 } = failure ?? {};
		// A busy service says nothing of how it would respond.
		if (httpCode === 429 || (httpCode ?? 0) >= 500) return;
		const reason = what && HOPELESS[what];
		this.hasResult ||= isMetered && (!failure || what === 'not_found');
		// Beside results, values that are refused say nothing of other values.
		const isOfValues = reason === 'bad_request' && (!isMetered || rows > 1 || this.hasResult);
		const before = reason && this.cause?.reason === what ? this.inARow : 0;
		this.inARow = before + (reason && !isOfValues ? 1 : 0);
		this.cause = reason && failure;
		if (this.inARow >= MAX_IN_A_ROW) this.reason ??= reason;
	}
}
