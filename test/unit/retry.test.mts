/** @file What is sent again, and after which wait. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { meaningOf } from '../../nodes/shared/http/codes.ts';
import { decide, type FailedRequest } from '../../nodes/shared/pace/retry.ts';
import { ServiceError } from '../../nodes/shared/http/errors.ts';
import type { FailedReason } from '../../nodes/shared/failures/reasons.ts';

function failure(
	details: { reason?: FailedReason; httpCode?: number; retryAfter?: number } = {},
): ServiceError {
	const { reason = 'rate_limited', ...rest } = details;
	const { next, status }: Partial<ReturnType<typeof meaningOf>> =
		rest.httpCode === undefined ? {} : meaningOf(rest.httpCode);
	const said = { message: 'What happened', description: 'What to do' };
	return new ServiceError(reason, { ...said, ...rest, next, status });
}

const request: FailedRequest = { attempt: 1, maxRetries: 4, cost: 'free' };

const lost = new ServiceError('connection', {
	message: 'The connection was lost',
	description: 'What to do',
	mayBeCharged: true,
});

/** The wait of a decision after so many attempts. */
function waitBeforeRetry(thrown: ServiceError, attempt: number, random?: number): number {
	return decide(thrown, { ...request, attempt }, random).wait;
}

describe('decide', () => {
	const limited = failure({ reason: 'service_unavailable', httpCode: 503 });
	const errorOf = (thrown: ServiceError, own: Partial<FailedRequest> = {}) =>
		decide(thrown, { ...request, ...own }).error;

	it('repeats a lost connection that may have been charged as the request allows', () => {
		expect(decide(lost, request)).toMatchObject({ mayChargeAgain: false });
		expect(errorOf(lost, { cost: 'bulk' })?.reason).toBe('unknown_outcome');
		const once = { ...request, cost: 'single' as const };
		expect(decide(lost, once)).toMatchObject({ mayChargeAgain: true });
		expect(errorOf(lost, once)).toBeUndefined();
		expect(errorOf(lost, { ...once, attempt: 2, uncertain: lost })?.message).toBe(
			'The connection was lost (sent 2 times)',
		);
	});

	it('ends with the lost connection, unless the service answers in the end', () => {
		const after = { attempt: 5, uncertain: lost };
		expect(errorOf(limited, after)?.reason).toBe('connection');
		const broke = failure({ reason: 'out_of_credits', httpCode: 402 });
		expect(errorOf(broke, after)?.reason).toBe('connection');
		const missing = failure({ reason: 'not_found', httpCode: 404 });
		expect(errorOf(missing, after)?.reason).toBe('not_found');
	});
});

it('the wait is a back-off with full jitter, at most 60 s', () => {
	const attempt = fc.integer({ min: 1, max: 2_000 });
	const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
	fc.assert(
		fc.property(attempt, random, (times, share) => {
			const most = Math.min(500 * 2 ** times, 60_000);
			expect(waitBeforeRetry(failure(), times, share)).toBe(Math.floor(share * most));
		}),
		{ examples: [[1_024, 0]] },
	);
});
