import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { NOTHING, sum } from '../credits/ledger';
import type { Answer, Paid } from '../execution/answers';
import { FirstFailure, problemOf } from '../failures/failure';
import { CATCH_ALL_DOMAIN, PASSED_ON, PROBLEM_FIELDS, STATUSES, UNMET } from '../failures/reasons';
import type { Outcome, PassedOn, Prepared } from '../input/item';
import type { Shown } from '../output/rule';
import { alignFields, itemWith } from '../output/shape';
import type { Run } from '../run/run';
import { exceptManualLimit } from '../output/onError';
import type { Requests } from './requests';
import type { Lookup } from './lookup';
import { Overlooked } from './overlooked';
import { type Counts, hasOnly404, outcomeOf, warningsOf } from './summary';

const RETRY_ON_FAIL =
	'Retry On Fail is on but not needed: this node already retries on its own. With it on, a request whose connection was lost may be sent, and charged, again with each try.';

/**
 * What becomes of an email that is not verified, as its domain accepts every one.
 * @param at when the service said so, in milliseconds since 1970
 */
export function atCatchAll(at: number): PassedOn<'verified'> {
	const checkedAt = new Date(at).toISOString();
	const fields = { emailStatus: 'catch-all', reason: CATCH_ALL_DOMAIN, checkedAt };
	return { status: 'verified', fields };
}

/** Makes the items of a lookup, each as soon as its outcome is known. */
export class Delivery<Query extends IDataObject> {
	private readonly columns: string[];
	private readonly resultField: string | undefined;
	private readonly overlooked: Overlooked | undefined;

	constructor(
		private readonly run: Run<Requests<Query>>,
		private readonly lookup: Lookup<Query>,
		private readonly counts: Counts,
	) {
		const { columns, existing, finds, optionalColumn } = lookup;
		const { hasOptionalColumn, includesSource, resultField } = run.options;
		this.columns = [
			...columns,
			...(includesSource ? ['source'] : []),
			...(optionalColumn && hasOptionalColumn ? [optionalColumn.column] : []),
		];
		this.resultField = resultField ?? lookup.resultField;
		if (existing && finds === 'email') this.overlooked = new Overlooked(run.parameters, existing);
	}

	/** @param paid for the item; absent where nothing was sent for it */
	place(
		item: number,
		prepared: Prepared<Query>,
		outcome: Outcome | PassedOn<'verified'>,
		paid?: Paid,
	): void {
		const { run, lookup, columns, resultField, counts } = this;
		const { inputs, isTool, node } = run.context;
		const { query: asked, includesInput } = prepared;
		const { finds } = lookup;
		const { replaced, sources } = run;
		const place = { includesInput, isTool, resultField, asked, replaced, sources };
		const output = (fields: IDataObject, more?: Partial<Shown>) =>
			itemWith(inputs[item], item, place, { fields, columns, finds, credits: 0, ...paid, ...more });
		const source = run.options.includesSource ? node.name : undefined;
		if ('reason' in outcome) {
			const withProblem = [...columns, ...PROBLEM_FIELDS];
			run.fail(outcome, item, (fields) => output(fields, { columns: withProblem }));
		} else if ('fields' in outcome) {
			const email = prepared.query.email || null;
			const from = outcome.status === 'verified' && source !== undefined && { source };
			run.put(item, output({ email, ...outcome.fields, ...from, status: outcome.status }));
			const isUnmet = outcome.fields.reason === UNMET;
			counts[isUnmet ? 'unmet' : outcome.status]++;
			const isPassedOn = PASSED_ON.has(outcome.status) && !isUnmet;
			if (isPassedOn && !STATUSES.has(run.parameters.recorded('status', item))) {
				counts.ofOthers++;
			}
			if (outcome.status === 'skipped') run.passOn(item);
			if (outcome.isUndated) counts.undated++;
		} else {
			const failure = new FirstFailure();
			const results = failure.of(() => resultsOf(lookup, prepared, outcome, source));
			// A result that cannot be put in our words fails for this item alone.
			if (!results) return this.place(item, prepared, problemOf(failure.error), paid);
			const [first, ...others] = results;
			// A company that was found takes the place of the one that the item has.
			const replaces = lookup.resultField !== undefined && outcome.results.length > 0;
			const further = { replaces, isFurther: true, credits: 0 };
			const outputs = others.map((fields) => output(fields, further));
			run.put(item, output(first, { replaces }), ...outputs);
			counts[outcome.results.length > 0 ? 'hits' : 'misses']++;
			if (outcome.at === undefined) counts.local++;
			if (paid?.credits) this.overlooked?.paid(item, paid.credits, first.email);
		}
	}

	/** The items, with the summary above them. Throws where On Error and On Incomplete Run stop the workflow. */
	deliver(): INodeExecutionData[] {
		const { run, lookup, counts, resultField } = this;
		const { accounts, execution, options, parameters } = run;
		const { hint, inputs, node } = run.context;
		const problems = run.problems.map(({ problem }) => problem);
		const losses = this.overlooked?.said ?? [];
		// What was read as an existing email may be somebody else's: then there is other advice.
		const isAdvised = parameters.warnings.length > 0 || options.hasRefreshAfter;
		const toSay = isAdvised ? { ...counts, ofOthers: 0 } : counts;
		const warnings = warningsOf(lookup, toSay, inputs.length, parameters.isChosen);
		const isWarning =
			[...exceptManualLimit(run.problems), ...losses].length > 0 ||
			hasOnly404(counts) ||
			(warnings.length > 0 && counts.known === 0);
		const outcome = outcomeOf(lookup, counts, problems, {
			spent: accounts.all.map(({ budget }) => budget.spent).reduce(sum, NOTHING),
			spentInAll: execution.ledger.total,
			paused: accounts.paused,
		});
		const items = run.deliver(outcome, { isWarning, losses, warnings });
		if (node.retryOnFail === true) hint(RETRY_ON_FAIL, 'info');
		alignFields(items, resultField);
		return items;
	}
}

/** What the items of one input item say of its results: of the best one, unless all matches are wanted. */
function resultsOf<Query extends IDataObject>(
	{ hitStatus, simplify }: Lookup<Query>,
	{ query, isSimple, wantsAllMatches, due }: Prepared<Query>,
	{ results, at }: Answer,
	source?: string,
): IDataObject[] {
	const checkedAt = at === undefined ? null : new Date(at).toISOString();
	// A miss is no check of what the item keeps.
	if (results.length === 0) return [{ status: 'not_found', checkedAt: due ? null : checkedAt }];
	return results.slice(0, wantsAllMatches ? results.length : 1).map((result) => {
		const fields = Object.assign(simplify(result, query), { status: hitStatus, checkedAt });
		if (source !== undefined) fields.source = source;
		// A result that needed no service has no response.
		if (!isSimple && at !== undefined) fields.response = { ...result };
		return fields;
	});
}
