/** @file How operations become the properties of a node, and the options that all lookups share. */

import { describe, expect, it } from 'vitest';

import { lookupOptions, returnAllOrLimit, simple } from '../../nodes/shared/fields.ts';
import { operationProperties } from '../../nodes/shared/operation.ts';

describe('operationProperties', () => {
	it('shows the fields of an operation with it only, and keeps their own conditions', () => {
		const field = { displayName: 'Email', name: 'email', type: 'string' as const, default: '' };
		const conditional = { ...field, displayOptions: { show: { returnAll: [false] } } };
		const get = { name: 'Get', value: 'get', action: 'Get' };
		const find = { name: 'Find', value: 'find', action: 'Find' };
		const properties = operationProperties('email', [
			{ option: find, fields: [field] },
			{ option: get, fields: [conditional] },
		]);
		expect(properties).toEqual([
			{ displayName: 'Resource', name: 'resource', type: 'hidden', default: 'email' },
			{
				displayName: 'Operation',
				name: 'operation',
				type: 'options',
				noDataExpression: true,
				displayOptions: { show: { resource: ['email'] } },
				options: [find, get],
				default: 'find',
			},
			{ ...field, displayOptions: { show: { operation: ['find'] } } },
			{ ...field, displayOptions: { show: { operation: ['get'], returnAll: [false] } } },
		]);
		expect(field).not.toHaveProperty('displayOptions');
	});

	it('shows what operations begin with in common as one property, and keeps the order of all', () => {
		const fieldOf = (name: string) => ({
			displayName: name,
			name,
			type: 'string' as const,
			default: '',
		});
		const [name, domain, own, other] = ['name', 'domain', 'own', 'other'].map(fieldOf);
		const one = { name: 'One', value: 'one', action: 'One' };
		const many = { name: 'Many', value: 'many', action: 'Many' };
		const properties = operationProperties('email', [
			{ option: one, fields: [name, domain, own] },
			{ option: many, fields: [name, other, domain] },
		]);
		expect(properties.slice(2)).toEqual([
			{ ...name, displayOptions: { show: { operation: ['one', 'many'] } } },
			{ ...domain, displayOptions: { show: { operation: ['one'] } } },
			{ ...own, displayOptions: { show: { operation: ['one'] } } },
			{ ...other, displayOptions: { show: { operation: ['many'] } } },
			{ ...domain, displayOptions: { show: { operation: ['many'] } } },
		]);
	});
});

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
			['maxCredits', 'number', 0],
			['maxRetries', 'number', 4],
		]);
		// What one operation adds does not show in another.
		expect(lookupOptions().options).toHaveLength(4);
	});
});
