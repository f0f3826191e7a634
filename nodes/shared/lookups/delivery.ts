import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { NOTHING, sum } from '../credits/ledger';
import type { Answer, Paid } from '../execution/answers';
import { FirstFailure, problemOf } from '../failures/failure';
import { PASSED_ON, PROBLEM_FIELDS, STATUSES, UNMET, WITHOUT_RESULT } from '../failures/reasons';
import type { Outcome, Prepared } from '../input/item';
import { alignFields, itemWith, type Shown } from '../output/shape';
import type { Run } from '../run/run';
import { outcomeOf } from '../run/summary';
import { isSameEmail } from '../values/email';
import { objectFrom } from '../values/json';
import type { Requests } from './requests';
import type { Lookup } from './lookup';

/** Makes the items of a lookup, each as soon as its outcome is known. */
export class Delivery<Query extends IDataObject> {
	private readonly columns: string[];
	private readonly resultField: string | undefined;

	constructor(
		private readonly run: Run<Requests<Query>>,
		private readonly lookup: Lookup<Query>,
	) {
		const { columns, optionalColumn } = lookup;
		const { hasOptionalColumn, resultField } = run.options;
		this.columns = [
			...columns,
			...(optionalColumn && hasOptionalColumn ? [optionalColumn.column] : []),
		];
		this.resultField = resultField ?? lookup.resultField;
	}

	/** @param paid for the item; absent where nothing was sent for it */
	place(item: number, prepared: Prepared<Query>, outcome: Outcome, paid?: Paid): void {
		const { run, lookup, columns, resultField } = this;
		const { inputs, isTool } = run.context;
		const { query: asked, includesInput } = prepared;
		const { counts } = run;
		const place = { includesInput, isTool, resultField, asked, replaced: counts.replaced };
		const output = (fields: IDataObject, more?: Partial<Shown>) =>
			itemWith(inputs[item], item, place, { fields, columns, credits: 0, ...paid, ...more });
		if ('reason' in outcome) {
			const withProblem = [...columns, ...PROBLEM_FIELDS];
			run.fail(outcome, item, (fields) => output(fields, { columns: withProblem }));
		} else if ('fields' in outcome) {
			const email = prepared.query.email || null;
			run.put(item, output({ email, ...outcome.fields, status: outcome.status }));
			if (outcome.fields.reason === UNMET) return void counts.unmet++;
			const before = run.parameters.recorded('status', item);
			const isUnanswered = outcome.status === 'skipped' && WITHOUT_RESULT.has(before);
			counts[isUnanswered ? 'unanswered' : outcome.status]++;
			if (PASSED_ON.has(outcome.status) && !STATUSES.has(before)) counts.ofOthers++;
		} else {
			const failure = new FirstFailure();
			const results = failure.of(() => resultsOf(lookup, prepared, outcome));
			// A result that cannot be put in our words fails for this item alone.
			if (!results) return this.place(item, prepared, problemOf(failure.error), paid);
			const [first, ...others] = results;
			// Of several matches the first one says what they have cost.
			const further = others.map((fields) => output(fields, { credits: 0 }));
			run.put(item, output(first), ...further);
			counts[outcome.results.length > 0 ? 'hits' : 'misses']++;
			if (outcome.at === undefined) counts.local++;
			if (lookup.finds === 'email' && paid?.credits)
				this.noteWasted(item, paid.credits, first.email);
		}
	}

	/** Notes an email that was paid for though a field of its item, which was not read, holds it. */
	private noteWasted(item: number, credits: number, email: unknown): void {
		const { counts, parameters } = this.run;
		const fields = objectFrom(parameters.json(item));
		const field = Object.keys(fields).find((name) => {
			const text = fields[name];
			return typeof text === 'string' && text.includes('@') && isSameEmail(text, email);
		});
		if (field === undefined) return;
		counts.wasted += credits;
		counts.wastedIn.add(field);
	}

	/** The items, with the summary above them. Throws where On Error and On Incomplete Run stop the workflow. */
	deliver(): INodeExecutionData[] {
		const { run, lookup, resultField } = this;
		const { accounts, counts } = run;
		const spent = accounts.all.map(({ budget }) => budget.spent).reduce(sum, NOTHING);
		const problems = run.problems.map(({ problem }) => problem);
		const { paused } = accounts;
		const items = run.deliver(outcomeOf(lookup, counts, problems, { spent, paused }));
		alignFields(items, resultField);
		return items;
	}
}

/** What the items of one input item say of its results: of the best one, unless all matches are wanted. */
function resultsOf<Query extends IDataObject>(
	{ hitStatus, simplify }: Lookup<Query>,
	{ query, isSimple, wantsAllMatches, due }: Prepared<Query>,
	{ results, at }: Answer,
): IDataObject[] {
	const checkedAt = at === undefined ? null : new Date(at).toISOString();
	// A miss is no check of what the item keeps.
	if (results.length === 0) return [{ status: 'not_found', checkedAt: due ? null : checkedAt }];
	return results.slice(0, wantsAllMatches ? results.length : 1).map((result) => {
		const fields = Object.assign(simplify(result, query), { status: hitStatus, checkedAt });
		// A result that needed no service has no response.
		if (!isSimple && at !== undefined) fields.response = { ...result };
		return fields;
	});
}
