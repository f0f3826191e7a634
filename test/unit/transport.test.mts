/** @file What n8n's Request Options mean, where test/engine/requestOptions.test.mts does not see it. */

import { expect, it } from 'vitest';

import { requestOptionsOf } from '../../nodes/shared/http/transport.ts';

const proxyOf = (port: number, protocol = 'http') => ({
	protocol,
	host: 'proxy.example.com',
	port,
});

it.each<[saved: object | null, sent: object]>([
	[null, {}],
	[{ timeout: 0, proxy: '', allowUnauthorizedCerts: false }, {}],
	[{ timeout: 5_000, batching: { batch: { batchSize: 50 } } }, { timeout: 5_000 }],
	[{ proxy: 'https://proxy.example.com/' }, { proxy: proxyOf(443, 'https') }],
	[{ proxy: ' proxy.example.com:3128 ' }, { proxy: proxyOf(3128) }],
	// A percent sign that encodes nothing.
	[
		{ proxy: 'http://ada:50%@proxy.example.com:3128' },
		{ proxy: { ...proxyOf(3128), auth: { username: 'ada', password: '50%25' } } },
	],
])('%j is sent as %j', (saved, sent) => {
	expect(requestOptionsOf(saved)).toEqual(sent);
});
