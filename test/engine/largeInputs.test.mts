/** @file Lists and texts so large that only what takes time in proportion to them comes to an end. */

import type { IDataObject, INodeParameters, INodeType } from 'n8n-workflow';
import { afterEach, describe, expect, test, vi } from 'vitest';

import { AccountGate } from '../../nodes/shared/pace/gate.ts';
import { chain, looksUp, outputOf } from '../support/node/chains.mts';
import {
	ourNodes,
	runNode,
	runWorkflow,
	type OurNode,
	type TestNode,
} from '../support/node/engine.mts';
import { listWithId } from '../operations.mts';
import { find, findBulk, hit, leadOf, numbers, verifyBulk } from '../support/leads/lookups.mts';
import { giveJson, queryOf, useServer } from '../support/servers/ownServer.mts';
import { credentialFor, useService } from '../support/servers/service.mts';

const service = useService();

afterEach(() => void vi.restoreAllMocks());

describe('a list of 250,000 leads', () => {
	const serve = useServer();
	const length = 250_000;
	const page = 2_500;

	const leadsFrom = (last: number, many: number) =>
		numbers(many).map((index) => ({
			...{ id: last - index, first_n: 'Ann', last_n: `Test ${last - index}` },
		}));

	test.each([
		['Get List Leads', 'getLeads', length / page + 1],
		['Export List Leads', 'exportLeads', 1],
	])('is read by one node with %s', async (_, operation, wanted) => {
		let requests = 0;
		const baseUrl = await serve((request, response) => {
			requests++;
			if (operation === 'exportLeads') return giveJson(response, leadsFrom(length, length));
			const start = Number(queryOf(request).get('start') ?? length + 1);
			const many = Math.min(page, start - 1);
			giveJson(response, { next_start: start - many, data: leadsFrom(start - 1, many) });
		});
		const { items, error } = await runNode({
			node: 'contactDataList',
			parameters: { operation, listId: listWithId('103'), returnAll: true },
			credential: { baseUrl, apiKey: 'test-key', customizeInterface: true, listPageSize: page },
		});
		expect(error).toBeUndefined();
		expect(items).toHaveLength(length);
		expect(new Set(items.map(({ json }) => json.lastName)).size).toBe(length);
		expect(items.at(-1)).toMatchObject({ json: { firstName: 'Ann' }, pairedItem: { item: 0 } });
		expect(requests).toBe(wanted);
	});
});

/** A node that emits these items, and tells of each field of theirs that is read. */
function watched(items: IDataObject[], onRead: () => void): INodeType {
	const { description } = ourNodes.contactDataAccount;
	const get = (fields: IDataObject, name: string) => {
		onRead();
		return fields[name];
	};
	return {
		description: { ...description, inputs: [], properties: [], credentials: [] },
		execute: async () => [items.map((fields) => ({ json: new Proxy(fields, { get }) }))],
	};
}

describe('the rest of n8n goes on while', () => {
	const most = 10_000;
	const unnamed = { operation: 'get', listId: listWithId('={{ $json.none }}') };

	interface Scene extends Pick<TestNode, 'parameters'> {
		what: string;
		node: OurNode;
		item: (number: number) => IDataObject;
		options?: INodeParameters;
		requests?: number;
	}

	const scenes: Scene[] = [
		...[find, findBulk, verifyBulk].map((one) => ({
			...{ ...one, what: `items that ask ${one.operation} the same have one answer` },
			...{ item: () => one.item(hit), requests: 1 },
		})),
		{
			...{ ...find, what: 'items are not sent, as Max Credits is spent' },
			...{ item: (number) => find.item(number + hit), requests: 1 },
			options: { maxCredits: 1, maxConcurrency: 1 },
		},
		{
			...{ ...find, what: 'lookups wait at the gate and leave at a stop' },
			options: { maxConcurrency: most },
		},
		{
			...{ node: 'contactDataList', what: 'lists are not read, as the items name none' },
			...{ item: leadOf, parameters: unnamed, requests: 0 },
		},
	];

	test.each(scenes)('$what', async ({ node, item, parameters, options = {}, requests }) => {
		const stop = new AbortController();
		if (requests === undefined) {
			// The first answers close the gate for a minute; the others wait there. All have to be there before it opens again.
			service().faults.add({ status: 429, retryAfter: 'seconds', seconds: 60 });
			const { enter } = AccountGate.prototype;
			let entered = 0;
			vi.spyOn(AccountGate.prototype, 'enter').mockImplementation(async function (
				this: AccountGate,
				lane,
			) {
				if (++entered === most) setTimeout(() => stop.abort());
				return await enter.call(this, lane);
			});
		}
		// How much is done in a while is up to the machine, but not by a clock that goes on when somebody looks at it.
		let now = performance.now();
		vi.spyOn(performance, 'now').mockImplementation(() => (now += 1 / 2));
		let [longest, total, reads] = [0, 0, 0];
		const pass = () => {
			longest = Math.max(longest, reads);
			total += reads;
			reads = 0;
		};
		const timer = setInterval(pass, 1);
		const start: TestNode = { name: 'Start', type: 'other' };
		const all = { ...parameters, includeInputFields: true };
		const ours = looksUp('Node', { node, parameters: all }, options);
		const run = await runWorkflow({
			...chain([start, ours, { name: 'End', type: 'end' }], credentialFor(service())),
			types: { other: watched(numbers(most).map(item), () => reads++) },
			stop: stop.signal,
			onNode: (name) => {
				pass();
				// What n8n does before is not ours.
				if (name === 'Node') [longest, total] = [0, 0];
			},
		});
		clearInterval(timer);
		pass();
		const json = outputOf(run, 'Node');
		expect(json).toHaveLength(most);
		if (requests === undefined) expect(json.at(-1)).toMatchObject({ lookupReason: 'cancelled' });
		else expect(service().requests).toHaveLength(requests);
		// How much of the work nothing else could come between.
		expect(longest).toBeGreaterThan(0);
		expect(longest / total).toBeLessThan(1 / 10);
	});
});
