/** @file JSON that is nearly, but not quite, what the document of the service promises. */

import fc from 'fast-check';

import openapi from '../service/openapi.json' with { type: 'json' };
import { isRecord } from '../service/values.mts';

/** Short names, in a counterexample, for what is long or no value of a program, and what is sent instead. */
const TOKENS: Record<string, string> = {
	'@infinity@': '1e400',
	'@long@': JSON.stringify('x'.repeat(20_000)),
	'@list 10,000 deep@': `${'['.repeat(10_000)}1${']'.repeat(10_000)}`,
	'@object 10,000 deep@': `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`,
};

/** The JSON text of a value, with what its tokens stand for. */
export function jsonOf(value: unknown): string {
	return Object.entries(TOKENS).reduce(
		(text, [token, sent]) => text.replaceAll(JSON.stringify(token), sent),
		JSON.stringify(value),
	);
}

/** What no document promises. */
const anything: fc.Arbitrary<unknown> = fc.oneof(
	fc.constantFrom<unknown>(
		null,
		true,
		false,
		0,
		-0.5,
		-1,
		1e21,
		Number.MAX_VALUE,
		-Number.MAX_VALUE,
		Number.MIN_VALUE,
		'',
		' ',
		'\0',
		'\uD83D',
		'a\r\nb',
		'1,000',
		'NaN',
		'Infinity',
		'__proto__',
		'constructor',
		[],
		{},
		[null],
		[[]],
		['a', 1, {}],
		{ length: 3 },
		{ toString: 1, valueOf: null, toJSON: 'x' },
	),
	fc.constantFrom(...Object.keys(TOKENS)),
	fc.string({ unit: 'binary', maxLength: 8 }),
);

/** Fields that no document promises, some of which every object inherits. */
const strangeFields = fc.dictionary(
	fc.constantFrom(
		...['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'then', 'toJSON'],
		...['status', 'error', 'message', 'json', 'pairedItem', 'credits', 'length', '0', ''],
	),
	fc.oneof(anything, fc.constant({ polluted: true, isAdmin: 1 })),
	{ maxKeys: 3, noNullPrototype: true },
);

/** Values that fit to what was asked, by the name of their field. */
export type Fitting = Record<string, fc.Arbitrary<unknown>>;

type Schema = Record<string, unknown>;

function resolved(schema: Schema): Schema {
	const { $ref } = schema;
	if (typeof $ref !== 'string') return schema;
	const name = $ref.slice($ref.lastIndexOf('/') + 1);
	const found: unknown = new Map<string, unknown>(Object.entries(openapi.components.schemas)).get(
		name,
	);
	if (!isRecord(found)) throw new Error(`The document has no ${$ref}`);
	return found;
}

const isSchema = (value: unknown): value is Schema => isRecord(value);

function schemasIn(value: unknown): Schema[] {
	return Array.isArray(value) ? value.filter(isSchema) : [];
}

/** Values of a schema, each part of which may be something else; most are as promised. */
function nearly(of: Schema, fitting: Fitting, name = ''): fc.Arbitrary<unknown> {
	const promised = fitting[name] ?? promisedBy(resolved(of), fitting);
	return fc.oneof({ weight: 12, arbitrary: promised }, { weight: 1, arbitrary: anything });
}

function promisedBy(schema: Schema, fitting: Fitting): fc.Arbitrary<unknown> {
	if (Array.isArray(schema.enum)) return fc.constantFrom<unknown>(...schema.enum);
	if ('const' in schema) return fc.constant(schema.const);
	const choices = [...schemasIn(schema.oneOf), ...schemasIn(schema.anyOf)];
	if (schema.type === undefined && choices.length > 0) {
		return fc.oneof(...choices.map((one) => promisedBy(resolved(one), fitting)));
	}
	const types = [schema.type].flat().map((type) => promisedByType(type, schema, fitting));
	return fc.oneof(...types);
}

function promisedByType(type: unknown, schema: Schema, fitting: Fitting): fc.Arbitrary<unknown> {
	switch (type) {
		case 'object':
			return objects(schema, fitting);
		case 'array':
			return lists(isSchema(schema.items) ? schema.items : {}, fitting);
		case 'string':
			return fc.constantFrom('Ann', 'acme.example', 'www.acme.example/x', '2026-11-21', '12');
		case 'integer':
		case 'number':
			return fc.constantFrom(0, 1, 2, 7, 101, 1_790_000_000_000);
		case 'boolean':
			return fc.boolean();
		default:
			return fc.constant(null);
	}
}

function objects({ properties }: Schema, fitting: Fitting): fc.Arbitrary<unknown> {
	const promised = Object.entries(isRecord(properties) ? properties : {});
	const fields = Object.fromEntries(
		promised.map(([name, one]) => [name, nearly(isSchema(one) ? one : {}, fitting, name)]),
	);
	const missing = fc.uniqueArray(fc.constantFrom('', ...Object.keys(fields)), { maxLength: 2 });
	const strange = fc.oneof({ weight: 4, arbitrary: fc.constant({}) }, strangeFields);
	return fc.tuple(fc.record(fields), missing, strange).map(([object, left, more]) => {
		const kept = Object.entries(object).filter(([name]) => !left.includes(name));
		// Entries, as a name may be one that every object inherits.
		return Object.fromEntries([...kept, ...Object.entries(more)]);
	});
}

/** Lists of any length, some of whose entries are there twice. */
function lists(items: Schema, fitting: Fitting): fc.Arbitrary<unknown> {
	const entries = fc.array(nearly(items, fitting), { maxLength: 5 });
	return fc
		.tuple(entries, fc.subarray([0, 1, 2], { maxLength: 1 }))
		.map(([list, twice]) => [...list, ...twice.flatMap((at) => list.slice(at, at + 1))]);
}

/** Answers that are nearly what the schema of the document says. */
export function fuzzed(schema: string, fitting: Fitting): fc.Arbitrary<unknown> {
	return nearly({ $ref: `#/components/schemas/${schema}` }, fitting);
}

/** The same, in a list. */
export function fuzzedList(schema: string, fitting: Fitting): fc.Arbitrary<unknown> {
	const items = { $ref: `#/components/schemas/${schema}` };
	return nearly({ type: 'array', items }, fitting);
}
