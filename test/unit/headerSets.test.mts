/**
 * @file Lists of many kinds (CRMs, event tools, forms, suppliers, associations, in seven languages), each a run: whom the
 * finder asks for, where, and which email a row has already. The values are made up.
 */

import { expect, it } from 'vitest';

import { headerSets, readsOf } from '../support/lists/lists.mts';

it.each(headerSets)('$name', ({ rows }) => {
	expect(readsOf(rows.map(({ row }) => row))).toEqual(rows.map(({ reads }) => reads));
});
