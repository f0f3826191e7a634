import { readFile } from 'node:fs/promises';

import type { IDataObject } from 'n8n-workflow';
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';

import { outputOf, type Execution } from '../hosts/execution.mts';
import type { Credential, SavedWorkflow } from '../hosts/rest.mts';
import { n8n1, n8n2 } from '../hosts/versions.mts';
import { chain, type Workflow } from '../hosts/workflow.mts';
import { answerIn } from '../support/bulk.mts';
import { useChatModel } from '../support/chatModel.mts';
import { useComponent } from '../support/component.mts';
import { foundEmail, personWith, unfindable, verified } from '../support/expected.mts';
import { credentialData, useHost } from '../support/host.mts';
import { report } from '../support/report.mts';
import { manually, ours } from '../support/savedNodes.mts';
import { KEY, useService } from '../support/service.mts';
import { agentWorkflow } from './support/agentWorkflow.mts';
import { openMcpServer, type McpServer } from './support/mcpServer.mts';
import { findTool, mcpTools } from './support/mcpTools.mts';

const WRONG_KEY = 'wrong-key-1234';
const anyKey = new RegExp(`${KEY}|${WRONG_KEY}`);

/** Agents from 3 on have the workflow run a tool as a node; this one calls it itself, as MCP does. */
const OLD_AGENT = 2.2;

const hosts = [
	{ version: n8n2, trigger: 2.1, agents: [3.1, OLD_AGENT] },
	{ version: n8n1, trigger: 2, agents: [3, OLD_AGENT] },
];

const service = useService();
const model = useChatModel();

const person = personWith('valid');
const { email } = person;
const asked = { fullName: person.full, domain: person.company.domain };
const who = { full_name: person.full, domain: person.company.domain };
const nobody = { full_name: unfindable.full, domain: unfindable.company.domain };

function charged(): string[] {
	return service().ledger.charges.map(({ operation, subject }) => `${operation} ${subject}`);
}

function sent(): unknown[] {
	return service().requests.map(({ operation }) => operation);
}

/** The only item that a tool answered, but for the time of the answer. */
function itemIn(text: string): IDataObject {
	expect(text).toMatch(/^\[/);
	const [item] = z.tuple([z.custom<IDataObject>(isObject)]).parse(JSON.parse(text));
	return { ...item, checkedAt: undefined };
}

function isObject(value: unknown): boolean {
	return typeof value === 'object' && value !== null;
}

describe.each(hosts)('n8n $version.version', { timeout: 120_000 }, ({ version, ...versions }) => {
	const ran = { calls: 0 };
	const running = useHost(service, { name: `n8n-mcp-${version.version}`, version });
	let modelCredential: Credential;
	let wrongCredential: Credential;

	beforeAll(async () => {
		const { client } = running();
		modelCredential = await model().createCredential(client);
		const data = { ...credentialData(service()), apiKey: WRONG_KEY };
		wrongCredential = await client.createCredential('Wrong key', 'contactDataApi', data);
	});

	const server = useComponent(async () => await serve('tools', running().credential));
	const refused = useComponent(async () => await serve('refused', wrongCredential));

	async function serve(path: string, credential: Credential): Promise<McpServer> {
		const tools = mcpTools(running().packageName);
		const typeVersion = versions.trigger;
		return await openMcpServer(running(), { tools, credential, path, typeVersion });
	}

	/** What the model hears of a tool; never a key. */
	async function call(tool: string, values: object, { client } = server()): Promise<string> {
		const text = await client.callTool(tool, values);
		ran.calls += 1;
		expect(text).not.toMatch(anyKey);
		return text;
	}

	/** What the model of an agent hears of Find Email; never a key. */
	async function callByAgent(
		typeVersion: number,
		values: object,
		{ credential } = server(),
	): Promise<string> {
		const tools = [findTool(running().packageName)];
		const workflow = agentWorkflow({ tools, credential, modelCredential });
		const nodes = workflow.nodes.map((node) =>
			node.name === 'Agent' ? { ...node, typeVersion } : node,
		);
		model().says([{ tool: 'Find', arguments: { ...values } }], 'Done.');
		await run({ ...workflow, nodes });
		const text = model().toolMessages.join();
		expect(text).not.toMatch(anyKey);
		return text;
	}

	async function findInWorkflow(): Promise<IDataObject> {
		const execution = await run({
			name: 'Find',
			nodes: [manually(), ours(running(), 'Find', 'contactDataFinder', asked)],
			connections: chain('Start', 'Find'),
		});
		return itemIn(JSON.stringify(outputOf(execution, 'Find').map(({ json }) => json)));
	}

	async function run(workflow: Workflow): Promise<Execution> {
		const { client } = running();
		const id = await client.startWorkflow(await client.createWorkflow(workflow), 'Start');
		const execution = await client.waitForExecution(id, 30_000);
		expect(execution.status).toBe('success');
		return execution;
	}

	/** What n8n saved of the calls of a server, as soon as there are so many. */
	async function executionsOf(workflow: SavedWorkflow, count: number): Promise<Execution[]> {
		const { client } = running();
		const list = async () => await client.listExecutions(workflow);
		await expect.poll(list).toHaveLength(count);
		const executions = await list();
		return await Promise.all(
			executions.map(async ({ id }) => await client.waitForExecution(id, 10_000)),
		);
	}

	test('the client is offered the tools with a name, a description and their fields', async () => {
		const text = (description: string) => ({ type: 'string', description });
		const tool = (description: RegExp, properties: Record<string, object>) => ({
			description: expect.stringMatching(description),
			properties,
			required: Object.keys(properties),
		});
		const names = {
			full_name: text('First and last name of the person'),
			domain: text('Web domain of the company'),
		};
		const address = { email: text('Address to verify') };

		const offered = (await server().client.listTools()).map(
			({ name, description, inputSchema: { properties, required } }) =>
				[name, { description, properties, required }] as const,
		);
		expect(Object.fromEntries(offered)).toEqual({
			Find: tool(/^Find the business email.* 1 credit .*'message' says/, names),
			Find_or_Stop: tool(/^Find the business email.* 1 credit .*'message' says/, names),
			Find_Bulk: tool(/find emails in bulk/i, names),
			Find_Bulk_Later: tool(/find emails in bulk/i, names),
			Get_Job: tool(/get .*bulk job/i, { job_id: text('Id of the job') }),
			Verify: tool(/^Check whether an email.* 1 credit .*'message' says/, address),
			Verify_Bulk: tool(/verify emails in bulk/i, address),
			Get_Lists: tool(/saved lead lists.* no credits/i, {
				limit: { type: 'number', description: 'How many lists' },
			}),
		});
	});

	test('Find Email gives the same item on every road, and each pays for itself', async () => {
		const roads = [
			findInWorkflow,
			...versions.agents.map((agent) => async () => itemIn(await callByAgent(agent, who))),
			async () => itemIn(await call('Find', who)),
		];
		const items: IDataObject[] = [];
		for (const road of roads) {
			items.push(await road());
			expect(charged()).toEqual(items.map(() => `find ${email}`));
		}
		expect(items).toEqual(items.map(() => items[0]));
		expect(items[0]).toMatchObject({ ...foundEmail(person, asked), checkedAt: undefined });
		expect(sent()).toEqual(items.map(() => 'find'));
	});

	// Max Credits of this tool is 1.
	test('the same call again is an execution of its own, with its own credits', async () => {
		await using own = await serve('again', running().credential);
		const first = itemIn(await call('Find', who, own));
		expect(first).toMatchObject({ status: 'found', email });
		expect(itemIn(await call('Find', who, own))).toEqual(first);
		expect(charged()).toEqual([`find ${email}`, `find ${email}`]);
		const executions = await executionsOf(own.workflow, 2);
		expect(executions.map(({ status }) => status)).toEqual(['success', 'success']);
		expect(JSON.stringify(executions)).not.toMatch(anyKey);
	});

	test('the execution that n8n saves of a call tells what it cost', async () => {
		await using own = await serve('costs', running().credential);
		await call('Find', who, own);
		const customData = async () => (await executionsOf(own.workflow, 1))[0]?.customData;
		const costs = { contact_data_credits: expect.stringMatching(/^1\b/) };
		await expect.poll(customData).toEqual(costs);
	});

	test('calls at the same time get an answer each', async () => {
		const texts = await Promise.all([
			call('Find', who),
			call('Find', nobody),
			call('Verify', { email }),
		]);
		expect(texts.map((text) => answerIn(itemIn(text)))).toEqual([
			answerIn(foundEmail(person, asked)),
			{ status: 'not_found', email: null, emailStatus: null },
			answerIn(verified(email)),
		]);
		expect(charged().sort()).toEqual([`find ${email}`, `verify ${email}`]);
	});

	test('a read gives all its items, as many as the model wants', async () => {
		expect(JSON.parse(await call('Get_Lists', { limit: 2 }))).toMatchObject([
			{ id: 101 },
			{ id: 102 },
		]);
		expect(JSON.parse(await call('Get_Lists', { limit: 1 }))).toMatchObject([{ id: 101 }]);
	});

	describe('bulk operations, called for one item', () => {
		test('Find Emails in Bulk finds what Find Email does', async () => {
			const single = answerIn(itemIn(await call('Find', who)));
			expect(answerIn(itemIn(await call('Find_Bulk', who)))).toEqual(single);
			expect(single).toEqual(answerIn(foundEmail(person, asked)));
			expect(charged()).toEqual([`find ${email}`, `findBulk ${email}`]);
			expect(sent()).toEqual(['find', 'findBulk']);
		});

		test('and misses what Find Email misses, for no credit', async () => {
			const single = answerIn(itemIn(await call('Find', nobody)));
			expect(answerIn(itemIn(await call('Find_Bulk', nobody)))).toEqual(single);
			expect(single).toEqual({ status: 'not_found', email: null, emailStatus: null });
			expect(charged()).toEqual([]);
		});

		test('Verify Emails in Bulk says what Verify Email does', async () => {
			const single = answerIn(itemIn(await call('Verify', { email })));
			expect(answerIn(itemIn(await call('Verify_Bulk', { email })))).toEqual(single);
			expect(single).toEqual(answerIn(verified(email)));
			expect(charged()).toEqual([`verify ${email}`, `verifyBulk ${email}`]);
			expect(sent()).toEqual(['verify', 'verifyBulk']);
		});

		test('Get Bulk Job collects in a later call what was not waited for', async () => {
			Object.assign(service().variants, { bulkAnswer: 'job', jobPolls: 1_000 });
			const pending = itemIn(await call('Find_Bulk_Later', who));
			expect(pending).toMatchObject({ status: 'pending', jobId: expect.stringMatching(/^\d+$/) });
			service().variants.jobPolls = 0;
			const item = answerIn(itemIn(await call('Get_Job', { job_id: pending.jobId })));
			expect(item).toEqual(answerIn(foundEmail(person, asked)));
			expect(charged()).toEqual([`findBulk ${email}`]);
		});

		test('Get Bulk Job says that a job is not there', async () => {
			const text = await call('Get_Job', { job_id: '424242' });
			expect(text).toContain('"failed"');
			expect(text).toMatch(/job .*not found/i);
			expect(new Set(sent())).toEqual(new Set(['getBulkJob']));
			expect(service().violations).toEqual([]);
		});
	});

	describe('the model hears what happened and what to do', () => {
		type Road = (values: object, server: McpServer) => Promise<string>;
		const roads: Array<[title: string, hear: Road]> = [
			['a tool', async (values, of) => await call('Find', values, of)],
			['a tool that stops', async (values, of) => await call('Find_or_Stop', values, of)],
			['an old agent', async (values, of) => await callByAgent(OLD_AGENT, values, of)],
		];

		test.each(roads)('%s: no name was given, nothing was sent', async (_, hear) => {
			const text = await hear({ ...who, full_name: '' }, server());
			expect(text).toMatch(/not sent: .*full ?name/i);
			expect(text).toMatch(/\b(fill|enter)\b/i);
			expect(sent()).toEqual([]);
		});

		test.each(roads)('%s: the service refuses the key', async (_, hear) => {
			const text = await hear(who, refused());
			expect(text).toMatch(/did not accept the API key/i);
			expect(text).toMatch(/check the API key of the credential/i);
			expect(sent()).toEqual(['find']);
			expect(charged()).toEqual([]);
		});

		test('n8n itself: a value is missing altogether', async () => {
			expect(await call('Find', { domain: who.domain })).toContain('full_name');
			expect(sent()).toEqual([]);
		});
	});

	test('the log of n8n has no key in it', async () => {
		expect(await readFile(running().host.log, 'utf8')).not.toMatch(anyKey);
		report(`n8n ${version.version}: ${ran.calls} calls through its MCP Server Trigger`);
	});
});
