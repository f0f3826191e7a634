/** @file How operations become the properties of a node. */

import { describe, expect, it } from 'vitest';

import {
	customOperations,
	operationProperties,
	operationSubtitle,
	type Operation,
} from '../../nodes/shared/editor/operation.ts';

/** An operation that gives nothing. */
function operationOf(option: Operation['option'], fields: Operation['fields'] = []): Operation {
	return { option, fields, run: async () => [] };
}

describe('operationProperties', () => {
	it('shows the fields of an operation with it only, and keeps their own conditions', () => {
		const field = { displayName: 'Email', name: 'email', type: 'string' as const, default: '' };
		const conditional = { ...field, displayOptions: { show: { returnAll: [false] } } };
		const get = { name: 'Get', value: 'get', action: 'Get' };
		const find = { name: 'Find', value: 'find', action: 'Find' };
		const properties = operationProperties('email', [
			{ ...operationOf(find, [field]), tool: 'Find an email.' },
			operationOf(get, [conditional]),
		]);
		expect(properties).toEqual([
			{ displayName: 'Resource', name: 'resource', type: 'hidden', default: 'email' },
			{
				displayName: 'Operation',
				name: 'operation',
				type: 'options',
				noDataExpression: true,
				displayOptions: { show: { resource: ['email'] } },
				// What has no words for an AI agent is not offered to it.
				options: [find, { ...get, displayOptions: { hide: { '@tool': [true] } } }],
				default: 'find',
				// Where n8n calls the node as a tool directly, this stands in for the request.
				routing: {
					send: { paginate: true },
					operations: { pagination: expect.any(Function) },
				},
			},
			{
				displayName: 'Tool Description',
				name: 'toolDescription',
				type: 'string',
				typeOptions: { rows: 5 },
				default: 'Find an email.',
				description: 'What the AI agent is told about this tool',
				displayOptions: { show: { operation: ['find'], '@tool': [true] } },
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
			operationOf(one, [name, domain, own]),
			operationOf(many, [name, other, domain]),
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

describe('operationSubtitle', () => {
	it('is the label of the operation, whatever characters it has', () => {
		const operations = [
			operationOf({ name: 'Find "Email"', value: 'find' }),
			operationOf({ name: "Get One's List", value: 'get' }),
		];
		const expression = operationSubtitle(operations);
		expect(expression).toBe(
			`={{ ({"find":"Find \\"Email\\"","get":"Get One's List"})[$parameter.operation] }}`,
		);
	});
});

describe('customOperations', () => {
	it('has each operation under its name', () => {
		const names = ['find', 'findBulk', 'getBulkJob'];
		const operations = names.map((value) => operationOf({ name: value, value }));
		const custom = customOperations('email', operations);
		expect(Object.keys(custom)).toEqual(['email']);
		expect(Object.keys(custom.email)).toEqual(names);
	});
});
