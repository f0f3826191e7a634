/** @file Requests that n8n, the service or the network refuses, or never answers. */

import { UserError } from 'n8n-workflow';
import { afterEach, describe, expect, test, vi } from 'vitest';

import { outcomeIn } from '../support/node/definedItems.mts';
import { runNode, type NodeResult } from '../support/node/engine.mts';
import { bulkJob, everyOperation, listWithId } from '../operations.mts';
import {
	answerIn,
	find,
	findBulk,
	lookups,
	numbers,
	runLookup,
} from '../support/leads/lookups.mts';
import { outboundHttp, ssrfProtection } from '../support/node/n8nServices.mts';
import { trickle, useServer, useTcpServer } from '../support/servers/ownServer.mts';
import { credentialFor, useService } from '../support/servers/service.mts';

const service = useService();

afterEach(() => {
	vi.restoreAllMocks();
	ssrfProtection.enabled = false;
});

const continues = { onError: 'continueRegularOutput' } as const;

/** What n8n keeps of the credits that the node has spent, and shows beside the execution. */
function countedIn({ run: { data } }: NodeResult): unknown {
	const { contactDataCredits } = data.executionData?.contextData.flow ?? {};
	const { contact_data_credits: told = '0 credits spent' } = data.resultData.metadata ?? {};
	return [contactDataCredits, told];
}

const nothingCounted = [undefined, '0 credits spent'];

describe('what is refused before it is sent', () => {
	const restricted = 'The request was blocked because it resolves to a restricted IP address';
	const undecrypted = 'Credentials could not be decrypted';
	const unreadable = () => ({
		...credentialFor(service()),
		get apiKey(): string {
			throw new UserError(undecrypted);
		},
	});
	const rows = [
		{
			...{ what: 'SSRF protection', reason: 'refused_by_n8n', message: restricted },
			...{ credentialOf: () => credentialFor(service()), sent: 15 },
		},
		{
			...{ what: 'a credential that cannot be read', reason: 'refused_by_n8n' },
			...{ message: undecrypted, credentialOf: unreadable, sent: 0 },
		},
		{
			...{ what: 'a Base URL without https', reason: 'refused_base_url', message: 'https' },
			...{ credentialOf: () => ({ baseUrl: 'http://example.com', apiKey: 'test-key' }), sent: 0 },
		},
	].flatMap((row) => lookups.map((lookup) => ({ ...row, lookup })));

	test.each(rows)(
		'$lookup.operation: $what costs nothing, is not tried again, says nothing of the service, and why is passed on',
		async ({ lookup, reason, message, sent, credentialOf }) => {
			ssrfProtection.enabled = message === restricted;
			const requests = vi.spyOn(outboundHttp, 'requests');
			const wanted = numbers(15 * lookup.perRequest);
			// There is room for two requests, and fifteen are refused.
			const result = await runLookup(lookup, service(), wanted.map(lookup.item), {
				...continues,
				credential: credentialOf(),
				options: { maxConcurrency: 1, maxCredits: 2 * lookup.perRequest },
			});
			expect(service().requests).toEqual([]);
			expect(countedIn(result)).toEqual(nothingCounted);
			const refused = { status: 'failed', reason, message: expect.stringContaining(message) };
			expect(result.json).toMatchObject(wanted.map(() => refused));
			expect(requests).toHaveBeenCalledTimes(sent);
			if (message !== undecrypted) expect(result.credentialReads).toBe(1);
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

describe('a connection that is cut before it is secure', () => {
	const listen = useTcpServer();

	test.each(lookups)('$operation: nothing was sent or can have been charged', async (lookup) => {
		// Of a connection that is reset, Node does not say when.
		const baseUrl = `https://${await listen((socket) => socket.end())}`;
		const result = await runLookup(lookup, service(), numbers(3).map(lookup.item), {
			...continues,
			credential: { ...credentialFor(service()), baseUrl },
			options: { maxRetries: 0 },
		});
		const free = { reason: 'connection', credits: 0 };
		expect(result.json).toMatchObject([free, free, free]);
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
	expect([errorItems.length, json.length]).toEqual([1, items.length - 1]);
	expect(service().requests).toHaveLength(items.length);
});

describe('a service that hangs', () => {
	/** Of Request Options: how long the node waits for an answer, in milliseconds. */
	const impatient = { ...continues, parameters: { requestOptions: { timeout: 300 } } };
	const mostUnanswered = 10;
	const maxConcurrency = 5;

	const downItem = { status: 'not_processed', reason: 'service_down' };

	test.each(lookups)(
		'$operation: after ten requests in a row without an answer nothing more is sent',
		async (lookup) => {
			service().faults.add({ delayMs: 30_000 });
			const wanted = numbers(20 * lookup.perRequest);
			const { json } = await runLookup(lookup, service(), wanted.map(lookup.item), impatient);
			const sent = service().requests.length;
			expect(sent).toBeGreaterThanOrEqual(mostUnanswered);
			expect(sent).toBeLessThan(mostUnanswered + maxConcurrency);
			expect(json).toHaveLength(wanted.length);
			expect(json.at(-1)).toMatchObject(downItem);
			const failed = json.filter(({ status }) => status === 'failed').length;
			expect(failed).toBeGreaterThan(0);
			expect(failed).toBeLessThanOrEqual(sent * lookup.perRequest);
			const down = json.filter(({ reason }) => reason === downItem.reason).length;
			expect(failed + down).toBe(wanted.length);
		},
	);

	test('is given up by a run of several accounts together', async () => {
		service().faults.add({ delayMs: 30_000 });
		const items = numbers(40).map((number) => ({ ...find.item(number), account: number % 4 }));
		const { json } = await runLookup(find, service(), items, {
			...impatient,
			credential: { ...credentialFor(service()), apiKey: '={{ "key-" + $json.account }}' },
			options: { maxConcurrency: 1, maxRetries: 0 },
		});
		expect(service().requests).toHaveLength(mostUnanswered);
		expect(json.at(-1)).toMatchObject(downItem);
	});

	test('and answers every third request is not given up', async () => {
		const isUnlucky = () => service().requests.length % 3 !== 0;
		service().faults.add({ delayMs: 30_000, on: { where: isUnlucky } });
		const wanted = numbers(1_500);
		const { json } = await runLookup(findBulk, service(), wanted.map(findBulk.item), {
			...impatient,
			options: { maxConcurrency: 1 },
		});
		const lucky = wanted.filter((number) => Math.floor(number / 100) % 3 === 2);
		expect(lucky.map((number) => answerIn(json[number]))).toEqual(lucky.map(findBulk.answer));
		expect(json.filter(({ status }) => status === 'not_processed')).toEqual([]);
		expect(service().requests).toHaveLength(15);
	});

	test('is waited for 60 seconds, by a bulk request 120', async () => {
		const clientFor = outboundHttp.requests.bind(outboundHttp);
		for (const { node, parameters, perRequest = 1 } of everyOperation()) {
			const timeouts = new Set<unknown>();
			vi.spyOn(outboundHttp, 'requests').mockImplementation((options) => {
				const client = clientFor(options);
				const request = client.request.bind(client);
				vi.spyOn(client, 'request').mockImplementation(async (sent) => {
					timeouts.add(sent.timeout);
					return await request(sent);
				});
				return client;
			});
			await runNode({ node, parameters, credential: credentialFor(service()) });
			expect([...timeouts]).toEqual([perRequest > 1 ? 120_000 : 60_000]);
		}
	});
});

describe('a service whose answers begin and never end', () => {
	const serve = useServer();

	/** How long a node waits for an answer, and how long its run may take then, in milliseconds. */
	const timeout = 150;
	const bound = 6_000;

	test.each(
		[...everyOperation(), bulkJob('5')]
			// To Check API, that is the result.
			.filter(({ operation }) => operation !== 'check')
			.flatMap((sample) => [false, true].map((isStopped) => ({ ...sample, isStopped }))),
	)(
		'$node $operation ends at the Timeout of Request Options; stopped: $isStopped',
		{ timeout: 15_000 },
		async ({ node, operation, parameters, isLookup, isStopped }) => {
			// Reads are tried again, here without a wait between the tries.
			vi.spyOn(Math, 'random').mockReturnValue(0);
			const options = { ...Object(parameters.options), ...(isLookup && { maxRetries: 0 }) };
			const stop = new AbortController();
			if (isStopped) setTimeout(() => stop.abort(), timeout / 3);
			const begun = performance.now();
			const { json } = await runNode({
				node,
				parameters: { ...parameters, options, requestOptions: { timeout } },
				credential: { baseUrl: await serve(trickle), apiKey: 'test-key' },
				stop: stop.signal,
				...continues,
			});
			expect(performance.now() - begun).toBeLessThan(bound);
			const reason = operation.endsWith('Bulk') ? 'unknown_outcome' : 'connection';
			if (!isStopped) expect(json.map(outcomeIn)).toMatchObject([{ status: 'failed', reason }]);
		},
	);
});
