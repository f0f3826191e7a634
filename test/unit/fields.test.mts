/** @file The fields that operations share, and the options of every lookup. */

import { describe, expect, it } from 'vitest';

import {
	ageOptions,
	includeInputFields,
	knownField,
	lookupOptions,
	notForTools,
	returnAllOrLimit,
	simple,
} from '../../nodes/shared/editor/fields.ts';

describe('the shared fields', () => {
	const forms = (fields: Array<{ name: string; type?: unknown; default?: unknown }>) =>
		fields.map(({ name, type, default: byDefault }) => [name, type, byDefault]);

	it('have the names and defaults that saved workflows depend on', () => {
		const fields = [simple, includeInputFields, ...returnAllOrLimit, ...ageOptions];
		expect(forms(fields)).toEqual([
			['simple', 'boolean', true],
			['includeInputFields', 'boolean', true],
			['returnAll', 'boolean', false],
			['limit', 'number', 50],
			['checkedAt', 'string', ''],
			['maxAgeDays', 'number', 90],
		]);
	});

	it('are not for tools where an agent has nothing to bring along', () => {
		const field = knownField({
			displayName: 'Existing Email',
			name: 'existingEmail',
			placeholder: 'e.g. {{ $json.email }}',
			description: 'Email that the item already has',
		});
		expect(field).toMatchObject({ name: 'existingEmail', type: 'string', default: '' });
		// It says nothing to the service.
		expect(field).not.toHaveProperty('routing');
		for (const { displayOptions } of [field, includeInputFields]) {
			expect(displayOptions).toEqual(notForTools);
		}
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
			['jobTimeout', 'number', 30],
			['keepCredits', 'number', 100],
			['maxConcurrency', 'number', 5],
			['maxCredits', 'number', 100],
			['manualLimit', 'number', 10],
			['maxRetries', 'number', 4],
			['incompleteRun', 'options', 'return'],
			['resultField', 'string', ''],
		]);
		// What one operation adds does not show in another.
		expect(lookupOptions().options).toHaveLength(7);
	});
});
