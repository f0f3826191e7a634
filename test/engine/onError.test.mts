/** @file On Error and On Incomplete Run: where an item without a result goes, with which words, and what stops a run. */

import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';

import { findBulk, leadOf, lookups, paidAmong, runLookup } from '../support/leads/lookups.mts';
import { chain, emits, looksUp, outputOf } from '../support/node/chains.mts';
import { outcomeIn } from '../support/node/definedItems.mts';
import { runWorkflow, type TestNode } from '../support/node/engine.mts';
import type { Fault } from '../emulator/faults.mts';
import { credentialFor, useService } from '../support/servers/service.mts';

const service = useService();

const check = 'Complete the rows that lack a name or a company.';

describe.each(lookups)('$operation', (lookup) => {
	// Asked one by one: the first has its answer, the second lacks a field, the third is over the cap.
	const [one, two] = paidAmong(lookup, 50);
	const isFinder = lookup.credits === 'email';
	const incomplete: IDataObject = { email: ['none'], first: 'Nobody', note: 'kept' };
	const complete = [one, two].map(lookup.item);
	const items = [complete[0], incomplete, complete[1]];
	const { first: firstName, last: lastName, domain } = leadOf(two);
	const asked = isFinder ? { firstName, lastName, domain } : lookup.item(two);

	const problems = [
		{
			said: { status: 'invalid_input', reason: isFinder ? 'missing_name' : 'invalid_value' },
			message: isFinder
				? 'Not sent: no name (fullName is empty in this row) and no company (domain is empty in this row)'
				: 'Not sent: Email must be text, and this item has a list there',
			remedy: isFinder ? check : 'Check the field Email.',
		},
		{
			said: { status: 'not_processed', reason: 'credit_limit' },
			message: 'Not sent: Max Credits reached',
			remedy: 'Raise Max Credits in the options, then run again: what was found is free for a day.',
		},
	];
	const [lack, limit] = problems;
	const nothing = { email: null, emailStatus: null, lookupCredits: 0, checkedAt: null };
	const none = isFinder ? nothing : { ...nothing, mailboxType: null };
	const linked = (index: number, json: IDataObject) => ({ json, pairedItem: { item: index } });
	const answered = linked(0, expect.objectContaining({ ...lookup.answer(one), lookupCredits: 1 }));
	const statusItems = problems.map(({ said, message }, index) =>
		linked(1 + index, {
			...{ ...none, lookupStatus: said.status, lookupReason: said.reason },
			...{ lookupMessage: message, ...(index === 1 && asked) },
		}),
	);
	const errorItems = problems.map(({ said, message, remedy }, index) =>
		linked(1 + index, {
			...items[1 + index],
			error: said,
			message: `${message}. ${remedy}`,
		}),
	);
	const options = { maxCredits: 1, maxConcurrency: 1 };
	const failing = { options: { ...options, incompleteRun: 'fail' } };

	test.each([
		['stopWorkflow', 'return'],
		['continueRegularOutput', 'return'],
		['continueRegularOutput', 'fail'],
		['continueErrorOutput', 'return'],
		['continueErrorOutput', 'fail'],
	] as const)('%s, On Incomplete Run %s: every item comes out', async (onError, incompleteRun) => {
		const test = { options: { ...options, incompleteRun }, onError };
		const result = await runLookup(lookup, service(), items, test);
		expect(result.error).toBeUndefined();
		const isApart = onError === 'continueErrorOutput';
		expect(result.items).toEqual([answered, ...(isApart ? [] : statusItems)]);
		expect(result.errorItems).toEqual(isApart ? errorItems : []);
	});

	test('Stop Workflow twice: an item that lacks a field stops it before a credit', async () => {
		const { error, items: output } = await runLookup(lookup, service(), items, failing);
		expect(output).toEqual([]);
		expect(error).toMatchObject({
			name: 'NodeOperationError',
			message: `${lack.message} [item 1]`,
			description: lack.remedy,
		});
		expect(service().requests).toEqual([]);
	});

	test('Stop Workflow twice: the error tells the item, and how far the run got', async () => {
		const { error, items: output } = await runLookup(lookup, service(), complete, failing);
		expect(output).toEqual([]);
		expect(error).toMatchObject({
			name: 'NodeApiError',
			message: `${limit.message} [item 1]`,
			description: `1 of 2 items are done. ${limit.remedy}`,
		});
	});
});

describe('what an execution has bought stops no workflow: the next execution would buy it again', () => {
	const [number] = paidAmong(findBulk, 1);
	const { email } = findBulk.answer(number);
	const verifier = 'contactDataVerifier';
	const company = 'contactDataCompany';
	const options = { maxRetries: 0 };
	const again = {
		operation: 'verifyBulk',
		email: '={{ $json.email }}',
		existingStatus: '',
		options,
	};
	const unread = { operation: 'getBulkJob', jobId: '1' };

	test.each<[string, TestNode['type'], INodeParameters, Fault?]>([
		['no credits', verifier, again, { status: 402, on: { operation: 'verifyBulk' } }],
		['a key that is refused', verifier, again, { status: 401, on: { operation: 'verifyBulk' } }],
		['a service that is down', verifier, again, { status: 503, on: { operation: 'verifyBulk' } }],
		['a field that every item lacks', company, { operation: 'searchCompany', keyword: '' }],
		[
			'people that are not in the plan',
			company,
			{ operation: 'getLeads' },
			{ status: 403, on: { operation: 'getCompanyLeads' } },
		],
		['a job that the service does not know', 'contactDataFinder', unread],
	])('%s', async (_, type, parameters, fault) => {
		if (fault) service().faults.add(fault);
		const finder = { ...findBulk.parameters, includeInputFields: true };
		const first = [
			emits('Start', [leadOf(number)]),
			looksUp('Find', { ...findBulk, parameters: finder }, {}, 'stopWorkflow'),
		];
		const second = { name: 'Second', type, parameters };
		const run = await runWorkflow(chain([...first, second], credentialFor(service())));
		expect(run.data.resultData.error).toBeUndefined();
		expect(outputOf(run, 'Find')).toMatchObject([{ email }]);
		const [{ lookupStatus }] = outputOf(run, 'Second').map(outcomeIn);
		expect(['failed', 'not_processed', 'invalid_input']).toContain(lookupStatus);
		// Where nothing is bought it does.
		const alone = chain(
			[emits('Start', [{ ...leadOf(number), email }]), second],
			credentialFor(service()),
		);
		expect((await runWorkflow(alone)).data.resultData.error).toBeDefined();
	});
});
