/**
 * @file What runs cost in n8n itself, by the ledger: no more than the limits allow; for each person once, whoever
 * asks; nothing that is not delivered before n8n ends the execution; after a stop nothing more, and what was paid for
 * is told; over a Wait, a restart of n8n and its button Retry nothing twice.
 */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import type { IDataObject, INode, INodeParameters, IWorkflowSettings } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';

import { outputOf, type Execution } from '../hosts/execution.mts';
import type { SavedWorkflow } from '../hosts/rest.mts';
import { n8n1, n8n3 } from '../hosts/versions.mts';
import { chain } from '../hosts/workflow.mts';
import { isLong } from '../support/depth.mts';
import { useComponent } from '../support/realN8n/component.mts';
import { listWithId } from '../operations.mts';
import { leadsWithoutEmail } from '../support/realN8n/exampleScenes.mts';
import { known, list, personWith, some } from '../support/leads/expected.mts';
import { useHost, useOwnAccount, withOwnAccount } from '../support/realN8n/host.mts';
import { answerIn, requestsOf } from '../support/leads/lookups.mts';
import { report } from '../support/measures/report.mts';
import { byWebhook, manually, ours } from '../support/realN8n/savedNodes.mts';
import { useService } from '../support/servers/service.mts';
import { until } from '../support/until.mts';
import { formsOf } from './support/formsOf.mts';
import { PushConnection } from './support/pushConnection.mts';
import { resume, waiting } from './support/waiting.mts';

const missing = leadsWithoutEmail(102);
const findable = missing.filter(({ person: { email } }) => email !== null).length;
const firstIsFound = missing[0]?.person.email !== null;
/** How many email credits the account has left. */
const LEFT = 50;

/** A run over the leads without an email: what it spends of what there is to find, and why no more. */
type Limit = [
	what: string,
	options: INodeParameters,
	spends: number,
	reason?: string,
	/** Max Items in Manual Runs of a run by hand; in production it does not matter. */
	byHand?: number,
];

const limits: Limit[] = [
	['no limit; Max Items in Manual Runs 1, in production', {}, findable],
	['Max Credits 2', { maxCredits: 2 }, 2, 'credit_limit'],
	[`Leave Credits in Account ${LEFT - 2} of ${LEFT}`, { keepCredits: LEFT - 2 }, 2, 'credit_floor'],
	['Max Items in Manual Runs 0, by hand', {}, findable, undefined, 0],
	['Max Items in Manual Runs 1, by hand', {}, firstIsFound ? 1 : 0, 'manual_limit', 1],
];

/** Asked for by executions that begin at once. */
const AT_ONCE = 50;
const CALLS = 20;

/** After so many seconds n8n ends an execution that would take longer. */
const TIMEOUT = 6;

/** A lookup of a thousand leads, and after how many requests it is in the middle of them. */
const single = {
	operation: 'find' as 'find' | 'findBulk',
	latencyMs: 100,
	maxConcurrency: 5,
	perRequest: 1,
	stopAfter: 50,
};
const bulk: typeof single = {
	operation: 'findBulk',
	latencyMs: 500,
	maxConcurrency: 2,
	perRequest: 100,
	stopAfter: 3,
};

/** How many leads are bought: the last of three bulk requests is not full. */
const BOUGHT = 250;

const { leads } = list(101);
const service = useService();

describe.each([n8n3, n8n1])('n8n $name', (version) => {
	const running = useHost(service, { name: `n8n-costs-${version.name}`, version, isLean: true });
	const own = useOwnAccount(service, running);
	const push = useComponent(async () => await PushConnection.open(running()));
	let paths = 0;

	/** Saves a workflow of these nodes in a row behind its start. */
	async function save(
		start: INode,
		nodes: INode[],
		settings?: IWorkflowSettings,
	): Promise<SavedWorkflow> {
		return await running().client.createWorkflow({
			name: `Costs of ${nodes.at(-1)?.name}`,
			nodes: [start, ...nodes],
			connections: chain('Start', ...nodes.map(({ name }) => name)),
			settings: { executionOrder: 'v1', ...settings },
		});
	}

	/** Starts these nodes, by hand or as a webhook does in production; gives the execution's id. */
	async function start(
		nodes: INode[],
		isManual: boolean,
		settings?: IWorkflowSettings,
	): Promise<string> {
		const { client } = running();
		const path = `costs-${(paths += 1)}`;
		const saved = await save(isManual ? manually() : byWebhook(path), nodes, settings);
		if (isManual) return await client.startWorkflow(saved, 'Start', push().ref);
		await client.activateWorkflow(saved);
		await client.callWebhook(path);
		const [id] = await client.newExecutions(saved);
		return id;
	}

	async function ended(id: string): Promise<Execution> {
		return await running().client.waitForExecution(id);
	}

	/** n8n saves what an execution cost a moment after it has ended. */
	async function expectTold(id: string, credits: number): Promise<void> {
		const told = credits === 1 ? '1 credit spent' : `${credits} credits spent`;
		const costs = async () => (await ended(id)).customData.contact_data_credits;
		await expect.poll(costs).toBe(credits === 0 ? undefined : told);
	}

	function leadsOf(name: string, id: number, parameters: INodeParameters, host = own()): INode {
		const listId = listWithId(String(id));
		return ours(host, name, 'contactDataList', {
			...{ resource: 'list', operation: 'getLeads', listId, ...parameters },
		});
	}

	function finder(
		name: string,
		operation: string,
		parameters: INodeParameters = {},
		host = own(),
	): INode {
		return ours(host, name, 'contactDataFinder', {
			...{ resource: 'email', operation, ...parameters },
		});
	}

	/** A lookup of the first leads of the long list, whoever has an email already. */
	function lookupOf(
		limit: number,
		operation: string,
		options: INodeParameters = {},
		host = own(),
	): INode[] {
		const parameters = { existingEmail: '', manualLimit: 0, options };
		return [leadsOf('Leads', 101, { limit }, host), finder('Find', operation, parameters, host)];
	}

	describe('within its limits', () => {
		const source = () => leadsOf('Leads', 102, { returnAll: true, options: { email: 'without' } });

		test.each(limits)('%s', async (_, options, spends, reason, byHand) => {
			service().options.creditsLeft = { email: LEFT };
			const find = finder('Find', 'findBulk', { manualLimit: byHand ?? 1, options });
			const execution = await ended(await start([source(), find], byHand !== undefined));
			expect(service().ledger.total()).toBe(spends);
			expect(execution.status).toBe('success');
			await expectTold(execution.id, spends);
			const items = results(execution, 'Find');
			expect(items).toHaveLength(missing.length);
			const reasons = new Set(items.flatMap((item) => item.lookupReason ?? []));
			expect([...reasons]).toEqual(reason ? [reason] : []);
		});
	});

	describe('once, whoever asks', () => {
		test('a thousand leads looked up twice by hand: the second time is free', async () => {
			const nodes = lookupOf(leads.length, 'findBulk');
			const first = await ended(await start(nodes, true));
			const emails = charged();
			expect(emails.length).toBeGreaterThan(500);
			const requests = requestsOf(service(), 'findBulk').length;

			const again = await ended(await start(nodes, true));
			expect(charged()).toEqual(emails);
			// A miss is free, and is asked for again.
			const misses = leads.length - emails.length;
			const sent = requestsOf(service(), 'findBulk').length - requests;
			expect(sent).toBe(Math.ceil(misses / 100));
			expect(answersOf(again)).toEqual(answersOf(first));
			expect(sumOf(results(again, 'Find'))).toBe(0);
			await expectTold(again.id, 0);
			const took = again.data.resultData.runData.Find?.[0]?.executionTime;
			const twice = `${emails.length} credits, then 0 with ${sent} requests for ${misses} misses`;
			report(`n8n ${version.name}, ${leads.length} leads by hand twice: ${twice} in ${took} ms`);
		});

		test(`two executions with the same ${AT_ONCE} people at once pay once, another account for itself`, async () => {
			service().options.latencyMs = 300;
			const other = await withOwnAccount(running(), service());
			const accounts = [own(), own(), other];
			const ids = await Promise.all(
				accounts.map(async (host) => await start(lookupOf(AT_ONCE, 'find', {}, host), true)),
			);
			const executions = await Promise.all(ids.map(ended));
			const [emails = [], ofOther] = [own(), other].map(({ apiKey }) => charged(apiKey).toSorted());
			expect(new Set(emails).size).toBe(emails.length);
			expect(ofOther).toEqual(emails);
			const answers = executions.map(answersOf);
			expect(answers).toEqual(answers.map(() => answers[0]));
			const found = some(known(answers[0]), ({ lookupStatus }) => lookupStatus === 'found');
			expect(found.map(({ email }) => email).toSorted()).toEqual(emails);
			// Each item is paid for by one of them.
			const told = executions.map((execution) => sumOf(results(execution, 'Find')));
			expect(known(told[0]) + known(told[1])).toBe(emails.length);
			const sent = requestsOf(service(), 'find').length;
			// A miss is free, and forgotten at once.
			const misses = AT_ONCE - emails.length;
			expect(sent - 2 * AT_ONCE).toBeLessThanOrEqual(misses);
			const paid = `${told.join(', ')} credits, ${sent} requests`;
			report(
				`n8n ${version.name}, ${AT_ONCE} people at once, twice and by another account: ${paid}`,
			);
		});

		test(`a webhook that is called ${CALLS} times for one person pays once`, async () => {
			service().options.latencyMs = 300;
			const { first, last, company } = personWith('valid');
			const who = { fullName: `${first} ${last}`, domain: company.domain };
			const path = `costs-${(paths += 1)}`;
			const nodes = [finder('Find', 'find', { ...who, existingEmail: '' })];
			const saved = await save(byWebhook(path, 'lastNode'), nodes);
			await running().client.activateWorkflow(saved);
			const call = async () => JSON.parse(await running().client.callWebhook(path));
			const calls = await Promise.all(Array.from({ length: CALLS }, call));
			// n8n has them one after the other, too.
			calls.push(await call());
			for (const answer of calls) expect(answer).toMatchObject({ email: charged()[0] });
			expect(sumOf(calls)).toBe(1);
			expect(charged()).toHaveLength(1);
			expect(requestsOf(service(), 'find')).toHaveLength(1);
		});
	});

	describe(`within a timeout of ${TIMEOUT} s`, () => {
		test.each(['rows', 'job'] as const)(
			'a run that would take longer ends before it, with all that was paid for, answered with %s',
			async (bulkAnswer) => {
				Object.assign(service().variants, { bulkAnswer, jobPolls: 1_000_000 });
				service().faults.add({ delayMs: 700, on: { operation: 'findBulk' } });
				const nodes = lookupOf(leads.length, 'findBulk', { maxConcurrency: 1 });
				const execution = await ended(await start(nodes, false, { executionTimeout: TIMEOUT }));
				expect(execution.status).toBe('success');
				const items = results(execution, 'Find');
				const sent = requestsOf(service(), 'findBulk').length * 100;
				expect(sent).toBeGreaterThan(0);
				expect(items).toHaveLength(leads.length);
				const rest = some(items, ({ lookupStatus }) => lookupStatus === 'not_processed');
				expect(rest).toHaveLength(leads.length - sent);
				expect(new Set(rest.map((item) => item.lookupReason))).toEqual(new Set(['run_time_over']));
				const costs = async () => (await ended(execution.id)).customData.contact_data_credits;
				if (bulkAnswer === 'rows') {
					const found = some(items, ({ lookupStatus }) => lookupStatus === 'found');
					expect(found.map(({ email }) => email).toSorted()).toEqual(charged().toSorted());
					await expectTold(execution.id, charged().length);
				} else {
					// What the jobs have can be collected.
					const pending = some(items, ({ lookupStatus }) => lookupStatus === 'pending');
					expect(pending).toHaveLength(sent);
					const jobs = new Set(pending.map(({ lookupJobId }) => lookupJobId));
					expect(jobs.size).toBe(sent / 100);
					await expect.poll(costs).toMatch(/credits/);
				}
				const took = execution.data.resultData.runData.Find?.[0]?.executionTime;
				const paid = `${charged().length} credits charged for ${sent} leads, "${await costs()}"`;
				report(`n8n ${version.name}, timeout of ${TIMEOUT} s, ${bulkAnswer}: ${paid}, ${took} ms`);
			},
		);
	});

	// n8n 1 has what is above only.
	if (version === n8n1 && !isLong) return;

	describe('when it is stopped', () => {
		/** Starts a lookup of a thousand leads, and waits until it is in the middle of them. */
		async function inTheMiddle(
			{ operation, latencyMs, maxConcurrency, stopAfter }: typeof single,
			isManual: boolean,
		): Promise<string> {
			service().faults.add({ delayMs: latencyMs, on: { operation } });
			const nodes = lookupOf(leads.length, operation, { maxConcurrency });
			const id = await start(nodes, isManual);
			const isThere = () => requestsOf(service(), operation).length >= stopAfter;
			await until(isThere, 5);
			return id;
		}

		/** @returns when the stop was answered, in milliseconds since 1970 */
		async function stop(id: string): Promise<number> {
			await running().client.stopExecution(id);
			return performance.timeOrigin + performance.now();
		}

		/** Nothing more is sent; what was charged is in the execution, and to the credit in the log of n8n. */
		async function expectStopped(
			id: string,
			stoppedAt: number,
			{ operation, maxConcurrency, perRequest }: typeof single,
		): Promise<Execution> {
			const log = async () => await readFile(running().host.log, 'utf8');
			const pattern = new RegExp(`execution ${id} was stopped, .*`);
			const [inLog] = await until(async () => pattern.exec(await log()));
			const execution = await ended(id);
			const sent = requestsOf(service(), operation);
			// These were on the way.
			const late = sent.filter(({ startedAt }) => startedAt > stoppedAt);
			expect(late.length).toBeLessThanOrEqual(maxConcurrency);
			expect(sent.length * perRequest).toBeLessThan(leads.length);

			const total = service().ledger.total();
			const costs = execution.customData.contact_data_credits;
			expect(inLog).toBe(`execution ${id} was stopped, ${total} credits spent`);
			const [, least = '', most = least] = /^(\d+)(?: to (\d+))? credits spent$/.exec(costs) ?? [];
			expect(total).toBeGreaterThan(0);
			expect(Number(least)).toBeLessThanOrEqual(total);
			expect(Number(most)).toBeGreaterThanOrEqual(total);
			// No more is left open than what was in progress.
			expect(Number(most) - Number(least)).toBeLessThanOrEqual(maxConcurrency * perRequest);
			report(`n8n ${version.name}, ${operation}, ${total} credits charged: "${costs}", "${inLog}"`);
			return execution;
		}

		test.each([single, bulk])(
			'$operation in the editor: it shows all that was paid for, and run again it pays for the rest',
			async (wanted) => {
				const id = await inTheMiddle(wanted, true);
				const stoppedAt = await stop(id);
				const { data, hints = [] } = await push().outputOf(id, 'Find');
				await expectStopped(id, stoppedAt, wanted);
				const output = data?.main[0] ?? [];
				const items = output.map(({ json }) => json);
				const pairs = output.map(({ pairedItem }) => pairedItem);
				expect(pairs).toEqual(leads.map((_, item) => ({ item })));
				const found = some(items, ({ lookupStatus }) => lookupStatus === 'found');
				expect(found.map(({ email }) => email).toSorted()).toEqual(charged().toSorted());
				const left = some(items, ({ lookupStatus }) => lookupStatus === 'not_processed');
				expect(new Set(left.map((item) => item.lookupReason))).toEqual(new Set(['cancelled']));
				const sent = requestsOf(service(), wanted.operation).length * wanted.perRequest;
				expect(left).toHaveLength(leads.length - sent);
				const missed = items.filter(({ lookupStatus }) => lookupStatus === 'not_found');
				expect(missed).toHaveLength(sent - found.length);
				const used = expect.stringContaining(`${charged().length} credits used.`);
				expect(hints.map(({ message }) => message)).toEqual([used]);

				service().faults.clear();
				const before = charged().length;
				const again = await ended(await start(lookupOf(leads.length, wanted.operation), true));
				expect(new Set(charged()).size).toBe(charged().length);
				const all = some(results(again, 'Find'), ({ lookupStatus }) => lookupStatus === 'found');
				expect(all.map(({ email }) => email).toSorted()).toEqual(charged().toSorted());
				await expectTold(again.id, charged().length - before);
				const rest = charged().length - before;
				report(`n8n ${version.name}, ${wanted.operation}, run again: ${rest} credits for the rest`);
			},
		);

		test('find in production: n8n saves no items of it, but what they cost', async () => {
			const id = await inTheMiddle(single, false);
			const stoppedAt = await stop(id);
			const { status, data } = await expectStopped(id, stoppedAt, single);
			expect(status).toBe('canceled');
			expect(data.resultData.runData).not.toHaveProperty('Find');
			// What was in progress at the stop is answered and charged; nothing more.
			const late = service().ledger.charges.filter(({ at }) => at > stoppedAt);
			expect(late.length).toBeLessThanOrEqual(single.maxConcurrency);
		});
	});

	describe('bought once', () => {
		/** Nodes with an account that nobody else has. */
		async function freshNodes() {
			const host = await withOwnAccount(running(), service());
			keys.push(host.apiKey);
			return {
				source: (name: string) => leadsOf(name, 101, { limit: BOUGHT }, host),
				find: (name: string, options: INodeParameters = {}) => {
					const own = { existingEmail: '', manualLimit: 0, includeInputFields: false, options };
					return finder(name, 'findBulk', own, host);
				},
			};
		}
		const keys: string[] = [];
		const spent = () => ({
			requests: requestsOf(service(), 'findBulk').length,
			credits: service().ledger.total(),
		});
		const spentSince = (before: ReturnType<typeof spent>) => ({
			requests: spent().requests - before.requests,
			credits: spent().credits - before.credits,
		});

		/**
		 * Looks leads up before a Wait, and in what it gives after it.
		 *
		 * @param isPending with a job that is left before the Wait
		 */
		async function aWait(isPending: boolean) {
			const { variants } = service();
			const { source, find } = await freshNodes();
			if (isPending) Object.assign(variants, { bulkAnswer: 'job', jobPolls: 1_000_000 });
			const options = isPending ? { jobTimeout: 0 } : {};
			const before = spent();
			const wait = waiting(`wait-${(paths += 1)}`);
			const nodes = [source('Leads'), find('Find', options), ...wait];
			const id = await start([...nodes, source('Again'), find('Once', options)], true);
			const stored = await running().client.waitForStatus(id, 'waiting');
			await expectSealed(id);
			const bought = spentSince(before);
			expect(bought.requests).toBe(3);
			variants.bulkAnswer = 'rows';
			return async () => {
				variants.jobPolls = 0;
				const then = spent();
				await resume(running().host, stored);
				const execution = await ended(id);
				expect(execution.status).toBe('success');
				expect(spentSince(then)).toEqual({ requests: 0, credits: 0 });
				await expectSealed(id);
				await expectTold(id, bought.credits);
				const [first, second] = [results(execution, 'Find'), results(execution, 'Once')];
				// The pending items could not tell what they cost.
				expect(sumOf(isPending ? second : first)).toBe(bought.credits);
				if (!isPending) {
					expect(second).toEqual(first.map((item) => ({ ...item, lookupCredits: 0 })));
					return;
				}
				expect(new Set(first.map((item) => item.lookupStatus))).toEqual(new Set(['pending']));
				const found = second.filter((item) => item.lookupStatus === 'found');
				expect(found).toHaveLength(bought.credits);
			};
		}

		/** @param isCurrent with the workflow as it is now, or as it was then */
		async function aRetry(isCurrent: boolean) {
			const { client } = running();
			const { source, find } = await freshNodes();
			service().faults.add({ status: 503, on: { operation: 'findBulk', nth: 2 } });
			const before = spent();
			const options = { incompleteRun: 'fail', maxRetries: 0, maxConcurrency: 1 };
			const saved = await save(manually(), [source('Leads'), find('Find', options)]);
			const id = await client.startWorkflow(saved, 'Start');
			expect((await ended(id)).status).toBe('error');
			service().faults.clear();
			await expectSealed(id);
			const first = charged().slice(before.credits);
			expect(first.length).toBeGreaterThan(0);
			return async () => {
				const then = spent();
				await client.retryExecution(id, isCurrent);
				const [latest] = await client.newExecutions(saved, 1, [id]);
				const retried = await ended(latest);
				expect(retried.status).toBe('success');
				await expectSealed(latest);
				expect(results(retried, 'Find')).toHaveLength(BOUGHT);
				// Two of the three requests had their answers.
				const { requests, credits } = spentSince(then);
				expect(requests).toBe(1);
				expect(sumOf(results(retried, 'Find'))).toBe(credits);
				const all = [...first, ...charged().slice(then.credits)];
				expect(new Set(all).size).toBe(all.length);
			};
		}

		test('what a run bought outlives a Wait, a job that was left pending and a failure, though n8n is restarted', async () => {
			const afterwards = [
				await aRetry(false),
				await aRetry(true),
				await aWait(false),
				await aWait(true),
			];
			await running().host.stop();
			await running().host.start();
			for (const goOn of afterwards) await goOn();
		});

		/**
		 * No name, no email and no key is in what n8n stores for nodes that come later, nor in what it shows of an
		 * execution to people who are not to see its items.
		 */
		async function expectSealed(id: string): Promise<void> {
			const { client, userFolder } = running();
			const people = leads.slice(0, BOUGHT).map(({ person }) => person);
			const personal = people.flatMap(({ full, email }) => [full, email ?? full]);
			const parts = people.flatMap(({ last, company }) => [company.domain, last]);
			const file = join(userFolder, '.n8n', 'database.sqlite');
			using database = new DatabaseSync(file, { readOnly: true });
			const select = database.prepare('SELECT data FROM execution_data WHERE executionId = ?');
			const redacted = await client.redactedExecution(id);
			for (const data of [String(select.get(id)?.data), redacted.data]) {
				const context = JSON.stringify(client.decodeRun(data).executionData?.contextData);
				expect(context).toMatch(/contactData(?:Answers|Jobs)/);
				const forms = [...keys, ...personal, ...parts].flatMap((text) => [
					...formsOf(text),
					...formsOf(text.toLowerCase()),
				]);
				// A short text may be in what is sealed, by chance.
				const long = forms.filter((form) => form.length > 7);
				expect(long.filter((form) => context.includes(form))).toEqual([]);
			}
			// n8n 1 redacts nothing.
			if (version === n8n1) return;
			const shown = JSON.stringify(redacted);
			expect(shown).toContain('user_requested');
			expect(personal.filter((text) => shown.includes(text))).toEqual([]);
		}
	});
});

/** Whose emails were charged, to all accounts or to one. */
function charged(key?: string): string[] {
	return service()
		.ledger.charges.filter(({ account }) => key === undefined || account === key)
		.map(({ subject }) => subject);
}

/** What is known of each item, whoever paid for it. */
function answersOf(execution: Execution): IDataObject[] {
	return results(execution, 'Find').map(answerIn);
}

function sumOf(items: IDataObject[]): number {
	return items.reduce((sum, { lookupCredits }) => sum + Number(lookupCredits), 0);
}

function results(execution: Execution, name: string): IDataObject[] {
	return outputOf(execution, name).map(({ json }) => json);
}
