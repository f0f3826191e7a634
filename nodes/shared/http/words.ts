import { isObject } from '../values/json';

/** Where services put their words, the most telling first. */
const NAMES = ['message', 'error', 'errors', 'detail', 'details', 'msg', 'description', 'title'];

/**
 * What a body says in words: the first text under these names, in objects and lists up to two levels down. The
 * specification does not show the bodies of errors (interface specification 7).
 */
export function wordsIn(value: unknown, depth = 2): string | null {
	for (const one of [value].flat(2)) {
		if (typeof one === 'string' && one.trim() !== '') return one.trim();
		const values = isObject(one) && depth > 0 ? NAMES.map((name) => one[name]) : [];
		const words = values.length > 0 ? wordsIn(values, depth - 1) : null;
		if (words !== null) return words;
	}
	return null;
}
