/** @file The moment that a value tells, wherever n8n runs; what is no date is none. */

import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { momentOf } from '../../nodes/shared/values/moment.ts';

/** As the `DateTime` of Luxon, which n8n's expressions give: its value is its milliseconds. */
class DateTime {
	constructor(private readonly ts: number) {}

	valueOf(): number {
		return this.ts;
	}
}

const MOMENT = Date.UTC(2026, 10, 21, 10, 30);

// Node rereads the zone: what comes out must not depend on where n8n runs.
describe.each(['UTC', 'America/New_York', 'Asia/Tokyo', 'Asia/Kathmandu'])('in %s', (name) => {
	beforeEach(() => void vi.stubEnv('TZ', name));
	afterEach(() => void vi.unstubAllEnvs());

	it.each([
		['2026-11-21', '2026-11-21T00:00:00.000Z'],
		[' 2026-11-21 10:30:15\n', '2026-11-21T10:30:15.000Z'],
		['2026-11-21t10:30z', '2026-11-21T10:30:00.000Z'],
		['2026-11-21T10:30:15+01:00', '2026-11-21T09:30:15.000Z'],
		['2026-11-21 10:30:15 +01:00', '2026-11-21T09:30:15.000Z'],
	])('reads %j, as ISO 8601 says it, as %s', (text, moment) => {
		expect(momentOf(text)).toBe(Date.parse(moment));
	});
});

it.each([
	['1970 as text', '0', 0],
	['the text of a moment before 1970', ' -86400000 ', -86_400_000],
	['a day that the month does not have', '2026-02-30', undefined],
	['29 February', '2028-02-29', Date.UTC(2028, 1, 29)],
	['29 February of an ordinary year', '2026-02-29T10:30:00Z', undefined],
	['a date in words', 'Sat, 21 Nov 2026 10:30:00 GMT', undefined],
	['an American date', '11/21/2026', Date.UTC(2026, 10, 21)],
	['a British date', '21/11/2026 10:30', MOMENT],
	['a German date', '1.12.2026, 9:05', Date.UTC(2026, 11, 1, 9, 5)],
	['a day and a month that may be either', '11/12/2026', undefined],
	['a day that the month does not have, in German', '31.11.2026', undefined],
	['a number that is no moment', 8.64e15 + 1, undefined],
	['nothing', null, undefined],
	['a list of a moment', [MOMENT], undefined],
])('reads %s', (_, value, moment) => {
	expect(momentOf(value)).toBe(moment);
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
