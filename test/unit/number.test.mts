/** @file Numbers as users, expressions and AI agents give them. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { numberOf, wholeNumber } from '../../nodes/shared/values/text.ts';

describe('numberOf', () => {
	it.each([
		[0, 0],
		[90, 90],
		[-1.5, -1.5],
		['90', 90],
		[' 90\n', 90],
		['-1', -1],
		['0.5', 0.5],
		['1e3', 1000],
		[Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY],
	])('%j is %d', (value, number) => {
		expect(numberOf(value)).toBe(number);
	});

	it.each([
		['an empty text', ''],
		['blanks', ' \t\n'],
		['words', 'ninety'],
		['a number with a unit', '90 days'],
		['a number with a comma', '1,000'],
		['infinity', Number.POSITIVE_INFINITY],
		['infinity as text', 'Infinity'],
		['a number too large', '1e999'],
		['not a number', Number.NaN],
		['nothing', null],
		['what is not there', undefined],
		['a switch', true],
		['an empty list', []],
		['a list of a number', [90]],
		['an object', {}],
		['a date', new Date(90)],
		['a large whole number', 90n],
	])('%s is none', (_, value) => {
		expect(numberOf(value)).toBeUndefined();
	});

	it('reads every number from its text', () => {
		const finite = fc.double({ noDefaultInfinity: true, noNaN: true });
		fc.assert(
			fc.property(finite, (number) => {
				expect(numberOf(number)).toBe(number);
				// A text has no -0.
				expect(numberOf(String(number))).toBe(number + 0);
			}),
		);
	});
});

describe('wholeNumber', () => {
	it.each([
		[5, 5],
		['5', 5],
		[4.9, 4],
		[-1, 0],
		[undefined, 30],
		[null, 30],
		['7', 7],
		[7.9, 7],
		[0, 0],
		['soon', 30],
		['many', 30],
		['', 30],
		[' ', 30],
		[{}, 30],
		[{ toString: 'x', valueOf: 'y' }, 30],
		[Number.POSITIVE_INFINITY, 30],
	])('%j is %d', (value, number) => {
		expect(wholeNumber(value, 30)).toBe(number);
	});
});
