import type { Problem } from '../failures/failure';
import { adviceOn, type Reason, reasonsOf } from '../failures/words';
import type { Replaced } from '../output/replaced';
import { count } from '../values/text';

/** What every summary ends with. */
export interface Ending {
	/** Why items that are passed on came in without a result. */
	before: Reason[];
	/** The columns that leads were read from, in words; `undefined` where the user has chosen the fields. */
	readFrom: string | undefined;
	replaced: Replaced;
	problems: Problem[];
}

const AGAIN =
	'Look them up again once the cause is gone: leads that have an email are not paid for again';

/** What is said above the output, in sentences; empty if there is nothing to say. */
export function summaryOf(
	parts: string[],
	{ before, readFrom = '', replaced, problems }: Ending,
): string {
	const came = `${count(before.length, 'item')} came in without a result: ${reasonsOf(before)}. ${AGAIN}`;
	const without = before.length > 0 ? came : '';
	const all = [...parts, without, readFrom, ...replaced.said, ...adviceOn(problems)];
	return all
		.filter(Boolean)
		.map((one) => `${one}.`)
		.join(' ');
}
