import { readFile } from 'node:fs/promises';

import { describe, expect, test } from 'vitest';

import { outputOf, type Execution } from '../hosts/execution.mts';
import type { CredentialData } from '../hosts/rest.mts';
import { n8n1, n8n2 } from '../hosts/versions.mts';
import { chain, type Workflow } from '../hosts/workflow.mts';
import { ourNodes, runNode } from '../support/engine.mts';
import { everyOperation, type Sample } from '../support/everyOperation.mts';
import { credentialData, useHost } from '../support/host.mts';
import { timeless } from '../support/outcomes.mts';
import { giveWebPage, useServer } from '../support/ownServer.mts';
import { report } from '../support/report.mts';
import { manually, ours } from '../support/savedNodes.mts';
import { credentialFor, useService } from '../support/service.mts';

// n8n 1 has words of its own for what answers with a status other than 2xx.
const WRONG_KEY =
	'The service did not accept the API key. Check it in the settings of your account.';
const REDIRECT = 'The Base URL redirects. Enter the final URL.';

const service = useService();

describe.each([n8n2, n8n1])('n8n $version', (version) => {
	const ran = { operations: 0, executions: 0, credentialTests: 0 };
	const running = useHost(service, { name: `n8n-${version.version}`, version });

	/** A workflow that runs one operation. */
	function workflowOf({ node, parameters }: Sample): Workflow {
		return {
			name: `${node} ${String(parameters.operation)}`,
			nodes: [manually(), ours(running(), 'Ours', node, parameters)],
			connections: chain('Start', 'Ours'),
		};
	}

	async function run(workflow: Workflow): Promise<Execution> {
		const saved = await running().client.createWorkflow(workflow);
		const id = await running().client.startWorkflow(saved, 'Start');
		ran.executions += 1;
		return await running().client.waitForExecution(id, 60_000);
	}

	test('every operation gives what it gives in the engine', async () => {
		for (const sample of everyOperation(service())) {
			const { node, operation, parameters } = sample;
			const expected = await runNode({ node, parameters, credential: credentialFor(service()) });
			const execution = await run(workflowOf(sample));
			const output = outputOf(execution, 'Ours');
			expect({ node, operation, status: execution.status }).toEqual({
				node,
				operation,
				status: 'success',
			});
			expect(timeless(output.map(({ json }) => json))).toEqual(timeless(expected.json));
			expect(output.every(({ pairedItem }) => JSON.stringify(pairedItem) === '{"item":0}')).toBe(
				true,
			);
			ran.operations += 1;
		}
	}, 300_000);

	test('an item without an answer goes to the error output, with its reason', async () => {
		const parameters = { resource: 'email', operation: 'find', fullName: 'Ada Lovelace' };
		const workflow = workflowOf({ node: 'contactDataFinder', operation: 'find', parameters });
		workflow.nodes[1].onError = 'continueErrorOutput';
		const execution = await run(workflow);
		expect(outputOf(execution, 'Ours', 0)).toEqual([]);
		expect(outputOf(execution, 'Ours', 1)).toEqual([
			{
				json: {
					error: {
						status: 'invalid_input',
						reason: 'missing: Company Domain (or Company Name)',
						message: 'Not sent: this item is missing Company Domain (or Company Name)',
					},
					message: expect.stringContaining('Fill in the field'),
				},
				pairedItem: { item: 0 },
			},
		]);
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
			{ name: 'Spring Campaign', value: '101' },
			{ name: 'Trade Fair', value: '102' },
		]);
		const narrowed = await running().client.searchLocator({ ...query, filter: 'fair' });
		expect(narrowed.results).toEqual([{ name: 'Trade Fair', value: '102' }]);
	});

	describe('the test of the credential', () => {
		const server = useServer();

		const verdict = async (changes?: CredentialData) => {
			ran.credentialTests += 1;
			const { client, credential } = running();
			return await client.testCredential(credential, { ...credentialData(service()), ...changes });
		};

		test('is green for the service', async () => {
			expect(await verdict()).toEqual({ status: 'OK', message: 'Connection successful!' });
			expect(await verdict({ baseUrl: `${service().baseUrl}/` })).toMatchObject({ status: 'OK' });
		});

		test('is green for the other form of an account', async () => {
			service().variants.accountShape = 'credits';
			expect(await verdict()).toMatchObject({ status: 'OK' });
		});

		test('tells a wrong key', async () => {
			expect(await verdict({ apiKey: 'wrong-key-1234' })).toEqual({
				status: 'Error',
				message:
					version === n8n2 ? WRONG_KEY : 'Authorization failed - please check your credentials',
			});
		});

		test('tells an address where a web page answers', async () => {
			expect(await verdict({ baseUrl: await server(giveWebPage) })).toEqual({
				status: 'Error',
				message: 'The Base URL responded, but not with account data. Check the URL.',
			});
		});

		test('tells a refused address, before the key is sent', async () => {
			expect(await verdict({ baseUrl: 'http://api.example.com' })).toEqual({
				status: 'Error',
				message: expect.stringMatching(/does not start with https:\/\/\. Use https/),
			});
		});

		test('tells a redirect, and does not follow it', async () => {
			service().faults.add({ redirect: `${await server(giveWebPage)}/` });
			expect(await verdict()).toEqual({
				status: 'Error',
				message: version === n8n2 ? REDIRECT : 'Request failed with status code 302',
			});
		});
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

	test('the log of n8n says nothing against the package', async () => {
		const lines = (await readFile(running().host.log, 'utf8')).split('\n');
		const ours = lines.filter((line) => /contact.?data/i.test(line) && /warn|error/i.test(line));
		expect(ours).toEqual([]);
		report(
			`n8n ${version.version}: ${ran.operations} operations, ${ran.executions} executions, ` +
				`${ran.credentialTests} tests of the credential`,
		);
	});
});
