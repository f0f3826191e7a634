/** @file Where n8n calls a node as a tool directly, it knows only `routing`, and one item. */

import type { INodeParameters } from 'n8n-workflow';
import { expect, test } from 'vitest';

import { forgetRecentAnswers } from '../../nodes/shared/execution/recent.ts';
import { ofJob } from '../../nodes/shared/failures/failure.ts';
import { outcomeIn } from '../support/node/definedItems.mts';
import { runNode } from '../support/node/engine.mts';
import { bulkJob, everyOperation, operationOf, readsJob } from '../operations.mts';
import { find, findBulk } from '../support/leads/lookups.mts';
import { acceptJob } from '../support/node/operationRow.mts';
import { picked, timeless } from '../support/leads/outcomes.mts';
import { credentialFor, useService } from '../support/servers/service.mts';
import { callTool } from '../support/node/tool.mts';

const service = useService();

const search = operationOf('searchCompany');

const [{ fullName: name, domain }] = everyOperation().map(({ parameters }) => parameters);

test.each([
	...everyOperation().map((sample) => ({ ...sample, jobPolls: 0 })),
	// A job that has ended, and one that has not.
	...[0, 1_000_000].map((jobPolls) => ({ ...bulkJob('9001'), jobPolls })),
])(
	"$node $operation gives the items that a workflow gets, by the same requests, and nothing of the caller's item",
	async ({ jobPolls, ...sample }) => {
		const { node, parameters } = sample;
		const begin = async () => {
			service().reset();
			forgetRecentAnswers();
			if (readsJob(sample)) await acceptJob(service(), { tId: 1, name, domain });
			service().variants.jobPolls = jobPolls;
		};
		const credential = credentialFor(service());
		const sent = () => ({
			requests: service().requests.map(({ method, path, rawQuery }) => [method, path, rawQuery]),
			spent: service().ledger.total(),
		});
		await begin();
		const withoutInput = { ...parameters, includeInputFields: false };
		const { json } = await runNode({ node, parameters: withoutInput, credential });
		const inWorkflow = sent();

		await begin();
		const input = { chatInput: 'Who is that?', email: 'other@c.bulk.example' };
		const withInput = { ...parameters, includeInputFields: true };
		const told = await callTool({ node, parameters: withInput, credential, input });
		if (jobPolls > 0)
			expect(json).toMatchObject([{ lookupStatus: 'pending', lookupJobId: '9001' }]);
		expect(json.length).toBeGreaterThan(0);
		// The output of a workflow has the advice above it; a tool has it in the item.
		const inFull = json.map((one) =>
			one.lookupStatus === 'pending'
				? {
						...one,
						lookupMessage: `${String(one.lookupMessage)}. ${ofJob('1').problem.description}`,
					}
				: one,
		);
		expect(timeless(told)).toEqual(timeless(inFull));
		expect(sent()).toEqual(inWorkflow);
	},
);

test.each([find, findBulk])(
	"$operation, called by a model, looks up nobody of the caller's own item: the fields begin empty",
	async ({ node, operation }) => {
		const told = await callTool({
			node,
			parameters: { operation },
			credential: credentialFor(service()),
			input: { fullName: 'Ada Lovelace', domain: 'acme.example', email: 'ada@acme.example' },
		});
		expect(told).toMatchObject([{ lookupStatus: 'invalid_input', lookupReason: 'missing_name' }]);
		expect(service().requests).toEqual([]);
	},
);

test.each(everyOperation().filter(({ toolOutput }) => toolOutput))(
	'$node $operation gives the model what its Output says',
	async ({ node, parameters, toolOutput = [] }) => {
		const call = async (output: INodeParameters) =>
			await callTool({
				node,
				parameters: { ...parameters, ...output },
				credential: credentialFor(service()),
			});
		const [simplified] = await call({});
		const [raw] = await call({ output: 'raw' });
		expect(raw).not.toEqual(simplified);
		expect(Object.keys(simplified)).toEqual(expect.arrayContaining(toolOutput));
		const [selected] = await call({ output: 'fields', fields: [...toolOutput, 'none'] });
		expect(selected).toEqual(picked(simplified, toolOutput));
	},
);

test.each([find, search])(
	'$operation tells the model why there is no result, whichever fields are selected',
	async ({ node, operation }) => {
		const told = await callTool({
			node,
			parameters: { operation, output: 'fields', fields: ['email', 'name'] },
			credential: credentialFor(service()),
		});
		const lookupMessage = expect.stringContaining('Not sent: no');
		const outcomes = told.map(outcomeIn);
		expect(outcomes).toMatchObject([{ lookupStatus: 'invalid_input', lookupMessage }]);
		expect(outcomes[0]).not.toHaveProperty('lookupCredits');
	},
);
