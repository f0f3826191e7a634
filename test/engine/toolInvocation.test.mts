/** @file Where n8n calls a node as a tool directly, it knows only `routing`, and one item. */

import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';

import { answerIn, findBulk, leadOf, numbers, requestsOf, verifyBulk } from '../support/bulk.mts';
import { ourNodes, runNode } from '../support/engine.mts';
import { everyOperation, type Sample } from '../support/everyOperation.mts';
import { find, runLookup } from '../support/lookups.mts';
import { credentialFor, useService } from '../support/service.mts';
import { callTool } from '../support/tool.mts';

const service = useService();

const names = [
	'contactDataAccount get',
	'contactDataList getAll',
	'contactDataList get',
	'contactDataList getLeads',
	'contactDataList exportLeads',
	'contactDataFinder find',
	'contactDataFinder findBulk',
	'contactDataFinder estimate',
	'contactDataVerifier verify',
	'contactDataVerifier verifyBulk',
	'contactDataVerifier estimate',
	'contactDataCompany search',
	'contactDataCompany getLeads',
];

function sampleOf(name: string): Sample {
	const sample = everyOperation(service()).find(
		({ node, operation }) => `${node} ${operation}` === name,
	);
	if (!sample) throw new Error(`Nobody knows ${name}`);
	return sample;
}

/** The items without the moment in which the service answered. */
const withoutTime = (items: IDataObject[]) => items.map(({ checkedAt, ...json }) => json);

const sent = () => service().requests.map(({ method, path, rawQuery }) => [method, path, rawQuery]);

test('all operations are here', () => {
	const all = everyOperation(service()).map(({ node, operation }) => `${node} ${operation}`);
	expect(all).toEqual(names);
	// Get Bulk Job needs a job.
	const offered = Object.values(ourNodes).flatMap(({ description: { name, properties } }) =>
		properties
			.filter((property) => property.name === 'operation')
			.flatMap(({ options = [] }) => options)
			.map((option) => `${name} ${'value' in option ? option.value : ''}`),
	);
	expect([...all, 'contactDataFinder getBulkJob'].toSorted()).toEqual(offered.toSorted());
});

test.each(names)('%s gives the items that a workflow gets, by the same requests', async (name) => {
	const { node, parameters } = sampleOf(name);
	const credential = credentialFor(service());
	const { json } = await runNode({ node, parameters, credential });
	const inWorkflow = { sent: sent(), spent: service().ledger.total() };
	service().reset();

	const told = await callTool({ node, parameters, credential });
	expect(json.length).toBeGreaterThan(0);
	expect(withoutTime(told)).toEqual(withoutTime(JSON.parse(JSON.stringify(json))));
	expect({ sent: sent(), spent: service().ledger.total() }).toEqual(inWorkflow);
});

describe('Get Bulk Job', () => {
	const wanted = numbers(5);

	async function job(): Promise<INodeParameters> {
		Object.assign(service().variants, { bulkAnswer: 'job', jobPolls: 1_000_000 });
		const { json } = await runLookup(findBulk, service(), wanted.map(leadOf), {
			options: { jobTimeout: 0 },
			onError: 'continueRegularOutput',
		});
		return { operation: 'getBulkJob', jobId: String(json[0].jobId) };
	}

	test('gives the rows of the job', async () => {
		const parameters = await job();
		service().variants.jobPolls = 0;
		const spent = service().ledger.total();
		const credential = credentialFor(service());
		const told = await callTool({ node: 'contactDataFinder', parameters, credential });
		expect(told.map(answerIn)).toEqual(wanted.map(findBulk.answer));
		expect(service().ledger.total()).toBe(spent);
	});

	test('tells that the job has not finished', async () => {
		const parameters = await job();
		const credential = credentialFor(service());
		const told = await callTool({ node: 'contactDataFinder', parameters, credential });
		expect(told).toMatchObject([{ status: 'pending', jobId: parameters.jobId }]);
	});
});

describe.each([find, findBulk])('$operation, called by a model', (lookup) => {
	const parameters = {
		...lookup.parameters,
		firstName: '={{ $fromAI("first_name") }}',
		lastName: '={{ $fromAI("last_name") }}',
		domain: '={{ $fromAI("domain") }}',
	};
	const call = async (test = {}) => {
		const [number] = numbers(40).filter((one) => lookup.subject(one) !== null);
		const { first, last, domain } = leadOf(number);
		const told = await callTool({
			node: lookup.node,
			parameters,
			credential: credentialFor(service()),
			args: { first_name: first, last_name: last, domain },
			...test,
		});
		return { number, told };
	};

	test('looks up whom the model names, once', async () => {
		const { number, told } = await call();
		expect(told.map(answerIn)).toEqual([lookup.answer(number)]);
		expect(requestsOf(service(), lookup.operation)).toHaveLength(1);
		expect(service().ledger.total()).toBe(1);
	});

	test("never tells the model the caller's own item", async () => {
		const { number, told } = await call({
			parameters: { ...parameters, includeInputFields: true },
			input: { chatInput: 'Who is that?', email: 'other@c.bulk.example' },
		});
		expect(told.map(answerIn)).toEqual([lookup.answer(number)]);
		expect(told[0]).not.toHaveProperty('chatInput');
	});

	test('keeps to Max Credits', async () => {
		const { told } = await call({ parameters: { ...parameters, options: { maxCredits: 0 } } });
		expect(told).toMatchObject([{ status: 'not_processed', reason: 'credit_limit' }]);
		expect(service().requests).toEqual([]);
	});

	test('tells the model what is wrong and what to do', async () => {
		service().options.creditsLeft = { email: 0 };
		const { told } = await call();
		expect(told).toMatchObject([{ status: 'not_processed', reason: 'out_of_credits' }]);
		expect(String(told[0].message)).toContain('Add credits');
	});
});

test('Verify Emails in Bulk verifies the one email that the model names', async () => {
	const email = String(verifyBulk.item(7).email);
	const told = await callTool({
		node: 'contactDataVerifier',
		parameters: { operation: 'verifyBulk', email: '={{ $fromAI("email") }}' },
		credential: credentialFor(service()),
		args: { email },
	});
	expect(told.map(answerIn)).toEqual([verifyBulk.answer(7)]);
	expect(service().ledger.total('verifyBulk')).toBe(1);
});
