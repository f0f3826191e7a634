/** @file What is read from an item without n8n's expression engine is what the engine would find. */

import fc from 'fast-check';
import { Expression, type GenericValue, type IDataObject, type INodeType } from 'n8n-workflow';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { referenceIn, valueAt } from '../../nodes/shared/input/parameters.ts';
import { soleNode } from '../support/node/soleNode.mts';

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
	...String.raw`constructor constructorName a.constructor __proto__ prototype toString hasOwnProperty valueOf length
		arguments caller binding mainModule __lookupGetter__ __sanitize ___n8n_data __isArray then toJSON extend isEmpty class
		this a.b 👩 ä it's a"b a\b a\u0041 {{ }} a}}b ] '][' // /* isEmpty() 0 1a _ $ $json`.split(/\s+/),
	...['a`b', '${a}', 'a b', '{{ 1 }}', 'a\nb', 'a\rb', 'a\u2028b', 'a\u00a0b', '\ud83d', '', ' '],
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
		expect(Expression.getActiveImplementation()).toBe(engine);
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
				expect(evaluated(expression, item), expression).toEqual(found);
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
			const holder = { [odd]: 'found' };
			const items: IDataObject[] = [holder, {}, { company: holder }, { company: {} }];
			for (const way of [0, 1, 2]) {
				for (const item of items) {
					const inside = 'company' in item ? '.company' : '';
					const expression = `={{ $json${inside}${written(odd, way)} }}`;
					const steps = referenceIn(expression);
					const found = steps ? valueAt(item, steps) : 'engine';
					if (found !== 'engine') expect(evaluated(expression, item), expression).toEqual(found);
				}
			}
		}
	});
});
