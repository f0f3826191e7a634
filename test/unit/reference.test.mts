/** @file What is read from an item without n8n's expression engine is what the engine would find. */

import fc from 'fast-check';
import { Expression, type GenericValue, type IDataObject, type INodeType } from 'n8n-workflow';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { referenceIn, valueAt } from '../../nodes/shared/host/parameters.ts';
import { soleNode } from '../support/soleNode.mts';
import { processorTime } from '../support/processorTime.mts';

describe('referenceIn', () => {
	it.each([
		['={{ $json.email }}', ['email']],
		['={{$json.email}}', ['email']],
		['={{\n\t$json.email\n}}', ['email']],
		['={{ $json._a1 }}', ['_a1']],
		['={{ $json.company.domain }}', ['company', 'domain']],
		['={{ $json["Company Name"] }}', ['Company Name']],
		["={{ $json['Company Name'] }}", ['Company Name']],
		['={{ $json["it\'s"]["a.b"] }}', ["it's", 'a.b']],
		['={{ $json[\'a["b"]\'].c }}', ['a["b"]', 'c']],
		['={{ $json["👩"] }}', ['👩']],
		['={{ $json["{{"] }}', ['{{']],
		['={{ $json[""] }}', ['']],
		['={{ $json.class }}', ['class']],
	])('finds the steps of %j', (expression, steps) => {
		expect(referenceIn(expression)).toEqual(steps);
	});

	it.each([
		['{{ $json.email }}'],
		['=$json.email'],
		['={{ $json }}'],
		['={{ $json.email }} '],
		[' ={{ $json.email }}'],
		['=Mail: {{ $json.email }}'],
		['={{ $json.email }}{{ $json.email }}'],
		['={{ $json.email.trim() }}'],
		['={{ $json.email ?? "" }}'],
		['={{ $json?.email }}'],
		['={{ $json.company?.domain }}'],
		['={{ $json.list[0] }}'],
		['={{ $json["a\\"b"] }}'],
		['={{ $json["a\\u0041"] }}'],
		['={{ $json[`a`] }}'],
		['={{ $json["a" + "b"] }}'],
		['={{ $json[key] }}'],
		['={{ $json.1a }}'],
		['={{ $json.$a }}'],
		['={{ $json.ä }}'],
		['={{ $JSON.email }}'],
		['={{ json.email }}'],
		['={{ $input.item.json.email }}'],
		['={{ $json . email }}'],
		['={{ $json.email // mail }}'],
		['={{ $json["a\nb"] }}'],
		['={{ $json["a\rb"] }}'],
		['={{ $json["a\u2028b"] }}'],
		['={{ $json["a}}b"] }}'],
		['={{ $json.constructor }}'],
		['={{ $json.constructorName }}'],
		['={{ $json["a. constructor"] }}'],
		['={{ $json.__proto__ }}'],
		['={{ $json["prototype"] }}'],
		['={{ $json.arguments }}'],
		['={{ $json.company.binding }}'],
		['='],
		[''],
	])('leaves %j to the engine', (expression) => {
		expect(referenceIn(expression)).toBeUndefined();
	});

	it('does not take long, whatever the expression', () => {
		const used = processorTime();
		for (const part of ['.a', '["', '["a"]', "['", ' ', '.', '{{', 'a']) {
			const many = part.repeat(100_000);
			referenceIn(`={{ $json.a${many}`);
			referenceIn(`={{ $json${many} }}`);
			referenceIn(`={{ ${many}`);
		}
		expect(used()).toBeLessThan(2_000);
	});
});

describe('valueAt', () => {
	it.each([
		[{ a: 'x' }, ['a'], { value: 'x' }],
		[{ a: '' }, ['a'], { value: '' }],
		[{ a: 0 }, ['a'], { value: 0 }],
		[{ a: false }, ['a'], { value: false }],
		[{ a: null }, ['a'], { value: null }],
		[{ a: undefined }, ['a'], { value: undefined }],
		[{}, ['a'], { value: undefined }],
		[{ a: { b: 'x' } }, ['a', 'b'], { value: 'x' }],
		[{ a: {} }, ['a', 'b'], { value: undefined }],
	])('finds in %j at %j: %j', (json, steps, found) => {
		expect(valueAt(json, steps)).toEqual(found);
	});

	it.each([
		['an object', { a: {} }, ['a']],
		['a list', { a: [1] }, ['a']],
		['a date', { a: new Date(0) }, ['a']],
		['no number', { a: Number.NaN }, ['a']],
		['no end', { a: Number.POSITIVE_INFINITY }, ['a']],
		['the inside of a text', { a: 'x' }, ['a', 'length']],
		['the inside of a list', { a: [1] }, ['a', 'length']],
		['the inside of nothing', { a: null }, ['a', 'b']],
		['the inside of what is not there', {}, ['a', 'b']],
		['what every object has', {}, ['toString']],
		['what hides what every object has', { toString: 'x' }, ['toString']],
		['what is inherited', Object.create({ a: 'x' }), ['a']],
		['no item', undefined, ['a']],
	])('leaves %s to the engine', (_, json: unknown, steps) => {
		expect(valueAt(json, steps)).toBe('engine');
	});
});

/** Gives out its items, with nothing to fill in. */
const nodeType: INodeType = {
	description: {
		displayName: 'Node',
		name: 'node',
		group: ['input'],
		version: 1,
		description: 'Has an expression',
		defaults: { name: 'Node' },
		inputs: ['main'],
		outputs: ['main'],
		properties: [],
	},
};

/** Names that mean something to JavaScript or to n8n, that hide quotes, or that need them. */
const oddKeys = [
	'constructor',
	'constructorName',
	'a.constructor',
	'__proto__',
	'prototype',
	'toString',
	'hasOwnProperty',
	'valueOf',
	'length',
	'arguments',
	'caller',
	'binding',
	'mainModule',
	'__lookupGetter__',
	'__sanitize',
	'___n8n_data',
	'__isArray',
	'then',
	'toJSON',
	'extend',
	'isEmpty',
	'class',
	'this',
	'a b',
	'a.b',
	'👩',
	'ä',
	"it's",
	'a"b',
	'a`b',
	'${a}',
	'a\\b',
	'a\\u0041',
	'{{',
	'}}',
	'a}}b',
	'{{ 1 }}',
	'a\nb',
	'a\rb',
	'a\u2028b',
	'a\u00a0b',
	'\ud83d',
	']',
	"']['",
	'//',
	'/*',
	'isEmpty()',
	'0',
	'1a',
	'',
	' ',
	'_',
	'$',
	'$json',
];

const key = fc.oneof(
	fc.constantFrom('name', 'email', 'company', 'Company Name', 'a1'),
	fc.constantFrom(...oddKeys),
	fc.string({ maxLength: 4 }),
);

/** What an item may hold, whichever node made it. */
const json = fc.letrec<{ value: GenericValue; object: IDataObject }>((tie) => ({
	value: fc.oneof(
		{ maxDepth: 3, withCrossShrink: true },
		fc.string({ unit: 'binary' }),
		fc.constantFrom('ada@acme.com', '', '{{ $json.a }}', '={{ 1 }}', '5', 'null'),
		fc.double(),
		fc.integer(),
		fc.constantFrom(null, undefined, true, false, -0),
		fc.date({ noInvalidDate: true }),
		fc.array(tie('value'), { maxLength: 2 }),
		tie('object'),
	),
	object: fc
		.array(fc.tuple(key, tie('value')), { maxLength: 5 })
		.map((entries) => Object.fromEntries(entries)),
})).object;

/** One step of a path, in the ways in which it may be written. */
function written(step: string, way: number): string {
	return [
		`.${step}`,
		`["${step}"]`,
		`['${step}']`,
		`[${JSON.stringify(step)}]`,
		`[\`${step}\`]`,
		`?.${step}`,
		`[${step}]`,
		` . ${step}`,
		`.${step}()`,
	][way];
}

/** Mostly as the short cut knows it, and near misses. */
const wayToWrite = fc.oneof(
	{ weight: 12, arbitrary: fc.nat(2) },
	{ weight: 1, arbitrary: fc.integer({ min: 3, max: 8 }) },
);

const frame = fc.oneof(
	{ weight: 12, arbitrary: fc.constantFrom('={{ X }}', '={{X}}', '={{\n\tX }}') },
	{
		weight: 1,
		arbitrary: fc.constantFrom(
			'={{ X }} ',
			'= {{ X }}',
			'=Mail {{ X }}',
			'={{ X }}{{ X }}',
			'={{ X; }}',
			'={{ (X) }}',
			'={{ X // }}',
			'={{ !X }}',
			'=X',
			'={{ X }',
		),
	},
);

/** Mostly none: then the key is one that is there. */
const otherKey = fc.oneof(
	{ weight: 6, arbitrary: fc.constant(undefined) },
	{ weight: 1, arbitrary: key },
);

/** An item, and an expression that may find something in it. */
const sample = json.chain((item) => {
	// Steps that are there, as far as there are any, or any others.
	const steps = fc
		.array(fc.record({ index: fc.nat(99), other: otherKey, way: wayToWrite }), {
			minLength: 1,
			maxLength: 3,
		})
		.map((choices) => {
			let inside: unknown = item;
			let path = '';
			for (const { index, other, way } of choices) {
				const keys = typeof inside === 'object' && inside !== null ? Object.keys(inside) : [];
				const step = other ?? keys[index % keys.length] ?? 'name';
				path += written(step, way);
				const values = new Map(keys.length > 0 && inside ? Object.entries(inside) : []);
				inside = values.get(step);
				// Mostly a path ends where there is nothing more inside.
				if (typeof inside !== 'object' && index % 4 > 0) break;
			}
			return path;
		});
	return fc.record({ item: fc.constant(item), path: steps, frame });
});

describe.each(['legacy', 'vm'] as const)('the %s engine of n8n', (engine) => {
	const { node, workflow } = soleNode(nodeType);

	beforeAll(async () => {
		// As n8n itself starts it, but for the sizes.
		await Expression.initExpressionEngine({
			engine,
			bridgeTimeout: 5_000,
			bridgeMemoryLimit: 128,
			poolSize: 1,
			maxCodeCacheSize: 1_024,
		});
		Expression.setExpressionEngine(engine);
		await workflow.expression.acquireIsolate();
	});

	afterAll(async () => {
		await workflow.expression.releaseIsolate();
		await Expression.disposeExpressionEngine();
		Expression.setExpressionEngine('legacy');
	});

	/** What the engine makes of an expression, or how it fails. */
	function evaluated(
		expression: string,
		item: IDataObject,
	): { value: unknown } | { thrown: unknown } {
		try {
			const value: unknown = workflow.expression.getParameterValue(
				expression,
				null,
				0,
				0,
				node.name,
				[{ json: item }],
				'manual',
				{},
			);
			return { value };
		} catch (thrown) {
			return { thrown };
		}
	}

	it('is the one that is tested', () => {
		expect(Expression.getActiveImplementation()).toBe(engine);
	});

	it('finds whatever is found without it', () => {
		const seen = { dotted: 0, quoted: 0, nested: 0, absent: 0, text: 0, number: 0, engine: 0 };
		fc.assert(
			fc.property(sample, ({ item, path, frame: around }) => {
				const expression = around.replaceAll('X', () => `$json${path}`);
				const steps = referenceIn(expression);
				const found = steps ? valueAt(item, steps) : 'engine';
				if (found === 'engine') {
					seen.engine++;
					return;
				}
				const outcome = evaluated(expression, item);
				if ('thrown' in outcome || !Object.is(outcome.value, found.value)) {
					expect(outcome, `${expression} in ${JSON.stringify(item)}`).toEqual(found);
					expect.fail(`${expression} is ${String(found.value)}`);
				}
				if (path.startsWith('.')) seen.dotted++;
				if (path.startsWith('[')) seen.quoted++;
				if ((steps?.length ?? 0) > 1) seen.nested++;
				if (found.value === undefined) seen.absent++;
				if (typeof found.value === 'string') seen.text++;
				if (typeof found.value === 'number') seen.number++;
			}),
			{ numRuns: 2_000 },
		);
		for (const times of Object.values(seen)) expect(times).toBeGreaterThan(50);
	});

	it('finds the same for each odd key alone, there or not, in each way to write it', () => {
		for (const odd of oddKeys) {
			for (const way of [0, 1, 2]) {
				for (const inside of ['', '.company']) {
					for (const holder of [Object.fromEntries([[odd, 'found']]), {}]) {
						const item: IDataObject = inside === '' ? holder : { company: holder };
						const expression = `={{ $json${inside}${written(odd, way)} }}`;
						const steps = referenceIn(expression);
						const found = steps ? valueAt(item, steps) : 'engine';
						if (found === 'engine') continue;
						expect(evaluated(expression, item), expression).toEqual(found);
					}
				}
			}
		}
	});
});
