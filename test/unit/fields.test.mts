/** @file The fields that operations share, and the options of every lookup. */

import { describe, expect, it } from 'vitest';

import { lookupOptions, returnAllOrLimit, simple } from '../../nodes/shared/description/fields.ts';

describe('the shared fields', () => {
	const forms = (fields: Array<{ name: string; type?: unknown; default?: unknown }>) =>
		fields.map(({ name, type, default: byDefault }) => [name, type, byDefault]);

	it('have the names and defaults that saved workflows depend on', () => {
		expect(forms([simple, ...returnAllOrLimit])).toEqual([
			['simple', 'boolean', true],
			['returnAll', 'boolean', false],
			['limit', 'number', 50],
		]);
	});

	it('of a lookup are in the order of their names, those of the operation among them', () => {
		const own = {
			displayName: 'Job Timeout',
			name: 'jobTimeout',
			type: 'number' as const,
			default: 30,
		};
		const { options, ...collection } = lookupOptions(own);
		expect(collection).toEqual({
			displayName: 'Options',
			name: 'options',
			type: 'collection',
			placeholder: 'Add option',
			default: {},
		});
		const fields = (options ?? []).flatMap((option) => ('type' in option ? [option] : []));
		expect(forms(fields)).toEqual([
			['includeInputFields', 'boolean', false],
			['jobTimeout', 'number', 30],
			['maxConcurrency', 'number', 5],
			['maxCredits', 'number', 100],
			['maxRetries', 'number', 4],
			['incompleteRun', 'options', 'return'],
		]);
		// What one operation adds does not show in another.
		expect(lookupOptions().options).toHaveLength(5);
	});
});
