/** @file The options of a lookup, once per run: what they come to, and what cannot be right. */

import fc from 'fast-check';
import { expect, it } from 'vitest';

import {
	lookupOptions,
	manualLimit as itemLimit,
	refreshAfter,
} from '../../nodes/shared/editor/fields.ts';
import { lookupOptionsOf } from '../../nodes/shared/input/options.ts';
import { problemOf } from '../../nodes/shared/failures/failure.ts';
import { parametersOf } from './parametersOf.mts';

/** The options of a node with these parameters: options by their own names, `manualLimit` as it stands in the panel. */
function optionsOf(
	{ manualLimit, ...added }: Record<string, unknown>,
	optionalColumn?: { option: string; column: string },
	context = { isManual: false, isTool: false },
) {
	const options = Object.entries(added).map(([name, value]) => [`options.${name}`, value]);
	const saved = {
		...Object.fromEntries(options),
		...(manualLimit !== undefined && { manualLimit }),
	};
	const fields = { fields: [itemLimit], options: [...lookupOptions, refreshAfter] };
	return lookupOptionsOf(parametersOf({ ...fields, optionalColumn }, saved), context);
}

const pace = (maxConcurrency: unknown, maxRetries: unknown, minutes = 15) => ({
	maxConcurrency,
	maxRetries,
	maxRateLimitWait: minutes * 60_000,
});

/** Without any option. */
const NONE = {
	pace: pace(5, 4),
	cap: Number.POSITIVE_INFINITY,
	keep: undefined,
	manualLimit: Number.POSITIVE_INFINITY,
	failsWhenIncomplete: false,
	addedColumns: [],
	jobTimeout: 30 * 60_000,
	refusal: undefined,
};

it.each([
	[{}, NONE],
	[{ maxCredits: '7' }, { cap: 7 }],
	[{ manualLimit: '9' }, { manualLimit: 9 }],
	[{ incompleteRun: 'fail' }, { failsWhenIncomplete: true }],
	[{ enrich: true }, { addedColumns: ['personData'] }],
	[{ maxConcurrency: '20', maxRetries: '2.9' }, { pace: pace(20, 2) }],
	// A run that sends nothing at once would wait for ever.
	[{ maxRateLimitWait: -1 }, { pace: pace(5, 4, 0) }],
	[{ maxConcurrency: 0, maxRetries: -1 }, { pace: pace(1, 0) }],
	[{ maxConcurrency: 'many', maxRetries: {} }, { pace: pace(5, 4) }],
	[{ maxConcurrency: Number.POSITIVE_INFINITY, maxRetries: Number.NaN }, { pace: pace(5, 4) }],
	[{ keepCredits: -2 }, { keep: 0 }],
	[{ manualLimit: 0 }, { manualLimit: Number.POSITIVE_INFINITY }],
	[{ enrich: 'true' }, { addedColumns: [] }],
] as Array<[Record<string, unknown>, object]>)('reads %j', (added, options) => {
	expect(optionsOf(added, { option: 'enrich', column: 'personData' })).toMatchObject(options);
});

it('Max Credits is never more than what was said, never below 0, and whole', () => {
	const number = fc.oneof(
		fc.double({ min: -1e12, max: 1e12, noNaN: true }),
		fc.double({ min: -2, max: 3, noNaN: true }),
	);
	fc.assert(
		fc.property(number, (said) => {
			const { cap, refusal } = optionsOf({ maxCredits: said });
			// Never -0, which would look odd in a message.
			expect([cap, refusal]).toEqual([Math.floor(Math.max(0, said)) + 0, undefined]);
			expect(optionsOf({ maxCredits: ` ${said}\n` }).cap).toBe(cap);
		}),
	);
});

it.each([
	['maxCredits', '', 'Max Credits'],
	['maxCredits', Number.POSITIVE_INFINITY, 'Max Credits'],
	['keepCredits', '', 'Leave Credits in Account'],
])('refuses %s of %j', (name, value, label) => {
	expect(problemOf(optionsOf({ [name]: value }).refusal)).toMatchObject({
		reason: 'invalid_value',
		message: `Not sent: ${label} must be a number`,
	});
});

it.each([
	{ isManual: true, isTool: false },
	{ isManual: false, isTool: true },
])('where somebody waits, a run waits less for the rate limit: %j', (context) => {
	expect(optionsOf({}, undefined, context).pace).toEqual(pace(5, 4, 1));
	expect(optionsOf({ maxRateLimitWait: 5 }, undefined, context).pace).toEqual(pace(5, 4, 5));
});
