/** @file Whatever form a domain is pasted in, it comes out bare; and addresses get a scheme. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { toDomain } from '../../nodes/shared/values/domain.ts';
import { withScheme } from '../../nodes/shared/values/url.ts';

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
		['', ''],
		['   ', ''],
		['https://', ''],
		['/', ''],
	])('%j is %j', (pasted, domain) => {
		expect(toDomain(pasted)).toBe(domain);
	});

	it('finds the domain in every way to write an address of it', () => {
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
});

describe('withScheme', () => {
	it.each([
		['www.example.com/in/ada', 'https://www.example.com/in/ada'],
		['example.com', 'https://example.com'],
		['//cdn.example.com/logo.png', 'https://cdn.example.com/logo.png'],
		['https://example.com/in/ada', 'https://example.com/in/ada'],
		['http://example.com', 'http://example.com'],
		['HTTPS://EXAMPLE.COM', 'HTTPS://EXAMPLE.COM'],
		['example.com/?u=https://other.org', 'https://example.com/?u=https://other.org'],
	])('%j is %j', (url, complete) => {
		expect(withScheme(url)).toBe(complete);
	});

	it('takes a host with a port for what it is', () => {
		expect(withScheme('example.com:8443/in/ada')).toBe('https://example.com:8443/in/ada');
	});

	it('keeps an absent address absent', () => {
		expect(withScheme(null)).toBeNull();
	});

	it('adds a scheme once', () => {
		fc.assert(
			fc.property(domain, fc.constantFrom('', '/', '/in/ada'), (name, path) => {
				const complete = withScheme(`${name}${path}`);
				expect(complete).toBe(`https://${name}${path}`);
				expect(withScheme(complete)).toBe(complete);
			}),
		);
	});
});
