/** @file Whatever form a domain is pasted in, it comes out bare. */

import fc from 'fast-check';
import { expect, it } from 'vitest';

import { toDomain } from '../../nodes/shared/values/text.ts';

/** Domains of two or three parts. */
const domain = fc
	.stringMatching(/^[a-z][a-z0-9-]{0,8}[a-z0-9](\.[a-z]{2,5}){1,2}$/)
	.filter((name) => !name.startsWith('www.'));

/** Texts that look much like domains. */
const pasted = fc
	.array(fc.constantFrom('www.', 'a', '.', ':', '/', '@', '?', ' ', '8', 'http://'), {
		maxLength: 8,
	})
	.map((parts) => parts.join(''));

const acme = `
	//www.acme.com/about https://acme.com:8443/about HTTPS://WWW.ACME.COM/ABOUT ftp://acme.com/files
	https://www.acme.com/a/b/c.html?x=1&y=https://other.org/#top https://www.acme.com/@ada
	https://ada:secret@www.acme.com/ ada@acme.com mailto:ada@acme.com acme.com. s3://acme.com
	https://www.acme.com./about acme.com:8443 acme.com:8443/about www.acme.com:443 acme.com:`;

it.each([...acme.trim().split(/\s+/), '  acme.com\n', 'https:// www.acme.com'])(
	'%j is acme.com',
	(pasted) => {
		expect(toDomain(pasted)).toBe('acme.com');
	},
);

it.each([
	['https://mail.acme.co.uk/inbox', 'mail.acme.co.uk'],
	['https://wwwacme.com', 'wwwacme.com'],
	['https://www.bücher.de/', 'bücher.de'],
	['xn--bcher-kva.de', 'xn--bcher-kva.de'],
	['www.www.com', 'www.com'],
	['', ''],
	[':8443', ''],
	['Acme Inc.', ''],
	['localhost:3000', ''],
	['N/A', ''],
	['...', ''],
	['.acme.com', ''],
	['acme .com', ''],
	['acme.com or acme.org', ''],
	['https://acme.com other.com/about', ''],
	['[::1]', ''],
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

it('leaves the domain that it made of any text as it is', () => {
	fc.assert(
		fc.property(fc.oneof(pasted, fc.string()), (text) => {
			const once = toDomain(text);
			expect(toDomain(once)).toBe(once);
		}),
		{ numRuns: 1_000 },
	);
});
