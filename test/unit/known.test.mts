/** @file What an item brings along costs nothing: when it is trusted, and when it is looked up again. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { knownItem } from '../../nodes/shared/lookups/item.ts';
import type { Known } from '../../nodes/shared/lookups/lookup.ts';
import { problemOf } from '../../nodes/shared/output/problem.ts';
import { thrownBy } from './thrown.mts';

const HOUR = 60 * 60_000;
const DAY = 24 * HOUR;

const NOW = Date.UTC(2026, 10, 21, 10, 30);

/** Knows a word, and that nobody knows another. */
const known: Known = {
	parameter: 'existing',
	label: 'Existing',
	read: (text) =>
		text === 'here' || text === 'unknown'
			? { fields: { email: text }, isUnknown: text === 'unknown' }
			: undefined,
};

interface Item {
	existing?: unknown;
	checkedAt?: unknown;
	maxAgeDays?: unknown;
	retryUnknown?: number;
}

/** What becomes of an item; options that were not added are empty, as n8n gives them to us. */
function outcomeOf({ existing = 'here', retryUnknown = 1, ...options }: Item, now = NOW) {
	const { checkedAt = '', maxAgeDays = '' } = options;
	const parameters: Record<string, unknown> = {
		existing,
		'options.checkedAt': checkedAt,
		'options.maxAgeDays': maxAgeDays,
	};
	return knownItem(known, (name) => parameters[name], retryUnknown, now);
}

/** A moment so many days ago. */
const daysAgo = (days: number) => NOW - days * DAY;

/** Passed on, passed on and told of as undated, or looked up. */
type Fate = 'trusted' | 'undated' | 'looked up';

function fateOf(item: Item): Fate {
	const outcome = outcomeOf(item);
	if (!outcome) return 'looked up';
	expect(outcome).toMatchObject({ status: 'known', fields: { email: item.existing ?? 'here' } });
	return outcome.isUndated ? 'undated' : 'trusted';
}

it.each<[string, unknown, Fate]>([
	['just now', NOW, 'trusted'],
	['at the limit, but for what is due within the hour', daysAgo(90) + HOUR, 'trusted'],
	['within the hour of the limit', daysAgo(90) + HOUR - 1, 'looked up'],
	['in the future, which counts as now', daysAgo(-1_000), 'trusted'],
	['yesterday, as a text says', new Date(daysAgo(1)).toISOString(), 'trusted'],
	['never, as some systems write it', '1970-01-01', 'looked up'],
	['never, as others do', '0001-01-01T00:00:00Z', 'looked up'],
	['never, in a number', 0, 'looked up'],
	// Where there is no date, the value is trusted: that costs nothing. The run tells of what is none.
	['nobody knows when', '', 'trusted'],
	['at something else', 'a while ago', 'undated'],
	['at the number of a day in a spreadsheet', 46_340.5, 'undated'],
])('an item that was checked %s', (_, checkedAt, fate) => {
	expect(fateOf({ checkedAt })).toBe(fate);
	const hasDate = fate === 'looked up' || outcomeOf({ checkedAt })?.isUndated === undefined;
	for (const maxAgeDays of [0, '0', -1, Number.NEGATIVE_INFINITY]) {
		expect(fateOf({ checkedAt, maxAgeDays })).toBe(hasDate ? 'looked up' : fate);
	}
});

describe('a maximum age', () => {
	it.each([
		['', 90],
		[' 7\n', 7],
		[9_000, 9_000],
	])('of %j ends an hour before it is over', (maxAgeDays, days) => {
		const due = daysAgo(days) + HOUR;
		expect(fateOf({ checkedAt: due, maxAgeDays })).toBe('trusted');
		expect(fateOf({ checkedAt: due - 1, maxAgeDays })).toBe('looked up');
	});

	it.each([['a week'], [true], [[7]], ['Infinity']])(
		'of %j is none, where that matters',
		(maxAgeDays) => {
			const thrown = thrownBy(() => outcomeOf({ checkedAt: NOW, maxAgeDays }));
			expect(problemOf(thrown)).toMatchObject({
				reason: 'invalid_value',
				message: 'Not sent: Max Age (Days) must be a number',
			});
			for (const existing of ['', null, 'something']) {
				expect(outcomeOf({ existing, checkedAt: NOW, maxAgeDays })).toBeUndefined();
			}
		},
	);
});

it.each<[string, Item, Fate]>([
	['without a date', {}, 'looked up'],
	['of nearly a day ago', { checkedAt: daysAgo(1) + HOUR + 1 }, 'trusted'],
	['of yesterday, by a daily schedule', { checkedAt: daysAgo(1) + HOUR }, 'looked up'],
	['of the future, which counts as now', { checkedAt: daysAgo(-10) }, 'trusted'],
	['to be tried later', { checkedAt: daysAgo(29.9), retryUnknown: 30 }, 'trusted'],
	['to be tried now', { checkedAt: daysAgo(30), retryUnknown: 30 }, 'looked up'],
	['too old', { checkedAt: daysAgo(8), retryUnknown: 30, maxAgeDays: 7 }, 'looked up'],
	['to be tried always', { checkedAt: NOW, retryUnknown: 0 }, 'looked up'],
])('an unknown %s', (_, item, fate) => {
	expect(fateOf({ existing: 'unknown', ...item })).toBe(fate);
});

it('never trusts what is older than another that it does not trust', () => {
	const days = fc.integer({ min: -50, max: 600 }).map((tenths) => tenths / 10);
	const item = fc.record({
		existing: fc.constantFrom('here', 'unknown'),
		maxAgeDays: fc.integer({ min: -1, max: 120 }),
		retryUnknown: fc.integer({ min: -1, max: 60 }),
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
