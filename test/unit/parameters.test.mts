/**
 * @file Parameters item by item: a plain reference into the item is read without n8n's engine, and finds what the engine
 * would find; the fields of a lead are recognized.
 */

import fc from 'fast-check';
import { Expression, type GenericValue, type IDataObject } from 'n8n-workflow';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { RecognizedFields } from '../../nodes/shared/input/declaration.ts';
import { find } from '../../nodes/Finder/operations/find.operation.ts';
import { LeadParameters } from '../../nodes/shared/input/leadParameters.ts';
import { referenceIn, valueAt } from '../../nodes/shared/input/parameters.ts';
import { cleanText } from '../../nodes/shared/values/text.ts';
import { ourNodes } from '../support/node/engine.mts';
import { soleNode } from '../support/node/soleNode.mts';
import { added, parametersOf } from './parametersOf.mts';
import { thrownBy } from './thrown.mts';

const unevaluated = [
	'{{ $json.name }}',
	'Hello {{ $json.name',
	'}}',
	'{{{{',
	'$json.name',
	"$('Set').item",
	'$("Set")',
];

it.each(unevaluated)('refuses %j, which n8n did not evaluate', (value) => {
	const saved = { typed: value, found: '={{ $json.name }}' };
	const parameters = parametersOf({}, saved, { name: value });
	for (const name of ['typed', 'found']) {
		expect(thrownBy(() => parameters.get(name, 0, ''))).toMatchObject({
			reason: 'unevaluated_expression',
			message: `Not sent: ${name} holds an expression that n8n did not evaluate`,
		});
	}
});

describe('the fields of a lead', () => {
	const lead = {
		who: { meanings: ['fullName'] },
		where: { meanings: ['domain', 'company'] },
	} satisfies RecognizedFields;

	function leadOf(items: unknown[], saved: Record<string, unknown> = {}, isTool = false) {
		const parameter = (name: string, _: number, fallback: unknown) => saved[name] ?? fallback;
		const inputs = items.map(() => ({ json: {} }));
		const context = { json: (item: number) => items[item], inputs, parameter, isTool };
		return new LeadParameters(context, { lead });
	}

	it('are recognized in each item, the first of their meanings with a value', () => {
		const items = [{ Name: 'Ada Lee', Firma: 'Acme', Web: 'acme.com' }, { Firma: 'Acme' }, null];
		const parameters = leadOf(items, { who: 'typed' });
		const read = (name: string) => items.map((_, item) => parameters.get(name, item, ''));
		expect(read('who')).toEqual(['Ada Lee', '', '']);
		expect(read('where')).toEqual(['acme.com', 'Acme', '']);
		expect(parameters.readFrom).toBe('Read from: Name, Web, Firma');
		// Other parameters are none of a lead.
		expect(parameters.get('simple', 0, true)).toBe(true);
	});

	it('are named only where something was read from them', () => {
		const parameters = leadOf([{ Name: 'Ada Lee', Firma: 'Acme', Web: 'acme.com' }]);
		expect(parameters.readFrom).toBeUndefined();
		parameters.get('where', 0, '');
		expect(parameters.readFrom).toBe('Read from: Web');
	});

	it('are refused where they hold an expression, by the name that the item has', () => {
		const parameters = leadOf([{ Firma: 'Acme {{ $json.x }}' }]);
		expect(thrownBy(() => parameters.get('where', 0, ''))).toMatchObject({
			reason: 'unevaluated_expression',
			message: 'Not sent: Firma holds an expression that n8n did not evaluate',
		});
	});

	it('are refused where letters were lost, whether recognized or chosen', () => {
		const lost: Record<string, string> = {
			'Caf\uFFFD Acme': '\uFFFD',
			'Acme\u00C2\u00A0Labs': 'Â',
			'LÃ“PEZ': 'Ã“',
			'Oâ€™Acme': 'â€™',
			'Å\u00a0koda Å¡': 'Å¡',
			'ÐŸÐµÑ‚Ñ€': 'ÐŸ',
			'Â©': 'Â©',
			GarcÃa: 'Ã',
		};
		const letters = 'ÀÂÃÄÅÆÇÈÉÊËÌÎÑÒÓÔÕÖØÙÚÛÜÞßáâãäåæçèéêëìîïðñòóôõöøùúûüýþÿąćęłńœśźżšžČőűğışřй';
		for (const letter of letters) {
			const read = cleanText(Buffer.from(letter).toString('latin1'));
			lost[`x${read}x`] = read;
		}
		for (const [value, letters] of Object.entries(lost)) {
			const typed = leadOf([], added({ lead }, { where: value }));
			for (const [parameters, field] of [
				[leadOf([{ Firma: value }]), 'Firma'],
				[typed, 'where'],
			] as const) {
				expect(thrownBy(() => parameters.get('where', 0, ''))).toMatchObject({
					reason: 'invalid_value',
					message: `Not sent: ${field} has lost letters (${letters})`,
				});
			}
		}
		for (const Firma of [
			'SÃO JOÃO',
			'Ångström',
			'Ärzte – Ñandú',
			'IRMÃ Dulce',
			'Þór Ðarson',
			'L’Oréal',
		]) {
			expect(leadOf([{ Firma }]).get('where', 0, '')).toBe(Firma);
		}
	});

	it.each([
		['who', 'Ren?e Dupont', 'has lost letters (?)'],
		['who', '?ukasz Nowak', 'has lost letters (?)'],
		['who', 'Ada undefined', 'holds undefined, which stands for no text'],
		['where', '[object Object]', 'holds [object Object], which stands for no text'],
		['where', '{ "name": "Acme" }', 'holds { "name":, which stands for no text'],
	])('are refused for what a program left in %s: %s', (name, value, message) => {
		const item = { who: { Name: value }, where: { Firma: value } }[name];
		const chosen = leadOf([], added({ lead }, { [name]: value }));
		for (const parameters of [leadOf([item]), chosen]) {
			expect(thrownBy(() => parameters.get(name, 0, ''))).toMatchObject({
				reason: 'invalid_value',
				message: expect.stringContaining(` ${message}`),
			});
		}
	});

	it.each(['Acme?', 'undefinedness', 'https://acme.com/?q=undefinedx', 'Foo {bar}', '[Acme]'])(
		'are read with %s in them',
		(value) => {
			const parameters = leadOf([], added({ lead }, { where: value }));
			expect(parameters.get('where', 0, '')).toBe(value);
		},
	);

	it('of a tool are not recognized', () => {
		const parameters = leadOf([{ Name: 'Ida', Firma: 'Acme' }], { who: 'Ada' }, true);
		expect([parameters.get('who', 0, ''), parameters.get('where', 0, '')]).toEqual(['Ada', '']);
		expect(parameters.readFrom).toBeUndefined();
	});
});

describe('a field that the user has added', () => {
	const item = {
		'Full Name': 'Ida Rhodes',
		Vorname: 'Eva',
		Nachname: 'May',
		Firma: 'Acme',
		Web: 'acme.com',
		Email: 'a@b.com',
		Other: 'Bo Lee',
		Same: 'May, Eva',
		'CEO Name': 'Ada Lee',
		'CEO Email': 'ada@lee.com',
		'Contact 2 Name': 'Ed Fox',
		'Contact 2 Email': 'ed@fox.com',
	};
	const column = (name: string) => `={{ $json["${name}"] }}`;
	const other = column('Other');
	const none = { firstName: '', lastName: '' };

	it.each<[saved: Record<string, unknown>, read: Record<string, unknown>]>([
		[{}, {}],
		[{ company: other }, { company: 'Bo Lee' }],
		[{ domain: 'bo.com' }, { domain: 'bo.com' }],
		[{ domain: '' }, { domain: '' }],
		[{ existingEmail: '' }, { existingEmail: '' }],
		[{ existingEmail: column('CEO Email') }, { existingEmail: 'ada@lee.com' }],
		// A full name beats the halves, and halves a full name.
		[{ fullName: '' }, { fullName: '', ...none, existingEmail: '' }],
		[{ lastName: other }, { fullName: '', lastName: 'Bo Lee' }],
		[
			{ firstName: 'A', lastName: 'B' },
			{ fullName: '', firstName: 'A', lastName: 'B', existingEmail: '' },
		],
		// Who is named is the lead: the email is that of the name beside it.
		[{ fullName: other }, { fullName: 'Bo Lee', ...none, existingEmail: '' }],
		[{ fullName: column('Same') }, { fullName: 'May, Eva', ...none }],
		[
			{ fullName: column('CEO Name') },
			{ fullName: 'Ada Lee', ...none, existingEmail: 'ada@lee.com' },
		],
		[
			{ fullName: column('Contact 2 Name') },
			{ fullName: 'Ed Fox', ...none, existingEmail: 'ed@fox.com' },
		],
	])('%j counts, and everything else stays recognized', (saved, read) => {
		const fields = Object.entries(saved).map(([name, value]) => [`leadFields.${name}`, value]);
		const parameters = parametersOf(find, Object.fromEntries(fields), item);
		const recognized = {
			...{ fullName: 'Ida Rhodes', firstName: 'Eva', lastName: 'May' },
			...{ domain: 'acme.com', company: 'Acme', existingEmail: 'a@b.com' },
		};
		const got = Object.keys(recognized).map((name) => [name, parameters.get(name, 0, '')]);
		expect(Object.fromEntries(got)).toEqual({ ...recognized, ...read });
	});

	it.each<[item: IDataObject, read: Record<string, unknown>]>([
		// What a lookup has found is of the lead, and so is an email beside no other name.
		[
			{ First: 'Bo', Last: 'Lee', email: 'ada@x.com', lookupStatus: 'found' },
			{ existingEmail: 'ada@x.com' },
		],
		[
			{ First: 'Bo', Last: 'Lee', email: 'bo@x.com', lookupStatus: 'not_found' },
			{ existingEmail: '' },
		],
		[{ First: '', Last: '', email: 'ada@x.com' }, { existingEmail: 'ada@x.com' }],
		[{ First: 'Bo', Last: 'Lee', email: 'bo@x.com', emailStatus: 'valid' }, { existingEmail: '' }],
		[{ 'Chief Email': 'ada@x.com' }, { existingEmail: '' }],
		// The company stays recognized wherever it stands.
		[
			{ properties: { firstname: 'Bo', lastname: 'Lee', company: 'Acme', email: 'bo@x.com' } },
			{ company: 'Acme', existingEmail: '' },
		],
		[{ 'Your Name': 'Bo Lee', 'Your Company': 'Acme' }, { company: 'Acme' }],
	])('leaves the company in %j to the lead, and the email to whom it belongs', (more, read) => {
		const saved = { 'leadFields.fullName': column('Chief') };
		const other = { First: 'Ed', Last: 'Fox', Chief: 'Ida Key' };
		const inputs = [{ ...more, Chief: 'Ada Key' }, other];
		const parameter = (name: string, _: number, fallback: unknown) =>
			Object.hasOwn(saved, name) ? (saved as IDataObject)[name] : fallback;
		const json = (item: number) => inputs[item];
		const parameters = new LeadParameters(
			{ json, inputs: inputs.map(() => ({ json: {} })), parameter },
			find,
		);
		const got = Object.keys(read).map((name) => [name, parameters.get(name, 0, '')]);
		expect(Object.fromEntries(got)).toEqual(read);
	});

	it.each<[item: IDataObject, email: string]>([
		// Beside a company's bare name, the email is the contact's; beside a person's name, theirs.
		[{ Name: 'Acme Widgets', 'CEO Name': 'Ada Key', Email: 'ada@x.com' }, 'ada@x.com'],
		[{ Name: 'Bob Bell', 'CEO Name': 'Ada Key', Email: 'bob@x.com', 'CEO Email': ' ' }, ''],
		[{ 'First Name': 'Bob', 'CEO Name': 'Ada Key', Email: 'bob@x.com' }, ''],
	])('reads of %j the email of the CEO, who is named', (json, email) => {
		const saved = { 'leadFields.fullName': column('CEO Name') };
		expect(parametersOf(find, saved, json).get('existingEmail', 0, '')).toBe(email);
	});

	it('is evaluated once for each item', () => {
		let times = 0;
		const parameter = (
			name: string,
			_: number,
			fallback: unknown,
			options?: { rawExpressions?: boolean },
		) => {
			if (name !== 'leadFields.fullName') return fallback;
			if (!options?.rawExpressions) times++;
			return options?.rawExpressions ? '={{ $json.a + $json.b }}' : 'Ada Lee';
		};
		const parameters = new LeadParameters(
			{ json: () => item, inputs: [{ json: item }], parameter },
			find,
		);
		for (const name of ['fullName', 'firstName', 'existingEmail', 'fullName'])
			parameters.get(name, 0, '');
		expect(times).toBe(1);
	});
});

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
	const known = [`.${step}`, `["${step}"]`, `['${step}']`];
	const quoted = [`[${JSON.stringify(step)}]`, `[\`${step}\`]`];
	return [...known, ...quoted, `?.${step}`, `[${step}]`, ` . ${step}`, `.${step}()`][way];
}

/** Mostly as the short cut knows it, and near misses. */
const wayToWrite = fc.oneof(
	{ weight: 12, arbitrary: fc.nat(2) },
	{ weight: 1, arbitrary: fc.integer({ min: 3, max: 8 }) },
);

/** What an expression may be around its path `X`. */
const frames = ['={{ X }} ', '= {{ X }}', '=Mail {{ X }}', '={{ X }}{{ X }}', '={{ X; }}'];
const oddFrames = ['={{ (X) }}', '={{ X // }}', '={{ !X }}', '=X', '={{ X }'];
const frame = fc.oneof(
	{ weight: 12, arbitrary: fc.constantFrom('={{ X }}', '={{X}}', '={{\n\tX }}') },
	{ weight: 1, arbitrary: fc.constantFrom(...frames, ...oddFrames) },
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
	const { node, workflow } = soleNode(ourNodes.contactDataAccount);

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
	function evaluated(text: string, json: IDataObject): { value: unknown } | { thrown: unknown } {
		const engine = workflow.expression;
		const items = [{ json }];
		try {
			const value = engine.getParameterValue(text, null, 0, 0, node.name, items, 'manual', {});
			return { value };
		} catch (thrown) {
			return { thrown };
		}
	}

	/** What is found without the engine is what the engine finds; gives that, if it is so. */
	function expectSame(expression: string, item: IDataObject) {
		const steps = referenceIn(expression);
		const found = steps ? valueAt(item, steps) : 'engine';
		if (found === 'engine') return undefined;
		expect(evaluated(expression, item), expression).toEqual(found);
		return { ...found, depth: steps?.length ?? 0 };
	}

	it('finds whatever is found without it', () => {
		const seen = { dotted: 0, quoted: 0, nested: 0, absent: 0, text: 0, number: 0, engine: 0 };
		fc.assert(
			fc.property(sample, ({ item, path, frame: around }) => {
				const expression = around.replaceAll('X', () => `$json${path}`);
				const found = expectSame(expression, item);
				if (!found) seen.engine++;
				else if (path.startsWith('.')) seen.dotted++;
				else if (path.startsWith('[')) seen.quoted++;
				if ((found?.depth ?? 0) > 1) seen.nested++;
				if (found && found.value === undefined) seen.absent++;
				if (typeof found?.value === 'string') seen.text++;
				if (typeof found?.value === 'number') seen.number++;
			}),
			{ numRuns: 2_000 },
		);
		for (const times of Object.values(seen)) expect(times).toBeGreaterThan(50);
	});

	it('finds the same for each odd key alone, there or not, in each way to write it', () => {
		for (const odd of oddKeys) {
			const holder = { [odd]: 'found' };
			for (const way of [0, 1, 2]) {
				const path = written(odd, way);
				for (const item of [holder, {}]) expectSame(`={{ $json${path} }}`, item);
				for (const company of [holder, {}]) expectSame(`={{ $json.company${path} }}`, { company });
			}
		}
	});
});
