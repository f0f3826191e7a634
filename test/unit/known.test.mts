/** @file What an item brings along costs nothing: when it is trusted, and when it is looked up again. */

import fc from 'fast-check';
import { expect, it } from 'vitest';

import { type Existing, knownItem } from '../../nodes/shared/input/item.ts';
import { thrownBy } from './thrown.mts';
import { problemOf } from '../../nodes/shared/failures/failure.ts';

const HOUR = 60 * 60_000;
const DAY = 24 * HOUR;

const NOW = Date.UTC(2026, 10, 21, 10, 30);

/** Knows a word, and that nobody knows another. */
const known: Existing = {
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
	['now', NOW, 'trusted'],
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

it.each([['a week'], [true], [[7]], ['Infinity']])(
	'a maximum age of %j is none, where that matters',
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

it('an unknown without a date is looked up', () => {
	expect(fateOf({ existing: 'unknown' })).toBe('looked up');
});

it('is looked up from an hour before it is too old, or before an unknown is due', () => {
	const days = fc.integer({ min: -10, max: 120 });
	/** How long ago it was checked, about so many days: the future counts as now. */
	const age = fc
		.tuple(days, fc.constantFrom(-1, 0, 1, HOUR, -HOUR))
		.map(([number, more]) => number * DAY - HOUR + more);
	const seen = { trusted: 0, 'looked up': 0 };
	fc.assert(
		fc.property(fc.boolean(), age, fc.option(days), days, (isUnknown, passed, most, retry) => {
			const counted = Math.max(0, passed) + HOUR;
			const isFresh = most !== 0 && counted <= (most ?? 90) * DAY;
			const fate = isFresh && !(isUnknown && counted >= retry * DAY) ? 'trusted' : 'looked up';
			seen[fate]++;
			// As a text, too, with blanks around it.
			for (const maxAgeDays of most === null ? [''] : [most, ` ${most}\n`]) {
				const existing = isUnknown ? 'unknown' : 'here';
				const item = { existing, checkedAt: NOW - passed, maxAgeDays, retryUnknown: retry };
				expect(fateOf(item)).toBe(fate);
			}
		}),
		{
			numRuns: 1_000,
			// At each limit: what is due within the hour is due.
			examples: [
				[false, 90 * DAY - HOUR, null, 1],
				[false, 90 * DAY - HOUR + 1, null, 1],
				[false, 9_000 * DAY - HOUR, 9_000, 1],
				[false, 9_000 * DAY - HOUR + 1, 9_000, 1],
				[true, DAY - HOUR - 1, null, 1],
				[true, DAY - HOUR, null, 1],
				[true, 8 * DAY, 7, 30],
				[true, 0, null, 0],
			],
		},
	);
	for (const times of Object.values(seen)) expect(times).toBeGreaterThan(100);
});
