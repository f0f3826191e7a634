import type { IDataObject } from 'n8n-workflow';

import type { Parameters } from '../n8n/parameters';
import { fieldValue, requestFields, type Declaration, type RequestField } from '../n8n/routing';
import { missing, problemOf } from '../outcomes/problem';
import { knownItem } from './known';
import type { Asking, Question } from './lookup';
import type { LookupOptions } from './lookupOptions';
import type { Outcome } from './outcome';

/** The question of an item, and how its answer is wanted. */
export interface ItemQuestion<Query> {
	query: Query;
	/** What becomes of the item without a request, if nothing is to be sent for it. */
	outcome?: Outcome;
	/** Whether its results are put in the package's words. */
	isSimple: boolean;
	/** Whether all matches are wanted, not just the best. */
	isAll: boolean;
	/** Whether the fields of the input come along. */
	includesInput: boolean;
}

/** Reads the question of one item after the other, as the declaration of the operation says. */
export class QuestionReader<Query extends IDataObject> {
	private readonly fields: RequestField[];

	constructor(
		private readonly lookup: Declaration & Asking<Query>,
		private readonly parameters: Parameters,
		private readonly options: Pick<LookupOptions, 'retryUnknown' | 'skipsEmpty'>,
	) {
		this.fields = requestFields(lookup);
	}

	/**
	 * The question of an item. What comes first holds: it is known, it is skipped, it lacks something or
	 * an expression fails for it, its answer is certain.
	 */
	read(item: number): ItemQuestion<Query> {
		const attempts = new Attempts();
		const isOn = (name: string) =>
			attempts.of(() => this.parameters.get(name, item, false)) === true;
		const wanted = {
			isSimple: isOn('simple'),
			isAll: isOn('returnAllMatches'),
			includesInput: isOn('includeInputFields'),
		};
		const known = attempts.of(() => this.known(item));
		if (known) return { ...wanted, query: this.lookup.prepare({}).query, outcome: known };
		const own = new Attempts();
		const { query, ...question } = this.question(item, own);
		const isSkipped = question.isEmpty && this.options.skipsEmpty && own.failure === undefined;
		if (isSkipped) return { ...wanted, query, outcome: { status: 'skipped', fields: {} } };
		const failure = attempts.failure ?? own.failure;
		return { ...wanted, query, outcome: this.outcomeOf(question, failure) };
	}

	private known(item: number): Outcome | undefined {
		const { known } = this.lookup;
		const parameter = (name: string) => this.parameters.get(name, item, '');
		return known && knownItem(known, parameter, this.options.retryUnknown);
	}

	private question(item: number, attempts: Attempts): Question<Query> {
		const values: Record<string, unknown> = {};
		for (const field of this.fields) {
			values[field.property] = attempts.of(() => fieldValue(this.parameters, field, item));
		}
		return attempts.of(() => this.lookup.prepare(values)) ?? this.lookup.prepare({});
	}

	private outcomeOf(
		{ missing: lacking, answer }: Omit<Question<Query>, 'query'>,
		failure: unknown,
	): Outcome | undefined {
		if (failure !== undefined) return problemOf(failure);
		if (lacking) return problemOf(missing(...lacking));
		return answer && { results: [answer] };
	}
}

/** Goes on where an expression fails, and remembers the first that did. */
class Attempts {
	failure: unknown;

	of<T>(read: () => T): T | undefined {
		try {
			return read();
		} catch (error) {
			this.failure ??= error;
			return undefined;
		}
	}
}
