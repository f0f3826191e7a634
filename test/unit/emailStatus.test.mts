/** @file The status of a verification in one vocabulary, whichever was sent. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { toEmailStatus } from '../../nodes/shared/values/emailStatus.ts';

describe('toEmailStatus', () => {
	const vocabularies = [
		['valid', 'valid'],
		['catch-all', 'catch-all'],
		['invalid', 'invalid'],
		['unknown', 'unknown'],
		['ok', 'valid'],
		['nok', 'invalid'],
		['oka', 'catch-all'],
	];

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
