import { type IDataObject, jsonParse } from 'n8n-workflow';
import { momentOf } from './moment';
import { toText } from './text';

/** Whether a value is an object, and neither a list nor null. */
export function isObject(value: unknown): value is IDataObject {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object under a key, or an empty one if there is none. */
export function objectAt(source: unknown, key: string): IDataObject {
	const value = isObject(source) ? source[key] : undefined;
	return isObject(value) ? value : {};
}

/** An object, or the JSON text that a sheet or a database has made of one; an empty one for anything else. */
export function objectFrom(value: unknown): IDataObject {
	const object = typeof value === 'string' ? jsonParse(value, { fallbackValue: {} }) : value;
	return isObject(object) ? object : {};
}

/** The first text under any of the keys that is not empty, else `null`. */
export function textAt(source: IDataObject, ...keys: string[]): string | null {
	for (const key of keys) {
		const text = toText(source[key]);
		if (text !== '') return text;
	}
	return null;
}

/** The first value under any of the keys, if it is a number or the text of one, else `null`. */
export function numberAt(source: IDataObject, ...keys: string[]): number | null {
	const text = textAt(source, ...keys);
	const number = text === null ? Number.NaN : Number(text.replaceAll(',', ''));
	return Number.isFinite(number) ? number : null;
}

/** How deep the words of an error may be, and how long, in characters: many items may hold them. */
const MAX_DEPTH = 4;
const MAX_WORDS = 500;

/** Where services put their words, the most telling first. */
const SAYING = ['message', 'error', 'errors', 'detail', 'details', 'msg', 'description', 'title'];

/**
 * What a body says in words: the first text under these names, in objects and lists up to four levels down. The
 * specification does not show the bodies of errors (interface specification 7).
 */
export function wordsIn(value: unknown, depth = MAX_DEPTH): string | null {
	for (const one of [value].flat(2)) {
		if (typeof one === 'string' && one.trim() !== '') return one.trim().slice(0, MAX_WORDS);
		if (!isObject(one) || depth === 0) continue;
		const named = SAYING.map((name) => one[name]);
		// In an error, the words may have any name.
		const inner = depth < MAX_DEPTH ? [...named, ...Object.values(one)] : named;
		const words = wordsIn(inner, depth - 1);
		if (words !== null) return words;
	}
	return null;
}

/** Whether an object says that something went wrong. */
export function holdsError({ error, errors, success, ok, status }: IDataObject): boolean {
	return (
		wordsIn(error ?? errors, MAX_DEPTH - 1) !== null ||
		[success, ok].includes(false) ||
		status === 'error'
	);
}

/** An ID, the digits of a large one as a text: JavaScript would round it. `null` if there is none. */
export function idAt(source: IDataObject, ...keys: string[]): number | string | null {
	const number = numberAt(source, ...keys);
	return number !== null && Number.isSafeInteger(number) ? number : textAt(source, ...keys);
}

/** A moment that {@link momentOf} can read, or in seconds, as ISO 8601 in UTC; any other text as sent, or `null`. */
export function timestampAt(source: IDataObject, ...keys: string[]): string | null {
	const text = textAt(source, ...keys);
	const moment = momentOf(text);
	if (moment === undefined) return text;
	// In milliseconds, so small a number would be of the years around 1970.
	const isSeconds = Number(text) === moment && Math.abs(moment) < 1e11;
	return new Date(isSeconds ? moment * 1000 : moment).toISOString();
}

/** Whether a value is nothing, or a text of blanks. */
export function isEmpty(value: unknown): boolean {
	return typeof value === 'string' ? value.trim() === '' : value === undefined || value === null;
}
