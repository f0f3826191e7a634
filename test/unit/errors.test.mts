/** @file A request that brought no usable answer: what of it is told, and what never is. */

import { describe, expect, it } from 'vitest';

import { connectionError } from '../../nodes/shared/http/errors.ts';
import { inFull, problemOf } from '../../nodes/shared/failures/failure.ts';

describe('a failure', () => {
	it.each([new Error('a fault'), 'a fault'])('a fault of ours may be charged: %s', (thrown) => {
		const unexpected = { reason: 'unexpected', message: 'a fault', mayBeCharged: true };
		expect(problemOf(thrown)).toMatchObject(unexpected);
	});

	it('says in one text what happened and what to do', () => {
		expect(inFull({ message: 'It broke', description: 'Mend it' })).toBe('It broke. Mend it');
		expect(inFull({ message: 'It broke.', description: 'Mend it.' })).toBe('It broke. Mend it.');
	});
});

const KEY = 'key-1f9a77c0';

/** An exception like those of HTTP clients: a code, perhaps far down, beside the whole request. */
function networkException(code: unknown, depth = 0): Error {
	const request = { headers: { 'X-Access-Key': KEY } };
	if (depth === 0) return Object.assign(new Error(KEY), { code, request });
	const cause = networkException(code, depth - 1);
	return Object.assign(new Error(KEY, { cause }), { code: undefined, request });
}

describe('connectionError', () => {
	const NO_HTTPS = 'The Base URL does not accept https';
	const UNTRUSTED = "The Base URL's certificate is not valid";

	const codes = {
		'The connection was lost before a response arrived':
			'ECONNRESET EPIPE UND_ERR_SOCKET ERR_SSL_BAD_RECORD_MAC ERR_NETWORK',
		'The service did not respond in time': 'ETIMEDOUT ECONNABORTED',
		'The host of the Base URL was not found': 'ENOTFOUND EAI_AGAIN',
		'The Base URL refused the connection': 'ECONNREFUSED',
		'The Base URL cannot be reached': 'EHOSTUNREACH ENETUNREACH EADDRNOTAVAIL',
		[NO_HTTPS]: 'EPROTO ERR_SSL_WRONG_VERSION_NUMBER',
		[UNTRUSTED]: `CERT_HAS_EXPIRED DEPTH_ZERO_SELF_SIGNED_CERT UNABLE_TO_VERIFY_LEAF_SIGNATURE
			ERR_TLS_CERT_ALTNAME_INVALID ERR_TLS_DH_PARAM_SIZE`,
	};

	it.each(
		Object.entries(codes).flatMap(([message, all]) =>
			all.split(/\s+/).map((code) => [code, message] as const),
		),
	)('of %s: %s', (code, message) => {
		for (const depth of [0, 1, 4]) {
			const failure = connectionError(networkException(code, depth));
			expect(failure.problem).toMatchObject({
				reason: message === UNTRUSTED ? 'refused_base_url' : 'connection',
				message,
				description: expect.stringContaining(`(${code}).`),
				mayBeCharged: /was lost|in time/.test(message),
			});
			expect(failure.problem.maxRetries).toBe(code === 'ENOTFOUND' ? 1 : undefined);
			expect(failure.cause).toBeUndefined();
			expect(JSON.stringify({ ...failure, text: String(failure) })).not.toContain(KEY);
		}
	});

	const round = new Error('round');
	round.cause = round;
	const blocked = 'The request was blocked as it goes to a private network';
	const nothing = 'n8n refused the request';
	const notSent = 'The request was not sent.';
	const ask = Object.assign(new Error(blocked), { description: 'Ask your administrator.' });

	it.each<[string, unknown, message: string, description?: string]>([
		['nothing', undefined, nothing],
		['a text', 'ECONNRESET', nothing],
		['empty texts', Object.assign(new Error(''), { description: '', code: 7 }), nothing],
		['its own cause', round, 'round'],
		['a message', new Error(blocked), blocked],
		['its own description', new Error('Failed', { cause: ask }), blocked, ask.description],
		...['ERR_INVALID_URL', 'ERR_BAD_OPTION'].map((code): [string, unknown, string] => [
			code,
			Object.assign(new Error('Invalid'), { code }),
			'Invalid',
		]),
	])('that n8n refused, with %s, was not sent', (_, thrown, message, description = notSent) => {
		expect(connectionError(thrown).problem).toMatchObject({
			reason: 'refused_by_n8n',
			message,
			description: expect.stringContaining(description),
			mayBeCharged: false,
		});
	});
});
