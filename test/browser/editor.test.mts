/** @file What people see of the package in n8n's editor, in a real browser. */

import type { IDataObject, INode } from 'n8n-workflow';
import type { Locator } from 'playwright-core';
import { expect, test } from 'vitest';

import type { SavedWorkflow } from '../hosts/rest.mts';
import { chain, type Workflow } from '../hosts/workflow.mts';
import { expectedVerification } from '../emulator/addresses.mts';
import { demoList } from '../emulator/demo.mts';
import { rowsOf } from '../emulator/operations/bulkFinder.mts';
import { list, some } from '../support/leads/expected.mts';
import { makeOther } from '../support/leads/otherProvider.mts';
import { leadsWithoutEmail } from '../support/realN8n/exampleScenes.mts';
import { createCredential, withOwnAccount } from '../support/realN8n/host.mts';
import { giveWebPage, useSelfSigned, useServer } from '../support/servers/ownServer.mts';
import { manually, node, ours } from '../support/realN8n/savedNodes.mts';
import { report } from '../support/measures/report.mts';
import { KEY, useService } from '../support/servers/service.mts';
import { expectDocumented, MovingPicture } from './pictures.mts';
import { useEditor } from './useEditor.mts';

const NODE_NAMES = [
	'Contact Data Account',
	'Contact Data Company',
	'Contact Data Finder',
	'Contact Data List',
	'Contact Data Trigger',
	'Contact Data Verifier',
];

const service = useService({ demo: true });
const { running, editor } = useEditor(service);
const secure = useSelfSigned();
const server = useServer();
/** Of a second provider. */
const other = useService();

/** A workflow whose nodes follow each other, three in a row. */
const chained = (name: string, nodes: INode[]): Workflow => ({
	name,
	nodes: nodes.map((one, index) => ({
		...one,
		position: [220 * (index % 3), 220 * Math.floor(index / 3)],
	})),
	connections: chain(...nodes.map((one) => one.name)),
});

async function chainOf(name: string, ...nodes: INode[]): Promise<SavedWorkflow> {
	return await running().client.createWorkflow(chained(name, nodes));
}

/** The same, after the rows of a sheet. */
async function sheetChain(name: string, rows: IDataObject[], ...nodes: INode[]) {
	const sheet = node('Spreadsheet', 'n8n-nodes-base.extractFromFile', 1, {});
	const pinData = { [sheet.name]: rows.map((json) => ({ json })) };
	const workflow = chained(name, [manually(), sheet, ...nodes]);
	return await running().client.createWorkflow({ ...workflow, pinData });
}

/** Executes the open node. */
async function execute(): Promise<void> {
	await editor().node.getByTestId('node-execute-button').click();
}

/** How wide a picture is in itself: 0 unless it is loaded. */
async function naturalWidth(image: Locator): Promise<number> {
	return await image.evaluate(({ naturalWidth: width }: { naturalWidth: number }) => width);
}

// n8n picks the credential by itself while there is one only: the tests below make more.
test('from an empty canvas to the verified leads of a list, with nothing typed but searches', async () => {
	await editor().openEmptyWorkflow();
	await editor().page.setViewportSize({ width: 1680, height: 800 });
	await editor().page.getByTestId('canvas-add-button').click();
	await editor().addNode('Contact Data List', 'Get leads from list');
	await editor().openLocator('listId');
	const lists = async () => await editor().locatorChoices.allInnerTexts();
	await expect
		.poll(lists)
		.toEqual(['Spring Campaign (1000 leads)', 'Trade Fair (30 leads)', 'Berlin Expo (10 leads)']);
	await editor().page.getByTestId('rlc-search').filter({ visible: true }).fill('expo');
	await expect.poll(lists).toEqual(['Berlin Expo (10 leads)']);
	await editor().locatorChoices.click();
	for (const [displayName, action] of [
		['Contact Data Finder', 'Find emails faster in bulk'],
		['Contact Data Verifier', 'Verify emails faster in bulk'],
	] as const) {
		await editor().closeNode();
		await editor().openNodePanel();
		await editor().addNode(displayName, action);
		// n8n picks the credential a moment after the node has opened: one that is closed sooner stays without.
		await expect.poll(async () => await editor().credentialName()).toBe('Contact Data');
	}
	await execute();
	const table = async () => await editor().tableIn(editor().output);
	await expect.poll(async () => (await table()).length).toBe(1 + 10);
	const [head = [], ...rows] = await table();
	expect(head.slice(0, 4)).toEqual(['fullName', 'lookupStatus', 'email', 'emailStatus']);
	expect(rows.flat()).not.toContain('undefined');
	const statuses = rows.map(([, status]) => status);
	expect(new Set(statuses)).toEqual(new Set(['found', 'verified', 'known', 'not_found']));
	expect(service().ledger.total('findBulk')).toBe(5);
	expect(service().ledger.total('verifyBulk')).toBe(2);
	await editor().screenshot('first-run');
	report(running().versions);
});

/** The rows of a sheet that nobody made for this package. */
function sheetRows(): IDataObject[] {
	const newest = list(demoList.id).leads.slice(-6).toReversed();
	return newest.map(({ person }, index) => ({
		'First Name': person.first,
		Surname: person.last,
		'Company Website': `https://www.${person.company.domain}/`,
		'E-Mail': index === 2 ? person.email : '',
	}));
}

test('rows of any sheet are looked up with nothing typed, dragged or cleared', async () => {
	const host = await withOwnAccount(running(), service());
	const finder = ours(host, 'Find Emails', 'contactDataFinder', { operation: 'findBulk' });
	const saved = await sheetChain('Own rows', sheetRows(), finder);
	await editor().openWorkflow(saved, { width: 1540, height: 640 });
	await editor().openNode(finder.name);
	await editor().input.getByTestId('radio-button-table').click();
	await editor().input.locator('tbody tr').nth(5).waitFor();
	const moving = new MovingPicture();
	await moving.add(async () => await editor().picture(), 3_000);
	await execute();
	const read = 'Read from: First Name, Surname, Company Website, E-Mail';
	await editor().output.getByText(read).waitFor();
	const table = async () => await editor().tableIn(editor().output);
	await expect.poll(async () => (await table()).length).toBe(1 + sheetRows().length);
	const [head = [], ...rows] = await table();
	expect(rows.map((row) => row[head.indexOf('lookupStatus')])).toEqual(
		sheetRows().map((row) => (row['E-Mail'] ? 'known' : expect.stringMatching(/^(not_)?found$/))),
	);
	expect(head).toEqual(
		expect.arrayContaining(['First Name', 'Surname', 'Company Website', 'E-Mail']),
	);
	expect(rows.flat()).not.toContain('undefined');
	await editor().screenshot('own-rows');
	await moving.add(async () => await editor().picture(), 5_000);
	await moving.keep('spreadsheet');
});

test('two providers in a row, as the README says: the second is asked for what the first lacks', async () => {
	makeOther(other());
	const first = (await withOwnAccount(running(), service())).credential;
	const second = await createCredential(running().client, other());
	const rows = leadsWithoutEmail(demoList.id).map(({ person }) => ({
		...{ 'First Name': person.first, Surname: person.last },
		'Company Website': person.company.domain,
	}));
	const saved = await sheetChain('Waterfall', rows);
	await editor().openWorkflow(saved, { width: 1680, height: 800 });
	const began = Date.now();
	const clicks = await editor().countClicks();
	const add = async (displayName: string, action: string, id: string) => {
		await editor().openNodePanel();
		await editor().addNode(displayName, action);
		await editor().chooseCredential(id);
	};
	const finder = ['Contact Data Finder', 'Find emails faster in bulk'] as const;
	await add(...finder, first.id);
	await editor().node.getByTestId('tab-settings').click();
	await editor().choose('onError', 'Continue');
	await editor().closeNode();
	await add(...finder, second.id);
	await editor().addOption('Keep Existing Email If');
	await editor().choose('keepEmailIf', 'Valid');
	await editor().closeNode();
	await add('Contact Data Verifier', 'Verify emails faster in bulk', first.id);
	await execute();
	const table = async () => await editor().tableIn(editor().output);
	await expect.poll(async () => (await table()).length).toBe(1 + rows.length);
	const seconds = Math.round((Date.now() - began) / 1_000);
	const found = leadsWithoutEmail(demoList.id).map(({ person }) => person.email);
	const isValid = (email: string | null) =>
		email !== null && expectedVerification(email).email_status === 'valid';
	const rest = rows.filter((_, index) => !isValid(found[index]));
	const asked = other().requests.flatMap(({ body }) => rowsOf(body));
	expect(asked.map(({ firstName }) => firstName)).toEqual(rest.map((row) => row['First Name']));
	expect(service().ledger.total('findBulk')).toBe(found.filter((email) => email !== null).length);
	report(`A waterfall of two providers: ${await clicks()} clicks, ${seconds} seconds`);
});

test('the panel of every lookup fits a screen', async () => {
	const lookups = [
		['contactDataFinder', 'find'],
		['contactDataFinder', 'findBulk'],
		['contactDataFinder', 'estimate'],
		['contactDataVerifier', 'verifyBulk'],
		['contactDataCompany', 'searchCompany'],
		['contactDataCompany', 'getLeads'],
	].map(([type = '', operation = '']) => ours(running(), operation, type, { operation }));
	const saved = await chainOf('Panels', manually(), ...lookups);
	await editor().openWorkflow(saved, { width: 1440, height: 900 });
	for (const { name } of lookups) {
		await editor().openNode(name);
		const below = async () => await editor().parametersBelowTheFold();
		await expect.poll(below, { message: name }).toBeLessThan(0);
		await editor().closeNode();
	}
});

test('a tool of an agent looks up what its model fills in, with nothing clicked', async () => {
	const agent = node('AI Agent', '@n8n/n8n-nodes-langchain.agent', 3, { options: {} });
	const tool = ours(running(), 'Find Email', 'contactDataFinderTool', {});
	const workflow = await running().client.createWorkflow({
		name: 'Tool',
		nodes: [manually(), { ...agent, position: [220, 0] }, { ...tool, position: [220, 220] }],
		connections: {
			...chain('Start', 'AI Agent'),
			'Find Email': { ai_tool: [[{ node: 'AI Agent', type: 'ai_tool', index: 0 }]] },
		},
	});
	await editor().openWorkflow(workflow, { width: 1280, height: 900 });
	await editor().openNode(tool.name);
	const filled = editor().parameters.getByText('Defined automatically by the model');
	await expect.poll(async () => await filled.count()).toBe(3);
	await editor().screenshot('tool', editor().parameters);
});

test('the node panel finds a node by what it is for, shows all, and lists what one does', async () => {
	await editor().openWorkflow(await chainOf('What people search for', manually()));
	await editor().openNodePanel();
	for (const [query, displayName] of [
		['find email', 'Contact Data Finder'],
		['verify', 'Contact Data Verifier'],
		['company data', 'Contact Data Company'],
	] as const) {
		const found = expect.poll(async () => await editor().foundNodes(), { message: query });
		await editor().searchNodePanel('');
		await found.not.toContain(displayName);
		await editor().searchNodePanel(query);
		await found.toContain(displayName);
	}

	await editor().searchNodePanel('contact data');
	// n8n leaves the last word out where a trigger has several events.
	const shown = NODE_NAMES.map((name) => name.replace(/ Trigger$/, '')).toSorted();
	await expect.poll(async () => (await editor().foundNodes()).toSorted()).toEqual(shown);
	await editor().page.setViewportSize({ width: 1280, height: 640 });
	await editor().screenshot('node-panel', editor().nodePanel);

	await editor().openActions('Contact Data Finder');
	await editor().nodePanel.getByText('Actions (4)').waitFor();
	expect((await editor().foundNodes()).slice(-4)).toEqual([
		'Estimate cost',
		'Find email',
		'Find emails faster in bulk',
		'Get bulk job',
	]);
});

test('the form of the credential tells what is wrong, and turns green when it is right', async () => {
	await editor().openWorkflow(await chainOf('A new credential', manually()));
	await editor().openNodePanel();
	await editor().addNode('Contact Data Finder', 'Find email');
	const dialog = editor().credentialDialog;
	// n8n asks the server for the name last, and saves no credential without one.
	const isOpen = async () => await dialog.getByTestId('credential-name').waitFor();
	await editor().node.getByTestId('node-credentials-select').click();
	await editor().page.getByTestId('node-credentials-select-item-new').click();
	await isOpen();

	const says = async (message: string) => await editor().credential.getByText(message).waitFor();
	await editor().saveCredential({ baseUrl: service().baseUrl, apiKey: 'wrong-key-1234' });
	await editor().credential.getByText('More details').click();
	await says('The service did not accept the API key. Check it in the settings of your account.');
	await editor().screenshot('credential', dialog);
	await editor().saveCredential({ baseUrl: await server(giveWebPage) });
	await says('The Base URL responded, but not with account data. Check the URL.');
	await editor().saveCredential({ baseUrl: 'http://api.example.com' });
	await says('The Base URL of the credential does not start with https://. Use https');

	await editor().saveCredential({ baseUrl: await secure(service().baseUrl), apiKey: KEY });
	// n8n closes the form when the test passes, and tests again when it is opened.
	await dialog.waitFor({ state: 'hidden' });
	await editor().node.getByTestId('credential-edit-button').click();
	await isOpen();
	await editor().credential.getByTestId('credentials-config-container-test-success').waitFor();
});

test('a column of another name is added, the output is linked to the input, and another Operation keeps what is set', async () => {
	const visitors = list(demoList.id).leads.map(({ person }) => person);
	const findable = some(visitors, ({ email }) => email !== null).slice(-4);
	const unfindable = some(visitors, ({ email }) => email === null).slice(0, 1);
	const people = [...findable, ...unfindable, ...findable.slice(0, 1)];
	const asked = people.map(({ full, company }) => ({ who: full, domain: company.domain }));
	const found = people.map(({ email }) => email ?? 'null');
	// As a table or a CRM gives them.
	const json = { mode: 'raw', jsonOutput: JSON.stringify({ people: asked }), options: {} };
	const table = node('Table', 'n8n-nodes-base.set', 3.4, json);
	const field = { fieldToSplitOut: 'people', options: {} };
	const split = node('People', 'n8n-nodes-base.splitOut', 1, field);
	const host = await withOwnAccount(running(), service());
	const another = await withOwnAccount(running(), service());
	const finder = ours(host, 'Find Emails', 'contactDataFinder', {});
	const saved = await chainOf('Find emails', manually(), table, split, finder);
	await editor().openWorkflow(saved, { width: 1680, height: 720 });
	await editor().openNode(finder.name);
	await execute();
	await editor().output.getByText('drag the right column in, e.g. who').waitFor();
	expect(service().requests).toEqual([]);
	await editor().input.getByTestId('radio-button-schema').click();
	const began = Date.now();
	const clicks = await editor().countClicks();
	await editor().addOption('Full Name', 'Add Field');
	await editor().drag('who', 'fullName');

	const emails = async () => {
		const [head = [], ...rows] = await editor().tableIn(editor().output);
		return rows.map((row) => row[head.indexOf('email')]);
	};
	await execute();
	await expect.poll(emails).toEqual(found);
	const seconds = Math.round((Date.now() - began) / 1_000);
	report(`A column of another name: ${await clicks()} clicks, ${seconds} seconds with the run`);
	expect(service().ledger.total('find')).toBe(4);
	const { input, output } = editor();
	await input.getByTestId('radio-button-table').click();
	// A table that is wider than its panel would be scrolled to the middle of the row.
	await output.locator('tbody tr').nth(2).locator('td').first().hover();
	const marked = async () => await input.getByTestId('hovering-item').innerText();
	await expect.poll(marked).toContain(asked[2]?.who);
	await editor().screenshot('find-email');

	await editor().choose('operation', 'Find Emails in Bulk');
	await execute();
	const hint = (cost: string) => output.getByText(`6 items: 5 found, 1 not found. ${cost}`);
	await hint('0 credits used; for free: 4 from earlier runs, 1 duplicate.').waitFor();
	expect(service().ledger.total()).toBe(4);
	// Another account pays for itself.
	await editor().chooseCredential(another.credential.id);
	await execute();
	await hint('4 credits used; for free: 1 duplicate.').waitFor();
	expect(service().ledger.total('findBulk')).toBe(4);
	await expect.poll(emails).toEqual(found);
	await editor().screenshot('find-emails-in-bulk');

	await editor().addOption('Existing Email', 'Add Field');
	await editor().addOption('Max Credits');
	const maxCredits = editor().parameter('maxCredits').locator('input');
	await maxCredits.fill('7');
	await editor().page.keyboard.press('Tab');
	const set = async () => [
		await editor().expression('fullName').innerText(),
		await maxCredits.inputValue(),
		await editor().parameter('existingEmail').locator('input').inputValue(),
	];
	for (const operation of ['Find Email', 'Estimate Cost', 'Find Emails in Bulk']) {
		await editor().choose('operation', operation);
		await expect.poll(set).toEqual(['{{ $json.who }}', '7', '']);
	}
	// Saved, closed and opened again.
	await editor().closeNode();
	await editor().save();
	await editor().openWorkflow(saved, { width: 1680, height: 720 });
	await editor().openNode(finder.name);
	await expect.poll(set).toEqual(['{{ $json.who }}', '7', '']);
});

test('the node after it shows what comes out, before anything runs', async () => {
	const finder = ours(running(), 'Find Emails', 'contactDataFinder', {});
	const after = node('After', 'n8n-nodes-base.set', 3.4, {});
	await editor().openWorkflow(await chainOf('Preview', manually(), finder, after));
	await editor().openNode(after.name);
	const { input } = editor();
	await input.getByTestId('radio-button-schema').click();
	const names = ['lookupStatus', 'email', 'emailStatus', 'lookupCredits', 'checkedAt'];
	await expect
		.poll(async () => await input.locator('[data-name]').allInnerTexts())
		.toEqual(expect.arrayContaining(names));
});

test('the canvas shows what each node costs, and an icon for a light and for a dark theme', async () => {
	const tells: Partial<Record<string, string>> = {
		'Contact Data Trigger': 'On New Lead in List',
		'Contact Data Finder': '1 credit per email found',
		'Contact Data Verifier': '1 credit per email',
		'Contact Data Account': 'free',
	};
	const nodes = NODE_NAMES.map((name) => {
		const type = name.replaceAll(' ', '').replace(/^C/, 'c');
		const parameters = name.endsWith('Verifier') ? { operation: 'verifyBulk' } : {};
		return ours(running(), name, type, parameters);
	});
	await editor().openWorkflow(await chainOf('Themes', ...nodes));
	for (const { name } of nodes) {
		const shown = editor().canvasNode(name);
		await expect
			.poll(async () => (await shown.innerText()).split(/\n+/))
			.toEqual(expect.arrayContaining([name, tells[name] ?? name]));
		const icon = shown.locator('img').first();
		const source = async () => await icon.getAttribute('src');
		await editor().page.emulateMedia({ colorScheme: 'light' });
		await expect.poll(source).toMatch(/[a-z]\/[a-z]+\.svg$/);
		await expect.poll(async () => await naturalWidth(icon)).toBeGreaterThan(0);
		const light = await source();
		await editor().page.emulateMedia({ colorScheme: 'dark' });
		await expect.poll(source).toBe(light?.replace('.svg', '.dark.svg'));
		await expect.poll(async () => await naturalWidth(icon)).toBeGreaterThan(0);
	}
});

test('docs/images has these pictures and no others but those of the examples', async () => {
	await expectDocumented((name) => !name.startsWith('example-'));
});
