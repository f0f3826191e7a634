/** @file Who is looked up in the cases of all operations, and how a table of cases becomes tests. */

import { describe, expect, test } from 'vitest';

import type { Service } from '../service/service.mts';
import { ourNodes, type OurNode } from './engine.mts';
import { fixtures, known, list, personWith, some } from './expected.mts';
import { check, get, item, type Row } from './operationRow.mts';

export const valid = personWith('valid');
export const catchAll = personWith('catch-all');
export const invalid = personWith('invalid');
export const unknown = personWith('unknown');
export const ofEachStatus = [valid, catchAll, invalid, unknown];

export const company = valid.company;
export const willow = known(fixtures.company('Willow & Sons'));
export const northern = some(fixtures.companies, ({ name }) =>
	name.toLowerCase().includes('north'),
);

export const campaign = list(101);
export const tradeFair = list(102);
export const newestFirst = tradeFair.leads.toReversed();

export const byId = (id: string | number) => ({ __rl: true as const, mode: 'id', value: id });
export const fromList = (id: string) => ({
	__rl: true as const,
	mode: 'list',
	value: id,
	cachedResultName: 'Trade Fair',
});

export const headers = { 'x-access-key': 'test-key', accept: 'application/json' };

export const getAccount = get('/api/v2/account');

/** Estimate Cost of one lookup that is sent, from every form of the account. */
export function estimateRows(parameters: Row['parameters']): Row[] {
	const estimated = {
		items: 1,
		lookups: 1,
		duplicates: 0,
		known: 0,
		skipped: 0,
		malformed: 0,
		incomplete: 0,
		alreadyBought: 0,
		mostCredits: 1,
		creditsRemaining: 250_000,
		enough: true,
	};
	const requests = [getAccount];
	return [
		{ title: 'main form', parameters, requests, output: [item(0, estimated)] },
		{
			title: 'variant with one counter (2.1)',
			parameters,
			variants: { accountShape: 'credits' },
			requests,
			output: [item(0, estimated)],
		},
		{
			title: 'no counter of this kind (2.2)',
			parameters,
			variants: { creditCounters: ['search'] },
			requests,
			output: [item(0, { ...estimated, creditsRemaining: null, enough: null })],
		},
	];
}

/** A case that depends on what the service has done before. */
export interface LaterRow {
	title: string;
	rowOf: (service: Service) => Promise<Row>;
}

/** Runs the cases of every operation of a node, each of which must have some. */
export function testOperations(
	service: () => Service,
	type: OurNode,
	table: Record<string, Array<Row | LaterRow>>,
): void {
	test('the table has every operation', () => {
		const { properties } = ourNodes[type].description;
		const operation = properties.find(({ name }) => name === 'operation');
		const shown = known(operation?.options).map((option) =>
			'value' in option ? option.value : null,
		);
		const covered = Object.entries(table).filter(([, rows]) => rows.length > 0);
		expect(covered.map(([name]) => name).toSorted()).toEqual(shown.toSorted());
	});

	for (const [operation, rows] of Object.entries(table)) {
		describe(operation, () => {
			test.each(rows)('$title', async (row) => {
				const own = 'rowOf' in row ? await row.rowOf(service()) : row;
				await check(service(), type, operation, own);
			});
		});
	}
}
