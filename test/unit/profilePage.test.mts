/** @file A page of the people at a company, and how the service is asked to filter them. */

import { describe, expect, it } from 'vitest';

import { readProfilePage, toKeywords } from '../../nodes/Company/operations/getLeads.operation.ts';
import { detailsOf, thrownBy } from './thrown.mts';

describe('readProfilePage', () => {
	const results = [{ full_name: 'Ada Lovelace' }];

	it('reads a page, and does not take its results for all', () => {
		const next = 'n2';
		for (const [counts, total] of [
			[{ total_all: 300, total_results: 150 }, 300],
			[{ total: 1 }, null],
			[{ total_results: 1 }, null],
		] as const) {
			const meta = { ...counts, next_results_id: next };
			expect(readProfilePage({ meta, company: {}, results })).toEqual({ results, next, total });
		}
	});

	it.each([[undefined], [{}], [{ next_results_id: '' }]])(
		'reads a last page with the meta %j',
		(meta) => {
			expect(readProfilePage({ meta, results })).toEqual({ results, next: null, total: null });
		},
	);

	it.each([[[]], [{ results: {} }], [{ results: ['Ada'] }]])(
		'does not take %j for a page, nor for the end',
		(body) => {
			expect(detailsOf(thrownBy(() => readProfilePage(body)))).toMatchObject({
				reason: 'unexpected_answer',
				message: 'The service sent a response without a page of people',
			});
		},
	);
});

describe('toKeywords', () => {
	it.each([
		['  sales, \n manager ', 'all', 'sales manager'],
		[' sales , growth   marketing ,', 'any', '{sales,growth marketing}'],
		['sales+manager', 'all', 'sales manager'],
		['{sales,manager}', 'any', '{sales,manager}'],
		['{sales,manager}', 'all', 'sales manager'],
		[' , ,', 'any', undefined],
		['{+}', 'any', undefined],
	])('puts %j (%s) as %j', (text, match, keywords) => {
		expect(toKeywords(text, match)).toBe(keywords);
	});
});
