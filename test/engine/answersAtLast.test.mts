/** @file What the service answers in the end is the answer, whatever was lost on the way to it. */

import type { INodeParameters } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';

import { requestsOf } from '../support/bulk.mts';
import { runNode, type NodeResult, type OurNode } from '../support/engine.mts';
import { listWithId } from '../support/everyOperation.mts';
import { find, runLookup, type LookupTest } from '../support/lookups.mts';
import { hit, miss } from '../support/outcomes.mts';
import { credentialFor, useService } from '../support/service.mts';

const service = useService();

describe('a lost connection, then a 404', () => {
	async function findMiss(test: LookupTest = {}): Promise<NodeResult> {
		return await runLookup(find, service(), [find.item(miss)], test);
	}

	test.each(['before-charge', 'after-charge'] as const)('%s: a miss', async (reset) => {
		service().faults.add({ reset, on: { operation: 'find', nth: 1 } });
		const { json } = await findMiss({ onError: 'continueRegularOutput' });
		expect(requestsOf(service(), 'find').map(({ status }) => status)).toEqual([null, 404]);
		// Nobody knows whether the first request found somebody.
		expect(json[0]).toMatchObject({ status: 'not_found', credits: null });
	});

	test('does not stop a workflow', async () => {
		service().faults.add({ reset: 'before-charge', on: { operation: 'find', nth: 1 } });
		expect((await findMiss()).error).toBeUndefined();
	});

	async function read(node: OurNode, parameters: INodeParameters): Promise<NodeResult> {
		service().faults.add({ reset: 'before-charge', on: { nth: 1 } });
		const credential = credentialFor(service());
		return await runNode({ node, parameters, credential, onError: 'continueRegularOutput' });
	}

	test('without an index of lists: those of the account', async () => {
		service().variants.listIndex = 'missing';
		const { json } = await read('contactDataList', { operation: 'getAll', returnAll: true });
		expect(json.map(({ id }) => id)).toEqual(service().fixtures.lists.map(({ id }) => id));
	});

	test('of a company: nobody works there', async () => {
		const companyWebsite = 'nobody-knows.example';
		const { json } = await read('contactDataCompany', { operation: 'getLeads', companyWebsite });
		expect(json).toEqual([]);
	});

	test('of a list: it was not found', async () => {
		const { json } = await read('contactDataList', {
			operation: 'get',
			listId: listWithId('999'),
		});
		expect(json[0]).toMatchObject({ status: 'failed', reason: 'not_found', httpCode: 404 });
	});
});

test('a lost connection, then a refused key: Keep Credits says so', async () => {
	service().faults.add({ reset: 'before-charge', on: { nth: 1 } });
	const { json } = await runLookup(find, service(), [find.item(miss)], {
		credential: { ...credentialFor(service()), apiKey: 'revoked' },
		onError: 'continueRegularOutput',
		options: { keepCredits: 1 },
	});
	expect(json[0]).toMatchObject({ status: 'not_processed', reason: 'unauthorized' });
});

test('a lost connection, then no credits: it may have been charged, so it counts as sent', async () => {
	service().options.creditsLeft = { email: 1 };
	service().faults.add({ reset: 'after-charge', on: { operation: 'find', nth: 1 } });
	const { json } = await runLookup(find, service(), [find.item(hit)], {
		onError: 'continueRegularOutput',
	});
	expect(requestsOf(service(), 'find').map(({ status }) => status)).toEqual([null, 402]);
	expect(service().ledger.total()).toBe(1);
	expect(json[0]).toMatchObject({ status: 'failed', reason: 'connection', credits: null });
});
