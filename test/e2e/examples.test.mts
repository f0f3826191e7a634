import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { NodeHelpers, type INode } from 'n8n-workflow';
import { afterAll, beforeAll, describe, expect, test as base, vi } from 'vitest';

import { root } from '../machine/paths.mjs';
import { outputOf, type Execution } from '../hosts/execution.mts';
import { openHost, type OpenHost } from '../hosts/open.mts';
import type { Credential, DataTable, DataTableRow, SavedWorkflow } from '../hosts/rest.mts';
import { n8n1, n8n3 } from '../hosts/versions.mts';
import { exampleNames, readExample, type Workflow } from '../hosts/workflow.mts';
import { expectedVerification } from '../emulator/addresses.mts';
import type { Lead } from '../emulator/fixtures.mts';
import { startService, type Service } from '../emulator/service.mts';
import { ChatModel } from '../support/servers/chatModel.mts';
import { useComponent } from '../support/hosts/component.mts';
import { ourNodes } from '../support/node/engine.mts';
import {
	nodeOf,
	withAllItems,
	withCredentialOf,
	withParameters,
} from '../support/hosts/exampleChanges.mts';
import {
	assistants,
	createLeadsTable,
	failFor,
	findAndVerify,
	hubSpotContacts,
	keepLeads,
	leadsWithoutEmail,
	setUpExample,
	sheetOf,
	targetCompanies,
	type SetUps,
} from '../support/hosts/exampleScenes.mts';
import { fixtures, known, list, personWith, some, unfindable } from '../support/leads/expected.mts';
import { createCredential } from '../support/hosts/host.mts';
import { requestsOf } from '../support/leads/lookups.mts';
import { MailServer } from '../support/servers/mailServer.mts';
import { report } from '../support/measures/report.mts';
import { crm, hubSpot, secondFinder, slack } from '../support/servers/toolStandIns.mts';
import { Tools } from '../support/servers/tools.mts';
import { McpClient } from './support/mcpClient.mts';
import { everySecond, pollTimes } from './support/schedules.mts';

// Most of them wait most of the time, one for more than a minute.
const SIDE_BY_SIDE = 10;
vi.setConfig({ maxConcurrency: SIDE_BY_SIDE, testTimeout: 300_000 });

const RUN_TIMEOUT_MS = 180_000;
const WAIT = { timeout: 60_000, interval: 100 };
const DAY_MS = 24 * 60 * 60_000;

const examples = await exampleNames();

/** Services that no test uses at the moment; there are as many as tests run at once. */
const idle: Service[] = [];
beforeAll(async () => {
	while (idle.length < SIDE_BY_SIDE) idle.push(await startService());
});
afterAll(async () => await Promise.all(idle.map(async (service) => await service.close())));

/** A service of its own for each test, whose examples run beside others in one n8n. */
class Trial implements Disposable {
	private constructor(
		readonly opened: OpenHost,
		readonly service: Service,
		private readonly credential: Credential,
		private readonly ran: Set<string>,
	) {}

	static async open(opened: OpenHost, ran: Set<string>): Promise<Trial> {
		const service = known(idle.pop());
		const credential = await createCredential(opened.client, service);
		return new Trial(opened, service, credential, ran);
	}

	get client() {
		return this.opened.client;
	}

	/** An example as importing people set it up. */
	async imported(name: string, setUps: Partial<SetUps> = {}): Promise<Workflow> {
		this.ran.add(name);
		const { credential } = this;
		return await setUpExample(name, { ...this.opened, credential }, { listId: 102, ...setUps });
	}

	/** The same once it was tried out: a manual run looks up all items. */
	async example(name: string, setUps: Partial<SetUps> = {}): Promise<Workflow> {
		return withAllItems(await this.imported(name, setUps));
	}

	/** Runs a workflow by hand, which has to succeed. */
	async run(workflow: Workflow, trigger = 'Start'): Promise<Execution> {
		const saved = await this.client.createWorkflow(workflow);
		const execution = await this.succeeded(await this.client.startWorkflow(saved, trigger));
		expect(unreadIn(workflow, execution)).toEqual([]);
		return execution;
	}

	/** Saves a workflow and lets its trigger start it. */
	async activated(workflow: Workflow): Promise<SavedWorkflow> {
		const saved = await this.client.createWorkflow(workflow);
		await this.client.activateWorkflow(saved);
		return saved;
	}

	/** Waits for the end of an execution, which has to succeed. */
	async succeeded(id = ''): Promise<Execution> {
		const execution = await this.client.waitForExecution(id, RUN_TIMEOUT_MS);
		const { lastNodeExecuted, error } = execution.data.resultData;
		expect({ status: execution.status, lastNodeExecuted, error }).toEqual({
			status: 'success',
			lastNodeExecuted: expect.any(String),
			error: undefined,
		});
		return execution;
	}

	/** Whose emails were charged, in the order of the charges. */
	get charged(): Array<string | null> {
		return this.service.ledger.charges.map(({ subject }) => subject);
	}

	/** What was spent so far. */
	get spent() {
		const { ledger } = this.service;
		return { found: ledger.total('findBulk'), verified: ledger.total('verifyBulk') };
	}

	[Symbol.dispose](): void {
		this.service.reset();
		idle.push(this.service);
	}
}

/** The parameters of our nodes that read a field which no item has: the panel shows `undefined` below them. */
function unreadIn({ nodes, connections }: Workflow, execution: Execution): string[] {
	return nodes.flatMap((node) => {
		const type = Object.entries(ourNodes).find(([name]) => node.type.endsWith(`.${name}`));
		const [before] = Object.entries(connections).flatMap(([name, { main = [] }]) =>
			main.flatMap((links, branch) =>
				(links ?? []).some((link) => link.node === node.name) ? [{ name, branch }] : [],
			),
		);
		if (!type || !before) return [];
		const { description } = type[1];
		const items = jsonOf(execution, before.name, before.branch);
		const { properties } = description;
		const given = [true, false, node, description] as const;
		const all = NodeHelpers.getNodeParameters(properties, node.parameters, ...given);
		return Object.entries({ ...all, ...Object(all?.options) }).flatMap(([name, value]) => {
			const [, field = ''] = /^=\{\{ \$json\.(\w+) \}\}$/.exec(String(value)) ?? [];
			// Only pending items have a job.
			if (field === '' || field.startsWith('job')) return [];
			const isRead = items.length === 0 || items.some((item) => field in item);
			return isRead ? [] : [`${node.name}: ${name}`];
		});
	});
}

const jsonOf = (execution: Execution, node: string, branch?: number) =>
	outputOf(execution, node, branch).map(({ json }) => json);

const statusOf = (email: string) => expectedVerification(email).email_status;

const isUnknown = (email: string | null) => email !== null && statusOf(email) === 'unknown';

/** What is known of the email of a lead in the end: the list has it, the service finds it, or nobody. */
const nameEmailAndStatus = ({ person: { full: fullName, email } }: Lead) => ({
	fullName,
	email,
	status: email === null ? 'not_found' : statusOf(email),
});

/** The same of the items that a node gives. */
const toldBy = (execution: Execution, node: string) =>
	jsonOf(execution, node).map(({ fullName, email, emailStatus, status }) => ({
		fullName,
		email,
		status: emailStatus ?? status,
	}));

base.each(examples)('%s can be imported as it is', async (name) => {
	const text = await readFile(join(root, 'examples', `${name}.json`), 'utf8');
	expect(text).not.toMatch(/"credentials"|"instanceId"|api\W?key"|"active"/i);
	expect(text).not.toMatch(/127\.0\.0\.1|localhost/);
	expect(JSON.parse(text)).toMatchObject({ pinData: {}, settings: { executionOrder: 'v1' } });
	const { nodes, connections } = await readExample(name);
	expect(new Set(nodes.map(({ id }) => id)).size).toBe(nodes.length);
	expect(new Set(nodes.map(({ position }) => position.join())).size).toBe(nodes.length);
	expect(nodes.filter(({ type }) => type === 'n8n-nodes-base.stickyNote')).toHaveLength(1);
	const origins = new Set(nodes.map(({ type }) => type.slice(0, type.lastIndexOf('.'))));
	origins.delete('@n8n/n8n-nodes-langchain');
	expect(origins).toEqual(new Set(['n8n-nodes-base', 'n8n-nodes-contact-data']));
	for (const { parameters } of nodes) {
		expect(Object(parameters.listId).value ?? '').toBe('');
		for (const name of ['dataTableId', 'documentId', 'sheetName', 'channelId']) {
			// Nothing picked, or taken from what is picked in another node.
			expect(Object(parameters[name]).value ?? '').toMatch(/^(?:|=\{\{ \$\(.*)$/);
		}
	}
	expect(nodes.filter(({ type }) => /\.(code|function)$/.test(type))).toEqual([]);
	const names = new Set(nodes.map((node) => node.name));
	const targets = Object.values(connections).flatMap((types) =>
		Object.values(types).flatMap((outputs) => outputs.flatMap((links) => links ?? [])),
	);
	for (const { node } of targets) expect(names).toContain(node);
	for (const source of Object.keys(connections)) expect(names).toContain(source);
});

describe.concurrent.each([n8n3, n8n1])('n8n $name', async (version) => {
	const tools = await Tools.open();
	const options = { name: `n8n-examples-${version.name}`, version, settings: tools.settings };
	const running = useComponent(async () => await openHost(options));
	afterAll(async () => await tools[Symbol.asyncDispose]());
	const ran = new Set<string>();
	const test = base.extend<{ trial: Trial }>({
		trial: async ({ task: _ }, use) => {
			using trial = await Trial.open(running(), ran);
			await use(trial);
			tools.endTest();
			expect(trial.service.violations).toEqual([]);
		},
	});

	test('has every node of the examples, in its version', async ({ trial: { client } }) => {
		const types = await client.nodeTypes();
		const has = ({ type, typeVersion }: INode) =>
			types.some(({ name, version }) => name === type && [version].flat().includes(typeVersion));
		for (const name of examples) {
			const { nodes } = await readExample(name);
			const missing = nodes.filter((node) => !has(node));
			expect(missing.map(({ type, typeVersion }) => `${name}: ${type} ${typeVersion}`)).toEqual([]);
		}
	});

	describe('bulk-job-without-waiting', () => {
		const name = 'bulk-job-without-waiting';
		const leads = leadsWithoutEmail(101);
		const foundEmails = leads.flatMap(({ person: { email } }) => email ?? []);
		const waiting = async (trial: Trial, seconds: number) =>
			withParameters(await trial.example(name, { listId: 101 }), 'Wait', {
				amount: seconds,
				unit: 'seconds',
			});

		test('sleeps while the job is at work, each lead gets its result', async ({ trial }) => {
			const { client, service } = trial;
			Object.assign(service.variants, { bulkAnswer: 'job', jobPolls: 1_000_000 });
			// Shorter waits stay in the process.
			const saved = await client.createWorkflow(await waiting(trial, 66));
			const id = await client.startWorkflow(saved, 'Start');
			// n8n has stored the execution then, and forgotten it: no worker is held.
			const asleep = await client.waitForStatus(id, 'waiting', RUN_TIMEOUT_MS);
			const pending = jsonOf(asleep, 'Find Emails in Bulk');
			expect(new Set(pending.map(({ status }) => status))).toEqual(new Set(['pending']));
			service.variants.jobPolls = 0;
			const execution = await trial.succeeded(id);

			expect(toldBy(execution, 'Get Bulk Job')).toEqual(leads.map(nameEmailAndStatus));
			expect(trial.charged.sort()).toEqual(foundEmails.toSorted());
			expect(requestsOf(service, 'findBulk')).toHaveLength(Math.ceil(leads.length / 100));
		});

		test('passes immediate results through as they are', async ({ trial }) => {
			const execution = await trial.run(await waiting(trial, 1));
			expect(toldBy(execution, 'Get Bulk Job')).toEqual(leads.map(nameEmailAndStatus));
			expect(requestsOf(trial.service, 'getBulkJob')).toEqual([]);
			expect(trial.charged.sort()).toEqual(foundEmails.toSorted());
		});
	});

	describe('find-and-verify-list-leads', () => {
		const name = 'find-and-verify-list-leads';
		const last = 'Verify Emails in Bulk';

		test('one item per lead, and what is written back costs nothing again', async ({ trial }) => {
			const { nodes, connections } = await readExample(name);
			expect(nodes.length - 1).toBe(4);
			expect(Object.keys(connections)).toHaveLength(nodes.length - 2);
			const workflow = await trial.example(name);
			const execution = await trial.run(workflow);
			const leads = list(102).leads.toReversed();
			expect(toldBy(execution, last)).toEqual(leads.map(nameEmailAndStatus));
			const found = some(leads, ({ email, person }) => email === null && person.email !== null);
			const verified = some(leads, ({ person }) => isUnknown(person.email));
			const first = trial.spent;
			expect(first).toEqual({ found: found.length, verified: verified.length });

			for (const lead of known(trial.service.fixtures.list(102)).leads) {
				lead.email = lead.person.email;
			}
			expect(toldBy(await trial.run(workflow), last)).toEqual(toldBy(execution, last));
			// Only what is unknown is verified again.
			expect(trial.spent).toEqual({ found: first.found, verified: 2 * first.verified });
		});

		test('as imported, a manual run looks up the first 10', async ({ trial }) => {
			const execution = await trial.run(await trial.imported(name));
			const missing = leadsWithoutEmail(102);
			const limited = jsonOf(execution, last).filter(({ reason }) => reason === 'manual_limit');
			expect(limited.map(({ fullName }) => fullName)).toEqual(
				missing.slice(10).map(({ person: { full } }) => full),
			);
			expect(trial.spent.found).toBe(
				some(missing.slice(0, 10), ({ person }) => person.email !== null).length,
			);
		});
	});

	describe('weekly-list-cleaning', () => {
		const name = 'weekly-list-cleaning';
		// n8n saves row by row, which takes its time: a few leads, with each result among them.
		const isRare = ({ person: { email } }: Lead) =>
			email !== null && ['catch-all', 'invalid', 'unknown'].includes(statusOf(email));
		const leads = list(101)
			.leads.toReversed()
			.slice(0, 60)
			.filter((lead, index) => index < 20 || isRare(lead));
		const listed = some(leads, ({ email }) => email !== null);
		const findable = some(leads, ({ email, person }) => email === null && person.email !== null);
		const setUp = async (trial: Trial, mail: MailServer, kept: readonly Lead[], listId: number) => {
			keepLeads(trial.service, listId, kept);
			const table = await createLeadsTable(trial.client);
			return { table, workflow: await trial.example(name, { listId, table, tools: [mail] }) };
		};

		test('remembers: what is old is checked again, and nothing else', async ({ trial }) => {
			await using mail = await MailServer.open();
			const { table, workflow } = await setUp(trial, mail, leads, 101);
			const execution = await trial.run(workflow, 'Every Monday');
			const first = trial.spent;
			expect(first).toEqual({ found: findable.length, verified: listed.length });
			expect(jsonOf(execution, 'Save Result')).toHaveLength(leads.length);
			const saved = await trial.client.rowsOf(table);
			expectSaved(saved, leads);

			await trial.run(workflow, 'Every Monday');
			const second = trial.spent;
			expect(second).toEqual(first);
			expect(mail.mails).toEqual([
				reportOf(leads, first.found + first.verified),
				reportOf(leads, 0),
			]);
			expectSaved(await trial.client.rowsOf(table), leads);

			const rowsWith = (emailStatus: string, ...range: [number, number]) => {
				const rows = saved.filter((row) => row.emailStatus === emailStatus).slice(...range);
				expect(rows).toHaveLength(range[1] - range[0]);
				return rows;
			};
			const aged = [...rowsWith('valid', 0, 3), ...rowsWith('invalid', 0, 2)];
			const yesterdays = rowsWith('unknown', 0, 2);
			await age(trial, table, aged, 91);
			await age(trial, table, yesterdays, 1.5);
			await age(trial, table, rowsWith('valid', 3, 6), 89);
			await trial.run(workflow, 'Every Monday');
			const due = [...aged, ...yesterdays].map(({ email }) => email);
			expect(trial.spent).toEqual({ ...first, verified: first.verified + due.length });
			expect(trial.charged.slice(-due.length).sort()).toEqual(due.sort());
			expectSaved(await trial.client.rowsOf(table), leads);
		});

		test('leaves 100 credits in the account', async ({ trial }) => {
			await using mail = await MailServer.open();
			trial.service.options.creditsLeft = { email: 104 };
			const { workflow } = await setUp(trial, mail, leads, 101);
			const execution = await trial.run(workflow, 'Every Monday');
			expect(trial.spent).toEqual({ found: 4, verified: listed.length });
			const rest = some(
				jsonOf(execution, 'Find Emails in Bulk'),
				({ reason }) => reason === 'credit_floor',
			);
			expect(mail.mails[0]?.text).toContain(`Not checked this time: ${rest.length}\n`);
		});

		test('goes on with the rest where the budget of a run ends', async ({ trial }) => {
			await using mail = await MailServer.open();
			const few = leadsWithoutEmail(102);
			const { table, workflow } = await setUp(trial, mail, few, 102);
			const options = { maxCredits: 3 };
			const small = withParameters(workflow, 'Find Emails in Bulk', { options });
			await trial.run(small, 'Every Monday');
			const first = trial.spent;
			expect(first.found).toBe(3);
			await trial.run(small, 'Every Monday');
			const found = few.flatMap(({ person: { email } }) => email ?? []);
			expect(trial.charged.sort()).toEqual(found.sort());
			expectSaved(await trial.client.rowsOf(table), few);
		});
	});

	test('google-sheet-rows: results in the rows of their leads, nothing else touched', async ({
		trial,
	}) => {
		const leads = list(102).leads;
		const sheet = await tools.use(sheetOf(leads));
		const before = structuredClone(sheet.cells);
		const workflow = await trial.example('google-sheet-rows', { tools: [sheet] });
		await trial.run(workflow);
		const first = trial.spent;
		const withEmail = some(leads, ({ email }) => email !== null);
		const found = some(leads, ({ email, person }) => email === null && person.email !== null);
		expect(first).toEqual({ found: found.length, verified: withEmail.length });
		// Only the columns of the results are written, each cell once.
		expect(sheet.written).toEqual(
			leads.flatMap((_, index) => ['D', 'E', 'F', 'G'].map((name) => name + (index + 2))),
		);
		expect(sheet.cells).toEqual([
			known(before[0]),
			...leads.map((lead, index) => {
				const { email, emailStatus, status, checkedAt } = savedFields(lead);
				const untouched = known(before[index + 1]).slice(0, 3);
				return [...untouched, email ?? '', emailStatus ?? '', status, checkedAt];
			}),
		]);

		await trial.run(workflow);
		expect(trial.spent).toEqual(first);
	});

	describe('new-hubspot-contact', () => {
		const name = 'new-hubspot-contact';
		const open = async (trial: Trial) => {
			const hubspot = await tools.use(hubSpot(hubSpotContacts.map(({ contact }) => contact)));
			return { hubspot, workflow: await trial.example(name, { tools: [hubspot] }) };
		};
		const inTheEnd = hubSpotContacts.map(({ contact, becomes }) => ({ ...contact, ...becomes }));

		test('each new contact is looked up and updated once', async ({ trial }) => {
			const { hubspot, workflow } = await open(trial);
			const ids = [...hubspot.contacts.keys()];
			await trial.run(workflow, 'Every 15 Minutes');
			const first = trial.spent;
			expect([...hubspot.contacts.values()]).toEqual(inTheEnd);
			const updated = ids.filter((_, index) => hubSpotContacts[index]?.becomes);
			expect(hubspot.saved.toSorted()).toEqual(updated);
			// Two are found, one of them belongs to another contact; one has an email to verify.
			expect(first).toEqual({ found: 2, verified: 1 });

			await trial.run(workflow, 'Every 15 Minutes');
			expect(hubspot.saved).toHaveLength(updated.length);
			expect(trial.spent).toEqual(first);
		});

		test('a contact that was not looked up comes again', async ({ trial }) => {
			const { hubspot, workflow } = await open(trial);
			const options = { maxCredits: 0 };
			const poor = withParameters(workflow, 'Find Emails in Bulk', { options });
			await trial.run(poor, 'Every 15 Minutes');
			expect(trial.spent.found).toBe(0);
			await trial.run(workflow, 'Every 15 Minutes');
			expect(trial.spent).toEqual({ found: 2, verified: 1 });
			expect([...hubspot.contacts.values()]).toEqual(inTheEnd);
		});
	});

	test('form-to-crm-and-slack: Slack hears of all, HubSpot gets whom to email', async ({
		trial,
	}) => {
		const { client } = trial;
		const hubspot = await tools.use(hubSpot());
		const team = await tools.use(slack());
		const workflow = await trial.example('form-to-crm-and-slack', { tools: [hubspot, team] });
		const saved = await trial.activated(workflow);
		const leads = [personWith('valid'), personWith('catch-all'), personWith('unknown'), unfindable];
		const ends = ['(valid)\nAdded', '(catch-all)\nAdded', '(unknown)\nNot added', '\nNot added'];
		for (const { first, last, company } of leads) {
			const before = (await client.listExecutions(saved)).map(({ id }) => id);
			const { webhookId = '' } = nodeOf(workflow, 'Lead Form');
			await client.submitForm(webhookId, [first, last, company.domain]);
			const [id] = await client.newExecutions(saved, 1, before);
			await trial.succeeded(id);
		}
		expect(team.messages).toEqual(
			leads.map(({ first, last, company, email }, index) => ({
				channel: 'C0SALES',
				text: `New lead: ${first} ${last}, ${company.domain}\n${email ? `${email} ` : 'No email found'}${ends[index]} to HubSpot. `,
			})),
		);
		expect([...hubspot.contacts.values()]).toMatchObject(
			leads.slice(0, 2).map(({ first, last, company, email }) => ({
				email,
				firstname: first,
				lastname: last,
				website: company.domain,
			})),
		);
		expect(hubspot.contacts.size).toBe(2);
		// The finder's status is verified only where it is unknown.
		const paid = leads.flatMap(({ email }) => (isUnknown(email) ? [email, email] : (email ?? [])));
		expect(trial.charged).toEqual(paid);
	});

	describe('large-list-that-survives-a-crash', () => {
		const name = 'large-list-that-survives-a-crash';
		const leads = leadsWithoutEmail(101).slice(0, 45);
		const setUp = async (trial: Trial) => {
			keepLeads(trial.service, 101, leads);
			const table = await createLeadsTable(trial.client);
			return { table, workflow: await trial.example(name, { listId: 101, table }) };
		};

		test('saves batch by batch, and a second run pays for nothing', async ({ trial }) => {
			const { table, workflow } = await setUp(trial);
			expect(nodeOf(workflow, 'Loop Over Items').parameters.batchSize).toBe(200);
			const smaller = withParameters(workflow, 'Loop Over Items', { batchSize: 20 });
			const execution = await trial.run(smaller);
			expect(execution.data.resultData.runData['Save Result']).toHaveLength(3);
			expectSaved(await trial.client.rowsOf(table), leads);
			const first = trial.spent;
			expect(first.found).toBe(some(leads, ({ person }) => person.email !== null).length);
			await trial.run(smaller);
			expect(trial.spent).toEqual(first);
			expectSaved(await trial.client.rowsOf(table), leads);
		});

		test('stops before it spends anything where it may cost too much', async ({ trial }) => {
			const { workflow } = await setUp(trial);
			const { parameters } = nodeOf(workflow, 'Over 2,000 Credits?');
			const lower = JSON.parse(JSON.stringify(parameters).replace('2000', '20'));
			const saved = await trial.client.createWorkflow(
				withParameters(workflow, 'Over 2,000 Credits?', lower),
			);
			const id = await trial.client.startWorkflow(saved, 'Start');
			const { status, data } = await trial.client.waitForExecution(id, RUN_TIMEOUT_MS);
			expect(status).toBe('error');
			expect(data.resultData.error?.message).toContain(`may cost ${leads.length} credits`);
			expect(trial.service.ledger.total()).toBe(0);
		});
	});

	test('second-source-for-misses: only misses go on, every lead comes out once', async ({
		trial,
	}) => {
		const leads = leadsWithoutEmail(102);
		const misses = some(leads, ({ person }) => person.email === null);
		const hits = some(leads, ({ person }) => person.email !== null);
		const secondEmail = 'known@elsewhere.example';
		const second = await tools.use(
			secondFinder(({ name }) => (name === known(misses[1]).person.full ? secondEmail : undefined)),
		);
		const execution = await trial.run(await trial.example('second-source-for-misses'));
		expect(jsonOf(execution, 'Name, Email and Source')).toEqual([
			...hits.map(({ person: { full: fullName, email } }) => ({
				fullName,
				email,
				source: 'Contact Data',
			})),
			...misses.map(({ person: { full: fullName } }, index) =>
				index === 1
					? { fullName, email: secondEmail, source: 'Second source' }
					: { fullName, email: null, source: 'None' },
			),
		]);
		const asked = misses.map(({ person: { full, company } }) => `${full}, ${company.domain}`);
		expect(second.asked.map(({ name, domain }) => `${name}, ${domain}`).sort()).toEqual(
			asked.sort(),
		);
		expect(trial.service.ledger.total()).toBe(hits.length);
	});

	test("company-research: every person keeps the CRM's ID of the company", async ({ trial }) => {
		await tools.use(crm(targetCompanies));
		const execution = await trial.run(await trial.example('company-research'));
		const [unheardOf] = targetCompanies.slice(-1);
		const people = targetCompanies.slice(0, -1).flatMap(({ id, name }) =>
			some(fixtures.peopleOf(known(fixtures.company(name))), ({ title }) =>
				/sales|marketing/i.test(title),
			).map((person) => ({
				input: expect.objectContaining({ id, name }),
				fullName: person.full,
				title: person.title,
				company: person.company.name,
				email: person.email,
				emailStatus: person.email && statusOf(person.email),
			})),
		);
		const last = jsonOf(execution, 'Verify Emails in Bulk');
		expect(last).toEqual(people.map((person) => expect.objectContaining(person)));
		expect(jsonOf(execution, 'Company Found?', 1)).toEqual([
			{ ...unheardOf, companyData: expect.objectContaining({ status: 'not_found' }) },
		]);
		const { ledger } = trial.service;
		expect(ledger.total('searchCompany')).toBe(targetCompanies.length - 1);
		const unknown = people.filter(({ email }) => isUnknown(email));
		expect(ledger.total('verifyBulk')).toBe(unknown.length);
	});

	test('collect-failed-leads: what failed in one list, the others go on', async ({ trial }) => {
		const leads = leadsWithoutEmail(102);
		const [refused, unanswered, ...others] = leads;
		failFor(trial.service, known(refused), 400);
		failFor(trial.service, known(unanswered), 503);
		const execution = await trial.run(await trial.example('collect-failed-leads'));
		expect(jsonOf(execution, 'Failed Leads')).toEqual([
			{
				failedLeads: [
					failure(known(refused), 'bad_request', 400),
					failure(known(unanswered), 'service_unavailable', 503),
				],
			},
		]);
		expect(toldBy(execution, 'Find Email')).toEqual(others.map(nameEmailAndStatus));
		const found = some(others, ({ person }) => person.email !== null);
		expect(trial.charged.sort()).toEqual(found.map(({ person }) => person.email).sort());
	});

	test('alert-on-low-credits: one message, until the account was topped up', async ({ trial }) => {
		const { client, service } = trial;
		const team = await tools.use(slack());
		service.options.creditsLeft = { email: 499 };
		const workflow = await trial.example('alert-on-low-credits', { tools: [team] });
		const saved = await trial.activated(
			withParameters(workflow, 'Low Credits', { pollTimes: pollTimes(everySecond) }),
		);
		const polls = () => requestsOf(service, 'getAccount').length;
		const twoPolls = async (before = polls()) =>
			await vi.waitUntil(() => polls() > before + 1, WAIT);
		await vi.waitUntil(() => team.messages.length === 1, WAIT);
		await twoPolls();
		service.ledger.topUp(10);
		await twoPolls();
		service.options.creditsLeft = { email: 480 };
		await vi.waitUntil(() => team.messages.length === 2, WAIT);
		expect(team.messages.map(({ text }) => text)).toEqual([
			expect.stringMatching(/^Contact Data: 499 email credits left \(fewer than 500\)\. The plan/),
			expect.stringContaining('490 email credits left'),
		]);
		await client.deactivateWorkflow(saved);
		const [id] = await client.newExecutions(saved);
		await trial.succeeded(id);
	});

	test('ai-agent: answers in the chat with what the tools found', async ({ trial }) => {
		const person = personWith('valid');
		const { turns, answer } = findAndVerify(person);
		const model = new ChatModel();
		await model.listen();
		model.says(...turns);
		const example = await trial.example('ai-agent');
		const workflow = withParameters(
			withCredentialOf(example, 'Chat Model', await model.createCredential(trial.client)),
			'Chat',
			// The chat of the editor is for those who are signed in; a public one has an address.
			{ public: true },
		);
		const saved = await trial.activated(workflow);
		const { webhookId } = nodeOf(workflow, 'Chat');
		const said = { action: 'sendMessage', sessionId: 'one', chatInput: 'What is the address?' };
		const path = `${webhookId}/chat`;
		const answered = await trial.client.callWebhook(path, said, RUN_TIMEOUT_MS);
		await model.close();
		expect(JSON.parse(answered)).toEqual({ output: answer });
		const [id] = await trial.client.newExecutions(saved);
		await trial.succeeded(id);
		const [found, verified] = model.toolMessages;
		expect(found).toContain(`"email":"${person.email}"`);
		expect(verified).toContain('"emailStatus":"valid"');
		expect(trial.charged).toEqual([person.email, person.email]);
	});

	test('mcp-server: finds and verifies with the token, until few credits are left', async ({
		trial,
	}) => {
		const { opened, service } = trial;
		const workflow = await trial.example('mcp-server', { tools: [assistants] });
		await trial.activated(workflow);
		const url = `${opened.host.url}/mcp/${String(nodeOf(workflow, 'Assistants').parameters.path)}`;
		await using assistant = await McpClient.connect(url, assistants.setUp.credentialData.token);
		await expect(McpClient.connect(url)).rejects.toThrow(/ 40[13]/);

		const offered = await assistant.listTools();
		expect(Object.fromEntries(offered.map(({ name, description }) => [name, description]))).toEqual(
			{
				Find_Email: expect.stringMatching(/1 credit if an email is found.*'message' says why/),
				Verify_Email: expect.stringMatching(/1 credit per email.*'message' says why/),
				Get_Account: expect.stringMatching(/no credits/),
			},
		);
		const { full: full_name, company, email } = personWith('valid');
		const who = { full_name, domain: company.domain, company: '' };
		expect(await assistant.callTool('Find_Email', who)).toContain(`"email":"${email}"`);
		expect(await assistant.callTool('Verify_Email', { email })).toContain('"emailStatus":"valid"');
		expect(trial.charged).toEqual([email, email]);

		service.options.creditsLeft = { email: 501, verifier: 501 };
		expect(await assistant.callTool('Get_Account', {})).toContain('"remaining":500');
		expect(await assistant.callTool('Find_Email', who)).toMatch(/credit_floor.*Keep Credits/);
		expect(await assistant.callTool('Verify_Email', { email })).toContain('credit_floor');
		expect(trial.charged).toEqual([email, email]);
	});

	test('every example ran', { concurrent: false }, () => {
		expect([...ran].sort()).toEqual(examples);
		report(`n8n ${version.name}: ${ran.size} examples`);
	});
});

/** A lead that failed, with all that is said of it. */
function failure({ id, person }: Lead, reason: string, httpCode: number) {
	const { full: fullName, company } = person;
	return {
		id,
		fullName,
		domain: company.domain,
		// What happened, and what to do.
		message: expect.stringMatching(/^\w.*\. \w.*\.$/),
		error: { message: expect.stringMatching(/\w/), status: 'failed', reason, httpCode },
	};
}

/** What the table has of a lead after a run that reached it. */
function savedFields({ person: { email } }: Lead) {
	return {
		email,
		emailStatus: email && statusOf(email),
		status: email === null ? 'not_found' : expect.stringMatching(/^(found|verified)$/),
		checkedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
	};
}

/** The weekly mail about these leads. */
function reportOf(leads: readonly Lead[], credits: number) {
	const emails = leads.map(({ person: { email } }) => email);
	const count = (status: string) =>
		some(emails, (email) => email !== null && statusOf(email) === status).length;
	const invalid = some(
		leads,
		({ person: { email } }) => email !== null && statusOf(email) === 'invalid',
	);
	return {
		to: 'sales@example.com',
		subject: `Weekly check: ${count('valid')} of ${leads.length} leads are safe to email`,
		text: [
			`${count('valid')} of ${leads.length} leads are safe to email.`,
			'',
			`With caution (catch-all): ${count('catch-all')}`,
			`Not known yet: ${count('unknown')}`,
			`No email found: ${some(emails, (email) => email === null).length}`,
			'Not checked this time: 0',
			'',
			`Don't email (${invalid.length}):`,
			...invalid.map(({ person }) => `${person.full}, ${person.email}`),
			'',
			`This run cost ${credits} credits.`,
		].join('\n'),
	};
}

/** The table has a row for each of these leads, in their order, and no other. */
function expectSaved(rows: readonly DataTableRow[], leads: readonly Lead[]): void {
	expect(rows).toEqual(
		leads.map((lead) =>
			expect.objectContaining({
				leadId: lead.id,
				fullName: lead.person.full,
				domain: lead.person.company.domain,
				...savedFields(lead),
			}),
		),
	);
}

/** Lets the rows have been checked so many days ago. */
async function age(
	{ client }: Trial,
	table: DataTable,
	rows: readonly DataTableRow[],
	days: number,
): Promise<void> {
	const checkedAt = new Date(Date.now() - days * DAY_MS).toISOString();
	for (const { id } of rows) await client.updateRows(table, ['id', Number(id)], { checkedAt });
}
