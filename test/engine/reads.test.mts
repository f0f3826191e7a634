/** @file Reads of which an item fails: all items have the same columns, and that one says what it was asked for. */

import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';

import { byId } from '../support/node/operationCases.mts';
import { runNode, type OurNode } from '../support/node/engine.mts';
import { acceptJob } from '../support/node/operationRow.mts';
import { credentialFor, useService } from '../support/servers/service.mts';

const service = useService();

interface Case {
	node: OurNode;
	parameters: INodeParameters;
	/** Of the first and the last one there is something to read. */
	items: [IDataObject, IDataObject, IDataObject];
	asked: IDataObject;
}

const ofList = (operation: string): Case => ({
	node: 'contactDataList',
	parameters: { operation, listId: byId('={{ $json.list }}') },
	items: [{ list: 101 }, { list: 999 }, { list: 102 }],
	asked: { listId: '999' },
});

const people = (asked: IDataObject, item: IDataObject, more: INodeParameters = {}): Case => ({
	node: 'contactDataCompany',
	parameters: { operation: 'getLeads', limit: 2, title: 'a', ...more },
	items: [{ Company: 'Willow & Sons' }, item, { Website: 'willow-sons.example' }],
	asked,
});

/** Where the service refuses what it is asked for the second item. */
const refuse = () => {
	const where = ({ rawQuery }: { rawQuery: string }) => /nobody/i.test(rawQuery);
	service().faults.add({ status: 400, on: { where } });
};

describe.each<[string, Case]>([
	['Get List', ofList('get')],
	['Get List Leads', ofList('getLeads')],
	['Export List Leads', ofList('exportLeads')],
	[
		'people by website',
		people({ companyWebsite: 'nobody.example' }, { Website: 'nobody.example' }),
	],
	['people by name', people({ companyName: 'Nobody Inc' }, { Company: 'Nobody Inc' })],
	[
		'people, with the item that asked',
		people({ companyName: 'Nobody' }, { Company: 'Nobody' }, { includeInputFields: true }),
	],
])('%s', (_, { node, parameters, items, asked }) => {
	const run = async (onError: 'continueRegularOutput' | 'continueErrorOutput', simple = true) => {
		refuse();
		const credential = credentialFor(service());
		return await runNode({
			node,
			parameters: { ...parameters, simple },
			items,
			onError,
			credential,
		});
	};

	test.each([true, false])('Simplify %s', async (simple) => {
		const { json, items: output } = await run('continueRegularOutput', simple);
		const [first] = json.map((item) => Object.keys(item));
		for (const item of json) expect(Object.keys(item)).toEqual(first);
		const failed = output.filter(({ json }) => json.lookupStatus !== null);
		expect(failed.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 1 }]);
		expect(failed[0].json).toMatchObject({
			...asked,
			lookupStatus: 'failed',
			lookupReason: expect.any(String),
		});
		expect(json.length).toBeGreaterThan(2);
		const nothing = [...Object.keys(asked), 'lookupStatus', 'lookupReason', 'lookupMessage'];
		const none = Object.fromEntries(nothing.map((name) => [name, null]));
		for (const one of output.filter((item) => item !== failed[0])) {
			expect(one.json).toMatchObject(none);
		}
	});

	test('with an error output, the other items are as they are without it', async () => {
		const { json, errorItems } = await run('continueErrorOutput');
		expect(errorItems).toMatchObject([{ json: { error: { status: 'failed' } } }]);
		for (const item of json) expect(item).not.toHaveProperty('lookupReason');
	});
});

test.each([true, false])('Get Bulk Job, Simplify %s', async (simple) => {
	await acceptJob(service(), { tId: 1, name: 'Ada Lovelace', domain: 'acme.com' });
	const { json } = await runNode({
		node: 'contactDataFinder',
		parameters: { operation: 'getBulkJob', jobId: '={{ $json.job }}', simple },
		items: [{ job: 9001 }, { job: 77 }, {}],
		onError: 'continueRegularOutput',
		credential: credentialFor(service()),
	});
	const [row, ...others] = json.map((item) => Object.keys(item));
	expect(others).toEqual([row, row]);
	expect(json.slice(1)).toMatchObject([
		{ lookupStatus: 'failed', lookupReason: 'not_found' },
		{ lookupStatus: 'invalid_input', lookupReason: 'missing_job' },
	]);
});
