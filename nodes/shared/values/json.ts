import type { IDataObject } from 'n8n-workflow';
import { momentOf } from './moment';
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
	const lines = textAt(source, ...keys)?.split(/[\r\n]/) ?? null;
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

/** A moment as ISO 8601 in UTC, as {@link momentOf} reads it; a text that is no date stays as sent. */
export function timestampAt(source: IDataObject, ...keys: string[]): string | null {
	const text = textAt(source, ...keys);
	const moment = momentOf(text);
	return moment === undefined ? text : new Date(moment).toISOString();
}

/** What a JSON text says; `undefined` for a text that is none. */
export function parsedJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}
