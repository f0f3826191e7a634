/** @file JSON that is nearly, but not quite, what the document of the service promises. */

import fc from 'fast-check';

import openapi from '../../emulator/openapi.json' with { type: 'json' };
import { isRecord } from '../../emulator/values.mts';

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
	fc.jsonValue({ maxDepth: 2 }),
	fc.constantFrom('', ' ', '\0', '\uD83D', 'a\r\nb', '1,000', 'NaN', ...Object.keys(TOKENS)),
	fc.constantFrom({ length: 3 }, { toString: 1, valueOf: null, toJSON: 'x' }),
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

/** The object behind some names, one in the other; an empty one where there is none. */
function schemaAt(value: unknown, ...names: string[]): Schema {
	const found = names.reduce((one, name) => (isRecord(one) ? one[name] : undefined), value);
	return isRecord(found) ? found : {};
}

function resolved(schema: Schema): Schema {
	const { $ref } = schema;
	if (typeof $ref !== 'string') return schema;
	return schemaAt(openapi, ...$ref.split('/').slice(1));
}

/** Values of a schema, each part of which may be something else; most are as promised. */
function nearly(of: unknown, fitting: Fitting, name = ''): fc.Arbitrary<unknown> {
	const promised = fitting[name] ?? promisedBy(resolved(schemaAt(of)), fitting);
	return fc.oneof({ weight: 12, arbitrary: promised }, { weight: 1, arbitrary: anything });
}

function promisedBy(schema: Schema, fitting: Fitting): fc.Arbitrary<unknown> {
	if (Array.isArray(schema.enum)) return fc.constantFrom<unknown>(...schema.enum);
	if ('const' in schema) return fc.constant(schema.const);
	const choices = [schema.oneOf ?? [], schema.anyOf ?? []].flat();
	if (schema.type === undefined && choices.length > 0) {
		return fc.oneof(...choices.map((one) => promisedBy(resolved(schemaAt(one)), fitting)));
	}
	return fc.oneof(...[schema.type].flat().map((type) => promisedByType(type, schema, fitting)));
}

const numbers = fc.constantFrom(0, 1, 2, 7, 101, 1_790_000_000_000);

const plain: Record<string, fc.Arbitrary<unknown>> = {
	string: fc.constantFrom('Ann', 'acme.example', 'www.acme.example/x', '2026-11-21', '12'),
	...{ integer: numbers, number: numbers, boolean: fc.boolean() },
};

function promisedByType(type: unknown, schema: Schema, fitting: Fitting): fc.Arbitrary<unknown> {
	if (type === 'object') return objects(schema, fitting);
	if (type === 'array') return lists(schema, fitting);
	return plain[String(type)] ?? fc.constant(null);
}

function objects(schema: Schema, fitting: Fitting): fc.Arbitrary<unknown> {
	const promised = Object.entries(schemaAt(schema, 'properties'));
	const fields = promised.map(([name, one]) => [name, nearly(one, fitting, name)] as const);
	const names = promised.map(([name]) => name);
	const missing = fc.uniqueArray(fc.constantFrom('', ...names), { maxLength: 2 });
	const strange = fc.oneof({ weight: 4, arbitrary: fc.constant({}) }, strangeFields);
	const object = fc.record(Object.fromEntries(fields));
	return fc.tuple(object, missing, strange).map(([one, left, more]) => {
		const kept = Object.entries(one).filter(([name]) => !left.includes(name));
		// Entries, as a name may be one that every object inherits.
		return Object.fromEntries([...kept, ...Object.entries(more)]);
	});
}

/** Lists of any length, some of whose entries are there twice. */
function lists({ items }: Schema, fitting: Fitting): fc.Arbitrary<unknown> {
	const entries = fc.array(nearly(items, fitting), { maxLength: 5 });
	return fc
		.tuple(entries, fc.subarray([0, 1, 2], { maxLength: 1 }))
		.map(([list, twice]) => [...list, ...twice.flatMap((at) => list.slice(at, at + 1))]);
}

/** Answers that are nearly what the document promises for an operation of the service. */
export function fuzzedAnswer(operation: string, fitting: Fitting): fc.Arbitrary<unknown> {
	const operations = Object.values(openapi.paths).flatMap((methods) => Object.values(methods));
	const { responses = {} } = operations.find(({ operationId }) => operationId === operation) ?? {};
	const successes = Object.entries(responses).filter(([code]) => code.startsWith('2'));
	const schemas = successes.map(([, one]) =>
		schemaAt(one, 'content', 'application/json', 'schema'),
	);
	return fc.oneof(...schemas.map((schema) => nearly(schema, fitting)));
}

/** Errors that are nearly as the document promises. */
export function fuzzedError(fitting: Fitting): fc.Arbitrary<unknown> {
	const { InsufficientCredits, Error } = openapi.components.schemas;
	return fc.oneof(nearly(InsufficientCredits, fitting), nearly(Error, fitting));
}
