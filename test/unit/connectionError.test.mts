/** @file What to make of the exceptions of HTTP clients, and of what n8n refuses before it sends. */

import { describe, expect, it } from 'vitest';

import { connectionError, unknownOutcome } from '../../nodes/shared/http/errors.ts';
import { detailsOf } from './thrown.mts';

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
		message: 'The connection was lost before a response arrived',
		description: 'Run the item again later (ECONNRESET).',
		httpCode: null,
		retryAfter: undefined,
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
		['EPROTO'],
	])('of %s was never sent', (code) => {
		expect(detailsOf(connectionError(networkException(code)))).toEqual({
			...lost,
			message: 'The service cannot be reached',
			description: `Check the Base URL of the credential and the network of this n8n (${code}).`,
			mayBeCharged: false,
		});
	});

	it('of a connection that was lost before it was secure was never sent', () => {
		const message =
			'Client network socket disconnected before secure TLS connection was established';
		const thrown = Object.assign(new Error(message), { code: 'ECONNRESET' });
		for (const exception of [thrown, new Error('Request failed', { cause: thrown })]) {
			expect(detailsOf(connectionError(exception))).toMatchObject({
				message: 'The service cannot be reached',
				mayBeCharged: false,
			});
		}
	});

	it.each([
		['CERT_HAS_EXPIRED'],
		['DEPTH_ZERO_SELF_SIGNED_CERT'],
		['UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
		['ERR_TLS_CERT_ALTNAME_INVALID'],
		['ERR_TLS_DH_PARAM_SIZE'],
	])('of %s blames the Base URL', (code) => {
		expect(detailsOf(connectionError(networkException(code)))).toEqual({
			...lost,
			reason: 'refused_base_url',
			message: "The Base URL's certificate is not valid",
			description: `Check the Base URL of the credential (${code}).`,
			mayBeCharged: false,
		});
	});

	it.each([[1], [2], [3], [4]])('finds the code %i causes down', (depth) => {
		expect(detailsOf(connectionError(networkException('ECONNRESET', depth)))).toEqual(lost);
	});

	describe('where n8n or its host refused the request before it was sent', () => {
		const refused = {
			...lost,
			reason: 'refused_by_n8n',
			message: 'n8n refused the request',
			description:
				'The request was not sent. Check the credential, the Request Options of the node and the settings of this n8n.',
			mayBeCharged: false,
		};

		it.each([
			['nothing', undefined],
			['null', null],
			['a text', 'ECONNRESET'],
			['an exception without a message', new Error()],
			['an exception with a number for a code', Object.assign(new Error(), { code: 7 })],
			['an exception of empty texts', Object.assign(new Error(''), { description: '' })],
		])('makes do without a word of it: %s', (_, thrown) => {
			expect(detailsOf(connectionError(thrown))).toEqual(refused);
		});

		it("passes n8n's own words on, the first of them", () => {
			const message = 'The request was blocked as it goes to a private network';
			expect(detailsOf(connectionError(new Error(message)))).toEqual({ ...refused, message });
			const cause = Object.assign(new Error(message), { description: 'Ask your administrator.' });
			const wrapped = new Error('Request failed', { cause });
			expect(detailsOf(connectionError(wrapped))).toEqual({
				...refused,
				message,
				description: 'Ask your administrator.',
			});
		});

		it.each([
			['ERR_INVALID_URL'],
			['ERR_INVALID_CHAR'],
			['ERR_UNESCAPED_CHARACTERS'],
			['ERR_HTTP_INVALID_HEADER_VALUE'],
			['ERR_BAD_OPTION'],
			['ERR_NOT_SUPPORT'],
		])('of %s could not be put together, so it was not sent', (code) => {
			const message = 'Invalid URL';
			const thrown = Object.assign(new Error(message), { code });
			expect(detailsOf(connectionError(thrown))).toEqual({ ...refused, message });
		});

		it.each([['ERR_BAD_RESPONSE'], ['ERR_FR_TOO_MANY_REDIRECTS'], ['ERR_NETWORK']])(
			'is not taken for that with %s: it may have been charged',
			(code) => {
				const description = `Run the item again later (${code}).`;
				expect(detailsOf(connectionError(networkException(code)))).toEqual({
					...lost,
					description,
				});
			},
		);

		it('comes to an end with an exception that is its own cause', () => {
			const exception = new Error('round');
			exception.cause = exception;
			expect(detailsOf(connectionError(exception))).toEqual({ ...refused, message: 'round' });
		});
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
				'The connection was lost before a response arrived, so it is unclear whether these items were processed',
			description:
				'The request was not sent again, because it may have been charged. Check the credits of the account, then run these items again.',
		});
	});
});
