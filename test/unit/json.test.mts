/** @file Reading single values out of what the service sends, in all their spellings. */

import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import {
	isObject,
	lineAt,
	numberAt,
	objectAt,
	textAt,
	timestampAt,
} from '../../nodes/shared/values/json.ts';

describe('isObject', () => {
	it.each([[{}], [{ a: 1 }], [new Error('x')]])('says yes to %o', (value) => {
		expect(isObject(value)).toBe(true);
	});

	it.each([[null], [undefined], [[]], [[{}]], ['text'], [1], [true]])('says no to %o', (value) => {
		expect(isObject(value)).toBe(false);
	});
});

describe('objectAt', () => {
	it('gives the object under the key', () => {
		expect(objectAt({ quality: { status: 'valid' } }, 'quality')).toEqual({ status: 'valid' });
	});

	it.each([
		[{}],
		[{ quality: null }],
		[{ quality: 'valid' }],
		[{ quality: ['valid'] }],
		[null],
		[7],
	])('gives an empty object for %j', (source) => {
		expect(objectAt(source, 'quality')).toEqual({});
	});
});

describe('textAt', () => {
	it.each([
		[{ last_n: 'Lovelace' }, 'Lovelace'],
		[{ last_nd: 'Lovelace' }, 'Lovelace'],
		[{ last_n: '', last_nd: 'Lovelace' }, 'Lovelace'],
		[{ last_n: null, last_nd: ' Lovelace ' }, 'Lovelace'],
		[{ last_n: 'Lovelace', last_nd: 'Byron' }, 'Lovelace'],
		[{ last_n: 1815 }, '1815'],
		[{ last_n: ' ' }, null],
		[{ last_n: {} }, null],
		[{}, null],
	])('%j gives %j', (source, text) => {
		expect(textAt(source, 'last_n', 'last_nd')).toBe(text);
	});
});

describe('lineAt', () => {
	it.each([
		['The mailbox exists\r\nand accepts mail', 'The mailbox exists and accepts mail'],
		['The mailbox exists. \r\n\r\n  It accepts mail.\r\n', 'The mailbox exists. It accepts mail.'],
		['one\ntwo\rthree', 'one two three'],
		['one  line', 'one  line'],
		['\r\n', null],
	])('%j gives %j', (message, line) => {
		expect(lineAt({ message }, 'message')).toBe(line);
	});

	it('gives nothing where nothing was sent', () => {
		expect(lineAt({}, 'message')).toBeNull();
	});
});

describe('numberAt', () => {
	it.each([
		[250, 250],
		[0, 0],
		['250', 250],
		[' 250 ', 250],
		['1,250', 1250],
		['1,250,000', 1_250_000],
		['0', 0],
		['2.5', 2.5],
		['51-200', null],
		['many', null],
		['', null],
		[null, null],
		[true, null],
		[[1], null],
	])('%j gives %j', (employee_count, number) => {
		expect(numberAt({ employee_count }, 'employee_count')).toBe(number);
	});

	it('understands both spellings', () => {
		expect(numberAt({ companyNetworkID: 7 }, 'companyNetworkID', 'companyNetworkid')).toBe(7);
		expect(numberAt({ companyNetworkid: 7 }, 'companyNetworkID', 'companyNetworkid')).toBe(7);
		expect(numberAt({}, 'companyNetworkID', 'companyNetworkid')).toBeNull();
	});
});

describe('timestampAt', () => {
	const zone = process.env.TZ;

	// Node rereads the zone: what comes out must not depend on where n8n runs.
	describe.each([['UTC'], ['America/New_York'], ['Asia/Tokyo']])('in %s', (name) => {
		beforeEach(() => {
			process.env.TZ = name;
		});

		afterEach(() => {
			if (zone === undefined) delete process.env.TZ;
			else process.env.TZ = zone;
		});

		it.each([
			[1_798_675_200_000, '2026-12-31T00:00:00.000Z'],
			['1798675200000', '2026-12-31T00:00:00.000Z'],
			[0, '1970-01-01T00:00:00.000Z'],
			['2026-12-31', '2026-12-31T00:00:00.000Z'],
			['2026-01-02T03:04:05.678Z', '2026-01-02T03:04:05.678Z'],
			['2026-01-02T03:04:05+02:00', '2026-01-02T01:04:05.000Z'],
			['Thu, 31 Dec 2026 10:00:00 GMT', '2026-12-31T10:00:00.000Z'],
			['never', 'never'],
			['31.12.2026', '31.12.2026'],
			['', null],
			[null, null],
			[undefined, null],
			[{}, null],
		])('%j gives %j', (expiry, timestamp) => {
			expect(timestampAt({ expiry }, 'expiry')).toBe(timestamp);
		});

		it.each([
			['2026-12-31T10:00:00', '2026-12-31T10:00:00.000Z'],
			['2026-12-31 10:00:00', '2026-12-31T10:00:00.000Z'],
			['December 31, 2026', '2026-12-31T00:00:00.000Z'],
		])('%j, a date text without a zone, is read as UTC', (expiry, timestamp) => {
			expect(timestampAt({ expiry }, 'expiry')).toBe(timestamp);
		});
	});

	it('understands both spellings', () => {
		const timestamp = '2026-12-31T00:00:00.000Z';
		expect(timestampAt({ packageRDate: 1_798_675_200_000 }, 'packageRDate', 'expiry')).toBe(
			timestamp,
		);
		expect(timestampAt({ expiry: '2026-12-31' }, 'packageRDate', 'expiry')).toBe(timestamp);
	});

	it('keeps every moment', () => {
		fc.assert(
			fc.property(fc.date({ noInvalidDate: true }), (moment) => {
				const timestamp = moment.toISOString();
				expect(timestampAt({ at: moment.getTime() }, 'at')).toBe(timestamp);
				expect(timestampAt({ at: timestamp }, 'at')).toBe(timestamp);
			}),
		);
	});
});
