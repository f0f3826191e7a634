/** @file What a service asks for with a Retry-After header: seconds, or a date. */

import { describe, expect, it } from 'vitest';

import { retryAfterOf } from '../../nodes/shared/http/response.ts';

describe('retryAfterOf', () => {
	const now = Date.parse('2026-10-12T10:00:00Z');

	it.each([
		['0', 0],
		['1', 1_000],
		[' 30 ', 30_000],
		[30, 30_000],
		['1.5', 1_500],
		['1.25', 1_250],
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
