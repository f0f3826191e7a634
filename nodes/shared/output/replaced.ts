import type { IDataObject } from 'n8n-workflow';
import { PROBLEM_FIELDS, STATUSES, WITHOUT_RESULT } from '../failures/reasons';
import { asBeforeFile } from '../host/file';
import { isEmpty } from '../values/json';
import { count } from '../values/text';
import { isOwnError } from './onError';

/** Names of fields that are the user's own in an item without a status of this package. */
const OWN_NAMES = ['status', 'credits', 'response', 'mailboxType', 'personData', 'source'];

/** Fields of the user's own that results have replaced, as fields of a result have the same names. */
export class Replaced {
	private items = 0;

	private readonly fields = new Set<string>();

	/** @param before an item, and what it has become */
	count(before: IDataObject, after: IDataObject): void {
		const own = asBeforeFile(before);
		if (WITHOUT_RESULT.has(own.status)) return;
		const names = STATUSES.has(own.status) ? [] : OWN_NAMES;
		const isOwn = (name: string) => name !== 'message' || !isOwnError(own.error);
		const fields = [...names, ...PROBLEM_FIELDS.filter(isOwn)].filter(
			(name) => !isEmpty(own[name]) && own[name] !== after[name],
		);
		if (fields.length > 0) this.items++;
		for (const field of fields) this.fields.add(field);
	}

	/** What the summary says of them, if there are any. */
	get said(): string[] {
		if (this.items === 0) return [];
		const whose = this.items === 1 ? 'its' : 'their';
		return [
			`${count(this.items, 'item')} had fields of ${whose} own that are replaced (${[...this.fields].join(', ')}): to keep them, add the option Put Result in Field`,
		];
	}
}
