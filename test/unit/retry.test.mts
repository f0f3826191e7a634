/** @file What is sent again, and after which wait. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { mayRetry, retryAfterOf, waitBeforeRetry } from '../../nodes/shared/request/retry.ts';
import { ServiceError, type FailureReason } from '../../nodes/shared/request/serviceError.ts';

function failure(
	details: { reason?: FailureReason; httpCode?: number; retryAfter?: number } = {},
): ServiceError {
	const { reason = 'rate_limited', ...rest } = details;
	return new ServiceError(reason, { message: 'What happened', description: 'What to do', ...rest });
}

describe('retryAfterOf', () => {
	const now = Date.parse('2026-10-12T10:00:00Z');

	it.each([
		['0', 0],
		['1', 1_000],
		[' 30 ', 30_000],
		[30, 30_000],
		['1.5', 1_500],
		['3600', 3_600_000],
		['Mon, 12 Oct 2026 10:00:20 GMT', 20_000],
		['Monday, 12-Oct-26 10:00:20 GMT', 20_000],
		['Mon, 12 Oct 2026 12:00:00 GMT', 7_200_000],
		['Mon, 12 Oct 2026 09:59:00 GMT', 0],
	])('reads %j as %j ms', (header, wait) => {
		expect(retryAfterOf(header, now)).toBe(wait);
	});

	it.each([
		[undefined],
		[null],
		[''],
		['  '],
		['soon'],
		['30 seconds'],
		['-5'],
		['+5'],
		[{}],
		[[]],
	])('cannot read %j', (header) => {
		expect(retryAfterOf(header, now)).toBeUndefined();
	});

	it('counts a date from the present moment', () => {
		const inTenSeconds = new Date(Date.now() + 10_000).toUTCString();
		const wait = retryAfterOf(inTenSeconds);
		expect(wait).toBeGreaterThan(8_000);
		expect(wait).toBeLessThanOrEqual(10_000);
	});
});

describe('waitBeforeRetry', () => {
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
		[0, 0],
		[5_000, 5_000],
		[60_000, 60_000],
		[3_600_000, 60_000],
	])('lasts %i ms when the service asks so, at most 60 s', (retryAfter, wait) => {
		expect(waitBeforeRetry(failure({ retryAfter }), 1, 0.9)).toBe(wait);
	});

	it('is never negative, never above 60 s, and never above the step of its attempt', () => {
		const attempt = fc.integer({ min: 1, max: 2_000 });
		const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
		const asked = fc.option(fc.nat(10_000_000), { nil: undefined });
		fc.assert(
			fc.property(attempt, random, asked, (times, share, retryAfter) => {
				const wait = waitBeforeRetry(failure({ retryAfter }), times, share);
				expect(wait).toBeGreaterThanOrEqual(0);
				expect(wait).toBeLessThanOrEqual(60_000);
				if (retryAfter === undefined) expect(wait).toBeLessThanOrEqual(500 * 2 ** times);
				else expect(wait).toBe(Math.min(retryAfter, 60_000));
			}),
			{ examples: [[1_024, 0, undefined]] },
		);
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
		['too_many_results' as const],
		['job_failed' as const],
	])('says no to %s', (reason) => {
		expect(mayRetry(failure({ reason }))).toBe(false);
	});
});
