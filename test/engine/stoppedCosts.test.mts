/** @file What an execution has cost is in its custom data, by the ledger of the service. */

import { setTimeout as delay } from 'node:timers/promises';

import type { IDataObject, INodeParameters, IRun } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';

import type { WireRequest } from '../service/wireLog.mts';
import { addressOf, bulks, findBulk, leadOf, numbers, runBulk } from '../support/bulk.mts';
import { runNode, runWorkflow, type NodeTest, type OurNode } from '../support/engine.mts';
import { whenSent } from '../support/lookups.mts';
import { credentialFor, useService } from '../support/service.mts';

/** How many requests are under way. */
const AT_ONCE = 3;

const service = useService();

/** A metered operation, with more items than it is given the time for. */
interface Lookup {
	name: string;
	node: OurNode;
	parameters: INodeParameters;
	items: () => IDataObject[];
	/** The most that a request may cost, in credits. */
	price: (request: WireRequest) => number;
}

const person = {
	firstName: '={{ $json.first }}',
	lastName: '={{ $json.last }}',
	domain: '={{ $json.domain }}',
};

const lookups: Lookup[] = [
	{
		name: 'find',
		node: 'contactDataFinder',
		parameters: { operation: 'find', ...person },
		items: () => numbers(20).map(leadOf),
		price: () => 1,
	},
	{
		name: 'verify',
		node: 'contactDataVerifier',
		parameters: { operation: 'verify', email: '={{ $json.email }}' },
		items: () => numbers(20).map((number) => ({ email: addressOf(number) })),
		price: () => 1,
	},
	{
		name: 'search',
		node: 'contactDataCompany',
		parameters: { operation: 'search', keyword: '={{ $json.domain }}' },
		items: () => service().fixtures.companies.map(({ domain }) => ({ domain })),
		price: () => 1,
	},
	...bulks.map(({ operation, node, parameters, item, perRequest, asked }) => ({
		name: operation,
		node,
		parameters,
		items: () => numbers(8 * perRequest).map(item),
		price: (request: WireRequest) => asked(request, service()),
	})),
];

const costsIn = (run: IRun) => run.data.resultData.metadata?.contact_data_credits;

async function run({ node, parameters, items }: Lookup, test: Partial<NodeTest>) {
	return await runNode({
		node,
		parameters: { ...parameters, options: { maxConcurrency: AT_ONCE } },
		items: items(),
		credential: credentialFor(service()),
		...test,
	});
}

describe.each(lookups)('$name', (lookup) => {
	test('in the moment of the stop: what is spent, and what may be for the requests under way', async () => {
		const { requests, faults, ledger } = service();
		const stop = new AbortController();
		let underWay: WireRequest[] = [];
		// As many answers as there are requests at once have come when so many more are sent.
		faults.add({ delayMs: 500, on: { where: () => requests.length > AT_ONCE } });
		whenSent(service(), 2 * AT_ONCE, () => {
			underWay = requests.filter(({ finishedAt }) => finishedAt === null);
			stop.abort();
		});
		const saved: unknown[] = [];
		const { run: ended } = await run(lookup, {
			stop: stop.signal,
			save: (atStop) => saved.push(costsIn(atStop)),
		});
		const answered = ledger.charges.filter(
			({ requestId }) => !underWay.some(({ id }) => id === requestId),
		);
		const least = answered.reduce((sum, { credits }) => sum + credits, 0);
		const more = underWay.reduce((sum, request) => sum + lookup.price(request), 0);
		expect(Math.min(least, more)).toBeGreaterThan(0);
		expect(saved).toEqual([`${least} to ${least + more} credits spent`]);
		expect(costsIn(ended)).toBe(`${ledger.total()} credits spent`);
	});

	test.each([2, 20])('at the end of an execution with %i items: what is spent', async (length) => {
		const { run: ended } = await run(lookup, { items: lookup.items().slice(0, length) });
		const spent = service().ledger.total();
		expect(spent).toBeGreaterThan(0);
		expect(ended.data.resultData.metadata).toEqual({
			contact_data_credits: spent === 1 ? '1 credit spent' : `${spent} credits spent`,
		});
	});
});

test('all nodes of the execution count', async () => {
	const leads = numbers(20).map(leadOf);
	const emails = numbers(20).map((number) => ({ email: addressOf(number) }));
	const [find, verify] = lookups;
	const stop = new AbortController();
	whenSent(service(), leads.length + 8, () => stop.abort());
	const { data } = await runWorkflow({
		nodes: [
			{ name: 'Start', type: 'start', parameters: { items: JSON.stringify(leads) } },
			{ name: 'Find', type: find.node, parameters: find.parameters },
			{ name: 'Emails', type: 'start', parameters: { items: JSON.stringify(emails) } },
			{ name: 'Verify', type: verify.node, parameters: verify.parameters },
		],
		connections: ['Start > Find', 'Find > Emails', 'Emails > Verify'],
		credential: credentialFor(service()),
		stop: stop.signal,
	});
	const { ledger } = service();
	const [found, verified] = [ledger.total('find'), ledger.total('verify')];
	expect(Math.min(found, verified)).toBeGreaterThan(0);
	expect(data.resultData.metadata).toEqual({
		contact_data_credits: `${ledger.total()} credits spent (Find: ${found}, Verify: ${verified})`,
	});
});

describe('what is certain and what is not', () => {
	const [find] = lookups;
	const one = numbers(1).map(leadOf);

	test('a request that was refused and waits has cost nothing', async () => {
		service().faults.add({ status: 503, retryAfter: 'seconds', seconds: 30 });
		const stop = new AbortController();
		whenSent(service(), 1, async () => {
			await delay(300);
			stop.abort();
		});
		const saved: unknown[] = [];
		await run(find, {
			items: one,
			stop: stop.signal,
			save: (atStop) => saved.push(costsIn(atStop)),
		});
		expect(service().requests).toHaveLength(1);
		expect(saved).toEqual([undefined]);
	});

	test('a request whose answer was cut off may have been charged, and counts once', async () => {
		service().faults.add({ body: 'cut-off', charge: true });
		service().options.latencyMs = 50;
		const stop = new AbortController();
		whenSent(service(), 1, () => stop.abort());
		const { run: ended } = await run(find, { items: one, stop: stop.signal });
		expect(service().ledger.total()).toBe(1);
		expect(costsIn(ended)).toBe('0 to 1 credit spent');
		expect(ended.data.executionData?.contextData.flow.contactDataCredits).toEqual({
			executionId: expect.any(String),
			nodes: { Node: { certain: 0, uncertain: 1 } },
		});
	});

	test('bulk requests may cost what the leads in them cost', async () => {
		service().options.latencyMs = 500;
		const stop = new AbortController();
		whenSent(service(), 2, () => stop.abort());
		const saved: unknown[] = [];
		const items = numbers(130).map(leadOf);
		const save = (atStop: IRun) => saved.push(costsIn(atStop));
		await runBulk(findBulk, service(), items, { stop: stop.signal, save });
		expect(saved).toEqual(['0 to 130 credits spent']);
	});

	test('a job that goes on may cost what its leads cost', async () => {
		Object.assign(service().variants, { bulkAnswer: 'job', jobPolls: 1_000_000 });
		const stop = new AbortController();
		whenSent(service(), 1, async () => {
			await delay(300);
			stop.abort();
		});
		const items = numbers(70).map(leadOf);
		const { run: ended } = await runBulk(findBulk, service(), items, { stop: stop.signal });
		expect(costsIn(ended)).toBe('0 to 70 credits spent');
	});
});
