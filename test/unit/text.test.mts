/** @file The texts of users and expressions, as they can be sent. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { count, toText } from '../../nodes/shared/values/text.ts';
import { processorTime } from '../support/processorTime.mts';

/** Stands for half of a character, which cannot be sent. */
const NO_CHARACTER = '\uFFFD';

describe('toText', () => {
	it.each([
		['Ada', 'Ada'],
		['  Ada Lovelace\r\n', 'Ada Lovelace'],
		[101, '101'],
		[0, '0'],
		[12n, '12'],
		['', ''],
		['   ', ''],
		[undefined, ''],
		[null, ''],
		[true, ''],
		[{ name: 'Ada' }, ''],
		[['Ada'], ''],
	])('%o is %o', (value, text) => {
		expect(toText(value)).toBe(text);
	});

	it.each([
		['Ada \ud83d', `Ada ${NO_CHARACTER}`],
		['\udc69 Ada', `${NO_CHARACTER} Ada`],
		['a\ud83db\udc69c', `a${NO_CHARACTER}b${NO_CHARACTER}c`],
		['\udc69\ud83d', `${NO_CHARACTER}${NO_CHARACTER}`],
		['Ada 👩', 'Ada 👩'],
		['👩\ud83d👩', `👩${NO_CHARACTER}👩`],
	])('%j, with half of a character, is %j', (value, text) => {
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

	it('does not take long for a text of a million blanks or halves of characters', () => {
		const used = processorTime();
		for (const part of [' ', '\ud83d', '\udc69 ', '\n\t']) {
			toText(`x${part.repeat(1_000_000)}x`);
			toText(part.repeat(1_000_000));
		}
		expect(used()).toBeLessThan(2_000);
	});
});

describe('count', () => {
	it.each([
		[0, '0 credits'],
		[1, '1 credit'],
		[2, '2 credits'],
	])('puts %i as %j', (number, text) => {
		expect(count(number, 'credit')).toBe(text);
	});
});
