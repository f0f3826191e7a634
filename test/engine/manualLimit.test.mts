/** @file Max Items in Manual Runs: who tries a workflow out in the editor pays for a few items, not for all. */

import type { INodeParameters } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';

import { numbers, requestsOf } from '../support/bulk.mts';
import { emits, looksUp, outputsOf } from '../support/chains.mts';
import { runWorkflow, type NodeResult } from '../support/engine.mts';
import {
	expectPaidOnce,
	lookups,
	runLookup,
	verify,
	type LookupTest,
} from '../support/lookups.mts';
import { existingOf } from '../support/outcomes.mts';
import { credentialFor, useService } from '../support/service.mts';

const service = useService();

const leads = numbers(20);

describe.each(lookups)('$operation', (lookup) => {
	const items = leads.map(lookup.item);

	async function run(
		options: INodeParameters,
		test: LookupTest = {},
		of = items,
	): Promise<NodeResult> {
		return await runLookup(lookup, service(), of, { mode: 'manual', ...test, options });
	}

	test.each([[3], ['3'], [3.9]])(
		'looks up %j of the items in a manual run',
		async (manualLimit) => {
			const { json, hints, run: ended } = await run({ manualLimit });
			expect(ended.status).toBe('success');
			expectPaidOnce(service(), lookup, leads.slice(0, 3));
			for (const item of json.slice(0, 3)) expect(item.status).not.toBe('not_processed');
			for (const item of json.slice(3)) {
				expect(item).toMatchObject({
					status: 'not_processed',
					reason: 'manual_limit',
					message: expect.stringContaining('Max Items in Manual Runs'),
					credits: 0,
				});
			}
			expect(hints?.[0]).toMatchObject({
				type: 'info',
				message: expect.stringContaining('17 not sent (Max Items in Manual Runs reached)'),
			});
		},
	);

	test.each(['trigger', 'webhook', 'retry'] as const)('looks up all in mode "%s"', async (mode) => {
		const { json } = await run({ manualLimit: 3 }, { mode });
		expectPaidOnce(service(), lookup, leads);
		expect(json.filter(({ reason }) => reason === 'manual_limit')).toEqual([]);
	});

	test.each([[0], [-1], ['0'], [undefined]])('with %j there is no limit', async (manualLimit) => {
		await run(manualLimit === undefined ? {} : { manualLimit });
		expectPaidOnce(service(), lookup, leads);
	});

	test('never makes a run incomplete', async () => {
		const { error, json } = await run({ manualLimit: 3, incompleteRun: 'fail' });
		expect(error).toBeUndefined();
		expect(json).toHaveLength(20);
	});

	test('does not hide what makes a run incomplete', async () => {
		service().faults.add({ status: 402, on: { operation: lookup.operation } });
		const { error } = await run({ manualLimit: 3, incompleteRun: 'fail' });
		expect(error?.description).toContain('0 of 20 items are done');
		service().reset();
		service().faults.add({ status: 402, on: { operation: lookup.operation } });
		expect((await run({ manualLimit: 3 })).error?.message).toContain('credits');
	});

	test('sends what it leaves out to the error output', async () => {
		const { json, errorItems } = await run({ manualLimit: 3 }, { onError: 'continueErrorOutput' });
		expect([json.length, errorItems.length]).toEqual([3, 17]);
		expect(errorItems[0].json.error).toMatchObject({ reason: 'manual_limit' });
	});

	test('counts the items that need a lookup: what is known does not', async () => {
		const known = items.slice(0, 5).map((item) => ({
			...item,
			email: item.email ?? 'ada@acme.example',
			emailStatus: 'valid',
		}));
		const unknown = items.slice(5).map((item) => ({ emailStatus: '', ...item }));
		const { json } = await run({ manualLimit: 2 }, { parameters: existingOf(lookup) }, [
			...known,
			...unknown,
		]);
		expect(json.filter(({ status }) => status === 'known')).toHaveLength(5);
		expect(json.filter(({ reason }) => reason === 'manual_limit')).toHaveLength(13);
	});

	test('counts what repeats another item with it, and what the execution has as free', async () => {
		const repeated = [1, 2, 3, 1, 2, 3, 4, 4, 1];
		const { json } = await run({ manualLimit: 3 }, {}, repeated.map(lookup.item));
		expectPaidOnce(service(), lookup, [1, 2, 3]);
		const reasons = json.map(({ reason }) => reason === 'manual_limit');
		expect(reasons).toEqual(repeated.map((number) => number === 4));
	});

	test('counts over the rounds of a loop', async () => {
		const rounds = numbers(6).map((number) => [
			emits(number === 0 ? 'Start' : `Items ${number}`, [lookup.item(number)]),
		]);
		const [start, ...others] = rounds.flat();
		const run = await runWorkflow({
			nodes: [start, ...others, looksUp('Node', lookup, { manualLimit: 3 })],
			connections: [start, ...others].flatMap(({ name }, index) => [
				`${name} > Node`,
				...(index > 0 ? [`Start > ${name}`] : []),
			]),
			credential: credentialFor(service()),
			mode: 'manual',
		});
		expect(outputsOf(run, 'Node')).toHaveLength(6);
		expect(requestsOf(service(), lookup.operation)).toHaveLength(3);
	});

	test('what is no number is refused', async () => {
		const { json } = await run({ manualLimit: 'few' }, { onError: 'continueRegularOutput' });
		expect(json[0]).toMatchObject({ reason: 'invalid: Max Items in Manual Runs' });
		expect(requestsOf(service(), lookup.operation)).toHaveLength(0);
	});
});

test('does not count in a loop what is tried again', async () => {
	service().faults.add({ status: 500, on: { operation: 'verify', times: 2 } });
	const items = [1, 2].map(verify.item);
	const ended = await runWorkflow({
		nodes: [
			{ ...emits('Start', items), position: [0, 0] },
			{ ...looksUp('Node', verify, { manualLimit: 2, maxRetries: 0 }), position: [200, 0] },
			{ ...emits('Again', items), position: [200, 900] },
		],
		connections: ['Start > Node', 'Start > Again', 'Again > Node'],
		credential: credentialFor(service()),
		mode: 'manual',
	});
	expect(outputsOf(ended, 'Node').map((round) => round.map(({ status }) => status))).toEqual([
		['failed', 'failed'],
		['verified', 'verified'],
	]);
});
