import { cleanText } from './text';

/** `2026-11-21`, `2026-11-21T10:00:00.000Z`, `2026-11-21 10:00`, `2026-11-21T10:00+01`, `20261121T100000Z`. */
const ISO =
	/^(\d{4})(-?)(\d{2})\2(\d{2})(?:[T ](\d{2})(?::?(\d{2})(?::?(\d{2}(?:[.,]\d+)?))?)?\s?(?:(?:Z|UTC|GMT)|([+-]\d{2}):?(\d{2})?)?)?$/i;

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

function fromText(text: string): number {
	const iso = ISO.exec(text);
	const fromDate = iso ? fromIso(iso) : Number.NaN;
	// Digits alone are a date if there is such a day, else milliseconds.
	if (iso?.[2] === '-' || !Number.isNaN(fromDate)) return fromDate;
	return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
}

function fromIso(iso: RegExpExecArray): number {
	const [, year, , month, day, hour = '00', minute = '00', second = '00', ...zone] = iso;
	const [zoneHours = '+00', zoneMinutes = '00'] = zone;
	const date = `${year}-${month}-${day}`;
	// `Date` would take February 30 for March 2.
	if (new Date(`${date}T00:00Z`).getUTCDate() !== Number(day)) return Number.NaN;
	const time = `${hour}:${minute}:${second.replace(',', '.')}`;
	return Date.parse(`${date}T${time}${zoneHours}:${zoneMinutes}`);
}
