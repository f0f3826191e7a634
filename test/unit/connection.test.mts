/** @file What a credential says of service and account. */

import { describe, expect, it } from 'vitest';

import { connectionOf, INTERFACE_DEFAULTS } from '../../nodes/shared/http/connection.ts';
import { detailsOf, thrownBy } from './thrown.mts';

const KEY = 'key-1f9a77c0';

describe('connectionOf', () => {
	const credential = { baseUrl: ' https://api.example.com/ ', apiKey: ` ${KEY}\n` };

	it('reads a credential', () => {
		expect(connectionOf(credential)).toEqual({
			credential,
			baseUrl: 'https://api.example.com',
			apiKey: KEY,
			account: expect.stringMatching(/^[\w+/]{22}$/),
			id: expect.stringMatching(/^[\w+/]{22}$/),
			settings: INTERFACE_DEFAULTS,
		});
	});

	it('tells accounts apart, and only those', () => {
		const { account } = connectionOf(credential);
		expect(account).not.toContain(KEY);
		expect(connectionOf({ baseUrl: 'https://api.example.com', apiKey: KEY }).account).toBe(account);
		expect(connectionOf({ ...credential, customizeInterface: true }).account).toBe(account);
		const custom = { ...credential, customizeInterface: true, listPageSize: 1 };
		expect(connectionOf(custom).account).toBe(account);
		expect(connectionOf({ ...credential, apiKey: `${KEY}0` }).account).not.toBe(account);
		const elsewhere = { ...credential, baseUrl: 'https://other.example.com' };
		expect(connectionOf(elsewhere).account).not.toBe(account);
	});

	it('takes a Base URL in other letters for the same', () => {
		const { account } = connectionOf(credential);
		for (const baseUrl of ['HTTPS://API.Example.com', 'https://api.example.com:443/']) {
			expect(connectionOf({ ...credential, baseUrl }).account).toBe(account);
		}
		const other = connectionOf({ ...credential, baseUrl: 'https://api.example.com:8443' });
		expect(other.account).not.toBe(account);
	});

	it.each([
		['a zero-width space', `\u200b${KEY}\u200b`],
		['a byte order mark', `\ufeff${KEY}`],
		['blanks behind what is dropped', `\u200b ${KEY} \u200b`],
		['a line break inside', `${KEY.slice(0, 4)}\r\n${KEY.slice(4)}`],
		['half of a character', `${KEY}\ud83d`],
	])('drops from the key what no header can carry: %s', (_, apiKey) => {
		const connection = connectionOf({ ...credential, apiKey });
		expect(connection.apiKey).toBe(KEY);
		expect(connection.account).toBe(connectionOf(credential).account);
	});

	it('does not mix up a Base URL and a key that come to the same text together', () => {
		const [one, other] = [
			{ baseUrl: 'https://api.example.com/a', apiKey: 'bc' },
			{ baseUrl: 'https://api.example.com/ab', apiKey: 'c' },
		].map((each) => connectionOf(each));
		expect(one.account).not.toBe(other.account);
		expect(one.id).not.toBe(other.id);
	});

	it('tells apart what may be answered differently: each interface setting', () => {
		const { id } = connectionOf(credential);
		expect(id).not.toContain(KEY);
		expect(connectionOf({ ...credential, customizeInterface: true }).id).toBe(id);
		const custom = {
			bulkFinderBody: 'people',
			bulkVerifierQuery: 'comma',
			bulkVerifierPath: '/verify',
			companySearchPath: '/search',
			companyNameParameter: 'companyName',
			listPageSize: 100,
		};
		const ids = Object.entries(custom).map(
			([name, value]) =>
				connectionOf({ ...credential, customizeInterface: true, [name]: value }).id,
		);
		expect(new Set([id, ...ids]).size).toBe(1 + Object.keys(INTERFACE_DEFAULTS).length);
		// Switched off, they are not in force.
		expect(connectionOf({ ...credential, ...custom }).id).toBe(id);
	});

	it('refuses what must not get the key', () => {
		const refused = { ...credential, baseUrl: 'http://api.example.com' };
		expect(detailsOf(thrownBy(() => connectionOf(refused)))).toMatchObject({
			reason: 'refused_base_url',
			message: 'The Base URL of the credential does not start with https://',
			mayBeCharged: false,
		});
	});
});
