/** @file What a response means: an answer, or what happened and what the user can do. */

import { describe, expect, it } from 'vitest';

import { objectIn, objectsIn, readResponse } from '../../nodes/shared/http/response.ts';
import { detailsOf, thrownBy } from './thrown.mts';

const HTML = '<!doctype html><html><body>Not Found</body></html>';

/** What is thrown for a response. */
function refusal(statusCode: number, body: unknown, headers: Record<string, unknown> = {}) {
	return detailsOf(thrownBy(() => readResponse({ statusCode, headers, body })));
}

/** All details of a refusal that no header and no body adds to. */
function details(httpCode: number, reason: string, message: string, description: string) {
	return {
		reason,
		message,
		description,
		httpCode,
		retryAfter: undefined,
		mayBeCharged: false,
	};
}

describe('readResponse', () => {
	it.each([
		[200, { email: 'ada@acme.com' }],
		[200, {}],
		[200, []],
		[201, { id: 1 }],
		[202, { id: 12, status: 'processing', total: 2 }],
		[200, [{ tId: 1 }, { tId: 2 }]],
	])('gives the JSON of a %i: %j', (statusCode, body) => {
		expect(readResponse({ statusCode, headers: {}, body })).toBe(body);
	});

	const UNAVAILABLE = [
		'service_unavailable',
		'The service is temporarily unavailable',
		'Run the remaining items later.',
	] as const;

	const OTHER = [
		'bad_request',
		'The service did not accept this request',
		'Check the fields of the node, and Customize API Requests in the credential.',
	] as const;

	it.each([
		[
			400,
			'bad_request',
			'The service did not accept the values of this request',
			'Check the fields of the node for this item.',
		],
		[
			401,
			'unauthorized',
			'The service did not accept the API key',
			'Check the API Key of the credential. A rotated key stops working at once.',
		],
		[
			402,
			'out_of_credits',
			'Not enough credits',
			'Add credits to the account, then run the remaining items again.',
		],
		[
			403,
			'forbidden',
			'Your plan does not include this feature',
			'Check your plan with your provider.',
		],
		[
			404,
			'not_found',
			'The list or job was not found',
			'Check that it still exists and belongs to the account of the credential.',
		],
		[
			409,
			'conflict',
			'The request conflicts with another one',
			'Run the item again when the other request has ended.',
		],
		[
			429,
			'rate_limited',
			'The rate limit was still exceeded after all retries',
			'Run the remaining items later. Where the operation has these options, lower Max Concurrency or raise Max Retries.',
		],
		[405, ...OTHER],
		[422, ...OTHER],
		[500, ...UNAVAILABLE],
		[501, ...UNAVAILABLE],
		[502, ...UNAVAILABLE],
		[503, ...UNAVAILABLE],
		[504, ...UNAVAILABLE],
	])('says what a %i means, and what to do', (httpCode, reason, message, description) => {
		expect(refusal(httpCode, {})).toEqual(details(httpCode, reason, message, description));
		expect(refusal(httpCode, [])).toEqual(details(httpCode, reason, message, description));
		// The words of the service are passed on.
		for (const body of [{ message: 'as said' }, { error: 'as said' }, { detail: 'as said' }]) {
			expect(refusal(httpCode, body)).toEqual(
				details(httpCode, reason, `${message}: as said`, description),
			);
		}
	});

	describe('with a 402', () => {
		const insufficient = {
			error: 'insufficient_credits',
			message: 'You have run out of credits',
			remaining: 3,
		};

		const told = details(
			402,
			'out_of_credits',
			'Not enough credits (3 remaining): You have run out of credits',
			'Add credits to the account, then run the remaining items again.',
		);

		it('says how many credits remain, in the words of the service', () => {
			expect(refusal(402, insufficient)).toEqual(told);
		});

		it('says so when none remain', () => {
			expect(refusal(402, { ...insufficient, remaining: 0 })).toEqual({
				...told,
				message: 'Not enough credits (0 remaining): You have run out of credits',
			});
		});

		it('passes on why the variant refuses', () => {
			expect(refusal(402, { message: 'The plan does not include this country' })).toEqual({
				...told,
				message: 'Not enough credits: The plan does not include this country',
			});
		});
	});

	it.each([
		[429, '7', 7_000],
		[503, '120', 120_000],
		[429, 'soon', undefined],
	])('with a %i keeps a Retry-After of %s', (httpCode, header, retryAfter) => {
		expect(refusal(httpCode, {}, { 'retry-after': header })).toMatchObject({
			httpCode,
			retryAfter,
		});
	});

	it.each([[429], [500], [502], [503], [504]])(
		'takes a %i of a proxy for what it is, though it is no JSON',
		(httpCode) => {
			const expected = httpCode === 429 ? 'rate_limited' : 'service_unavailable';
			const { reason, retryAfter, mayBeCharged } = refusal(httpCode, HTML, { 'retry-after': '2' });
			expect({ reason, retryAfter, mayBeCharged }).toEqual({
				reason: expected,
				retryAfter: 2_000,
				mayBeCharged: false,
			});
		},
	);

	it.each([
		[200, HTML],
		[200, '<style>p { color: red }</style>'],
		[200, ''],
		[200, 'ok'],
		[200, null],
		[200, undefined],
		[200, 7],
		[200, true],
		[204, ''],
		[400, HTML],
		[401, 'Unauthorized'],
		[402, ''],
		[404, HTML],
		[404, ''],
		[404, null],
	])('does not take a %i with %j for an answer of the service', (httpCode, body) => {
		const other = details(
			httpCode,
			'not_the_service',
			'The response is not JSON, so it did not come from the service',
			'Check the Base URL of the credential: a web page or a proxy responds there.',
		);
		expect(refusal(httpCode, body)).toEqual({ ...other, mayBeCharged: httpCode < 300 });
	});

	it.each([
		[200, '{"email":"ada@ac', true],
		[200, ' [{"tId":1},', true],
		[202, '{"id":', true],
		[404, '{"message":"no', false],
	])('sees that a %i with %j was cut off', (httpCode, body, mayBeCharged) => {
		const cut = details(
			httpCode,
			'not_the_service',
			'The response was cut off on the way',
			'Run the item again. If it happens each time, check the Base URL of the credential and any proxy on the way.',
		);
		expect(refusal(httpCode, body)).toEqual({ ...cut, mayBeCharged });
	});

	it.each([[300], [301], [302], [303], [304], [307], [308]])('follows no %i', (httpCode) => {
		const redirected = details(
			httpCode,
			'redirected',
			'The Base URL redirects to https://other.example.com',
			'Redirects are not followed, so that the API key stays with the service. Check the Base URL of the credential.',
		);
		const headers = { location: 'https://other.example.com/x' };
		expect(refusal(httpCode, {}, headers)).toEqual(redirected);
		expect(refusal(httpCode, HTML, headers)).toEqual(redirected);
		for (const elsewhere of [{}, { location: '/login' }, { location: 7 }]) {
			expect(refusal(httpCode, {}, elsewhere)).toEqual({
				...redirected,
				message: 'The Base URL redirects',
			});
		}
	});
});

describe('objectsIn', () => {
	it('gives a list of objects as it is', () => {
		const list = [{ id: 1 }, {}];
		expect(objectsIn(list, 'a list of leads')).toEqual(list);
		expect(objectsIn([], 'a list of leads')).toEqual([]);
	});

	it('leaves out what is no object among them', () => {
		expect(objectsIn([{ id: 1 }, null, 'x', [], { id: 2 }], 'leads')).toEqual([
			{ id: 1 },
			{ id: 2 },
		]);
	});

	it.each([[undefined], [null], [{}], [{ data: [] }], ['[]'], [[1]], [[null]]])(
		'refuses %j',
		(value) => {
			expect(detailsOf(thrownBy(() => objectsIn(value, 'a list of leads')))).toEqual({
				reason: 'unexpected_answer',
				message: 'The service sent a response without a list of leads',
				description:
					'Run the item again later. If it happens each time, check Customize API Requests in the credential.',
				httpCode: null,
				retryAfter: undefined,
				mayBeCharged: true,
			});
		},
	);
});

describe('objectIn', () => {
	it('gives an object as it is, and refuses anything else', () => {
		const account = { id: 1 };
		expect(objectIn(account, 'an account')).toBe(account);
		for (const value of [undefined, null, [], [account], 'x']) {
			expect(detailsOf(thrownBy(() => objectIn(value, 'an account'))).message).toBe(
				'The service sent a response without an account',
			);
		}
	});
});
