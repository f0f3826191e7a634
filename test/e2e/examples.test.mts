import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { NodeHelpers, type INode } from 'n8n-workflow';
import { afterAll, describe, expect, test, vi } from 'vitest';

import { root } from '../machine/paths.mjs';
import { outputOf, type Execution } from '../hosts/execution.mts';
import { openHost, type OpenHost } from '../hosts/open.mts';
import type { Credential, DataTable, DataTableRow, SavedWorkflow } from '../hosts/rest.mts';
import { n8n1, n8n3 } from '../hosts/versions.mts';
import { exampleNames, readExample, type Workflow } from '../hosts/workflow.mts';
import { expectedVerification } from '../emulator/addresses.mts';
import type { Lead } from '../emulator/fixtures.mts';
import { rowsOf } from '../emulator/operations/bulkFinder.mts';
import { startService, type Service } from '../emulator/service.mts';
import { ChatModel } from '../support/servers/chatModel.mts';
import { onlyLong } from '../support/depth.mts';
import { useComponent } from '../support/realN8n/component.mts';
import { ourNodes } from '../support/node/engine.mts';
import {
	nodeOf,
	withCredentialOf,
	withNodes,
	withParameters,
} from '../support/realN8n/exampleChanges.mts';
import {
	assistants,
	createLeadsTable,
	failFor,
	findAndVerify,
	hubSpotContacts,
	keepLeads,
	leadsWithoutEmail,
	manyInFile,
	messyFile,
	peopleInFile,
	reviewed,
	setUpExample,
	sheetOf,
	targetCompanies,
	type SetUps,
} from '../support/realN8n/exampleScenes.mts';
import { fixtures, known, list, personWith, some, unfindable } from '../support/leads/expected.mts';
import { sendFile, submitFile } from '../support/realN8n/formPages.mts';
import { withOwnAccount } from '../support/realN8n/host.mts';
import {
	csvFilesOf,
	readExcel,
	workbooksOf,
	type UploadedFile,
} from '../support/realN8n/spreadsheets.mts';
import { requestsOf } from '../support/leads/lookups.mts';
import { makeOther, otherEmailOf } from '../support/leads/otherProvider.mts';
import { MailServer } from '../support/servers/mailServer.mts';
import { crm, hubSpot, slack } from '../support/servers/toolStandIns.mts';
import { Tools } from '../support/servers/tools.mts';
import { until } from '../support/until.mts';
import { McpClient } from './support/mcpClient.mts';
import { everySecond, pollTimes } from './support/schedules.mts';

// Most of them wait most of the time.
vi.setConfig({ maxConcurrency: 10 });

const DAY_MS = 24 * 60 * 60_000;

const examples = await exampleNames();

/** Services that no test uses at the moment. */
const idle: Service[] = [];
/** Of a second provider. */
const others: Service[] = [];
afterAll(async () => {
	await Promise.all([...idle, ...others].map(async (service) => await service.close()));
});

/** An example in an n8n, beside others there, with a service of its own. */
class Trial {
	constructor(
		readonly name: string,
		readonly opened: OpenHost,
		readonly service: Service,
		private readonly tools: Tools,
		private credential: Credential,
	) {}

	static async open(name: string, opened: OpenHost, service: Service, tools: Tools) {
		const { credential } = await withOwnAccount(opened, service);
		return new Trial(name, opened, service, tools, credential);
	}

	/** Gives the example, once it is set up again, an account for which nothing is free. */
	async changeAccount(): Promise<void> {
		this.credential = (await withOwnAccount(this.opened, this.service)).credential;
	}

	get client() {
		return this.opened.client;
	}

	/** The example as importing people set it up, once it was tried out: a manual run looks up all items. */
	async example({ tools = [], ...setUps }: Partial<SetUps> = {}): Promise<Workflow> {
		for (const tool of tools) if ('app' in tool) await this.tools.use(tool);
		const host = { ...this.opened, credential: this.credential };
		const workflow = await setUpExample(this.name, host, { listId: 102, tools, ...setUps });
		const isLookup = ({ type }: INode) => /contactData(Finder|Verifier|Company)$/.test(type);
		return withParameters(workflow, isLookup, { manualLimit: 0 });
	}

	/** Runs a workflow by hand, which has to succeed. */
	async run(workflow: Workflow, trigger = 'Start'): Promise<Execution> {
		const saved = await this.client.createWorkflow(workflow);
		const execution = await this.succeeded(await this.client.startWorkflow(saved, trigger));
		expect(unreadIn(workflow, execution)).toEqual([]);
		return execution;
	}

	/** Lets people chat with the example, by this model: the workflow, and what asks it. */
	async chatWith(model: ChatModel) {
		const credential = await model.createCredential(this.client);
		const withModel = withCredentialOf(await this.example(), 'Chat Model', credential);
		// The chat of the editor is for those who are signed in; a public one has an address.
		const workflow = withParameters(withModel, 'Chat', { public: true });
		const saved = await this.activated(workflow);
		const { webhookId } = nodeOf(workflow, 'Chat');
		const said = { action: 'sendMessage', sessionId: 'one', chatInput: 'What is the address?' };
		const ask = async () => await this.client.callWebhook(`${webhookId}/chat`, said);
		return { saved, ask };
	}

	/** Saves a workflow and lets its trigger start it. */
	async activated(workflow: Workflow): Promise<SavedWorkflow> {
		const saved = await this.client.createWorkflow(workflow);
		await this.client.activateWorkflow(saved);
		return saved;
	}

	/** Waits for the end of an execution, which has to succeed. */
	async succeeded(id: string): Promise<Execution> {
		const execution = await this.client.waitForExecution(id);
		const { lastNodeExecuted, error } = execution.data.resultData;
		expect({ status: execution.status, lastNodeExecuted, error }).toEqual({
			status: 'success',
			lastNodeExecuted: expect.any(String),
			error: undefined,
		});
		return execution;
	}

	/** The end of what a trigger starts besides these executions. */
	async started(saved: SavedWorkflow, before: string[] = []): Promise<Execution> {
		const [id] = await this.client.newExecutions(saved, 1, before);
		return await this.succeeded(id);
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

	/** The table has a row for each of these leads, in their order, and no other. */
	async expectSaved(table: DataTable, leads: readonly Lead[]): Promise<DataTableRow[]> {
		const rows = await this.client.rowsOf(table);
		const saved = leads.map((lead) => {
			const { id: leadId, person } = lead;
			const who = { leadId, fullName: person.full, domain: person.company.domain };
			return expect.objectContaining({ ...who, ...savedFields(lead) });
		});
		expect(rows).toEqual(saved);
		return rows;
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
			if (field === '' || field.startsWith('lookupJob')) return [];
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
	jsonOf(execution, node).map(({ fullName, email, emailStatus, lookupStatus }) => ({
		fullName,
		email,
		status: emailStatus ?? lookupStatus,
	}));

test.each(examples)('%s can be imported as it is', async (name) => {
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
	// No node of n8n's own renames columns by what is in them, or sums up what came of rows.
	const code = name === 'spreadsheet-upload' ? ['Keep Own Columns', 'Sum Up'] : [];
	const isCode = ({ type }: INode) => /\.(code|function)$/.test(type);
	expect(nodes.filter(isCode).map((node) => node.name)).toEqual(code);
	const names = new Set(nodes.map((node) => node.name));
	const targets = Object.values(connections).flatMap((types) =>
		Object.values(types).flatMap((outputs) => outputs.flatMap((links) => links ?? [])),
	);
	for (const { node } of targets) expect(names).toContain(node);
	for (const source of Object.keys(connections)) expect(names).toContain(source);
});

/** What the examples do over all that they meet. */
const scenes: Record<string, (trial: Trial) => Promise<void>> = {
	/** It answers in the chat with what the tools found. */
	'ai-agent': async (trial) => {
		const person = personWith('valid');
		const { turns, answer } = findAndVerify(person);
		await using model = await ChatModel.open();
		model.says(...turns);
		const { saved, ask } = await trial.chatWith(model);
		expect(JSON.parse(await ask())).toEqual({ output: answer });
		await trial.started(saved);
		const [found, verified] = model.toolMessages;
		expect(found).toContain(`"email":"${person.email}"`);
		expect(verified).toContain('"emailStatus":"valid"');
		expect(trial.charged).toEqual([person.email, person.email]);
	},

	/** Nothing is sent before a person has approved it, and nothing at all that is declined. */
	'agent-with-approval': async (trial) => {
		const { client } = trial;
		await using model = await ChatModel.open();
		const { saved, ask } = await trial.chatWith(model);
		for (const [nth, isDeclined] of [false, true].entries()) {
			const person = personWith(isDeclined ? 'catch-all' : 'valid');
			const { turns, answer } = findAndVerify(person);
			model.says(...reviewed(turns));
			const before = trial.charged.length;
			await ask();
			const [id] = await client.newExecutions(saved, nth + 1);
			let spent = 0;
			for (const [step, node] of ['Approve Find', 'Approve Verify'].entries()) {
				const isApproved = step === 0 || !isDeclined;
				const link = await until(async () => {
					const { data } = await client.waitForStatus(id, 'waiting');
					const asks = JSON.stringify(data.resultData.runData[node] ?? '');
					return new RegExp(`http[^"]*approved=${isApproved}[^"]*`).exec(asks)?.[0];
				});
				expect(trial.charged).toHaveLength(before + spent);
				// n8n does not take the click of a robot.
				await fetch(link, { headers: { 'user-agent': 'Mozilla/5.0 Firefox/140.0' } });
				if (isApproved) spent++;
			}
			// It ends once somebody's chat has taken the reply.
			await until(async () => {
				const { data } = await client.waitForStatus(id, 'waiting');
				return JSON.stringify(data.resultData.runData.Reply ?? '').includes(answer);
			});
			await client.stopExecution(id);
			expect(trial.charged.slice(before)).toEqual(Array(spent).fill(person.email));
			expect(model.toolMessages[0]).toContain(`"email":"${person.email}"`);
			expect(model.toolMessages[1]).toContain(isDeclined ? 'rejected' : '"emailStatus":"valid"');
		}
	},

	/** One message for each fall below the threshold, and no other until the account was topped up. */
	'alert-on-low-credits': async (trial) => {
		const { client, service } = trial;
		const team = slack();
		service.options.creditsLeft = { email: 499 };
		const everySecondly = { pollTimes: pollTimes(everySecond) };
		const workflow = await trial.example({ tools: [team] });
		const saved = await trial.activated(withParameters(workflow, 'Low Credits', everySecondly));
		const polls = () => requestsOf(service, 'getAccount').length;
		const twoPolls = async (before = polls()) => await until(() => polls() > before + 1);
		await until(() => team.messages.length === 1);
		await twoPolls();
		service.ledger.topUp(10);
		await twoPolls();
		service.options.creditsLeft = { email: 480 };
		await until(() => team.messages.length === 2);
		expect(team.messages.map(({ text }) => text)).toEqual([
			expect.stringMatching(/^Contact Data: 499 email credits left \(fewer than 500\)\. The plan/),
			expect.stringContaining('490 email credits left'),
		]);
		await client.deactivateWorkflow(saved);
		await trial.started(saved);
	},

	/** Each lead gets its result, of a job after the Wait or at once. */
	'bulk-job-without-waiting': async (trial) => {
		const { service } = trial;
		const leads = leadsWithoutEmail(101);
		const foundEmails = leads.flatMap(({ person: { email } }) => email ?? []);
		for (const bulkAnswer of ['rows', 'job'] as const) {
			await trial.changeAccount();
			const workflow = await trial.example({ listId: 101 });
			// n8n stores an execution that waits for so long, and holds no worker; shorter waits stay in the process.
			expect(nodeOf(workflow, 'Wait').parameters).toEqual({ amount: 15, unit: 'minutes' });
			const short = withParameters(workflow, 'Wait', { amount: 1, unit: 'seconds' });
			Object.assign(service.variants, { bulkAnswer, jobPolls: 1 });
			const before = { charged: trial.charged.length, requests: service.requests.length };
			const execution = await trial.run(short);
			const statuses = jsonOf(execution, 'Find Emails in Bulk').map((item) => item.lookupStatus);
			expect(statuses.includes('pending')).toBe(bulkAnswer === 'job');
			expect(toldBy(execution, 'Collect Emails')).toEqual(leads.map(nameEmailAndStatus));
			expect(trial.charged.slice(before.charged).sort()).toEqual(foundEmails.toSorted());
			const sent = service.requests.slice(before.requests).map(({ operation }) => operation);
			const searches = sent.filter((operation) => operation === 'findBulk');
			expect(searches).toHaveLength(Math.ceil(leads.length / 100));
			expect(sent.includes('getBulkJob')).toBe(bulkAnswer === 'job');
		}
	},

	/** What failed is in one list, the others go on. */
	'collect-failed-leads': async (trial) => {
		const [refused, unanswered, ...others] = leadsWithoutEmail(102);
		failFor(trial.service, known(refused), 400);
		failFor(trial.service, known(unanswered), 503);
		const execution = await trial.run(await trial.example());
		const failedLeads = [
			failure(known(refused), 'bad_request', 400),
			failure(known(unanswered), 'service_unavailable', 503),
		];
		expect(jsonOf(execution, 'Failed Leads')).toEqual([{ failedLeads }]);
		expect(toldBy(execution, 'Find Email')).toEqual(others.map(nameEmailAndStatus));
		const found = some(others, ({ person }) => person.email !== null);
		expect(trial.charged.sort()).toEqual(found.map(({ person }) => person.email).sort());
	},

	/** Every person keeps the CRM's ID of the company. */
	'company-research': async (trial) => {
		const execution = await trial.run(await trial.example({ tools: [crm(targetCompanies)] }));
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
			{
				...targetCompanies.at(-1),
				...{ companyStatus: 'not_found', companyData: null, companyCredits: 0 },
				companyCheckedAt: expect.stringMatching(/^\d{4}-/),
			},
		]);
		const { ledger } = trial.service;
		expect(ledger.total('searchCompany')).toBe(targetCompanies.length - 1);
		const unknown = people.filter(({ email }) => isUnknown(email));
		expect(ledger.total('verifyBulk')).toBe(unknown.length);
	},

	/** One item per lead; what is written back costs nothing again. */
	'find-and-verify-list-leads': async (trial) => {
		const last = 'Verify Emails in Bulk';
		const workflow = await trial.example();
		expect(workflow.nodes).toHaveLength(5);
		const execution = await trial.run(workflow);
		const leads = list(102).leads.toReversed();
		expect(toldBy(execution, last)).toEqual(leads.map(nameEmailAndStatus));
		const found = some(leads, ({ email, person }) => email === null && person.email !== null);
		const verified = some(leads, ({ person }) => isUnknown(person.email));
		expect(trial.spent).toEqual({ found: found.length, verified: verified.length });

		for (const lead of known(trial.service.fixtures.list(102)).leads) {
			lead.email = lead.person.email;
		}
		expect(toldBy(await trial.run(workflow), last)).toEqual(toldBy(execution, last));
		expect(trial.spent).toEqual({ found: found.length, verified: verified.length });
	},

	/** Slack hears of all, HubSpot gets whom to email. */
	'form-to-crm-and-slack': async (trial) => {
		const { client } = trial;
		const [hubspot, team] = [hubSpot(), slack()];
		const workflow = await trial.example({ tools: [hubspot, team] });
		const saved = await trial.activated(workflow);
		const leads = [personWith('valid'), personWith('catch-all'), personWith('unknown'), unfindable];
		const ends = ['(valid)\nAdded', '(catch-all)\nAdded', '(unknown)\nNot added', '\nNot added'];
		for (const { first, last, company } of leads) {
			const before = (await client.listExecutions(saved)).map(({ id }) => id);
			const { webhookId = '' } = nodeOf(workflow, 'Lead Form');
			await client.submitForm(webhookId, [first, last, company.domain]);
			await trial.started(saved, before);
		}
		expect(team.messages).toEqual(
			leads.map(({ first, last, company, email }, index) => ({
				channel: 'C0SALES',
				text: `New lead: ${first} ${last}, ${company.domain}\n${email ? `${email} ` : 'No email found'}${ends[index]} to HubSpot. `,
			})),
		);
		expect([...hubspot.contacts.values()]).toMatchObject(
			leads.slice(0, 2).map(({ first, last, company, email }) => ({
				...{ email, firstname: first, lastname: last, website: company.domain },
			})),
		);
		// The finder's status is verified only where it is unknown.
		const paid = leads.flatMap(({ email }) => (isUnknown(email) ? [email, email] : (email ?? [])));
		expect(trial.charged).toEqual(paid);
	},

	/** Results get into the rows of their leads, nothing else is touched, and nothing is paid again. */
	'google-sheet-rows': async (trial) => {
		const { leads } = list(102);
		const sheet = sheetOf(leads);
		const before = structuredClone(sheet.cells);
		const workflow = await trial.example({ tools: [sheet] });
		await trial.run(workflow);
		const first = trial.spent;
		const withEmail = some(leads, ({ email }) => email !== null);
		const found = some(leads, ({ email, person }) => email === null && person.email !== null);
		// What the finder says is unknown is verified, too.
		const again = some(found, ({ person }) => isUnknown(person.email));
		expect(first).toEqual({ found: found.length, verified: withEmail.length + again.length });
		// Only the columns of the results are written, which the sheet did not have, each cell once.
		const results = leads.map((lead) => Object.values(savedFields(lead)));
		expect(sheet.written).toEqual(
			results.flatMap((values, index) =>
				['F', 'G', 'H', 'I'].flatMap((name, column) =>
					values[column] === null ? [] : [name + (index + 2)],
				),
			),
		);
		expect(sheet.cells).toEqual([
			[...known(before[0]), 'email', 'emailStatus', 'lookupStatus', 'checkedAt'],
			...results.map((values, index) => [
				...known(before[index + 1]),
				...values.map((value) => value ?? ''),
			]),
		]);
		await trial.run(workflow);
		expect(trial.spent).toEqual(first);
		// Where an email was emptied and none is found, nothing stays of what was said of it.
		const lead = found[0];
		const row = known(sheet.cells[leads.indexOf(lead) + 1]);
		row[2] = 'Nobody';
		expect(row.splice(5, 1, '')).toEqual([lead.person.email]);
		await trial.run(workflow);
		expect(row.slice(5, 8)).toEqual(['', '', 'not_found']);
	},

	/** It stops where it may cost too much; it saves batch by batch, and a second run pays for nothing. */
	'large-list-that-survives-a-crash': async (trial) => {
		const { client, service } = trial;
		const leads = leadsWithoutEmail(101).slice(0, 45);
		keepLeads(service, 101, leads);
		const table = await createLeadsTable(client);
		const workflow = await trial.example({ listId: 101, table });
		const { parameters } = nodeOf(workflow, 'Over 2,000 Credits?');
		const lower = JSON.parse(JSON.stringify(parameters).replace('2000', '20'));
		const poor = withParameters(workflow, 'Over 2,000 Credits?', lower);
		const id = await client.startWorkflow(await client.createWorkflow(poor), 'Start');
		const stopped = await client.waitForExecution(id);
		expect(stopped.status).toBe('error');
		const { message } = stopped.data.resultData.error ?? {};
		expect(message).toContain(`may cost ${leads.length} credits`);
		expect(service.ledger.total()).toBe(0);

		expect(nodeOf(workflow, 'Loop Over Items').parameters.batchSize).toBe(200);
		const smaller = withParameters(workflow, 'Loop Over Items', { batchSize: 20 });
		const execution = await trial.run(smaller);
		expect(execution.data.resultData.runData['Save Result']).toHaveLength(3);
		await trial.expectSaved(table, leads);
		const first = trial.spent;
		expect(first.found).toBe(some(leads, ({ person }) => person.email !== null).length);
		await trial.run(smaller);
		expect(trial.spent).toEqual(first);
		await trial.expectSaved(table, leads);
	},

	/** It finds and verifies for those who have the token, until few credits are left. */
	'mcp-server': async (trial) => {
		const { opened, service } = trial;
		const workflow = await trial.example({ tools: [assistants] });
		await trial.activated(workflow);
		const url = `${opened.host.url}/mcp/${String(nodeOf(workflow, 'Assistants').parameters.path)}`;
		const assistant = await McpClient.connect(url, assistants.setUp.credentialData.token);
		await expect(McpClient.connect(url)).rejects.toThrow(/ 40[13]/);

		const offered = (await assistant.listTools()).map(({ name }) => name);
		expect(offered.sort()).toEqual(['Find_Email', 'Get_Account', 'Verify_Email']);
		const { full: Full_Name, company, email: Email } = personWith('valid');
		const who = { Full_Name, Company_Domain: company.domain };
		expect(await assistant.callTool('Find_Email', who)).toContain(`"email":"${Email}"`);
		expect(await assistant.callTool('Verify_Email', { Email })).toContain('"emailStatus":"valid"');
		expect(trial.charged).toEqual([Email, Email]);

		service.options.creditsLeft = { email: 501, verifier: 501 };
		expect(await assistant.callTool('Get_Account', {})).toContain('"remaining":500');
		// What was bought is there all the same.
		expect(await assistant.callTool('Find_Email', who)).toContain(`"email":"${Email}"`);
		const other = personWith('catch-all');
		const whoElse = { Full_Name: other.full, Company_Domain: other.company.domain };
		const refused = await assistant.callTool('Find_Email', whoElse);
		expect(refused).toMatch(/Leave Credits in Account.*credit_floor/);
		expect(await assistant.callTool('Verify_Email', { Email: other.email })).toContain(
			'credit_floor',
		);
		expect(trial.charged).toEqual([Email, Email]);
	},

	/** Each new contact is looked up and updated once; one that was not looked up comes again. */
	'new-hubspot-contact': async (trial) => {
		const hubspot = hubSpot(hubSpotContacts.map(({ contact }) => contact));
		const workflow = await trial.example({ tools: [hubspot] });
		const poor = { options: { maxCredits: 0 } };
		await trial.run(withParameters(workflow, 'Find Emails in Bulk', poor), 'Every 15 Minutes');
		expect(trial.spent).toEqual({ found: 0, verified: 1 });

		const notFound = new Set(hubspot.saved.splice(0));
		await trial.run(workflow, 'Every 15 Minutes');
		const inTheEnd = hubSpotContacts.map(({ contact, becomes }) => ({ ...contact, ...becomes }));
		expect([...hubspot.contacts.values()]).toEqual(inTheEnd);
		// Two are found, one of them belongs to another contact; one had an email to verify.
		expect(trial.spent).toEqual({ found: 2, verified: 1 });
		const updated = [...hubspot.contacts.keys()].filter(
			(_, index) => hubSpotContacts[index]?.becomes,
		);
		expect([...notFound].sort()).toEqual(updated);
		expect(new Set(hubspot.saved).size).toBe(hubspot.saved.length);

		hubspot.saved.length = 0;
		await trial.run(workflow, 'Every 15 Minutes');
		expect(hubspot.saved).toEqual([]);
		expect(trial.spent).toEqual({ found: 2, verified: 1 });
	},

	/** The second provider is asked only for the rest, also where the first has no credits, and all rows are written back. */
	'two-providers': async (trial) => {
		const leads = leadsWithoutEmail(102);
		const sheet = sheetOf(leads);
		const empty = structuredClone(sheet.cells);
		const other = await startService();
		others.push(other);
		const { service } = trial;
		for (const isBroke of [false, true]) {
			for (const one of [service, other]) one.reset();
			makeOther(other);
			await trial.changeAccount();
			const { credential } = await withOwnAccount(trial.opened, other);
			const example = await trial.example({ tools: [sheet] });
			const workflow = withCredentialOf(example, 'Provider B', credential);
			if (isBroke) service.options.creditsLeft = { email: 0 };
			sheet.cells.splice(0, Infinity, ...structuredClone(empty));
			await trial.run(workflow);
			const ofFirst = ({ person: { email } }: Lead) => (isBroke ? null : email);
			const isKept = (lead: Lead) => {
				const email = ofFirst(lead);
				return email !== null && statusOf(email) === 'valid';
			};
			const rest = some(leads, (lead) => !isKept(lead));
			const ofSecond = ({ person: { first, company } }: Lead) =>
				otherEmailOf({ first, domain: company.domain });
			const emails = leads.map((lead) => (isKept(lead) ? null : ofSecond(lead)) ?? ofFirst(lead));
			expect(sheet.cells.slice(1).map((row) => row[5])).toEqual(emails.map((email) => email ?? ''));
			const asked = requestsOf(other, 'findBulk').flatMap(({ body }) => rowsOf(body));
			expect(asked.map(({ firstName }) => firstName).sort()).toEqual(
				rest.map(({ person }) => person.first).sort(),
			);
			const paidBy = ({ ledger }: Service) =>
				ledger.charges.filter(({ operation }) => operation === 'findBulk').length;
			const isFound = (email: string | null) => email !== null;
			expect(paidBy(service)).toBe(leads.map(ofFirst).filter(isFound).length);
			expect(paidBy(other)).toBe(rest.map(ofSecond).filter(isFound).length);
		}
	},

	/** Files of all kinds come back with their own columns, and with the same results, which are paid for once. */
	'spreadsheet-upload': async (trial) => {
		const { client, opened } = trial;
		const { folder, url } = opened.host;
		const isLookup = ({ type }: INode) => /contactData(Finder|Verifier)$/.test(type);
		const workflow = withParameters(await trial.example(), isLookup, { manualLimit: 10 });
		const saved = await trial.activated(workflow);
		const { webhookId = '' } = nodeOf(workflow, 'Spreadsheet Form');
		const send = async (file: UploadedFile) => {
			const before = (await client.listExecutions(saved)).map(({ id }) => id);
			const charges = trial.charged.length;
			const { title, lines, file: result } = await sendFile(url, webhookId, file);
			await trial.started(saved, before);
			const charged = trial.charged.slice(charges);
			const rows = result && readExcel(result.bytes, folder);
			return { title, lines, name: result?.name, rows, charged, result };
		};
		const { cells, results, lastPage, problem, paid } = peopleInFile;
		const [columns, ...people] = cells;
		const files = [...csvFilesOf(cells), ...workbooksOf(cells, folder)];
		for (const [nth, file] of files.entries()) {
			const free = nth > 0 && { lookupCredits: 0 };
			const page = lastPage.map((line) =>
				free && line.startsWith('Credits used') ? 'Credits used: none' : line,
			);
			const { rows, charged, result: _, ...last } = await send(file);
			expect({ ...last, charged: charged.sort() }).toEqual({
				title: 'Done: the file is in your downloads',
				lines: [...page, expect.stringMatching(problem)],
				name: file.name.replace(/\..*/, ' with emails.xlsx'),
				charged: free ? [] : paid.toSorted(),
			});
			const own = people.map((row) => row.map((cell, index) => [columns[index], cell]));
			expect(rows).toEqual(
				own.map((row, index) =>
					expect.objectContaining({ ...Object.fromEntries(row), ...results[index], ...free }),
				),
			);
			const inOrder = [
				...columns.slice(0, 2),
				'lookupStatus',
				'email',
				'emailStatus',
				'lookupMessage',
			];
			expect(Object.keys(known(rows?.[0])).slice(0, inOrder.length)).toEqual(inOrder);
		}
		// Somebody closes the tab and sends the file again. Max Items in Manual Runs is nothing to the form that others use.
		const [file] = csvFilesOf(manyInFile.cells);
		const { charges } = trial.service.ledger;
		const before = charges.length;
		await submitFile(url, webhookId, file);
		const many = await send(file);
		expect(many.lines).toEqual(expect.arrayContaining(manyInFile.ofAll));
		const bought = charges.slice(before).map((one) => `${one.operation} ${one.subject}`);
		expect(bought.filter((one) => one.startsWith('findBulk '))).toHaveLength(12);
		expect(new Set(bought).size).toBe(bought.length);
		// The file that came back costs nothing: the page does not count the run before.
		const again = await send(known(many.result));
		expect(again).toMatchObject({ charged: [], name: many.name });
		const ofThisRun = ['Your rows: 12', 'Already had an email: 12'];
		expect(again.lines).toEqual(expect.arrayContaining(ofThisRun));
		expect(again.lines.join()).not.toMatch(/Emails found|verified now|Credits used: \d/);
		// Columns of the user's own stay beside the results, and those of a file that came back are results.
		const tidied = await send(csvFilesOf(messyFile.cells)[0]);
		expect(tidied.lines).toEqual([...messyFile.lastPage, '', messyFile.renamed]);
		expect(tidied.rows).toHaveLength(7);
		const ofFirst = { ...messyFile.own, lookupStatus: 'found', lookupCredits: 0 };
		expect(tidied.rows?.[0]).toMatchObject(ofFirst);
		const same = await send(known(tidied.result));
		expect(same).toMatchObject({ charged: [], rows: tidied.rows?.map(({ email }) => ({ email })) });
		expect(Object.keys(known(same.rows?.[0]))).toEqual(Object.keys(known(tidied.rows?.[0])));
		expect(same.lines).not.toContain(messyFile.renamed);
		// As the page advises
		const [header, ...rest] = messyFile.cells;
		const [renamed] = csvFilesOf([[...header.slice(0, -1), 'Sender'], ...rest]);
		expect((await send(renamed)).lines).toContain('Emails found: 4');
		// A limit comes before what more rows lack.
		trial.service.options.creditsLeft = { email: 0 };
		const gaps = ['Ada', 'Grace'].map((name) => [name, 'Acme']);
		const [first = [], second = []] = gaps;
		const gapped = [first, ['', ''], second, ['Ada Lovelace', 'Acme']];
		const [limited] = csvFilesOf([['Full Name', 'Company'], ...gapped]);
		expect((await send(limited)).lines).toEqual([
			'Your rows: 3',
			'Not looked up: 3',
			'',
			'Credits used: none',
			'',
			expect.stringMatching(/^Row 5: Not enough credits/),
			expect.stringMatching(/^2 rows \(2, 4\): .*no name/),
			'',
			expect.stringContaining('To look up the rest, upload the file that you got'),
		]);
		trial.service.options.creditsLeft = {};
		// A file of something else comes back too, and says why nothing was looked up.
		const [, prices] = csvFilesOf([
			['Kind, type', 'Price', 'Stock'],
			['Tea, black, green, white', '3', '7'],
		]);
		const { title, lines, rows, charged } = await send(prices);
		expect(title).toBe('No row could be looked up: the file says why');
		expect(lines).toContain('Not looked up: 1');
		expect(lines.at(-3)).toMatch(/^Row 2: .*no name and no company.*Kind, type, Price/);
		expect(lines.at(-1)).toContain(
			'Each row needs a person and a company. If the names in your file are of people, call their column Full Name',
		);
		expect(rows).toMatchObject([
			{ 'Kind, type': 'Tea, black, green, white', lookupStatus: 'invalid_input' },
		]);
		expect(charged).toEqual([]);
		// A list of companies buys nothing, and neither do the rows of one that lack their contact.
		const hotels = ['Hotel Adler', 'Pension Post', 'Gasthof Linde'].map((name, index) => [
			...[name, `hotel-${index}.bulk.example`, 'Bonn'],
		]);
		const columnsOfHotels = ['Name', 'Website', 'Ort'];
		const onMap = hotels.map((row) => [...row, '4.4', '120']);
		const [, places] = csvFilesOf([[...columnsOfHotels, 'Rating', 'Reviews'], ...onMap]);
		expect(await send(places)).toMatchObject({
			charged: [],
			title: expect.stringMatching(/^No row/),
			lines: expect.arrayContaining([
				expect.stringContaining('needs a column Full Name with a person at each'),
			]),
		});
		const asked = trial.service.requests.length;
		const contacts = hotels.map((row, index) => [...row, index === 0 ? 'Ada Lovelace' : '']);
		const [, partly] = csvFilesOf([[...columnsOfHotels, 'Full Name'], ...contacts]);
		const { lines: ofPartly } = await send(partly);
		expect(ofPartly).toContain('Not looked up: 2');
		const sent = trial.service.requests.slice(asked).flatMap(({ body }) => body ?? []);
		expect(JSON.stringify(sent)).toContain('Ada Lovelace');
		expect(JSON.stringify(sent)).not.toMatch(/Pension|Gasthof|Hotel/);
		// So a report of Salesforce ends.
		const [report] = csvFilesOf([...cells, ['Generated By: Ada Lovelace']]);
		const unread = await send(report);
		expect(unread).toMatchObject({ title: 'This file could not be read', charged: [] });
		expect(unread.lines.at(-1)).toContain('Invalid Record Length');
	},

	/** What the table has is not looked up again, by whichever n8n; what was missed is, the next month. */
	'pay-once-for-good': async (trial) => {
		const { client, service } = trial;
		const leads = leadsWithoutEmail(101).slice(0, 12);
		keepLeads(service, 101, leads);
		const found = leads.flatMap(({ person: { email } }) => email ?? []);
		const unclear = found.filter(isUnknown).length;
		const table = await createLeadsTable(client);
		const workflow = await trial.example({ listId: 101, table });
		await trial.run(workflow, 'Every Day');
		expect(trial.spent).toEqual({ found: found.length, verified: unclear });
		const rows = await client.rowsOf(table);
		expect(rows.map(({ leadKey, email }) => [leadKey, email])).toEqual(
			leads.map(({ person: { full, email, company } }) => [`${full}, ${company.domain}`, email]),
		);
		// This n8n would know what it has bought itself.
		await trial.changeAccount();
		const again = await trial.example({ listId: 101, table });
		const { length } = service.requests;
		const missed = async () => {
			await trial.run(again, 'Every Day');
			const sent = service.requests.slice(length);
			return sent.flatMap(({ operation, body }) => (operation === 'findBulk' ? rowsOf(body) : []));
		};
		expect(await missed()).toEqual([]);
		const misses = rows.filter(({ email }) => email === null);
		expect(misses.length).toBeGreaterThan(1);
		const outcome = 'missed in 2020-01';
		await client.updateRows(table, ['id', Number(misses[0]?.id)], { outcome });
		expect(await missed()).toHaveLength(1);
		const spent = { found: found.length, verified: unclear };
		expect(trial.spent).toEqual(spent);
		// A row whose columns the key does not name is left out.
		const { full, company } = some(leads, ({ person }) => person.email !== null)[0].person;
		const row = { mode: 'raw', jsonOutput: JSON.stringify({ Name: full, Firma: company.domain }) };
		const set = { type: 'n8n-nodes-base.set', typeVersion: 3.4, parameters: row };
		const own = withNodes(again, 'Get List Leads', () => set);
		await trial.run(own, 'Every Day');
		expect(trial.spent).toEqual(spent);
		expect(await client.rowsOf(table)).toHaveLength(leads.length);
	},

	/** It leaves 100 credits; a later run goes on with the rest, then only what is old is checked again. */
	'weekly-list-cleaning': async (trial) => {
		const { client, service } = trial;
		await using mail = await MailServer.open();
		// n8n saves row by row, which takes its time: a few leads, with each result among them.
		const isRare = ({ person: { email } }: Lead) =>
			email !== null && ['catch-all', 'invalid', 'unknown'].includes(statusOf(email));
		const leads = list(101)
			.leads.toReversed()
			.slice(0, 60)
			.filter((lead, index) => index < 20 || isRare(lead));
		keepLeads(service, 101, leads);
		const table = await createLeadsTable(client);
		const workflow = await trial.example({ listId: 101, table, tools: [mail] });
		const listed = some(leads, ({ email }) => email !== null).length;
		const findable = some(leads, ({ email, person }) => email === null && person.email !== null);
		const unclear = some(findable, ({ person }) => isUnknown(person.email)).length;

		service.options.creditsLeft = { email: 104 };
		const stopped = await trial.run(workflow, 'Every Monday');
		expect(trial.spent).toEqual({ found: 4, verified: listed });
		const found = jsonOf(stopped, 'Find Emails in Bulk');
		const rest = some(found, ({ lookupReason }) => lookupReason === 'credit_floor').length;
		expect(mail.mails.pop()?.text).toContain(`Not checked this time: ${rest}\n`);

		service.options.creditsLeft = {};
		await trial.run(workflow, 'Every Monday');
		const spent = { found: findable.length, verified: listed + unclear };
		expect(trial.spent).toEqual(spent);
		const saved = await trial.expectSaved(table, leads);
		await trial.run(workflow, 'Every Monday');
		expect(trial.spent).toEqual(spent);
		expect(mail.mails).toEqual([
			reportOf(leads, findable.length - 4 + unclear),
			reportOf(leads, 0),
		]);

		/** Lets rows with a status have been checked so many days ago, and gives their emails. */
		const age = async (status: string, days: number, ...range: [number, number]) => {
			const rows = saved.filter(({ emailStatus }) => emailStatus === status).slice(...range);
			expect(rows).toHaveLength(range[1] - range[0]);
			const checkedAt = new Date(Date.now() - days * DAY_MS).toISOString();
			for (const { id } of rows) await client.updateRows(table, ['id', Number(id)], { checkedAt });
			return rows.map(({ email }) => email);
		};
		await age('valid', 89, 3, 6);
		const due = [
			...(await age('valid', 91, 0, 3)),
			...(await age('invalid', 91, 0, 2)),
			...(await age('unknown', 1.5, 0, 2)),
		];
		// This n8n would know the answers of a minute ago.
		await trial.changeAccount();
		const inFuture = await trial.example({ listId: 101, table, tools: [mail] });
		await trial.run(inFuture, 'Every Monday');
		expect(trial.spent).toEqual({ ...spent, verified: listed + unclear + due.length });
		expect(trial.charged.slice(-due.length).sort()).toEqual(due.sort());
		await trial.expectSaved(table, leads);
	},
};

/** n8n 1 has no human review of tools. */
const examplesOf = ({ version }: typeof n8n1) =>
	examples.filter((name) => version !== n8n1.version || name !== 'agent-with-approval');

describe.concurrent.each([n8n3, ...onlyLong(n8n1)])('n8n $name', async (version) => {
	const tools = await Tools.open();
	const options = { name: `n8n-examples-${version.name}`, version, settings: tools.settings };
	const running = useComponent(async () => await openHost(options));
	afterAll(async () => await tools[Symbol.asyncDispose]());

	test.for(examplesOf(version))('%s', async (name) => {
		const service = idle.pop() ?? (await startService());
		await known(scenes[name])(await Trial.open(name, running(), service, tools));
		tools.endTest();
		expect(service.violations).toEqual([]);
		service.reset();
		idle.push(service);
	});

	test('has every node of the examples, in its version', async () => {
		const types = await running().client.nodeTypes();
		const has = ({ type, typeVersion }: INode) =>
			types.some(({ name, version }) => name === type && [version].flat().includes(typeVersion));
		for (const name of examplesOf(version)) {
			const { nodes } = await readExample(name);
			expect(nodes.filter((node) => !has(node))).toEqual([]);
		}
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
		error: { status: 'failed', reason, httpCode },
	};
}

/** What the table has of a lead after a run that reached it. */
function savedFields({ person: { email } }: Lead) {
	return {
		email,
		emailStatus: email && statusOf(email),
		lookupStatus: email === null ? 'not_found' : expect.stringMatching(/^(found|verified)$/),
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
