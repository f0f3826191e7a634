import type { IDataObject } from 'n8n-workflow';

import type { Parameters } from '../n8n/parameters';
import { fieldValue, requestFields, type RequestField } from '../n8n/routing';
import { missing } from '../outcomes/problem';
import type { Lookup } from './lookup';

/** The question of an item. */
export interface ItemQuestion<Query> {
	query: Query;
	/** Why it is not sent: `InvalidInput` or `FailingExpression`. */
	refused?: Error;
	/** What the service would answer: it is not sent either. */
	answer?: IDataObject;
	/** Whether its results are put in the package's words. */
	isSimple?: boolean;
	/** Whether all matches are wanted, not just the best. */
	isAll?: boolean;
}

/** Reads the question of one item after the other, as the declaration of the operation says. */
export class QuestionReader<Query extends IDataObject> {
	private readonly fields: RequestField[];

	constructor(
		private readonly lookup: Lookup<Query>,
		private readonly parameters: Parameters,
	) {
		this.fields = requestFields(lookup);
	}

	read(item: number): ItemQuestion<Query> {
		let failing: Error | undefined;
		const attempt = (read: () => unknown) => {
			try {
				return read();
			} catch (error) {
				if (error instanceof Error) failing ??= error;
				return undefined;
			}
		};
		const values: Record<string, unknown> = {};
		for (const field of this.fields) {
			values[field.property] = attempt(() => fieldValue(this.parameters, field, item));
		}
		const isSimple = attempt(() => this.parameters.get('simple', item, true)) === true;
		const isAll = attempt(() => this.parameters.get('returnAllMatches', item, false)) === true;
		const { query, answer, missing: lacking } = this.lookup.prepare(values);
		const refused = failing ?? (lacking && missing(...lacking));
		return { query, answer, refused, isSimple, isAll };
	}
}
