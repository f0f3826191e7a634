/** @file What an item brings along costs nothing: when it is trusted, and when it is looked up again. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { knownItem } from '../../nodes/shared/lookups/item.ts';
import type { Known } from '../../nodes/shared/lookups/lookup.ts';
import {
	daysOf,
	DEFAULT_MAX_AGE,
	DEFAULT_RETRY_UNKNOWN,
} from '../../nodes/shared/lookups/options.ts';
import { InvalidInput, problemOf } from '../../nodes/shared/output/problem.ts';
import { thrownBy } from './thrown.mts';

const DAY = 24 * 60 * 60_000;

const NOW = Date.UTC(2026, 10, 21, 10, 30);

/** Knows a word, and that nobody knows another. */
const known: Known = {
	parameter: 'existing',
	read(value) {
		if (value !== 'here' && value !== 'unknown') return undefined;
		return { fields: { email: value }, isUnknown: value === 'unknown' };
	},
};

const passedOn = { status: 'known', fields: { email: 'here' } };

interface Item {
	existing?: unknown;
	checkedAt?: unknown;
	maxAgeDays?: unknown;
	retryUnknown?: number;
}

/** What becomes of an item; options that were not added are empty, as n8n gives them to us. */
function outcomeOf({ existing = 'here', checkedAt = '', maxAgeDays = '', retryUnknown = 1 }: Item) {
	const parameters: Record<string, unknown> = {
		existing,
		'options.checkedAt': checkedAt,
		'options.maxAgeDays': maxAgeDays,
	};
	const parameter = (name: string) => {
		if (!Object.hasOwn(parameters, name)) throw new TypeError(`There is no parameter ${name}`);
		return parameters[name];
	};
	return knownItem(known, parameter, retryUnknown, NOW);
}

/** A moment so many days ago. */
function daysAgo(days: number): number {
	return NOW - days * DAY;
}

describe('an item that brings along what is asked for', () => {
	it.each([
		['just now', NOW],
		['yesterday', daysAgo(1)],
		['at the limit', daysAgo(90)],
		['in the future, which counts as now', daysAgo(-1_000)],
		['yesterday, as a text says', new Date(daysAgo(1)).toISOString()],
		['yesterday, as a date says', new Date(daysAgo(1))],
		['yesterday, as the text of a number says', String(daysAgo(1))],
	])('is passed on where it was checked %s', (_, checkedAt) => {
		expect(outcomeOf({ checkedAt })).toEqual(passedOn);
	});

	it.each([
		['a moment more than the limit ago', daysAgo(90) - 1],
		['long ago', Date.UTC(2012)],
		['never, as some systems write it', '1970-01-01'],
		['never, as others do', '0001-01-01T00:00:00Z'],
		['never, in a number', 0],
		['never, in digits', '19000101'],
		['never, as the year 1 in milliseconds', -62_135_596_800_000],
		['long ago, as a text says', '2020-01-01'],
	])('is looked up where it was checked %s', (_, checkedAt) => {
		expect(outcomeOf({ checkedAt })).toBeUndefined();
	});

	it.each([
		['is empty', '', false],
		['is null', null, false],
		['is not there', undefined, false],
		['says something else', 'a while ago', true],
		['is the number of a day in a spreadsheet', 46_340.5, true],
		['is a number of nanoseconds', '1763798497000000000', true],
		['is a day that is none', '2026-02-30', true],
		['is blank', ' ', true],
		['is a switch', true, true],
		['is a list', [], true],
		['is an object', {}, true],
		['is an invalid date', new Date(Number.NaN), true],
	])(
		'is trusted where its date %s, and the run tells so if it is none',
		(_, checkedAt, isUndated) => {
			for (const maxAgeDays of ['', 0, -1, 1]) {
				const outcome = outcomeOf({ checkedAt: checkedAt ?? checkedAt, maxAgeDays });
				expect(outcome).toEqual({ ...passedOn, isUndated });
			}
		},
	);

	it('is trusted without a date, which costs nothing, where not even the parameter has one', () => {
		const parameter = (name: string) => (name === 'existing' ? 'here' : undefined);
		expect(knownItem(known, parameter, 1, NOW)).toEqual({ ...passedOn, isUndated: false });
	});

	it.each([[0], ['0'], [-1], [-0.5], [Number.NEGATIVE_INFINITY]])(
		'is always too old with a maximum age of %j, if it has a date',
		(maxAgeDays) => {
			for (const checkedAt of [NOW, daysAgo(-1), daysAgo(1)]) {
				expect(outcomeOf({ checkedAt, maxAgeDays })).toBeUndefined();
			}
			expect(outcomeOf({ maxAgeDays })).toMatchObject(passedOn);
		},
	);

	it.each([
		['', 90],
		[7, 7],
		['7', 7],
		[' 7 ', 7],
		[0.5, 0.5],
		[9_000, 9_000],
	])('is too old exactly after the maximum age: %j', (maxAgeDays, days) => {
		expect(outcomeOf({ checkedAt: daysAgo(days), maxAgeDays })).toEqual(passedOn);
		expect(outcomeOf({ checkedAt: daysAgo(days) - 1, maxAgeDays })).toBeUndefined();
	});

	it.each([['a week'], [' '], ['7 days'], [true], [{}], [[7]], [Number.NaN], ['Infinity']])(
		'says that a maximum age of %j is none',
		(maxAgeDays) => {
			const thrown = thrownBy(() => outcomeOf({ checkedAt: NOW, maxAgeDays }));
			expect(thrown).toBeInstanceOf(InvalidInput);
			expect(problemOf(thrown)).toMatchObject({
				status: 'invalid_input',
				reason: 'invalid: Max Age (Days)',
				message: 'Not sent: Max Age (Days) must be a number',
			});
		},
	);

	it('is looked up where it brings nothing along, whatever else it says', () => {
		for (const existing of ['', null, undefined, 'something']) {
			const item = { checkedAt: NOW, maxAgeDays: 'a week' };
			expect(knownItem(known, () => existing, 1, NOW)).toBeUndefined();
			expect(outcomeOf({ ...item, existing: existing ?? '' })).toBeUndefined();
		}
	});

	it('is looked up by the clock where no other time is given', () => {
		const of = (checkedAt: number) =>
			knownItem(known, (name) => ({ existing: 'here', 'options.checkedAt': checkedAt })[name], 1);
		expect(of(Date.now())).toEqual(passedOn);
		expect(of(Date.now() - 91 * DAY)).toBeUndefined();
	});
});

describe('an item that says that nobody knows', () => {
	const unknown = { status: 'known', fields: { email: 'unknown' } };

	it.each([
		['has no date', ''],
		['has a date that is none', 'a while ago'],
		['was checked a day ago', daysAgo(1)],
		['was checked a month ago', daysAgo(30)],
		['was checked longer ago than the maximum age', daysAgo(91)],
	])('is looked up where it %s', (_, checkedAt) => {
		expect(outcomeOf({ existing: 'unknown', checkedAt })).toBeUndefined();
	});

	it.each([
		['just now', NOW],
		['nearly a day ago', daysAgo(1) + 1],
		['in the future, which counts as now', daysAgo(-10)],
	])('is passed on where it was checked %s', (_, checkedAt) => {
		expect(outcomeOf({ existing: 'unknown', checkedAt })).toEqual(unknown);
	});

	it('is passed on until it is to be tried again, and no longer than anything else', () => {
		const item = { existing: 'unknown', retryUnknown: 30 };
		expect(outcomeOf({ ...item, checkedAt: daysAgo(29.99) })).toEqual(unknown);
		expect(outcomeOf({ ...item, checkedAt: daysAgo(30) })).toBeUndefined();
		expect(outcomeOf({ ...item, checkedAt: daysAgo(8), maxAgeDays: 7 })).toBeUndefined();
	});

	it.each([[0], [-1], [Number.NEGATIVE_INFINITY]])(
		'is always looked up where it is to be tried again after %d days',
		(retryUnknown) => {
			for (const checkedAt of [NOW, daysAgo(-1)]) {
				expect(outcomeOf({ existing: 'unknown', checkedAt, retryUnknown })).toBeUndefined();
			}
		},
	);
});

describe('knownItem', () => {
	it('never trusts what is older than another that it does not trust', () => {
		const days = fc.double({ min: -10, max: 200, noNaN: true });
		const item = fc.record({
			existing: fc.constantFrom('here', 'unknown'),
			maxAgeDays: fc.double({ min: -1, max: 120, noNaN: true }),
			retryUnknown: fc.double({ min: -1, max: 60, noNaN: true }),
		});
		const seen = { trusted: 0, lookedUp: 0 };
		fc.assert(
			fc.property(item, days, days, (settings, one, other) => {
				const [newer, older] = [one, other].sort((a, b) => a - b);
				const isTrusted = (age: number) => {
					const outcome = outcomeOf({ ...settings, checkedAt: daysAgo(age) });
					seen[outcome ? 'trusted' : 'lookedUp']++;
					return outcome !== undefined;
				};
				if (isTrusted(older)) expect(isTrusted(newer)).toBe(true);
			}),
			{ numRuns: 500 },
		);
		for (const times of Object.values(seen)) expect(times).toBeGreaterThan(50);
	});
});

describe('daysOf', () => {
	it('has the defaults that saved workflows depend on', () => {
		expect([DEFAULT_MAX_AGE, DEFAULT_RETRY_UNKNOWN]).toEqual([90, 1]);
	});

	it.each([
		['', 90],
		[null, 90],
		[undefined, 90],
		[0, 0],
		['0', 0],
		[-3, -3],
		[' 7\n', 7],
		[0.5, 0.5],
	])('takes %j for %d', (value, days) => {
		expect(daysOf(value, 'Max Age (Days)', 90)).toBe(days);
	});

	it.each([[' '], ['soon'], [false], [[]], [{}], [new Date(0)], [Number.POSITIVE_INFINITY]])(
		'refuses %j, and names the field',
		(value) => {
			const label = 'Verify Unknown Again After (Days)';
			const thrown = thrownBy(() => daysOf(value, label, 1));
			expect(thrown).toBeInstanceOf(InvalidInput);
			expect(problemOf(thrown).reason).toBe(`invalid: ${label}`);
		},
	);
});
