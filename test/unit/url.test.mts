/** @file URLs that the service sends without a scheme get one. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { parsedUrl, withScheme } from '../../nodes/shared/values/text.ts';

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

	it('keeps an absent URL absent', () => {
		expect(withScheme(null)).toBeNull();
	});

	it('adds a scheme once', () => {
		fc.assert(
			fc.property(fc.domain(), fc.constantFrom('', '/', '/in/ada'), (name, path) => {
				const complete = withScheme(`${name}${path}`);
				expect(complete).toBe(`https://${name}${path}`);
				expect(withScheme(complete)).toBe(complete);
			}),
		);
	});
});

describe('parsedUrl', () => {
	it('is the URL in a text, or nothing', () => {
		expect(parsedUrl('https://api.example.com/x')?.host).toBe('api.example.com');
		for (const text of ['', 'api', '/x', 'https://', 'http://a b']) {
			expect(parsedUrl(text)).toBeUndefined();
		}
	});
});
