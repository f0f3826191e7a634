/** @file The examples as people run them in n8n's editor, and the pictures of them in the README. */

import { join } from 'node:path';

import { expect, test } from 'vitest';

import { root } from '../commands/paths.mjs';
import { readExample, withCredential, type Workflow } from '../hosts/workflow.mts';
import { useChatModel } from '../support/chatModel.mts';
import { CrmStandIn } from '../support/crmStandIn.mts';
import { withCredentialOf, withSetting } from '../support/exampleChanges.mts';
import {
	failFor,
	findAndVerify,
	leadsWithoutEmail,
	saveNewLeads,
} from '../support/exampleScenes.mts';
import { known, personWith } from '../support/expected.mts';
import { report } from '../support/report.mts';
import { SecondFinder } from '../support/secondFinder.mts';
import { useService } from '../support/service.mts';
import { expectDocumented } from './pictures.mts';
import { useEditor } from './useEditor.mts';

const TEST_TIMEOUT_MS = 120_000;

const service = useService();
const model = useChatModel();
const { running, editor } = useEditor(service);

/** An example with the credential that importing people pick. */
async function example(name: string): Promise<Workflow> {
	return withCredential(await readExample(name), running().packageName, running().credential);
}

async function open(workflow: Workflow): Promise<void> {
	await editor().openWorkflow(await running().client.createWorkflow(workflow));
}

/**
 * Runs an example by its button.
 *
 * @param workflow the example as it is, unless changed
 * @param idle how many nodes are not run
 */
async function runs(name: string, { workflow, idle }: { workflow?: Workflow; idle?: number } = {}) {
	await open(workflow ?? (await example(name)));
	await editor().executeWorkflow();
	await succeeds(name, idle);
}

/**
 * Waits for the end of the run, in which all nodes have to succeed, and takes the picture.
 *
 * @param idle how many nodes are not run
 */
async function succeeds(name: string, idle = 0): Promise<void> {
	await editor().notice('Workflow executed successfully').waitFor();
	const count = await editor().canvasNodes.count();
	await expect.poll(async () => await editor().succeeded.count()).toBe(count - idle);
	expect(service().ledger.total()).toBeGreaterThan(0);
	await editor().screenshotWorkflow(`example-${name}`);
}

test(
	'find-and-verify-list-leads, imported from its file',
	async () => {
		const name = 'find-and-verify-list-leads';
		await editor().importWorkflow(join(root, 'examples', `${name}.json`));
		for (const node of ['Get List Leads', 'Find Email', 'Verify Email']) {
			await editor().openNode(node);
			await editor().pickCredential(running().credential);
			await editor().closeNode();
		}
		await editor().executeWorkflow();
		await succeeds(name);
	},
	TEST_TIMEOUT_MS,
);

test('company-research', async () => await runs('company-research'), TEST_TIMEOUT_MS);

test(
	'enrich-list-in-bulk, from its schedule',
	async () => await runs('enrich-list-in-bulk', { idle: 1 }),
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
		const workflow = withSetting(await example(name), 'secondSourceUrl', second.url);
		await runs(name, { workflow });
		expect(second.asked.length).toBeGreaterThan(0);
	},
	TEST_TIMEOUT_MS,
);

test(
	'crm-sync, with leads saved lately',
	async () => {
		await using crm = await CrmStandIn.open();
		using newLeads = saveNewLeads(service(), 101);
		const workflow = withSetting(await example('crm-sync'), 'crmUrl', crm.url);
		await runs('crm-sync', { workflow });
		expect(crm.puts).toBe(newLeads.saved.length);
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

test('docs/images has these pictures of the examples and no others', async () => {
	const count = await expectDocumented((name) => name.startsWith('example-'));
	report(`${running().versions}: ${count} examples succeeded in the editor`);
});
