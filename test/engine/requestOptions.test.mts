/** @file What users set under Request Options holds on every road to the service. */

import type { ICredentialDataDecryptedObject, IDataObject, INodeParameters } from 'n8n-workflow';
import { afterEach, describe, expect, test, vi } from 'vitest';

import { forgetRecentAnswers } from '../../nodes/shared/execution/recent.ts';
import type { WireRequest } from '../emulator/wireLog.mts';
import { HANG_MS } from '../machine/hang.mts';
import { outcomeIn } from '../support/node/definedItems.mts';
import { runNode } from '../support/node/engine.mts';
import { useQuickClock } from '../support/node/quickClock.mts';
import { bulkJob, everyOperation } from '../operations.mts';
import { searchLists } from '../support/node/contexts.mts';
import { acceptJob } from '../support/node/operationRow.mts';
import { useProxy, useSelfSigned } from '../support/servers/ownServer.mts';
import { credentialFor, useService } from '../support/servers/service.mts';
import { callTool } from '../support/node/tool.mts';

const service = useService();
const proxy = useProxy();
const selfSigned = useSelfSigned();

afterEach(() => void vi.restoreAllMocks());

/** Gives the items for these Request Options, or throws what stopped the run. */
type Send = (
	requestOptions: INodeParameters,
	credential: ICredentialDataDecryptedObject,
) => Promise<IDataObject[]>;

const samples = everyOperation().filter(
	({ isLookup, label }) => isLookup || /^Get (.* Leads|Account)$/.test(label),
);

const inWorkflow = [...samples, bulkJob('9001')].map(
	({ node, operation, parameters }): [string, Send] => [
		`${node} ${operation}`,
		async (requestOptions, credential) => {
			const { json, errorItems } = await runNode({
				node,
				parameters: { ...parameters, requestOptions },
				credential,
				onError: 'continueErrorOutput',
			});
			return [...json, ...errorItems.map((item) => item.json)];
		},
	],
);

const asTool = samples.map(({ node, operation, parameters }): [string, Send] => [
	`${node} ${operation} as a tool`,
	async (requestOptions, credential) =>
		await callTool({ node, parameters: { ...parameters, requestOptions }, credential }),
]);

const dropdown: Send = async (requestOptions, credential) => {
	const { results } = await searchLists(credential, undefined, { requestOptions });
	return results.map(({ name }) => ({ name }));
};

const roads = [...inWorkflow, ...asTool, ['the dropdown of the lists', dropdown] as const];

describe.each(roads)('%s', (name, road) => {
	const isJob = name.endsWith('getBulkJob');
	// A job is submitted by the test itself.
	const isOfNode = ({ operation }: WireRequest) => !isJob || operation === 'getBulkJob';

	/** What came of it, and which requests the service got. */
	async function send(requestOptions: INodeParameters, credential = credentialFor(service())) {
		forgetRecentAnswers();
		if (isJob && service().requests.length === 0) {
			await acceptJob(service(), { tId: 1, name: 'Ann Test', domain: 'a.example' });
		}
		const items = await road(requestOptions, credential).catch((error: unknown) => [
			{ error: `${String(error)} ${JSON.stringify(error)}` },
		]);
		const failed = items.some(
			(json) => 'error' in json || outcomeIn(json).lookupStatus === 'failed',
		);
		return { failed, sent: service().requests.filter(isOfNode), words: JSON.stringify(items) };
	}

	test.each([
		['', undefined],
		['ada:p%2541ss%25@', 'ada:p%41ss%'],
		['ada:p%40ss%3Aw%2Frd@', 'ada:p@ss:w/rd'],
	])('goes through a proxy, with its user and password: "%s"', async (written, user) => {
		const { host, asked, users } = await proxy();
		const { failed, sent } = await send({ proxy: `http://${written}${host}` });
		expect(failed).toBe(false);
		const urls = sent.map(({ path, rawQuery }) => `${service().baseUrl}${path}?${rawQuery}`);
		expect(asked).toEqual(urls.map((url) => url.replace(/\?$/, '')));
		expect(asked).not.toEqual([]);
		expect(users).toEqual(asked.map(() => user));
	});

	test.each(['127.0.0.1', 'localhost'])(
		'never goes past a proxy that is given without a scheme, at %s',
		async (hostname) => {
			const { host, asked } = await proxy();
			const { failed, sent } = await send({ proxy: host.replace('127.0.0.1', hostname) });
			expect(asked).toHaveLength(sent.length);
			// n8n itself reads the proxy of a tool, and takes none without a scheme.
			if (!name.endsWith('tool')) expect(asked).not.toEqual([]);
			expect(failed).toBe(asked.length === 0);
		},
	);

	test.each(['http://:::', 'socks5://127.0.0.1:1080'])(
		'refuses what is no proxy before anything is sent: %s',
		async (proxy) => {
			expect(await send({ proxy })).toMatchObject({ failed: true, sent: [] });
		},
	);

	describe('by a quick clock', () => {
		// Between the tries there are seconds.
		useQuickClock();

		test.each([60_000, 0.5])('waits no longer than the timeout, %d ms', async (timeout) => {
			service().faults.add({ delayMs: HANG_MS, on: { where: isOfNode } });
			const deadlines = vi.spyOn(AbortSignal, 'timeout');
			let deadline = new AbortController();
			service().onRequest(() => deadline.abort());
			// The minute is over when the request has arrived; it may not be on its way yet in less than a millisecond.
			if (timeout > 1)
				deadlines.mockImplementation(() => (deadline = new AbortController()).signal);
			const { failed, sent } = await send({ timeout });
			expect(failed).toBe(true);
			if (timeout > 1) expect(deadlines.mock.calls).toEqual(sent.map(() => [timeout]));
		});
	});

	// As a time of the clock of Node, either would be over at once.
	test.each([2 ** 31, 1e21])('waits for an answer with a timeout of %d ms', async (timeout) => {
		service().options.latencyMs = 20;
		expect((await send({ timeout })).failed).toBe(false);
	});

	test('accepts a certificate that nobody vouches for only where the user does', async () => {
		const baseUrl = await selfSigned(service().baseUrl);
		const credential = { ...credentialFor(service()), baseUrl };
		const refused = await send({}, credential);
		expect(refused).toMatchObject({ failed: true, sent: [] });
		expect(refused.words).toContain('certificate');
		const { host, asked } = await proxy();
		const allowUnauthorizedCerts = true;
		expect((await send({ allowUnauthorizedCerts }, credential)).failed).toBe(false);
		expect(asked).toEqual([]);
		const options = { allowUnauthorizedCerts, proxy: `http://${host}` };
		expect((await send(options, credential)).failed).toBe(false);
		expect(new Set(asked.map((target) => `https://${target}`))).toEqual(new Set([baseUrl]));
	});
});
