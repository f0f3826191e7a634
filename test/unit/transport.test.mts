/** @file What n8n's Request Options mean for the requests of the package. */

import { expect, it } from 'vitest';

import { requestOptionsOf } from '../../nodes/shared/http/transport.ts';
import { thrownBy } from './thrown.mts';

const http = (host: string, port: number) => ({ protocol: 'http', host, port });
const withUser = (username: string, password: string) => ({
	proxy: { ...http('proxy.example.com', 3128), auth: { username, password } },
});

it.each<[saved: object | null, sent: object]>([
	[null, {}],
	[{ timeout: 0, proxy: '', allowUnauthorizedCerts: false }, {}],
	[{ proxy: null }, {}],
	[
		{ timeout: 5_000, batching: { batch: { batchSize: 50, batchInterval: 1_000 } } },
		{ timeout: 5_000 },
	],
	[{ allowUnauthorizedCerts: true }, { skipSslCertificateValidation: true }],
	[
		{ proxy: 'https://proxy.example.com/' },
		{ proxy: { ...http('proxy.example.com', 443), protocol: 'https' } },
	],
	// Without a scheme n8n would send without the proxy, silently.
	[{ proxy: ' 10.0.0.1:3128 ' }, { proxy: http('10.0.0.1', 3128) }],
	[{ proxy: 'http://ada:s%40cret@proxy.example.com:3128' }, withUser('ada', 's@cret')],
	[{ proxy: 'ada:secret@proxy.example.com:3128' }, withUser('ada', 'secret')],
	[{ proxy: 'http://ada@proxy.example.com:3128' }, withUser('ada', '')],
	// A percent sign that encodes nothing.
	[{ proxy: 'http://ada:50%@proxy.example.com:3128' }, withUser('ada', '50%25')],
])('%j is sent as %j', (saved, sent) => {
	expect(requestOptionsOf(saved)).toEqual(sent);
});

it.each([
	['http://'],
	['proxy.example.com:port'],
	['socks5://proxy.example.com:1080'],
	[{ host: 'proxy.example.com' }],
])('refuses the proxy %j before anything is sent without it', (proxy) => {
	expect(thrownBy(() => requestOptionsOf({ proxy }))).toMatchObject({
		reason: 'refused_by_n8n',
		message: 'The proxy is not valid',
		mayBeCharged: false,
	});
});
