/** @file Where the key may go: the base addresses accepted and refused, and what a credential says. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { ContactDataApi } from '../../credentials/ContactDataApi.credentials.ts';
import { checkedBaseUrl, goesTo } from '../../nodes/shared/request/baseUrl.ts';
import { connectionOf } from '../../nodes/shared/request/connection.ts';
import {
	INTERFACE_DEFAULTS,
	interfaceSettings,
} from '../../nodes/shared/request/interfaceSettings.ts';
import { detailsOf, rejectionOf, thrownBy } from './thrown.mts';

const NO_ADDRESS = {
	reason: 'refused_base_url',
	message: 'The Base URL of the credential is not a web address',
	description: 'Enter the address of the service, e.g. https://api.example.com',
	httpCode: null,
	retryAfter: undefined,
	remaining: undefined,
	mayBeCharged: false,
};

const NOT_HTTPS = {
	...NO_ADDRESS,
	message: 'The Base URL of the credential does not start with https://',
	description:
		'Use https, so that nobody on the way can read the API key. Plain http is accepted for this machine only (localhost, 127.0.0.1, [::1]).',
};

const KEY = 'key-1f9a77c0';

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
	])('refuses %j as no address', (value) => {
		expect(detailsOf(thrownBy(() => checkedBaseUrl(value)))).toEqual(NO_ADDRESS);
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

	it('gives an address that a path can follow, on the host that was checked', () => {
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
		['', undefined],
		['https://', base],
	])('says no to %s after %s', (url, requestBase) => {
		expect(goesTo(base, url, requestBase)).toBe(false);
	});
});

describe('interfaceSettings', () => {
	const custom = {
		bulkFinderBody: 'people',
		bulkVerifierQuery: 'comma',
		bulkVerifierPath: '/api/v2/find_bulk',
		companySearchPath: '/lwh/company/search',
		companyNameParameter: 'companyName',
		listPageSize: 100,
	};

	const defaults = {
		bulkFinderBody: 'array',
		bulkVerifierQuery: 'repeat',
		bulkVerifierPath: '/v3/verify_bulk',
		companySearchPath: '/company/search',
		companyNameParameter: 'company',
		listPageSize: 500,
	};

	it('are those of the specification unless the credential customizes them', () => {
		expect(INTERFACE_DEFAULTS).toEqual(defaults);
		expect(interfaceSettings({})).toEqual(defaults);
		expect(interfaceSettings({ ...custom })).toEqual(defaults);
		expect(interfaceSettings({ ...custom, customizeInterface: false })).toEqual(defaults);
	});

	it('are those of a credential that customizes them', () => {
		expect(interfaceSettings({ ...custom, customizeInterface: true })).toEqual(custom);
	});

	it('fill what a credential leaves out or empty', () => {
		expect(interfaceSettings({ customizeInterface: true })).toEqual(defaults);
		const blank = { bulkFinderBody: '', bulkVerifierPath: '  ', listPageSize: null };
		expect(interfaceSettings({ ...blank, customizeInterface: true })).toEqual(defaults);
	});

	it.each([
		[100, 100],
		['100', 100],
		[1, 1],
		[-5, 1],
		[0, 500],
		['many', 500],
	])('take a page size of %j for %j', (listPageSize, size) => {
		const settings = interfaceSettings({ customizeInterface: true, listPageSize });
		expect(settings).toEqual({ ...defaults, listPageSize: size });
	});

	it('take a page size in whole leads', () => {
		const { listPageSize } = interfaceSettings({ customizeInterface: true, listPageSize: 99.5 });
		expect(Number.isInteger(listPageSize)).toBe(true);
	});
});

describe('connectionOf', () => {
	const credentials = { baseUrl: ' https://api.example.com/ ', apiKey: ` ${KEY}\n` };

	it('reads a credential', () => {
		expect(connectionOf(credentials)).toEqual({
			baseUrl: 'https://api.example.com',
			apiKey: KEY,
			account: expect.stringMatching(/^[\da-f]{64}$/),
			settings: INTERFACE_DEFAULTS,
		});
	});

	it('tells accounts apart, and only those', () => {
		const { account } = connectionOf(credentials);
		expect(account).not.toContain(KEY);
		expect(connectionOf({ baseUrl: 'https://api.example.com', apiKey: KEY }).account).toBe(account);
		expect(connectionOf({ ...credentials, customizeInterface: true }).account).toBe(account);
		expect(connectionOf({ ...credentials, apiKey: `${KEY}0` }).account).not.toBe(account);
		const elsewhere = { ...credentials, baseUrl: 'https://other.example.com' };
		expect(connectionOf(elsewhere).account).not.toBe(account);
	});

	it('refuses what must not get the key', () => {
		const refused = { ...credentials, baseUrl: 'http://api.example.com' };
		expect(detailsOf(thrownBy(() => connectionOf(refused)))).toEqual(NOT_HTTPS);
	});
});

describe('the credential', () => {
	const credential = new ContactDataApi();
	const credentials = { baseUrl: 'https://api.example.com/', apiKey: KEY };

	it('adds the key to a request to the service, and changes nothing else', async () => {
		const request = Object.freeze({
			url: '/api/v2/find',
			baseURL: 'https://api.example.com',
			qs: { fullName: 'Ada Lovelace' },
			headers: Object.freeze({ Accept: 'application/json' }),
		});
		expect(await credential.authenticate(credentials, request)).toEqual({
			url: '/api/v2/find',
			baseURL: 'https://api.example.com',
			qs: { fullName: 'Ada Lovelace' },
			headers: { Accept: 'application/json', 'X-Access-Key': KEY },
		});
		const bare = { url: 'https://api.example.com/api/v2/account' };
		expect(await credential.authenticate(credentials, bare)).toEqual({
			...bare,
			headers: { 'X-Access-Key': KEY },
		});
	});

	it.each([
		['https://evil.org/company/search', 'https://api.example.com'],
		['//evil.org/company/search', 'https://api.example.com'],
		['http://api.example.com/api/v2/account', undefined],
		['/api/v2/account', 'https://evil.org'],
	])('does not send the key to %s after %s', async (url, baseURL) => {
		const thrown = await rejectionOf(credential.authenticate(credentials, { url, baseURL }));
		expect(thrown).toBeInstanceOf(Error);
		expect(String(thrown)).toContain(
			'The API key is sent to the Base URL of the credential only, and this request goes elsewhere. Use an address that begins with the Base URL.',
		);
		expect(String(thrown)).not.toContain(KEY);
	});

	it.each([['http://api.example.com'], ['http://10.0.0.1'], ['ftp://api.example.com']])(
		'sends no key to the refused base address %s, and its message alone says what to do',
		async (baseUrl) => {
			const request = { url: '/api/v2/account', baseURL: baseUrl };
			const refused = credential.authenticate({ ...credentials, baseUrl }, request);
			const { message, description } = NOT_HTTPS;
			expect(await rejectionOf(refused)).toEqual(new Error(`${message}. ${description}`));
		},
	);

	it('says the same of its fields as the contract', () => {
		const fields = credential.properties.map(({ name, type, default: byDefault, required }) => ({
			name,
			type,
			byDefault,
			required,
		}));
		expect(fields.toSorted((a, b) => a.name.localeCompare(b.name))).toEqual([
			{ name: 'apiKey', type: 'string', byDefault: '', required: true },
			{ name: 'baseUrl', type: 'string', byDefault: '', required: true },
			{ name: 'bulkFinderBody', type: 'options', byDefault: 'array', required: undefined },
			{
				name: 'bulkVerifierPath',
				type: 'string',
				byDefault: '/v3/verify_bulk',
				required: undefined,
			},
			{ name: 'bulkVerifierQuery', type: 'options', byDefault: 'repeat', required: undefined },
			{ name: 'companyNameParameter', type: 'options', byDefault: 'company', required: undefined },
			{
				name: 'companySearchPath',
				type: 'string',
				byDefault: '/company/search',
				required: undefined,
			},
			{ name: 'customizeInterface', type: 'boolean', byDefault: false, required: undefined },
			{ name: 'listPageSize', type: 'number', byDefault: 500, required: undefined },
		]);
		const key = credential.properties.find(({ name }) => name === 'apiKey');
		expect(key?.typeOptions).toEqual({ password: true });
	});

	it('is tested with a request that is free and follows no redirect', () => {
		expect(credential.test.request).toEqual({
			baseURL: '={{ $credentials.baseUrl }}',
			url: '/api/v2/account',
			headers: { Accept: 'application/json' },
			disableFollowRedirect: true,
		});
	});
});
