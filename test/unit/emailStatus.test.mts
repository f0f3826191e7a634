/** @file The status of a verification in one vocabulary, whichever was sent. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { knownStatus, toEmailStatus } from '../../nodes/shared/values/email.ts';

const vocabularies = [
	['valid', 'valid'],
	['catch-all', 'catch-all'],
	['invalid', 'invalid'],
	['unknown', 'unknown'],
	['ok', 'valid'],
	['nok', 'invalid'],
	['oka', 'catch-all'],
];

describe('knownStatus', () => {
	it.each(vocabularies)('%s is %s, in any letter case, with blanks around it', (value, status) => {
		for (const spelling of [value, value.toUpperCase(), ` ${value}\n`]) {
			expect(knownStatus(spelling)).toBe(status);
		}
	});

	it.each([['catch_all'], ['Catch All'], ['catchall']])(
		'takes %j, as other tools write it',
		(value) => {
			expect(knownStatus(value)).toBe('catch-all');
		},
	);

	it.each([
		[''],
		['  '],
		['Risky'],
		['accept all'],
		['okay'],
		['constructor'],
		['__proto__'],
		[null],
		[undefined],
		[true],
		[0],
		[1],
		[{}],
		[{ toString: () => 'valid' }],
		[['valid']],
		[[]],
	])('%j is none', (value) => {
		expect(knownStatus(value)).toBeUndefined();
	});

	it('gives a word of the current vocabulary or nothing, whatever it is given', () => {
		const words = new Set([...vocabularies.map(([, status]) => status), undefined]);
		fc.assert(
			fc.property(fc.anything({ withNullPrototype: true }), (value) => {
				expect(words).toContain(knownStatus(value));
			}),
		);
	});
});

describe('toEmailStatus', () => {
	it.each(vocabularies)('%s is %s, in any letter case', (sent, status) => {
		const capitalized = `${sent.charAt(0).toUpperCase()}${sent.slice(1)}`;
		for (const spelling of [sent, sent.toUpperCase(), capitalized]) {
			expect(toEmailStatus(spelling)).toBe(status);
		}
	});

	it('keeps an absent status absent', () => {
		expect(toEmailStatus(null)).toBeNull();
	});

	it.each([['Risky'], ['accept all'], ['okay'], ['constructor'], ['__proto__'], ['']])(
		'passes %j on as sent',
		(sent) => {
			expect(toEmailStatus(sent)).toBe(sent);
		},
	);

	it('passes everything outside the vocabularies on as sent', () => {
		const words = new Set(vocabularies.map(([word]) => word));
		const other = fc.string().filter((text) => !words.has(text.toLowerCase()));
		fc.assert(
			fc.property(other, (sent) => {
				expect(toEmailStatus(sent)).toBe(sent);
			}),
		);
	});
});
