/** @file What a declaration says of the request: its fields, and its path. */

import type { INodeProperties } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';

import { listLocatorFor } from '../../nodes/shared/reads/lists.ts';
import { Parameters } from '../../nodes/shared/host/parameters.ts';
import {
	fieldValue,
	pathOf,
	requestFields,
	type Declaration,
} from '../../nodes/shared/host/routing.ts';
import { thrownBy } from './thrown.mts';

function fieldOf(name: string, property?: string): INodeProperties {
	const routing = { send: { type: 'query' as const, property } };
	return {
		displayName: `The ${name}`,
		name,
		type: 'string',
		default: '',
		...(property !== undefined && { routing }),
	};
}

function declarationOf(fields: INodeProperties[], url?: string): Declaration {
	const request = { method: 'GET' as const, ...(url !== undefined && { url }) };
	return { option: { name: 'Get List', value: 'get', routing: { request } }, fields };
}

const collection: INodeProperties = {
	displayName: 'Options',
	name: 'options',
	type: 'collection',
	default: {},
	options: [fieldOf('country', 'country'), fieldOf('maxRetries'), fieldOf('keyword', 'kw')],
};

describe('requestFields', () => {
	it('are the fields that go into the request, under the names that it has for them', () => {
		const fields = [fieldOf('keyword', 'kw'), fieldOf('simple'), fieldOf('domain', 'domain')];
		expect(requestFields(declarationOf(fields))).toEqual([
			{ name: 'keyword', property: 'kw', extractValue: false },
			{ name: 'domain', property: 'domain', extractValue: false },
		]);
	});

	it('are those among the options, too', () => {
		expect(requestFields(declarationOf([collection]))).toEqual([
			{ name: 'options.country', property: 'country', extractValue: false },
			{ name: 'options.keyword', property: 'kw', extractValue: false },
		]);
	});

	it('are those of which the path is made, by their values', () => {
		expect(requestFields(declarationOf([listLocatorFor('/leads')]))).toEqual([
			{ name: 'listId', property: 'listId', extractValue: true },
		]);
	});

	it('are none of what does not go into the request: choices, notices', () => {
		const choice: INodeProperties = {
			displayName: 'Match',
			name: 'match',
			type: 'options',
			default: 'all',
			options: [{ name: 'All', value: 'all' }],
		};
		const notice: INodeProperties = {
			displayName: 'Enter',
			name: 'n',
			type: 'notice',
			default: '',
		};
		expect(requestFields(declarationOf([choice, notice]))).toEqual([]);
	});
});

describe('pathOf', () => {
	it('is the one of the operation', () => {
		expect(pathOf(declarationOf([fieldOf('email', 'email')], '/v3/verify'), {})).toBe('/v3/verify');
	});

	it.each([
		['101', '/api/v2/list/101/leads'],
		[101, '/api/v2/list/101/leads'],
		[' 101 ', '/api/v2/list/101/leads'],
		['a/b?c#d', '/api/v2/list/a%2Fb%3Fc%23d/leads'],
		['$&', '/api/v2/list/%24%26/leads'],
		['{{$value}}', '/api/v2/list/%7B%7B%24value%7D%7D/leads'],
		['half \ud83d', '/api/v2/list/half%20%EF%BF%BD/leads'],
		[undefined, '/api/v2/list//leads'],
	])('has the value %j of the field that declares it', (listId, path) => {
		const declaration = declarationOf([fieldOf('email', 'email'), listLocatorFor('/leads')]);
		expect(pathOf(declaration, { listId })).toBe(path);
	});

	it('is found past fields that are no part of the request', () => {
		const fields = [fieldOf('simple'), listLocatorFor('/leads')];
		for (const routing of [undefined, {}]) {
			const declaration = { option: { name: 'Get List', value: 'get', routing }, fields };
			expect(pathOf(declaration, { listId: '101' })).toBe('/api/v2/list/101/leads');
		}
	});

	it('is missing only by a fault in the code', () => {
		const thrown = thrownBy(() => pathOf(declarationOf([fieldOf('email', 'email')]), {}));
		expect(thrown).toEqual(new Error('No field of get declares the path'));
	});
});

describe('fieldValue', () => {
	it('is the value of the field for the item, by its name in the node', () => {
		const asked: unknown[] = [];
		const parameters = new Parameters({
			json: () => ({}),
			parameter(name, item, fallback, options) {
				asked.push([name, fallback, options?.extractValue]);
				return options?.rawExpressions ? '={{ now }}' : `${name} of ${item}`;
			},
		});
		const [field] = requestFields(declarationOf([collection]));
		expect(fieldValue(parameters, field, 3)).toBe('options.country of 3');
		expect(asked.at(-1)).toEqual(['options.country', '', false]);
	});
});
