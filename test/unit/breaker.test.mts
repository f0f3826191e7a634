/** @file After ten requests in a row that brought nothing for a single item, a run sends nothing more. */

import { expect, it } from 'vitest';

import type { Reason } from '../../nodes/shared/failures/reasons.ts';
import { Failure } from '../../nodes/shared/failures/failure.ts';
import { CircuitBreaker } from '../../nodes/shared/pace/retry.ts';

type Noted = Reason | 'result' | 'page';

/** Why nothing more is sent after these responses, each to a request of one question or of several. */
function after(responses: Noted[], isOfOne = true): string | undefined {
	const breaker = new CircuitBreaker();
	for (const one of responses) {
		if (one === 'result' || one === 'page') breaker.brought(one === 'result');
		else breaker.failed(new Failure(one), isOfOne);
	}
	return breaker.open?.reason;
}

const times = (number: number, one: Noted) => Array.from({ length: number }, () => one);

it.each<[string | undefined, Noted[], isOfOne?: boolean]>([
	// Whatever the form.
	['forbidden', [...times(9, 'unexpected_answer'), 'forbidden'], false],
	// What stopped it stays.
	['forbidden', [...times(10, 'forbidden'), 'result', ...times(10, 'redirected')]],
	[undefined, [...times(9, 'forbidden'), 'page', ...times(9, 'forbidden')]],
	// A busy service says nothing of what it would answer.
	['forbidden', [...times(9, 'forbidden'), 'rate_limited', 'service_unavailable', 'forbidden']],
	// Values that are refused: only where nothing was accepted, and of single questions.
	['bad_request', ['page', ...times(10, 'bad_request')]],
	[undefined, times(100, 'bad_request'), false],
])('%s after %j', (reason, responses, isOfOne) => {
	expect(after(responses, isOfOne)).toBe(reason);
});

it('counts a response that cannot be read', () => {
	const breaker = new CircuitBreaker();
	const read = () => breaker.reading(() => JSON.parse('no answer'));
	for (let request = 1; request <= 10; request++) expect(read).toThrow('no answer');
	// A fault of this package says nothing of the service.
	expect(breaker.open).toBeUndefined();
	expect(breaker.reading(() => ['an answer'])).toEqual(['an answer']);
});
