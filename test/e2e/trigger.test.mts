import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { expect, test, vi } from 'vitest';

import { outputOf, type Execution } from '../hosts/execution.mts';
import { openHost } from '../hosts/open.mts';
import type { SavedWorkflow } from '../hosts/rest.mts';
import { durableCursors, n8n1, n8n2, n8n3 } from '../hosts/versions.mts';
import { startService } from '../emulator/service.mts';
import type { WireRequest } from '../emulator/wireLog.mts';
import { listWithId } from '../operations.mts';
import { known } from '../support/leads/expected.mts';
import { createCredential } from '../support/hosts/host.mts';
import { ours } from '../support/hosts/savedNodes.mts';
import { saveLeads } from '../support/leads/saveLeads.mts';
import { everySecond, pollTimes } from './support/schedules.mts';

const TRIGGER = 'New Lead in List';
const WAIT = { timeout: 60_000, interval: 100 };

const onceAYear = ['0 0 0 1 1 *'];
const newLead = { event: 'newLead', listId: listWithId('102') };
const lowCredits = { event: 'lowCredits', threshold: 100 };

const isLaterPage = ({ rawQuery }: WireRequest) => rawQuery.includes('start=');

/** What an item is known by. */
const nameOf = ({ id, kind, remaining }: IDataObject): unknown =>
	kind === undefined ? id : `${String(kind)} ${String(remaining)}`;

const hosts = [
	{ title: `n8n ${n8n2.version}`, version: n8n2, settings: {} },
	{ title: `n8n ${n8n3.name}, durable cursors`, version: n8n3, settings: durableCursors },
	{ title: `n8n ${n8n1.version}`, version: n8n1, settings: {} },
];

// Side by side: most of the time they wait for polls.
test.concurrent.for(hosts)(
	'$title: leads start it, oldest first, each once, though n8n is restarted; low credits once for each fall',
	{ timeout: 480_000 },
	async ({ title, version, settings }) => {
		await using resources = new AsyncDisposableStack();
		const service = await startService();
		resources.defer(async () => await service.close());
		const name = `trigger-${title.replaceAll(/[ ,]+/g, '-')}`;
		const running = resources.use(await openHost({ name, version, settings, isLean: true }));
		const { client, host, packageName } = running;
		const credential = await createCredential(client, service);
		const { leads } = known(service.fixtures.list(102));
		const save = (count: number) => saveLeads(known(service.fixtures.list(102)), count);

		/** The first request of every poll for an event that has its answer. */
		const pollsFor = (event: INodeParameters) =>
			service.requests.filter(
				(one) =>
					(one.operation === 'getAccount') === (event === lowCredits) &&
					!isLaterPage(one) &&
					one.finishedAt !== null,
			);

		/** A workflow that is active and has its first poll behind it. */
		async function activeWorkflow(event: INodeParameters, schedules: string[]) {
			const parameters = { ...event, pollTimes: pollTimes(schedules) };
			const workflow = await client.createWorkflow({
				name: `Event ${String(event.event)}`,
				nodes: [ours({ packageName, credential }, TRIGGER, 'contactDataTrigger', parameters)],
				connections: {},
				settings: { executionOrder: 'v1' },
			});
			const before = pollsFor(event).length;
			await client.activateWorkflow(workflow);
			// n8n 2 activates some time after it said that it did.
			await vi.waitUntil(() => pollsFor(event).length > before, WAIT);
			return workflow;
		}

		/** What n8n saved, the first execution first. */
		async function executionsOf(workflow: SavedWorkflow): Promise<Execution[]> {
			const ids = (await client.listExecutions(workflow)).map(({ id }) => id);
			const inOrder = ids.sort((a, b) => Number(a) - Number(b));
			return await Promise.all(
				inOrder.map(async (id) => await client.waitForExecution(id, WAIT.timeout)),
			);
		}

		/** What each execution started with, ids of leads or credits; that of a failed poll has nothing. */
		async function startedWith(workflow: SavedWorkflow): Promise<unknown[][]> {
			return (await executionsOf(workflow))
				.map((execution) => outputOf(execution, TRIGGER).map(({ json }) => nameOf(json)))
				.filter((items) => items.length > 0);
		}

		const started: unknown[][] = [];
		const alerts = [['verifier 90']];
		service.options.creditsLeft = { email: 500, verifier: 90 };
		const workflow = await activeWorkflow(newLead, everySecond);
		const credits = await activeWorkflow(lowCredits, everySecond);

		/** What started the workflows so far: these, an execution for each entry, and no others. */
		async function expectStarted(): Promise<void> {
			const isThere = async () =>
				(await startedWith(workflow)).length >= started.length &&
				(await startedWith(credits)).length >= alerts.length;
			await vi.waitUntil(isThere, WAIT);
			// A poll would give the same again, had the one before not remembered it.
			const counts = () => [newLead, lowCredits].map((event) => pollsFor(event).length);
			const before = counts();
			await vi.waitUntil(() => counts().every((count, at) => count >= before[at] + 2), WAIT);
			expect(await startedWith(workflow)).toEqual(started);
			expect(await startedWith(credits)).toEqual(alerts);
		}

		// Activation starts nothing.
		await expectStarted();
		started.push(save(3));
		service.options.creditsLeft = { email: 99, verifier: 90 };
		alerts.push(['email 99']);
		await expectStarted();

		// Several pages, after deletions; the newest known one is deleted too.
		service.options.pageCap = 7;
		leads.splice(-2);
		const several = save(20);
		leads.splice(-4, 1);
		started.push(several.toSpliced(-4, 1));
		await expectStarted();
		expect(service.requests.filter(isLaterPage).length).toBeGreaterThanOrEqual(2);

		// The poll after a failed one has all of them. With durable cursors n8n pauses the trigger for 30 minutes
		// after a 403.
		service.faults.add({ body: 'html', on: { where: isLaterPage, nth: 2 } });
		started.push(save(20));
		await expectStarted();
		const failed = (await executionsOf(workflow)).filter(({ status }) => status !== 'success');
		const message = expect.stringContaining('did not come from the service');
		expect(failed).toMatchObject([
			{ status: 'error', data: { resultData: { error: { message } } } },
		]);

		// Each of these polls takes longer than the time between two.
		service.faults.add({ delayMs: 500 });
		started.push(save(20));
		await expectStarted();
		service.faults.clear();

		// What is saved meanwhile comes. An alert was given before; one kind has recovered, the other has not.
		await host.stop();
		service.options.creditsLeft = { email: 40, verifier: 600 };
		leads.splice(-1);
		started.push(save(20));
		await host.start();
		await expectStarted();
		started.push(save(1));
		service.options.creditsLeft = { email: 40, verifier: 50 };
		alerts.push(['verifier 50']);
		await expectStarted();
		for (const one of [workflow, credits]) await client.deactivateWorkflow(one);

		// A manual run shows up to five recent leads and takes none away.
		const manual = await activeWorkflow(newLead, onceAYear);
		const saved = save(7);
		const id = await client.startWorkflow(manual, TRIGGER);
		await client.waitForExecution(id, WAIT.timeout);
		await client.deactivateWorkflow(manual);
		await client.activateWorkflow(manual);
		await vi.waitUntil(async () => (await startedWith(manual)).length > 1, WAIT);
		expect(await startedWith(manual)).toEqual([saved.slice(-5).reverse(), saved]);
		expect(service.violations).toEqual([]);
	},
);
