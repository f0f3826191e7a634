/** @file After ten requests in a row that end in the same way, a run sends nothing more. */

import { expect, it } from 'vitest';

import { CircuitBreaker } from '../../nodes/shared/client/breaker.ts';
import type { FailedReason } from '../../nodes/shared/failures/reasons.ts';
import { ServiceError } from '../../nodes/shared/http/errors.ts';

type Noted = FailedReason | 'result';

const CODES: Partial<Record<Noted, number>> = { rate_limited: 429, service_unavailable: 503 };

/** Why nothing more is sent after these responses, each to a request of so many rows. */
function after(responses: Noted[], rows = 1, isMetered = true): string | undefined {
	const breaker = new CircuitBreaker();
	for (const one of responses) {
		const failure =
			one === 'result'
				? undefined
				: new ServiceError(one, { message: '', description: '', httpCode: CODES[one] ?? null });
		breaker.note(failure, isMetered, rows);
	}
	return breaker.reason;
}

const times = (number: number, one: Noted) => Array.from({ length: number }, () => one);

it.each<[string | undefined, Noted[], rows?: number]>([
	['service_down', times(10, 'connection')],
	['forbidden', times(10, 'forbidden')],
	['redirected', times(10, 'redirected')],
	['not_the_service', times(10, 'not_the_service')],
	['forbidden', [...times(100, 'result'), ...times(10, 'forbidden')]],
	['forbidden', [...times(9, 'redirected'), ...times(10, 'forbidden')], 100],
	// What stopped it stays.
	['forbidden', [...times(10, 'forbidden'), 'result', ...times(10, 'redirected')]],
	[undefined, times(9, 'forbidden')],
	[undefined, [...times(9, 'forbidden'), 'result', ...times(9, 'forbidden')]],
	[undefined, [...times(9, 'forbidden'), 'redirected', ...times(9, 'forbidden')]],
	[undefined, [...times(9, 'connection'), 'not_found', ...times(9, 'connection')]],
	[undefined, times(100, 'not_found')],
	[undefined, times(100, 'service_unavailable')],
	// A busy service says nothing of what it would answer.
	['forbidden', [...times(9, 'forbidden'), 'rate_limited', 'service_unavailable', 'forbidden']],
	// Values that are refused: only where nothing was accepted, and of single rows.
	['bad_request', times(10, 'bad_request')],
	[undefined, ['not_found', ...times(10, 'bad_request')]],
	[undefined, ['result', ...times(100, 'bad_request')]],
	[undefined, times(100, 'bad_request'), 2],
])('%s after %j', (reason, responses, rows) => {
	expect(after(responses, rows)).toBe(reason);
});

it('says nothing of values where the request is free, as a job that the service does not know', () => {
	expect(after(times(100, 'bad_request'), 1, false)).toBeUndefined();
	expect(after(times(10, 'forbidden'), 1, false)).toBe('forbidden');
});

it('rows that are refused together do not begin the count of single ones again', () => {
	const breaker = new CircuitBreaker();
	const refused = new ServiceError('bad_request', { message: '', description: '' });
	for (const rows of [1, 1, 1, 1, 1, 1, 1, 1, 1, 50, 1]) breaker.note(refused, true, rows);
	expect(breaker.reason).toBe('bad_request');
});
