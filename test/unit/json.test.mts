/** @file Reading single values out of what the service sends, in all their spellings. */

import { expect, it } from 'vitest';

import { isEmpty, numberAt, textAt, timestampAt } from '../../nodes/shared/values/json.ts';

it.each([
	[{ last_n: '', last_nd: 'Lovelace' }, 'Lovelace'],
	[{ last_n: null, last_nd: ' Lovelace ' }, 'Lovelace'],
	[{ last_n: 1815 }, '1815'],
	[{ last_n: {} }, null],
	[{}, null],
])('textAt: %j holds %j', (source, text) => {
	expect(textAt(source, 'last_n', 'last_nd')).toBe(text);
});

it.each([
	[0, 0],
	['1,250,000', 1_250_000],
	['51-200', null],
	['', null],
	[null, null],
])('numberAt: %j is %j', (size, number) => {
	expect(numberAt({ size }, 'size', 'sizes')).toBe(number);
	expect(numberAt({ sizes: size }, 'size', 'sizes')).toBe(number);
});

it.each([
	[0, '1970-01-01T00:00:00.000Z'],
	// In seconds.
	[1_798_675_200, '2026-12-31T00:00:00.000Z'],
	['1798675200', '2026-12-31T00:00:00.000Z'],
	[99_999_999_999, '5138-11-16T09:46:39.000Z'],
	[100_000_000_000, '1973-03-03T09:46:40.000Z'],
	[-99_999_999_999, '-001199-02-15T14:13:21.000Z'],
	// A date of those years.
	['1970-01-02', '1970-01-02T00:00:00.000Z'],
	['2026-01-02T03:04:05+02:00', '2026-01-02T01:04:05.000Z'],
	['never', 'never'],
	['', null],
	[null, null],
	[{}, null],
])('timestampAt: %j gives %j', (expiry, timestamp) => {
	expect(timestampAt({ expiry }, 'expiry')).toBe(timestamp);
});

it.each([
	['', true],
	['  ', true],
	[null, true],
	[undefined, true],
	[' a ', false],
	[0, false],
	[false, false],
	[[], false],
])('isEmpty: %j is %j', (value, empty) => {
	expect(isEmpty(value)).toBe(empty);
});
