/** @file The credential: how it may be typed, and where its key goes, by the nodes and by n8n itself. */

import { describe, expect, test } from 'vitest';

import { requestWithCredential, testCredential } from '../support/node/credentialUse.mts';
import { runNode } from '../support/node/engine.mts';
import { find, leadOf, runLookup, verify, verifyBulk } from '../support/leads/lookups.mts';
import { giveJson, queryOf, useServer } from '../support/servers/ownServer.mts';
import { credentialFor, KEY, useService } from '../support/servers/service.mts';

const service = useService();
const serve = useServer();

const account = { name: 'Ada Lovelace', email: 'ada@engine.example' };
const accountUrl = () => `${service().baseUrl}/api/v2/account`;

test('the key goes to no other origin, neither directly nor by a redirect', async () => {
	let seen = 0;
	const elsewhere = await serve((_, response) => {
		seen++;
		response.end('{}');
	});
	const credential = credentialFor(service());
	for (const uri of [elsewhere, `${elsewhere}/api/v2/account`, 'api/v2/account']) {
		await expect(requestWithCredential(credential, uri)).rejects.toThrow('Base URL');
	}
	service().faults.add({ redirect: `${elsewhere}/api/v2/account` });
	const follow = { followRedirect: true, followAllRedirects: true };
	await requestWithCredential(credential, accountUrl(), follow).catch(() => {});
	const { json } = await runLookup(find, service(), [leadOf(0)], {
		onError: 'continueRegularOutput',
	});
	expect(json).toMatchObject([{ status: 'failed', reason: 'redirected', httpCode: 302 }]);
	expect(json[0].message).toContain(elsewhere);
	expect(service().requests).toHaveLength(2);
	expect(seen).toBe(0);
});

test('a key that the service sends back is masked, wherever it stands', async () => {
	const apiKey = 'secret-key-4711';
	const baseUrl = await serve((request, response) => {
		const wrong = request.url?.includes(leadOf(1).first) ?? false;
		const answer = { email: `${apiKey}@x.example`, [apiKey]: [{ deep: apiKey }] };
		giveJson(response, wrong ? { message: `Bad key ${apiKey}` } : answer, wrong ? 400 : 200);
	});
	for (const onError of ['continueRegularOutput', 'continueErrorOutput', 'stopWorkflow'] as const) {
		const { run } = await runLookup(find, service(), [0, 1].map(leadOf), {
			credential: { baseUrl, apiKey },
			parameters: { simple: false },
			onError,
		});
		expect(JSON.stringify(run)).not.toContain(apiKey);
	}
});

test.each([verify, verifyBulk])(
	'$operation: emails that the key is a part of are delivered, and paid for once, also with Retry On Fail',
	async (lookup) => {
		const apiKey = 'demo';
		const emails = [`${apiKey}@acme.com`, `ann@${apiKey}.com`, 'ann@acme.com'];
		const asked: string[] = [];
		const baseUrl = await serve((request, response) => {
			const addresses = queryOf(request).getAll('email');
			asked.push(...addresses);
			const rows = addresses.map((email) => ({ email, email_status: 'valid' }));
			giveJson(response, request.url?.includes('bulk') ? rows : rows[0]);
		});
		const items = emails.map((email) => ({ email }));
		const { json, error } = await runLookup(lookup, service(), items, {
			options: { incompleteRun: 'fail' },
			credential: { baseUrl, apiKey },
			retryOnFail: true,
			maxTries: 3,
		});
		expect(error).toBeUndefined();
		const verified = { status: 'verified', emailStatus: 'valid' };
		expect(json).toMatchObject(items.map((item) => ({ ...verified, ...item })));
		expect(asked.toSorted()).toEqual(emails.toSorted());
	},
);

describe('a Base URL as people type and paste it', () => {
	const bare = (baseUrl: string) => baseUrl.replace('http://', '');

	test.each<[what: string, (baseUrl: string) => string]>([
		['a blank before it', (baseUrl) => ` ${baseUrl}`],
		['a line break behind it', (baseUrl) => `${baseUrl}\n`],
		['no scheme', bare],
		['the path of the API', (baseUrl) => `${baseUrl}/api/v2/`],
		['a whole endpoint', (baseUrl) => `${baseUrl}/v3/verify?email=ada@acme.com`],
		['no scheme, and a path', (baseUrl) => `${bare(baseUrl)}/api/v2`],
	])(
		"with %s: the nodes, n8n's test of it and its HTTP Request node accept it alike",
		async (_, change) => {
			const baseUrl = change(service().baseUrl);
			const credential = { ...credentialFor(service()), baseUrl, apiKey: ` ${KEY}\n` };
			const get = { node: 'contactDataAccount', parameters: { operation: 'get' } } as const;
			expect((await runNode({ ...get, credential })).json).toMatchObject([account]);
			expect(await testCredential(credential)).toMatchObject(account);
			expect(await requestWithCredential(credential, accountUrl())).toMatchObject(account);
		},
	);

	test('without a host that can be meant, nothing is sent, and n8n shows why', async () => {
		for (const baseUrl of ['nowhere', KEY, 'ada@acme.com', '']) {
			const credential = { ...credentialFor(service()), baseUrl };
			await expect(testCredential(credential)).rejects.toThrow('is not a valid URL. Enter the URL');
		}
	});
});
