import { readFile } from 'node:fs/promises';

import { describe, expect, test } from 'vitest';

import { outputOf, type Execution } from '../hosts/execution.mts';
import type { CredentialData } from '../hosts/rest.mts';
import { guarded, n8n1, n8n2 } from '../hosts/versions.mts';
import {
	chain,
	exampleNames,
	readExample,
	withCredential,
	type Workflow,
} from '../hosts/workflow.mts';
import { onlyLong } from '../support/depth.mts';
import { ourNodes, runNode } from '../support/node/engine.mts';
import { everyOperation, type Sample } from '../operations.mts';
import { credentialData, useHost, useOwnAccount } from '../support/realN8n/host.mts';
import { personWith } from '../support/leads/expected.mts';
import { timeless } from '../support/leads/outcomes.mts';
import { giveWebPage, useServer } from '../support/servers/ownServer.mts';
import { report } from '../support/measures/report.mts';
import { manually, node as foreign, ours } from '../support/realN8n/savedNodes.mts';
import { credentialFor, useService } from '../support/servers/service.mts';

const WRONG_KEY =
	'The service did not accept the API key. Check it in the settings of your account.';
const OLD_WRONG_KEY = 'Authorization failed - please check your credentials';
const REDIRECT = 'The Base URL redirects. Enter the final URL.';
const OLD_REDIRECT = 'Request failed with status code 302';
const WEB_PAGE = 'The Base URL responded, but not with account data. Check the URL.';
const NOT_HTTPS = /does not start with https:\/\/\. Use https/;

const service = useService();
const server = useServer();

describe.each([n8n2, n8n1, ...onlyLong(guarded)])('n8n $name', (version) => {
	const ran = { operations: 0, executions: 0 };
	const running = useHost(service, { name: `n8n-${version.name}`, version });
	const own = useOwnAccount(service, running);

	/** A workflow that runs one operation. */
	function workflowOf(
		{ node, parameters }: Pick<Sample, 'node' | 'parameters'>,
		host: Parameters<typeof ours>[0] = own(),
	): Workflow {
		return {
			name: `${node} ${String(parameters.operation)}`,
			nodes: [manually(), ours(host, 'Ours', node, parameters)],
			connections: chain('Start', 'Ours'),
		};
	}

	async function run(workflow: Workflow): Promise<Execution> {
		const saved = await running().client.createWorkflow(workflow);
		const id = await running().client.startWorkflow(saved, 'Start');
		ran.executions += 1;
		return await running().client.waitForExecution(id);
	}

	test('every operation gives what it gives in the engine', async () => {
		for (const sample of everyOperation(service())) {
			const { node, operation, parameters } = sample;
			const credential = { ...credentialFor(service()), apiKey: own().apiKey };
			const expected = await runNode({ node, parameters, credential });
			const execution = await run(workflowOf(sample));
			const output = outputOf(execution, 'Ours');
			expect(execution.status, `${node} ${operation}`).toBe('success');
			expect(timeless(output.map(({ json }) => json))).toEqual(timeless(expected.json));
			const pairs = output.map(({ pairedItem }) => pairedItem);
			expect(pairs).toEqual(output.map(() => ({ item: 0 })));
			ran.operations += 1;
		}
	});

	test('what a CSV file of n8n has made of a result is the same when it is read again', async () => {
		const host = own();
		const { first, last, company } = personWith('valid');
		const lead = { 'Full Name': `${first} ${last}`, Website: company.domain, status: 'customer' };
		const row = { mode: 'raw', jsonOutput: JSON.stringify(lead) };
		const find = { leadFields: 'auto', operation: 'findBulk' };
		const saved = {
			name: 'Twice',
			nodes: [
				manually(),
				foreign('Row', 'n8n-nodes-base.set', 3.4, row),
				ours(host, 'Find', 'contactDataFinder', find),
				foreign('Write', 'n8n-nodes-base.convertToFile', 1.1, { operation: 'csv' }),
				foreign('Read', 'n8n-nodes-base.extractFromFile', 1, { operation: 'csv' }),
				ours(host, 'Find Again', 'contactDataFinder', find),
			],
			connections: chain('Start', 'Row', 'Find', 'Write', 'Read', 'Find Again'),
		};
		const before = service().ledger.total();
		const execution = await run(saved);
		const [[found], [again]] = ['Find', 'Find Again'].map((name) => outputOf(execution, name));
		expect(service().ledger.total() - before).toBe(1);
		expect(found.json).toMatchObject({ lookupStatus: 'found', ...lead });
		// n8n reads the byte order mark of its file as a part of the first name.
		const names = Object.entries(again.json).map(([name, value]) => [
			name.replace('\uFEFF', ''),
			value,
		]);
		expect(Object.fromEntries(names)).toStrictEqual(found.json);
		expect(again.json).not.toHaveProperty('\uFEFFlookupStatus');
	});

	test('the list dropdown fills, and typing narrows it', async () => {
		const query = {
			nodeType: `${running().packageName}.contactDataList`,
			parameter: 'listId',
			method: 'searchLists',
			credential: running().credential,
			parameters: { resource: 'list', operation: 'get' },
		};
		expect((await running().client.searchLocator(query)).results).toEqual([
			{ name: 'Spring Campaign (1000 leads)', value: '101' },
			{ name: 'Trade Fair (30 leads)', value: '102' },
		]);
		const narrowed = await running().client.searchLocator({ ...query, filter: 'fair' });
		expect(narrowed.results).toEqual([{ name: 'Trade Fair (30 leads)', value: '102' }]);
	});

	test('the test of the credential is green for either form of an account, and tells what is wrong', async () => {
		const { client, credential } = running();
		const page = await server(giveWebPage);
		const told = async (data: CredentialData = {}) =>
			await client.testCredential(credential, { ...credentialData(service()), ...data });
		for (const accountShape of ['full', 'credits'] as const) {
			service().variants.accountShape = accountShape;
			expect(await told()).toEqual({ status: 'OK', message: 'Connection successful!' });
		}
		// n8n 1 has words of its own for what answers with a status other than 2xx.
		const isOld = version === n8n1;
		const wrong: Array<[CredentialData, message: unknown]> = [
			[{ apiKey: 'wrong-key-1234' }, isOld ? OLD_WRONG_KEY : WRONG_KEY],
			[{ baseUrl: page }, WEB_PAGE],
			[{ baseUrl: 'http://api.example.com' }, expect.stringMatching(NOT_HTTPS)],
		];
		for (const [data, message] of wrong) {
			expect(await told(data)).toEqual({ status: 'Error', message });
		}
		service().faults.add({ redirect: `${page}/` });
		expect(await told()).toEqual({ status: 'Error', message: isOld ? OLD_REDIRECT : REDIRECT });
	});

	test('offers all nodes under their names, with icons of their own', async () => {
		const types = await running().client.nodeTypes();
		const icons = new Set<string>();
		for (const [name, { description }] of Object.entries(ourNodes)) {
			const type = types.find((one) => one.name === `${running().packageName}.${name}`);
			expect(type?.displayName).toBe(description.displayName);
			expect(type?.codex?.alias).toContain('contact data');
			const { iconUrl } = type ?? {};
			if (typeof iconUrl !== 'object') throw new Error(`${name} has no icons`);
			for (const url of [iconUrl.light, iconUrl.dark]) {
				icons.add(await running().client.file(`/${url.replace(/^\//, '')}`));
			}
		}
		expect(icons.size).toBe(2 * Object.keys(ourNodes).length);
		for (const icon of icons) expect(icon).toMatch(/^<svg /);
	});

	test.runIf(version === guarded)(
		"n8n's migration report for n8n 3 finds nothing in all these workflows and all examples",
		async () => {
			const { client, packageName, credential } = running();
			for (const name of await exampleNames()) {
				await client.createWorkflow(
					withCredential(await readExample(name), packageName, credential),
				);
			}
			// It does find a node that is gone.
			await client.createWorkflow({
				name: 'Old',
				nodes: [manually(), foreign('Old', 'n8n-nodes-base.function', 1, {})],
				connections: chain('Start', 'Old'),
			});
			const { report: found, totalWorkflows } = await client.migrationReport();
			expect(totalWorkflows).toBeGreaterThan(ran.operations);
			expect(found.workflowResults).toMatchObject([
				{ ruleId: 'function-removed-v3', nbAffectedWorkflows: 1 },
			]);
			// It says so of every instance, of one with the word "default" in the list of what is blocked, and
			// of one that runs in no container: all other defaults of n8n 3 are set.
			const remaining = [
				'workflow-import-url-removed-v3',
				'ssrf-default-blocked-ranges-v3',
				'docker-only-deployment-v3',
			];
			for (const { ruleId } of found.instanceResults) expect(remaining).toContain(ruleId);
			report(`n8n ${version.name}: ${totalWorkflows - 1} workflows, none in the migration report`);
		},
	);

	test('the log of n8n says nothing against the package', async () => {
		const lines = (await readFile(running().host.log, 'utf8')).split('\n');
		const ours = lines.filter((line) => /contact.?data/i.test(line) && /warn|error/i.test(line));
		expect(ours).toEqual([]);
		report(`n8n ${version.name}: ${ran.operations} operations, ${ran.executions} executions`);
	});

	// After that of the log: some n8n write the stack of the failure there.
	test.runIf(version === guarded)(
		"n8n's SSRF protection: a service in a private network is not called until it is allowed",
		async () => {
			const { client } = running();
			const blocked = { ...credentialData(service()), baseUrl: 'https://10.0.0.1' };
			const credential = await client.createCredential('Blocked', 'contactDataApi', blocked);
			const message = 'The request was blocked because it resolves to a restricted IP address';
			expect(await client.testCredential(credential, blocked)).toEqual({
				status: 'Error',
				message,
			});
			const parameters = { operation: 'find', fullName: 'Ada Lovelace', domain: 'acme.com' };
			const execution = await run(
				workflowOf({ node: 'contactDataFinder', parameters }, { ...running(), credential }),
			);
			expect(execution.data.resultData.error).toMatchObject({
				message: `${message}`,
				description: expect.stringMatching(/10\.0\.0\.1 is not allowed.*allowlist/),
			});
		},
	);
});
