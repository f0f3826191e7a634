import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { afterEach, describe, expect, test } from 'vitest';

import { outputOf, type Execution } from '../hosts/execution.mts';
import type { SavedWorkflow } from '../hosts/rest.mts';
import { durableCursors, n8n1, n8n2, n8n3 } from '../hosts/versions.mts';
import type { WireRequest } from '../emulator/wireLog.mts';
import { listWithId } from '../operations.mts';
import { isLong } from '../support/depth.mts';
import { known } from '../support/leads/expected.mts';
import { useHost } from '../support/realN8n/host.mts';
import { ours } from '../support/realN8n/savedNodes.mts';
import { saveLeads } from '../support/leads/saveLeads.mts';
import { useService } from '../support/servers/service.mts';
import { until } from '../support/until.mts';
import { everySecond, pollTimes } from './support/schedules.mts';

const TRIGGER = 'New Lead in List';

const onceAYear = ['0 0 0 1 1 *'];

const isLaterPage = ({ rawQuery }: WireRequest) => rawQuery.includes('start=');
/** The request of a first poll. */
const isFirst = ({ rawQuery, operation }: WireRequest) =>
	rawQuery === 'size=1' || operation === 'getAccount';
type Event = 'newLead' | 'lowCredits';
const idOf = ({ id }: IDataObject): unknown => id;
const kindOf = ({ kind, remaining }: IDataObject): unknown =>
	`${String(kind)} ${String(remaining)}`;

/** The tests in one n8n. */
const inOrder = { concurrent: false };

/** Side by side: they wait for polls most of the time. */
const hosts = [
	{ title: `n8n ${n8n2.version}`, version: n8n2, settings: {} },
	{ title: `n8n ${n8n3.name}, durable cursors`, version: n8n3, settings: durableCursors },
	{ title: `n8n ${n8n1.version}`, version: n8n1, settings: {} },
];

/** A workflow that an event starts. */
interface Started {
	event: Event;
	workflow: SavedWorkflow;
}

describe.concurrent.each(hosts)('$title', ({ title, version, settings }) => {
	const name = title.replaceAll(/[ ,]+/g, '-');
	const service = useService();
	const running = useHost(service, { name: `trigger-${name}`, version, settings, isLean: true });
	const active: SavedWorkflow[] = [];

	afterEach(async () => {
		for (const workflow of active.splice(0)) await running().client.deactivateWorkflow(workflow);
	});

	const leads = () => known(service().fixtures.list(102)).leads;
	const save = (count: number) => saveLeads(known(service().fixtures.list(102)), count);
	/** The first request of every poll for an event that has its answer. */
	const pollsFor = (event: Event) =>
		service().requests.filter(
			(one) =>
				(one.operation === 'getAccount') === (event === 'lowCredits') &&
				!isLaterPage(one) &&
				one.finishedAt !== null,
		);

	/** A workflow, active until the test ends and with its first poll behind it. */
	async function activeWorkflow(
		schedules: string[],
		event: Event = 'newLead',
		parameters: INodeParameters = { listId: listWithId('102') },
	): Promise<Started> {
		const { client } = running();
		const pollsAt = { pollTimes: pollTimes(schedules) };
		const trigger = { event, ...parameters, ...pollsAt };
		const workflow = await client.createWorkflow({
			name: `Event ${event}`,
			nodes: [ours(running(), TRIGGER, 'contactDataTrigger', trigger)],
			connections: {},
			settings: { executionOrder: 'v1' },
		});
		await client.activateWorkflow(workflow);
		active.push(workflow);
		// n8n 2 activates some time after it said that it did.
		await until(() => pollsFor(event).some(isFirst));
		return { event, workflow };
	}

	/** What n8n saved, the first execution first. */
	async function executionsOf({ workflow }: Started): Promise<Execution[]> {
		const executions = await running().client.listExecutions(workflow);
		return await Promise.all(
			executions
				.map(({ id }) => id)
				.sort((a, b) => Number(a) - Number(b))
				.map(async (id) => await running().client.waitForExecution(id)),
		);
	}

	/** What each execution started with, ids of leads or credits; that of a failed poll has nothing. */
	async function startedWith(one: Started): Promise<unknown[][]> {
		const nameOf = one.event === 'newLead' ? idOf : kindOf;
		return (await executionsOf(one))
			.map((execution) => outputOf(execution, TRIGGER).map(({ json }) => nameOf(json)))
			.filter((items) => items.length > 0);
	}

	/** What started the workflow so far: these, an execution for each entry, and no others. */
	async function expectStarted(one: Started, expected: unknown[][]): Promise<void> {
		const started = async () => (await startedWith(one)).length >= expected.length;
		await until(started);
		// A poll would give the same again, had the one before not remembered it.
		const enough = pollsFor(one.event).length + 2;
		await until(() => pollsFor(one.event).length >= enough);
		expect(await startedWith(one)).toEqual(expected);
	}

	test(
		'activation starts nothing; then leads do, oldest first, each once: of several pages, after deletions, a failed poll and slow ones',
		inOrder,
		async () => {
			const workflow = await activeWorkflow(everySecond);
			await expectStarted(workflow, []);
			const expected = [save(3)];
			await expectStarted(workflow, expected);

			// The newest known one is deleted too.
			service().options.pageCap = 7;
			leads().splice(-2);
			const several = save(20);
			leads().splice(-4, 1);
			expected.push(several.toSpliced(-4, 1));
			await expectStarted(workflow, expected);
			expect(service().requests.filter(isLaterPage).length).toBeGreaterThanOrEqual(2);

			// The next poll has all of them. With durable cursors n8n pauses the trigger for 30 minutes after a 403.
			service().faults.add({ body: 'html', on: { where: isLaterPage, nth: 2 } });
			expected.push(save(20));
			await expectStarted(workflow, expected);
			const failed = (await executionsOf(workflow)).filter(({ status }) => status !== 'success');
			const message = expect.stringContaining('did not come from the service');
			expect(failed).toMatchObject([
				{ status: 'error', data: { resultData: { error: { message } } } },
			]);

			// Each of these polls takes longer than the time between two.
			service().faults.add({ delayMs: 500 });
			expected.push(save(20));
			await expectStarted(workflow, expected);
		},
	);

	// n8n 1 has the first test only.
	if (version === n8n1 && !isLong) return;

	test('a manual run shows up to five recent leads and takes none away', inOrder, async () => {
		const manual = await activeWorkflow(onceAYear);
		const { client } = running();
		const saved = save(7);
		const id = await client.startWorkflow(manual.workflow, TRIGGER);
		await client.waitForExecution(id);
		await client.deactivateWorkflow(manual.workflow);
		await client.activateWorkflow(manual.workflow);
		await until(async () => (await startedWith(manual)).length > 1);
		expect(await startedWith(manual)).toEqual([saved.slice(-5).reverse(), saved]);
	});

	test(
		'n8n is restarted: leads saved meanwhile come, then those saved after; low credits start it once for each fall',
		inOrder,
		async () => {
			const { options } = service();
			options.creditsLeft = { email: 500, verifier: 90 };
			const workflow = await activeWorkflow(everySecond);
			const credits = await activeWorkflow(everySecond, 'lowCredits', { threshold: 100 });
			const before = save(2);
			await expectStarted(workflow, [before]);
			await expectStarted(credits, [['verifier 90']]);
			options.creditsLeft = { email: 99, verifier: 90 };
			await expectStarted(credits, [['verifier 90'], ['email 99']]);

			await running().host.stop();
			// Told before; one has recovered meanwhile, the other has not.
			options.creditsLeft = { email: 40, verifier: 600 };
			options.pageCap = 7;
			leads().splice(-1);
			const meanwhile = save(20);
			await running().host.start();
			await expectStarted(workflow, [before, meanwhile]);
			await expectStarted(credits, [['verifier 90'], ['email 99']]);
			const after = save(1);
			options.creditsLeft = { email: 40, verifier: 50 };
			await expectStarted(workflow, [before, meanwhile, after]);
			await expectStarted(credits, [['verifier 90'], ['email 99'], ['verifier 50']]);
		},
	);
});
