/** @file Parameters item by item: read once where they are the same for all, by n8n's engine where needed. */

import type { IGetNodeParameterOptions } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';

import { FailingExpression, Parameters } from '../../nodes/shared/host/parameters.ts';
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
			const isExpression = typeof value === 'string' && value.startsWith('=');
			return isExpression ? `${value} for ${item}` : value;
		},
	});
	return { parameters, evaluated };
}

describe('Parameters', () => {
	it.each([['Ada'], [''], [5], [true], [null], [{ mode: 'id', value: '101' }], [['a']]])(
		'reads %j, which is the same for all items, once',
		(value) => {
			const { parameters, evaluated } = nodeWith({ value });
			for (const item of [3, 0, 1]) expect(parameters.get('value', item, 'nothing')).toBe(value);
			expect(evaluated).toHaveLength(1);
		},
	);

	it('gives the fallback for an option that was not added, without asking again', () => {
		const { parameters, evaluated } = nodeWith({});
		for (const item of [0, 1]) expect(parameters.get('options.country', item, '')).toBe('');
		expect(evaluated.length).toBeLessThanOrEqual(1);
	});

	it.each([
		['={{ $json.name.trim() }}'],
		['=Hello {{ $json.name }}'],
		['={{ $json.name }} '],
		['={{ $input.item.json.name }}'],
		['='],
	])('has %j evaluated for each item', (value) => {
		const { parameters, evaluated } = nodeWith({ value }, [{ name: 'Ada' }, { name: 'Ida' }]);
		for (const item of [0, 1, 1]) {
			expect(parameters.get('value', item, '')).toBe(`${value} for ${item}`);
		}
		expect(evaluated.map(({ item }) => item)).toEqual([0, 1, 1]);
		// What an expression gives is judged here: n8n would stop the workflow for a wrong type.
		for (const { options } of evaluated) expect(options).toMatchObject({ skipValidation: true });
	});

	it('has an expression inside a resource locator evaluated for each item', () => {
		const locator = { __rl: true, mode: 'id', value: '={{ $json.id }}' };
		const { parameters, evaluated } = nodeWith({ listId: locator }, [{ id: 1 }, { id: 2 }]);
		for (const item of [0, 1]) parameters.get('listId', item, '', { extractValue: true });
		expect(evaluated.map(({ item }) => item)).toEqual([0, 1]);
		for (const { options } of evaluated) expect(options).toMatchObject({ extractValue: true });
	});

	it('looks a plain reference up in the item, without the engine', () => {
		const items = [{ name: 'Ada' }, { name: null }, {}, { name: 5 }];
		const { parameters, evaluated } = nodeWith({ value: '={{ $json.name }}' }, items);
		const values = items.map((_, item) => parameters.get('value', item, 'nothing'));
		expect(values).toEqual(['Ada', null, undefined, 5]);
		expect(evaluated).toEqual([]);
	});

	it('asks the engine for the items where the reference finds what only the engine knows', () => {
		const value = '={{ $json.name }}';
		const items = [{ name: 'Ada' }, { name: ['Ada'] }, undefined, { name: 'Ida' }];
		const { parameters, evaluated } = nodeWith({ value }, items);
		const values = items.map((_, item) => parameters.get('value', item, ''));
		expect(values).toEqual(['Ada', `${value} for 1`, `${value} for 2`, 'Ida']);
		expect(evaluated.map(({ item }) => item)).toEqual([1, 2]);
	});

	it('fails where the expression fails, for each item', () => {
		const { parameters } = nodeWith({ value: '={{ fails }}' });
		for (const item of [0, 1]) {
			const thrown = thrownBy(() => parameters.get('value', item, ''));
			expect(thrown).toBeInstanceOf(FailingExpression);
			expect(thrown).toMatchObject({ label: 'value', message: 'It fails' });
		}
	});

	it.each([
		['domain', 'Company Domain'],
		['options.maxCredits', 'Max Credits'],
		['requestOptions', 'Request Options'],
		['options.unheardOf', 'options.unheardOf'],
		['unheardOf.country', 'unheardOf.country'],
	])('names %s, whose expression fails, as the editor shows it: %s', (name, label) => {
		const parameters = new Parameters(
			{
				json: () => ({}),
				parameter: () => {
					throw 'as said';
				},
			},
			[
				{ displayName: 'Company Domain', name: 'domain', type: 'string', default: '' },
				{
					displayName: 'Options',
					name: 'options',
					type: 'collection',
					default: {},
					options: [
						{ displayName: 'Max Credits', name: 'maxCredits', type: 'number', default: 100 },
					],
				},
			],
		);
		expect(thrownBy(() => parameters.get(name, 0, ''))).toMatchObject({
			label,
			message: 'as said',
		});
	});

	it('keeps parameters apart', () => {
		const { parameters } = nodeWith({ email: '={{ $json.email }}', 'options.country': 'UK' }, [
			{ email: 'ada@acme.com' },
		]);
		const names = ['email', 'options.country', 'country', 'toString'];
		expect(names.map((name) => parameters.get(name, 0, 'nothing'))).toEqual([
			'ada@acme.com',
			'UK',
			'nothing',
			'nothing',
		]);
	});

	it('tells an option that was not added from one without a value', () => {
		const saved = { empty: '', zero: 0, off: false, nothing: null, expression: '={{ $json.cap }}' };
		const { parameters, evaluated } = nodeWith(saved, [{}]);
		expect(Object.keys(saved).filter((name) => !parameters.has(name))).toEqual([]);
		expect(parameters.has('added')).toBe(false);
		expect(evaluated).toEqual([]);
	});

	it('tells what is filled in, whatever it comes to for an item', () => {
		const saved = { empty: '', zero: 0, off: false, text: 'x', expression: '={{ fails }}' };
		const { parameters, evaluated } = nodeWith(saved, [{}]);
		const names = [...Object.keys(saved), 'added'];
		expect(names.filter((name) => parameters.isFilledIn(name))).toEqual([
			'zero',
			'off',
			'text',
			'expression',
		]);
		expect(evaluated).toEqual([]);
	});
});
