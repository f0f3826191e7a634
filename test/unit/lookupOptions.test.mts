/** @file The options of a lookup, once per run: what they come to, and what cannot be meant. */

import { describe, expect, it } from 'vitest';

import { lookupOptionsOf } from '../../nodes/shared/lookups/options.ts';
import { Parameters } from '../../nodes/shared/host/parameters.ts';
import { problemOf } from '../../nodes/shared/output/problem.ts';

/** The parameters of a node where these options were added. */
function parametersOf(added: Record<string, unknown>): Parameters {
	const saved: Record<string, unknown> = Object.fromEntries(
		Object.entries(added).map(([name, value]) => [`options.${name}`, value]),
	);
	return new Parameters({
		json: () => ({}),
		parameter: (name, _, fallback) => (Object.hasOwn(saved, name) ? saved[name] : fallback),
	});
}

function optionsOf(added: Record<string, unknown>) {
	return lookupOptionsOf(parametersOf(added));
}

function refusalOf(added: Record<string, unknown>) {
	return problemOf(optionsOf(added).refusal);
}

describe('lookupOptionsOf', () => {
	it('has its defaults where nothing was added', () => {
		expect(optionsOf({})).toMatchObject({
			pace: { maxConcurrency: 5, maxRetries: 4 },
			cap: Number.POSITIVE_INFINITY,
			keep: undefined,
			manualLimit: Number.POSITIVE_INFINITY,
			failsWhenIncomplete: false,
			resultField: undefined,
			retryUnknown: 1,
			skipsEmpty: false,
			jobTimeout: 30 * 60_000,
		});
	});

	it('has what was added', () => {
		const added = {
			maxConcurrency: 2,
			maxRetries: 0,
			maxCredits: '7',
			keepCredits: '8',
			manualLimit: '9',
			incompleteRun: 'fail',
			resultField: ' lookup ',
			retryUnknownDays: '3.5',
			skipEmpty: true,
			jobTimeout: 1,
		};
		expect(optionsOf(added)).toMatchObject({
			pace: { maxConcurrency: 2, maxRetries: 0 },
			cap: 7,
			keep: 8,
			manualLimit: 9,
			failsWhenIncomplete: true,
			resultField: 'lookup',
			retryUnknown: 3.5,
			skipsEmpty: true,
			jobTimeout: 60_000,
		});
	});

	it.each([[''], [' '], [null], [{}], [['lookup']], [true]])(
		'puts the result into no field of its own where its name is %j',
		(resultField) => {
			expect(optionsOf({ resultField }).resultField).toBeUndefined();
		},
	);

	it.each([['a.b'], ['Result of "it"'], ['0'], ['toString'], ['Error'], ['status']])(
		'takes the name %j literally',
		(resultField) => {
			expect(optionsOf({ resultField }).resultField).toBe(resultField);
		},
	);

	it.each([['__proto__'], ['constructor'], ['prototype'], [' __proto__ '], ['error'], [' error']])(
		'refuses the name %j, which would be no ordinary field',
		(resultField) => {
			expect(refusalOf({ resultField })).toMatchObject({
				status: 'invalid_input',
				reason: 'invalid: Put Result in Field',
				message: `Not sent: "${resultField.trim()}" cannot be the name of a field`,
			});
		},
	);

	it.each([
		['maxCredits', '', 'invalid: Max Credits'],
		['maxCredits', null, 'invalid: Max Credits'],
		['maxCredits', 'many', 'invalid: Max Credits'],
		['keepCredits', 'some', 'invalid: Keep Credits'],
		['manualLimit', 'few', 'invalid: Max Items in Manual Runs'],
		['retryUnknownDays', 'soon', 'invalid: Verify Unknown Again After (Days)'],
		['retryUnknownDays', {}, 'invalid: Verify Unknown Again After (Days)'],
	])('refuses %s of %j', (name, value, reason) => {
		expect(refusalOf({ [name]: value })).toMatchObject({
			status: 'invalid_input',
			reason,
			message: `Not sent: ${reason.replace('invalid: ', '')} must be a number`,
		});
	});

	it.each([
		[0, 0],
		['-5', 0],
		[2.9, 2],
	])('takes Max Credits of %j for %d', (maxCredits, cap) => {
		expect(optionsOf({ maxCredits }).cap).toBe(cap);
	});

	it('takes 0 for no limit in manual runs, but for a floor of its own', () => {
		expect(optionsOf({ manualLimit: 0 }).manualLimit).toBe(Number.POSITIVE_INFINITY);
		expect(optionsOf({ keepCredits: 0 }).keep).toBe(0);
	});

	it('takes no other value than true for a switch that is on', () => {
		for (const skipEmpty of ['true', 1, {}, null]) {
			expect(optionsOf({ skipEmpty }).skipsEmpty).toBe(false);
		}
	});
});

it('still puts the result where it is to go, if that can be', () => {
	const added = { maxCredits: 'many', incompleteRun: 'fail', resultField: 'lookup' };
	expect(optionsOf(added)).toMatchObject({ resultField: 'lookup', failsWhenIncomplete: false });
	expect(optionsOf({ maxCredits: 'many', resultField: 'error' }).resultField).toBeUndefined();
});
