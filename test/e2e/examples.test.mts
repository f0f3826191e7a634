import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';

import type { INode } from 'n8n-workflow';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';

import { root } from '../commands/paths.mjs';
import { outputOf, type Execution } from '../hosts/execution.mts';
import type { SavedWorkflow } from '../hosts/rest.mts';
import { n8n1, n8n2 } from '../hosts/versions.mts';
import { readExample, withCredential, type Workflow } from '../hosts/workflow.mts';
import { expectedVerification } from '../service/addresses.mts';
import type { Lead, Person } from '../service/fixtures.mts';
import { useChatModel } from '../support/chatModel.mts';
import { CrmStandIn } from '../support/crmStandIn.mts';
import {
	nodeOf,
	withCredentialOf,
	withParameters,
	withSetting,
} from '../support/exampleChanges.mts';
import {
	failFor,
	findAndVerify,
	leadsWithoutEmail,
	saveNewLeads,
} from '../support/exampleScenes.mts';
import { fixtures, known, list, personWith, some } from '../support/expected.mts';
import { useHost, type TestHost } from '../support/host.mts';
import { report } from '../support/report.mts';
import { SecondFinder } from '../support/secondFinder.mts';
import { useService } from '../support/service.mts';

const RUN_TIMEOUT_MS = 60_000;

const files = (await readdir(join(root, 'examples'))).filter((file) => file.endsWith('.json'));
const examples = files.map((file) => basename(file, '.json')).sort();

const service = useService();
const model = useChatModel();
let opened: TestHost;
/** What ran in the n8n that is open. */
const ran = { examples: new Set<string>(), executions: 0 };

/** An example with the credential that importing people pick. */
async function example(name: string): Promise<Workflow> {
	ran.examples.add(name);
	return withCredential(await readExample(name), opened.packageName, opened.credential);
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

const charged = () => service().ledger.charges.map(({ subject }) => subject);

function isInSales({ title, email }: Person): boolean {
	return /sales|marketing/i.test(title) && email !== null;
}

function failure({ id, person }: Lead, reason: string) {
	const { full: name, company } = person;
	return {
		id,
		name,
		domain: company.domain,
		status: 'failed',
		reason,
		message: expect.stringMatching(/\w/),
	};
}

test.each(examples)('%s can be imported as it is', async (name) => {
	const text = await readFile(join(root, 'examples', `${name}.json`), 'utf8');
	expect(text).not.toMatch(/"credentials"|"instanceId"|api\W?key"|"active"/i);
	expect(JSON.parse(text)).toMatchObject({ pinData: {}, settings: { executionOrder: 'v1' } });
	const { nodes, connections } = await readExample(name);
	expect(new Set(nodes.map(({ id }) => id)).size).toBe(nodes.length);
	expect(new Set(nodes.map(({ position }) => position.join())).size).toBe(nodes.length);
	expect(nodes.filter(({ type }) => type === 'n8n-nodes-base.stickyNote')).toHaveLength(1);
	const origins = new Set(nodes.map(({ type }) => type.slice(0, type.lastIndexOf('.'))));
	origins.delete('@n8n/n8n-nodes-langchain');
	expect(origins).toEqual(new Set(['n8n-nodes-base', 'n8n-nodes-contact-data']));
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

	test('find-and-verify-list-leads: all leads of the list, with what is known of their address', async () => {
		const execution = await run(await example('find-and-verify-list-leads'));
		const leads = list(102).leads.toReversed();
		const saved = some(leads, ({ email }) => email !== null);
		const found = some(leads, ({ email, person }) => email === null && person.email !== null);
		const missed = some(leads, ({ person }) => person.email === null);
		const verified = [...saved, ...found];
		expect(jsonOf(execution, 'Name, Email and Status')).toEqual([
			...verified.map(({ person: { full, email } }) => ({
				name: full,
				email,
				emailStatus: statusOf(known(email)),
			})),
			...missed.map(({ person }) => ({
				name: person.full,
				email: null,
				emailStatus: 'not_found',
			})),
		]);
		expect(service().ledger.total('find')).toBe(found.length);
		expect(service().ledger.total('verify')).toBe(verified.length);
	});

	test('company-research: the people of known companies, verified', async () => {
		const execution = await run(await example('company-research'));
		const companies = [
			'Willow & Sons',
			'Meridian Logistics',
			'Vertex Pharmaceuticals of the North',
		];
		const people = companies.flatMap((name) =>
			some(fixtures.peopleOf(known(fixtures.company(name))), isInSales),
		);
		expect(jsonOf(execution, 'Who, Where and Email')).toEqual(
			people.map(({ full, title, company, email }) => ({
				name: full,
				title,
				company: company.name,
				email,
				emailStatus: statusOf(known(email)),
			})),
		);
		expect(jsonOf(execution, 'Companies to Check')).toEqual([
			{ company: 'Unheard-of Ventures', status: 'not_found' },
		]);
		expect(service().ledger.total('searchCompany')).toBe(companies.length);
		expect(service().ledger.total('verifyBulk')).toBe(people.length);
	});

	test('collect-failed-leads: the failed in one list, the others go on', async () => {
		const leads = leadsWithoutEmail(102);
		const [refused, unanswered, ...others] = leads;
		failFor(service(), known(refused), 400);
		failFor(service(), known(unanswered), 503);
		const execution = await run(await example('collect-failed-leads'));
		expect(jsonOf(execution, 'Failed Leads')).toEqual([
			{
				failedLeads: [
					failure(known(refused), 'bad_request'),
					failure(known(unanswered), 'service_unavailable'),
				],
			},
		]);
		const found = some(others, ({ person }) => person.email !== null);
		expect(jsonOf(execution, 'Name and Email')).toEqual(
			found.map(({ person }) => ({ name: person.full, email: person.email })),
		);
		expect(jsonOf(execution, 'No Address Known')).toEqual(
			some(others, ({ person }) => person.email === null).map(({ person }) => ({
				name: person.full,
				domain: person.company.domain,
			})),
		);
		expect(charged().sort()).toEqual(found.map(({ person }) => person.email).sort());
	});

	test('second-source-for-misses: only the misses go on, and all come together in order', async () => {
		const leads = leadsWithoutEmail(102);
		const misses = some(leads, ({ person }) => person.email === null);
		const secondEmail = 'known@elsewhere.example';
		await using second = await SecondFinder.open(({ name }) =>
			name === known(misses[1]).person.full ? secondEmail : undefined,
		);
		const workflow = withSetting(
			await example('second-source-for-misses'),
			'secondSourceUrl',
			second.url,
		);
		const execution = await run(workflow);
		expect(jsonOf(execution, 'In the Order of the List')).toEqual(
			leads.map(({ person }, position) => {
				const { full: name, email } = person;
				if (email !== null) return { position, name, email, source: 'Contact Data' };
				return person === misses[1]?.person
					? { position, name, email: secondEmail, source: 'second source' }
					: { position, name, email: null, source: 'none' };
			}),
		);
		const byName = (a: { name: string }, b: { name: string }) => a.name.localeCompare(b.name);
		expect(second.asked.toSorted(byName)).toEqual(
			misses
				.map(({ person }) => ({ name: person.full, domain: person.company.domain }))
				.toSorted(byName),
		);
		expect(service().ledger.total()).toBe(leads.length - misses.length);
	});

	test('crm-sync: recent leads become contacts, routed by the status of their address', async () => {
		await using crm = await CrmStandIn.open();
		using newLeads = saveNewLeads(service(), 101);
		const { saved } = newLeads;
		const mailings = ['yes', 'with care', 'no', 'no', 'no'];
		const workflow = withSetting(await example('crm-sync'), 'crmUrl', crm.url);
		const execution = await run(workflow, 'New Lead in List');
		const contacts = saved.map(({ id, person }, index) => [
			String(id),
			{
				name: person.full,
				domain: person.company.domain,
				email: person.email,
				emailStatus: person.email && statusOf(person.email),
				mailing: mailings[index],
			},
		]);
		expect(Object.fromEntries(crm.contacts)).toEqual(Object.fromEntries(contacts));
		expect(crm.puts).toBe(saved.length);
		expect(jsonOf(execution, 'Create or Update Contact')).toHaveLength(saved.length);
		expect(service().ledger.total('find')).toBe(3);
		expect(service().ledger.total('verify')).toBe(4);

		// Once more: the same contacts are updated, none is there twice.
		await run(workflow, 'New Lead in List');
		expect(Object.fromEntries(crm.contacts)).toEqual(Object.fromEntries(contacts));
		expect(crm.puts).toBe(2 * saved.length);
	});

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
		const [{ id } = { id: '' }] = await opened.client.listExecutions(saved);
		succeeded(await opened.client.waitForExecution(id, RUN_TIMEOUT_MS));
		const [found, verified] = model().toolMessages;
		expect(found).toContain(`"email":"${person.email}"`);
		expect(verified).toContain('"emailStatus":"valid"');
		expect(charged()).toEqual([person.email, person.email]);
	});

	describe('enrich-list-in-bulk', () => {
		const BUDGET = 200;
		const leads = leadsWithoutEmail(101);
		const findable = leads.filter(({ person }) => person.email !== null);

		/** Checks the three branches; gives the names that are left for the next run. */
		function branches(execution: Execution, asked: readonly Lead[]): string[] {
			const found = namesIn(execution, 'Name, Email and Status');
			const left = namesIn(execution, 'Left for the Next Run');
			const others = namesIn(execution, 'Without Address');
			const inOrder = (names: readonly string[]) =>
				asked.filter(({ person }) => names.includes(person.full));
			expect(jsonOf(execution, 'Name, Email and Status')).toEqual(
				inOrder(found).map(({ person }) => ({
					name: person.full,
					email: person.email,
					emailStatus: statusOf(known(person.email)),
				})),
			);
			expect(jsonOf(execution, 'Left for the Next Run')).toEqual(
				inOrder(left).map(({ person }) => ({
					name: person.full,
					domain: person.company.domain,
					reason: 'credit_limit',
				})),
			);
			expect(jsonOf(execution, 'Without Address')).toEqual(
				inOrder(others).map(({ person }) => ({
					name: person.full,
					domain: person.company.domain,
					status: 'not_found',
				})),
			);
			expect(found.length + left.length + others.length).toBe(asked.length);
			return left;
		}

		const namesIn = (execution: Execution, node: string) =>
			jsonOf(execution, node).map(({ name }) => z.string().parse(name));

		test('finds and verifies as far as the budget goes', async () => {
			expect(findable.length).toBeGreaterThan(BUDGET);
			const execution = await run(await example('enrich-list-in-bulk'));
			const left = branches(execution, leads);
			expect(left.length).toBeGreaterThanOrEqual(findable.length - BUDGET);
			const { ledger } = service();
			expect(ledger.total('findBulk')).toBe(BUDGET);
			expect(ledger.total('verifyBulk')).toBe(BUDGET);
		});

		test('on its schedule goes on with what was left, and pays for nothing twice', async () => {
			const saved = await opened.client.createWorkflow(
				withParameters(await example('enrich-list-in-bulk'), 'Every Morning', {
					rule: { interval: [{ field: 'seconds', secondsInterval: 20 }] },
				}),
			);
			await opened.client.activateWorkflow(saved);
			onTestFinished(async () => await opened.client.deactivateWorkflow(saved));
			const first = await nthExecution(saved, 1);
			branches(first, leads);
			expect(service().ledger.total('findBulk')).toBe(BUDGET);
			const found = namesIn(first, 'Name, Email and Status');
			const second = await nthExecution(saved, 2);
			const left = branches(
				second,
				leads.filter(({ person }) => !found.includes(person.full)),
			);
			expect(left).toEqual([]);
			expect(namesIn(second, 'Name, Email and Status')).toHaveLength(findable.length - BUDGET);
			const paid = service().ledger.charges.map(
				({ operation, subject }) => `${operation} ${subject}`,
			);
			expect(paid).toHaveLength(2 * findable.length);
			expect(new Set(paid).size).toBe(paid.length);
		}, 150_000);

		/** The execution that the schedule started as the first, the second and so on. */
		async function nthExecution(saved: SavedWorkflow, nth: number): Promise<Execution> {
			const verified = Math.min(nth * BUDGET, findable.length);
			const hasPaid = () => service().ledger.total('verifyBulk') >= verified;
			await vi.waitUntil(hasPaid, { timeout: RUN_TIMEOUT_MS, interval: 500 });
			const started = (await opened.client.listExecutions(saved)).at(-nth);
			return succeeded(await opened.client.waitForExecution(known(started).id, RUN_TIMEOUT_MS));
		}
	});

	test('every example ran', () => {
		expect([...ran.examples].sort()).toEqual(examples);
		report(`n8n ${version.version}: ${ran.examples.size} examples, ${ran.executions} runs`);
	});
});
