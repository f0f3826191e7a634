/** @file Whom to find: which of the names count, and what is said to be missing. */

import fc from 'fast-check';
import { expect, it } from 'vitest';

import { find } from '../../nodes/Finder/operations/find.operation.ts';
import { personLookup, toPersonQuestion } from '../../nodes/Finder/person.ts';
import { foundIn } from '../../nodes/shared/api/finder.ts';
import { FieldValues } from '../../nodes/shared/input/fieldValues.ts';
import { added, parametersOf } from './parametersOf.mts';
import { thrownBy } from './thrown.mts';

/** The question of an item whose fields hold these. */
function questionOf(held: Record<string, unknown>) {
	const named = Object.entries(held).map(([name, value]) => {
		return [name === 'country' ? 'options.country' : name, value];
	});
	const saved = added(find, Object.fromEntries(named));
	return toPersonQuestion(new FieldValues(parametersOf(find, saved), 0));
}

const ada = { fullName: 'Ada Lovelace' };
const both = { firstName: 'Ada', lastName: 'Lovelace' };
const acme = { domain: 'acme.com' };
const adaAtAcme = { ...ada, ...acme };
const bothAtAcme = { ...both, ...acme };
const withCompany = { ...acme, company: 'A', country: 'UK' };
const byName = { ...ada, company: 'Acme Inc' };
const none = (text: string) => ({ firstName: text, domain: text, country: text });

it.each<[fields: Record<string, unknown>, query: Record<string, unknown>]>([
	[{ ...acme, firstName: 'A' }, adaAtAcme],
	[{ ...bothAtAcme, fullName: 'A' }, bothAtAcme],
	[withCompany, { ...ada, ...withCompany }],
	// What can be no domain is the name of the company, where that is empty.
	[{ domain: 'Acme Inc' }, byName],
	[{ domain: 'Acme', company: 'Acme Inc' }, byName],
	// Texts that look alike are one.
	[{ ...acme, fullName: ' A\u200bda\u00a0\n Lovelace\u00ad' }, adaAtAcme],
	[{ domain: ' https://www.Acme.com/about\u200e ' }, adaAtAcme],
	// An object is nothing in a field that it can do without.
	[{ ...bothAtAcme, fullName: {}, company: ['Acme'] }, bothAtAcme],
	[{ ...none('n/a'), company: 'Acme Inc' }, byName],
	[{ ...none(' \u200b '), company: 'Acme Inc' }, byName],
])('takes %j beside a full name for %j', (fields, query) => {
	expect(questionOf({ ...ada, ...fields })).toStrictEqual({ query, missing: undefined });
});

it.each([
	[{ firstName: 'Ada', ...acme }, acme, ['missing_name']],
	[{ ...ada, domain: 'N/A' }, ada, ['missing_company']],
	// As `https://{{ $json.domain }}` gives for an item without a domain.
	[{ ...ada, domain: 'https://' }, ada, ['missing_company']],
	[{}, {}, ['missing_name', 'missing_company']],
])('of %j takes %j, and says that %j is missing', (fields, query, codes) => {
	const { missing, ...question } = questionOf(fields);
	expect(question).toStrictEqual({ query });
	expect(missing).toEqual(codes);
});

it.each([
	['fullName', 'Full Name'],
	['firstName', 'First Name'],
	['domain', 'Company Domain'],
	['company', 'Company Name'],
	['country', 'Country'],
])('refuses a list or an object in %s, where it would be used', (name, label) => {
	for (const [value, kind] of [
		[['Ada'], 'a list'],
		[{ name: 'Ada' }, 'an object'],
	]) {
		const fields = { ...ada, domain: '', company: 'Acme', [name]: value };
		const message = `Not sent: ${label} must be text, and this item has ${kind} there`;
		expect(thrownBy(() => questionOf(fields))).toMatchObject({
			problem: { reason: 'invalid_value', message },
		});
	}
});

it('asks for a person exactly when the service can look one up', () => {
	const text = fc.constantFrom('', ' ', 'Ada');
	const fields = fc.record({
		fullName: text,
		firstName: text,
		lastName: text,
		domain: fc.constantFrom('', 'n/a', 'acme.com'),
		company: text,
		country: text,
	});
	fc.assert(
		fc.property(fields, (given) => {
			const { query, missing } = questionOf(Object.freeze(given));
			const both = given.firstName === 'Ada' && given.lastName === 'Ada';
			const named = both || given.fullName === 'Ada';
			const employed = given.domain === 'acme.com' || given.company === 'Ada';
			expect(missing === undefined).toBe(named && employed);
			// One way to name the person, never both; and no empty parameters.
			expect('fullName' in query).toBe(!both && given.fullName === 'Ada');
			expect('firstName' in query && 'lastName' in query).toBe(both);
			expect(Object.values(query)).not.toContain('');
		}),
		{ numRuns: 300 },
	);
});

it.each([
	['mailto:Ada@Acme.com', { fields: { email: 'Ada@Acme.com' } }],
	['not found', undefined],
	['a@acme.com;b@acme.com', { fields: { email: 'a@acme.com' } }],
	['ada@acme', undefined],
])('of %j an item already has %j', (text, known) => {
	expect(personLookup.existing.read(text)).toEqual(known);
});

const found = { email: 'ada@acme.com' };
const quality = { status: 'unknown' };

it.each<[answer: object, results: object[]]>([
	[found, [found]],
	[{ results: [] }, []],
	[[], []],
	...['', ' ', null, undefined, false, 'N/A', 'not found', 'ada at acme'].map(
		(email): [object, object[]] => [{ email }, []],
	),
	[{ pattern: '{first}' }, []],
	[{ quality }, []],
])('a single result: of %j is found %j', (answer, results) => {
	expect(foundIn(answer)).toEqual(results);
});

it.each<object>([
	{ data: found },
	{ results: [found] },
	// An email that nobody can read is no miss.
	{ email: ['ada@acme.com'], quality },
])('a single result: %j says nothing of an email', (answer) => {
	const told = { problem: { reason: 'unexpected_answer', mayBeCharged: true } };
	expect(thrownBy(() => foundIn(answer))).toMatchObject(told);
});

it.each<[object, object]>([
	[
		{ fullName: "Pat O'Brien", domain: 'acme.com' },
		{ fullName: 'Pat O’Brien', domain: 'acme.com' },
	],
	[{ fullName: 'Ada Lovelace' }, { fullName: 'Ada Lovelace Jr.' }],
	[
		{ domain: '', company: 'Acme & Sons' },
		{ domain: '', company: 'Acme &amp; Sons' },
	],
	[{ domain: 'bücher.de' }, { domain: 'xn--bcher-kva.de' }],
	[{ firstName: 'Ada', lastName: 'Smith–Lee' }, { fullName: 'Ada Smith-Lee' }],
])('%j and %j are one question', (one, other) => {
	const [a, b] = [one, other].map((fields) => {
		const { fullName: _, ...halves } = { ...ada, ...fields };
		const held = 'firstName' in fields ? halves : { ...ada, ...fields };
		return personLookup.identity(questionOf({ ...acme, ...held }).query);
	});
	expect(a).toBe(b);
});
