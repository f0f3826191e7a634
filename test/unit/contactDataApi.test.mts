/** @file The credential: its fields, and which requests get the key. */

import { describe, expect, it } from 'vitest';

import { ContactDataApi } from '../../credentials/ContactDataApi.credentials.ts';
import { rejectionOf } from './thrown.mts';

const KEY = 'key-1f9a77c0';

describe('the credential', () => {
	const credential = new ContactDataApi();
	const credentials = { baseUrl: 'https://api.example.com/', apiKey: KEY };

	/** What a request becomes, also one that is not as n8n declares it. */
	async function authenticated(request: object): Promise<unknown> {
		return await Reflect.apply(credential.authenticate, credential, [credentials, request]);
	}

	/** A redirect would carry the key to another host. */
	const notRedirected = {
		disableFollowRedirect: true,
		followRedirect: false,
		followAllRedirects: false,
	};

	it('adds the key to a request to the service, lets it follow no redirect, and changes nothing else', async () => {
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
			...notRedirected,
		});
		const bare = { url: 'https://api.example.com/api/v2/account' };
		expect(await credential.authenticate(credentials, bare)).toEqual({
			...bare,
			headers: { 'X-Access-Key': KEY },
			...notRedirected,
		});
	});

	it.each([
		['https://api.example.com/api/v2/account'],
		['https://api.example.com/anything?of=the&service'],
	])("adds the key to a request of n8n's HTTP Request node, which says uri: %s", async (uri) => {
		const request = { uri, headers: {} };
		expect(await authenticated(request)).toEqual({
			uri,
			headers: { 'X-Access-Key': KEY },
			...notRedirected,
		});
	});

	it('needs no clean Base URL or key: blanks around them do not matter', async () => {
		const blank = { baseUrl: ' https://api.example.com/\n', apiKey: `\t${KEY} ` };
		const request = { url: 'https://api.example.com/api/v2/account' };
		expect(await credential.authenticate(blank, request)).toEqual(
			await credential.authenticate(credentials, request),
		);
	});

	it.each([
		['https://evil.org/company/search', 'https://api.example.com'],
		['//evil.org/company/search', 'https://api.example.com'],
		['http://api.example.com/api/v2/account', undefined],
		['https://api.example.com.evil.org/', undefined],
		['/api/v2/account', 'https://evil.org'],
	])('does not send the key to %s after %s', async (url, baseURL) => {
		for (const request of [
			{ url, baseURL },
			{ uri: url, baseURL },
		]) {
			const thrown = await rejectionOf(authenticated(request));
			expect(thrown).toEqual(
				new Error(
					'The API key is only sent to the Base URL of the credential, and this request goes elsewhere. Use a URL that starts with the Base URL.',
				),
			);
		}
	});

	it('does not send the key to a request that says nowhere where it goes', async () => {
		const thrown = await rejectionOf(authenticated({}));
		expect(String(thrown)).toContain('this request goes elsewhere');
	});

	it.each([['http://api.example.com'], ['http://10.0.0.1'], ['ftp://api.example.com']])(
		'sends no key to the refused Base URL %s, and its message alone says what to do',
		async (baseUrl) => {
			const request = { url: '/api/v2/account', baseURL: baseUrl };
			const refused = credential.authenticate({ ...credentials, baseUrl }, request);
			expect(await rejectionOf(refused)).toEqual(
				new Error(
					"The Base URL of the credential does not start with https://. Use https, so the API key can't be intercepted. Plain http is accepted on localhost only (localhost, 127.0.0.1, [::1]).",
				),
			);
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
			baseURL: '={{ $credentials.baseUrl.trim() }}',
			url: '/api/v2/account',
			headers: { Accept: 'application/json' },
			disableFollowRedirect: true,
		});
	});
});
