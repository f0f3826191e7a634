import { objectsIn } from '../shared/request/answer';
import type { Page } from '../shared/request/pages';
import { unexpectedAnswer } from '../shared/request/serviceError';
import { isObject, numberAt } from '../shared/values/json';

/**
 * A page of the leads of a list (interface specification 4.3). The next page starts at the
 * `next_start` of this one, whether the service takes it for a lead id or for an offset.
 * @param filtered whether a keyword was sent: only then `count_results` counts all the results
 */
export function readLeadPage(answer: object, filtered: boolean): Page {
	if (!isObject(answer)) throw unexpectedAnswer('a page of leads');
	return {
		results: objectsIn(answer.data, 'a page of leads'),
		next: numberAt(answer, 'next_start'),
		total: filtered ? numberAt(answer, 'count_results') : null,
	};
}
