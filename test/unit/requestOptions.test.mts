/** @file What n8n's Request Options mean for the requests of the package. */

import { describe, expect, it } from 'vitest';

import { requestOptionsOf } from '../../nodes/shared/http/transport.ts';
import { detailsOf, thrownBy } from './thrown.mts';

describe('requestOptionsOf', () => {
	it.each([[{ timeout: 0, proxy: '', allowUnauthorizedCerts: false }], [{ proxy: null }], [null]])(
		'leaves %j to the defaults',
		(saved) => {
			expect(requestOptionsOf(saved)).toEqual({});
		},
	);

	it('takes timeout and certificates as n8n has them, and nothing of Batching', () => {
		const batching = { batch: { batchSize: 50, batchInterval: 1_000 } };
		expect(requestOptionsOf({ timeout: 5_000, allowUnauthorizedCerts: true, batching })).toEqual({
			timeout: 5_000,
			skipSslCertificateValidation: true,
		});
	});

	const http = (host: string, port: number) => ({ protocol: 'http', host, port });
	const withUser = (username: string, password: string) => ({
		...http('proxy.example.com', 3128),
		auth: { username, password },
	});

	it.each([
		['https://proxy.example.com/', { ...http('proxy.example.com', 443), protocol: 'https' }],
		// Without a scheme n8n would send without the proxy, silently.
		['proxy.example.com:3128', http('proxy.example.com', 3128)],
		[' 10.0.0.1:3128 ', http('10.0.0.1', 3128)],
		['http://ada:s%40cret@proxy.example.com:3128', withUser('ada', 's@cret')],
		['ada:secret@proxy.example.com:3128', withUser('ada', 'secret')],
		['http://ada@proxy.example.com:3128', withUser('ada', '')],
		// A percent sign that encodes nothing.
		['http://ada:50%@proxy.example.com:3128', withUser('ada', '50%')],
	])('takes the proxy %j', (proxy, expected) => {
		expect(requestOptionsOf({ proxy })).toEqual({ proxy: expected });
	});

	it.each([
		['http://'],
		['proxy.example.com:port'],
		['socks5://proxy.example.com:1080'],
		[{ host: 'proxy.example.com' }],
	])('refuses the proxy %j before anything is sent without it', (proxy) => {
		expect(detailsOf(thrownBy(() => requestOptionsOf({ proxy })))).toMatchObject({
			reason: 'refused_by_n8n',
			message: 'The proxy is not valid',
			mayBeCharged: false,
		});
	});
});
