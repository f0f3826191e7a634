/** @file A page of the people at a company, and how the service is asked to filter them. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { readProfilePage, toKeywords } from '../../nodes/Company/operations/getLeads.operation.ts';
import { processorTime } from '../support/processorTime.mts';
import { detailsOf, thrownBy } from './thrown.mts';

describe('readProfilePage', () => {
	const results = [{ full_name: 'Ada Lovelace' }];

	it('reads a page', () => {
		const meta = { total_all: 300, total_results: 150, next_results_id: 'n2' };
		expect(readProfilePage({ meta, company: {}, results })).toEqual({
			results,
			next: 'n2',
			total: 300,
		});
	});

	it('does not take the results of one page for all, under either name', () => {
		for (const meta of [
			{ total: 1, next_results_id: 'n2' },
			{ total_results: 1, next_results_id: 'n2' },
		]) {
			expect(readProfilePage({ meta, results })).toEqual({ results, next: 'n2', total: null });
		}
	});

	it.each([[undefined], [null], [{}], [{ next_results_id: '' }], [{ next_results_id: null }]])(
		'reads a last page with the meta %j',
		(meta) => {
			expect(readProfilePage({ meta, results })).toEqual({ results, next: null, total: null });
		},
	);

	it.each([[[]], [{}], [{ results: {} }], [{ results: ['Ada'] }]])(
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
		['sales manager', 'all', 'sales manager'],
		['  sales \n manager ', 'all', 'sales manager'],
		['sales, manager', 'all', 'sales manager'],
		['sales', 'all', 'sales'],
		['sales,growth marketing', 'any', '{sales,growth marketing}'],
		[' sales , growth   marketing ,', 'any', '{sales,growth marketing}'],
		['sales manager', 'any', '{sales manager}'],
		['sales', 'any', '{sales}'],
		['sales manager', undefined, 'sales manager'],
		['sales+manager', 'all', 'sales manager'],
		['{sales,manager}', 'any', '{sales,manager}'],
		['{sales,manager}', 'all', 'sales manager'],
		['', 'all', undefined],
		['', 'any', undefined],
		[' , ,', 'any', undefined],
		['{+}', 'any', undefined],
	])('puts %j (%s) as %j', (text, match, keywords) => {
		expect(toKeywords(text, match)).toBe(keywords);
	});

	it('never sends a "+" of its own, nor a brace that is no notation', () => {
		fc.assert(
			fc.property(fc.string(), fc.constantFrom('all', 'any'), (text, match) => {
				const keywords = toKeywords(text, match) ?? '';
				const words = match === 'any' ? keywords.replace(/^\{(.*)\}$/s, '$1') : keywords;
				expect(words).not.toMatch(/[+{}]/);
				expect(words).toBe(words.trim());
			}),
		);
	});

	it('does not take long, whatever the text', () => {
		const used = processorTime();
		for (const part of [' ', '+', '{', ', ', '+ ', 'a ']) {
			toKeywords(`x${part.repeat(200_000)}x`, 'any');
			toKeywords(part.repeat(200_000), 'all');
		}
		expect(used()).toBeLessThan(2_000);
	});
});
