/** @file The key never gets out, and what does not hold it is left alone. */

import fc from 'fast-check';
import { expect, it } from 'vitest';

import { withoutKey } from '../../nodes/shared/http/mask.ts';

const KEY = 'KEY-1f9a77c0';

const odd = ['a.b', 'a+b', '$&', '(x', '[', '\\d', 'k"y', '\\', '👩', '\n', '/'];

it.each(odd)('masks the key %j literally', (part) => {
	const key = `the-key-${part}`;
	expect(withoutKey(`<${key}>`, key)).toBe('<***>');
	expect(withoutKey('<a-b>', key)).toBe('<a-b>');
});

it.each([
	['in a URL', 'k=a%2Bb%2Fc%20d&x=1', 'a+b/c d', 'k=***&x=1'],
	['in a URL, escaped in small letters', 'k=key%2bb%2fc&x=1', 'key+b/c', 'k=***&x=1'],
	['in a URL, where it ends in a percent sign', 'k=key-50%25&x=1', 'key-50%', 'k=***&x=1'],
	['in a JSON text', '{"key":"long\\"er"}', 'long"er', '{"key":"***"}'],
	['in a JSON text with escaped slashes', '{"key":"long\\/er"}', 'long/er', '{"key":"***"}'],
	['in Base64, where that is as short as can be', '<YWJjZGVm>', 'abcdef', '<***>'],
])('masks it as it is written %s', (_, text, key, masked) => {
	expect(withoutKey(text, key)).toBe(masked);
	expect(withoutKey({ deep: [text] }, key)).toEqual({ deep: [masked] });
});

it('leaves alone a text that is too short for a key', () => {
	for (const key of ['', 'C', 'Check']) expect(withoutKey('Check API', key)).toBe('Check API');
	expect(withoutKey('Check API', 'Check ')).toBe('***API');
});

it('masks it in the Base64 of user:key, whoever the user is', () => {
	const key = fc.string({ minLength: 9, maxLength: 40, unit: 'binary' });
	fc.assert(
		fc.property(
			fc.string({ maxLength: 5 }),
			key.filter((one) => one.isWellFormed()),
			(user, key) => {
				const text = Buffer.from(`${user}:${key}`).toString('base64');
				const masked = withoutKey(`<${text}>`, key);
				expect(masked).toContain('***');
				// A character at either end, and the padding, may be left of it.
				expect(masked.length).toBeLessThan(Buffer.from(user).toString('base64').length + 11);
			},
		),
	);
});

it('masks the key wherever it is and changes nothing else', () => {
	const text = fc
		.array(fc.oneof(fc.constant(KEY), fc.string({ maxLength: 3 })), { maxLength: 3 })
		.map((parts) => parts.join(''));
	const values = [text, fc.constantFrom(null, true, 7, 0.5)];
	const json = fc.anything({ key: text, values, maxKeys: 4 });
	let masked = 0;
	fc.assert(
		fc.property(json, (value) => {
			const sent = JSON.stringify(value);
			const result = withoutKey(value, KEY);
			expect(JSON.stringify(result)).not.toContain(KEY);
			expect(result).toEqual(JSON.parse(sent.replaceAll(KEY, '***')));
			expect(JSON.stringify(value)).toBe(sent);
			expect(result === value).toBe(!sent.includes(KEY));
			if (result !== value) masked++;
		}),
		{ numRuns: 500 },
	);
	expect(masked).toBeGreaterThan(50);
});
