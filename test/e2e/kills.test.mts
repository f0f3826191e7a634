import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import type { ExecutionStatus, IDataObject, INodeParameters } from 'n8n-workflow';
import { expect, test, vi } from 'vitest';
import { z } from 'zod';

import { outputOf } from '../hosts/execution.mts';
import { openHost, type OpenHost } from '../hosts/open.mts';
import type { SavedWorkflow } from '../hosts/rest.mts';
import { durableCursors, n8n1, n8n2 } from '../hosts/versions.mts';
import { chain } from '../hosts/workflow.mts';
import { Prng } from '../emulator/prng.mts';
import { startService, type Service } from '../emulator/service.mts';
import type { WireRequest } from '../emulator/wireLog.mts';
import { listWithId } from '../operations.mts';
import { known } from '../support/leads/expected.mts';
import { numbers } from '../support/leads/lookups.mts';
import { credentialData } from '../support/hosts/host.mts';
import { report } from '../support/measures/report.mts';
import { node, ours } from '../support/hosts/savedNodes.mts';
import { saveLeads } from '../support/leads/saveLeads.mts';
import { everySecond, pollTimes } from './support/schedules.mts';

const TRIGGER = 'Trigger';
const WAIT = { timeout: 240_000, interval: 100 };
const TEST_TIMEOUT_MS = 30 * 60_000;
const PAGE_SIZE = 5;
const everyThirdSecond = everySecond.filter((_, second) => second % 3 === 0);
const THRESHOLD = 100;

const { KILLS_SEED = String(Date.now() % 1_000_000), KILLS = '5' } = process.env;

/**
 * A poll may read pages for about 4 seconds, so that a backlog takes several polls; and n8n takes up the polls
 * of a process that was killed after a few seconds instead of a minute.
 */
const shortPolls = { N8N_SCHEDULER_POLL_TIMEOUT: '12', N8N_SCHEDULER_LEASE_DURATION: '13' };

/** Processes that are killed side by side, each `KILLS` times: most of the time they wait for polls. */
const rows = [
	...numbers(6, 1).map((number) => ({
		title: `n8n ${n8n2.version}, durable cursors, process ${number}`,
		version: n8n2,
		settings: { ...durableCursors, ...shortPolls },
		isDurable: true,
	})),
	...[n8n2, n8n1].map((version) => ({
		title: `n8n ${version.version}`,
		version,
		settings: {},
		isDurable: false,
	})),
].map((row, index) => ({ ...row, seed: Number(KILLS_SEED) + index }));
vi.setConfig({ maxConcurrency: rows.length });

/** A workflow that a trigger starts, and everything that has to start it. */
interface Started {
	name: string;
	service: Service;
	workflow: SavedWorkflow;
	/** By what an item is known. */
	keyOf: (item: IDataObject) => number;
	expected: number[];
}

const executionSchema = z.object({
	workflowId: z.string(),
	mode: z.string(),
	status: z.custom<ExecutionStatus>((value) => typeof value === 'string'),
	data: z.string(),
});

test.concurrent.for(rows)(
	'$title: each lead and each fall of credits starts it once, and as promised if it is killed at any moment',
	{ timeout: TEST_TIMEOUT_MS },
	async ({ title, version, settings, isDurable, seed }, { task }) => {
		await using resources = new AsyncDisposableStack();
		const prng = new Prng(seed);
		const services: Service[] = [];
		for (const leadsStart of ['id', 'offset'] as const) {
			const service = await startService({ variants: { leadsStart }, latencyMs: 400, jitter: 0.5 });
			resources.defer(async () => await service.close());
			service.options.creditsLeft = { email: 500 };
			services.push(service);
		}
		const name = `kills-${title.replaceAll(/[ ,]+/g, '-')}`;
		const n8n = resources.use(await openHost({ version, name, settings, isLean: true }));
		const triggers = await activateAll(n8n, services);
		const [byId, byOffset, credits] = triggers;
		let aliveSince = now();
		let changedAt = 0;
		let isLow = false;

		/** Requests of this n8n process that have their answer, of these triggers. */
		const answeredOf = (of: Started[], since = aliveSince) =>
			of.flatMap((one) =>
				requestsOf(one).filter(
					({ startedAt, finishedAt }) => startedAt >= since && finishedAt !== null,
				),
			);
		const waitForPolls = async (times: number, since = aliveSince) => {
			const polls = (one: Started) => answeredOf([one], since).filter(isFirstOfPoll);
			await vi.waitUntil(() => triggers.every((one) => polls(one).length >= times), WAIT);
		};

		/** What has to start the workflows and did not, of all or of these. */
		const missing = (promised = triggers.map(({ expected }) => expected)) =>
			triggers.flatMap((one, index) => {
				const starts = startsOf(n8n, one);
				return known(promised[index]).filter((key) => !starts.has(key));
			});

		/** Waits until nothing is missing, and longer: a poll would give the same again, had the one before not remembered it. */
		const settle = async (promised?: number[][]) => {
			const isComplete = () => missing(promised).length === 0;
			await vi.waitUntil(isComplete, { ...WAIT, interval: 1_000 }).catch(() => {});
			await waitForPolls(3, now());
		};

		/** The workflows were started by everything that has to start them, once, and by nothing else. */
		const expectOnce = () => {
			const once = triggers.map(({ expected }) => new Map(expected.map((key) => [key, 1])));
			expect(triggers.map((one) => startsOf(n8n, one))).toEqual(once);
		};

		/** Lets credits fall or recover, if the polls of this process have seen the last change. */
		const changeCredits = () => {
			const { options } = credits.service;
			if (answeredOf([credits], Math.max(aliveSince, changedAt)).length < 2) return;
			isLow = !isLow;
			changedAt = now();
			const email = isLow ? THRESHOLD - 1 - credits.expected.length : 500;
			options.creditsLeft = { email };
			if (isLow) credits.expected.push(email);
		};

		const save = (most: number) => {
			for (const one of [byId, byOffset]) saveIn(one, prng.between(0, most));
		};

		// Activation starts nothing. The newest known leads are deleted, and of the new ones one; a manual run shows some
		// and takes none away.
		await settle();
		expectOnce();
		changeCredits();
		const { leads } = listOf(byId.service);
		leads.splice(-2);
		save(60);
		saveIn(byId, 20);
		leads.splice(-4, 1);
		byId.expected.splice(-4, 1);
		const manual = await n8n.client.startWorkflow(byId.workflow, TRIGGER);
		const shown = outputOf(await n8n.client.waitForExecution(manual, WAIT.timeout), TRIGGER);
		expect(shown.map(({ json }) => json.id)).toEqual(byId.expected.slice(-5).reverse());
		await settle();
		expectOnce();

		// A poll fails, and the next one has all of them; n8n is restarted, and what was saved meanwhile comes.
		byId.service.faults.add({ body: 'html', on: { where: (one) => !isFirstOfPoll(one), nth: 2 } });
		saveIn(byId, 20);
		await settle();
		const failed = executionsIn(n8n).filter(({ status }) => status === 'error');
		expect(failed.map(({ data }) => data)).toEqual([expect.stringContaining('did not come from')]);
		await n8n.host.stop();
		changeCredits();
		save(60);
		await n8n.host.start();
		aliveSince = now();
		await settle();
		expectOnce();

		/** What was in progress, at each kill. */
		const seen: string[] = [];
		for (let number = 0; number < Number(KILLS); number++) {
			await waitForPolls(1);
			save(120);
			changeCredits();
			await randomMoment(prng, () => answeredOf(triggers).length);
			changeCredits();
			seen.push(inProgress(triggers, n8n));
			await n8n.host.kill();
			aliveSince = now();
			save(10);
			// With it, n8n waits for 10 seconds before it starts.
			await rm(join(n8n.userFolder, '.n8n', 'crash.journal'), { force: true });
			await n8n.host.start();
		}
		await waitForPolls(2);
		const last = [byId, byOffset].map((one) => saveIn(one, 20));
		// Without durable cursors n8n stores what the trigger remembers before it has created the execution: a kill in
		// between costs the leads of that poll. The next poll goes on behind them.
		const promised = triggers.map((one, index) => (isDurable ? one.expected : (last[index] ?? [])));
		await settle(promised);
		await n8n.host.stop();

		const kills = Object.entries(Object.groupBy(seen, (one) => one)).map(
			([place, { length } = []]) => `${length} with ${place}`,
		);
		report(`${title}, kills with in progress: ${kills.join('; ')} (seed ${seed})`, task);
		for (const one of triggers) {
			const starts = startsOf(n8n, one);
			const twice = [...starts.values()].filter((count) => count > 1).length;
			const counts = `${starts.size} of ${one.expected.length} came, ${twice} more than once`;
			report(`${title}, ${one.name}: ${counts}`, task);
		}
		expect(services.flatMap(({ violations }) => violations)).toEqual([]);
		expect(missing(promised)).toEqual([]);
		if (isDurable) expectOnce();
	},
);

/** Three workflows: new leads by either meaning of `start`, and low credits. */
async function activateAll(
	{ client, packageName }: OpenHost,
	[byId, byOffset]: Service[],
): Promise<[Started, Started, Started]> {
	const activate = async (
		name: string,
		service: Service | undefined,
		event: INodeParameters,
		keyOf: Started['keyOf'],
	): Promise<Started> => {
		const credential = await client.createCredential(name, 'contactDataApi', {
			...credentialData(known(service)),
			customizeInterface: true,
			listPageSize: PAGE_SIZE,
		});
		const parameters = { ...event, pollTimes: pollTimes(everyThirdSecond) };
		const workflow = await client.createWorkflow({
			name,
			nodes: [
				ours({ packageName, credential }, TRIGGER, 'contactDataTrigger', parameters),
				// So that executions last long enough to be killed.
				node('Wait', 'n8n-nodes-base.wait', 1.1, { amount: 1 }),
			],
			connections: chain(TRIGGER, 'Wait'),
			settings: { executionOrder: 'v1' },
		});
		await client.activateWorkflow(workflow);
		return { name, service: known(service), workflow, keyOf, expected: [] };
	};
	const newLead = { event: 'newLead', listId: listWithId('102') };
	const lowCredits = { event: 'lowCredits', creditKind: 'email', threshold: THRESHOLD };
	return [
		await activate('leads, start is an id', byId, newLead, ({ id }) => Number(id)),
		await activate('leads, start is an offset', byOffset, newLead, ({ id }) => Number(id)),
		await activate('low credits', byId, lowCredits, ({ remaining }) => Number(remaining)),
	];
}

const listOf = ({ fixtures }: Service) => known(fixtures.list(102));
const isLeads = ({ operation }: WireRequest) => operation !== 'getAccount';
const isFirstOfPoll = ({ rawQuery }: WireRequest) => !rawQuery.includes('start=');

function requestsOf({ service, name }: Started): WireRequest[] {
	return service.requests.filter((one) => isLeads(one) === name.startsWith('leads'));
}

function saveIn({ service, expected }: Started, count: number): number[] {
	const saved = saveLeads(listOf(service), count);
	expected.push(...saved);
	return saved;
}

/** On the clock of the service's requests. */
const now = () => performance.timeOrigin + performance.now();

/** A moment at random, or shortly after a response, when n8n stores what was polled and starts executions. */
async function randomMoment(prng: Prng, answers: () => number): Promise<void> {
	if (prng.chance(0.4)) return await delay(prng.between(0, 4_000));
	const later = answers() + prng.between(1, 15);
	await vi.waitUntil(() => answers() >= later, { timeout: WAIT.timeout, interval: 2 });
	await delay(prng.between(0, 120));
}

/** All executions in n8n's database. */
function executionsIn({ userFolder }: OpenHost) {
	using database = new DatabaseSync(join(userFolder, '.n8n', 'database.sqlite'));
	const query = `SELECT workflowId, mode, status, data FROM execution_entity
		JOIN execution_data ON executionId = id`;
	return z.array(executionSchema).parse(database.prepare(query).all());
}

/** What is in progress, for people. */
function inProgress(triggers: Started[], n8n: OpenHost): string {
	const open = triggers.flatMap(requestsOf).filter(({ finishedAt }) => finishedAt === null);
	const sent = open.map((one) => (isFirstOfPoll(one) ? one.operation : 'later page'));
	const ran = executionsIn(n8n).map(({ status }) => status);
	const executions = ran.filter((status) => status === 'new' || status === 'running');
	return [...new Set([...sent, ...executions])].sort().join(', ') || 'nothing';
}

/** How many executions each lead, or each fall of credits, has started. */
function startsOf(n8n: OpenHost, { workflow, keyOf }: Started): Map<number, number> {
	const starts = new Map<number, number>();
	for (const { workflowId, mode, data } of executionsIn(n8n)) {
		if (workflowId !== workflow.id || mode === 'manual') continue;
		const { resultData, executionData } = n8n.client.decodeRun(data);
		const ran = resultData.runData[TRIGGER]?.flatMap((run) => run.data?.main?.[0] ?? []) ?? [];
		const stack = executionData?.nodeExecutionStack.find((one) => one.node.name === TRIGGER);
		const keys = [ran, stack?.data.main?.[0] ?? []].map((items) =>
			items.map(({ json }) => keyOf(json)).filter(Number.isFinite),
		);
		// An execution that was killed has its items on its stack. n8n may note an empty one as its output.
		const own = keys.find((one) => one.length > 0) ?? [];
		// The oldest lead is the first one.
		expect(own).toEqual(own.toSorted((first, second) => first - second));
		for (const key of own) starts.set(key, (starts.get(key) ?? 0) + 1);
	}
	return starts;
}
