/** @file Who is looked up in the cases of all operations. */

import { fixtures, known, list, personWith, some } from '../leads/expected.mts';
import { get, type Row } from './operationRow.mts';

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
	...byId(id),
	mode: 'list',
	cachedResultName: 'Trade Fair',
});

export const getAccount = get('/api/v2/account');

/** Estimate Cost of one lookup that is sent. */
export function estimateRow(parameters: Row['parameters']): Row {
	const counts = { duplicates: 0, known: 0, skipped: 0, malformed: 0, incomplete: 0 };
	const cost = { mostCredits: 1, creditsRemaining: 250_000, enough: true };
	return {
		title: 'reads the account alone',
		parameters,
		requests: [getAccount],
		output: [{ items: 1, lookups: 1, ...counts, alreadyBought: 0, ...cost }],
	};
}
