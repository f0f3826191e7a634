/** @file What is sent again, and after which wait. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { meaningOf } from '../../nodes/shared/http/codes.ts';
import { decide, type FailedRequest } from '../../nodes/shared/pace/retry.ts';
import { Failure } from '../../nodes/shared/failures/failure.ts';

function failure(httpCode: number): Failure {
	const { reason, ...own } = meaningOf(httpCode);
	return new Failure(reason, { ...own, httpCode });
}

const request: FailedRequest = { attempt: 1, maxRetries: 4, cost: 'free' };

const lost = new Failure('connection', {
	message: 'The connection was lost',
	mayBeCharged: true,
});

/** The wait of a decision after so many attempts. */
function waitBeforeRetry(thrown: Failure, attempt: number, random?: number): number {
	return decide(thrown, { ...request, attempt }, random).wait;
}

describe('decide', () => {
	const limited = failure(503);
	const errorOf = (thrown: Failure, own: Partial<FailedRequest> = {}) =>
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
		const broke = failure(402);
		expect(errorOf(broke, after)?.reason).toBe('connection');
		const missing = failure(404);
		expect(errorOf(missing, after)?.reason).toBe('not_found');
	});
});

it('the wait is a back-off with full jitter, at most 60 s', () => {
	const attempt = fc.integer({ min: 1, max: 2_000 });
	const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
	fc.assert(
		fc.property(attempt, random, (times, share) => {
			const most = Math.min(500 * 2 ** times, 60_000);
			expect(waitBeforeRetry(failure(429), times, share)).toBe(Math.floor(share * most));
		}),
		{ examples: [[1_024, 0]] },
	);
});
