/** @file What people see of the package in n8n's editor, in a real browser. */

import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';

import type { SavedWorkflow } from '../hosts/rest.mts';
import { chain } from '../hosts/workflow.mts';
import { demoList } from '../emulator/demo.mts';
import { list, some } from '../support/leads/expected.mts';
import { giveWebPage, useSelfSigned, useServer } from '../support/servers/ownServer.mts';
import { report } from '../support/measures/report.mts';
import { KEY, useService } from '../support/servers/service.mts';
import { naturalWidth } from './editor.mts';
import { expectDocumented } from './pictures.mts';
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

interface NodeToShow {
	name: string;
	/** Of this package if it has no package of its own. */
	type: string;
	typeVersion?: number;
	parameters?: INodeParameters;
}

const START: NodeToShow = { name: 'Start', type: 'n8n-nodes-base.manualTrigger' };

/** A saved workflow whose nodes follow each other. */
async function chainOf(name: string, ...nodes: NodeToShow[]): Promise<SavedWorkflow> {
	const { client } = running();
	return await client.createWorkflow({
		name,
		nodes: nodes.map(toNode),
		connections: chain(...nodes.map((node) => node.name)),
	});
}

function toNode(
	{ name, type, typeVersion = 1, parameters = {} }: NodeToShow,
	index: number,
): INode {
	const isOurs = !type.includes('.');
	return {
		id: name,
		name,
		type: isOurs ? `${running().packageName}.${type}` : type,
		typeVersion,
		position: [220 * (index % 3), 220 * Math.floor(index / 3)],
		parameters,
		...(isOurs && {
			credentials: {
				contactDataApi: { id: running().credential.id, name: running().credential.name },
			},
		}),
	};
}

/** Gives out people, as a table or a CRM would. */
function peopleNodes(people: IDataObject[]): NodeToShow[] {
	return [
		START,
		{
			name: 'Table',
			type: 'n8n-nodes-base.set',
			typeVersion: 3.4,
			parameters: { mode: 'raw', jsonOutput: JSON.stringify({ people }), options: {} },
		},
		{
			name: 'People',
			type: 'n8n-nodes-base.splitOut',
			parameters: { fieldToSplitOut: 'people', options: {} },
		},
	];
}

// n8n picks the credential by itself while there is one only: the tests below make more.
test('from an empty canvas to the verified leads of a list, with nothing typed but searches', async () => {
	await editor().openEmptyWorkflow();
	await editor().setSize(1680, 800);
	await editor().addFirstStep();
	await editor().searchNodePanel('contact data list');
	await editor().openActions('Contact Data List');
	await editor().addAction('Get leads from list');
	await editor().openLocator('listId');
	const lists = async () => await editor().locatorChoices.allInnerTexts();
	await expect
		.poll(lists)
		.toEqual(['Spring Campaign (1000 leads)', 'Trade Fair (30 leads)', 'Berlin Expo (10 leads)']);
	await editor().searchLocator('expo');
	await expect.poll(lists).toEqual(['Berlin Expo (10 leads)']);
	await editor().locatorChoices.click();
	for (const [displayName, action] of [
		['Contact Data Finder', 'Find emails in bulk'],
		['Contact Data Verifier', 'Verify emails in bulk'],
	] as const) {
		await editor().closeNode();
		await editor().openNodePanel();
		await editor().searchNodePanel(displayName);
		await editor().openActions(displayName);
		await editor().addAction(action);
	}
	await editor().executeStep();
	const table = async () => await editor().tableIn(editor().output);
	await expect.poll(async () => (await table()).length).toBe(1 + 10);
	const clicks = await editor().clicks();
	expect(clicks).toEqual({ clicks: expect.any(Number), drags: 0 });
	expect(clicks.clicks).toBeLessThanOrEqual(15);

	const [head = [], ...rows] = await table();
	expect(head.slice(0, 3)).toEqual(['status', 'email', 'emailStatus']);
	expect(rows.flat()).not.toContain('undefined');
	const statuses = rows.map(([status]) => status);
	expect(new Set(statuses)).toEqual(new Set(['found', 'verified', 'known', 'not_found']));
	expect(service().ledger.total('findBulk')).toBe(5);
	expect(service().ledger.total('verifyBulk')).toBe(2);
	await editor().screenshot('first-run');
	report(`${running().versions}: ${clicks.clicks} clicks from an empty canvas to verified leads`);
}, 180_000);

test('the node panel finds a node by what it is for, shows all, and lists what one does', async () => {
	await editor().openWorkflow(await chainOf('What people search for', START));
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
	const icons = new Set<string | null>();
	for (const index of shown.keys()) {
		const icon = editor().foundIcon(index);
		await expect.poll(async () => await naturalWidth(icon)).toBeGreaterThan(0);
		icons.add(await icon.getAttribute('src'));
	}
	expect(icons.size).toBe(NODE_NAMES.length);
	await editor().setSize(1280, 640);
	await editor().screenshot('node-panel', editor().nodePanel);

	await editor().openActions('Contact Data Finder');
	await editor().nodePanel.getByText('Actions (4)').waitFor();
	expect((await editor().foundNodes()).slice(-4)).toEqual([
		'Find email',
		'Find emails in bulk',
		'Get bulk job',
		'Estimate cost',
	]);
	await editor().addAction('Find emails in bulk');
	expect(await editor().valueOf('operation')).toBe('Find Emails in Bulk');
}, 120_000);

test('the form of the credential tells what is wrong, and turns green when it is right', async () => {
	await editor().openWorkflow(await chainOf('A new credential', START));
	await editor().openNodePanel();
	await editor().searchNodePanel('find email');
	await editor().openActions('Contact Data Finder');
	await editor().addAction('Find email');
	await editor().createCredential();

	const says = async (message: string) => await editor().credential.getByText(message).waitFor();
	await editor().saveCredential({ baseUrl: service().baseUrl, apiKey: 'wrong-key-1234' });
	await editor().showCredentialDetails();
	await says('The service did not accept the API key. Check it in the settings of your account.');
	await editor().saveCredential({ baseUrl: await server(giveWebPage) });
	await says('The Base URL responded, but not with account data. Check the URL.');
	await editor().saveCredential({ baseUrl: 'http://api.example.com' });
	await says('The Base URL of the credential does not start with https://. Use https');

	await editor().saveCredential({ baseUrl: await secure(service().baseUrl), apiKey: KEY });
	// n8n closes the form when the test passes, and tests again when it is opened.
	await editor().reopenCredential();
	await editor().credentialPassed.waitFor();
	await editor().screenshot('credential', editor().credentialDialog);
}, 180_000);

test('a change of the Operation keeps what both have in common', async () => {
	const finder: NodeToShow = { name: 'Find Email', type: 'contactDataFinder' };
	await editor().openWorkflow(await chainOf('Switch', START, finder));
	await editor().openNode(finder.name);
	await editor().addOption('Max Credits');
	await editor().fill('maxCredits', '7');
	await editor().fill('manualLimit', '3');
	await editor().fillExpression('fullName', '{{ $json.person }}');
	const set = async () => [
		await editor().expression('fullName').innerText(),
		await editor().valueOf('manualLimit'),
		await editor().valueOf('maxCredits'),
	];
	expect(await set()).toEqual(['{{ $json.person }}', '3', '7']);
	for (const operation of ['Find Emails in Bulk', 'Find Email']) {
		await editor().choose('operation', operation);
		await expect.poll(set, { message: operation }).toEqual(['{{ $json.person }}', '3', '7']);
	}
	// It has no Max Items in Manual Runs.
	await editor().choose('operation', 'Estimate Cost');
	await expect.poll(set).toEqual(['{{ $json.person }}', undefined, '7']);
	await editor().choose('operation', 'Find Emails in Bulk');
	await expect.poll(set).toEqual(['{{ $json.person }}', expect.any(String), '7']);
}, 120_000);

describe('in the open Find Email', () => {
	const visitors = list(demoList.id).leads.map(({ person }) => person);
	const findable = some(visitors, ({ email }) => email !== null).slice(-4);
	const unfindable = some(visitors, ({ email }) => email === null).slice(0, 1);
	const people = [...findable, ...unfindable, ...findable.slice(0, 1)];
	const asked = people.map(({ full, company }) => ({ person: full, domain: company.domain }));
	const addresses = people.map(({ email }) => email ?? 'null');
	const finder: NodeToShow = {
		name: 'Find Emails',
		type: 'contactDataFinder',
		// The fields that these people do not have, cleared.
		parameters: { firstName: '', lastName: '', company: '', existingEmail: '' },
	};

	test('a field of another name is entered, and the output is linked to the input', async () => {
		await editor().openWorkflow(await chainOf('Find emails', ...peopleNodes(asked), finder));
		await editor().setSize(1680, 720);
		await editor().openNode(finder.name);
		await editor().fillExpression('fullName', '{{ $json.person }}');

		const emails = async () => await columnOf('email');
		await editor().executeStep();
		await expect.poll(emails).toEqual(addresses);
		expect(service().ledger.total('find')).toBe(4);
		await editor().showAs(editor().input, 'table');
		await editor().pointAt(editor().output, 2);
		await expect
			.poll(async () => await editor().marked(editor().input).innerText())
			.toContain(asked[2]?.person);
		await editor().screenshot('find-email');

		await editor().choose('operation', 'Find Emails in Bulk');
		await editor().executeStep();
		const hint = '6 items: 5 found, 1 not found. 4 credits used. 1 item cost nothing (duplicate).';
		await editor().output.getByText(hint).waitFor();
		await expect.poll(emails).toEqual(addresses);
		await editor().screenshot('find-emails-in-bulk');
	}, 180_000);

	test('the node after it shows what comes out, before anything runs', async () => {
		await editor().openWorkflow(
			await chainOf('Preview', START, finder, {
				name: 'After',
				type: 'n8n-nodes-base.set',
				typeVersion: 3.4,
			}),
		);
		await editor().openNode('After');
		await editor().showAs(editor().input, 'schema');
		await expect
			.poll(async () => await editor().fieldsIn(editor().input))
			.toEqual(expect.arrayContaining(['status', 'email', 'emailStatus', 'credits', 'checkedAt']));
	}, 120_000);
});

test('the canvas shows what each node costs, and an icon for a light and for a dark theme', async () => {
	const tells: Partial<Record<string, string>> = {
		'Contact Data Trigger': 'On New Lead in List',
		'Contact Data Finder': '1 credit per email found',
		'Contact Data Verifier': '1 credit per email',
		'Contact Data Account': 'free',
	};
	const nodes = NODE_NAMES.map((name) => ({
		name,
		type: name.replaceAll(' ', '').replace(/^C/, 'c'),
		...(name.endsWith('Verifier') && { parameters: { operation: 'verifyBulk' } }),
	}));
	await editor().openWorkflow(await chainOf('Themes', ...nodes));
	for (const { name } of nodes) {
		const node = editor().canvasNode(name);
		await expect
			.poll(async () => (await node.innerText()).split(/\n+/))
			.toEqual(expect.arrayContaining([name, tells[name] ?? name]));
		const icon = node.locator('img').first();
		const source = async () => await icon.getAttribute('src');
		await editor().setTheme('light');
		await expect.poll(source).toMatch(/[a-z]\/[a-z]+\.svg$/);
		await expect.poll(async () => await naturalWidth(icon)).toBeGreaterThan(0);
		const light = await source();
		await editor().setTheme('dark');
		await expect.poll(source).toBe(light?.replace('.svg', '.dark.svg'));
		await expect.poll(async () => await naturalWidth(icon)).toBeGreaterThan(0);
	}
}, 120_000);

test('docs/images has these pictures and no others but those of the examples', async () => {
	await expectDocumented((name) => !name.startsWith('example-'));
});

/** A column of the output, from its first row. */
async function columnOf(name: string): Promise<Array<string | undefined>> {
	const [head = [], ...rows] = await editor().tableIn(editor().output);
	return rows.map((row) => row[head.indexOf(name)]);
}
