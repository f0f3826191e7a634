import type { IDataObject } from 'n8n-workflow';

import { toText } from './text';

/** Whether a value is a JSON object (no list, not null). */
export function isObject(value: unknown): value is IDataObject {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object under a key, or an empty one: a missing part reads as missing values. */
export function objectAt(source: unknown, key: string): IDataObject {
	const value = isObject(source) ? source[key] : undefined;
	return isObject(value) ? value : {};
}

/** The first text that is not empty under any of the spellings, else `null`. */
export function textAt(source: IDataObject, ...keys: string[]): string | null {
	for (const key of keys) {
		const text = toText(source[key]);
		if (text !== '') return text;
	}
	return null;
}

/** The same as one line: some messages of the service hold line breaks. */
export function lineAt(source: IDataObject, ...keys: string[]): string | null {
	const lines = textAt(source, ...keys)?.split(/[\r\n]+/) ?? null;
	return (
		lines
			?.map((line) => line.trim())
			.filter((line) => line !== '')
			.join(' ') ?? null
	);
}

/** The first number under any of the spellings, also when it was sent as text, else `null`. */
export function numberAt(source: IDataObject, ...keys: string[]): number | null {
	const text = textAt(source, ...keys);
	const number = text === null ? Number.NaN : Number(text.replaceAll(',', ''));
	return Number.isFinite(number) ? number : null;
}

/**
 * A moment as ISO 8601 in UTC, from milliseconds or a date text. A date text without a time zone is
 * in UTC, wherever this n8n runs; a text that is no date stays as sent.
 */
export function timestampAt(source: IDataObject, ...keys: string[]): string | null {
	const text = textAt(source, ...keys);
	if (text === null) return null;
	const moment = new Date(/^-?\d+$/.test(text) ? Number(text) : withZone(text));
	return Number.isNaN(moment.getTime()) ? text : moment.toISOString();
}

function withZone(date: string): string {
	if (/(Z|GMT|UTC|[+-]\d{2}:?\d{2})$/i.test(date) && /:|Z$/i.test(date)) return date;
	return /^\d{4}-\d{2}-\d{2}(T.*)?$/.test(date) ? date.replace(/(T.*)$/, '$1Z') : `${date} UTC`;
}
