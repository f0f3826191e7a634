import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { describe, expect, onTestFinished, test, vi } from 'vitest';

import { outputOf, type Execution } from '../hosts/execution.mts';
import type { SavedWorkflow } from '../hosts/rest.mts';
import { n8n1, n8n2 } from '../hosts/versions.mts';
import type { WireRequest } from '../service/wireLog.mts';
import { listWithId } from '../support/everyOperation.mts';
import { known } from '../support/expected.mts';
import { useHost } from '../support/host.mts';
import { report } from '../support/report.mts';
import { saveLeads } from '../support/saveLeads.mts';
import { useService } from '../support/service.mts';
import { everySecond, pollTimes } from './support/schedules.mts';

const TRIGGER = 'New Lead in List';
const WAIT = { timeout: 30_000, interval: 100 };

const onceAYear = ['0 0 0 1 1 *'];

const service = useService();

const leads = () => known(service().fixtures.list(102)).leads;
const save = (count: number) => saveLeads(known(service().fixtures.list(102)), count);
const isLaterPage = ({ rawQuery }: WireRequest) => rawQuery.includes('start=');
/** The request of a first poll. */
const isFirst = ({ rawQuery, operation }: WireRequest) =>
	rawQuery === 'size=1' || operation === 'getAccount';
/** The first request of every poll that has its answer. */
const polls = () =>
	service().requests.filter((one) => !isLaterPage(one) && one.finishedAt !== null);

const idOf = ({ id }: IDataObject): unknown => id;
const kindOf = ({ kind, remaining }: IDataObject): unknown =>
	`${String(kind)} ${String(remaining)}`;

/** Waits until this many polls from now on have got as far as their first answer. */
async function morePolls(count: number): Promise<void> {
	const enough = polls().length + count;
	await vi.waitUntil(() => polls().length >= enough, WAIT);
}

describe.each([n8n2, n8n1])('n8n $version', { timeout: 120_000 }, (version) => {
	const workflows: SavedWorkflow[] = [];
	const running = useHost(service, { name: `n8n-trigger-${version.version}`, version });

	/** A workflow that an event starts, active until the test ends and with its first poll behind it. */
	async function activeWorkflow(
		schedules: string[],
		event: INodeParameters = { event: 'newLead', listId: listWithId('102') },
	): Promise<SavedWorkflow> {
		const { client, packageName, credential } = running();
		const workflow = await client.createWorkflow({
			name: `Event ${String(event.event)}`,
			nodes: [
				{
					id: 'trigger',
					name: TRIGGER,
					type: `${packageName}.contactDataTrigger`,
					typeVersion: 1,
					position: [0, 0],
					parameters: { ...event, pollTimes: pollTimes(schedules) },
					credentials: { contactDataApi: { id: credential.id, name: credential.name } },
				},
			],
			connections: {},
			settings: { executionOrder: 'v1' },
		});
		workflows.push(workflow);
		await client.activateWorkflow(workflow);
		onTestFinished(async () => await client.deactivateWorkflow(workflow));
		// n8n 2 activates some time after it said that it did.
		await vi.waitUntil(() => polls().some(isFirst), WAIT);
		return workflow;
	}

	/** What n8n saved, the first execution first. */
	async function executionsOf(workflow: SavedWorkflow): Promise<Execution[]> {
		const executions = await running().client.listExecutions(workflow);
		return await Promise.all(
			executions
				.map(({ id }) => id)
				.sort((a, b) => Number(a) - Number(b))
				.map(async (id) => await running().client.waitForExecution(id, WAIT.timeout)),
		);
	}

	/** What each execution started with, by default the ids of leads; that of a failed poll has nothing. */
	async function startedWith(workflow: SavedWorkflow, nameOf = idOf): Promise<unknown[][]> {
		const executions = await executionsOf(workflow);
		return executions
			.map((one) => outputOf(one, TRIGGER).map(({ json }) => nameOf(json)))
			.filter((items) => items.length > 0);
	}

	/** What started the workflow so far: these, an execution for each entry, and no others. */
	async function expectStarted(
		workflow: SavedWorkflow,
		expected: unknown[][],
		nameOf = idOf,
	): Promise<void> {
		const started = async () => (await startedWith(workflow, nameOf)).length >= expected.length;
		await vi.waitUntil(started, WAIT);
		// A poll would give the same again, had the one before not remembered it.
		await morePolls(2);
		expect(await startedWith(workflow, nameOf)).toEqual(expected);
	}

	test('activation starts nothing; then the leads saved since do, oldest first, each once', async () => {
		const workflow = await activeWorkflow(everySecond);
		await expectStarted(workflow, []);
		const first = save(3);
		await expectStarted(workflow, [first]);
		const second = save(1);
		await expectStarted(workflow, [first, second]);
	});

	test('also when they fill several pages and leads were deleted, the newest known one too', async () => {
		const workflow = await activeWorkflow(everySecond);
		service().options.pageCap = 7;
		leads().splice(-2);
		const saved = save(20);
		leads().splice(-4, 1);
		await expectStarted(workflow, [saved.toSpliced(-4, 1)]);
		expect(service().requests.filter(isLaterPage).length).toBeGreaterThanOrEqual(2);
	});

	test('a poll that fails half-way loses nothing: the next one has all of them', async () => {
		const workflow = await activeWorkflow(everySecond);
		service().options.pageCap = 7;
		service().faults.add({ status: 403, on: { where: isLaterPage, nth: 2 } });
		const saved = save(20);
		await expectStarted(workflow, [saved]);
		const failed = (await executionsOf(workflow)).filter(({ status }) => status !== 'success');
		expect(failed).toMatchObject([
			{
				status: 'error',
				data: {
					resultData: { error: { message: expect.stringContaining('Your plan does not include') } },
				},
			},
		]);
	});

	test('polls that take longer than the time between them give nothing twice', async () => {
		const workflow = await activeWorkflow(everySecond);
		service().options.pageCap = 7;
		service().faults.add({ delayMs: 500 });
		const saved = save(20);
		await expectStarted(workflow, [saved]);
		expect(service().maxInFlight).toBeGreaterThan(1);
	});

	test('a manual run shows up to five recent leads and takes none away', async () => {
		const workflow = await activeWorkflow(onceAYear);
		const saved = save(7);
		const id = await running().client.startWorkflow(workflow, TRIGGER);
		await running().client.waitForExecution(id, WAIT.timeout);
		await running().client.deactivateWorkflow(workflow);
		await running().client.activateWorkflow(workflow);
		await vi.waitUntil(async () => (await startedWith(workflow)).length > 1, WAIT);
		expect(await startedWith(workflow)).toEqual([saved.slice(-5).reverse(), saved]);
	});

	test('n8n is stopped and started again: the leads saved meanwhile come, and then those saved after', async () => {
		const workflow = await activeWorkflow(everySecond);
		const before = save(2);
		await expectStarted(workflow, [before]);
		await running().host.stop();
		service().options.pageCap = 7;
		leads().splice(-1);
		const meanwhile = save(20);
		await running().host.start();
		await expectStarted(workflow, [before, meanwhile]);
		const after = save(1);
		await expectStarted(workflow, [before, meanwhile, after]);
		await reportRuns();
	});

	test('low credits start it once for each time that they fall, also when n8n is restarted', async () => {
		const { options } = service();
		options.creditsLeft = { email: 500, verifier: 90 };
		const workflow = await activeWorkflow(everySecond, { event: 'lowCredits', threshold: 100 });
		await expectStarted(workflow, [['verifier 90']], kindOf);
		options.creditsLeft = { email: 99, verifier: 90 };
		await expectStarted(workflow, [['verifier 90'], ['email 99']], kindOf);
		await running().host.stop();
		// Told before; one has recovered meanwhile, the other has not.
		options.creditsLeft = { email: 40, verifier: 600 };
		await running().host.start();
		await expectStarted(workflow, [['verifier 90'], ['email 99']], kindOf);
		options.creditsLeft = { email: 40, verifier: 50 };
		await expectStarted(workflow, [['verifier 90'], ['email 99'], ['verifier 50']], kindOf);
	});

	async function reportRuns(): Promise<void> {
		const started = (await Promise.all(workflows.map((one) => startedWith(one)))).flat();
		report(
			`n8n ${version.version}: ${workflows.length} workflows with the trigger, ` +
				`${started.length} executions with ${started.flat().length} leads, 1 restart`,
		);
	}
});
