/** @file The moment that a value tells, wherever n8n runs; what is no date is none. */

import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { momentOf } from '../../nodes/shared/values/moment.ts';
import { processorTime } from '../support/processorTime.mts';

/** As the `DateTime` of Luxon, which n8n's expressions give: its value is its milliseconds. */
class DateTime {
	constructor(private readonly ts: number) {}

	valueOf(): number {
		return this.ts;
	}
}

const MOMENT = Date.UTC(2026, 10, 21, 10, 30);

describe('momentOf', () => {
	const zone = process.env.TZ;

	// Node rereads the zone: what comes out must not depend on where n8n runs.
	describe.each([['UTC'], ['America/New_York'], ['Asia/Tokyo'], ['Asia/Kathmandu']])(
		'in %s',
		(name) => {
			beforeEach(() => {
				process.env.TZ = name;
			});

			afterEach(() => {
				if (zone === undefined) delete process.env.TZ;
				else process.env.TZ = zone;
			});

			it.each([
				['2026-11-21', '2026-11-21T00:00:00.000Z'],
				['2028-02-29', '2028-02-29T00:00:00.000Z'],
				['2026-11-21T10:30', '2026-11-21T10:30:00.000Z'],
				['2026-11-21 10:30', '2026-11-21T10:30:00.000Z'],
				['2026-11-21T10:30:15', '2026-11-21T10:30:15.000Z'],
				['2026-11-21 10:30:15', '2026-11-21T10:30:15.000Z'],
				['2026-11-21T10:30:15.250', '2026-11-21T10:30:15.250Z'],
				['2026-11-21T10:30:15.250Z', '2026-11-21T10:30:15.250Z'],
				['2026-11-21T10:30:15.250123Z', '2026-11-21T10:30:15.250Z'],
				['2026-11-21T10:30Z', '2026-11-21T10:30:00.000Z'],
				['2026-11-21t10:30z', '2026-11-21T10:30:00.000Z'],
				['2026-11-21T10:30:15+01:00', '2026-11-21T09:30:15.000Z'],
				['2026-11-21T10:30:15-05:00', '2026-11-21T15:30:15.000Z'],
				['2026-11-21T10:30:15+0100', '2026-11-21T09:30:15.000Z'],
				['2026-11-21 10:30:15+01:00', '2026-11-21T09:30:15.000Z'],
				['2026-11-21 10:30:15 +01:00', '2026-11-21T09:30:15.000Z'],
				['2026-11-21 10:30:15 Z', '2026-11-21T10:30:15.000Z'],
				['2026-11-21 10:30:15+01', '2026-11-21T09:30:15.000Z'],
				['  2026-11-21\n', '2026-11-21T00:00:00.000Z'],
				['2026-11-21T10Z', '2026-11-21T10:00:00.000Z'],
				['2026-11-21T10', '2026-11-21T10:00:00.000Z'],
				['2026-11-21T10:30:15,250Z', '2026-11-21T10:30:15.250Z'],
				['20261121', '2026-11-21T00:00:00.000Z'],
				[' 20280229 ', '2028-02-29T00:00:00.000Z'],
				['20261121T103015Z', '2026-11-21T10:30:15.000Z'],
				['20261121T1030Z', '2026-11-21T10:30:00.000Z'],
				['20261121T10Z', '2026-11-21T10:00:00.000Z'],
				['20261121T103015', '2026-11-21T10:30:15.000Z'],
				['20261121T103015.250Z', '2026-11-21T10:30:15.250Z'],
				['20261121T103015,250+0100', '2026-11-21T09:30:15.250Z'],
				['20261121T103015-05', '2026-11-21T15:30:15.000Z'],
			])('reads %j, as ISO 8601 says it, as %s', (text, moment) => {
				expect(momentOf(text)).toBe(Date.parse(moment));
			});

			it.each([
				['Sat, 21 Nov 2026 10:30:00 GMT', '2026-11-21T10:30:00.000Z'],
				['Sat, 21 Nov 2026 10:30:00 +0100', '2026-11-21T09:30:00.000Z'],
				['Sat, 21 Nov 2026 10:30:00', '2026-11-21T10:30:00.000Z'],
				['21 Nov 2026 10:30:00 GMT', '2026-11-21T10:30:00.000Z'],
				['21 Nov 2026', '2026-11-21T00:00:00.000Z'],
				['Nov 21, 2026', '2026-11-21T00:00:00.000Z'],
				['November 21, 2026 10:30', '2026-11-21T10:30:00.000Z'],
				['Sat Nov 21 2026 10:30:00 GMT+0100', '2026-11-21T09:30:00.000Z'],
				[
					'Sat Nov 21 2026 10:30:00 GMT+0100 (Central European Standard Time)',
					'2026-11-21T09:30:00.000Z',
				],
				['Sat Nov 21 2026', '2026-11-21T00:00:00.000Z'],
				['11/21/2026', '2026-11-21T00:00:00.000Z'],
				['11/21/2026 10:30', '2026-11-21T10:30:00.000Z'],
				['11/21/2026, 10:30:00 PM', '2026-11-21T22:30:00.000Z'],
				['2026/11/21', '2026-11-21T00:00:00.000Z'],
				['Sat, 21 Nov 2026 10:30:00 EST', '2026-11-21T15:30:00.000Z'],
				['Nov 21, 2026 10:30 (GMT)', '2026-11-21T10:30:00.000Z'],
			])('reads %j, another date, as %s', (text, moment) => {
				expect(momentOf(text)).toBe(Date.parse(moment));
			});

			it('reads what a date says of itself, in every way in which it does', () => {
				const date = new Date(MOMENT);
				for (const text of [date.toISOString(), date.toUTCString(), date.toString()]) {
					expect(momentOf(text), text).toBe(MOMENT);
				}
			});
		},
	);

	it('reads the same of any text wherever n8n runs', () => {
		const part = (...texts: string[]) => fc.constantFrom('', ...texts);
		const texts = fc
			.tuple(
				part('Sat ', 'Sat, ', 'Saturday, '),
				fc.constantFrom(
					...['Nov 21 2026', 'November 21, 2026', '21 Nov 2026', '21-Nov-2026', '11/21/2026'],
					...['2026/11/21', '2026-11-21', '1 2026', 'Lifetime deal 2026'],
				),
				fc.oneof(
					fc.constant(''),
					fc
						.tuple(
							fc.constantFrom(' 10:30', ' 10:30:15', ', 10:30:15 PM', 'T10:30', ' at 10:30'),
							part('Z', ' Z', ' GMT', ' UTC', ' EST', ' +0100', '-05:00', ' GMT+0100', '+01'),
						)
						.map((parts) => parts.join('')),
				),
				part(' (GMT)', ' (Japan Standard Time)', '(', ' (', ')', ' x'),
			)
			.map((parts) => parts.join(''));
		const readIn = (name: string, text: string) => {
			process.env.TZ = name;
			return momentOf(text);
		};
		let moments = 0;
		try {
			fc.assert(
				fc.property(texts, (text) => {
					const moment = readIn('UTC', text);
					if (moment !== undefined) moments++;
					expect(readIn('Asia/Tokyo', text), text).toBe(moment);
				}),
				{ numRuns: 3_000 },
			);
		} finally {
			if (zone === undefined) delete process.env.TZ;
			else process.env.TZ = zone;
		}
		expect(moments).toBeGreaterThan(50);
	});

	it.each([
		['a number of milliseconds', MOMENT, MOMENT],
		['the text of one', String(MOMENT), MOMENT],
		['one with blanks around it', ` ${MOMENT} `, MOMENT],
		['1970', 0, 0],
		['1970 as text', '0', 0],
		['digits that are no date, for what they count', '20261341', 20_261_341],
		['a number whose digits are a date', 20_261_121, Date.UTC(2026, 10, 21)],
		['a moment before 1970', -86_400_000, -86_400_000],
		['the text of one before 1970', '-86400000', -86_400_000],
		['a Date', new Date(MOMENT), MOMENT],
		['a DateTime', new DateTime(MOMENT), MOMENT],
		['a large whole number', BigInt(MOMENT), MOMENT],
	])('reads %s', (_, value, moment) => {
		expect(momentOf(value)).toBe(moment);
	});

	it.each([
		['a day that the month does not have', '2026-02-30'],
		['a day that the month does not have, at a time', '2026-02-30T10:30:00Z'],
		['29 February of an ordinary year', '2026-02-29'],
		['a month that is none', '2026-13-01'],
		['month 0', '2026-00-10'],
		['day 0', '2026-01-00'],
		['hour 25', '2026-11-21T25:00:00Z'],
		['minute 60', '2026-11-21T10:60:00Z'],
		['a day that the month does not have, in digits, at a time', '20260230T103000Z'],
		['hour 25 in digits', '20261121T250000Z'],
		['a date with one dash', '2026-1121'],
		['a date with the other dash', '202611-21'],
		['half an hour', '2026-11-21T1'],
		['a decimal of nothing', '2026-11-21T10:30:15,Z'],
		['a zone that is none', '2026-11-21T10:30:00+99:99'],
		['a name with a number', 'Lifetime deal 2'],
		['a name with a year', 'Lifetime deal 2026'],
		['a version and a year', 'v2.3.4 2000'],
		['a name that begins like a month', 'Market 2026'],
		['a name that begins like a day', 'Sunrise Ltd 2026'],
		['a number with a unit', '30 days'],
		['a European date, which may be read in two ways', '31.12.2026'],
		['words', 'never'],
		['an empty text', ''],
		['blanks', ' \n'],
		['a number that is no moment', 8.64e15 + 1],
		['the text of one', '99999999999999999999'],
		['not a number', Number.NaN],
		['infinity', Number.POSITIVE_INFINITY],
		['an invalid Date', new Date(Number.NaN)],
		['an invalid DateTime', new DateTime(Number.NaN)],
		['nothing', null],
		['what is not there', undefined],
		['true', true],
		['false', false],
		['an empty list', []],
		['a list of a moment', [MOMENT]],
		['a list of a date text', ['2026-11-21']],
		['an object', {}],
		['an object with a text', { date: '2026-11-21' }],
		['an object without a prototype', Object.create(null)],
		['a function', () => MOMENT],
		['a symbol', Symbol('2026-11-21')],
	])('reads no moment from %s', (_, value) => {
		expect(momentOf(value)).toBeUndefined();
	});

	it('reads every moment from its number and its texts', () => {
		fc.assert(
			fc.property(fc.date({ noInvalidDate: true }), (date) => {
				const moment = date.getTime();
				for (const value of [moment, String(moment), date, new DateTime(moment)]) {
					expect(momentOf(value)).toBe(moment);
				}
				const year = date.getUTCFullYear();
				if (year >= 0 && year <= 9999) expect(momentOf(date.toISOString())).toBe(moment);
			}),
		);
	});

	it('gives a moment that is one, or nothing, for whatever there is', () => {
		const text = fc.oneof(
			fc.string(),
			fc.stringMatching(/^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?$/),
			fc.stringMatching(/^(Mon|Nov|12|1)[ ,/-][ \d,:/a-zA-Z+-]*\d{4}$/),
		);
		const anything = fc.anything({
			withDate: true,
			withBigInt: true,
			withNullPrototype: true,
			withTypedArray: true,
		});
		fc.assert(
			fc.property(fc.oneof(text, anything), (value) => {
				const moment = momentOf(value);
				if (moment !== undefined) expect(new Date(moment).getTime()).not.toBeNaN();
			}),
			{ numRuns: 1_000 },
		);
	});

	it.each([
		['digits', '1'],
		['blanks', ' '],
		['digits and blanks', '1 '],
		['digits and dots', '1.'],
		['months', 'Nov '],
		['letters', 'Nova'],
		['days', '2026-11-21T10:30:00'],
		['years', '1 2026'],
		['brackets', '(('],
		['signs', '+01:'],
	])('takes time by the length of a text of %s', (_, part) => {
		const used = processorTime();
		for (const start of ['', 'Nov ', '1 ', '2026-11-21T10:30:00.', '-']) {
			for (const end of ['', 'x', ' 2026 x', '(Z']) {
				momentOf(start + part.repeat(50_000) + end);
			}
		}
		expect(used()).toBeLessThan(2_000);
	});
});
