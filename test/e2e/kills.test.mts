import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import type { ExecutionStatus, INodeExecutionData, INodeParameters } from 'n8n-workflow';
import { expect, test } from 'vitest';
import { z } from 'zod';

import { openHost, type OpenHost } from '../hosts/open.mts';
import type { SavedWorkflow } from '../hosts/rest.mts';
import { durableCursors, n8n1, n8n2 } from '../hosts/versions.mts';
import { chain } from '../hosts/workflow.mts';
import { Prng } from '../emulator/prng.mts';
import { startService, type Service } from '../emulator/service.mts';
import type { WireRequest } from '../emulator/wireLog.mts';
import { listWithId } from '../operations.mts';
import { known } from '../support/leads/expected.mts';
import { isLong, onlyLong, seedOf } from '../support/depth.mts';
import { credentialData } from '../support/realN8n/host.mts';
import { report } from '../support/measures/report.mts';
import { node, ours } from '../support/realN8n/savedNodes.mts';
import { saveLeads } from '../support/leads/saveLeads.mts';
import { until } from '../support/until.mts';
import { everySecond, pollTimes } from './support/schedules.mts';

const TRIGGER = 'Trigger';
const PAGE_SIZE = 5;
const everyThirdSecond = everySecond.filter((_, second) => second % 3 === 0);
const THRESHOLD = 100;

const { KILLS_SEED, KILLS } = process.env;

/**
 * A poll may read pages for about 4 seconds, so that a backlog takes several polls; and n8n takes up the polls
 * of a process that was killed after a few seconds instead of a minute.
 */
const shortPolls = { N8N_SCHEDULER_POLL_TIMEOUT: '12', N8N_SCHEDULER_LEASE_DURATION: '13' };

const soonReady: NodeJS.ProcessEnv = {
	// It starts sooner without the nodes that these workflows do not have.
	NODES_INCLUDE: '["n8n-nodes-base.wait", "n8n-nodes-contact-data.contactDataTrigger"]',
	// Triggers that a process was starting as it was killed start after 30 seconds instead of two minutes.
	N8N_WORKFLOW_PUBLICATION_OUTBOX_LEASE_SECONDS: '30',
};

/** These are killed side by side, each so many times: what takes long is to wait for polls. */
const rows = [
	...['first', ...onlyLong('second', 'third')].map((which) => ({
		title: `n8n ${n8n2.version}, durable cursors, the ${which}`,
		version: n8n2,
		settings: { ...durableCursors, ...shortPolls },
		isDurable: true,
		kills: isLong ? 10 : 2,
	})),
	...onlyLong(n8n2, n8n1).map((version) => ({
		title: `n8n ${version.version}`,
		...{ version, settings: {}, isDurable: false, kills: 5 },
	})),
].map((row, index) => ({
	...row,
	settings: { ...row.settings, ...soonReady },
	seed: seedOf(KILLS_SEED) + index,
}));

/** A workflow that a trigger starts, and everything that has to start it. */
interface Started {
	name: string;
	service: Service;
	workflow: SavedWorkflow;
	/** By what an item is known. */
	keyOf: (item: INodeExecutionData) => number;
	expected: number[];
}

const executionSchema = z.object({
	workflowId: z.string(),
	status: z.custom<ExecutionStatus>((value) => typeof value === 'string'),
	data: z.string(),
});

test.concurrent.for(rows)(
	'$title: killed at any moment, each lead and each fall of credits starts it as promised',
	async ({ title, version, settings, isDurable, kills, seed }, { task }) => {
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
		const polledSince = (since = aliveSince, times = 1) =>
			triggers.every((one) => answeredOf([one], since).filter(isFirstOfPoll).length >= times);

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

		/** What was in progress, at each kill. */
		const seen: string[] = [];
		for (let number = 0; number < Number(KILLS ?? kills); number++) {
			await until(() => polledSince());
			save(120);
			changeCredits();
			await randomMoment(prng, () => answeredOf(triggers).length);
			changeCredits();
			const where = requestsInProgress(triggers);
			await kill(n8n);
			aliveSince = now();
			seen.push([...where, ...executionsInProgress(n8n)].join(', ') || 'nothing');
			save(10);
			await n8n.host.start();
		}
		// What is left is read at once.
		for (const { options } of services) options.latencyMs = 0;
		await until(() => polledSince(aliveSince, 2));
		const last = [byId, byOffset].map((one) => saveIn(one, 20));
		// Without durable cursors n8n stores what the trigger remembers before it has created the execution: a kill in
		// between costs the leads of that poll. The next poll goes on behind them.
		const promised = triggers.map((one, index) => (isDurable ? one.expected : (last[index] ?? [])));
		const startsOfAll = () => {
			const executions = executionsIn(n8n);
			return triggers.map((one) => startsOf(n8n, executions, one));
		};
		const missing = () =>
			startsOfAll().map((starts, index) => missingIn(known(promised[index]), starts));
		const isComplete = () => missing().flat().length === 0;
		await until(isComplete, 1_000).catch(() => {});
		// A poll would give the same again, had the one before not remembered it.
		const completeAt = now();
		await until(() => polledSince(completeAt, 3));
		await n8n.host.stop();

		const starts = startsOfAll();
		report(`${title}, ${killsIn(seen)} (seed ${seed})`, task);
		triggers.forEach((one, index) =>
			report(`${title}, ${startsIn(one, known(starts[index]))}`, task),
		);
		expect(services.flatMap(({ violations }) => violations)).toEqual([]);
		expect(missing().flat()).toEqual([]);
		if (!isDurable) return;
		triggers.forEach((one, index) => {
			const once = one.expected.map((key) => [key, 1]);
			expect([...known(starts[index])].sort(([a], [b]) => a - b)).toEqual(
				once.sort(([a = 0], [b = 0]) => a - b),
			);
		});
	},
);

/** Three workflows: new leads by either meaning of `start`, and low credits. */
async function activateAll(
	{ client, packageName }: OpenHost,
	[byId, byOffset]: Service[],
): Promise<[Started, Started, Started]> {
	const activate = async (name: string, service = known(byId), event: INodeParameters) => {
		const credential = await client.createCredential(name, 'contactDataApi', {
			...credentialData(service),
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
		const expected: number[] = [];
		return { name, service, workflow, expected };
	};
	const newLead = { event: 'newLead', listId: listWithId('102') };
	const lowCredits = { event: 'lowCredits', creditKind: 'email', threshold: THRESHOLD };
	const idOf = ({ json }: INodeExecutionData) => Number(json.id);
	const remainingOf = ({ json }: INodeExecutionData) => Number(json.remaining);
	return [
		{ ...(await activate('leads, start is an id', byId, newLead)), keyOf: idOf },
		{ ...(await activate('leads, start is an offset', byOffset, newLead)), keyOf: idOf },
		{ ...(await activate('low credits', byId, lowCredits)), keyOf: remainingOf },
	];
}

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
function now(): number {
	return performance.timeOrigin + performance.now();
}

function listOf({ fixtures }: Service) {
	return known(fixtures.list(102));
}

/** A moment at random, or shortly after a response, when n8n stores what was polled and starts executions. */
async function randomMoment(prng: Prng, answers: () => number): Promise<void> {
	if (prng.chance(0.4)) return await delay(prng.between(0, 4_000));
	const later = answers() + prng.between(1, 15);
	await until(() => answers() >= later, 2);
	await delay(prng.between(0, 120));
}

function requestsInProgress(triggers: Started[]): string[] {
	const open = triggers.flatMap(requestsOf).filter(({ finishedAt }) => finishedAt === null);
	const names = open.map((one) =>
		isLeads(one) ? (isFirstOfPoll(one) ? 'first page' : 'later page') : 'account',
	);
	return [...new Set(names)].sort();
}

async function kill({ host, userFolder }: OpenHost): Promise<void> {
	await host.kill();
	// With it, n8n waits for 10 seconds before it starts.
	await rm(join(userFolder, '.n8n', 'crash.journal'), { force: true });
}

/** All executions in n8n's database. */
function executionsIn({ userFolder }: OpenHost) {
	using database = new DatabaseSync(join(userFolder, '.n8n', 'database.sqlite'));
	const query =
		'SELECT workflowId, status, data FROM execution_entity JOIN execution_data ON executionId = id';
	return z.array(executionSchema).parse(database.prepare(query).all());
}

function executionsInProgress(n8n: OpenHost): string[] {
	const statuses = executionsIn(n8n).map(({ status }) => status);
	return ['new', 'running'].filter((status) => statuses.some((one) => one === status));
}

/** How many executions each lead, or each fall of credits, has started. */
function startsOf(
	{ client }: OpenHost,
	executions: ReturnType<typeof executionsIn>,
	{ workflow, keyOf }: Started,
): Map<number, number> {
	const starts = new Map<number, number>();
	for (const { workflowId, data } of executions) {
		if (workflowId !== workflow.id) continue;
		const { resultData, executionData } = client.decodeRun(data);
		const ran = resultData.runData[TRIGGER]?.flatMap((run) => run.data?.main?.[0] ?? []) ?? [];
		const stack = executionData?.nodeExecutionStack.find((one) => one.node.name === TRIGGER);
		const keys = [ran, stack?.data.main?.[0] ?? []].map((items) =>
			items.map(keyOf).filter(Number.isFinite),
		);
		// An execution that was killed has its items on its stack. n8n may note an empty one as its output.
		for (const key of keys.find((one) => one.length > 0) ?? []) {
			starts.set(key, (starts.get(key) ?? 0) + 1);
		}
	}
	return starts;
}

function missingIn(expected: number[], starts: Map<number, number>): number[] {
	return expected.filter((key) => !starts.has(key));
}

/** What was in progress at the kills, in words. */
function killsIn(seen: string[]): string {
	const places = [...new Set(seen)].sort();
	const counts = places.map(
		(place) => `${seen.filter((one) => one === place).length} with ${place}`,
	);
	return `${seen.length} kills, in progress: ${counts.join('; ')}`;
}

/** What the starts of a workflow come to, in words. */
function startsIn({ name, expected }: Started, starts: Map<number, number>): string {
	const twice = expected.filter((key) => (starts.get(key) ?? 0) > 1).length;
	const missing = missingIn(expected, starts).length;
	return `${name}: ${expected.length} saved, ${missing} missing, ${twice} more than once`;
}
