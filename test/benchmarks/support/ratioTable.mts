import Table from 'cli-table3';

import { report } from '../../support/report.mts';
import type { Spread } from './figures.mts';

/** A figure and what it should be at most; without a target it is there for comparison. */
export interface Row {
	name: string;
	figure: Spread;
	target?: number;
	/** Written behind the numbers; a ratio has none. */
	unit?: 'ms';
}

/** Prints what was measured beside its target: whether it is met is for people to judge. */
export function printTable(title: string, rows: readonly Row[]): void {
	const table = new Table({
		head: [title, 'median', 'least', 'most', 'target', ''],
		colAligns: ['left', 'right', 'right', 'right', 'right', 'left'],
		style: { head: [], border: [], compact: true },
	});
	for (const { name, figure, target, unit } of rows) {
		const text = (value: number) => (unit ? `${value.toFixed(0)} ${unit}` : value.toFixed(2));
		const { median, least, most } = figure;
		const verdict = target === undefined ? '' : median <= target ? 'met' : 'not met';
		const goal = target === undefined ? '' : `≤ ${text(target)}`;
		table.push([name, text(median), text(least), text(most), goal, verdict]);
	}
	report(table.toString());
}
