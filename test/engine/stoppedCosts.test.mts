/** @file What an execution has cost is in its custom data, by the ledger of the service: in the moment of a stop, and at its end. */

import { setTimeout as delay } from 'node:timers/promises';

import type { IRun } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';

import type { Effect } from '../emulator/faults.mts';
import type { WireRequest } from '../emulator/wireLog.mts';
import { chain, emits, looksUp } from '../support/node/chains.mts';
import { runWorkflow, type NodeTest } from '../support/node/engine.mts';
import {
	find,
	lookups,
	numbers,
	runLookup,
	verify,
	whenSent,
	type Lookup,
} from '../support/leads/lookups.mts';
import { credentialFor, useService } from '../support/servers/service.mts';

/** How many requests are in progress. */
const AT_ONCE = 3;

const service = useService();

/** A metered operation, seen from the outside. */
type Metered = Pick<NodeTest, 'node' | 'parameters'> & Pick<Lookup, 'item' | 'asked'>;

const search: Metered = {
	node: 'contactDataCompany',
	parameters: { operation: 'search', keyword: '={{ $json.domain }}' },
	item: (number) => ({ domain: service().fixtures.companies[number].domain }),
	asked: () => 1,
};

const metered: Array<[string, Metered, length: number]> = [
	...lookups.map((lookup): [string, Metered, number] => {
		return [lookup.operation, lookup, Math.max(20, 8 * lookup.perRequest)];
	}),
	['search', search, 12],
];

const costsIn = (run: IRun) => run.data.resultData.metadata?.contact_data_credits;

/** Runs a lookup that is stopped by `stop`; gives what is told in the moment of the stop, and at the end. */
async function runUntil(stop: AbortController, { item, ...lookup }: Metered, length: number) {
	const saved: unknown[] = [];
	const { run } = await runLookup(lookup, service(), numbers(length).map(item), {
		options: { maxConcurrency: AT_ONCE },
		stop: stop.signal,
		save: (atStop) => saved.push(costsIn(atStop)),
	});
	return [...saved, costsIn(run)];
}

test.each(metered)(
	'%s, in the moment of the stop: what is spent, and what may be for the requests in progress',
	async (_, lookup, length) => {
		const { requests, faults, ledger } = service();
		const stop = new AbortController();
		let inProgress: WireRequest[] = [];
		// As many answers as there are requests at once have come when so many more are sent.
		faults.add({ delayMs: 500, on: { where: () => requests.length > AT_ONCE } });
		whenSent(service(), 2 * AT_ONCE, () => {
			inProgress = requests.filter(({ finishedAt }) => finishedAt === null);
			stop.abort();
		});
		const told = await runUntil(stop, lookup, length);
		const answered = ledger.charges.filter(
			({ requestId }) => !inProgress.some(({ id }) => id === requestId),
		);
		const least = answered.reduce((sum, { credits }) => sum + credits, 0);
		const more = inProgress.reduce((sum, request) => sum + lookup.asked(request, service()), 0);
		expect(Math.min(least, more)).toBeGreaterThan(0);
		expect(told).toEqual([
			`${least} to ${least + more} credits spent`,
			`${ledger.total()} credits spent`,
		]);
	},
);

test('all nodes of the execution count; those that spent nothing are not named', async () => {
	const items = numbers(20).map((number) => ({ ...find.item(number), ...verify.item(number) }));
	const stop = new AbortController();
	whenSent(service(), items.length + 8, () => stop.abort());
	const nodes = [
		...[emits('Start', items), looksUp('Find', find)],
		...[emits('Again', items), looksUp('Find Again', find)],
		...[emits('Emails', items), looksUp('Verify', verify)],
	];
	const line = chain(nodes, credentialFor(service()));
	const { data } = await runWorkflow({ ...line, stop: stop.signal });
	const { ledger } = service();
	const [found, verified] = [ledger.total('find'), ledger.total('verify')];
	expect(Math.min(found, verified)).toBeGreaterThan(0);
	expect(data.resultData.metadata).toEqual({
		contact_data_credits: `${ledger.total()} credits spent (Find: ${found}, Verify: ${verified})`,
	});
});

describe('a request that is stopped', () => {
	test.each<[string, Effect, after: number, told: unknown[]]>([
		[
			'while it waits after a refusal has cost nothing',
			{ status: 503, retryAfter: 'seconds', seconds: 30 },
			300,
			[undefined, undefined],
		],
		[
			'and whose answer is cut off may have been charged, and counts once',
			{ body: 'cut-off', charge: true },
			0,
			['0 to 1 credit spent', '0 to 1 credit spent'],
		],
	])('%s', async (_, effect, after, told) => {
		service().faults.add(effect);
		service().options.latencyMs = 50;
		const stop = new AbortController();
		whenSent(service(), 1, async () => {
			await delay(after);
			stop.abort();
		});
		expect(await runUntil(stop, find, 1)).toEqual(told);
		expect(service().requests).toHaveLength(1);
	});
});
