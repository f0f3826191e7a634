/** @file Whatever form a domain is pasted in, it comes out bare, and quickly. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { toDomain } from '../../nodes/shared/values/text.ts';
import { processorTime } from '../support/processorTime.mts';

/** Domains of two or three parts. */
const domain = fc
	.stringMatching(/^[a-z][a-z0-9-]{0,8}[a-z0-9](\.[a-z]{2,5}){1,2}$/)
	.filter((name) => !name.startsWith('www.'));

describe('toDomain', () => {
	it.each([
		['acme.com'],
		['Acme.COM'],
		['  acme.com\n'],
		['acme.com/'],
		['acme.com/about'],
		['acme.com?ref=mail'],
		['acme.com#team'],
		['www.acme.com'],
		['WWW.Acme.com'],
		['//acme.com'],
		['//www.acme.com/about'],
		['http://acme.com'],
		['https://www.acme.com/about'],
		['HTTPS://WWW.ACME.COM/ABOUT'],
		['https://acme.com:8443/about'],
		['https://www.acme.com/a/b/c.html?x=1&y=https://other.org/#top'],
		['https://www.acme.com/@ada'],
		['https://ada:secret@www.acme.com/'],
		['ftp://acme.com/files'],
		['ada@acme.com'],
		['mailto:ada@acme.com'],
		['acme.com.'],
		['https://www.acme.com./about'],
		['  https://acme.com'],
		['https:// www.acme.com'],
		['s3://acme.com'],
	])('%j is acme.com', (pasted) => {
		expect(toDomain(pasted)).toBe('acme.com');
	});

	it.each([['acme.com:8443'], ['acme.com:8443/about'], ['www.acme.com:443'], ['acme.com:']])(
		'%j, a host with its port but without a scheme, is acme.com',
		(pasted) => {
			expect(toDomain(pasted)).toBe('acme.com');
		},
	);

	it.each([
		['https://mail.acme.co.uk/inbox', 'mail.acme.co.uk'],
		['https://www2.acme.com', 'www2.acme.com'],
		['https://wwwacme.com', 'wwwacme.com'],
		['https://www.bücher.de/', 'bücher.de'],
		['xn--bcher-kva.de', 'xn--bcher-kva.de'],
		['acme', 'acme'],
		['www.com', 'www.com'],
		['www.www.com', 'www.com'],
		['www.com.', 'www.com'],
		['', ''],
		['   ', ''],
		['https://', ''],
		['/', ''],
		[':8443', ''],
	])('%j is %j', (pasted, domain) => {
		expect(toDomain(pasted)).toBe(domain);
	});

	it('finds the domain in every way to write a URL of it', () => {
		const upper = fc.boolean();
		const scheme = fc.constantFrom('', 'http://', 'https://', '//');
		const path = fc.constantFrom('', '/', '/about', '/a/b?c=d:e@f#g', '?x=/', '#y');
		fc.assert(
			fc.property(scheme, fc.constantFrom('', 'www.'), domain, path, upper, (a, b, name, c, up) => {
				const written = `${a}${b}${name}${c}`;
				expect(toDomain(up ? written.toUpperCase() : written)).toBe(name);
			}),
		);
	});

	it('leaves every domain that it made as it is, for web addresses', () => {
		const options = { withQueryParameters: true, withFragments: true, size: 'xsmall' } as const;
		fc.assert(
			fc.property(fc.webUrl(options), (url) => {
				const once = toDomain(url);
				expect(once).not.toBe('');
				expect(toDomain(once)).toBe(once);
			}),
			{ numRuns: 30 },
		);
	});

	it('leaves every domain that it made as it is, for any text', () => {
		const part = fc.constantFrom('www.', 'a', '.', ':', '/', '@', '?', ' ', '8', 'http://');
		const pasted = fc.array(part, { maxLength: 8 }).map((parts) => parts.join(''));
		fc.assert(
			fc.property(fc.oneof(pasted, fc.string()), (text) => {
				const once = toDomain(text);
				expect(toDomain(once)).toBe(once);
			}),
			{ numRuns: 1000 },
		);
	});

	describe('takes time in proportion to the length of', () => {
		/** The shortest of a few times, in milliseconds. */
		function timeFor(text: string): number {
			const times = Array.from({ length: 3 }, () => {
				const used = processorTime();
				toDomain(text);
				return used();
			});
			return Math.min(...times);
		}

		it.each([
			['dots', '.', 200_000],
			['dots and an end', '.', 200_000, 'x'],
			['www', 'www.', 50_000],
			['www and an end', 'www.', 50_000, ' '],
			['schemes', 'http://', 50_000],
			['schemes and an end', 'http://', 50_000, '@'],
			['slashes', '/', 200_000],
			['slashes and an end', '/', 200_000, ':'],
			['colons', ':', 200_000],
			['at signs', '@', 200_000],
			['blanks', ' ', 200_000],
			['blanks inside', ' ', 200_000, 'x'],
			['dots and blanks', '. ', 100_000, 'x'],
			['letters', 'a', 200_000],
			['letters and a scheme', 'a', 200_000, '://'],
			['halves of schemes', 'a:/', 50_000],
			['schemes that are none', '1://', 50_000],
			['questions', '?', 200_000],
		])('many %s', (_, part, times, end = '') => {
			const text = (number: number) => part.repeat(number) + end;
			const [once, twice] = [timeFor(text(times)), timeFor(text(2 * times))];
			expect(twice).toBeLessThan(1_000);
			// Four times as long would be quadratic; below a few milliseconds it is chance.
			expect(twice).toBeLessThan(Math.max(20, 4 * once));
		});
	});
});
