/** @file What a credential says of service and account, and of the variant of the interface. */

import { describe, expect, it } from 'vitest';

import {
	connectionOf,
	INTERFACE_DEFAULTS,
	interfaceSettings,
} from '../../nodes/shared/http/connection.ts';

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
		['the port that https has', { baseUrl: 'https://api.example.com:443/' }, true],
		['other settings', { customizeInterface: true, listPageSize: 1 }, true],
		// What no header can carry is dropped from the key.
		['a zero-width space', { apiKey: `\u200b ${KEY}\u200b` }, true],
		['a line break inside', { apiKey: `${KEY.slice(0, 4)}\r\n${KEY.slice(4)}` }, true],
		['half of a character', { apiKey: `${KEY}\ud83d` }, true],
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
	['what is switched off', { ...custom, customizeInterface: false }, INTERFACE_DEFAULTS],
	['what is left empty', blank, INTERFACE_DEFAULTS],
	['what is filled in', custom, custom],
	['a page size in a text', pagesOf('100'), pagesOf(100)],
	['a page size with a half', pagesOf(99.5), pagesOf(99)],
	['a page size below 0', pagesOf(-5), pagesOf(1)],
	['a page size of 0', pagesOf(0), pagesOf(500)],
	['a page size in words', pagesOf('many'), pagesOf(500)],
])('the interface settings of %s', (_, fields, settings) => {
	expect(interfaceSettings({ customizeInterface: true, ...fields })).toMatchObject(settings);
});
