/** @file Requests that n8n, the network or the service refuses, or that nobody answers. */

import { UserError, type ICredentialDataDecryptedObject } from 'n8n-workflow';
import { afterEach, describe, expect, test, vi } from 'vitest';

import { outcomeIn } from '../support/node/definedItems.mts';
import { runNode, type NodeResult } from '../support/node/engine.mts';
import { bulkJob, everyOperation, listWithId } from '../operations.mts';
import {
	answerIn,
	continues,
	find,
	findBulk,
	leadOf,
	lookups,
	numbers,
	runLookup,
} from '../support/leads/lookups.mts';
import { outboundHttp, ssrfProtection } from '../support/node/n8nServices.mts';
import { useQuickClock, useQuickDeadlines } from '../support/node/quickClock.mts';
import { trickle, useSelfSigned, useServer, useTcpServer } from '../support/servers/ownServer.mts';
import { credentialFor, KEY, useService } from '../support/servers/service.mts';

const service = useService();
const serve = useServer();
const listen = useTcpServer();
const selfSigned = useSelfSigned();
useQuickClock();
useQuickDeadlines();

afterEach(() => {
	vi.restoreAllMocks();
	ssrfProtection.enabled = false;
});

/** Of Request Options: how long the node waits for an answer, in milliseconds. */
const impatient = { ...continues, parameters: { requestOptions: { timeout: 5_000 } } };

/** Nothing was sent, and n8n keeps and shows no credits that the node has spent. */
function expectNothingSpent({ run: { data } }: NodeResult): void {
	expect(service().requests).toEqual([]);
	const { contactDataCredits } = data.executionData?.contextData.flow ?? {};
	const { contact_data_credits: told = '0 credits spent' } = data.resultData.metadata ?? {};
	expect([contactDataCredits, told]).toEqual([undefined, '0 credits spent']);
}

const restricted = 'The request was blocked because it resolves to a restricted IP address';
const undecrypted = 'Credentials could not be decrypted';
const unreadable = () => ({
	...credentialFor(service()),
	get apiKey(): string {
		throw new UserError(undecrypted);
	},
});
const insecure = () => ({ baseUrl: 'http://example.com', apiKey: KEY });

type Refusal = [
	what: string,
	reason: string,
	message: string,
	credential: () => ICredentialDataDecryptedObject,
	asked: number,
];

/** What n8n or the node refuses, and how often n8n is asked to send a request. */
const refused: Refusal[] = [
	['SSRF protection', 'refused_by_n8n', restricted, () => credentialFor(service()), 15],
	['a credential that cannot be read', 'refused_by_n8n', undecrypted, unreadable, 0],
	['a Base URL without https', 'refused_base_url', 'https', insecure, 0],
];

type Trouble = [what: string, reason: string, message: RegExp, () => Promise<string> | string];

const plain = () => service().baseUrl.replace('http', 'https');
// Of a connection that is reset, Node does not say when.
const cut = async () => `https://${await listen((socket) => socket.end())}`;
const untrusted = async () => await selfSigned(service().baseUrl);

/** What the network does to a request before it is sent: at which Base URL, and what the item says. */
const unreachable: Trouble[] = [
	['an unknown host', 'connection', /^The host api.invalid was not/, () => 'https://api.invalid'],
	['a closed port', 'connection', /URL refused the connection/, () => 'https://127.0.0.1:9'],
	['a server without https', 'connection', /not accept https/, plain],
	['a cut before it is secure', 'connection', /not accept https/, cut],
	['its own certificate', 'refused_base_url', /certificate is not valid/, untrusted],
];

const mostUnanswered = 10;
const downItem = { lookupStatus: 'not_processed', lookupReason: 'service_down' };

describe.each(lookups)('$operation', (lookup) => {
	const { perRequest } = lookup;

	test.each(refused)(
		'%s costs nothing, is not tried again, says nothing of the service, and why is passed on',
		async (_, reason, message, credential, asked) => {
			ssrfProtection.enabled = message === restricted;
			const requests = vi.spyOn(outboundHttp, 'requests');
			const wanted = numbers(15 * perRequest);
			// There is room for two requests, and fifteen are refused.
			const result = await runLookup(lookup, service(), wanted.map(lookup.item), {
				...continues,
				credential: credential(),
				options: { maxConcurrency: 1, maxCredits: 2 * perRequest },
			});
			expectNothingSpent(result);
			const said = { lookupReason: reason, lookupMessage: expect.stringContaining(message) };
			const item = { lookupStatus: 'failed', ...said };
			expect(result.json).toMatchObject(wanted.map(() => item));
			expect(requests).toHaveBeenCalledTimes(asked);
			if (message !== undecrypted) expect(result.credentialReads).toBe(1);
		},
	);

	test.each(unreachable)(
		'%s costs nothing, and is told in words',
		async (_, reason, said, place) => {
			const result = await runLookup(lookup, service(), numbers(3).map(lookup.item), {
				...continues,
				credential: { baseUrl: await place(), apiKey: KEY },
				options: { maxRetries: 0 },
			});
			expectNothingSpent(result);
			const item = { lookupStatus: 'failed', lookupReason: reason, lookupCredits: 0 };
			const lookupMessage = expect.stringMatching(said);
			expect(result.json).toMatchObject(numbers(3).map(() => ({ ...item, lookupMessage })));
			expect(result.summary).toContain('Check the Base URL of the credential');
			expect(JSON.stringify(result.run)).not.toContain(KEY);
		},
	);

	test('after ten requests in a row without an answer nothing more is sent', async () => {
		service().faults.add({ delayMs: 30_000 });
		const maxConcurrency = 5;
		const wanted = numbers(20 * perRequest);
		const { json } = await runLookup(lookup, service(), wanted.map(lookup.item), impatient);
		const sent = service().requests.length;
		expect(sent).toBeGreaterThanOrEqual(mostUnanswered);
		expect(sent).toBeLessThan(mostUnanswered + maxConcurrency);
		expect(json).toHaveLength(wanted.length);
		expect(json.at(-1)).toMatchObject(downItem);
		const failed = json.filter(({ lookupStatus }) => lookupStatus === 'failed').length;
		expect(failed).toBeGreaterThan(0);
		expect(failed).toBeLessThanOrEqual(sent * perRequest);
		const down = json.filter((item) => item.lookupReason === downItem.lookupReason).length;
		expect(failed + down).toBe(wanted.length);
	});
});

test('an unknown host is tried twice: it does not come to exist meanwhile', async () => {
	const requests = vi.spyOn(outboundHttp, 'requests');
	const credential = { baseUrl: 'https://api.invalid', apiKey: KEY };
	const { json } = await runLookup(find, service(), [leadOf(0)], { ...continues, credential });
	expect(json[0].lookupMessage).toContain('The host api.invalid was not found (sent 2 times)');
	expect(requests).toHaveBeenCalledTimes(2);
});

describe('a service that hangs', () => {
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
		expect(json.filter(({ lookupStatus }) => lookupStatus === 'not_processed')).toEqual([]);
		expect(service().requests).toHaveLength(15);
	});

	test('is waited for 60 seconds, by a bulk request 120', async () => {
		const deadlines = vi.spyOn(AbortSignal, 'timeout');
		for (const { node, parameters, perRequest = 1 } of everyOperation()) {
			deadlines.mockClear();
			await runNode({ node, parameters, credential: credentialFor(service()) });
			const timeout = perRequest > 1 ? 120_000 : 60_000;
			expect(new Set(deadlines.mock.calls.flat())).toEqual(new Set([timeout]));
		}
	});
});

/** What never ends: nothing comes, or an answer begins. With each operation; to Check API, that is the result. */
const endless = [...everyOperation(), bulkJob('5')]
	.filter(({ operation }) => operation !== 'check')
	.flatMap((sample) => [
		{ ...sample, what: 'no answer', isStopped: false },
		...[false, true].map((isStopped) => ({ ...sample, what: 'an endless one', isStopped })),
	]);

test.each(endless)(
	'$node $operation, with $what, ends at the Timeout of Request Options; stopped: $isStopped',
	async ({ node, operation, parameters, isLookup, what, isStopped }) => {
		const options = { ...Object(parameters.options), ...(isLookup && { maxRetries: 0 }) };
		const timeout = 2_000;
		const deadlines = vi.spyOn(AbortSignal, 'timeout');
		const stop = new AbortController();
		let arrived = 0;
		const baseUrl = await serve((...exchange) => {
			arrived++;
			if (what !== 'no answer') trickle(...exchange);
			if (isStopped) stop.abort();
		});
		const { json } = await runNode({
			node,
			parameters: { ...parameters, options, requestOptions: { timeout } },
			credential: { baseUrl, apiKey: KEY },
			stop: stop.signal,
			...continues,
		});
		expect(deadlines.mock.calls).toEqual(numbers(arrived).map(() => [timeout]));
		if (isStopped) return expect(arrived).toBe(1);
		const lookupReason = operation.endsWith('Bulk') ? 'unknown_outcome' : 'connection';
		const lookupMessage = expect.stringMatching(/^The service did not respond in time/);
		const said = { lookupStatus: 'failed', lookupReason, lookupMessage };
		expect(json.map(outcomeIn)).toMatchObject([said]);
	},
);

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

test('after a 402 of Get Company Leads, nothing further is sent', async () => {
	service().faults.add({ status: 402, on: { operation: 'getCompanyLeads', nth: 3 } });
	const items = numbers(60).map((number) => ({ domain: `c${number}.bulk.example` }));
	const { json } = await runNode({
		node: 'contactDataCompany',
		parameters: { operation: 'getLeads' },
		items,
		credential: credentialFor(service()),
		...continues,
	});
	const { requests } = service();
	// Some were on the way when the refusal came.
	expect(requests.length).toBeLessThan(3 + 5);
	const unsent = json.filter(({ lookupReason }) => lookupReason === 'out_of_credits');
	expect(unsent.length).toBeGreaterThanOrEqual(items.length - requests.length);
	expect(unsent.at(-1)).toMatchObject({ lookupStatus: 'not_processed' });
	expect(unsent.at(-1)?.lookupMessage).toMatch(/^Not sent: /);
});
