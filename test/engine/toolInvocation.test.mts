/** @file Where n8n calls a node as a tool directly, it knows only `routing`, and one item. */

import { expect, test } from 'vitest';

import { runNode } from '../support/node/engine.mts';
import { bulkJob, everyOperation } from '../operations.mts';
import { answerIn, find, findBulk, leadOf, numbers } from '../support/leads/lookups.mts';
import { acceptJob } from '../support/node/operationRow.mts';
import { timeless } from '../support/leads/outcomes.mts';
import { credentialFor, useService } from '../support/servers/service.mts';
import { callTool } from '../support/node/tool.mts';

const service = useService();

test.each(everyOperation())(
	"$node $operation gives the items that a workflow gets, by the same requests, and nothing of the caller's item",
	async ({ node, parameters }) => {
		const credential = credentialFor(service());
		const sent = () => ({
			requests: service().requests.map(({ method, path, rawQuery }) => [method, path, rawQuery]),
			spent: service().ledger.total(),
		});
		const withoutInput = { ...parameters, includeInputFields: false };
		const { json } = await runNode({ node, parameters: withoutInput, credential });
		const inWorkflow = sent();
		service().reset();

		const input = { chatInput: 'Who is that?', email: 'other@c.bulk.example' };
		const withInput = { ...parameters, includeInputFields: true };
		const told = await callTool({ node, parameters: withInput, credential, input });
		expect(json.length).toBeGreaterThan(0);
		expect(timeless(told)).toEqual(timeless(json));
		expect(sent()).toEqual(inWorkflow);
	},
);

test('Get Bulk Job tells that the job has not finished, then gives its rows, for free', async () => {
	const wanted = numbers(5);
	const rows = wanted.map(leadOf).map(({ first: firstName, last: lastName, domain }, index) => {
		return { tId: index + 1, firstName, lastName, domain };
	});
	await acceptJob(service(), ...rows);
	service().variants.jobPolls = 1_000_000;
	const { node, parameters } = bulkJob('9001');
	const call = { node, parameters, credential: credentialFor(service()) };
	expect(await callTool(call)).toMatchObject([{ status: 'pending', jobId: '9001' }]);
	service().variants.jobPolls = 0;
	const spent = service().ledger.total();
	expect((await callTool(call)).map(answerIn)).toEqual(wanted.map(findBulk.answer));
	expect(service().ledger.total()).toBe(spent);
});

test.each([find, findBulk])(
	"$operation, called by a model, looks up nobody of the caller's own item: the fields begin empty",
	async ({ node, operation }) => {
		const told = await callTool({
			node,
			parameters: { operation },
			credential: credentialFor(service()),
			input: { fullName: 'Ada Lovelace', domain: 'acme.example', email: 'ada@acme.example' },
		});
		expect(told).toMatchObject([{ status: 'invalid_input', reason: 'missing_name' }]);
		expect(service().requests).toEqual([]);
	},
);
