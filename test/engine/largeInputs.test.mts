/** @file Lists and texts so large that only what takes time in proportion to them comes to an end. */

import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { afterEach, describe, expect, test, vi } from 'vitest';

import { Delivery } from '../../nodes/shared/lookups/delivery.ts';
import { ItemReader } from '../../nodes/shared/lookups/item.ts';
import { Parameters } from '../../nodes/shared/host/parameters.ts';
import { Accounts } from '../../nodes/shared/client/accounts.ts';
import { leadOf, numbers } from '../support/bulk.mts';
import { runNode, type OurNode } from '../support/engine.mts';
import { listWithId } from '../support/everyOperation.mts';
import { credentialContext } from '../support/credentialContext.mts';
import { find, runLookup } from '../support/lookups.mts';
import { giveJson, useServer } from '../support/ownServer.mts';
import { credentialFor, useService } from '../support/service.mts';

const service = useService();

describe('a list of 250,000 leads', () => {
	const serve = useServer();
	const length = 250_000;
	const page = 500;

	/** A service that has the list, and does not look at what it is asked. */
	async function serviceWithList(asked: string[]) {
		const leads = (last: number, number: number) =>
			Array.from({ length: number }, (_, index) =>
				JSON.stringify({ id: last - index, first_n: 'Ann', last_n: `Test ${last - index}` }),
			).join();
		const baseUrl = await serve((request, response) => {
			const { pathname, searchParams } = new URL(request.url ?? '', 'http://x');
			asked.push(`${pathname}${searchParams.size > 0 ? `?${searchParams}` : ''}`);
			const start = Number(searchParams.get('start') ?? length + 1);
			const number = Math.min(page, start - 1);
			const body = pathname.endsWith('/data')
				? `[${leads(length, length)}]`
				: `{"next_start":${start - number},"data":[${leads(start - 1, number)}]}`;
			response.writeHead(200, { 'content-type': 'application/json' }).end(body);
		});
		return { baseUrl, apiKey: 'test-key' };
	}

	test.each([
		['Get List Leads', 'getLeads', length / page + 1],
		['Export List Leads', 'exportLeads', 1],
	])('is read by one node with %s', async (_, operation, requests) => {
		const asked: string[] = [];
		const { items, error } = await runNode({
			node: 'contactDataList',
			parameters: { operation, listId: listWithId('103'), returnAll: true },
			credential: await serviceWithList(asked),
		});
		expect(error).toBeUndefined();
		expect(items).toHaveLength(length);
		expect(new Set(items.map(({ json }) => json.lastName)).size).toBe(length);
		expect(items.at(-1)).toMatchObject({ json: { firstName: 'Ann' }, pairedItem: { item: 0 } });
		expect(asked).toHaveLength(requests);
	});
});

describe('a text of 200,000 characters', () => {
	const length = 200_000;

	const texts = ['.', 'www.', 'a://', 'a:', '@', '/', ' ', '\r\n', '+{, ', '1'];

	const frames = [
		['', ''],
		['a', 'b'],
		['https://a.b', '/c'],
	];

	const fields: Array<
		[field: string, node: OurNode, parameters: (text: string) => INodeParameters]
	> = [
		['Company Domain', 'contactDataFinder', (domain) => ({ fullName: 'Ann Test', domain })],
		['Full Name', 'contactDataFinder', (fullName) => ({ fullName, domain: 'c.bulk.example' })],
		['Email', 'contactDataVerifier', (email) => ({ email })],
		['Company', 'contactDataCompany', (keyword) => ({ keyword })],
		[
			'Company Website',
			'contactDataCompany',
			(companyWebsite) => ({ operation: 'getLeads', companyWebsite }),
		],
		[
			'List',
			'contactDataList',
			(value) => ({ operation: 'get', listId: listWithId(`={{ ${JSON.stringify(value)} }}`) }),
		],
	];

	test.each(fields)('in %s takes no time worth mentioning', async (_, node, parametersFor) => {
		for (const text of texts) {
			for (const [before, after] of frames) {
				const value = `${before}${text.repeat(length / text.length)}${after}`;
				const begun = performance.now();
				const { json, error } = await runNode({
					node,
					parameters: { ...parametersFor(value), options: { maxRetries: 0 } },
					credential: credentialFor(service()),
					onError: 'continueRegularOutput',
				});
				expect(performance.now() - begun).toBeLessThan(10_000);
				expect(error).toBeUndefined();
				// A company that is not known has no people.
				expect(json.length).toBeLessThanOrEqual(1);
			}
		}
	});
});

describe('the rest of n8n goes on', () => {
	const serve = useServer();

	afterEach(() => void vi.restoreAllMocks());

	/** Counts how often the process had time for something else. */
	function countTurns(): { soFar: () => number; end: () => void } {
		let turns = 0;
		let next: NodeJS.Immediate;
		const count = () => {
			turns++;
			next = setImmediate(count);
		};
		count();
		return { soFar: () => turns, end: () => clearImmediate(next) };
	}

	test('while 50,000 questions are not sent, as Max Credits is spent', async () => {
		const length = 50_000;
		const read = vi.spyOn(ItemReader.prototype, 'read');
		// All the others wait when the first answer spends it.
		const baseUrl = await serve(async (_, response) => {
			await vi.waitUntil(() => read.mock.calls.length === length, { timeout: 30_000 });
			setTimeout(() => giveJson(response, { email: 'ann@acme.com' }), 100);
		});
		const turns = countTurns();
		const settledIn = new Set<number>();
		const { settle } = Delivery.prototype;
		vi.spyOn(Delivery.prototype, 'settle').mockImplementation(function (
			this: Delivery<IDataObject>,
			...settled
		) {
			settledIn.add(turns.soFar());
			settle.apply(this, settled);
		});
		const { json } = await runLookup(find, service(), numbers(length).map(leadOf), {
			credential: { baseUrl, apiKey: 'test-key' },
			options: { maxCredits: 1 },
		});
		turns.end();
		expect(json.filter(({ reason }) => reason === 'credit_limit')).toHaveLength(length - 1);
		expect(settledIn.size).toBeGreaterThan(3);
	});

	test('while 20,000 lists are not read, as the items name none', async () => {
		const length = 20_000;
		const turns = countTurns();
		const readIn = new Set<number>();
		const { get } = Parameters.prototype;
		vi.spyOn(Parameters.prototype, 'get').mockImplementation(function (
			this: Parameters,
			...parameter
		) {
			readIn.add(turns.soFar());
			return get.apply(this, parameter);
		});
		const { errorItems } = await runNode({
			node: 'contactDataList',
			parameters: { operation: 'get', listId: listWithId('={{ $json.none }}') },
			items: numbers(length).map((number) => ({ number })),
			credential: credentialFor(service()),
			onError: 'continueErrorOutput',
		});
		turns.end();
		expect(errorItems).toHaveLength(length);
		expect(readIn.size).toBeGreaterThan(3);
	});
});

// To run a node for so many takes a minute.
test('130,000 accounts are not too many to see which was paused longest', async () => {
	const length = 130_000;
	const context = credentialContext(async (item) => {
		const credential = { baseUrl: 'https://api.example.com', apiKey: `key of ${item}` };
		return { credential, isForAll: false };
	});
	const accounts = new Accounts(context, {}, (client) => client);
	for (let item = 0; item < length; item++) await accounts.of(item);
	expect(accounts.paused).toBe(0);
	accounts.end();
});
