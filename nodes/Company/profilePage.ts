import { objectsIn } from '../shared/service/response';
import type { Page } from '../shared/reading/pages';
import { unexpectedAnswer } from '../shared/service/serviceError';
import { isObject, numberAt, objectAt, textAt } from '../shared/values/json';

/**
 * A page of the people of a company (interface specification 4.9, 2.11a). The next page is asked
 * for with the `next_results_id` of this one.
 */
export function readProfilePage(answer: object): Page {
	if (!isObject(answer)) throw unexpectedAnswer('a page of people');
	const meta = objectAt(answer, 'meta');
	return {
		results: objectsIn(answer.results, 'a page of people'),
		next: textAt(meta, 'next_results_id'),
		total: numberAt(meta, 'total_all'),
	};
}

/**
 * Keywords for one filter (4.9): all of the words, or any of the phrases between commas. A space
 * stands for the `+` that joins words; the characters of that notation cannot be searched for.
 */
export function toKeywords(text: string, match: unknown): string | undefined {
	const phrases = text
		.split(',')
		.map((phrase) => phrase.replace(/[+{}\s]+/g, ' ').trim())
		.filter((phrase) => phrase !== '');
	if (phrases.length === 0) return undefined;
	return match === 'any' ? `{${phrases.join(',')}}` : phrases.join(' ');
}
