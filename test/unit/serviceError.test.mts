/** @file A request that brought no usable answer: what of it is told, and what never is. */

import { describe, expect, it } from 'vitest';

import { readResponse } from '../../nodes/shared/http/response.ts';
import {
	asServiceError,
	inFull,
	isNotFound,
	ServiceError,
	unexpectedAnswer,
} from '../../nodes/shared/http/errors.ts';
import { detailsOf, thrownBy } from './thrown.mts';

describe('ServiceError', () => {
	const full = {
		message: 'What happened',
		description: 'What to do',
		httpCode: 429,
		retryAfter: 5_000,
		mayBeCharged: true,
	};

	const failure = new ServiceError('rate_limited', full);

	it('says how often the request was sent', () => {
		expect(failure.after(1)).toBe(failure);
		expect(detailsOf(failure.after(5))).toEqual({
			...full,
			reason: 'rate_limited',
			message: 'What happened (sent 5 times)',
		});
	});

	it('masks the key', () => {
		expect(failure.without('key-1f9a77c0')).toEqual(failure);
		expect(detailsOf(failure.without('key-1f9a77c0'))).toEqual(detailsOf(failure));
		const telling = new ServiceError('rate_limited', { ...full, message: 'No key-1, nor key-1!' });
		expect(detailsOf(telling.without('key-1'))).toEqual({
			...full,
			reason: 'rate_limited',
			message: 'No ***, nor ***!',
		});
	});

	it('does not claim what is not known', () => {
		const bare = new ServiceError('connection', { message: 'A', description: 'B' });
		expect(detailsOf(bare)).toEqual({
			reason: 'connection',
			message: 'A',
			description: 'B',
			httpCode: null,
			retryAfter: undefined,
			mayBeCharged: false,
		});
	});

	it('masks the key in what to do as well', () => {
		const telling = new ServiceError('redirected', { ...full, description: 'Not key-1.' });
		expect(detailsOf(telling.without('key-1'))).toMatchObject({ description: 'Not ***.' });
	});

	it('is short, however much the service says: it goes into every item', () => {
		const long = new ServiceError('conflict', { ...full, message: 'a'.repeat(100_000) });
		const { message, description } = long.without('key-1');
		expect(message.length).toBeLessThanOrEqual(501);
		expect(message).toMatch(/^a+…$/);
		expect(description).toBe('What to do');
		const longest = new ServiceError('conflict', { ...full, message: 'a'.repeat(500) });
		expect(longest.without('key-1').message).toBe(longest.message);
		// The key is masked before, so that no half of it is left.
		const cut = new ServiceError('conflict', { ...full, message: `${'a'.repeat(497)}key-1 b` });
		expect(cut.without('key-1').message).not.toContain('key');
	});

	it('is told from other exceptions, which are a fault in this package', () => {
		expect(asServiceError(failure)).toBe(failure);
		const unexpected = {
			reason: 'unexpected',
			message: 'a fault in the code',
			description: 'Run the item again. If it happens each time, please report it.',
			httpCode: null,
			retryAfter: undefined,
			// Nobody knows how far the request came.
			mayBeCharged: true,
		};
		expect(detailsOf(asServiceError(new Error('a fault in the code')))).toEqual(unexpected);
		expect(detailsOf(asServiceError('a fault in the code'))).toEqual(unexpected);
	});

	it('says in one text what happened and what to do', () => {
		expect(inFull(new ServiceError('conflict', full))).toBe('What happened. What to do');
		const ended = { message: 'What happened.', description: 'What to do.' };
		expect(inFull(ended)).toBe('What happened. What to do.');
	});
});

describe('unexpectedAnswer', () => {
	it('says what was to be there, and that it may have been charged', () => {
		expect(detailsOf(unexpectedAnswer('rows'))).toEqual({
			reason: 'unexpected_answer',
			message: 'The service sent a response without rows',
			description:
				'Run the item again later. If it happens each time, check Customize API Requests in the credential.',
			httpCode: null,
			retryAfter: undefined,
			mayBeCharged: true,
		});
	});
});

describe('isNotFound', () => {
	const refused = (statusCode: number, body: unknown) =>
		thrownBy(() => readResponse({ statusCode, headers: {}, body }));

	it('is a 404 of the service', () => {
		expect(isNotFound(refused(404, {}))).toBe(true);
	});

	it.each([
		['a 404 of something else', refused(404, '<!doctype html>')],
		['another refusal', refused(405, {})],
		['an answer that lacks something', unexpectedAnswer('rows')],
		['a fault in the code', new Error('not_found')],
		['an object that looks like one', { reason: 'not_found' }],
	])('is not %s', (_, thrown) => {
		expect(isNotFound(thrown)).toBe(false);
	});
});
