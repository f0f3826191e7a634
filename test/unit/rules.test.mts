/**
 * @file Each rule of the reading is needed: without it, some list is read otherwise. `npm run rules` prints which, and how.
 */

import { expect, it } from 'vitest';

import { CELL_RULES } from '../../nodes/shared/lead/cells.ts';
import { COLUMN_RULES } from '../../nodes/shared/lead/columnNames.ts';
import { NAME_RULES } from '../../nodes/shared/lead/lead.ts';
import { PLAN_RULES } from '../../nodes/shared/lead/plan.ts';
import { LATE_RULES } from '../../nodes/shared/lead/row.ts';
import type { Rules } from '../../nodes/shared/lead/rules.ts';
import { headers, headerSets, readsOf } from '../support/lists/lists.mts';

const lists = [
	...headers.map(({ name, row }) => ({ name, rows: [row] })),
	...headerSets.map(({ name, rows }) => ({ name, rows: rows.map(({ row }) => row) })),
];

const readAll = () => lists.map(({ rows }) => readsOf(rows));

const before = readAll();

/** The rows that are read otherwise without a rule, each as it was and as it is then. */
function otherwiseWithout<Rule>(rules: Rules<Rule>, index: number): string[] {
	const [rule] = rules.splice(index, 1);
	try {
		return readAll().flatMap((read, list) =>
			read.flatMap((now, row) => {
				const was = before[list][row];
				return now === was ? [] : [`${lists[list].name}: ${was} → ${now}`];
			}),
		);
	} finally {
		rules.splice(index, 0, rule);
	}
}

const needed = <Rule,>(room: string, rules: Rules<Rule>) =>
	rules.map(([name], index) => [`${room}: ${name}`, () => otherwiseWithout(rules, index)] as const);

/** The most rows that are shown of what a rule does. */
const SHOWN = 5;

function print(name: string, rows: string[]): void {
	const more = rows.length > SHOWN ? [`and ${rows.length - SHOWN} more`] : [];
	console.log([`${name}: ${rows.length}`, ...rows.slice(0, SHOWN), ...more].join('\n   '));
}

it.each([
	...needed('columns', COLUMN_RULES),
	...needed('list', PLAN_RULES),
	...needed('cell', CELL_RULES),
	...needed('late', LATE_RULES),
	...needed('name', NAME_RULES),
])('%s', (name, otherwise) => {
	const rows = otherwise();
	if (process.env.PRINT_RULES) print(name, rows);
	expect(rows).not.toEqual([]);
});
