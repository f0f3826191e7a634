/** @file Each row of a bulk request finds its person again, whatever the service makes of the order. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { matchRows, MAX_ROWS, rowsById, toRows } from '../../nodes/Finder/bulk.ts';

describe('toRows', () => {
	it('counts the people from 1, and puts them in the words of the service', () => {
		const people = [
			{ fullName: 'Ada Lovelace', domain: 'acme.com' },
			{ firstName: 'Ida', lastName: 'Rhodes', company: 'Acme', country: 'US' },
		];
		expect(toRows(people)).toStrictEqual([
			{ tId: 1, name: 'Ada Lovelace', domain: 'acme.com' },
			{ tId: 2, firstName: 'Ida', lastName: 'Rhodes', company: 'Acme', country: 'US' },
		]);
		expect(MAX_ROWS).toBe(100);
	});
});

describe('rowsById', () => {
	it('keeps the first of rows that are there twice, whether the id is a number or a text', () => {
		const rows = [{ tId: 1, email: 'a' }, { tId: '2' }, { tId: '1', email: 'b' }, { email: 'c' }];
		expect(Object.fromEntries(rowsById(rows))).toEqual({ 1: rows[0], 2: rows[1], null: rows[3] });
	});
});

describe('matchRows', () => {
	it('tells a miss from a row that was left out', () => {
		const found = { tId: 2, email: 'ada@acme.com' };
		const rows = [{ tId: 3, email: null }, found, { tId: 1, email: '' }];
		expect(matchRows({ rows, jobId: '12' }, 4)).toEqual({
			results: [[], [found], [], undefined],
			jobId: '12',
		});
	});

	it('gives each person the own row, in whatever order, with whatever others', () => {
		const row = fc.record({
			tId: fc.oneof(fc.integer({ min: -1, max: 15 }), fc.constantFrom('3', ' 4', 'x', null)),
			email: fc.constantFrom(null, 'ada@acme.com', 'ida@acme.com'),
		});
		fc.assert(
			fc.property(fc.array(row, { maxLength: 20 }), fc.nat(12), (rows, people) => {
				const { results } = matchRows({ rows }, people);
				expect(results).toHaveLength(people);
				results.forEach((result, index) => {
					const own = rows.find(({ tId }) => String(tId).trim() === String(index + 1));
					expect(result).toEqual(own && (own.email === null ? [] : [own]));
				});
			}),
		);
	});
});
