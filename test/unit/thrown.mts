/** @file What a test needs to look at exceptions: what was thrown, and all that users see of it. */

import { ServiceError } from '../../nodes/shared/http/errors.ts';

/** What a function throws; a function that throws nothing fails the test. */
export function thrownBy(call: () => unknown): unknown {
	try {
		call();
	} catch (thrown) {
		return thrown;
	}
	throw new TypeError('Nothing was thrown');
}

/** What a promise is rejected with; a promise that is fulfilled fails the test. */
export async function rejectionOf(promise: Promise<unknown>): Promise<unknown> {
	try {
		await promise;
	} catch (thrown) {
		return thrown;
	}
	throw new TypeError('Nothing was thrown');
}

/** All fields of a {@link ServiceError}; anything else fails the test. */
export function detailsOf(thrown: unknown) {
	if (!(thrown instanceof ServiceError)) {
		throw new TypeError(`Not a ServiceError: ${String(thrown)}`);
	}
	const { reason, message, description, httpCode, retryAfter, mayBeCharged } = thrown;
	return { reason, message, description, httpCode, retryAfter, mayBeCharged };
}
