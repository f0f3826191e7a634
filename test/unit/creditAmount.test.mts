/** @file What the options Max Credits and Keep Credits may say, and what each value means. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { lookupOptionsOf } from '../../nodes/shared/lookups/options.ts';
import { Parameters } from '../../nodes/shared/host/parameters.ts';

/** Max Credits with this value; `undefined` where it is refused. */
function creditAmountOf(value: unknown): number | undefined {
	const parameters = new Parameters({
		json: () => ({}),
		parameter: (name, _, fallback) => (name === 'options.maxCredits' ? value : fallback),
	});
	const { cap, refusal } = lookupOptionsOf(parameters);
	return refusal === undefined ? cap : undefined;
}

describe('Max Credits', () => {
	it.each([
		[100, 100],
		['100', 100],
		[' 100\n', 100],
		[2.9, 2],
		['2.9', 2],
		[0.9, 0],
		[1e6, 1_000_000],
		['1e3', 1_000],
	])('takes %j for %j credits', (value, cap) => {
		expect(creditAmountOf(value)).toBe(cap);
	});

	it.each([[0], ['0'], [-0], [-1], ['-1'], [-0.5], ['-0.5'], [-1e9], [Number.NEGATIVE_INFINITY]])(
		'takes %j for none',
		(value) => {
			// Never -0, which would look odd in a message.
			expect(creditAmountOf(value)).toBe(0);
		},
	);

	it.each([
		[Number.POSITIVE_INFINITY],
		['Infinity'],
		[''],
		['  '],
		['many'],
		['10 credits'],
		['1,000'],
		[null],
		[undefined],
		[true],
		[false],
		[Number.NaN],
		[[]],
		[[5]],
		[{}],
		[{ valueOf: () => 5 }],
		[10n],
		[new Date(5)],
	])('takes %o for no number', (value) => {
		expect(creditAmountOf(value)).toBeUndefined();
	});

	it('is never more than what was said, never below 0, and whole', () => {
		const number = fc.double({ min: -1e12, max: 1e12, noNaN: true });
		fc.assert(
			fc.property(number, (said) => {
				const cap = creditAmountOf(said) ?? Number.NaN;
				expect(Number.isInteger(cap)).toBe(true);
				expect(cap).toBeGreaterThanOrEqual(0);
				expect(cap).toBeLessThanOrEqual(Math.max(0, said));
				expect(cap).toBeGreaterThan(said - 1);
				expect(creditAmountOf(String(said))).toBe(cap);
			}),
		);
	});
});
