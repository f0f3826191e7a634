/** @file What is sent again, and after which wait. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { decide, mayRetry, type FailedRequest } from '../../nodes/shared/pace/retry.ts';
import { retryAfterOf } from '../../nodes/shared/http/response.ts';
import { ServiceError, type FailureReason } from '../../nodes/shared/http/errors.ts';

function failure(
	details: { reason?: FailureReason; httpCode?: number; retryAfter?: number } = {},
): ServiceError {
	const { reason = 'rate_limited', ...rest } = details;
	return new ServiceError(reason, { message: 'What happened', description: 'What to do', ...rest });
}

const request: FailedRequest = { attempt: 1, maxRetries: 4, repeats: 'always', isSlight: false };

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
	const limited = failure({ httpCode: 429 });
	const errorOf = (thrown: ServiceError, own: Partial<FailedRequest> = {}) =>
		decide(thrown, { ...request, ...own }).error;

	it('sends again what may succeed later, as often as Max Retries says', () => {
		expect(errorOf(limited)).toBeUndefined();
		expect(errorOf(limited, { attempt: 4 })).toBeUndefined();
		expect(errorOf(limited, { attempt: 5 })?.message).toBe('What happened (sent 5 times)');
		expect(errorOf(limited, { maxRetries: 0 })?.message).toBe('What happened');
		const refused = failure({ reason: 'bad_request', httpCode: 400 });
		expect(errorOf(refused)).toBe(refused);
	});

	it('lets all wait for a 429, but for a slight one that names no time and comes first', () => {
		const isForAll = (thrown: ServiceError, own: Partial<FailedRequest> = {}) =>
			decide(thrown, { ...request, ...own }).isForAll;
		expect(isForAll(limited)).toBe(true);
		expect(isForAll(limited, { isSlight: true })).toBe(false);
		expect(isForAll(limited, { isSlight: true, attempt: 2 })).toBe(true);
		const asks = failure({ httpCode: 429, retryAfter: 1 });
		expect(isForAll(asks, { isSlight: true })).toBe(true);
		expect(isForAll(failure({ httpCode: 503, retryAfter: 1 }))).toBe(false);
		// The last refusal of a request makes the others wait, too.
		expect(isForAll(limited, { attempt: 5 })).toBe(true);
	});

	it('repeats a lost connection that may have been charged as the request allows', () => {
		expect(decide(lost, request)).toMatchObject({ mayChargeAgain: false });
		expect(errorOf(lost, { repeats: 'never' })?.reason).toBe('unknown_outcome');
		const once = { ...request, repeats: 'once' as const };
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

describe('the wait', () => {
	it.each([
		[1, 1_000],
		[2, 2_000],
		[3, 4_000],
		[4, 8_000],
		[5, 16_000],
		[6, 32_000],
	])('after attempt %i lasts less than %i ms, spread evenly', (attempt, bound) => {
		expect(waitBeforeRetry(failure(), attempt, 0)).toBe(0);
		expect(waitBeforeRetry(failure(), attempt, 0.25)).toBe(bound / 4);
		expect(waitBeforeRetry(failure(), attempt, 0.5)).toBe(bound / 2);
	});

	it('keeps the full jitter where the back-off has reached the longest wait', () => {
		expect(waitBeforeRetry(failure(), 12, 0.25)).toBe(15_000);
		expect(waitBeforeRetry(failure(), 12, 0.5)).toBe(30_000);
	});

	it.each([
		[1_000, 1_000],
		[5_000, 5_000],
		[60_000, 60_000],
		[3_600_000, 60_000],
	])('lasts %i ms when the service asks so, at most 60 s', (retryAfter, wait) => {
		expect(waitBeforeRetry(failure({ retryAfter }), 1, 0.9)).toBe(wait);
	});

	it.each([
		['0'],
		['Mon, 12 Oct 2026 09:59:00 GMT'],
		['Thu, 01 Jan 1970 00:00:00 GMT'],
		['0.001'],
		['1'],
	])('takes a Retry-After of %j for no licence: it backs off all the same', (header) => {
		const retryAfter = retryAfterOf(header, Date.parse('2026-10-12T10:00:00Z'));
		expect(waitBeforeRetry(failure({ retryAfter }), 1, 0.999)).toBeGreaterThanOrEqual(999);
		expect(waitBeforeRetry(failure({ retryAfter }), 4, 0.5)).toBe(4_000);
		expect(waitBeforeRetry(failure({ retryAfter }), 12, 0.5)).toBe(30_000);
	});

	it('is the longer of what the service asks for and the back-off, at most 60 s', () => {
		const attempt = fc.integer({ min: 1, max: 2_000 });
		const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
		const asked = fc.option(fc.nat(100_000), { nil: undefined });
		fc.assert(
			fc.property(attempt, random, asked, (times, share, retryAfter) => {
				const wait = waitBeforeRetry(failure({ retryAfter }), times, share);
				const backOff = waitBeforeRetry(failure(), times, share);
				expect(backOff).toBeGreaterThanOrEqual(0);
				expect(backOff).toBeLessThanOrEqual(Math.min(500 * 2 ** times, 60_000));
				expect(wait).toBe(Math.min(Math.max(backOff, retryAfter ?? 0), 60_000));
			}),
			{ examples: [[1_024, 0, undefined]] },
		);
	});

	it('spreads those who come back: full jitter, where nothing else is given', () => {
		const waits = Array.from({ length: 1_000 }, () => waitBeforeRetry(failure(), 3));
		expect(Math.min(...waits)).toBeLessThan(400);
		expect(Math.max(...waits)).toBeGreaterThan(3_600);
		expect(Math.max(...waits)).toBeLessThan(4_000);
	});
});

describe('mayRetry', () => {
	it.each([[429], [500], [502], [503], [504]])('says yes to %i', (httpCode) => {
		const reason = httpCode === 429 ? 'rate_limited' : 'service_unavailable';
		expect(mayRetry(failure({ reason, httpCode }))).toBe(true);
	});

	it('says yes to a lost connection', () => {
		expect(mayRetry(failure({ reason: 'connection' }))).toBe(true);
	});

	it.each([[200], [302], [400], [401], [402], [403], [404], [405], [409], [422], [501]])(
		'says no to %i',
		(httpCode) => {
			expect(mayRetry(failure({ reason: 'bad_request', httpCode }))).toBe(false);
		},
	);

	it.each([
		['refused_base_url' as const],
		['unknown_outcome' as const],
		['unexpected_answer' as const],
		['not_the_service' as const],
		['refused_by_n8n' as const],
		['unexpected' as const],
		['redirected' as const],
		['job_failed' as const],
	])('says no to %s', (reason) => {
		expect(mayRetry(failure({ reason }))).toBe(false);
	});

	it.each([[new Error('connection')], [{ reason: 'connection', httpCode: 503 }], [undefined]])(
		'says no to what did not come from a request: %o',
		(thrown) => {
			expect(mayRetry(thrown)).toBe(false);
		},
	);
});
