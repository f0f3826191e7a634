/**
 * @file What a credential says of service and account, and of the variant of the interface; where the key may go: the Base
 * URLs accepted and refused.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import {
	assertGoesTo,
	checkedBaseUrl,
	connectionOf,
	INTERFACE_DEFAULTS,
	interfaceSettings,
} from '../../nodes/shared/http/connection.ts';
import { problemOf } from '../../nodes/shared/failures/failure.ts';
import { thrownBy } from './thrown.mts';

const KEY = 'key-1f9a77c0';

const custom = {
	bulkFinderBody: 'people',
	bulkVerifierQuery: 'comma',
	bulkVerifierPath: '/api/v2/find_bulk',
	companySearchPath: '/lwh/company/search',
	companyNameParameter: 'companyName',
	listPageSize: 100,
};

describe('connectionOf', () => {
	const credential = { baseUrl: ' https://api.example.com/ ', apiKey: ` ${KEY}\n` };

	it.each([
		['the URL in other letters', { baseUrl: 'HTTPS://API.Example.com' }, true],
		['other settings', { customizeInterface: true, listPageSize: 1 }, true],
		// What no header can carry is dropped from the key.
		['a zero-width space', { apiKey: `\u200b ${KEY}\u200b` }, true],
		['a line break inside', { apiKey: `${KEY.slice(0, 4)}\r\n${KEY.slice(4)}` }, true],
		['another key', { apiKey: `${KEY}0` }, false],
		['another host', { baseUrl: 'https://other.example.com' }, false],
	])('with %s it is the same account: %s', (_, other, isSame) => {
		const { account } = connectionOf(credential);
		expect(account).not.toContain(KEY);
		const connection = connectionOf({ ...credential, ...other });
		expect(connection.account === account).toBe(isSame);
		if (isSame) expect(connection.apiKey).toBe(KEY);
	});

	it('tells apart what may be answered differently: each interface setting', () => {
		const { id } = connectionOf(credential);
		expect(id).not.toContain(KEY);
		expect(connectionOf({ ...credential, customizeInterface: true }).id).toBe(id);
		const ids = Object.entries(custom).map(
			([name, value]) =>
				connectionOf({ ...credential, customizeInterface: true, [name]: value }).id,
		);
		expect(new Set([id, ...ids]).size).toBe(1 + Object.keys(INTERFACE_DEFAULTS).length);
		// Switched off, they are not in force.
		expect(connectionOf({ ...credential, ...custom }).id).toBe(id);
	});
});

const blank = { bulkFinderBody: '', bulkVerifierPath: '  ', listPageSize: null };
const pagesOf = (listPageSize: string | number) => ({ listPageSize });

it.each([
	['nothing', {}, INTERFACE_DEFAULTS],
	['what is left empty', blank, INTERFACE_DEFAULTS],
	['what is filled in', custom, custom],
	['a page size in a text', pagesOf('100'), pagesOf(100)],
	['a page size below 0', pagesOf(-5), pagesOf(1)],
	['a page size of 0', pagesOf(0), pagesOf(500)],
	['a page size in words', pagesOf('many'), pagesOf(500)],
])('the interface settings of %s', (_, fields, settings) => {
	expect(interfaceSettings({ customizeInterface: true, ...fields })).toMatchObject(settings);
});

const accepted = (value: unknown) => {
	try {
		return checkedBaseUrl(value);
	} catch (thrown) {
		return thrown instanceof Error ? thrown.message : thrown;
	}
};

const NO_URL = 'The Base URL of the credential is not a valid URL';
const MORE = 'The Base URL of the credential holds more than a host and a path';
const NOT_HTTPS = 'The Base URL of the credential does not start with https://';

describe('checkedBaseUrl', () => {
	it.each([
		['https://api.example.com///', 'https://api.example.com'],
		['\u200b  https://api.example.com/\n\ufeff', 'https://api.example.com'],
		['https://example.com/contact-data/', 'https://example.com/contact-data'],
		// Without a scheme: https, or http on this machine.
		[' API.example.com/ ', 'https://API.example.com'],
		['//api.example.com', 'https://api.example.com'],
		['127.0.0.1.example.com', 'https://127.0.0.1.example.com'],
		['localhost:3000/', 'http://localhost:3000'],
		['[::1]:8080', 'http://[::1]:8080'],
		// No paths of the API.
		['https://v3', 'https://v3'],
		['https://api', 'https://api'],
		['https://example.com/api-gateway', 'https://example.com/api-gateway'],
	])('makes %j %j', (value, baseUrl) => {
		expect(accepted(value)).toBe(baseUrl);
	});

	const paths = `/api /api/ /API// //api/v2// /API/V2/account /api/v2/list/101/leads?start=1&size=2 /v3 /v3/verify_bulk#top`;

	it.each(paths.split(' '))('cuts off %s, a path of the API, wherever the API is', (path) => {
		for (const host of ['api.example.com', 'example.com/contact-data', 'localhost:3000']) {
			const baseUrl = `${host.startsWith('localhost') ? 'http' : 'https'}://${host}`;
			expect(accepted(`${baseUrl}${path}`)).toBe(baseUrl);
			expect(accepted(`${host}${path}`)).toBe(baseUrl);
		}
	});

	const otherSchemes = `http://api.example.com http://localhost.example.com http://[::ffff:192.0.2.1]
		ftp://api.example.com`;
	// A word alone may be the key.
	const noUrls = `https:// https:/api.example.com key-1f9a77c0 http://localhost@example.com mailto:ada@acme.com
		https://ada:secret@api.example.com https://ada@api.example.com?key=1`;

	it.each([
		...otherSchemes.split(/\s+/).map((url) => [url, NOT_HTTPS]),
		...['?x=1', '/base?x=1', '#top'].map((more) => [`https://api.example.com${more}`, MORE]),
		...['', null, 'the address', ...noUrls.split(/\s+/)].map((url) => [url, NO_URL]),
	])('refuses %j: %s', (value, message) => {
		expect(accepted(value)).toBe(message);
	});

	it('accepts plain http for the whole of 127.0.0.0/8, and for no other IPv4 address', () => {
		const local = fc
			.tuple(fc.nat(255), fc.nat(255), fc.nat(255))
			.map((rest) => `127.${rest.join('.')}`);
		fc.assert(
			fc.property(fc.oneof(fc.ipV4(), local), (address) => {
				const url = `http://${address}`;
				expect(accepted(url)).toBe(address.startsWith('127.') ? url : NOT_HTTPS);
			}),
			{ numRuns: 200 },
		);
	});
});

it('accepts a path of the service, and refuses one that leads away from it, saying where it is set', () => {
	expect(() => assertGoesTo('https://api.example.com/base', '/company/search?x=1')).not.toThrow();
	const path = 'https://evil.org/v3';
	expect(problemOf(thrownBy(() => assertGoesTo('https://api.example.com', path)))).toMatchObject({
		reason: 'refused_base_url',
		message: expect.stringContaining(path),
		description: expect.stringContaining('Customize API Requests in the credential'),
		mayBeCharged: false,
	});
});
