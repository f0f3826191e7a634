/** @file The id of a list. */

import { expect, it } from 'vitest';

import { problemOf } from '../../nodes/shared/failures/failure.ts';
import { listLocator, toListId } from '../../nodes/shared/reads/listLocator.ts';
import { thrownBy } from './thrown.mts';

it('is digits, of any number; another one the editor refuses, and so does the node', () => {
	const refused = ['abc', '-1', '1.5', '1/leads', '../account', '1 2', '1?x=1', '１'];
	for (const id of refused) {
		expect(problemOf(thrownBy(() => toListId(id)))).toMatchObject({ reason: 'invalid_value' });
	}
	expect(toListId('9007199254740993')).toBe('9007199254740993');
	const rules = (listLocator.modes ?? []).flatMap(({ validation }) => validation ?? []);
	const patterns = rules.flatMap((rule) => {
		const properties = 'properties' in rule ? rule.properties : {};
		return 'regex' in properties ? [String(properties.regex)] : [];
	});
	expect(patterns).toHaveLength(1);
	const accepts = (text: string) => new RegExp(patterns[0]).test(text);
	expect(['101', ' 101 ', '0'].filter(accepts)).toHaveLength(3);
	expect(['', ...refused].filter(accepts)).toEqual([]);
});
