/** @file Lists and texts so large that only what takes time in proportion to them comes to an end. */

import type { INodeParameters } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';

import { runNode, type OurNode } from '../support/engine.mts';
import { listWithId } from '../support/everyOperation.mts';
import { useServer } from '../support/ownServer.mts';
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
				const { json } = await runNode({
					node,
					parameters: { ...parametersFor(value), options: { maxRetries: 0 } },
					credential: credentialFor(service()),
					onError: 'continueRegularOutput',
				});
				expect(performance.now() - begun).toBeLessThan(2_000);
				expect(json).toHaveLength(1);
			}
		}
	});
});
