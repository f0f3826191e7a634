/** @file The credential: its fields, and which requests get the key. */

import { expect, it } from 'vitest';

import { ContactDataApi } from '../../credentials/ContactDataApi.credentials.ts';

const KEY = 'key-1f9a77c0';

const credential = new ContactDataApi();
const credentials = { baseUrl: 'https://api.example.com/', apiKey: KEY };

/** What a request becomes, also one that is not as n8n declares it. */
async function authenticated(request: object, own: object = {}): Promise<unknown> {
	const fields = { ...credentials, ...own };
	return await Reflect.apply(credential.authenticate, credential, [fields, request]);
}

/** A redirect would carry the key to another host. */
const notRedirected = {
	disableFollowRedirect: true,
	followRedirect: false,
	followAllRedirects: false,
};

it.each([
	['url', '/api/v2/find', { baseURL: 'https://api.example.com', qs: { fullName: 'Ada' } }],
	// As n8n's HTTP Request node has it.
	['uri', 'https://api.example.com/anything?of=the&service', {}],
])('adds the key by the %s of a request, and nothing else', async (name, place, more) => {
	const request = { [name]: place, ...more, headers: { Accept: 'application/json' } };
	const headers = { Accept: 'application/json', 'X-Access-Key': KEY };
	const expected = { ...request, headers, ...notRedirected };
	// Blanks around them do not matter.
	const blank = { baseUrl: ' https://api.example.com/\n', apiKey: `\t${KEY} ` };
	for (const own of [{}, blank]) {
		expect(await authenticated(Object.freeze(request), own)).toEqual(expected);
	}
});

it.each([
	[{ url: 'https://evil.org/company/search', baseURL: 'https://api.example.com' }],
	[{ uri: '//evil.org/company/search', baseURL: 'https://api.example.com' }],
	[{ url: '/api/v2/account', baseURL: 'https://evil.org' }],
	[{}],
])('sends no key with %j, which goes elsewhere', async (request) => {
	await expect(authenticated(request)).rejects.toThrow('this request goes elsewhere');
});

it('the credential has the fields of the contract, with these defaults', () => {
	const fields = credential.properties.map(({ name, default: value }) => [name, value]);
	expect(Object.fromEntries(fields)).toEqual({
		baseUrl: '',
		apiKey: '',
		customizeInterface: false,
		bulkFinderBody: 'array',
		bulkVerifierQuery: 'repeat',
		bulkVerifierPath: '/v3/verify_bulk',
		companySearchPath: '/company/search',
		companyNameParameter: 'company',
		listPageSize: 500,
	});
	const required = credential.properties.filter((field) => field.required);
	expect(required.map(({ name }) => name)).toEqual(['baseUrl', 'apiKey']);
	const key = credential.properties.find(({ name }) => name === 'apiKey');
	expect(key?.typeOptions).toEqual({ password: true });
});

it('the credential is tested with a request that is free and follows no redirect', () => {
	expect(credential.test.request).toEqual({
		baseURL: '={{ $credentials.baseUrl }}',
		url: '/api/v2/account',
		headers: { Accept: 'application/json' },
		disableFollowRedirect: true,
	});
});
