/** @file A page of the leads of a list, and where it goes on. */

import { describe, expect, it } from 'vitest';

import { readLeadPage } from '../../nodes/shared/reads/lists.ts';
import { detailsOf, thrownBy } from './thrown.mts';

describe('readLeadPage', () => {
	const answer = { count_results: 42, next_start: 8999, data: [{ id: 9001 }, { id: 9000 }] };

	it('reads a page', () => {
		const expected = { results: [{ id: 9001 }, { id: 9000 }], next: 8999 };
		expect(readLeadPage(answer, true)).toEqual({ ...expected, total: 42 });
		// Only "when a keyword is given" it is the overall count.
		expect(readLeadPage(answer, false)).toEqual({ ...expected, total: null });
	});

	it.each([
		[{ data: [] }, null],
		[{ data: [], next_start: null }, null],
		[{ data: [], next_start: '25' }, 25],
		[{ data: [], next_start: 0 }, null],
		[{ data: [], next_start: '' }, null],
	])('reads where %j goes on', (body, next) => {
		expect(readLeadPage(body, true)).toEqual({ results: [], next, total: null });
	});

	it.each([[[]], [{}], [{ data: {} }], [{ data: [1] }], [{ data: null }], [[{ id: 1 }]]])(
		'does not take %j for a page, nor for the end',
		(body) => {
			expect(detailsOf(thrownBy(() => readLeadPage(body, false)))).toMatchObject({
				reason: 'unexpected_answer',
				message: 'The service sent a response without a page of leads',
			});
		},
	);
});
