/** @file How fast a run may send, from what users and AI agents fill in. */

import { describe, expect, it } from 'vitest';

import { DEFAULT_PACE, paceOf } from '../../nodes/shared/pace/retry.ts';

describe('paceOf', () => {
	it('is the default where nothing is filled in', () => {
		expect(paceOf(() => null)).toEqual({ maxConcurrency: 5, maxRetries: 4 });
		expect(paceOf(() => undefined)).toEqual(DEFAULT_PACE);
	});

	it.each([
		[{ maxConcurrency: 20, maxRetries: 0 }, 20, 0],
		[{ maxConcurrency: '20', maxRetries: '2' }, 20, 2],
		[{ maxConcurrency: 2.9, maxRetries: 1.9 }, 2, 1],
		// A run that sends nothing at once would wait for ever.
		[{ maxConcurrency: 0, maxRetries: -1 }, 1, 0],
		[{ maxConcurrency: -5, maxRetries: -5 }, 1, 0],
		[{ maxConcurrency: 'many', maxRetries: {} }, 5, 4],
		[{ maxConcurrency: Number.POSITIVE_INFINITY, maxRetries: Number.NaN }, 5, 4],
	])('takes %j for %i at once and %i retries', (options, maxConcurrency, maxRetries) => {
		const values = new Map<string, unknown>(Object.entries(options));
		expect(paceOf((name) => values.get(name))).toEqual({ maxConcurrency, maxRetries });
	});
});
