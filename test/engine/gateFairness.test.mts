/** @file What executions on one account do to each other while each has many lookups to send. */

import { monitorEventLoopDelay } from 'node:perf_hooks';

import type { IDataObject } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';

import type { WireRequest } from '../service/wireLog.mts';
import { leadOf, numbers } from '../support/bulk.mts';
import { runNode, type NodeResult } from '../support/engine.mts';
import { find, runLookup, whenSent } from '../support/lookups.mts';
import { processorTime } from '../support/processorTime.mts';
import { credentialFor, useService } from '../support/service.mts';

const service = useService();

/** The leads of one execution; those of another begin at another number. */
async function findMany(length: number, first: number, maxConcurrency = 5): Promise<NodeResult> {
	const items: IDataObject[] = numbers(length, first).map(leadOf);
	return await runLookup(find, service(), items, { options: { maxConcurrency } });
}

/** The places in the wire log of the requests for leads with these numbers. */
function placesOf(length: number, first: number): number[] {
	const names = new Set(numbers(length, first).map((number) => leadOf(number).first));
	return [...service().requests.entries()]
		.filter(([, { rawQuery }]) => names.has(/firstName=(\w+)/.exec(rawQuery)?.[1] ?? ''))
		.map(([place]) => place);
}

/** The most of these requests that were in progress at the same time. */
function mostAtOnce(requests: WireRequest[]): number {
	const inProgress = ({ startedAt: moment }: WireRequest) =>
		requests.filter(
			({ startedAt, finishedAt }) => startedAt <= moment && (finishedAt ?? Infinity) > moment,
		).length;
	return Math.max(...requests.map(inProgress));
}

/** How many requests a backlog goes on with until another execution has started. */
const HEADWAY = 60;

describe('beside the backlog of another execution', () => {
	const backlog = 200;
	const begun = 20;

	/** Runs something when so many lookups of the backlog were sent. */
	async function beside<Result>(run: () => Promise<Result>): Promise<Result> {
		service().options.latencyMs = 20;
		const other = new Promise<Result>((resolve, reject) => {
			whenSent(service(), begun, () => void run().then(resolve, reject));
		});
		const [result] = await Promise.all([other, findMany(backlog, 0)]);
		expect(placesOf(backlog, 0)).toHaveLength(backlog);
		return result;
	}

	test('a free read does not wait', async () => {
		const { json } = await beside(
			async () =>
				await runNode({
					node: 'contactDataAccount',
					parameters: { operation: 'get' },
					credential: credentialFor(service()),
				}),
		);
		expect(json).toHaveLength(1);
		const place = service().requests.findIndex(({ operation }) => operation === 'getAccount');
		expect(place).toBeLessThan(begun + HEADWAY);
	});

	test('a single lookup does not wait', async () => {
		await beside(async () => await findMany(1, 5_000));
		expect(placesOf(1, 5_000)[0]).toBeLessThan(begun + HEADWAY);
	});

	test('another backlog takes turns with it', async () => {
		const length = 60;
		await beside(async () => await findMany(length, 5_000));
		const places = placesOf(length, 5_000);
		expect(places).toHaveLength(length);
		expect(places[0]).toBeLessThan(begun + HEADWAY);
		// One of each in turns, and a few more of either.
		const turns = places[length - 1] - places[0];
		expect(turns).toBeGreaterThan(length * 1.5);
		expect(turns).toBeLessThan(length * 2.5);
	});
});

test('the Max Concurrency of an execution binds no other', async () => {
	service().options.latencyMs = 20;
	await Promise.all([findMany(60, 0, 1), findMany(200, 5_000, 10)]);
	const requests = [...service().requests];
	const slow = placesOf(60, 0);
	const fast = placesOf(200, 5_000);
	expect(mostAtOnce(slow.map((place) => requests[place]))).toBe(1);
	expect(mostAtOnce(fast.map((place) => requests[place]))).toBeGreaterThanOrEqual(8);
	expect(service().maxInFlight).toBe(10);
	// While the one sends thirty, the other sends several times as many.
	const meanwhile = fast.filter((place) => place > slow[0] && place < slow[29]);
	expect(meanwhile.length).toBeGreaterThan(100);
});

describe('50,000 lookups that wait at the gate at once', () => {
	const length = 50_000;

	test('keep the process free, and are turned away at once when the execution is stopped', async () => {
		// The first answers close the gate for a minute; the others wait there.
		service().faults.add({ status: 429, retryAfter: 'seconds', seconds: 60 });
		const stop = new AbortController();
		const blocked = monitorEventLoopDelay({ resolution: 10 });
		const items = numbers(length).map(leadOf);
		let workSince = () => 0;
		whenSent(service(), 1, () => {
			blocked.enable();
			setTimeout(() => {
				workSince = processorTime();
				stop.abort();
			}, 2_500);
		});
		const { json } = await runLookup(find, service(), items, {
			options: { maxConcurrency: length },
			stop: stop.signal,
		});
		const work = workSince();
		blocked.disable();
		expect(json).toHaveLength(length);
		expect(json.at(-1)).toMatchObject({ status: 'not_processed', reason: 'cancelled' });
		// It was half a minute where each took longer than the one before.
		expect(work).toBeGreaterThan(0);
		expect(work).toBeLessThan(10_000);
		expect(blocked.max / 1e6).toBeLessThan(8_000);
	});
});
