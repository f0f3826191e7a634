import type { Problem } from '../failures/failure';
import { adviceOn } from '../failures/words';
import type { Replaced } from '../output/replaced';

/** What every summary ends with. */
export interface Ending {
	/** The columns that leads were read from, in words; `undefined` where the user has chosen the fields. */
	readFrom: string | undefined;
	replaced: Replaced;
	problems: Problem[];
}

/** What is said above the output, in sentences; empty if there is nothing to say. */
export function summaryOf(parts: string[], { readFrom = '', replaced, problems }: Ending): string {
	const all = [...parts, readFrom, ...replaced.said, ...adviceOn(problems)].filter(Boolean);
	return all.map((one) => `${one}.`).join(' ');
}
