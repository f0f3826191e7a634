/** @file 1 credit per hit, nothing for a miss (interface specification 8). */

import { expect, it } from 'vitest';

import { costOf, costsOf } from '../../nodes/shared/credits/ledger.ts';

it('is a credit for each answer, whatever it says, and nothing for a miss', () => {
	expect(costOf([{ email_status: 'invalid' }])).toBe(1);
	expect(costOf([{ name: 'Acme' }, { name: 'Acme Two' }])).toBe(1);
	expect(costOf([])).toBe(0);
	// What the service left out may have been charged.
	expect(costOf(undefined)).toBe(1);
});

it('of a request is what its answers cost, and what those may have that the service left out', () => {
	expect(costsOf([])).toEqual({ spent: 0, uncertain: 0 });
	expect(costsOf([[{}], [], undefined, [{}, {}], undefined, undefined])).toEqual({
		spent: 2,
		uncertain: 3,
	});
});
