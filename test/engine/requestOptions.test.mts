/** @file What users set under Request Options holds on every road to the service. */

import type { ICredentialDataDecryptedObject, IDataObject, INodeParameters } from 'n8n-workflow';
import { afterEach, describe, expect, test, vi } from 'vitest';

import { isRecord } from '../service/values.mts';
import type { WireRequest } from '../service/wireLog.mts';
import { leadOf, numbers, verifyBulk } from '../support/bulk.mts';
import { runNode, type OurNode } from '../support/engine.mts';
import { listWithId } from '../support/everyOperation.mts';
import { find } from '../support/lookups.mts';
import { useProxy, useSelfSigned } from '../support/ownServer.mts';
import { credentialFor, KEY, useService } from '../support/service.mts';
import { callTool } from '../support/tool.mts';

const service = useService();
const proxy = useProxy();
const selfSigned = useSelfSigned();

afterEach(() => void vi.restoreAllMocks());

/** What a user sets, and what comes of it: the items, or what stopped the run. */
interface Setting {
	options: INodeParameters;
	credential?: ICredentialDataDecryptedObject;
}
type Send = (setting: Setting) => Promise<IDataObject[]>;

const [known] = numbers(40).filter((number) => find.subject(number) !== null);
const { first, last, domain } = leadOf(known);
const email = String(verifyBulk.item(known).email);

const operations: Array<[node: OurNode, parameters: INodeParameters]> = [
	['contactDataFinder', { operation: 'find', firstName: first, lastName: last, domain }],
	['contactDataFinder', { operation: 'findBulk', firstName: first, lastName: last, domain }],
	['contactDataVerifier', { operation: 'verify', email }],
	['contactDataVerifier', { operation: 'verifyBulk', email }],
	['contactDataCompany', { operation: 'search', keyword: 'e' }],
	['contactDataAccount', { operation: 'get' }],
	['contactDataList', { operation: 'getLeads', listId: listWithId('102'), returnAll: true }],
];

const parametersWith = (parameters: INodeParameters, requestOptions: INodeParameters) => ({
	...parameters,
	requestOptions,
});

const inWorkflow = operations.map(([node, parameters]): [string, Send] => [
	`${node} ${String(parameters.operation)}`,
	async ({ options, credential = credentialFor(service()) }) => {
		const { json, errorItems } = await runNode({
			node,
			parameters: parametersWith(parameters, options),
			credential,
			onError: 'continueErrorOutput',
		});
		return [...json, ...errorItems.map((item) => item.json)];
	},
]);

const asTool = operations.map(([node, parameters]): [string, Send] => [
	`${node} ${String(parameters.operation)} as a tool`,
	async ({ options, credential = credentialFor(service()) }) =>
		await callTool({ node, parameters: parametersWith(parameters, options), credential }),
]);

/** Collects a job that another run was left with. */
const getBulkJob: [string, Send] = [
	'contactDataFinder getBulkJob',
	async ({ options, credential = credentialFor(service()) }) => {
		Object.assign(service().variants, { bulkAnswer: 'job', jobPolls: 0 });
		const parameters = { operation: 'getBulkJob', jobId: await submittedJob() };
		const { json, errorItems } = await runNode({
			node: 'contactDataFinder',
			parameters: parametersWith(parameters, options),
			credential,
			onError: 'continueErrorOutput',
		});
		return [...json, ...errorItems.map((item) => item.json)];
	},
];

async function submittedJob(): Promise<string> {
	const answer = await fetch(`${service().baseUrl}/api/v2/find_bulk`, {
		method: 'POST',
		headers: {
			'x-access-key': KEY,
			accept: 'application/json',
			'content-type': 'application/json',
		},
		body: JSON.stringify([{ tId: 1, firstName: first, lastName: last, domain }]),
	});
	const job: unknown = await answer.json();
	return isRecord(job) ? String(job.id) : '';
}

const roads = [...inWorkflow, getBulkJob, ...asTool];

/** The requests of the operation; a job is submitted by the test itself. */
function sent(name: string): WireRequest[] {
	return service().requests.filter(
		({ operation }) => name !== getBulkJob[0] || operation === 'getBulkJob',
	);
}

const failed = (items: IDataObject[]) =>
	items.some(({ error, status }) => error ?? status === 'failed');

describe.each(roads)('%s', (name, send) => {
	test('goes through a proxy', async () => {
		const { host, asked, users } = await proxy();
		const items = await send({ options: { proxy: `http://${host}` } });
		expect(failed(items)).toBe(false);
		expect(sent(name).length).toBeGreaterThan(0);
		expect(asked).toEqual(
			sent(name).map(({ path, rawQuery }) => {
				return `${service().baseUrl}${path}${rawQuery === '' ? '' : `?${rawQuery}`}`;
			}),
		);
		expect(users).toEqual(asked.map(() => undefined));
	});

	test.each([
		['p4ss%20word', 'p4ss word'],
		['100%25', '100%'],
		['p%2541ss', 'p%41ss'],
		['p%40ss%3Aw%2Frd', 'p@ss:w/rd'],
	])('gives the proxy its user and password, %s', async (written, meant) => {
		const { host, users } = await proxy();
		const items = await send({ options: { proxy: `http://ada:${written}@${host}` } });
		expect(failed(items)).toBe(false);
		expect(users).toEqual(sent(name).map(() => `ada:${meant}`));
	});

	test.each(['127.0.0.1', 'localhost'])(
		'never goes past a proxy that is given without a scheme, at %s',
		async (hostname) => {
			const { host, asked } = await proxy();
			const withoutScheme = host.replace('127.0.0.1', hostname);
			const tell = (error: unknown) => [{ status: 'failed', error: String(error) }];
			const items = await send({ options: { proxy: withoutScheme } }).catch(tell);
			expect(asked).toHaveLength(sent(name).length);
			// n8n itself reads the proxy of a tool, and takes none without a scheme.
			if (!name.endsWith('tool')) expect(asked.length).toBeGreaterThan(0);
			expect(failed(items)).toBe(asked.length === 0);
		},
	);

	test('refuses what is no proxy before anything is sent', async () => {
		const tell = (error: unknown) => [{ status: 'failed', error: String(error) }];
		const items = await send({ options: { proxy: 'http://:::' } }).catch(tell);
		expect(failed(items)).toBe(true);
		expect(sent(name)).toEqual([]);
	});

	test.each([
		[60, 1],
		// So short that a request may be given up before it is on its way.
		[0.5, 0],
	])('waits no longer than the timeout, %d ms', async (timeout, requests) => {
		// Without a wait between the tries.
		vi.spyOn(Math, 'random').mockReturnValue(0);
		const operation = name === getBulkJob[0] ? 'getBulkJob' : undefined;
		service().faults.add({ delayMs: 20_000, on: { operation } });
		const begun = performance.now();
		const items = await send({ options: { timeout } });
		expect(performance.now() - begun).toBeLessThan(5_000);
		expect(failed(items)).toBe(true);
		expect(sent(name).length).toBeGreaterThanOrEqual(requests);
	});

	test.each([2 ** 31, 3e9, 1e21])(
		'waits for an answer with a timeout of %d ms',
		async (timeout) => {
			service().options.latencyMs = 100;
			expect(failed(await send({ options: { timeout } }))).toBe(false);
		},
	);

	test('accepts a certificate that nobody vouches for only where the user does', async () => {
		const credential = {
			...credentialFor(service()),
			baseUrl: await selfSigned(service().baseUrl),
		};
		const refused = await send({ options: {}, credential });
		expect(failed(refused)).toBe(true);
		expect(JSON.stringify(refused)).toContain('certificate');
		expect(sent(name)).toEqual([]);
		const { host, asked } = await proxy();
		for (const options of [{}, { proxy: `http://${host}` }]) {
			const items = await send({
				options: { allowUnauthorizedCerts: true, ...options },
				credential,
			});
			expect(failed(items)).toBe(false);
		}
		expect(asked.length).toBeGreaterThan(0);
		for (const target of asked) expect(`https://${target}`).toBe(credential.baseUrl);
	});
});
