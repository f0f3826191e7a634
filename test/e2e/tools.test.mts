/** @file The nodes as tools: of n8n's AI agent, in two versions of it, and of assistants elsewhere that n8n serves over MCP. */

import { readFile } from 'node:fs/promises';

import type { IDataObject, INode } from 'n8n-workflow';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';

import { outputOf, type Execution } from '../hosts/execution.mts';
import type { Credential, SavedWorkflow } from '../hosts/rest.mts';
import { n8n1, n8n3 } from '../hosts/versions.mts';
import { chain, type Workflow } from '../hosts/workflow.mts';
import { useChatModel, type ToolCall, type Turn } from '../support/servers/chatModel.mts';
import { withoutCosts } from '../support/leads/costs.mts';
import {
	companyFields,
	foundEmail,
	list,
	listLead,
	notFound,
	personWith,
	unfindable,
	verified,
} from '../support/leads/expected.mts';
import { isLong } from '../support/depth.mts';
import {
	credentialData,
	useHost,
	useOwnAccount,
	withOwnAccount,
} from '../support/realN8n/host.mts';
import { answerIn } from '../support/leads/lookups.mts';
import { report } from '../support/measures/report.mts';
import { manually, ours } from '../support/realN8n/savedNodes.mts';
import { useService } from '../support/servers/service.mts';
import { McpClient } from './support/mcpClient.mts';
import { agentWorkflow, mcpWorkflow, toolNodes } from './support/toolWorkflows.mts';

const WRONG_KEY = 'wrong-key-1234';
const anyKey = new RegExp(`key-of-account|${WRONG_KEY}`);

/** Agents from 3 on have the workflow run a tool as a node; this one calls it itself, as MCP does. */
const OLD_AGENT = 2.2;

const hosts = [
	{ version: n8n3, mcp: 2.1, agent: 3.1 },
	{ version: n8n1, mcp: 2, agent: 3 },
];

const service = useService();
const model = useChatModel();

const person = personWith('valid');
const { email, company } = person;
const asked = { fullName: person.full, domain: company.domain };
const who = { full_name: person.full, domain: company.domain };
const nobody = { full_name: unfindable.full, domain: unfindable.company.domain };
const find = (values: object): ToolCall => ({ tool: 'Find', arguments: { ...values } });
const verify = (address: string): ToolCall => ({ tool: 'Verify', arguments: { email: address } });
const found = [foundEmail(person, asked)];

function charged(): string[] {
	return service().ledger.charges.map(({ operation, subject }) => `${operation} ${subject}`);
}

function sent(): unknown[] {
	return service().requests.map(({ operation }) => operation);
}

const isObject = (value: unknown) => typeof value === 'object' && value !== null;

/** The items in what the model reads, without their costs, which the ledger has, and without their moment. */
function itemsIn(text: string): IDataObject[] {
	const items = z.array(z.custom<IDataObject>(isObject)).parse(JSON.parse(text));
	return withoutCosts(items.map((json) => ({ json }))).items.map(({ json }) => json);
}

/** Of a tool that the model is offered. */
function offer(description: RegExp, properties: Record<string, object>) {
	const required = Object.keys(properties);
	return { description: expect.stringMatching(description), inputSchema: { properties, required } };
}

const text = (description: string) => ({ type: 'string', description });
const names = {
	full_name: text('First and last name of the person'),
	domain: text('Web domain of the company'),
};
const address = { email: text('Address to verify') };
const limit = { limit: { type: 'number', description: 'How many' } };
const listId = { list_id: text('Id of the list') };
const offers = {
	Find: offer(/^Find the business email.* 1 credit .*'lookupMessage' says/, names),
	Find_Bulk: offer(/find emails faster in bulk/i, names),
	Get_Job: offer(/get .*bulk job/i, { job_id: text('Id of the job') }),
	Verify: offer(
		/^Check whether an email.* 1 credit .*'emailStatus' is 'valid'.*'lookupMessage' says/,
		address,
	),
	Verify_Bulk: offer(/verify emails faster in bulk/i, address),
	Get_Lists: offer(/saved lead lists.* no credits/i, limit),
	Get_Leads: offer(/^Get leads saved to a list.* no credits\.$/, { ...listId, ...limit }),
	Search_Company: offer(/^Look up a company.* credits if .*'companyMessage' says/, {
		keyword: text('Name or domain of the company'),
	}),
};

const isFound = [answerIn(foundEmail(person, asked))];
const nameAndPlace = 'Full Name and Company Domain (or Company Name)';
const notSent = (reason: string, field: string) => [
	{
		...{ lookupStatus: 'invalid_input', lookupReason: reason },
		lookupMessage: containing('Not sent: ', field),
	},
];
const gone = {
	...{ lookupStatus: 'failed', lookupReason: 'not_found' },
	lookupMessage: containing('was not found', 'Check that'),
};

/** Calls of an agent, one after the other, and what tools with On Error at Continue answer. */
const calls: Array<[ToolCall, answer: unknown[]]> = [
	// Nothing is sent: it says what is wrong and what to do.
	[find({ full_name: person.full }), notSent('missing_company', 'Company Domain')],
	[find({ full_name: null, domain: null }), notSent('missing_name', nameAndPlace)],
	[find({ ...who, domain: { url: who.domain } }), notSent('invalid_value', 'Company Domain')],
	// A number is looked up as text, and what the schema does not know is ignored.
	[
		find({ ...who, full_name: 42, operation: 'verify', baseUrl: 'http://a.example' }),
		[notFound({ ...asked, fullName: '42' })],
	],
	[find(who), found],
	// It is paid for once.
	[find(who), found],
	[verify(email), [verified(email)]],
	[
		{ tool: 'Get_Leads', arguments: { list_id: '102', limit: 2 } },
		list(102).leads.slice(-2).reverse().map(listLead),
	],
	[
		{ tool: 'Search_Company', arguments: { keyword: company.domain } },
		[
			{
				...{ companyStatus: 'found', keyword: company.domain },
				companyData: companyFields(company),
			},
		],
	],
	[{ tool: 'Get_Leads', arguments: { list_id: '999', limit: 2 } }, [gone]],
];

function containing(...parts: string[]): unknown {
	const escaped = parts.map((part) => part.replaceAll(/[.()]/g, '\\$&'));
	return expect.stringMatching(new RegExp(escaped.join('.*')));
}

describe.each(hosts)('n8n $version.name', ({ version, mcp, agent }) => {
	const ran = { calls: 0, agents: 0 };
	const running = useHost(service, { name: `n8n-tools-${version.name}`, version, isLean: true });
	const account = useOwnAccount(service, running);
	let modelCredential: Credential;
	let wrongCredential: Credential;
	let servers = 0;
	let server: Awaited<ReturnType<typeof serve>>;
	let refusing: typeof server;

	beforeAll(async () => {
		const { client } = running();
		modelCredential = await model().createCredential(client);
		const data = { ...credentialData(service()), apiKey: WRONG_KEY };
		wrongCredential = await client.createCredential('Wrong key', 'contactDataApi', data);
		refusing = await serve('refused', wrongCredential);
	});
	beforeEach(async () => {
		server = await serve(`tools-${(servers += 1)}`);
	});

	function tools(credential = account().credential, onError?: INode['onError']): INode[] {
		return toolNodes({ packageName: running().packageName, credential }, onError);
	}

	/** A workflow that serves the tools, and a client that uses them. */
	async function serve(path: string, credential?: Credential) {
		const { client: n8n, host } = running();
		const workflow = await n8n.createWorkflow(mcpWorkflow(tools(credential), path, mcp));
		await n8n.activateWorkflow(workflow);
		return { workflow, client: await McpClient.connect(`${host.url}/mcp/${path}`) };
	}

	/** What the model hears of a tool over MCP; never a key. */
	async function call(tool: string, values: object, { client } = server): Promise<string> {
		const heard = await client.callTool(tool, values);
		ran.calls += 1;
		expect(heard).not.toMatch(anyKey);
		return heard;
	}

	/** The answers in what it hears. */
	async function answersOf(tool: string, values: object): Promise<IDataObject[]> {
		return itemsIn(await call(tool, values)).map(answerIn);
	}

	/** What the model of an agent hears of its tools when it takes these turns, and then its last one; never a key. */
	async function heardBy(typeVersion: number, turns: Turn[], own = tools()): Promise<string[]> {
		model().says(...turns, 'Done.');
		ran.agents += 1;
		const execution = await run(agentWorkflow(own, modelCredential, typeVersion));
		expect(outputOf(execution, 'Agent')).toMatchObject([{ json: { output: 'Done.' } }]);
		const everything = JSON.stringify(model().requests) + JSON.stringify(execution.data);
		expect(everything).not.toMatch(anyKey);
		expect(model().toolMessages).toHaveLength(turns.flat().length);
		return model().toolMessages;
	}

	async function run(workflow: Workflow): Promise<Execution> {
		const { client } = running();
		const id = await client.startWorkflow(await client.createWorkflow(workflow), 'Start');
		const execution = await client.waitForExecution(id);
		expect(execution.status).toBe('success');
		return execution;
	}

	/** What n8n saved of the calls of a server, as soon as there are so many. */
	async function executionsOf(workflow: SavedWorkflow, count: number): Promise<Execution[]> {
		const { client } = running();
		const ids = await client.newExecutions(workflow, count);
		return await Promise.all(ids.map(async (id) => await client.waitForExecution(id)));
	}

	test('an assistant and an agent are offered the tools with a name, a description and their fields', async () => {
		await heardBy(agent, []);
		const toAgent = (model().requests[0]?.tools ?? []).map(({ function: tool }) => ({
			...tool,
			inputSchema: tool.parameters,
		}));
		for (const offered of [await server.client.listTools(), toAgent]) {
			const byName = Object.fromEntries(offered.map((tool) => [tool.name, tool]));
			expect(Object.keys(byName).sort()).toEqual(Object.keys(offers).sort());
			expect(byName).toMatchObject(offers);
		}
	});

	test('Find Email gives the same item on every road, each with an account of its own', async () => {
		const parameters = { ...asked, includeInputFields: false };
		const another = async () => await withOwnAccount(running(), service());
		const inWorkflow = async () => {
			const nodes = [manually(), ours(await another(), 'Find', 'contactDataFinder', parameters)];
			const ended = await run({ name: 'Find', nodes, connections: chain('Start', 'Find') });
			return JSON.stringify(outputOf(ended, 'Find').map(({ json }) => json));
		};
		const byAgent = async (typeVersion: number) => {
			const { credential } = await another();
			return (await heardBy(typeVersion, [[find(who)]], tools(credential))).join();
		};
		const roads = [
			inWorkflow,
			async () => await byAgent(agent),
			async () => await byAgent(OLD_AGENT),
			async () => await call('Find', who),
		];
		for (const [index, road] of roads.entries()) {
			expect(itemsIn(await road())).toMatchObject(found);
			expect(charged()).toEqual(Array(index + 1).fill(`find ${email}`));
		}
		expect(sent()).toEqual(roads.map(() => 'find'));
	});

	// n8n 1 has the tests above only.
	if (version === n8n1 && !isLong) return;

	test.each([
		['an assistant', undefined],
		['an agent', agent],
		['an old agent', OLD_AGENT],
	])(
		'%s hears of tools that stop on an error: what is missing, the refused key, no credits',
		async (title, typeVersion) => {
			const hear = async (values: object, isRefused = false) => {
				if (!typeVersion) return await call('Find', values, isRefused ? refusing : server);
				const own = tools(isRefused ? wrongCredential : undefined);
				return (await heardBy(typeVersion, [[find(values)]], own)).join();
			};
			const missing = await hear({ ...who, full_name: '' });
			expect(missing).toContain('no name');
			// A new agent reads the message alone.
			const isWhole = title !== 'an agent';
			if (isWhole) expect(missing).toMatch(/not sent: .*fill in full name/is);
			expect(sent()).toEqual([]);
			const unknown = await hear(who, true);
			expect(unknown).toMatch(/did not accept the API key/i);
			if (isWhole) expect(unknown).toMatch(/check the API key of the credential/i);
			expect(sent()).toEqual(['find']);
			service().faults.add({ status: 402 });
			expect(await hear(who)).toContain('Not enough credits');
			expect(charged()).toEqual([]);
		},
	);

	test.runIf(version === n8n3)(
		'an agent hears of each tool that continues on an error what came of it, in one turn and in the next',
		async () => {
			const own = tools(undefined, 'continueRegularOutput');
			const turns = [calls.slice(0, 6), calls.slice(6)].map((turn) => turn.map(([one]) => one));
			const answers = (await heardBy(agent, [...turns, [find(who)]], own)).map(itemsIn);
			expect(answers).toMatchObject([...calls.map(([, answer]) => answer), found]);
			const paid = [`find ${email}`, `searchCompany ${company.domain}`, `verify ${email}`];
			expect(charged().sort()).toEqual(paid);
			expect(sent()).toHaveLength(paid.length + 3);
		},
	);

	test.runIf(version === n8n3).each([
		[401, 'failed', 'unauthorized', 'Check the API Key of the'],
		[402, 'not_processed', 'out_of_credits', 'Add email credits to the account'],
	])(
		'an agent is refused with %i: it hears why, and goes on with another tool',
		async (status, lookupStatus, lookupReason, remedy) => {
			service().faults.add({ status, on: { operation: 'find' } });
			const own = tools(undefined, 'continueRegularOutput');
			const answers = (await heardBy(agent, [[find(who)], [verify(email)]], own)).map(itemsIn);
			const why = { lookupStatus, lookupReason, lookupMessage: containing(remedy) };
			const refused = { ...why, ...asked };
			expect(answers).toMatchObject([[refused], [verified(email)]]);
			expect(charged()).toEqual([`verify ${email}`]);
			expect(sent()).toEqual(['find', 'verify']);
		},
	);

	test('an assistant calls the same again: an execution of its own, which costs nothing', async () => {
		const first = itemsIn(await call('Find', who));
		expect(itemsIn(await call('Find', who))).toEqual(first);
		expect(charged()).toEqual([`find ${email}`]);
		const executions = await executionsOf(server.workflow, 2);
		expect(executions.map(({ status }) => status)).toEqual(['success', 'success']);
		expect(JSON.stringify(executions)).not.toMatch(anyKey);
		const customData = async () =>
			(await executionsOf(server.workflow, 2)).map((execution) => execution.customData);
		const costs = { contact_data_credits: expect.stringMatching(/^1\b/) };
		await expect.poll(customData).toEqual([{}, costs]);
	});

	test('an assistant calls all at the same time: an answer each, in bulk as well as singly', async () => {
		const isVerified = [answerIn(verified(email))];
		const isMissed = [{ lookupStatus: 'not_found', email: null, emailStatus: null }];
		const calls: Array<[tool: string, values: object, answers: object[]]> = [
			['Find', who, isFound],
			['Find_Bulk', who, isFound],
			['Find', nobody, isMissed],
			['Find_Bulk', nobody, isMissed],
			['Verify', { email }, isVerified],
			['Verify_Bulk', { email }, isVerified],
		];
		const answers = calls.map(async ([tool, values]) => await answersOf(tool, values));
		expect(await Promise.all(answers)).toEqual(calls.map(([, , wanted]) => wanted));
		// In bulk as well as singly it is the same question, which one of them pays for.
		const paid = charged().map((one) => one.replace('Bulk', ''));
		expect(paid.sort()).toEqual([`find ${email}`, `verify ${email}`]);
		const before = sent().length;
		for (const count of [2, 1]) {
			const lists = itemsIn(await call('Get_Lists', { limit: count }));
			expect(lists).toMatchObject([{ id: 101 }, { id: 102 }].slice(0, count));
		}
		// n8n itself says what is left out.
		expect(await call('Find', { domain: who.domain })).toContain('full_name');
		expect(sent()).toHaveLength(before + 2);
	});

	test('an assistant hears of a job that is not there, and reads one that is', async () => {
		const missing = await call('Get_Job', { job_id: '424242' });
		expect(missing).toMatch(/"failed".*job .*not found/i);
		Object.assign(service().variants, { bulkAnswer: 'job', jobPolls: 0 });
		// Its account is the only one that may read it.
		const key = String(service().requests.at(-1)?.headers['x-access-key']);
		const type = 'application/json';
		const { full: name, company: place } = person;
		const accepted = await fetch(`${service().baseUrl}/api/v2/find_bulk`, {
			method: 'POST',
			headers: { 'x-access-key': key, accept: type, 'content-type': type },
			body: JSON.stringify([{ tId: 1, name, domain: place.domain }]),
		});
		const [id] = /\d+/.exec(await accepted.text()) ?? [];
		expect(await answersOf('Get_Job', { job_id: id })).toEqual(isFound);
		expect(charged()).toEqual([`findBulk ${email}`]);
	});

	test('the log of n8n has no key in it', async () => {
		expect(await readFile(running().host.log, 'utf8')).not.toMatch(anyKey);
		report(`n8n ${version.name}: ${ran.calls} calls over MCP, ${ran.agents} runs of an AI agent`);
	});
});
