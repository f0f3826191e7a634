/** @file What became of an item is one of three things, and never two of them. */

import { describe, expect, it } from 'vitest';

import {
	isAnswered,
	isPassedOn,
	isProblem,
	type Outcome,
} from '../../nodes/shared/lookups/item.ts';
import { missing, problemOf } from '../../nodes/shared/output/problem.ts';

describe('an outcome', () => {
	it.each<[string, Outcome, string]>([
		['a hit', { results: [{ email: 'ada@acme.com' }], at: 0 }, 'answered'],
		['a miss', { results: [] }, 'answered'],
		['a known item', { status: 'known', fields: {} }, 'passed on'],
		['a problem', problemOf(missing('Email')), 'problem'],
	])('that is %s', (_, outcome, kind) => {
		const kinds = { answered: isAnswered, 'passed on': isPassedOn, problem: isProblem };
		const own = Object.entries(kinds).filter(([, is]) => is(outcome));
		expect(own.map(([name]) => name)).toEqual([kind]);
	});
});
