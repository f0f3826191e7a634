/** @file The credential: how it may be typed, and where its key goes, also where each item has one of its own. */

import type { IDataObject } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';

import { rowsOf } from '../emulator/operations/bulkFinder.mts';
import type { WireRequest } from '../emulator/wireLog.mts';
import { requestWithCredential, testCredential } from '../support/node/contexts.mts';
import { runNode } from '../support/node/engine.mts';
import {
	answerIn,
	continues,
	find,
	findBulk,
	leadOf,
	lookups,
	numbers,
	paidAmong,
	runLookup,
	sentAfterwards,
	subjectsOf,
	verify,
	verifyBulk,
} from '../support/leads/lookups.mts';
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
	const { json } = await runLookup(find, service(), [leadOf(0)], continues);
	expect(json).toMatchObject([{ lookupStatus: 'failed', lookupReason: 'redirected' }]);
	expect(json[0].lookupMessage).toContain(elsewhere);
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
		const verified = { lookupStatus: 'verified', emailStatus: 'valid' };
		expect(json).toMatchObject(items.map((item) => ({ ...verified, ...item })));
		expect(asked.toSorted()).toEqual(emails.toSorted());
	},
);

const getAccount = { node: 'contactDataAccount', parameters: { operation: 'get' } } as const;

describe('a Base URL as people type and paste it', () => {
	test("the nodes, n8n's test of it and its HTTP Request node accept it alike", async () => {
		const baseUrl = ` ${service().baseUrl.replace('http://', '')}/api/v2/\n`;
		const credential = { ...credentialFor(service()), baseUrl, apiKey: ` ${KEY}\n` };
		expect((await runNode({ ...getAccount, credential })).json).toMatchObject([account]);
		expect(await testCredential(credential)).toMatchObject(account);
		expect(await requestWithCredential(credential, accountUrl())).toMatchObject(account);
	});

	test('without a host that can be right, nothing is sent, and n8n shows why', async () => {
		for (const baseUrl of ['nowhere', KEY, 'ada@acme.com', '']) {
			const credential = { ...credentialFor(service()), baseUrl };
			await expect(testCredential(credential)).rejects.toThrow('is not a valid URL. Enter the URL');
		}
	});

	test.each(['?', '#'])('with a %s: n8n and the nodes say to leave it out', async (sign) => {
		const credential = { ...credentialFor(service()), baseUrl: `${service().baseUrl}${sign}x=1` };
		const advice = `Leave out the ${sign} and all that follows it.`;
		await expect(testCredential(credential)).rejects.toThrow(advice);
		const { error } = await runNode({ ...getAccount, credential });
		expect(error).toMatchObject({ description: advice });
		expect(service().requests).toEqual([]);
	});
});

/** Whose key a request carries. */
const keyOf = ({ headers }: WireRequest) => String(headers['x-access-key']);

/** The first names of the leads that a request asks for: each lead has one of its own. */
function subjects({ rawQuery, body }: WireRequest): string[] {
	const names = rowsOf(body).map(({ firstName }) => String(firstName));
	const sent = `${rawQuery} ${names.join()}`.toLowerCase();
	return [...sent.matchAll(/ann\d{5}/g)].map(([name]) => name);
}

const firstNameOf = (number: number) => leadOf(number).first.toLowerCase();

describe('an API key that is an expression', () => {
	const keys = ['test-key', 'second-key'];
	const tenantKey = (number: number) => keys[number % keys.length];
	const keyed = (items: IDataObject[]) =>
		items.map((item, number): IDataObject => ({ tenantKey: tenantKey(number), ...item }));
	const credential = () => ({ ...credentialFor(service()), apiKey: '={{ $json.tenantKey }}' });

	describe.each(lookups)('$operation', (lookup) => {
		const wanted = numbers(2 * lookup.perRequest + 40);
		const items = wanted.map(lookup.item);

		test('every item travels with its own', async () => {
			const test = { credential: credential() };
			const { json } = await runLookup(lookup, service(), keyed(items), test);
			expect(json.map(answerIn)).toEqual(wanted.map(lookup.answer));
			for (const key of keys) {
				const own = wanted.filter((number) => tenantKey(number) === key);
				const asked = service().requests.filter((request) => keyOf(request) === key);
				expect(asked.flatMap(subjects).toSorted()).toEqual(own.map(firstNameOf).toSorted());
				expect(asked).toHaveLength(Math.ceil(own.length / lookup.perRequest));
				const paid = service().ledger.charges.filter(({ account }) => account === key);
				const charged = paid.map(({ subject }) => subject).toSorted();
				expect(charged).toEqual(subjectsOf(lookup, own).toSorted());
			}
		});

		test('one that fails for an item stops a run that is to be complete before it costs anything', async () => {
			const { error } = await runLookup(
				lookup,
				service(),
				keyed(items.with(3, { ...items[3], tenantKey: null })),
				{
					credential: { ...credential(), apiKey: '={{ $json.tenantKey.removeTags() }}' },
					options: { incompleteRun: 'fail' },
				},
			);
			expect(await sentAfterwards(service())).toEqual([]);
			expect(error?.message).toContain('[item 3]');
			expect(service().requests).toEqual([]);
		});
	});

	test('reads: the account of each item answers', async () => {
		const items = keyed(numbers(8).map(() => ({})));
		const parameters = { operation: 'get' };
		const test = { node: 'contactDataAccount', parameters, items } as const;
		const { json } = await runNode({ ...test, credential: credential() });
		expect(json.map(({ email }) => email)).toEqual(
			items.map((item) => service().fixtures.account(String(item.tenantKey))?.email),
		);
	});

	describe('jobs', () => {
		const wanted = paidAmong(find, 40).slice(0, 2);
		const given = () => ({ credential: credential(), ...continues });
		const finder = (items: IDataObject[]) =>
			runLookup(findBulk, service(), items, {
				...given(),
				options: { jobTimeout: 0 },
				parameters: { includeInputFields: true },
			});

		/** Items that wait each for a job of its key, and the same with the key of the other one. */
		async function pendingItems() {
			Object.assign(service().variants, { bulkAnswer: 'job', jobPolls: 1_000_000 });
			const own = (await finder(keyed(wanted.map(findBulk.item)))).json;
			expect(own.map(({ lookupJobId }) => lookupJobId)).toEqual(['9001', '9002']);
			service().variants.jobPolls = 0;
			return [own, own.map((item, index) => ({ ...item, tenantKey: tenantKey(index + 1) }))];
		}

		/** The keys to which the service has given a job. */
		const givenTo = (id: string, { requests } = service()) =>
			requests.flatMap((request) =>
				request.path.endsWith(`/${id}`) && request.status === 200 ? keyOf(request) : [],
			);

		test('a Finder collects each with the key of its item; with another it asks anew', async () => {
			const [own, others] = await pendingItems();
			const { json } = await finder([...own, ...others]);
			expect(json.map(answerIn)).toEqual([...wanted, ...wanted].map(findBulk.answer));
			expect(['9001', '9002'].map((id) => new Set(givenTo(id)))).toEqual(
				keys.map((key) => new Set([key])),
			);
			const paid = service().ledger.charges.map(({ account, subject }) => [account, subject]);
			const subjects = subjectsOf(findBulk, wanted);
			const both = keys.flatMap((key) => subjects.map((subject) => [key, subject]));
			expect(paid.toSorted()).toEqual(both.toSorted());
		});

		test('Get Bulk Job reads each with the key of its item, and for nobody else', async () => {
			const [own, others] = await pendingItems();
			const parameters = { operation: 'getBulkJob', jobId: '={{ $json.lookupJobId }}' };
			const items = [...own, ...others];
			const { json } = await runNode({ node: 'contactDataFinder', parameters, items, ...given() });
			expect(json.slice(0, 2).map(answerIn)).toEqual(wanted.map(findBulk.answer));
			const unknown = { lookupStatus: 'failed', lookupReason: 'not_found' };
			expect(json.slice(2)).toMatchObject(others.map(() => unknown));
			expect(service().ledger.total()).toBe(wanted.length);
		});
	});

	test('an item without a key is not sent with that of another', async () => {
		const items = numbers(4).map((number) => find.item(number));
		Object.assign(items[1], { tenantKey: '' });
		Object.assign(items[2], { tenantKey: null });
		const { json } = await runLookup(find, service(), keyed(items), {
			credential: credential(),
			onError: 'continueRegularOutput',
			options: { maxConcurrency: 1 },
		});
		expect([json[0], json[3]].map(answerIn)).toEqual([0, 3].map(find.answer));
		const lookupMessage = expect.stringContaining('The API Key of the credential is empty');
		expect(json[1]).toMatchObject({ lookupReason: 'unauthorized', lookupMessage });
		expect(json[2].lookupStatus).toBe('failed');
		const withKey = service().requests.filter((request) => keys.includes(keyOf(request)));
		expect(withKey.flatMap(subjects).toSorted()).toEqual([0, 3].map(firstNameOf));
	});
});
