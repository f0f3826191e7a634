/** @file Parameters item by item: read once where they are the same for all, by n8n's engine where needed. */

import type { IGetNodeParameterOptions } from 'n8n-workflow';
import { expect, it } from 'vitest';

import { hasExpression } from '../../nodes/shared/host/context.ts';
import { Parameters } from '../../nodes/shared/input/parameters.ts';
import { InvalidInput } from '../../nodes/shared/failures/failure.ts';
import { thrownBy } from './thrown.mts';

interface Call {
	name: string;
	item: number;
	options: IGetNodeParameterOptions | undefined;
}

/** A node with these parameters as they are saved, and a note of what n8n's engine evaluated. */
function nodeWith(saved: Record<string, unknown>, items: unknown[] = []) {
	const evaluated: Call[] = [];
	const parameters = new Parameters({
		json: (item) => items[item],
		parameter(name, item, fallback, options) {
			const value = Object.hasOwn(saved, name) ? saved[name] : fallback;
			if (options?.rawExpressions) return value;
			evaluated.push({ name, item, options });
			if (value === '={{ fails }}') throw new Error('It fails');
			return hasExpression(value) ? `${name} for ${item}` : value;
		},
	});
	return { parameters, evaluated };
}

it.each([['Ada'], [''], [null], [{ mode: 'id', value: '101' }]])(
	'reads %j, which is the same for all items, once',
	(value) => {
		const { parameters, evaluated } = nodeWith({ value });
		for (const item of [3, 0, 1]) expect(parameters.get('value', item, 'nothing')).toBe(value);
		expect(evaluated).toHaveLength(1);
	},
);

it.each([['={{ $json.name.trim() }}'], ['='], [{ mode: 'id', value: '={{ $json.id }}' }]])(
	'has %j evaluated for each item',
	(value) => {
		const { parameters, evaluated } = nodeWith({ value }, [{ name: 'Ada' }, { name: 'Ida' }]);
		for (const item of [0, 1, 1]) {
			expect(parameters.get('value', item, '')).toBe(`value for ${item}`);
		}
		expect(evaluated.map(({ item }) => item)).toEqual([0, 1, 1]);
		// What an expression gives is judged here: n8n would stop the workflow for a wrong type.
		for (const { options } of evaluated) expect(options).toMatchObject({ skipValidation: true });
	},
);

it('looks a plain reference up in the item, and asks the engine only where it must', () => {
	const items = [{ name: 'Ada' }, { name: ['Ada'] }, undefined, { name: null }, {}, { name: 5 }];
	const { parameters, evaluated } = nodeWith({ value: '={{ $json.name }}' }, items);
	const values = items.map((_, item) => parameters.get('value', item, 'nothing'));
	expect(values).toEqual(['Ada', 'value for 1', 'value for 2', null, undefined, 5]);
	expect(evaluated.map(({ item }) => item)).toEqual([1, 2]);
});

it('fails where the expression fails, for each item', () => {
	const { parameters } = nodeWith({ value: '={{ fails }}' });
	for (const item of [0, 1]) {
		const thrown = thrownBy(() => parameters.get('value', item, ''));
		expect(thrown).toBeInstanceOf(InvalidInput);
		expect(thrown).toMatchObject({
			reason: 'failing_expression',
			message: expect.stringContaining('(It fails)'),
		});
	}
});

it.each([['{{ $json.name }}'], ['Hello {{ $json.name'], ['}}'], ['{{{{']])(
	'refuses %j, an expression that n8n did not evaluate, wherever it comes from',
	(value) => {
		const { parameters } = nodeWith({ typed: value, found: '={{ $json.name }}' }, [
			{ name: value },
		]);
		for (const name of ['typed', 'found']) {
			expect(thrownBy(() => parameters.get(name, 0, ''))).toMatchObject({
				reason: 'unevaluated_expression',
				message: `Not sent: ${name} holds an expression that n8n did not evaluate`,
			});
		}
	},
);

it('names a field as the editor shows it', () => {
	const field = {
		displayName: 'Company Domain',
		name: 'domain',
		type: 'string',
		default: '',
	} as const;
	const parameter = () => {
		throw 'as said';
	};
	const parameters = new Parameters({ json: () => ({}), parameter }, { fields: [field] });
	for (const [name, label] of [
		['domain', 'Company Domain'],
		['requestOptions', 'Request Options'],
		['options.unheardOf', 'options.unheardOf'],
	]) {
		const message = `Not sent: the expression of ${label} cannot be evaluated (as said)`;
		expect(thrownBy(() => parameters.get(name, 0, ''))).toMatchObject({ message });
	}
});

it('tells an option that was not added from one without a value', () => {
	const saved = { empty: '', zero: 0, off: false, nothing: null, expression: '={{ $json.cap }}' };
	const { parameters, evaluated } = nodeWith(saved, [{}]);
	expect(Object.keys(saved).filter((name) => !parameters.has(name))).toEqual([]);
	expect(parameters.has('added')).toBe(false);
	expect(evaluated).toEqual([]);
});
