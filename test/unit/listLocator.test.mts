/** @file What may be the id of a list, and where the id goes in a path. */

import { describe, expect, it } from 'vitest';

import { listLocator, listLocatorFor, toListId } from '../../nodes/shared/reads/lists.ts';
import { problemOf } from '../../nodes/shared/output/problem.ts';
import { thrownBy } from './thrown.mts';

describe('toListId', () => {
	it.each([
		['101', '101'],
		['0', '0'],
		['9007199254740993', '9007199254740993'],
		[101, '101'],
		['  101\n', '101'],
	])('takes %j for %j', (value, id) => {
		expect(toListId(value)).toBe(id);
	});

	it.each([
		['abc'],
		['-1'],
		['1.5'],
		[1.5],
		['1/leads'],
		['../account'],
		['1 2'],
		['1?x=1'],
		['１'],
	])('refuses %j', (id) => {
		expect(problemOf(thrownBy(() => toListId(id)))).toEqual({
			status: 'invalid_input',
			reason: 'invalid: List',
			message: 'Not sent: The list ID must be a number, e.g. 101',
			description: 'Check the field List.',
		});
	});

	it.each([[''], ['  '], [undefined], [null], [{}], [['101']]])(
		'says of %j that it is missing',
		(id) => {
			expect(problemOf(thrownBy(() => toListId(id)))).toMatchObject({
				status: 'invalid_input',
				reason: 'missing: List',
			});
		},
	);

	it('lets the editor refuse what it refuses', () => {
		const rules = (listLocator.modes ?? []).flatMap(({ validation }) => validation ?? []);
		const patterns = rules.flatMap((rule) => {
			const properties = 'properties' in rule ? rule.properties : {};
			return 'regex' in properties && typeof properties.regex === 'string'
				? [properties.regex]
				: [];
		});
		expect(patterns).toHaveLength(1);
		const accepts = (text: string) => new RegExp(patterns[0]).test(text);
		expect(['101', ' 101 ', '0'].filter(accepts)).toHaveLength(3);
		expect(['', 'abc', '-1', '1.5', '1/leads', '1 2'].filter(accepts)).toEqual([]);
	});
});

describe('listLocatorFor', () => {
	it('puts the id into the path of the operation, before what it reads of the list', () => {
		expect(listLocatorFor('/leads')).toEqual({
			...listLocator,
			routing: { request: { url: '=/api/v2/list/{{$value}}/leads' } },
		});
		expect(listLocatorFor().routing).toEqual({ request: { url: '=/api/v2/list/{{$value}}' } });
	});
});
