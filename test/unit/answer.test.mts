/** @file What a response means: an answer, or what happened and what the user can do. */

import { describe, expect, it } from 'vitest';

import { objectsIn, readAnswer } from '../../nodes/shared/request/answer.ts';
import { connectionError, unknownOutcome } from '../../nodes/shared/request/connectionError.ts';
import {
	asServiceError,
	ifNotFound,
	ServiceError,
	unexpectedAnswer,
} from '../../nodes/shared/request/serviceError.ts';
import { detailsOf, thrownBy } from './thrown.mts';

const HTML = '<!doctype html><html><body>Not Found</body></html>';

/** What is thrown for a response. */
function refusal(statusCode: number, body: unknown, headers: Record<string, unknown> = {}) {
	return detailsOf(thrownBy(() => readAnswer({ statusCode, headers, body })));
}

/** All details of a refusal that no header and no body adds to. */
function details(httpCode: number, reason: string, message: string, description: string) {
	return {
		reason,
		message,
		description,
		httpCode,
		retryAfter: undefined,
		remaining: undefined,
		mayBeCharged: false,
	};
}

describe('readAnswer', () => {
	it.each([
		[200, { email: 'ada@acme.com' }],
		[200, {}],
		[200, []],
		[201, { id: 1 }],
		[202, { id: 12, status: 'processing', total: 2 }],
		[200, [{ tId: 1 }, { tId: 2 }]],
	])('gives the JSON of a %i: %j', (statusCode, body) => {
		expect(readAnswer({ statusCode, headers: {}, body })).toBe(body);
	});

	const UNAVAILABLE = [
		'service_unavailable',
		'The service is not able to answer at the moment',
		'Run the remaining items later.',
	] as const;

	const OTHER = [
		'bad_request',
		'The service did not accept this request',
		'Check the fields of the node and the interface settings of the credential.',
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
			'The service asks for more credits',
			'Add credits to the account, then run the remaining items again.',
		],
		[
			403,
			'forbidden',
			'The account may not use this function',
			'Check with the service what the plan of the account includes.',
		],
		[
			404,
			'not_found',
			'The service does not have what was asked for',
			'Check that the list or job still exists and belongs to the account of the credential.',
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
			'The service kept asking for fewer requests',
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
			'The service asks for more credits (3 remaining): You have run out of credits',
			'Add credits to the account, then run the remaining items again.',
		);

		it('says how many credits remain, in the words of the service', () => {
			expect(refusal(402, insufficient)).toEqual({ ...told, remaining: 3 });
		});

		it('says so when none remain', () => {
			expect(refusal(402, { ...insufficient, remaining: 0 })).toEqual({
				...told,
				message: 'The service asks for more credits (0 remaining): You have run out of credits',
				remaining: 0,
			});
		});

		it('passes on why the variant refuses', () => {
			expect(refusal(402, { message: 'The plan does not include this country' })).toEqual({
				...told,
				message: 'The service asks for more credits: The plan does not include this country',
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
			'The answer is not one of the service: it is no JSON',
			'Check the Base URL of the credential: a web page or a proxy answers there.',
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
			'The answer was cut off on the way',
			'Run the item again. If it happens each time, check the Base URL of the credential and any proxy on the way.',
		);
		expect(refusal(httpCode, body)).toEqual({ ...cut, mayBeCharged });
	});

	it.each([[300], [301], [302], [303], [304], [307], [308]])('follows no %i', (httpCode) => {
		const redirected = details(
			httpCode,
			'redirected',
			'The Base URL redirects to https://other.example.com/x',
			'Redirects are not followed, so that the API key stays with the service. Check the Base URL of the credential.',
		);
		const headers = { location: 'https://other.example.com/x' };
		expect(refusal(httpCode, {}, headers)).toEqual(redirected);
		expect(refusal(httpCode, HTML, headers)).toEqual(redirected);
		expect(refusal(httpCode, {})).toEqual({ ...redirected, message: 'The Base URL redirects' });
	});
});

describe('objectsIn', () => {
	it('gives a list of objects as it is', () => {
		const list = [{ id: 1 }, {}];
		expect(objectsIn(list, 'a list of leads')).toBe(list);
		expect(objectsIn([], 'a list of leads')).toEqual([]);
	});

	it.each([
		[undefined],
		[null],
		[{}],
		[{ data: [] }],
		['[]'],
		[[1]],
		[[null]],
		[[{}, []]],
		[[{}, 'x']],
	])('refuses %j', (value) => {
		expect(detailsOf(thrownBy(() => objectsIn(value, 'a list of leads')))).toEqual({
			reason: 'unexpected_answer',
			message: 'The service sent an answer without a list of leads',
			description:
				'Run the item again later. If it happens each time, check the interface settings of the credential.',
			httpCode: null,
			retryAfter: undefined,
			remaining: undefined,
			mayBeCharged: true,
		});
	});
});

/** An exception like those of HTTP clients: a code, perhaps far down, beside the whole request. */
function networkException(code: unknown, depth = 0): Error {
	const request = { headers: { 'X-Access-Key': 'key-1f9a77c0' } };
	let exception = Object.assign(new Error('key-1f9a77c0'), { code, request });
	for (let level = 0; level < depth; level++) {
		exception = Object.assign(new Error('key-1f9a77c0', { cause: exception }), {
			code: undefined,
			request,
		});
	}
	return exception;
}

describe('connectionError', () => {
	const lost = {
		reason: 'connection',
		message: 'The connection was lost before the answer came',
		description: 'Run the item again later (ECONNRESET).',
		httpCode: null,
		retryAfter: undefined,
		remaining: undefined,
		mayBeCharged: true,
	};

	it.each([['ECONNRESET'], ['ETIMEDOUT'], ['ECONNABORTED'], ['EPIPE'], ['UND_ERR_SOCKET']])(
		'of %s may have been charged',
		(code) => {
			const description = `Run the item again later (${code}).`;
			expect(detailsOf(connectionError(networkException(code)))).toEqual({ ...lost, description });
		},
	);

	it.each([
		['ECONNREFUSED'],
		['ENOTFOUND'],
		['EAI_AGAIN'],
		['EHOSTUNREACH'],
		['ENETUNREACH'],
		['EADDRNOTAVAIL'],
	])('of %s was never sent', (code) => {
		expect(detailsOf(connectionError(networkException(code)))).toEqual({
			...lost,
			message: 'The service cannot be reached',
			description: `Check the Base URL of the credential and the network of this n8n (${code}).`,
			mayBeCharged: false,
		});
	});

	it.each([
		['CERT_HAS_EXPIRED'],
		['DEPTH_ZERO_SELF_SIGNED_CERT'],
		['UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
		['ERR_TLS_CERT_ALTNAME_INVALID'],
	])('of %s blames the address', (code) => {
		expect(detailsOf(connectionError(networkException(code)))).toEqual({
			...lost,
			reason: 'refused_base_url',
			message: 'The Base URL has no valid certificate',
			description: `Check the Base URL of the credential (${code}).`,
			mayBeCharged: false,
		});
	});

	it.each([[1], [2], [3]])('finds the code %i causes down', (depth) => {
		expect(detailsOf(connectionError(networkException('ECONNRESET', depth)))).toEqual(lost);
	});

	it.each([
		['nothing', undefined],
		['null', null],
		['a text', 'ECONNRESET'],
		['an exception without one', networkException(undefined)],
		['an exception with a number', networkException(7)],
	])('makes do without a code: %s', (_, thrown) => {
		const description = 'Run the item again later.';
		expect(detailsOf(connectionError(thrown))).toEqual({ ...lost, description });
	});

	it('comes to an end with an exception that is its own cause', () => {
		const exception = new Error('round');
		exception.cause = exception;
		const description = 'Run the item again later.';
		expect(detailsOf(connectionError(exception))).toEqual({ ...lost, description });
	});

	it('keeps nothing of the request', () => {
		const failure = connectionError(networkException('ECONNRESET', 2));
		expect(failure.cause).toBeUndefined();
		expect(JSON.stringify({ ...failure, text: String(failure) })).not.toContain('key-1f9a77c0');
	});

	it('says of many rows that their outcome is unknown', () => {
		expect(detailsOf(unknownOutcome(connectionError(networkException('ECONNRESET'))))).toEqual({
			...lost,
			reason: 'unknown_outcome',
			message:
				'The connection was lost before the answer came, so it is not known whether these rows were looked up',
			description:
				'The request was not repeated, because it may have been charged. Check the credits of the account, then run these items again.',
		});
	});
});

describe('ServiceError', () => {
	const full = {
		message: 'What happened',
		description: 'What to do',
		httpCode: 429,
		retryAfter: 5_000,
		remaining: 3,
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

	it('covers the key', () => {
		expect(failure.without('key-1f9a77c0')).toBe(failure);
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
			remaining: undefined,
			mayBeCharged: false,
		});
	});

	it('is told from other exceptions', () => {
		expect(asServiceError(failure)).toBe(failure);
		const other = new Error('a fault in the code');
		expect(thrownBy(() => asServiceError(other))).toBe(other);
		expect(thrownBy(() => asServiceError('text'))).toBe('text');
	});
});

describe('ifNotFound', () => {
	it('takes something else for a 404 of the service', () => {
		const missing = thrownBy(() => readAnswer({ statusCode: 404, headers: {}, body: {} }));
		expect(ifNotFound('instead')(missing)).toBe('instead');
	});

	it('passes everything else on, a 404 of something else too', () => {
		const elsewhere = thrownBy(() => readAnswer({ statusCode: 404, headers: {}, body: HTML }));
		const others = [elsewhere, unexpectedAnswer('rows'), new Error('a fault in the code')];
		for (const other of others) {
			expect(thrownBy(() => ifNotFound('instead')(other))).toBe(other);
		}
	});
});
