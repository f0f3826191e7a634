/** @file The examples as people run them in n8n's editor, and the pictures of them in the README. */

import { join } from 'node:path';

import { expect, test } from 'vitest';

import { root } from '../machine/paths.mjs';
import { readExample, withCredential, withList, type Workflow } from '../hosts/workflow.mts';
import { useChatModel } from '../support/chatModel.mts';
import { CrmStandIn } from '../support/crmStandIn.mts';
import {
	withCredentialOf,
	withOrigin,
	withParameters,
	withTable,
} from '../support/exampleChanges.mts';
import {
	createLeadsTable,
	failFor,
	findAndVerify,
	keepFewLeads,
	leadsWithoutEmail,
	saveNewLeads,
	targetCompanies,
} from '../support/exampleScenes.mts';
import { known, list, personWith } from '../support/expected.mts';
import { MessengerStandIn } from '../support/messengerStandIn.mts';
import { report } from '../support/report.mts';
import { SecondFinder } from '../support/secondFinder.mts';
import { useService } from '../support/service.mts';
import { expectDocumented } from './pictures.mts';
import { useEditor } from './useEditor.mts';

const TEST_TIMEOUT_MS = 120_000;

const service = useService();
const model = useChatModel();
const { running, editor } = useEditor(service);

/** An example with the credential that importing people pick, and their list where it reads one. */
async function example(name: string, listId = 102): Promise<Workflow> {
	const { packageName, credential } = running();
	return withList(withCredential(await readExample(name), packageName, credential), list(listId));
}

/** An example with a data table that it alone has. */
async function withOwnTable(name: string): Promise<Workflow> {
	const table = await createLeadsTable(running().client, `Leads of ${name}`);
	const rows = list(102).leads.map(({ email, person: { full, company } }) => ({
		name: full,
		domain: company.domain,
		email,
	}));
	if (name === 'enrich-table-rows') await running().client.insertRows(table, rows);
	return withTable(await example(name), table);
}

async function open(workflow: Workflow): Promise<void> {
	await editor().openWorkflow(await running().client.createWorkflow(workflow));
}

/**
 * Runs an example by its button.
 *
 * @param workflow the example as it is, unless changed
 */
async function runs(name: string, workflow?: Workflow, idle = 0): Promise<void> {
	await open(workflow ?? (await example(name)));
	await editor().executeWorkflow();
	await succeeds(name, idle);
}

/**
 * Waits for the end of the run, in which all nodes have to succeed, and takes the picture.
 *
 * @param idle how many of them have nothing to do
 */
async function succeeds(name: string, idle = 0): Promise<void> {
	await editor().notice('Workflow executed successfully').waitFor();
	const count = await editor().canvasNodes.count();
	await expect.poll(async () => await editor().succeeded.count()).toBe(count - idle);
	const isFree = name === 'alert-on-low-credits';
	expect(service().ledger.total() > 0).toBe(!isFree);
	await editor().screenshotWorkflow(`example-${name}`);
}

test(
	'find-and-verify-list-leads, imported from its file, and its output',
	async () => {
		keepFewLeads(service(), 102);
		const name = 'find-and-verify-list-leads';
		await editor().importWorkflow(join(root, 'examples', `${name}.json`));
		for (const node of ['Get List Leads', 'Find Emails in Bulk', 'Verify Emails in Bulk']) {
			await editor().openNode(node);
			await editor().pickCredential(running().credential);
			if (node === 'Get List Leads') await pickList('Trade Fair');
			await editor().closeNode();
		}
		await editor().executeWorkflow();
		await succeeds(name);
		await editor().openNode('Name, Email and Status');
		await editor().showAs(editor().output, 'table');
		await editor().screenshot(`example-${name}-output`, editor().output.locator('table'));
	},
	TEST_TIMEOUT_MS,
);

/** In the open node, as people do. */
async function pickList(name: string): Promise<void> {
	await editor().openLocator('listId');
	await editor().locatorChoices.filter({ hasText: name }).click();
}

test(
	'company-research, with the companies of a CRM',
	async () => {
		await using crm = await CrmStandIn.open(targetCompanies);
		const name = 'company-research';
		await runs(name, withOrigin(await example(name), 'Get Companies from CRM', crm.url));
	},
	TEST_TIMEOUT_MS,
);

test.each([
	// It stops only where it may cost too much.
	['enrich-every-morning', 1],
	['enrich-table-rows', 0],
	['large-list-that-survives-a-crash', 0],
])(
	'%s, with a data table',
	async (name, idle) => await runs(name, await withOwnTable(name), idle),
	TEST_TIMEOUT_MS,
);

test(
	'alert-on-low-credits, with a messenger',
	async () => {
		await using messenger = await MessengerStandIn.open();
		const name = 'alert-on-low-credits';
		const messages = await running().client.createCredential('Messages', 'discordWebhookApi', {
			webhookUri: messenger.url,
		});
		await runs(name, withCredentialOf(await example(name), 'Send Message', messages));
		expect(messenger.messages.length).toBeGreaterThan(0);
	},
	TEST_TIMEOUT_MS,
);

test(
	'bulk-job-without-waiting, with a shorter wait',
	async () => {
		const name = 'bulk-job-without-waiting';
		const wait = { amount: 1, unit: 'seconds' };
		await runs(name, withParameters(await example(name), 'Wait', wait));
	},
	TEST_TIMEOUT_MS,
);

test(
	'collect-failed-leads, with two leads that fail',
	async () => {
		const [refused, unanswered] = leadsWithoutEmail(102);
		failFor(service(), known(refused), 400);
		failFor(service(), known(unanswered), 503);
		await runs('collect-failed-leads');
	},
	TEST_TIMEOUT_MS,
);

test(
	'second-source-for-misses',
	async () => {
		await using second = await SecondFinder.open(({ domain }) => `hello@${domain}`);
		const name = 'second-source-for-misses';
		await runs(name, withOrigin(await example(name), 'Ask Second Source', second.url));
		expect(second.asked.length).toBeGreaterThan(0);
	},
	TEST_TIMEOUT_MS,
);

test(
	'crm-sync, with leads saved lately',
	async () => {
		await using crm = await CrmStandIn.open();
		const saved = saveNewLeads(service(), 101);
		const workflow = await example('crm-sync', 101);
		await runs('crm-sync', withOrigin(workflow, 'Create or Update Contact', crm.url));
		expect(crm.puts).toBe(saved.length);
	},
	TEST_TIMEOUT_MS,
);

test(
	'ai-agent, in the chat',
	async () => {
		const person = personWith('valid');
		const { turns, answer } = findAndVerify(person);
		model().says(...turns);
		const modelCredential = await model().createCredential(running().client);
		await open(withCredentialOf(await example('ai-agent'), 'Chat Model', modelCredential));
		const question = `What is the address of ${person.full} at ${person.company.domain}, and can I mail to it?`;
		await editor().chat(question, answer);
		await succeeds('ai-agent');
	},
	TEST_TIMEOUT_MS,
);

test(
	'mcp-server, as it is set up',
	async () => {
		const bearer = await running().client.createCredential('Assistants', 'httpBearerAuth', {
			token: 'a-long-random-token',
		});
		await open(withCredentialOf(await example('mcp-server'), 'Assistants', bearer));
		await editor().screenshotWorkflow('example-mcp-server');
	},
	TEST_TIMEOUT_MS,
);

test('docs/images has these pictures of the examples and no others', async () => {
	const count = await expectDocumented((name) => name.startsWith('example-'));
	report(`${running().versions}: ${count} pictures of examples that succeeded in the editor`);
});
