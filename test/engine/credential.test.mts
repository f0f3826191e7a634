/** @file The credential as n8n itself uses it: in its dialog, and in its HTTP Request node. */

import { describe, expect, test } from 'vitest';

import { verifyBulk } from '../support/bulk.mts';
import { requestWithCredential, testCredential } from '../support/credentialUse.mts';
import { runNode } from '../support/engine.mts';
import { verify } from '../support/lookups.mts';
import { giveJson, queryOf, useServer } from '../support/ownServer.mts';
import { credentialFor, KEY, useService } from '../support/service.mts';

const service = useService();
const serve = useServer();

const account = { name: 'Ada Lovelace', email: 'ada@engine.example' };

describe("n8n's HTTP Request node with the credential", () => {
	const credential = () => credentialFor(service());

	test.each(['/api/v2/account', '/api/v2/list?x=1#y', '/company/search?kw=e'])(
		'gets %s with the key of the account',
		async (path) => {
			await requestWithCredential(credential(), `${service().baseUrl}${path}`).catch(() => {});
			expect(service().requests).toHaveLength(1);
			expect(service().requests[0].headers).toMatchObject({ 'x-access-key': KEY });
			// What it asks for is not the credential's business.
			service().reset();
		},
	);

	test('gets the account', async () => {
		const uri = `${service().baseUrl}/api/v2/account`;
		expect(await requestWithCredential(credential(), uri)).toMatchObject(account);
	});

	test('sends the key to no other origin', async () => {
		const seen: unknown[] = [];
		const elsewhere = await serve((request, response) => {
			seen.push(request.headers);
			response.end('{}');
		});
		for (const uri of [elsewhere, `${elsewhere}/api/v2/account`, 'api/v2/account']) {
			await expect(requestWithCredential(credential(), uri)).rejects.toThrow('Base URL');
		}
		expect(seen).toEqual([]);
	});

	test('does not carry the key along with a redirect', async () => {
		const seen: unknown[] = [];
		const elsewhere = await serve((request, response) => {
			seen.push(request.headers);
			response.end('{}');
		});
		service().faults.add({ redirect: `${elsewhere}/api/v2/account` });
		const uri = `${service().baseUrl}/api/v2/account`;
		const follow = { followRedirect: true, followAllRedirects: true };
		await requestWithCredential(credential(), uri, follow).catch(() => {});
		expect(service().requests).toHaveLength(1);
		expect(seen).toEqual([]);
	});
});

describe('a key that is a part of the addresses to verify', () => {
	const apiKey = 'demo';
	const emails = [`${apiKey}@acme.com`, `ann@${apiKey}.com`, 'ann@acme.com'];

	/** A service that verifies every address. Gives its address, and notes what it is asked. */
	async function verifier(asked: string[]): Promise<string> {
		return await serve((request, response) => {
			const addresses = queryOf(request).getAll('email');
			asked.push(...addresses);
			const rows = addresses.map((email) => ({ email, email_status: 'valid' }));
			giveJson(response, request.url?.includes('bulk') ? rows : rows[0]);
		});
	}

	test.each([verify, verifyBulk])(
		'$operation: they are delivered, and paid for once, also with Retry On Fail',
		async (lookup) => {
			const asked: string[] = [];
			const { json, error } = await runNode({
				node: lookup.node,
				parameters: { ...lookup.parameters, options: { incompleteRun: 'fail' } },
				items: emails.map((email) => ({ email })),
				credential: { baseUrl: await verifier(asked), apiKey },
				retryOnFail: true,
				maxTries: 3,
			});
			expect(error).toBeUndefined();
			expect(json).toMatchObject(
				emails.map((email) => ({ status: 'verified', email, emailStatus: 'valid' })),
			);
			expect(asked.toSorted()).toEqual(emails.toSorted());
		},
	);
});

describe('blanks around the fields of the credential', () => {
	const blanks = [
		['a blank before the Base URL', ' ', ''],
		['a blank behind it', '', ' '],
		['a line break behind it', '', '\n'],
		['tabs and no-break spaces', '\t\u00a0', '\u00a0\t'],
		['a slash and a blank behind it', '', '/ '],
	];

	test.each(blanks)(
		"%s: the nodes, n8n's test of it and its HTTP Request node accept it alike",
		async (_, before, behind) => {
			const { baseUrl } = service();
			const credential = {
				...credentialFor(service()),
				baseUrl: `${before}${baseUrl}${behind}`,
				apiKey: `${before}${KEY}${behind.replace('/', '')}`,
			};
			const get = { node: 'contactDataAccount', parameters: { operation: 'get' } } as const;
			expect((await runNode({ ...get, credential })).json).toMatchObject([account]);
			expect(await testCredential(credential)).toMatchObject(account);
			const uri = `${baseUrl}/api/v2/account`;
			expect(await requestWithCredential(credential, uri)).toMatchObject(account);
		},
	);
});
