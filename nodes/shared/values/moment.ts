import { cleanText } from './text';

/** `2026-11-21`, `2026-11-21T10:00:00.000Z`, `2026-11-21 10:00`, `2026-11-21T10:00+01:00`. */
const ISO =
	/^(\d{4}-\d{2}-(\d{2}))(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?) ?(?:(?:Z|UTC|GMT)|([+-]\d{2}:?\d{2}))?)?$/i;

/**
 * The moment that a value stands for, in milliseconds since 1970: a text in ISO 8601, a number of milliseconds or
 * its text, a `Date`, or a `DateTime` of n8n's expressions. A text without a time zone is in UTC, wherever this n8n
 * runs. `undefined` for any other value.
 */
export function momentOf(value: unknown): number | undefined {
	const milliseconds = isDate(value) ? Number(value.valueOf()) : fromText(cleanText(value));
	return Number.isNaN(new Date(milliseconds).getTime()) ? undefined : milliseconds;
}

/**
 * A time to the minute in a time zone, for a message: `13:00`, or of another day `2026-11-27 13:00`.
 * @param time in milliseconds since 1970
 */
export function minuteOf(time: number, timeZone: string): string {
	const format = new Intl.DateTimeFormat('sv-SE', {
		dateStyle: 'short',
		timeStyle: 'short',
		timeZone,
	});
	const [date, clock] = format.format(time).split(' ');
	return format.format().startsWith(date) ? clock : `${date} ${clock}`;
}

/** Whether it is a `Date` or Luxon's `DateTime`: the value of both is in milliseconds. */
function isDate(value: unknown): value is object {
	if (typeof value !== 'object' || value === null) return false;
	return typeof value.valueOf === 'function' && typeof value.valueOf() === 'number';
}

/** `28.11.2025`, and with slashes where it can be only one day: `28/11/2025`, `11/28/2025`. */
const LOCAL = /^(\d{1,2})([./])(\d{1,2})\2(\d{4})(?:,? (\d{1,2}:\d{2}(?::\d{2})?))?$/;

function fromText(text: string): number {
	const [, first, sign, second, year, clock = '00:00'] = LOCAL.exec(text) ?? [];
	if (first !== undefined) {
		const isDayFirst = sign === '.' || Number(first) > 12;
		if (!isDayFirst && Number(second) <= 12 && first !== second) return Number.NaN;
		const [day, month] = isDayFirst ? [first, second] : [second, first];
		const date = [year, month.padStart(2, '0'), day.padStart(2, '0')].join('-');
		return fromText(`${date} ${clock.padStart(clock.length > 5 ? 8 : 5, '0')}`);
	}
	const iso = ISO.exec(text);
	if (!iso) return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
	const [, date, day, time = '00:00', zone = 'Z'] = iso;
	// `Date` would take February 30 for March 2.
	const isDay = new Date(date).getUTCDate() === Number(day);
	return isDay ? Date.parse(`${date}T${time}${zone}`) : Number.NaN;
}
