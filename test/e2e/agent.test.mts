import type { IDataObject } from 'n8n-workflow';
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';

import { outputOf } from '../hosts/execution.mts';
import type { Credential, SavedWorkflow } from '../hosts/rest.mts';
import { n8n2 } from '../hosts/versions.mts';
import type { Fault } from '../service/faults.mts';
import { useChatModel, type ToolCall, type Turn } from '../support/chatModel.mts';
import { withoutCosts } from '../support/costs.mts';
import { listWithId } from '../support/everyOperation.mts';
import {
	companyFields,
	foundEmail,
	list,
	listLead,
	notFound,
	personWith,
	unfindable,
	verified,
} from '../support/expected.mts';
import { useHost } from '../support/host.mts';
import { report } from '../support/report.mts';
import { KEY, useService } from '../support/service.mts';
import { agentWorkflow, fromModel, type Tool } from './support/agentWorkflow.mts';

const service = useService();
const model = useChatModel();
const running = useHost(service, { name: 'n8n-agent', version: n8n2 });
let modelCredential: Credential;
/** Its tools have On Error at Continue: what fails comes out as an item that says what to do. */
let agent: SavedWorkflow;
const ran = { agents: 0, tools: 0 };

const person = personWith('valid');
const who = { full_name: person.full, domain: person.company.domain };
const asked = { fullName: person.full, domain: person.company.domain };

beforeAll(async () => {
	modelCredential = await model().createCredential(running().client);
	agent = await createAgent('continueRegularOutput');
});

function tools(): Tool[] {
	const type = (node: string) => `${running().packageName}.${node}Tool`;
	return [
		{
			name: 'Find Email',
			type: type('contactDataFinder'),
			// As the editor saves it: what has its default is left out.
			parameters: {
				fullName: fromModel('full_name', 'First and last name of the person'),
				domain: fromModel('domain', 'Web domain of the company'),
			},
		},
		{
			name: 'Verify Email',
			type: type('contactDataVerifier'),
			parameters: { email: fromModel('email', 'Address to verify') },
		},
		{
			name: 'Get Leads',
			type: type('contactDataList'),
			parameters: {
				operation: 'getLeads',
				listId: listWithId(fromModel('list_id', 'Id of the list')),
				limit: fromModel('limit', 'How many leads', 'number'),
			},
		},
		{
			name: 'Search Company',
			type: type('contactDataCompany'),
			parameters: { keyword: fromModel('keyword', 'Name or domain of the company') },
		},
	];
}

async function createAgent(onError?: Tool['onError']): Promise<SavedWorkflow> {
	const withSetting = tools().map((tool) => ({ ...tool, ...(onError && { onError }) }));
	const { client, credential } = running();
	const workflow = agentWorkflow({ tools: withSetting, credential, modelCredential });
	return await client.createWorkflow(workflow);
}

const answersSchema = z.array(z.record(z.unknown()));

/**
 * Runs the agent with a model that takes these turns, then its last one. The workflow has to succeed,
 * and the key must be in nothing that n8n stores or the model hears.
 *
 * @returns the items that each tool answered, as the model reads them
 */
async function answersTo(turns: Turn[], workflow = agent): Promise<IDataObject[][]> {
	model().says(...turns, 'Done.');
	ran.agents += 1;
	ran.tools += turns.flat().length;
	const id = await running().client.startWorkflow(workflow, 'Start');
	const execution = await running().client.waitForExecution(id, 30_000);
	expect({ status: execution.status, output: outputOf(execution, 'Agent') }).toMatchObject({
		status: 'success',
		output: [{ json: { output: 'Done.' } }],
	});
	const heard = JSON.stringify(model().requests);
	expect(heard + JSON.stringify(execution.data)).not.toContain(KEY);
	const messages = model().toolMessages;
	expect(messages).toHaveLength(turns.flat().length);
	return messages.map((message) => bare(z.custom<IDataObject[]>().parse(parsed(message))));
}

/** Answers of lookups without their costs, which are checked by the ledger, and without their moment. */
function bare(answers: IDataObject[]): IDataObject[] {
	return withoutCosts(answers.map((json) => ({ json }))).items.map(({ json }) => json);
}

function parsed(message: string): unknown {
	return answersSchema.parse(JSON.parse(message));
}

const find = (values: ToolCall['arguments']): ToolCall => ({
	tool: 'Find_Email',
	arguments: values,
});
const verify = (email: unknown): ToolCall => ({ tool: 'Verify_Email', arguments: { email } });

function charged(): string[] {
	return service().ledger.charges.map(({ operation, subject }) => `${operation} ${subject}`);
}

test('the model is offered the tools with a name, a description and all fields', async () => {
	await answersTo([]);
	const offered = model().requests[0]?.tools?.map((tool) => tool.function) ?? [];
	const text = (description: string) => ({ type: 'string', description });
	const schema = (properties: Record<string, object>) => ({
		$schema: 'http://json-schema.org/draft-07/schema#',
		type: 'object',
		properties,
		required: Object.keys(properties),
		additionalProperties: false,
	});
	expect(offered.sort((a, b) => a.name.localeCompare(b.name))).toEqual([
		{
			name: 'Find_Email',
			description: expect.stringMatching(/^Find the business email.* 1 credit .*'message' says/),
			parameters: schema({
				full_name: text('First and last name of the person'),
				domain: text('Web domain of the company'),
			}),
		},
		{
			name: 'Get_Leads',
			description: expect.stringMatching(/^Get leads saved to a list.* no credits\.$/),
			parameters: schema({
				list_id: text('Id of the list'),
				limit: { type: 'number', description: 'How many leads' },
			}),
		},
		{
			name: 'Search_Company',
			description: expect.stringMatching(/^Look up a company.* credits if .*'message' says/),
			parameters: schema({ keyword: text('Name or domain of the company') }),
		},
		{
			name: 'Verify_Email',
			description: expect.stringMatching(
				/^Check whether an email.* 1 credit .*'emailStatus' is 'valid'/,
			),
			parameters: schema({ email: text('Address to verify') }),
		},
	]);
});

test('complete arguments: the answer, for one credit', async () => {
	expect(await answersTo([[find(who)]])).toEqual([[foundEmail(person, asked)]]);
	expect(charged()).toEqual([`find ${person.email}`]);
});

test('a miss: that there is no answer, for no credit', async () => {
	const { full, company } = unfindable;
	const answers = await answersTo([[find({ full_name: full, domain: company.domain })]]);
	expect(answers).toEqual([[notFound({ fullName: full, domain: company.domain })]]);
	expect(charged()).toEqual([]);
});

describe('arguments that do not serve', () => {
	const name = 'Full Name (or First Name and Last Name)';
	const place = 'Company Domain (or Company Name)';

	test.each<[string, ToolCall['arguments'], missing: string]>([
		['no domain', { full_name: person.full }, place],
		['no name', { domain: person.company.domain }, name],
		['none at all', {}, `${name} and ${place}`],
		['empty texts', { full_name: '', domain: ' ' }, `${name} and ${place}`],
		['null', { full_name: null, domain: null }, `${name} and ${place}`],
		['an object for a text', { ...who, domain: { url: person.company.domain } }, place],
		['a list for a text', { ...who, full_name: [person.full] }, name],
	])('%s: what is missing and what to do, without a request', async (_, values, missing) => {
		const [[item] = []] = await answersTo([[find(values)]]);
		expect(item).toMatchObject({
			status: 'invalid_input',
			reason: `missing: ${missing}`,
			message: expect.stringMatching(/^Not sent: .+\. Fill in the field/),
		});
		expect(service().requests).toEqual([]);
	});

	test('a number for a text: it is looked up as text', async () => {
		const answers = await answersTo([[find({ ...who, full_name: 42 })]]);
		expect(answers).toEqual([[notFound({ ...asked, fullName: '42' })]]);
		expect(charged()).toEqual([]);
	});

	test('more than the schema knows: ignored', async () => {
		const more = { operation: 'verify', baseUrl: 'http://elsewhere.example', depth: 3, all: [1] };
		expect(await answersTo([[find({ ...who, ...more })]])).toEqual([[foundEmail(person, asked)]]);
		expect(charged()).toEqual([`find ${person.email}`]);
	});

	test('what is no address: it is invalid, without a request', async () => {
		const [[item] = []] = await answersTo([[verify('ada at acme')]]);
		expect(item).toMatchObject({
			status: 'verified',
			emailStatus: 'invalid',
			message: expect.stringContaining('Not sent'),
		});
		expect(service().requests).toEqual([]);
	});
});

describe('a service that refuses', () => {
	test.each<[what: string, fault: Fault, requests: number, item: IDataObject, remedy: string]>([
		[
			'the key (401)',
			{ status: 401 },
			1,
			{ status: 'failed', reason: 'unauthorized', httpCode: 401 },
			'Check the API Key of the credential',
		],
		[
			'for want of credits (402)',
			{ status: 402 },
			1,
			{ status: 'not_processed', reason: 'out_of_credits', httpCode: 402 },
			'Add credits to the account',
		],
		[
			'again and again (503)',
			{ status: 503 },
			5,
			{ status: 'failed', reason: 'service_unavailable', httpCode: 503 },
			'Run the remaining items later',
		],
	])('%s: what happened and what to do', async (_, fault, requests, item, remedy) => {
		service().faults.add(fault);
		const [[answer] = []] = await answersTo([[find(who)]]);
		expect(answer).toEqual({ ...item, message: expect.stringContaining(remedy), ...asked });
		expect(service().requests).toHaveLength(requests);
		expect(charged()).toEqual([]);
	});

	test('and the agent goes on with another tool', async () => {
		service().faults.add({ status: 402, on: { operation: 'find' } });
		const answers = await answersTo([[find(who)], [verify(person.email)]]);
		expect(answers[1]).toEqual([verified(person.email)]);
		expect(charged()).toEqual([`verify ${person.email}`]);
	});
});

test('two calls in one turn: an answer each', async () => {
	expect(await answersTo([[find(who), verify(person.email)]])).toEqual([
		[foundEmail(person, asked)],
		[verified(person.email)],
	]);
	expect(charged().sort()).toEqual([`find ${person.email}`, `verify ${person.email}`]);
});

test('the same call again, in one turn and in the next: paid once', async () => {
	const answers = await answersTo([[find(who), find(who)], [find(who)]]);
	expect(answers).toEqual(Array(3).fill([foundEmail(person, asked)]));
	expect(charged()).toEqual([`find ${person.email}`]);
	expect(service().requests).toHaveLength(1);
});

describe('tools whose On Error has its default', () => {
	test.each<[string, Fault[], ToolCall, told: string]>([
		['a missing field', [], find({ full_name: person.full }), 'missing Company Domain'],
		['a refused key', [{ status: 401 }], find(who), 'The service did not accept the API key'],
		['no credits', [{ status: 402 }], find(who), 'Not enough credits'],
	])('%s: the workflow goes on and the model hears of it', async (_, faults, call, told) => {
		for (const fault of faults) service().faults.add(fault);
		const answers = await answersTo([[call]], await createAgent());
		expect(JSON.stringify(answers)).toContain(told);
		expect(charged()).toEqual([]);
	});
});

test('tools that read and search', async () => {
	const { company } = person;
	const answers = await answersTo([
		[{ tool: 'Get_Leads', arguments: { list_id: '102', limit: 2 } }],
		[{ tool: 'Search_Company', arguments: { keyword: company.domain } }],
	]);
	const newest = list(102).leads.slice(-2).reverse().map(listLead);
	expect(answers).toEqual([newest, [{ status: 'found', ...companyFields(company) }]]);
	expect(charged()).toEqual([`searchCompany ${company.domain}`]);
});

test('a list that is not there: what happened and what to do', async () => {
	const call = { tool: 'Get_Leads', arguments: { list_id: '999', limit: 2 } };
	const [[answer] = []] = await answersTo([[call]]);
	expect(answer).toMatchObject({
		status: 'failed',
		reason: 'not_found',
		message: expect.stringMatching(/^The list or job was not found.*Check that it still exists/),
	});
	report(
		`n8n ${n8n2.version}: ${ran.agents} runs of an AI agent with ${ran.tools} uses of its tools`,
	);
});
