/** @file What executions on one account do to each other while each has many lookups to send. */

import { expect, test } from 'vitest';

import { runNode, type NodeResult } from '../support/node/engine.mts';
import { find, leadOf, numbers, runLookup, whenSent } from '../support/leads/lookups.mts';
import { credentialFor, useService } from '../support/servers/service.mts';

const service = useService();

/** The leads of one execution; those of another begin at another number. */
async function findMany(length: number, first: number, maxConcurrency = 5): Promise<NodeResult> {
	const items = numbers(length, first).map(leadOf);
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
function mostAtOnce(places: number[]): number {
	const requests = places.map((place) => service().requests[place]);
	const inProgress = (moment: number) =>
		requests.filter(
			({ startedAt, finishedAt }) => startedAt <= moment && (finishedAt ?? Infinity) > moment,
		).length;
	return Math.max(...requests.map(({ startedAt }) => inProgress(startedAt)));
}

const backlog = 200;
const begun = 20;
/** How many requests a backlog goes on with until another execution has started. */
const headway = 60;

/** Runs something when so many lookups of the backlog were sent. */
async function besideBacklog<Result>(run: () => Promise<Result>): Promise<Result> {
	service().options.latencyMs = 20;
	const other = new Promise<Result>((resolve, reject) => {
		whenSent(service(), begun, () => void run().then(resolve, reject));
	});
	const [result] = await Promise.all([other, findMany(backlog, 0)]);
	expect(placesOf(backlog, 0)).toHaveLength(backlog);
	return result;
}

test.each([
	{ what: 'a free read', node: 'contactDataAccount', parameters: { operation: 'get' } },
	{ what: 'a single lookup', node: find.node, parameters: find.parameters },
] as const)('$what does not wait for a backlog', async ({ node, parameters }) => {
	const other = { node, parameters, items: [leadOf(5_000)] };
	const credential = credentialFor(service());
	const { json } = await besideBacklog(async () => await runNode({ ...other, credential }));
	expect(json).toHaveLength(1);
	const backlogged = new Set(placesOf(backlog, 0));
	const place = [...service().requests.keys()].find((one) => !backlogged.has(one));
	expect(place).toBeLessThan(begun + headway);
});

test('a backlog takes turns with another one', async () => {
	const length = 60;
	await besideBacklog(async () => await findMany(length, 5_000));
	const places = placesOf(length, 5_000);
	expect(places).toHaveLength(length);
	expect(places[0]).toBeLessThan(begun + headway);
	// One of each in turns, and a few more of either.
	const turns = places[length - 1] - places[0];
	expect(turns).toBeGreaterThan(length * 1.5);
	expect(turns).toBeLessThan(length * 2.5);
});

test('the Max Concurrency of an execution binds no other', async () => {
	service().options.latencyMs = 20;
	await Promise.all([findMany(60, 0, 1), findMany(200, 5_000, 10)]);
	const [slow, fast] = [placesOf(60, 0), placesOf(200, 5_000)];
	expect(mostAtOnce(slow)).toBe(1);
	expect(mostAtOnce(fast)).toBeGreaterThanOrEqual(8);
	expect(service().maxInFlight).toBe(10);
	// While the one sends thirty, the other sends several times as many.
	const meanwhile = fast.filter((place) => place > slow[0] && place < slow[29]);
	expect(meanwhile.length).toBeGreaterThan(100);
});
