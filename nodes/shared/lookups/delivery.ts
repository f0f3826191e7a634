import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { NOTHING, sum } from '../credits/ledger';
import type { Answer, Paid } from '../execution/answers';
import { FirstFailure, problemOf, problemSaid } from '../failures/failure';
import { named, type Names } from '../failures/names';
import { UNMET } from '../failures/reasons';
import type { Outcome, Prepared } from '../input/item';
import { alignFields, itemWith, type Shown } from '../output/shape';
import type { Run } from '../run/run';
import { outcomeOf } from '../run/summary';
import { isSameEmail } from '../values/email';
import { isEmpty, objectFrom } from '../values/json';
import type { Requests } from './requests';
import type { Lookup } from './lookup';

/** Makes the items of a lookup, each as soon as its outcome is known. */
export class Delivery<Query extends IDataObject> {
	private readonly columns: string[];

	constructor(
		private readonly run: Run<Requests<Query>>,
		private readonly lookup: Lookup<Query>,
	) {
		this.columns = [...lookup.columns, ...run.options.addedColumns];
	}

	/** @param paid for the item; absent where nothing was sent for it */
	place(item: number, prepared: Prepared<Query>, outcome: Outcome, paid?: Paid): void {
		const { run, lookup, columns } = this;
		const { inputs, isTool } = run.context;
		const { query: asked, includesInput, subject } = prepared;
		const { counts, names } = run;
		const place = { includesInput, isTool, asked, subject, names };
		const output = (fields: IDataObject, more?: Partial<Shown>) =>
			itemWith(inputs[item], item, place, { fields, columns, credits: 0, ...paid, ...more });
		if ('reason' in outcome) {
			const withProblem = [...columns, names.reason, names.message];
			run.fail(outcome, item, (fields) => output(fields, { columns: withProblem }));
		} else if ('fields' in outcome) {
			const { status, isUnmet } = outcome;
			const email = prepared.query.email || null;
			const fields = named({ status, ...(isUnmet && { reason: UNMET }) }, names);
			run.put(item, output({ email, ...outcome.fields, ...fields }));
			if (isUnmet) return void counts.unmet++;
			const { parameters } = run;
			const before = parameters.recorded('lookupStatus', item);
			if (isEmpty(before)) counts.ofOthers++;
			const said = problemSaid(before, parameters.recorded('lookupReason', item));
			if (status === 'skipped' && said) run.cameIn.push(said);
			else counts[status]++;
		} else {
			const failure = new FirstFailure();
			const results = failure.of(() => resultsOf(lookup, prepared, outcome, names));
			// A result that cannot be put in our words fails for this item alone.
			if (!results) return this.place(item, prepared, problemOf(failure.error), paid);
			const [first, ...others] = results;
			// Of several matches the first one says what they have cost.
			const further = others.map((fields) => output(fields, { credits: 0, isFurther: true }));
			run.put(item, output(first), ...further);
			const [best] = outcome.results;
			counts[best ? 'hits' : 'misses']++;
			if (best && lookup.isElsewhere?.(best, asked)) counts.elsewhere++;
			if (outcome.at === undefined) counts.local++;
			if (lookup.finds === 'email' && paid?.credits && !prepared.due)
				this.noteWasted(item, paid.credits, first.email);
		}
	}

	/** Notes an email that was paid for though a field of its item, which was not read, holds it. */
	private noteWasted(item: number, credits: number, email: unknown): void {
		const { counts, parameters } = this.run;
		if (parameters.chosen.get('existingEmail') === '') return;
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
		const { run, lookup } = this;
		const { accounts, counts, names } = run;
		const spent = accounts.all.map(({ budget }) => budget.spent).reduce(sum, NOTHING);
		const problems = run.problems.map(({ problem }) => problem);
		const inAll = run.execution.ledger.total;
		const cost = { spent, inAll, paused: accounts.paused };
		const items = run.deliver(outcomeOf(lookup, counts, problems, run.cameIn, cost));
		alignFields(items, names);
		return items;
	}
}

/** What the items of one input item say of its results: of the best one, unless all matches are wanted. */
function resultsOf<Query extends IDataObject>(
	{ hitStatus, simplify }: Lookup<Query>,
	{ query, isSimple, wantsAllMatches, due }: Prepared<Query>,
	{ results, at }: Answer,
	names: Names,
): IDataObject[] {
	const checkedAt = at === undefined ? null : new Date(at).toISOString();
	// A miss is no check of what the item keeps.
	if (results.length === 0) {
		return [named({ status: 'not_found', checkedAt: due ? null : checkedAt }, names)];
	}
	return results.slice(0, wantsAllMatches ? results.length : 1).map((result) => {
		// A result that needed no service has no response.
		const response = !isSimple && at !== undefined && { response: { ...result } };
		const said = named({ status: hitStatus, checkedAt, ...response }, names);
		return Object.assign(simplify(result, query), said);
	});
}
