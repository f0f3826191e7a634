/** @file What people see of the package in n8n's editor, in a real browser. */

import type { INode, INodeParameters } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';

import type { SavedWorkflow } from '../hosts/rest.mts';
import { chain } from '../hosts/workflow.mts';
import { fixtures, some, unfindable } from '../support/expected.mts';
import { giveWebPage, useSelfSigned, useServer } from '../support/ownServer.mts';
import { report } from '../support/report.mts';
import { KEY, useService } from '../support/service.mts';
import { naturalWidth, type Shown } from './editor.mts';
import { expectDocumented } from './pictures.mts';
import { useEditor } from './useEditor.mts';

/** n8n offers it by itself in every node with a credential. */
const CUSTOM_CALL = 'Custom API Call';

const NODE_NAMES = [
	'Contact Data Account',
	'Contact Data Company',
	'Contact Data Finder',
	'Contact Data List',
	'Contact Data Trigger',
	'Contact Data Verifier',
];

const service = useService();
const { running, editor } = useEditor(service);
const secure = useSelfSigned();

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
function peopleNodes(people: Array<{ name: string; domain: string }>): NodeToShow[] {
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

describe('the node panel', () => {
	test('finds a node by what it is for', async () => {
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
	}, 120_000);

	test('shows all nodes under their names, with icons of their own', async () => {
		await editor().openWorkflow(await chainOf('All nodes', START));
		await editor().openNodePanel();
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
	}, 120_000);
});

describe('the form of the credential', () => {
	const server = useServer();

	test('has the fields of the contract', async () => {
		const finder = { name: 'Find Email', type: 'contactDataFinder' };
		await editor().openWorkflow(await chainOf('The fields of a credential', finder));
		await editor().openNode(finder.name);
		await editor().createCredential();
		const fields = async () => await editor().credentialFields();
		// n8n offers it by itself in every credential that requests are sent with.
		const domains: Shown = ['allowedHttpRequestDomains', 'Allowed HTTP Request Domains', 'All'];
		const always: Shown[] = [
			['baseUrl', 'Base URL *', ''],
			['apiKey', 'API Key *', ''],
		];
		await expect
			.poll(fields)
			.toEqual([...always, ['customizeInterface', 'Customize API Requests', false], domains]);
		await editor().switchInCredential('customizeInterface');
		await expect
			.poll(fields)
			.toEqual([
				...always,
				['customizeInterface', 'Customize API Requests', true],
				['bulkFinderBody', 'Bulk Finder Body', 'Array of Rows'],
				['bulkVerifierPath', 'Bulk Verifier Path', '/v3/verify_bulk'],
				['bulkVerifierQuery', 'Bulk Verifier Query', 'Repeated (email=a&email=b)'],
				['companyNameParameter', 'Company Name Parameter', 'Company (company=Acme)'],
				['companySearchPath', 'Company Search Path', '/company/search'],
				['listPageSize', 'List Page Size', '500'],
				domains,
			]);
	}, 120_000);

	test('tells what is wrong, and turns green when it is right', async () => {
		await editor().openWorkflow(await chainOf('A new credential', START));
		await editor().openNodePanel();
		await editor().searchNodePanel('find email');
		await editor().addNode('Contact Data Finder');
		await editor().createCredential();

		const message = async () => await editor().credentialMessage();
		await editor().saveCredential({ baseUrl: service().baseUrl, apiKey: 'wrong-key-1234' });
		await expect
			.poll(message)
			.toContain(
				'The service did not accept the API key. Check it in the settings of your account.',
			);
		await editor().saveCredential({ baseUrl: await server(giveWebPage) });
		await expect
			.poll(message)
			.toContain('The Base URL responded, but not with account data. Check the URL.');
		await editor().saveCredential({ baseUrl: 'http://api.example.com' });
		await expect
			.poll(message)
			.toContain('The Base URL of the credential does not start with https://. Use https');

		await editor().saveCredential({ baseUrl: await secure(service().baseUrl), apiKey: KEY });
		// n8n closes the form when the test passes, and tests again when it is opened.
		await editor().reopenCredential();
		await editor().credentialPassed.waitFor();
		await editor().screenshot('credential', editor().credentialDialog);
	}, 180_000);
});

test('a list is picked in the dropdown by typing', async () => {
	await editor().openWorkflow(
		await chainOf('Pick a list', START, {
			name: 'Get List',
			type: 'contactDataList',
			parameters: { resource: 'list', operation: 'get' },
		}),
	);
	await editor().openNode('Get List');
	await editor().openLocator('listId');
	await expect
		.poll(async () => await editor().locatorChoices.allInnerTexts())
		.toEqual(['Spring Campaign', 'Trade Fair']);
	await editor().searchLocator('fair');
	await expect
		.poll(async () => await editor().locatorChoices.allInnerTexts())
		.toEqual(['Trade Fair']);
	await editor().locatorChoices.first().click();
	await editor().executeStep();
	await expect
		.poll(async () => await editor().tableIn(editor().output))
		.toMatchObject([
			['id', 'name', 'createdAt', 'leadCount', ''],
			['102', 'Trade Fair', expect.any(String), '30', ''],
		]);
}, 120_000);

test('a tool shows what the model is told, and only what makes sense for one question', async () => {
	const tool: NodeToShow = { name: 'Find Email', type: 'contactDataFinderTool' };
	await editor().openWorkflow(await chainOf('A tool', tool));
	await editor().openNode(tool.name);
	expect(await editor().choices('operation')).toEqual(['Find Email', CUSTOM_CALL]);
	await editor().addAllOptions();
	const shown = await editor().shownParameters();
	const names = shown.map(([name]) => name);
	expect(names).toEqual([
		'operation',
		'toolDescription',
		...PERSON.map(([name]) => name),
		'simple',
		...['options', 'country', 'includeCompanyData', 'keepCredits', 'maxCredits'],
	]);
	const told = editor().parameter('toolDescription').locator('textarea');
	expect(await told.inputValue()).toMatch(/^Find the business email/);
}, 120_000);

describe('in the open Find Email', () => {
	const byCompany = new Map(
		some(fixtures.people, ({ email, full }) => email !== null && /^[a-z ]+$/i.test(full)).map(
			(person) => [person.company.id, person],
		),
	);
	const findable = [...byCompany.values()].slice(0, 4);
	const people = [...findable, unfindable, ...findable.slice(0, 1)];
	const asked = people.map(({ full, company }) => ({ name: full, domain: company.domain }));
	const addresses = people.map(({ email }) => email ?? 'null');
	const finder: NodeToShow = { name: 'Find Emails', type: 'contactDataFinder' };

	test('fields are dragged from the input, and the output is linked to it', async () => {
		await editor().openWorkflow(await chainOf('Find emails', ...peopleNodes(asked), finder));
		await editor().setSize(1680, 720);
		await editor().openNode(finder.name);
		await editor().executePreviousNodes();
		await editor().showAs(editor().input, 'schema');
		await editor().mapField('name', 'fullName');
		await expect
			.poll(async () => await editor().expression('fullName').innerText())
			.toBe('{{ $json.name }}');
		await editor().mapField('domain', 'domain');
		await expect
			.poll(async () => await editor().expression('domain').innerText())
			.toBe('{{ $json.domain }}');

		const emails = async () => await columnOf('email');
		await editor().executeStep();
		await expect.poll(emails).toEqual(addresses);
		expect(service().ledger.total('find')).toBe(4);
		await editor().showAs(editor().input, 'table');
		await editor().pointAt(editor().output, 2);
		await expect
			.poll(async () => await editor().marked(editor().input).innerText())
			.toContain(asked[2]?.name);
		await editor().screenshot('find-email');

		await editor().choose('operation', 'Find Emails in Bulk');
		await editor().executeStep();
		const hint = '6 items: 5 found, 1 not found. 4 credits used. 1 item cost nothing (duplicate).';
		await editor().output.getByText(hint).waitFor();
		await expect.poll(emails).toEqual(addresses);
		await editor().screenshot('find-emails-in-bulk');
	}, 180_000);

	test('many items bring the hint at the bulk operation, before and after a run', async () => {
		const many = Array.from({ length: 21 }, (_, index) => ({
			name: `Person ${index}`,
			domain: 'many.example',
		}));
		const parameters = { fullName: '={{ $json.name }}', domain: '={{ $json.domain }}' };
		await editor().openWorkflow(
			await chainOf('Many people', ...peopleNodes(many), { ...finder, parameters }),
		);
		await editor().openNode(finder.name);
		await editor().executePreviousNodes();
		const hint = editor().output.getByText('Find Emails in Bulk does this with one request');
		await hint.waitFor();
		await editor().closeNode();
		await editor().executeWorkflow();
		await editor().notice('Workflow executed successfully').waitFor();
		await editor().openNode(finder.name);
		await expect.poll(async () => await columnOf('status')).toHaveLength(many.length);
		await hint.waitFor();
	}, 120_000);

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
			.toEqual(
				expect.arrayContaining(['status', 'email', 'emailStatus', 'fullName', 'company', 'domain']),
			);
	}, 120_000);
});

test('below each node on the canvas stands what it does', async () => {
	const nodes: Array<NodeToShow & { does: string }> = [
		{ name: 'One', type: 'contactDataTrigger', does: 'On New Lead in List' },
		{ name: 'Two', type: 'contactDataFinder', does: 'Find Email' },
		{
			name: 'Three',
			type: 'contactDataVerifier',
			parameters: { operation: 'verifyBulk' },
			does: 'Verify Emails in Bulk',
		},
	];
	await editor().openWorkflow(await chainOf('Subtitles', ...nodes));
	for (const { name, does } of nodes) {
		await expect
			.poll(async () => (await editor().canvasNode(name).innerText()).split(/\n+/))
			.toEqual(expect.arrayContaining([name, does]));
	}
}, 120_000);

test('light and dark themes have icons of their own', async () => {
	const nodes = NODE_NAMES.map((name) => ({
		name,
		type: name.replaceAll(' ', '').replace(/^C/, 'c'),
	}));
	await editor().openWorkflow(await chainOf('Themes', ...nodes));
	for (const { name } of nodes) {
		const icon = editor().canvasNode(name).locator('img').first();
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

const SIMPLIFY: Shown[] = [['simple', 'Simplify', true]];
const LIST: Shown[] = [['listId', 'List', 'From list', '']];
const LIMIT: Shown[] = [
	['returnAll', 'Return All', false],
	['limit', 'Limit', '50'],
];
const PERSON: Shown[] = [
	['fullName', 'Full Name', ''],
	['firstName', 'First Name', ''],
	['lastName', 'Last Name', ''],
	['domain', 'Company Domain', ''],
	['company', 'Company Name', ''],
];
const EXISTING_EMAIL: Shown[] = [['existingEmail', 'Existing Email', '']];
const EXISTING_STATUS: Shown[] = [['existingStatus', 'Existing Status', '']];
const WITH_INPUT: Shown[] = [['includeInputFields', 'Include Input Fields', true]];
const WITHOUT_INPUT: Shown[] = [['includeInputFields', 'Include Input Fields', false]];
const EMAIL: Shown[] = [['email', 'Email', '']];
const LOOKUP: Shown[] = [
	['resultField', 'Put Result in Field', ''],
	['keepCredits', 'Keep Credits', '100'],
	['maxConcurrency', 'Max Concurrency', '5'],
	['maxCredits', 'Max Credits', '100'],
	['manualLimit', 'Max Items in Manual Runs', '10'],
	['maxRetries', 'Max Retries', '4'],
	['incompleteRun', 'On Incomplete Run', 'Return Partial Results'],
];
const AGE: Shown[] = [
	['checkedAt', 'Checked At', ''],
	['maxAgeDays', 'Max Age (Days)', '90'],
];
const EMAILS: Shown[] = [
	...AGE,
	['skipEmpty', 'Skip Items Without Email', false],
	['retryUnknownDays', 'Verify Unknown Again After (Days)', '1'],
];
const VERIFIER: Shown[] = [...EMAILS, ...LOOKUP];
const COUNTRY: Shown = ['country', 'Country', ''];

interface ShownOperation {
	operation: string;
	parameters: Shown[];
	options?: Shown[];
}

/** Every operation with its parameters and their defaults, as the public contract has them. */
const contract: Array<[displayName: string, operations: ShownOperation[]]> = [
	['Contact Data Account', [{ operation: 'Get Account', parameters: SIMPLIFY }]],
	[
		'Contact Data List',
		[
			{ operation: 'Get Many Lists', parameters: [...LIMIT, ...SIMPLIFY] },
			{ operation: 'Get List', parameters: [...LIST, ...SIMPLIFY] },
			{
				operation: 'Get List Leads',
				parameters: [...LIST, ...LIMIT, ...SIMPLIFY],
				options: [
					['email', 'Email', 'All Leads'],
					['keyword', 'Keyword', ''],
				],
			},
			{
				operation: 'Export List Leads',
				parameters: [...LIST, ['emailOnly', 'Only with Email', false], ...SIMPLIFY],
			},
		],
	],
	[
		'Contact Data Finder',
		[
			{
				operation: 'Find Email',
				parameters: [...PERSON, ...EXISTING_EMAIL, ...WITH_INPUT, ...SIMPLIFY],
				options: [
					COUNTRY,
					['includeCompanyData', 'Include Company Data', false],
					...AGE,
					...LOOKUP,
				],
			},
			{
				operation: 'Find Emails in Bulk',
				parameters: [...PERSON, ...EXISTING_EMAIL, ...WITH_INPUT, ...SIMPLIFY],
				options: [COUNTRY, ['jobTimeout', 'Job Timeout (Minutes)', '30'], ...AGE, ...LOOKUP],
			},
			{
				operation: 'Get Bulk Job',
				parameters: [['jobId', 'Job ID', ''], ['jobRow', 'Job Row', ''], ...SIMPLIFY],
			},
			{
				operation: 'Estimate Cost',
				parameters: [...PERSON, ...EXISTING_EMAIL],
				options: [COUNTRY, ...AGE],
			},
		],
	],
	[
		'Contact Data Verifier',
		[
			{
				operation: 'Verify Email',
				parameters: [...EMAIL, ...EXISTING_STATUS, ...WITH_INPUT, ...SIMPLIFY],
				options: [['enrich', 'Include Person Data', false], ...VERIFIER],
			},
			{
				operation: 'Verify Emails in Bulk',
				parameters: [...EMAIL, ...EXISTING_STATUS, ...WITH_INPUT, ...SIMPLIFY],
				options: VERIFIER,
			},
			{
				operation: 'Estimate Cost',
				parameters: [...EMAIL, ...EXISTING_STATUS],
				options: EMAILS,
			},
		],
	],
	[
		'Contact Data Company',
		[
			{
				operation: 'Search Company',
				parameters: [
					['keyword', 'Company', ''],
					['returnAllMatches', 'Return All Matches', false],
					...WITHOUT_INPUT,
					...SIMPLIFY,
				],
				options: LOOKUP,
			},
			{
				operation: 'Get Company Leads',
				parameters: [
					['companyWebsite', 'Company Website', ''],
					['companyName', 'Company Name', ''],
					...LIMIT,
					...WITHOUT_INPUT,
					...SIMPLIFY,
				],
				options: [
					['location', 'Location', ''],
					['locationMatch', 'Location Match', 'All Words'],
					['title', 'Title', ''],
					['titleMatch', 'Title Match', 'All Words'],
				],
			},
		],
	],
];

describe('what the contract says is shown', () => {
	const compared: Shown[] = [];
	let operationCount = 0;

	async function expectShown(parameters: Shown[], message: string): Promise<void> {
		// The editor takes a moment to show what belongs to another operation.
		const shown = async () => {
			await editor().addAllOptions();
			return await editor().shownParameters();
		};
		await expect.poll(shown, { message }).toEqual(parameters);
	}

	test.each(contract)(
		'by the %s',
		async (displayName, operations) => {
			const type = displayName.replaceAll(' ', '').replace(/^C/, 'c');
			await editor().openWorkflow(await chainOf(displayName, START, { name: displayName, type }));
			await editor().openNode(displayName);
			expect(await editor().choices('operation')).toEqual([
				...operations.map(({ operation }) => operation),
				CUSTOM_CALL,
			]);
			for (const { operation, parameters, options = [] } of operations) {
				await editor().choose('operation', operation);
				const inOrder = options.toSorted(([, a], [, b]) => a.localeCompare(b));
				const all: Shown[] = [['operation', 'Operation', operation], ...parameters];
				if (options.length > 0) all.push(['options', 'Options'], ...inOrder);
				await expectShown(all, operation);
				compared.push(...parameters, ...options);
				operationCount += 1;
			}
		},
		180_000,
	);

	test('by the Contact Data Trigger', async () => {
		const name = 'Contact Data Trigger';
		await editor().openWorkflow(await chainOf(name, { name, type: 'contactDataTrigger' }));
		await editor().openNode(name);
		// n8n offers the first two by itself in every trigger that polls.
		await expectShown(
			[
				['pollTimes', 'Poll Times'],
				['mode', 'Mode', 'Every Minute'],
				['event', 'Event', 'On New Lead in List'],
				...LIST,
				...SIMPLIFY,
			],
			name,
		);
		expect(await editor().choices('event')).toEqual(['On Low Credits', 'On New Lead in List']);
		expect(await editor().locatorModes('listId')).toEqual(['From list', 'By ID']);
		await editor().choose('event', 'On Low Credits');
		await expectShown(
			[
				['pollTimes', 'Poll Times'],
				['mode', 'Mode', 'Every Minute'],
				['event', 'Event', 'On Low Credits'],
				['creditKind', 'Credit Kind', 'Any'],
				['threshold', 'Threshold', '100'],
				...SIMPLIFY,
			],
			'On Low Credits',
		);
		report(
			`${running().versions}: ${operationCount} operations with ${compared.length} parameters and options, the trigger and the credential are shown as the contract says`,
		);
	}, 120_000);
});

test('docs/images has these pictures and no others but those of the examples', async () => {
	await expectDocumented((name) => !name.startsWith('example-'));
});

/** A column of the output, from its first row. */
async function columnOf(name: string): Promise<Array<string | undefined>> {
	const [head = [], ...rows] = await editor().tableIn(editor().output);
	return rows.map((row) => row[head.indexOf(name)]);
}
