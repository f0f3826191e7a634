/** @file Texts and numbers of the service, of users and of expressions, as they can be sent. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import {
	cleanText,
	isPlaceholder,
	numberOf,
	toText,
	withScheme,
} from '../../nodes/shared/values/text.ts';

/** Stands for half of a character, which cannot be sent. */
const NO_CHARACTER = '\uFFFD';

describe('toText', () => {
	it.each([
		['  Ada Lovelace\r\n', 'Ada Lovelace'],
		[0, '0'],
		[12n, '12'],
		[undefined, ''],
		[true, ''],
		[{ name: 'Ada' }, ''],
		[['Ada'], ''],
		['👩\ud83d👩', `👩${NO_CHARACTER}👩`],
	])('%o is %o', (value, text) => {
		expect(toText(value)).toBe(text);
	});

	it('gives what a URL can carry, whatever it was, and changes nothing else', () => {
		const units = fc.array(fc.oneof(fc.nat(0xffff), fc.integer({ min: 0xd7f0, max: 0xe010 })));
		const text = units.map((codes) => String.fromCharCode(...codes));
		let mended = 0;
		fc.assert(
			fc.property(text, (value) => {
				const result = toText(value);
				expect(decodeURIComponent(encodeURIComponent(result))).toBe(result);
				if (value.isWellFormed()) expect(result).toBe(value.trim());
				else mended++;
				expect(toText(result)).toBe(result);
			}),
			{ numRuns: 500 },
		);
		expect(mended).toBeGreaterThan(100);
	});
});

describe('cleanText', () => {
	it.each([
		['  Ada \t\r\n Lovelace ', 'Ada Lovelace'],
		['Ada\u00a0\u2009\u3000Lovelace', 'Ada Lovelace'],
		['\ufeffA\u200bd\u200ca\u200d\u2060', 'Ada'],
		['\u200eAda\u202e \u2066Lovelace\u2069', 'Ada Lovelace'],
		['Love\u00adlace', 'Lovelace'],
		['Ada\u0000\u0007', 'Ada'],
		['Zoe\u200b\u0308', 'Zoë'],
		['O’Brien-Łukasz, Jr. 👩', 'O’Brien-Łukasz, Jr. 👩'],
		[['Ada'], ''],
	])('%j is %j', (value, text) => {
		expect(cleanText(value)).toBe(text);
	});

	it('is clean already when it is cleaned, whatever it was', () => {
		const unit = fc.oneof(
			fc.constantFrom(' ', '\u200b', '\u00ad', '\u0308', '\n', '\ud83d', '\ufeff', '\0'),
			fc.string({ unit: 'binary', maxLength: 2 }),
		);
		fc.assert(
			fc.property(fc.array(unit), (units) => {
				const once = cleanText(units.join(''));
				expect(cleanText(once)).toBe(once);
				expect(once).not.toMatch(/\s\s|^\s|\s$|[^\S ]|\p{Cc}|\p{Default_Ignorable_Code_Point}/u);
				expect(once).toBe(once.normalize('NFC'));
				expect(once.isWellFormed()).toBe(true);
			}),
			{ numRuns: 1_000 },
		);
	});
});

describe('isPlaceholder', () => {
	const nothing =
		'n/a N/A #N/A n.a. None. (none) NULL <null> nil undefined Unknown - -- – . … ? https';

	it.each([...nothing.split(' '), 'not available', '- / -'])('is %j', (text) => {
		expect(isPlaceholder(text)).toBe(true);
	});

	const somebody = 'na Na Nullsoft 3 X 李 acme.com Available';

	it.each([...somebody.split(' '), '', 'Jane None', 'Unknown Worlds'])('is not %j', (text) => {
		expect(isPlaceholder(text)).toBe(false);
	});
});

describe('numberOf', () => {
	it.each([
		[-1.5, -1.5],
		[' 90\n', 90],
		['1e3', 1000],
		[90n, 90],
		[Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY],
		['', undefined],
		['90 days', undefined],
		['1,000', undefined],
		[Number.POSITIVE_INFINITY, undefined],
		['Infinity', undefined],
		[null, undefined],
		[true, undefined],
		[[90], undefined],
		[{ valueOf: () => 5 }, undefined],
		[new Date(90), undefined],
	])('%o is %d', (value, number) => {
		expect(numberOf(value)).toBe(number);
	});
});

it.each([
	['www.example.com/in/ada', 'https://www.example.com/in/ada'],
	['//cdn.example.com/logo.png', 'https://cdn.example.com/logo.png'],
	['http://example.com', 'http://example.com'],
	['example.com/?u=https://other.org', 'https://example.com/?u=https://other.org'],
	['example.com:8443/in/ada', 'https://example.com:8443/in/ada'],
	[null, null],
])('the URL %j with a scheme is %j', (url, complete) => {
	expect(withScheme(url)).toBe(complete);
});
