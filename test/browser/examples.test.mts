/** @file The examples as people run them in n8n's editor, and the pictures of them in the README. */

import { join } from 'node:path';

import { afterAll, expect, test } from 'vitest';

import { root } from '../machine/paths.mjs';
import { exampleNames, type Workflow } from '../hosts/workflow.mts';
import { demoList } from '../emulator/demo.mts';
import { isLong } from '../support/depth.mts';
import { useChatModel, type Turn } from '../support/servers/chatModel.mts';
import { withCredentialOf, withParameters } from '../support/realN8n/exampleChanges.mts';
import {
	assistants,
	failFor,
	findAndVerify,
	hubSpotContacts,
	leadsWithoutEmail,
	manyInFile,
	reviewed,
	setUpExample,
	sheetOf,
	targetCompanies,
	type SetUps,
} from '../support/realN8n/exampleScenes.mts';
import { csvFilesOf } from '../support/realN8n/spreadsheets.mts';
import { known, list, personWith } from '../support/leads/expected.mts';
import { makeOther } from '../support/leads/otherProvider.mts';
import { createCredential, withOwnAccount } from '../support/realN8n/host.mts';
import { MailServer } from '../support/servers/mailServer.mts';
import { report } from '../support/measures/report.mts';
import { useService } from '../support/servers/service.mts';
import { crm, hubSpot, slack } from '../support/servers/toolStandIns.mts';
import { expectDocumented, keep } from './pictures.mts';
import { useEditor } from './useEditor.mts';

const FIRST = 'find-and-verify-list-leads';

const service = useService({ demo: true });
/** Of a second provider. */
const other = useService();
const model = useChatModel();
const { running, editor } = useEditor(service);
const mail = await MailServer.open();
afterAll(async () => await mail[Symbol.asyncDispose]());
const person = personWith('valid');
const { turns, answer } = findAndVerify(person);

/** What an example works with, and how it is run. */
interface Scene extends Pick<SetUps, 'tools'> {
	change?: (workflow: Workflow) => Workflow | Promise<Workflow>;
	/** Its button unless told. */
	run?: () => Promise<void>;
	/** How many nodes have nothing to do. */
	idle?: number;
}

const scenes: Record<string, () => Scene> = {
	'agent-with-approval': () => ({
		change: async (workflow) => await withModel(workflow, reviewed(turns)),
		run: async () =>
			await editor().chat('Is it safe to mail them?', answer, ['Approve', 'Approve']),
	}),
	'ai-agent': () => ({
		change: async (workflow) => await withModel(workflow, turns),
		run: async () =>
			await editor().chat(
				`What is the address of ${person.full} at ${person.company.domain}, and can I mail to it?`,
				answer,
			),
	}),
	'alert-on-low-credits': () => ({ tools: [slack()] }),
	'bulk-job-without-waiting': () => ({
		change: (workflow) => withParameters(workflow, 'Wait', { amount: 1, unit: 'seconds' }),
	}),
	'collect-failed-leads': () => {
		const [refused, unanswered] = leadsWithoutEmail(demoList.id);
		failFor(service(), known(refused), 400);
		failFor(service(), known(unanswered), 503);
		return {};
	},
	'company-research': () => ({ tools: [crm(targetCompanies)] }),
	'form-to-crm-and-slack': () => ({
		tools: [hubSpot(), slack()],
		run: async () =>
			await editor().executeByForm([person.first, person.last, person.company.domain]),
	}),
	'google-sheet-rows': () => ({ tools: [sheetOf(list(demoList.id).leads)] }),
	// It stops only where it may cost too much.
	'large-list-that-survives-a-crash': () => ({ idle: 1 }),
	'mcp-server': () => ({ tools: [assistants] }),
	'new-hubspot-contact': () => ({
		tools: [hubSpot(hubSpotContacts.map(({ contact }) => contact))],
	}),
	'pay-once-for-good': () => ({}),
	'spreadsheet-upload': () => ({ run: sendSpreadsheet, idle: 2 }),
	'two-providers': () => ({
		tools: [sheetOf(leadsWithoutEmail(demoList.id))],
		change: async (workflow) => {
			makeOther(other());
			const credential = await createCredential(running().client, other());
			return withCredentialOf(workflow, 'Provider B', credential);
		},
	}),
	'weekly-list-cleaning': () => ({ tools: [mail] }),
};

/** The example with the model, which says these turns. */
async function withModel(workflow: Workflow, says: readonly Turn[]): Promise<Workflow> {
	model().says(...says);
	const credential = await model().createCredential(running().client);
	return withCredentialOf(workflow, 'Chat Model', credential);
}

/** Sends a file by the form that the Execute button opens, and takes the file that its last page gives. */
async function sendSpreadsheet(): Promise<void> {
	const [form] = await Promise.all([
		editor().page.waitForEvent('popup'),
		editor().executeWorkflow(),
	]);
	const { name, type, bytes } = csvFilesOf(manyInFile.cells)[0];
	const file = { name, mimeType: type, buffer: Buffer.from(bytes) };
	await form.locator('input[type=file]').setInputFiles(file);
	// The last page tells n8n that it is there: a window that is closed before leaves the execution waiting.
	const [download] = await Promise.all([
		form.waitForEvent('download'),
		form.waitForResponse(
			(response) =>
				response.request().method() === 'POST' && response.url().includes('/form-waiting/'),
		),
		form.getByRole('button', { name: 'Find Emails' }).click(),
	]);
	expect(download.suggestedFilename()).toBe('comma with emails.xlsx');
	for (const text of ['Done: the file is in your downloads', ...manyInFile.ofManualRun]) {
		await form.getByText(text).waitFor();
	}
	await keep('spreadsheet-upload-last-page.png', await form.screenshot());
	await form.close();
}

/** Takes the picture after a run, in which all nodes but the idle ones have succeeded. */
async function succeeds(name: string, idle = 0): Promise<void> {
	await editor().page.getByText('Workflow executed successfully', { exact: true }).waitFor();
	const count = await editor().canvasNodes.count();
	const succeeded = editor().page.getByTestId('canvas-node-status-success');
	await expect.poll(async () => await succeeded.count()).toBe(count - idle);
	expect(service().ledger.total() > 0).toBe(name !== 'alert-on-low-credits');
	await takePicture(name);
}

/** Takes the picture, on which everything has to be readable. */
async function takePicture(name: string): Promise<void> {
	await editor().screenshotWorkflow(`example-${name}`);
	expect(await editor().canvasText()).not.toMatch(/undefined|null|NaN/);
	const [room, ...others] = await editor().roomInNotes();
	expect(room).toBeGreaterThan(8);
	expect(others).toEqual([]);
}

test(`${FIRST}, imported from its file, and its output`, async () => {
	await editor().openEmptyWorkflow();
	const file = editor().page.getByTestId('workflow-import-input');
	await file.setInputFiles(join(root, 'examples', `${FIRST}.json`));
	for (const node of ['Get List Leads', 'Find Emails in Bulk', 'Verify Emails in Bulk']) {
		await editor().openNode(node);
		await editor().node.getByTestId('node-credentials-select').click();
		const id = `node-credentials-select-item-${running().credential.id}`;
		await editor().page.getByTestId(id).click();
		if (node === 'Get List Leads') {
			await editor().openLocator('listId');
			await editor().locatorChoices.filter({ hasText: demoList.name }).click();
		}
		await editor().closeNode();
	}
	await editor().executeWorkflow();
	await succeeds(FIRST);
	await editor().page.setViewportSize({ width: 1680, height: 800 });
	await editor().openNode('Verify Emails in Bulk');
	await editor().output.getByTestId('radio-button-table').click();
	await editor().screenshot(`example-${FIRST}-output`);
});

/** What a commit runs here of those that also run without an editor: a chat and a form. */
const some = ['ai-agent', 'spreadsheet-upload'];
const others = isLong ? (await exampleNames()).filter((name) => name !== FIRST) : some;

test.each(others)('%s, set up and run', async (name) => {
	const { tools = [], change, run, idle } = known(scenes[name])();
	for (const tool of tools) if ('app' in tool) await running().tools.use(tool);
	const host = await withOwnAccount(running(), service());
	const workflow = await setUpExample(name, host, { listId: demoList.id, tools });
	const changed = change ? await change(workflow) : workflow;
	await editor().openWorkflow(await running().client.createWorkflow(changed));
	// It is ready when it is set up.
	if (name === 'mcp-server') return await takePicture(name);
	await (run ? run() : editor().executeWorkflow());
	await succeeds(name, idle);
});

test.runIf(isLong)('docs/images has these pictures of the examples and no others', async () => {
	const count = await expectDocumented((name) => name.startsWith('example-'));
	report(`${running().versions}: ${count} pictures of examples that succeeded in the editor`);
});
