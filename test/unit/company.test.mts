/** @file Get Company Leads: a page of the people at a company, and the keywords that the service filters them by. */

import { expect, it } from 'vitest';

import { readProfilePage, toKeywords } from '../../nodes/shared/api/company.ts';
import { thrownBy } from './thrown.mts';

const results = [{ full_name: 'Ada Lovelace' }];

it.each<[meta: object | undefined, next: string | null, total: number | null]>([
	[{ total_all: 300, total_results: 150, next_results_id: 'n2' }, 'n2', 300],
	// How many results the page has is not how many there are.
	[{ total: 1, total_results: 1, next_results_id: '' }, null, null],
	[undefined, null, null],
])('a page with the meta %j goes on at %j, of %j in all', (meta, next, total) => {
	expect(readProfilePage({ meta, results })).toEqual({ results, next, total });
});

it.each([[[]], [{ results: {} }], [{ results: ['Ada'] }]])(
	'does not take %j for a page',
	(body) => {
		expect(thrownBy(() => readProfilePage(body))).toMatchObject({
			reason: 'unexpected_answer',
			message: 'The service sent a response without a page of people',
		});
	},
);

it.each([
	['  sales, \n manager ', 'all', 'sales manager'],
	[' sales , growth   marketing ,', 'any', '{sales,growth marketing}'],
	['sales+manager', 'all', 'sales manager'],
	['{sales,manager}', 'any', '{sales,manager}'],
	['{sales,manager}', 'all', 'sales manager'],
	[' , ,', 'any', undefined],
	['{+}', 'any', undefined],
])('the keywords %j (%s) are sent as %j', (text, match, keywords) => {
	expect(toKeywords(text, match)).toBe(keywords);
});
