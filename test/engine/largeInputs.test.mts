/** @file Lists and texts so large that only what takes time in proportion to them comes to an end. */

import type { IDataObject, INodeParameters, INodeType } from 'n8n-workflow';
import { afterEach, describe, expect, test, vi } from 'vitest';

import { AccountGate } from '../../nodes/shared/pace/gate.ts';
import { chain, outputOf } from '../support/node/chains.mts';
import { ourNodes, runNode, runWorkflow, type OurNode } from '../support/node/engine.mts';
import { listWithId } from '../operations.mts';
import { find, findBulk, hit, leadOf, numbers, verifyBulk } from '../support/leads/lookups.mts';
import { giveJson, queryOf, useServer } from '../support/servers/ownServer.mts';
import { credentialFor, useService } from '../support/servers/service.mts';

const service = useService();

afterEach(() => void vi.restoreAllMocks());

describe('a list of 250,000 leads', () => {
	const serve = useServer();
	const length = 250_000;
	const page = 500;

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
			credential: { baseUrl, apiKey: 'test-key' },
		});
		expect(error).toBeUndefined();
		expect(items).toHaveLength(length);
		expect(new Set(items.map(({ json }) => json.lastName)).size).toBe(length);
		expect(items.at(-1)).toMatchObject({ json: { firstName: 'Ann' }, pairedItem: { item: 0 } });
		expect(requests).toBe(wanted);
	});
});

describe('the rest of n8n goes on while', () => {
	const most = 10_000;
	const finds = (options: INodeParameters) => ({
		...{ node: find.node, parameters: { ...find.parameters, options } },
		itemAt: (number: number) => leadOf(number + hit),
	});

	interface Scene {
		node: OurNode;
		parameters: INodeParameters;
		itemAt: (number: number) => IDataObject;
	}

	const scenes: Array<[what: string, Scene, requests: number, isStopped?: boolean]> = [
		...[find, findBulk, verifyBulk].map((one): [string, Scene, number] => [
			`items that ask ${one.operation} the same have one answer`,
			{ ...one, itemAt: () => one.item(hit) },
			1,
		]),
		['items are not sent, as Max Credits is spent', finds({ maxCredits: 1, maxConcurrency: 1 }), 1],
		['lookups wait at the gate and leave at a stop', finds({ maxConcurrency: most }), 0, true],
		[
			'lists are not read, as the items name none',
			{
				...{ node: 'contactDataList', itemAt: (number) => ({ number }) },
				parameters: { operation: 'get', listId: listWithId('={{ $json.none }}') },
			},
			0,
		],
	];

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

	test.each(scenes)('%s', async (_, { node, parameters, itemAt }, requests, isStopped) => {
		const stop = new AbortController();
		if (isStopped) {
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
		const run = await runWorkflow({
			...chain(
				[
					{ name: 'Start', type: 'other' },
					{
						...{ name: 'Node', type: node, onError: 'continueRegularOutput' },
						parameters: { ...parameters, includeInputFields: true },
					},
					{ name: 'End', type: 'end' },
				],
				credentialFor(service()),
			),
			types: { other: watched(numbers(most).map(itemAt), () => reads++) },
			stop: stop.signal,
			onNode: (name) => {
				pass();
				// What n8n does before is not ours.
				if (name === 'Node') [longest, total] = [0, 0];
			},
		});
		clearInterval(timer);
		const json = outputOf(run, 'Node');
		expect(json).toHaveLength(most);
		if (isStopped) expect(json.at(-1)).toMatchObject({ reason: 'cancelled' });
		else expect(service().requests).toHaveLength(requests);
		// How much of the work nothing else could come between.
		expect(longest).toBeGreaterThan(0);
		expect(longest / total).toBeLessThan(1 / 10);
	});
});
