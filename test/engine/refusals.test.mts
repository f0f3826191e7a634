/** @file Requests that n8n, the service or the network refuses, or never answers. */

import { UserError, type ICredentialDataDecryptedObject } from 'n8n-workflow';
import { afterEach, describe, expect, test, vi } from 'vitest';

import { answerIn, asksFor, bulks, findBulk, numbers, requestsOf } from '../support/bulk.mts';
import { runNode, type NodeResult } from '../support/engine.mts';
import { everyOperation, listWithId } from '../support/everyOperation.mts';
import { expectPaidOnce, find, lookups, runLookup, type Lookup } from '../support/lookups.mts';
import { outboundHttp, ssrfProtection } from '../support/n8nServices.mts';
import { useTcpServer } from '../support/ownServer.mts';
import { credentialFor, KEY, useService } from '../support/service.mts';

const service = useService();

afterEach(() => void vi.restoreAllMocks());

const continues = { onError: 'continueRegularOutput' } as const;

/** What n8n keeps of the credits that the node has spent, and shows beside the execution. */
function countedIn({ run: { data } }: NodeResult): unknown {
	const { contactDataCredits } = data.executionData?.contextData.flow ?? {};
	const { contact_data_credits: told = '0 credits spent' } = data.resultData.metadata ?? {};
	return [contactDataCredits, told];
}

const nothingCounted = [undefined, '0 credits spent'];

describe('what n8n refuses before it is sent', () => {
	afterEach(() => {
		ssrfProtection.enabled = false;
	});

	/** The node has room for two lookups, and n8n refuses ten. */
	async function refused(lookup: Lookup, credential: ICredentialDataDecryptedObject) {
		const wanted = numbers(10);
		const result = await runLookup(lookup, service(), wanted.map(lookup.item), {
			...continues,
			credential,
			options: { maxCredits: lookup.perRequest > 1 ? 10 : 2 },
		});
		expect(service().requests).toEqual([]);
		expect(countedIn(result)).toEqual(nothingCounted);
		expect(result.json).toHaveLength(wanted.length);
		return result.json;
	}

	test.each(lookups)(
		"$operation: SSRF protection costs nothing, is not tried again, and n8n's words are passed on",
		async (lookup) => {
			ssrfProtection.enabled = true;
			const requests = vi.spyOn(outboundHttp, 'requests');
			const json = await refused(lookup, credentialFor(service()));
			for (const item of json) {
				expect(item).toMatchObject({
					status: 'failed',
					reason: 'refused_by_n8n',
					message: expect.stringContaining(
						'The request was blocked because it resolves to a restricted IP address',
					),
				});
			}
			expect(requests).toHaveBeenCalledTimes(json.length / Math.min(10, lookup.perRequest));
		},
	);

	test.each(lookups)('$operation: a credential that cannot be read', async (lookup) => {
		const message = 'Credentials could not be decrypted';
		const json = await refused(lookup, {
			...credentialFor(service()),
			get apiKey(): string {
				throw new UserError(message);
			},
		});
		for (const item of json) {
			expect(item).toMatchObject({
				status: 'failed',
				reason: 'refused_by_n8n',
				message: expect.stringContaining(message),
			});
		}
	});

	test.each(lookups)('$operation: it says nothing of the service', async (lookup) => {
		ssrfProtection.enabled = true;
		const wanted = numbers(15 * lookup.perRequest);
		const { json } = await runLookup(lookup, service(), wanted.map(lookup.item), {
			...continues,
			options: { maxConcurrency: 1 },
		});
		expect(json.map(({ reason }) => reason)).toEqual(wanted.map(() => 'refused_by_n8n'));
	});

	test.each(lookups)(
		'$operation: a credential that is refused is read once for all items',
		async (lookup) => {
			const { json, credentialReads } = await runLookup(
				lookup,
				service(),
				numbers(200).map(lookup.item),
				{ ...continues, credential: { baseUrl: 'http://example.com', apiKey: 'test-key' } },
			);
			expect(json.map(({ reason }) => reason)).toEqual(json.map(() => 'refused_base_url'));
			expect(json).toHaveLength(200);
			expect(credentialReads).toBe(1);
		},
	);

	test('a read stops the workflow with the words of n8n', async () => {
		ssrfProtection.enabled = true;
		const { error } = await runNode({
			node: 'contactDataAccount',
			parameters: { operation: 'get' },
			credential: credentialFor(service()),
		});
		expect(error?.message).toContain('blocked because it resolves to a restricted IP address');
		expect(service().requests).toEqual([]);
	});
});

describe.each(lookups)('a connection of $operation that is cut before it is secure', (lookup) => {
	const listen = useTcpServer();

	test('nothing was sent, and nothing can have been charged', async () => {
		// Of a connection that is reset, Node does not say when.
		const baseUrl = `https://${await listen((socket) => socket.end())}`;
		const result = await runLookup(lookup, service(), numbers(3).map(lookup.item), {
			...continues,
			credential: { ...credentialFor(service()), baseUrl },
			options: { maxRetries: 0 },
		});
		const { json } = result;
		expect(json.map(({ reason }) => reason)).toEqual(json.map(() => 'connection'));
		expect(json.map(({ credits }) => credits)).toEqual([0, 0, 0]);
		expect(countedIn(result)).toEqual(nothingCounted);
	});
});

test('a 402 for one list does not stop the reads of the others', async () => {
	service().faults.add({ status: 402, on: { operation: 'getList', nth: 1 } });
	const items = numbers(12).map((number) => ({ id: number % 2 === 0 ? '101' : '102' }));
	const { json, errorItems } = await runNode({
		node: 'contactDataList',
		parameters: { operation: 'get', listId: listWithId('={{ $json.id }}') },
		items,
		credential: credentialFor(service()),
		onError: 'continueErrorOutput',
	});
	expect(errorItems).toHaveLength(1);
	expect(json).toHaveLength(items.length - 1);
	expect(service().requests).toHaveLength(items.length);
});

describe.each(bulks)('a row that the service refuses, in a request of $operation', (bulk) => {
	const wanted = numbers(250);
	const refused = bulk.perRequest + 23;
	const chunks = wanted.length / bulk.perRequest;
	const halvings = Math.ceil(Math.log2(bulk.perRequest));

	async function run(status: number, test = {}): Promise<NodeResult> {
		service().faults.add({ status, on: { where: asksFor(refused) } });
		return await runLookup(bulk, service(), wanted.map(bulk.item), test);
	}

	test.each([400, 413, 414, 422])('with a %i costs no other its answer', async (status) => {
		const { json, error } = await run(status);
		expect(error).toBeUndefined();
		expect(json[refused]).toMatchObject({ status: 'failed', httpCode: status });
		const others = wanted.filter((number) => number !== refused);
		expect(others.map((number) => answerIn(json[number]))).toEqual(others.map(bulk.answer));
		expectPaidOnce(service(), bulk, others);
		expect(requestsOf(service(), bulk.operation).length).toBeLessThanOrEqual(
			Math.ceil(chunks) + 2 * halvings,
		);
	});

	test.each([403, 409])(
		'with a %i, which is not due to the row, is not sent again',
		async (status) => {
			const { json } = await run(status);
			expect(json.filter((item) => item.status === 'failed')).toHaveLength(bulk.perRequest);
			expect(service().requests).toHaveLength(Math.ceil(chunks));
		},
	);

	test('within Max Credits: what the others cost is all that is spent', async () => {
		const { json } = await run(400, { options: { maxCredits: 250, maxConcurrency: 1 } });
		expect(json.filter(({ status }) => status === 'not_processed')).toEqual([]);
		expect(json.filter(({ status }) => status === 'failed')).toHaveLength(1);
	});
});

describe('a service that hangs', () => {
	/** Of Request Options: how long the node waits for an answer, in milliseconds. */
	const impatient = { requestOptions: { timeout: 150 } };
	const mostUnanswered = 10;
	const maxConcurrency = 5;

	const downItem = { status: 'not_processed', reason: 'service_down' };

	test.each(lookups)(
		'$operation: after ten requests in a row without an answer nothing more is sent',
		async (lookup) => {
			service().faults.add({ delayMs: 30_000 });
			const wanted = numbers(20 * lookup.perRequest);
			const { json } = await runLookup(lookup, service(), wanted.map(lookup.item), {
				...continues,
				parameters: impatient,
			});
			const sent = service().requests.length;
			expect(sent).toBeGreaterThanOrEqual(mostUnanswered);
			expect(sent).toBeLessThan(mostUnanswered + maxConcurrency);
			expect(json).toHaveLength(wanted.length);
			expect(json.at(-1)).toMatchObject(downItem);
			const failed = json.filter(({ status }) => status === 'failed');
			expect(failed.length).toBeGreaterThan(0);
			expect(failed.length).toBeLessThanOrEqual(sent * lookup.perRequest);
			expect(json).toHaveLength(
				failed.length + json.filter(({ reason }) => reason === downItem.reason).length,
			);
		},
	);

	test('is given up by a run of several accounts together', async () => {
		service().faults.add({ delayMs: 30_000 });
		const items = numbers(40).map((number) => ({ ...find.item(number), account: number % 4 }));
		const { json } = await runLookup(find, service(), items, {
			...continues,
			credential: { ...credentialFor(service()), apiKey: '={{ "key-" + $json.account }}' },
			parameters: impatient,
			options: { maxConcurrency: 1, maxRetries: 0 },
		});
		expect(service().requests).toHaveLength(mostUnanswered);
		expect(json.at(-1)).toMatchObject(downItem);
	});

	test('stops the workflow where nothing was answered', async () => {
		service().faults.add({ delayMs: 30_000 });
		const wanted = numbers(1_500);
		const { json, error } = await runLookup(findBulk, service(), wanted.map(findBulk.item), {
			parameters: impatient,
		});
		expect(json).toEqual([]);
		expect(error?.message).toMatch(/connection|respond/);
	});

	test('and answers now and then is not given up', async () => {
		service().faults.add({ delayMs: 30_000, on: { where: isUnlucky } });
		const wanted = numbers(1_500);
		const { json } = await runLookup(findBulk, service(), wanted.map(findBulk.item), {
			...continues,
			parameters: impatient,
			options: { maxConcurrency: 1 },
		});
		const lucky = wanted.filter((number) => Math.floor(number / 100) % 3 === 2);
		expect(lucky.map((number) => answerIn(json[number]))).toEqual(lucky.map(findBulk.answer));
		expect(json.filter(({ status }) => status === 'not_processed')).toEqual([]);
		expect(service().requests).toHaveLength(15);
	});

	/** Two of three bulk requests. */
	function isUnlucky(): boolean {
		return service().requests.length % 3 !== 0;
	}

	test('is waited for 60 seconds, by a bulk request 120', async () => {
		const timeouts: Record<string, unknown> = {};
		const clientFor = outboundHttp.requests.bind(outboundHttp);
		for (const { node, operation, parameters } of everyOperation(service())) {
			const clients = vi.spyOn(outboundHttp, 'requests');
			clients.mockImplementation((options) => {
				const client = clientFor(options);
				const request = vi.spyOn(client, 'request');
				request.mockImplementation(async (sent) => {
					timeouts[`${node} ${operation}`] = sent.timeout;
					request.mockRestore();
					return await client.request(sent);
				});
				return client;
			});
			await runNode({ node, parameters, credential: credentialFor(service()) });
			clients.mockRestore();
		}
		const expected = everyOperation(service()).map(({ node, operation }) => [
			`${node} ${operation}`,
			operation.endsWith('Bulk') ? 120_000 : 60_000,
		]);
		expect(timeouts).toEqual(Object.fromEntries(expected));
	});
});

test.each(bulks)(
	'a path that the service does not know is named as such: $operation',
	async (bulk) => {
		service().faults.add({ status: 404, on: { operation: bulk.operation } });
		const { error } = await runLookup(bulk, service(), [bulk.item(1)]);
		expect(error?.message).toContain('The service does not know the path of this request');
		expect(error?.description).toContain('Customize API Requests');
	},
);

test('an item whose key is empty is not sent', async () => {
	const items = numbers(2).map((number) => ({
		...find.item(number),
		key: number === 0 ? '' : KEY,
	}));
	const { json } = await runLookup(find, service(), items, {
		...continues,
		credential: { ...credentialFor(service()), apiKey: '={{ $json.key }}' },
	});
	expect(json[0]).toMatchObject({ status: 'failed', reason: 'unauthorized' });
	expect(json[0].message).toContain('The API Key of the credential is empty');
	expect(answerIn(json[1])).toEqual(find.answer(1));
	expect(service().requests).toHaveLength(1);
});
