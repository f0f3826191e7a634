/** @file What a response means: an answer, or what happened and what the user can do. */

import type { GenericValue, IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';

import {
	bodyIn,
	objectsIn,
	objectWith,
	quotaIn,
	readResponse,
	retryAfterOf,
} from '../../nodes/shared/http/response.ts';
import { problemOf } from '../../nodes/shared/failures/failure.ts';
import { thrownBy } from './thrown.mts';

const HTML = '<!doctype html><html><body>Not Found</body></html>';

/** What is thrown for a response. */
function refusal(statusCode: number, body: GenericValue, headers: IDataObject = {}) {
	return problemOf(thrownBy(() => readResponse({ statusCode, headers, body })));
}

describe('readResponse', () => {
	it.each([
		[400, 'bad_request', 'The service did not accept this request'],
		[401, 'unauthorized', 'The service did not accept the API key'],
		[402, 'out_of_credits', 'Not enough credits'],
		[403, 'forbidden', 'Your plan does not include this feature'],
		[404, 'not_found', 'The list or job was not found'],
		[409, 'conflict', 'The request conflicts with another one'],
		[429, 'rate_limited', 'The service refuses requests for its rate limit'],
		[405, 'bad_request', 'The service did not accept this request'],
		[500, 'service_unavailable', 'The service is temporarily unavailable'],
	])('takes a %i for %s, whatever JSON its body is', (httpCode, reason, words) => {
		const message = `${words} (${httpCode})`;
		const told = { httpCode, reason, message, mayBeCharged: false };
		for (const body of [{}, [], null, 7, true, '', undefined]) {
			expect(refusal(httpCode, body)).toMatchObject(told);
		}
		// The words of the service are passed on.
		const inWords = { ...told, message: `${message}: as said` };
		for (const name of ['message', 'error', 'detail']) {
			expect(refusal(httpCode, { [name]: 'as said' })).toMatchObject(inWords);
		}
		// n8n parses a text in JSON, and does not say so.
		for (const type of ['application/json', 'Application/Problem+JSON; charset=utf-8']) {
			expect(refusal(httpCode, 'as said', { 'content-type': type })).toMatchObject(told);
		}
	});

	it.each([3, 0])('says of a 402 that %i credits remain', (remaining) => {
		const body = { error: 'x', message: 'You have run out', remaining };
		const message = `Not enough credits (402, ${remaining} remaining): You have run out`;
		expect(refusal(402, body)).toMatchObject({ message });
	});

	it.each<[body: object, said: string | null]>([
		[{ errors: [{ id: 'plan', code: 401, details: ' as said ' }] }, 'as said'],
		[{ detail: [{ loc: ['query'], msg: 'as said' }, { msg: 'not so' }] }, 'as said'],
		[{ errors: ['', 'as said', 'not so'] }, 'as said'],
		[['as said'], 'as said'],
		// The message comes first, as everywhere.
		[{ error: 'not_so', message: 'as said' }, 'as said'],
		[{ errors: [{ of: { plan: { text: 'as said' } } }] }, 'as said'],
		[{ of: { plan: { text: 'none of a refusal' } } }, null],
		[{ error: 7, message: null, detail: [] }, null],
	])('finds the words of the service in %j', (body, said) => {
		const message = 'Your plan does not include this feature (403)';
		const expected = { message: said === null ? message : `${message}: ${said}` };
		expect(refusal(403, body)).toMatchObject(expected);
	});

	it.each([
		[429, 'rate_limited'],
		[500, 'service_unavailable'],
	])('takes a %i of a proxy for what it is, though it is no JSON', (httpCode, reason) => {
		const told = { httpCode, reason, retryAfter: 2_000, mayBeCharged: false };
		expect(refusal(httpCode, HTML, { 'retry-after': '2' })).toMatchObject(told);
	});

	const json = { 'content-type': 'application/json' };

	it.each([
		[200, HTML, {}],
		[200, 'ok', { 'content-type': 'text/plain' }],
		[400, HTML, {}],
		[401, 'Unauthorized', { 'content-type': 'text/plain' }],
		[404, HTML, {}],
	])('does not take a %i with %j for an answer of the service', (httpCode, body, headers) => {
		const told = { reason: 'not_the_service', httpCode, mayBeCharged: httpCode < 300 };
		expect(refusal(httpCode, body, headers)).toMatchObject(told);
	});

	it.each([
		[200, null, json],
		[204, '', {}],
		[202, undefined, {}],
	])('takes a %i with %j for an empty list', (statusCode, body, headers) => {
		expect(readResponse({ statusCode, headers, body })).toEqual([]);
	});

	it.each([
		['Too many requests per minute', 'rate_limited', 'pause'],
		['Your monthly quota is used up', 'out_of_credits', 'halt'],
		['Upgrade your plan', 'forbidden', 'end'],
	])('takes a 403 that says %j for what it means', (message, reason, next) => {
		expect(refusal(403, { message })).toMatchObject({ reason, next, httpCode: 403 });
		expect(refusal(404, { message })).toMatchObject({ reason: 'not_found' });
	});

	it.each<[headers: Record<string, string>, body: object]>([
		[{ 'x-rate-limit-reset': '7' }, {}],
		[{ 'x-ratelimit-reset-after': '7' }, {}],
		[{ 'x-ratelimit-reset': '7s' }, {}],
		[{}, { retryAfter: 7 }],
		[{}, { retry_after_ms: 7_000 }],
		[{}, { error: { retry_after: 7 } }],
	])('reads the pause in %j and %j', (headers, body) => {
		expect(refusal(429, body, headers).retryAfter).toBe(7_000);
	});

	it('reads a reset at a moment in milliseconds', () => {
		const { retryAfter = 0 } = refusal(429, {}, { 'ratelimit-reset': `${Date.now() + 7_000}` });
		expect(Math.abs(retryAfter - 7_000)).toBeLessThan(1_000);
	});

	it('takes no pause of an outage from when a quota begins again', () => {
		expect(refusal(503, {}, { 'ratelimit-reset': '7' }).retryAfter).toBeUndefined();
	});

	it.each<[what: string, text: string, value: unknown]>([
		['a large integer', '{"id": 9223372036854775807}', { id: '9223372036854775807' }],
		[
			'a fraction',
			'[0.12345678901234567890, 1234567890123456]',
			[0.12345678901234568, 1234567890123456],
		],
		['no number', '{"a": NaN, "b": -Infinity, "c": "NaN"}', { a: null, b: null, c: 'NaN' }],
		['a line break in a text', '{"a": "x\ny", "b": 1}', { a: 'x\ny', b: 1 }],
	])('reads bytes with %s', (_, text, value) => {
		const body = Buffer.from(text);
		expect(bodyIn({ statusCode: 200, headers: {}, body })).toEqual(value);
	});

	it.each([300, 301, 302, 303, 304, 307, 308])('follows no %i', (httpCode) => {
		const redirected = { reason: 'redirected', httpCode, mayBeCharged: false };
		for (const [location, target] of [
			['https://other.example.com/x', ' to https://other.example.com'],
			['/login', ''],
			[undefined, ''],
		]) {
			const message = `The Base URL redirects${target}`;
			expect(refusal(httpCode, HTML, { location })).toMatchObject({ ...redirected, message });
		}
	});
});

describe('a Retry-After', () => {
	const now = Date.parse('2026-10-12T10:00:00Z');

	it.each([
		[' 30 ', 30_000],
		[30, 30_000],
		['1.25', 1_250],
		['Mon, 12 Oct 2026 10:00:20 GMT', 20_000],
		['Mon, 12 Oct 2026 09:59:00 GMT', 0],
		[undefined, undefined],
		['', undefined],
		['-5', undefined],
	])('of %j is %j ms', (header, wait) => {
		expect(retryAfterOf(header, now)).toBe(wait);
	});
});

describe('objectWith', () => {
	it('takes an object that has one of the names, even as empty', () => {
		expect(objectWith(['a', 'b'], { b: null }, 'a thing')).toEqual({ b: null });
	});

	it.each<[unknown, said: string]>([
		[{}, ''],
		[null, ''],
		[{ success: false, error: 'Your plan has expired' }, ': Your plan has expired'],
		[{ errors: [{ details: 'x'.repeat(600) }] }, `: ${'x'.repeat(500)}`],
	])('refuses %j, in the words of the service', (value, said) => {
		expect(problemOf(thrownBy(() => objectWith(['a', 'b'], value, 'a thing')))).toMatchObject({
			reason: 'unexpected_answer',
			message: `The service sent a response without a thing${said}`,
			mayBeCharged: true,
		});
	});
});

describe('objectsIn', () => {
	it('tells what the service says in place of a list', () => {
		const told = { message: 'The service sent a response without leads: as said' };
		expect(thrownBy(() => objectsIn({ error: 'as said' }, 'leads'))).toMatchObject(told);
	});

	it('finds the objects of a list, without what is none', () => {
		expect(objectsIn([], 'leads')).toEqual([]);
		const list = [{ id: 1 }, null, 'x', [], { id: 2 }];
		expect(objectsIn(list, 'leads')).toEqual([{ id: 1 }, { id: 2 }]);
	});

	it.each([[undefined], [{ data: [] }], ['[]'], [[1]]])('refuses %j', (value) => {
		expect(problemOf(thrownBy(() => objectsIn(value, 'a list of leads')))).toMatchObject({
			reason: 'unexpected_answer',
			message: 'The service sent a response without a list of leads',
			mayBeCharged: true,
		});
	});
});

it.each<[headers: IDataObject, quota: [remaining: number, seconds: number] | undefined]>([
	[{ 'x-ratelimit-remaining': '7', 'x-ratelimit-reset': '30' }, [7, 30]],
	[{ 'ratelimit-remaining': 0, 'x-rate-limit-reset-after': '1.5' }, [0, 1.5]],
	[{ ratelimit: '"default";r=50;t=30' }, [50, 30]],
	// Without an end there is nothing to share, and without a number neither.
	[{ 'x-ratelimit-remaining': '7' }, undefined],
	[{ 'x-ratelimit-remaining': 'many', 'x-ratelimit-reset': '30' }, undefined],
	[{ 'x-ratelimit-reset': '30' }, undefined],
	[{}, undefined],
])('%j states a quota of %j', (headers, quota) => {
	const [remaining, seconds = 0] = quota ?? [];
	expect(quotaIn(headers)).toEqual(quota && { remaining, reset: seconds * 1_000 });
});
