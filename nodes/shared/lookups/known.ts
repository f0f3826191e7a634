import type { IDataObject } from 'n8n-workflow';

import { invalidValue } from '../outcomes/problem';
import { momentOf } from '../values/moment';
import { numberOf } from '../values/number';

const DAY = 24 * 60 * 60_000;

/** No number is the time of a check before. */
const EARLIEST_CHECK = Date.UTC(2000);

/** Days. */
export const DEFAULT_MAX_AGE = 90;
export const DEFAULT_RETRY_UNKNOWN = 1;

/** What an item may bring along that makes its lookup needless. */
export interface Known {
	/** The parameter that holds it. */
	parameter: string;
	/** What the value says; nothing where it says nothing, so that the item is looked up. */
	read(value: unknown): KnownValue | undefined;
}

export interface KnownValue {
	/** What the item comes out with. */
	fields: IDataObject;
	/** Whether it says that nobody knows: it may be known soon. */
	isUnknown?: boolean;
}

/** An item that is passed on without a lookup, for free. */
export interface PassedOn {
	status: 'known' | 'skipped';
	fields: IDataObject;
	/** Whether Checked At holds something that is no date. */
	isUndated?: boolean;
}

/**
 * The item as it is passed on, where what it brings along can be trusted. Without a date it can,
 * whatever its age: trusting it costs nothing, and not trusting it does. Throws `InvalidInput`.
 * @param parameter the value of a parameter for the item
 * @param retryUnknown days, after which an unknown status is looked up again
 */
export function knownItem(
	{ parameter: name, read }: Known,
	parameter: (name: string) => unknown,
	retryUnknown: number,
	now = Date.now(),
): PassedOn | undefined {
	const value = read(parameter(name));
	if (!value) return undefined;
	const maxAge = daysOf(parameter('options.maxAgeDays'), 'Max Age (Days)', DEFAULT_MAX_AGE);
	const checkedAt = parameter('options.checkedAt') ?? '';
	const moment = timeOfCheck(checkedAt);
	const passedOn: PassedOn = { status: 'known', fields: value.fields };
	if (moment === undefined) {
		if (value.isUnknown) return undefined;
		return { ...passedOn, isUndated: checkedAt !== '' };
	}
	const age = Math.max(0, now - moment) / DAY;
	const isFresh = maxAge > 0 && age <= maxAge && !(value.isUnknown && age >= retryUnknown);
	return isFresh ? passedOn : undefined;
}

/** When something was checked; `undefined` for what is no such time, as the number of a day in a spreadsheet. */
function timeOfCheck(value: unknown): number | undefined {
	const moment = momentOf(value);
	const number = numberOf(value);
	// Zero and the first dates of a calendar are what systems write for "never".
	const isDate = number === undefined || number <= 0 || moment !== number;
	if (isDate || number >= EARLIEST_CHECK) return moment;
	// Other systems count seconds.
	const seconds = momentOf(number * 1_000);
	return seconds !== undefined && seconds >= EARLIEST_CHECK ? seconds : undefined;
}

/** A number of days, the default for an empty value; throws `InvalidInput` for anything else. */
export function daysOf(value: unknown, label: string, byDefault: number): number {
	const isEmpty = value === undefined || value === null || value === '';
	const days = isEmpty ? byDefault : numberOf(value);
	if (days === undefined) throw invalidValue(label, `${label} must be a number`);
	return days;
}
