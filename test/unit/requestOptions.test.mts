/** @file What n8n's Request Options mean for the requests of the package. */

import { describe, expect, it } from 'vitest';

import { requestOptionsOf } from '../../nodes/shared/http/transport.ts';
import { detailsOf, thrownBy } from './thrown.mts';

function requestOptions(saved?: unknown) {
	return requestOptionsOf(saved ?? {});
}

describe('requestOptionsOf', () => {
	it.each([
		[undefined],
		[{}],
		[{ timeout: 0, proxy: '', allowUnauthorizedCerts: false }],
		[{ proxy: null }],
		[null],
		['x'],
	])('leaves %j to the defaults', (saved) => {
		expect(requestOptions(saved)).toEqual({});
	});

	it('takes timeout and certificates as n8n has them, and nothing of Batching', () => {
		const batching = { batch: { batchSize: 50, batchInterval: 1_000 } };
		expect(requestOptions({ timeout: 5_000, allowUnauthorizedCerts: true, batching })).toEqual({
			timeout: 5_000,
			skipSslCertificateValidation: true,
		});
	});

	it.each([
		['http://proxy.example.com:3128', { protocol: 'http', host: 'proxy.example.com', port: 3128 }],
		[
			'https://proxy.example.com:8443/',
			{ protocol: 'https', host: 'proxy.example.com', port: 8443 },
		],
		['http://proxy.example.com', { protocol: 'http', host: 'proxy.example.com', port: 80 }],
		['https://proxy.example.com', { protocol: 'https', host: 'proxy.example.com', port: 443 }],
		// Without a scheme n8n would send without the proxy, silently.
		['proxy.example.com:3128', { protocol: 'http', host: 'proxy.example.com', port: 3128 }],
		['localhost:3128', { protocol: 'http', host: 'localhost', port: 3128 }],
		[' 10.0.0.1:3128 ', { protocol: 'http', host: '10.0.0.1', port: 3128 }],
		[
			'http://ada:s%40cret@proxy.example.com:3128',
			{
				protocol: 'http',
				host: 'proxy.example.com',
				port: 3128,
				auth: { username: 'ada', password: 's@cret' },
			},
		],
		[
			'ada:secret@proxy.example.com:3128',
			{
				protocol: 'http',
				host: 'proxy.example.com',
				port: 3128,
				auth: { username: 'ada', password: 'secret' },
			},
		],
		[
			'http://ada@proxy.example.com:3128',
			{
				protocol: 'http',
				host: 'proxy.example.com',
				port: 3128,
				auth: { username: 'ada', password: '' },
			},
		],
		[
			'http://:secret@proxy.example.com:3128',
			{
				protocol: 'http',
				host: 'proxy.example.com',
				port: 3128,
				auth: { username: '', password: 'secret' },
			},
		],
		[
			'http://ada:50%25@proxy.example.com:3128',
			{
				protocol: 'http',
				host: 'proxy.example.com',
				port: 3128,
				auth: { username: 'ada', password: '50%25' },
			},
		],
		[
			// A percent sign that encodes nothing.
			'http://ada:50%@proxy.example.com:3128',
			{
				protocol: 'http',
				host: 'proxy.example.com',
				port: 3128,
				auth: { username: 'ada', password: '50%' },
			},
		],
	])('takes the proxy %j', (proxy, expected) => {
		expect(requestOptions({ proxy })).toEqual({ proxy: expected });
	});

	it.each([
		['http://'],
		['://x'],
		['http://a b:80'],
		['proxy.example.com:port'],
		['%'],
		['socks5://proxy.example.com:1080'],
		['ftp://proxy.example.com'],
		['xhttps://proxy.example.com'],
		[true],
		[{ host: 'proxy.example.com' }],
	])('refuses the proxy %j before anything is sent without it', (proxy) => {
		expect(detailsOf(thrownBy(() => requestOptions({ proxy })))).toEqual({
			reason: 'refused_by_n8n',
			message: 'The proxy is not valid',
			description:
				'Check the Request Options of the node. A proxy looks like http://proxy.example.com:3128.',
			httpCode: null,
			retryAfter: undefined,
			remaining: undefined,
			mayBeCharged: false,
		});
	});
});
