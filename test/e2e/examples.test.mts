import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';

import type { INode } from 'n8n-workflow';
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';

import { root } from '../machine/paths.mjs';
import { outputOf, type Execution } from '../hosts/execution.mts';
import type { DataTable, DataTableRow } from '../hosts/rest.mts';
import { n8n1, n8n2 } from '../hosts/versions.mts';
import { readExample, withCredential, withList, type Workflow } from '../hosts/workflow.mts';
import { expectedVerification } from '../service/addresses.mts';
import type { Lead, Person } from '../service/fixtures.mts';
import { requestsOf } from '../support/bulk.mts';
import { useChatModel } from '../support/chatModel.mts';
import { CrmStandIn } from '../support/crmStandIn.mts';
import {
	nodeOf,
	withCredentialOf,
	withOrigin,
	withParameters,
	withTable,
} from '../support/exampleChanges.mts';
import {
	createLeadsTable,
	failFor,
	findAndVerify,
	keepLeads,
	leadsWithoutEmail,
	saveNewLeads,
	targetCompanies,
} from '../support/exampleScenes.mts';
import { fixtures, known, list, personWith, some } from '../support/expected.mts';
import { useHost, type TestHost } from '../support/host.mts';
import { MessengerStandIn } from '../support/messengerStandIn.mts';
import { report } from '../support/report.mts';
import { SecondFinder } from '../support/secondFinder.mts';
import { useService } from '../support/service.mts';
import { McpClient } from './support/mcpClient.mts';
import { everySecond, pollTimes } from './support/schedules.mts';

const RUN_TIMEOUT_MS = 120_000;
const WAIT = { timeout: 60_000, interval: 100 };
const DAY_MS = 24 * 60 * 60_000;

const files = (await readdir(join(root, 'examples'))).filter((file) => file.endsWith('.json'));
const examples = files.map((file) => basename(file, '.json')).sort();

const service = useService();
const model = useChatModel();
let opened: TestHost;
/** What ran in the n8n that is open. */
const ran = { examples: new Set<string>(), executions: 0 };

/** An example with the credential that importing people pick, and their list where it reads one. */
async function example(name: string, listId = 102): Promise<Workflow> {
	ran.examples.add(name);
	const workflow = withCredential(await readExample(name), opened.packageName, opened.credential);
	return withList(workflow, list(listId));
}

/** Runs a workflow by hand, which has to succeed. */
async function run(workflow: Workflow, trigger = 'Start'): Promise<Execution> {
	const saved = await opened.client.createWorkflow(workflow);
	const id = await opened.client.startWorkflow(saved, trigger);
	return succeeded(await opened.client.waitForExecution(id, RUN_TIMEOUT_MS));
}

function succeeded(execution: Execution): Execution {
	const { lastNodeExecuted, error } = execution.data.resultData;
	expect({ status: execution.status, lastNodeExecuted, error }).toEqual({
		status: 'success',
		lastNodeExecuted: expect.any(String),
		error: undefined,
	});
	ran.executions += 1;
	return execution;
}

const jsonOf = (execution: Execution, node: string, branch?: number) =>
	outputOf(execution, node, branch).map(({ json }) => json);

const statusOf = (email: string) => expectedVerification(email).email_status;

const isUnknown = (email: string | null) => email !== null && statusOf(email) === 'unknown';

const charged = () => service().ledger.charges.map(({ subject }) => subject);

/** What was spent so far, for the report too. */
function spent() {
	const { ledger } = service();
	return { found: ledger.total('findBulk'), verified: ledger.total('verifyBulk') };
}

function reportSpent(name: string, ...runs: Array<ReturnType<typeof spent>>): void {
	const costs = runs.map((after, run) => {
		const before = runs[run - 1] ?? { found: 0, verified: 0 };
		return `${after.found - before.found} + ${after.verified - before.verified}`;
	});
	report(`${name}: credits to find + to verify of each run: ${costs.join(', ')}`);
}

/** What is known of the email of a lead in the end: the list has it, the service finds it, or nobody. */
const nameEmailAndStatus = ({ person: { full: name, email } }: Lead) => ({
	name,
	email,
	status: email === null ? 'not_found' : statusOf(email),
});

function isInSales({ title }: Person): boolean {
	return /sales|marketing/i.test(title);
}

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
		expect(Object(parameters.dataTableId).value ?? '').toBe('');
	}
	expect(nodes.filter(({ type }) => /\.(code|function)$/.test(type))).toEqual([]);
	const names = new Set(nodes.map((node) => node.name));
	const targets = Object.values(connections).flatMap((types) =>
		Object.values(types).flatMap((outputs) => outputs.flatMap((links) => links ?? [])),
	);
	for (const { node } of targets) expect(names).toContain(node);
	for (const source of Object.keys(connections)) expect(names).toContain(source);
});

describe.each([n8n2, n8n1])('n8n $version', (version) => {
	const running = useHost(service, { name: `n8n-examples-${version.version}`, version });

	beforeAll(() => {
		opened = running();
		ran.examples.clear();
		ran.executions = 0;
	});

	test('has every node of the examples, in its version', async () => {
		const types = await opened.client.nodeTypes();
		const has = ({ type, typeVersion }: INode) =>
			types.some(({ name, version }) => name === type && [version].flat().includes(typeVersion));
		for (const name of examples) {
			const { nodes } = await readExample(name);
			const missing = nodes.filter((node) => !has(node));
			expect(missing.map(({ type, typeVersion }) => `${name}: ${type} ${typeVersion}`)).toEqual([]);
		}
	});

	describe('find-and-verify-list-leads', () => {
		test('at most six nodes in a row: one item per lead, in the order of the list', async () => {
			const { nodes, connections } = await readExample('find-and-verify-list-leads');
			expect(nodes.length - 1).toBeLessThanOrEqual(6);
			expect(Object.keys(connections)).toHaveLength(nodes.length - 2);
			const execution = await run(await example('find-and-verify-list-leads'));
			const leads = list(102).leads.toReversed();
			const result = jsonOf(execution, 'Name, Email and Status');
			expect(result).toEqual(leads.map(nameEmailAndStatus));
			const found = some(leads, ({ email, person }) => email === null && person.email !== null);
			expect(spent()).toEqual({
				found: found.length,
				verified: some(leads, ({ person }) => isUnknown(person.email)).length,
			});
		});

		test('once more, the results written back: only what is unknown costs again', async () => {
			const workflow = await example('find-and-verify-list-leads');
			const execution = await run(workflow);
			const first = spent();
			const { leads } = known(service().fixtures.list(102));
			for (const [index, { email }] of jsonOf(execution, 'Name, Email and Status').entries()) {
				const lead = known(leads[leads.length - 1 - index]);
				lead.email = typeof email === 'string' ? email : null;
			}
			const again = await run(workflow);

			expect(jsonOf(again, 'Name, Email and Status')).toEqual(
				jsonOf(execution, 'Name, Email and Status'),
			);
			expect(spent()).toEqual({ found: first.found, verified: 2 * first.verified });
			reportSpent('find-and-verify-list-leads', first, spent());
		});
	});

	test('crm-sync: one request to the CRM per lead', async () => {
		await using crm = await CrmStandIn.open();
		const saved = saveNewLeads(service(), 101);
		const mailings = [
			'OK to Email',
			'Email with Caution',
			'Do Not Email',
			'Verify Again',
			'Do Not Email',
		];
		const workflow = withOrigin(
			await example('crm-sync', 101),
			'Create or Update Contact',
			crm.url,
		);
		const execution = await run(workflow, 'New Lead in List');
		const contacts = saved.map((lead, index) => [
			String(lead.id),
			{
				...nameEmailAndStatus(lead),
				domain: lead.person.company.domain,
				mailing: mailings[index],
			},
		]);
		expect(Object.fromEntries(crm.contacts)).toEqual(Object.fromEntries(contacts));
		expect(crm.puts).toBe(saved.length);
		expect(jsonOf(execution, 'Create or Update Contact')).toHaveLength(saved.length);
		// One lead has its email already, one has none; what the finder found brings its status along.
		expect(spent()).toEqual({ found: 3, verified: 1 });

		// Once more: the same contacts are updated, none is there twice.
		await run(workflow, 'New Lead in List');
		expect(Object.fromEntries(crm.contacts)).toEqual(Object.fromEntries(contacts));
		expect(crm.puts).toBe(2 * saved.length);

		// Whom nobody looked up is not marked as somebody who has no email.
		await run(
			withParameters(workflow, 'Find Emails in Bulk', { options: { maxCredits: 0 } }),
			'New Lead in List',
		);
		const missing = saved.filter(({ email }) => email === null);
		expect(missing.length).toBeGreaterThan(0);
		for (const { id } of missing) {
			expect(crm.contacts.get(String(id))).toMatchObject({ mailing: 'Not Checked' });
		}
	});

	describe('enrich-every-morning', () => {
		// n8n saves row by row, which takes its time.
		const leads = leadsWithoutEmail(101).slice(0, 150);
		beforeEach(() => keepLeads(service(), 101, leads));
		const findable = leads.filter(({ person }) => person.email !== null);

		test('remembers: what is old is checked again, and nothing else', async () => {
			const leadsTable = await createLeadsTable(opened.client, 'Every morning');
			const workflow = withTable(await example('enrich-every-morning', 101), leadsTable);
			const execution = await run(workflow, 'Every Morning');
			const first = spent();
			expect(first).toEqual({ found: findable.length, verified: 0 });
			expect(jsonOf(execution, 'Estimate Cost')).toMatchObject([
				{ items: leads.length, lookups: leads.length, known: 0, mostCredits: leads.length },
			]);
			expect(jsonOf(execution, 'Save Result')).toHaveLength(leads.length);
			const saved = await opened.client.rowsOf(leadsTable);
			expectSaved(saved, leads);

			const again = await run(workflow, 'Every Morning');
			const second = spent();
			expect(second).toEqual(first);
			expect(jsonOf(again, 'Estimate Cost')).toMatchObject([
				{ known: findable.length, mostCredits: leads.length - findable.length },
			]);
			expectSaved(await opened.client.rowsOf(leadsTable), leads);

			const aged = [
				...rowsWith(saved, 'valid').slice(0, 3),
				...rowsWith(saved, 'invalid').slice(0, 2),
			];
			const yesterdays = rowsWith(saved, 'unknown').slice(0, 2);
			await age(leadsTable, aged, 91);
			await age(leadsTable, yesterdays, 1.5);
			await age(leadsTable, rowsWith(saved, 'valid').slice(3, 6), 89);
			await run(workflow, 'Every Morning');
			const third = spent();
			expect(third).toEqual({ ...first, verified: aged.length + yesterdays.length });
			expect(charged().slice(-third.verified).sort()).toEqual(
				[...aged, ...yesterdays].map(({ email }) => email).sort(),
			);
			expectSaved(await opened.client.rowsOf(leadsTable), leads);

			reportSpent('enrich-every-morning, some leads old in the third run', first, second, third);
		}, 300_000);

		test('stops before it spends anything where it may cost too much', async () => {
			const leadsTable = await createLeadsTable(opened.client, 'Far too many');
			const original = withTable(await example('enrich-every-morning', 101), leadsTable);
			const { parameters } = nodeOf(original, 'Over 2,000 Credits?');
			const lower = JSON.parse(JSON.stringify(parameters).replace('2000', '100'));
			const saved = await opened.client.createWorkflow(
				withParameters(original, 'Over 2,000 Credits?', lower),
			);
			const id = await opened.client.startWorkflow(saved, 'Every Morning');
			const { status, data } = await opened.client.waitForExecution(id, RUN_TIMEOUT_MS);
			expect(status).toBe('error');
			expect(data.resultData.error?.message).toContain(`may cost ${leads.length} credits`);
			expect(service().ledger.total()).toBe(0);
		});

		test('leaves 100 credits in the account', async () => {
			const leadsTable = await createLeadsTable(opened.client, 'Few credits left');
			service().options.creditsLeft = { email: 104 };
			const workflow = withTable(await example('enrich-every-morning', 101), leadsTable);
			const execution = await run(workflow, 'Every Morning');
			expect(spent()).toEqual({ found: 4, verified: 0 });
			const rest = jsonOf(execution, 'Find Emails in Bulk').filter(
				({ reason }) => reason === 'credit_floor',
			);
			expect(rest.length).toBeGreaterThan(100);
		});

		test('goes on with the rest where the budget of a run ends', async () => {
			const few = leadsWithoutEmail(102);
			const leadsTable = await createLeadsTable(opened.client, 'Small budget');
			const original = withTable(await example('enrich-every-morning'), leadsTable);
			const options = { maxCredits: 3 };
			const workflow = withParameters(original, 'Find Emails in Bulk', { options });
			await run(workflow, 'Every Morning');
			const first = spent();
			expect(first.found).toBe(3);
			await run(workflow, 'Every Morning');
			const found = few.flatMap(({ person: { email } }) => email ?? []);
			expect(charged().sort()).toEqual(found.sort());
			expectSaved(await opened.client.rowsOf(leadsTable), few);
			reportSpent('enrich-every-morning with 3 credits per run', first, spent());
		});
	});

	test('enrich-table-rows: the same rows, and nothing of them lost', async () => {
		const leads = list(102).leads.slice(0, 60);
		const leadsTable = await createLeadsTable(opened.client, 'Rows', [
			{ name: 'owner', type: 'string' },
		]);
		const rows = leads.map(({ email, person }, index) => ({
			name: person.full,
			domain: person.company.domain,
			email,
			owner: `Owner ${index}`,
		}));
		await opened.client.insertRows(leadsTable, rows);
		const workflow = withTable(await example('enrich-table-rows'), leadsTable);
		await run(workflow);
		const first = spent();
		const saved = await opened.client.rowsOf(leadsTable);
		expect(saved).toEqual(
			leads.map((lead, index) =>
				expect.objectContaining({
					...rows[index],
					...savedFields(lead),
				}),
			),
		);
		const withEmail = some(leads, ({ email }) => email !== null);
		const found = some(leads, ({ email, person }) => email === null && person.email !== null);
		expect(first).toEqual({ found: found.length, verified: withEmail.length });

		await run(workflow);
		expect(spent()).toEqual(first);
		reportSpent('enrich-table-rows', first, spent());
	});

	test('large-list-that-survives-a-crash: a second run pays for nothing', async () => {
		const leads = leadsWithoutEmail(101);
		const leadsTable = await createLeadsTable(opened.client, 'Large list');
		const workflow = withTable(await example('large-list-that-survives-a-crash', 101), leadsTable);
		const execution = await run(workflow);
		const { runData } = execution.data.resultData;
		expect(runData['Save Result']).toHaveLength(Math.ceil(leads.length / 200));
		expectSaved(await opened.client.rowsOf(leadsTable), leads);
		const first = spent();
		await run(workflow);
		expect(spent()).toEqual(first);
		expectSaved(await opened.client.rowsOf(leadsTable), leads);
		reportSpent('large-list-that-survives-a-crash', first, spent());
	}, 300_000);

	describe('bulk-job-without-waiting', () => {
		const name = 'bulk-job-without-waiting';
		const leads = leadsWithoutEmail(101);
		const foundEmails = leads.flatMap(({ person: { email } }) => email ?? []);

		test('sleeps while the job is at work, and gives each lead its own result', async () => {
			Object.assign(service().variants, { bulkAnswer: 'job', jobPolls: 1_000_000 });
			// Shorter waits stay in the process.
			const workflow = withParameters(await example(name, 101), 'Wait', {
				amount: 66,
				unit: 'seconds',
			});
			const saved = await opened.client.createWorkflow(workflow);
			const id = await opened.client.startWorkflow(saved, 'Start');
			// n8n has stored the execution then, and forgotten it: no worker is held.
			const asleep = await opened.client.waitForStatus(id, 'waiting', RUN_TIMEOUT_MS);
			const pending = jsonOf(asleep, 'Find Emails in Bulk');
			expect(new Set(pending.map(({ status }) => status))).toEqual(new Set(['pending']));
			service().variants.jobPolls = 0;
			const execution = succeeded(await opened.client.waitForExecution(id, RUN_TIMEOUT_MS));

			expect(jsonOf(execution, 'Name, Email and Status')).toEqual(leads.map(nameEmailAndStatus));
			expect(charged().sort()).toEqual(foundEmails.sort());
			expect(requestsOf(service(), 'findBulk')).toHaveLength(Math.ceil(leads.length / 100));
			reportSpent(name, spent());
		}, 180_000);

		test('passes immediate results through as they are', async () => {
			const workflow = withParameters(await example(name, 101), 'Wait', {
				amount: 1,
				unit: 'seconds',
			});
			const execution = await run(workflow);
			expect(jsonOf(execution, 'Name, Email and Status')).toEqual(leads.map(nameEmailAndStatus));
			expect(requestsOf(service(), 'getBulkJob')).toEqual([]);
			expect(charged().sort()).toEqual(foundEmails.sort());
		});
	});

	test('second-source-for-misses: only the misses go on, and every lead comes out once', async () => {
		const leads = leadsWithoutEmail(102);
		const misses = some(leads, ({ person }) => person.email === null);
		const hits = some(leads, ({ person }) => person.email !== null);
		const secondEmail = 'known@elsewhere.example';
		await using second = await SecondFinder.open(({ name }) =>
			name === known(misses[1]).person.full ? secondEmail : undefined,
		);
		const workflow = withOrigin(
			await example('second-source-for-misses'),
			'Ask Second Source',
			second.url,
		);
		const execution = await run(workflow);
		expect(jsonOf(execution, 'Name, Email and Source')).toEqual([
			...hits.map(({ person: { full: name, email } }) => ({ name, email, source: 'Contact Data' })),
			...misses.map(({ person: { full: name } }, index) =>
				index === 1
					? { name, email: secondEmail, source: 'Second source' }
					: { name, email: null, source: 'None' },
			),
		]);
		const byName = (a: { name: string }, b: { name: string }) => a.name.localeCompare(b.name);
		expect(second.asked.toSorted(byName)).toEqual(
			misses
				.map(({ person }) => ({ name: person.full, domain: person.company.domain }))
				.toSorted(byName),
		);
		expect(service().ledger.total()).toBe(hits.length);
	});

	test("company-research: every person keeps the CRM's ID of the company", async () => {
		await using crm = await CrmStandIn.open(targetCompanies);
		const workflow = withOrigin(
			await example('company-research'),
			'Get Companies from CRM',
			crm.url,
		);
		const execution = await run(workflow);
		const [unheardOf] = targetCompanies.slice(-1);
		const people = targetCompanies.slice(0, -1).flatMap(({ id, name }) =>
			some(fixtures.peopleOf(known(fixtures.company(name))), isInSales).map((person) => ({
				crmCompanyId: id,
				name: person.full,
				title: person.title,
				company: person.company.name,
				email: person.email,
				emailStatus: person.email && statusOf(person.email),
			})),
		);
		expect(jsonOf(execution, 'People with CRM ID')).toEqual(people);
		expect(jsonOf(execution, 'Companies to Check')).toEqual([
			{ crmCompanyId: unheardOf?.id, company: unheardOf?.name, status: 'not_found' },
		]);
		expect(service().ledger.total('searchCompany')).toBe(targetCompanies.length - 1);
		const unknown = people.filter(({ email }) => isUnknown(email));
		expect(service().ledger.total('verifyBulk')).toBe(unknown.length);
	});

	test('collect-failed-leads: the failed in one list with the whole message, the others go on', async () => {
		const leads = leadsWithoutEmail(102);
		const [refused, unanswered, ...others] = leads;
		failFor(service(), known(refused), 400);
		failFor(service(), known(unanswered), 503);
		const execution = await run(await example('collect-failed-leads'));
		expect(jsonOf(execution, 'Failed Leads')).toEqual([
			{
				failedLeads: [
					failure(known(refused), 'bad_request', 400),
					failure(known(unanswered), 'service_unavailable', 503),
				],
			},
		]);
		expect(jsonOf(execution, 'Name, Email and Status')).toEqual(others.map(nameEmailAndStatus));
		const found = some(others, ({ person }) => person.email !== null);
		expect(charged().sort()).toEqual(found.map(({ person }) => person.email).sort());
	});

	test('alert-on-low-credits: one message, until the account was topped up', async () => {
		await using messenger = await MessengerStandIn.open();
		service().options.creditsLeft = { email: 499 };
		const messages = await opened.client.createCredential('Messages', 'discordWebhookApi', {
			webhookUri: messenger.url,
		});
		const workflow = withCredentialOf(
			await example('alert-on-low-credits'),
			'Send Message',
			messages,
		);
		const saved = await opened.client.createWorkflow(
			withParameters(workflow, 'Low Credits', { pollTimes: pollTimes(everySecond) }),
		);
		await opened.client.activateWorkflow(saved);
		const polls = () => requestsOf(service(), 'getAccount').length;
		await vi.waitUntil(() => messenger.messages.length === 1, WAIT);
		expect(messenger.messages).toEqual([
			expect.stringMatching(/^Contact Data: 499 email credits left \(fewer than 500\)\. The plan/),
		]);
		const before = polls();
		await vi.waitUntil(() => polls() > before + 1, WAIT);
		expect(messenger.messages).toHaveLength(1);

		service().ledger.topUp(10);
		const toppedUp = polls();
		await vi.waitUntil(() => polls() > toppedUp + 1, WAIT);
		service().options.creditsLeft = { email: 480 };
		await vi.waitUntil(() => messenger.messages.length === 2, WAIT);
		expect(messenger.messages[1]).toContain('490 email credits left');
		await opened.client.deactivateWorkflow(saved);
		const [id] = await opened.client.newExecutions(saved);
		succeeded(await opened.client.waitForExecution(id, RUN_TIMEOUT_MS));
	}, 120_000);

	test('ai-agent: answers in the chat with what the tools found', async () => {
		const person = personWith('valid');
		const { turns, answer } = findAndVerify(person);
		model().says(...turns);
		const modelCredential = await model().createCredential(opened.client);
		// The chat of the editor is for those who are signed in; a public one has an address.
		const workflow = withParameters(
			withCredentialOf(await example('ai-agent'), 'Chat Model', modelCredential),
			'Chat',
			{ public: true },
		);
		const saved = await opened.client.createWorkflow(workflow);
		await opened.client.activateWorkflow(saved);
		const { webhookId } = nodeOf(workflow, 'Chat');
		const say = async (chatInput: string) =>
			await fetch(`${opened.host.url}/webhook/${webhookId}/chat`, {
				method: 'POST',
				headers: { 'content-type': 'application/json' },
				body: JSON.stringify({ action: 'sendMessage', sessionId: 'one', chatInput }),
				signal: AbortSignal.timeout(RUN_TIMEOUT_MS),
			});
		// n8n opens the address some time after it said that it did.
		const response = await vi.waitUntil(
			async () => {
				const answered = await say('What is the address?');
				return answered.status === 404 ? undefined : answered;
			},
			{ timeout: 20_000, interval: 250 },
		);
		expect(await response.json()).toEqual({ output: answer });
		const [id] = await opened.client.newExecutions(saved);
		succeeded(await opened.client.waitForExecution(id, RUN_TIMEOUT_MS));
		const [found, verified] = model().toolMessages;
		expect(found).toContain(`"email":"${person.email}"`);
		expect(verified).toContain('"emailStatus":"valid"');
		expect(charged()).toEqual([person.email, person.email]);
	});

	test('mcp-server: an assistant with the token finds and verifies, until few credits are left', async () => {
		const token = 'a-long-random-token';
		const bearer = await opened.client.createCredential('Assistants', 'httpBearerAuth', { token });
		const workflow = withCredentialOf(await example('mcp-server'), 'Assistants', bearer);
		const saved = await opened.client.createWorkflow(workflow);
		await opened.client.activateWorkflow(saved);
		const url = `${opened.host.url}/mcp/${String(nodeOf(workflow, 'Assistants').parameters.path)}`;
		await using assistant = await McpClient.connect(url, token);
		await expect(McpClient.connect(url)).rejects.toThrow(/ 40[13]/);

		const tools = (await assistant.listTools()).map(({ name, description }) => [name, description]);
		expect(Object.fromEntries(tools)).toEqual({
			Find_Email: expect.stringMatching(/1 credit if an email is found.*'message' says why/),
			Verify_Email: expect.stringMatching(/1 credit per email.*'message' says why/),
			Get_Account: expect.stringMatching(/no credits/),
		});
		const { full: full_name, company, email } = personWith('valid');
		const who = { full_name, domain: company.domain, company: '' };
		expect(await assistant.callTool('Find_Email', who)).toContain(`"email":"${email}"`);
		expect(await assistant.callTool('Verify_Email', { email })).toContain('"emailStatus":"valid"');
		expect(charged()).toEqual([email, email]);

		service().options.creditsLeft = { email: 501, verifier: 501 };
		expect(await assistant.callTool('Get_Account', {})).toContain('"remaining":500');
		expect(await assistant.callTool('Find_Email', who)).toMatch(/credit_floor.*Keep Credits/);
		expect(await assistant.callTool('Verify_Email', { email })).toContain('credit_floor');
		expect(charged()).toEqual([email, email]);
		await opened.client.deactivateWorkflow(saved);
	}, 120_000);

	test('every example ran', () => {
		expect([...ran.examples].sort()).toEqual(examples);
		report(`n8n ${version.version}: ${ran.examples.size} examples, ${ran.executions} runs`);
	});
});

/** A lead that failed, with all that is said of it. */
function failure({ id, person }: Lead, reason: string, httpCode: number) {
	const { full: name, company } = person;
	return {
		id,
		name,
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
		status: email === null ? 'not_found' : expect.stringMatching(/^(known|verified)$/),
		checkedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
	};
}

/** The table has a row for each of these leads, in their order, and no other. */
function expectSaved(rows: readonly DataTableRow[], leads: readonly Lead[]): void {
	expect(rows).toEqual(
		leads.map((lead) =>
			expect.objectContaining({
				leadId: lead.id,
				name: lead.person.full,
				domain: lead.person.company.domain,
				...savedFields(lead),
			}),
		),
	);
}

function rowsWith(rows: readonly DataTableRow[], emailStatus: string): DataTableRow[] {
	return some(rows, (row) => row.emailStatus === emailStatus);
}

/** Lets the rows have been checked so many days ago. */
async function age(leadsTable: DataTable, rows: readonly DataTableRow[], days: number) {
	const checkedAt = new Date(Date.now() - days * DAY_MS).toISOString();
	for (const { id } of rows) {
		await opened.client.updateRows(leadsTable, ['id', Number(id)], { checkedAt });
	}
}
