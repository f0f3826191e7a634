/** @file Where the key may go: the Base URLs accepted and refused, and what goes to the service. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { assertGoesTo, checkedBaseUrl, goesTo } from '../../nodes/shared/http/connection.ts';
import { processorTime } from '../support/processorTime.mts';
import { detailsOf, thrownBy } from './thrown.mts';

const NO_URL = {
	reason: 'refused_base_url',
	message: 'The Base URL of the credential is not a valid URL',
	description: "Enter the URL of your provider's API, e.g. https://api.example.com",
	httpCode: null,
	retryAfter: undefined,
	mayBeCharged: false,
};

const NOT_HTTPS = {
	...NO_URL,
	message: 'The Base URL of the credential does not start with https://',
	description:
		"Use https, so the API key can't be intercepted. Plain http is accepted on localhost only (localhost, 127.0.0.1, [::1]).",
};

describe('checkedBaseUrl', () => {
	it.each([
		['https://api.example.com', 'https://api.example.com'],
		['https://api.example.com/', 'https://api.example.com'],
		['https://api.example.com///', 'https://api.example.com'],
		['  https://api.example.com/\n', 'https://api.example.com'],
		['HTTPS://API.example.com', 'HTTPS://API.example.com'],
		['https://api.example.com:8443/', 'https://api.example.com:8443'],
		['https://example.com/contact-data/', 'https://example.com/contact-data'],
		['https://192.0.2.1', 'https://192.0.2.1'],
		['https://localhost', 'https://localhost'],
		['http://localhost', 'http://localhost'],
		['http://localhost:3000/', 'http://localhost:3000'],
		['http://LOCALHOST:3000', 'http://LOCALHOST:3000'],
		['http://127.0.0.1', 'http://127.0.0.1'],
		['http://127.0.0.1:8080/', 'http://127.0.0.1:8080'],
		['http://127.1.2.3', 'http://127.1.2.3'],
		['http://127.255.255.254:1', 'http://127.255.255.254:1'],
		['http://[::1]', 'http://[::1]'],
		['http://[::1]:8080/', 'http://[::1]:8080'],
	])('accepts %j', (value, baseUrl) => {
		expect(checkedBaseUrl(value)).toBe(baseUrl);
	});

	it.each([
		['http://api.example.com'],
		['http://localhost.example.com'],
		['http://127.0.0.1.example.com'],
		['http://127.example.com'],
		['http://localhost@example.com'],
		['http://128.0.0.1'],
		['http://126.255.255.255'],
		['http://192.168.0.1'],
		['http://10.0.0.1'],
		['http://0.0.0.0'],
		['http://[::2]'],
		['http://[::ffff:192.0.2.1]'],
		['ftp://api.example.com'],
		['ws://localhost'],
	])('refuses %j for its scheme', (value) => {
		expect(detailsOf(thrownBy(() => checkedBaseUrl(value)))).toEqual(NOT_HTTPS);
	});

	it.each([
		[''],
		['   '],
		[undefined],
		[null],
		[42],
		[{}],
		['api.example.com'],
		['//api.example.com'],
		['https://'],
		['http://127.0.0.256'],
		['mailto:ada@acme.com'],
		['https://api.example.com?key=1'],
		['https://api.example.com/#top'],
		['the address'],
	])('refuses %j as no URL', (value) => {
		expect(detailsOf(thrownBy(() => checkedBaseUrl(value)))).toEqual(NO_URL);
	});

	it.each([
		['slashes', `https://api.example.com${'/'.repeat(200_000)}`],
		['dots', `https://${'.'.repeat(200_000)}`],
		['blanks', `${' '.repeat(100_000)}x${' '.repeat(100_000)}`],
	])('does not take long for 200,000 %s', (_, value) => {
		const used = processorTime();
		try {
			checkedBaseUrl(value);
		} catch {
			// It may refuse them, too.
		}
		expect(used()).toBeLessThan(1_000);
	});

	it('accepts plain http for the whole of 127.0.0.0/8, and for no other IPv4 address', () => {
		fc.assert(
			fc.property(fc.ipV4(), (address) => {
				const url = `http://${address}`;
				fc.pre(!address.startsWith('127.'));
				expect(detailsOf(thrownBy(() => checkedBaseUrl(url)))).toEqual(NOT_HTTPS);
			}),
		);
		const local = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255));
		fc.assert(
			fc.property(local, (rest) => {
				const url = `http://127.${rest.join('.')}`;
				expect(checkedBaseUrl(url)).toBe(url);
			}),
		);
	});

	it('gives a URL that a path can follow, on the host that was checked', () => {
		const host = fc.oneof(fc.domain(), fc.constantFrom('localhost', '[::1]', '127.0.0.1'));
		const tail = fc.constantFrom('', '/', '//', '/base', '/base/', '?', '/?', '#', '/#', '/base?');
		fc.assert(
			fc.property(host, tail, (name, end) => {
				let checked: string;
				try {
					checked = checkedBaseUrl(`https://${name}${end}`);
				} catch {
					// Refusing is fine where something stands after the path, and only there.
					expect(end).toMatch(/[?#]/);
					return;
				}
				const { hostname, pathname, search, hash } = new URL(`${checked}/api/v2/account`);
				const base = end.includes('base') ? '/base' : '';
				expect([hostname, pathname, search, hash]).toEqual([
					name,
					`${base}/api/v2/account`,
					'',
					'',
				]);
			}),
		);
	});
});

describe('goesTo', () => {
	const base = 'https://api.example.com/base';

	it.each([
		['/api/v2/account', base],
		['api/v2/account', base],
		['https://api.example.com/api/v2/account', undefined],
		['https://api.example.com:443/api', base],
		['https://API.EXAMPLE.COM/api', base],
	])('says yes to %s after %s', (url, requestBase) => {
		expect(goesTo(base, url, requestBase)).toBe(true);
	});

	it.each([
		['https://other.example.com/api', base],
		['https://api.example.com.evil.org/api', base],
		['https://api.example.com@evil.org/api', base],
		['http://api.example.com/api', base],
		['https://api.example.com:8443/api', base],
		['//evil.org/api', base],
		['\\\\evil.org\\api', base],
		['/api', 'https://evil.org'],
		['/api', undefined],
		[undefined, undefined],
		[undefined, base],
		['', undefined],
		['https://', base],
	])('says no to %s after %s', (url, requestBase) => {
		expect(goesTo(base, url, requestBase)).toBe(false);
	});
});

describe('assertGoesTo', () => {
	it.each([['/v3/verify_bulk'], ['company/search'], ['/company/search?x=1']])(
		'accepts the path %s',
		(path) => {
			expect(() => assertGoesTo('https://api.example.com/base', path)).not.toThrow();
		},
	);

	it.each([['https://evil.org/v3'], ['//evil.org/v3'], ['http://api.example.com/v3']])(
		'refuses %s, which leads away from the service, and says where the path is set',
		(path) => {
			const thrown = thrownBy(() => assertGoesTo('https://api.example.com', path));
			expect(detailsOf(thrown)).toEqual({
				...NO_URL,
				message: `The path ${path} points to a different host than the Base URL of the credential`,
				description:
					'Enter a path only, e.g. /company/search, under Customize API Requests in the credential.',
			});
		},
	);
});
