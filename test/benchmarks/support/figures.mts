import Table from 'cli-table3';

import manifest from '../../../package.json' with { type: 'json' };
import { report } from '../../support/measures/report.mts';

/** What repeated measurements of the same came to. */
export interface Spread {
	median: number;
	least: number;
	most: number;
}

export function spreadOf(values: readonly number[]): Spread {
	const sorted = values.toSorted((a, b) => a - b);
	const at = (index: number) => sorted[index] ?? Number.NaN;
	const middle = sorted.length / 2;
	const median = (at(Math.ceil(middle) - 1) + at(Math.floor(middle))) / 2;
	return { median, least: at(0), most: at(sorted.length - 1) };
}

/** How long the one takes for each unit of the other, repetition by repetition. */
export function ratioOf(own: readonly number[], other: readonly number[]): Spread {
	return spreadOf(own.map((value, repetition) => value / (other[repetition] ?? Number.NaN)));
}

/**
 * Measures all contenders in turn, so that whatever else the machine does hits them alike. The first
 * round warms up and does not count.
 *
 * @returns for each contender its measurements, in the order in which they were taken
 */
export async function measureInTurn<Measurement>(
	contenders: ReadonlyArray<() => Promise<Measurement>>,
	repetitions: number,
): Promise<Measurement[][]> {
	const measurements: Measurement[][] = contenders.map(() => []);
	for (let round = 0; round <= repetitions; round++) {
		for (const [index, measure] of contenders.entries()) {
			const measurement = await measure();
			if (round > 0) measurements[index]?.push(measurement);
		}
	}
	return measurements;
}

/** Prints figures; a ratio has no unit. */
export function printRows(
	title: string,
	rows: ReadonlyArray<{ name: string; figure: Spread; unit?: 'ms' }>,
): void {
	const cells = rows.map(({ name, figure: { median, least, most }, unit }) => {
		const text = (value: number) => (unit ? `${value.toFixed(0)} ${unit}` : value.toFixed(2));
		return [name, ...[median, least, most].map(text)];
	});
	printTable([title, 'median', 'least', 'most'], cells);
}

/** Prints a table, and what its figures belong to. */
export function printTable(head: string[], rows: Array<Array<string | number>>): void {
	const table = new Table({
		head,
		colAligns: head.map((_, column) => (column === 0 ? 'left' : 'right')),
		style: { head: [], border: [], compact: true },
	});
	table.push(...rows);
	const { name, version, devDependencies } = manifest;
	const n8n = `n8n ${devDependencies['n8n-core']}, Node.js ${process.versions.node}`;
	report(`${table.toString()}\n${n8n}, ${name} ${version}`);
}
