/** @file Get Bulk Job puts right what a job did cost, by its own rows alone, and is free itself. */

import type { IDataObject, INodeParameters, IRun } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';

import { answerIn, findBulk, leadOf, numbers, requestsOf } from '../support/bulk.mts';
import {
	chain,
	collects,
	emits,
	looksUp,
	outputOf,
	runOverWaits,
	spentText,
	toldBy,
	waits,
} from '../support/chains.mts';
import {
	runNode,
	runWorkflow,
	type NodeResult,
	type TestNode,
	type TestWorkflow,
} from '../support/engine.mts';
import { credentialFor, useService } from '../support/service.mts';

/** A job is not finished when it is asked for the first time. */
const service = useService({
	variants: { bulkAnswer: 'job', jobPolls: 1, jobResultShape: 'results' },
});

const noWait = { jobTimeout: 0 };
const finder = { ...findBulk, parameters: { ...findBulk.parameters, includeInputFields: true } };

/** Leads that each cost a credit. */
const wanted = numbers(40)
	.filter((number) => findBulk.subject(number) !== null)
	.slice(0, 5);
const items = wanted.map(leadOf);

/** Nodes behind a finder that has left a job pending. */
async function behindJob(...nodes: TestNode[]): Promise<IRun> {
	const pending = [emits('Start', items), looksUp('Find', finder, noWait)];
	const runs = await runOverWaits(chain([...pending, ...nodes], credentialFor(service())));
	return runs[runs.length - 1];
}

/** The second request for the job, which is the one that finds it done, is answered like this. */
function spoil(rows: 'missing' | 'doubled' | 'unknown' | 'shuffled'): void {
	service().faults.add({ rows, on: { operation: 'getBulkJob', nth: 2 } });
}

describe.each<[string, TestNode[]]>([
	['right behind the finder', [collects('Collect')]],
	['after a Wait', [waits(), collects('Collect')]],
	['for the whole job', [collects('Collect', { jobRow: '', includeInputFields: false })]],
	[
		'for the whole job after a Wait',
		[waits(), collects('Collect', { jobRow: '', includeInputFields: false })],
	],
])('a job that Get Bulk Job reads %s', (_, nodes) => {
	test('did cost what its rows say', async () => {
		const run = await behindJob(...nodes);
		expect(toldBy(run)).toBe(spentText(wanted.length));
		expect(service().ledger.total()).toBe(wanted.length);
	});

	test.each(['unknown', 'doubled', 'shuffled'] as const)(
		'did cost no more where rows come %s',
		async (rows) => {
			spoil(rows);
			const run = await behindJob(...nodes);
			expect(requestsOf(service(), 'getBulkJob').length).toBeGreaterThanOrEqual(2);
			expect(toldBy(run)).toBe(spentText(wanted.length));
		},
	);

	test('may have cost what its service left out', async () => {
		spoil('missing');
		const run = await behindJob(...nodes);
		expect(toldBy(run)).toBe(spentText(wanted.length - 1, wanted.length));
		expect(service().ledger.total()).toBe(wanted.length);
	});

	test('did cost nothing where it has failed', async () => {
		service().variants.jobOutcome = 'failed';
		const run = await behindJob(...nodes);
		expect(service().ledger.total()).toBe(0);
		expect(toldBy(run)).toBe(spentText(0));
	});

	test('may still cost all where it goes on', async () => {
		service().variants.jobPolls = 1_000_000;
		const run = await behindJob(...nodes);
		expect(toldBy(run)).toBe(spentText(0, wanted.length));
	});
});

test('what a job did cost is put right once, whoever reads it again', async () => {
	const find = [emits('Start', items), looksUp('Find', finder, noWait)];
	const rest = [emits('Later', items), looksUp('Find Again', findBulk, noWait)];
	const all = [...find, collects('One'), collects('Other'), waits(), collects('Third'), ...rest];
	const workflow: TestWorkflow = {
		nodes: all.map((node, index) => ({ ...node, position: [index * 100, index * 100] })),
		connections: [
			...['Start > Find', 'Find > One', 'Find > Other', 'Find > Wait', 'Wait > Third'],
			...['Third > Later', 'Later > Find Again'],
		],
		credential: credentialFor(service()),
	};
	const runs = await runOverWaits(workflow);
	expect(runs.map(toldBy)).toEqual([wanted, wanted].map(({ length }) => spentText(length)));
	for (const name of ['One', 'Other', 'Third', 'Find Again']) {
		expect(outputOf(runs[1], name).map(answerIn)).toEqual(wanted.map(findBulk.answer));
	}
	expect(requestsOf(service(), 'findBulk')).toHaveLength(1);
	expect(requestsOf(service(), 'getBulkJob').length).toBeGreaterThanOrEqual(4);
});

test('the job of somebody else does not change what the execution has cost', async () => {
	const other = await behindJob();
	const [{ jobId }] = outputOf(other, 'Find');
	const run = await runWorkflow(
		chain(
			[
				emits('Start', numbers(5, 100).map(leadOf)),
				looksUp('Find', findBulk, noWait),
				emits(
					'Other',
					numbers(5).map((index) => ({ jobId, jobRow: index + 1 })),
				),
				collects('Collect'),
			],
			credentialFor(service()),
		),
	);
	expect(outputOf(run, 'Collect').map(answerIn)).toEqual(wanted.map(findBulk.answer));
	expect(toldBy(run)).toBe(spentText(0, 5));
});

describe('an item that Get Bulk Job has no result for', () => {
	const stale = { name: 'Ada', credits: 7 };

	async function collect(
		json: IDataObject,
		parameters: INodeParameters = {},
		onError: 'continueRegularOutput' | 'continueErrorOutput' = 'continueRegularOutput',
	): Promise<NodeResult> {
		return await runNode({
			node: 'contactDataFinder',
			credential: credentialFor(service()),
			items: [{ ...stale, ...json }],
			parameters: collects('Collect', parameters).parameters ?? {},
			onError,
		});
	}

	/** The job of one lead, as the finder leaves it. */
	async function pendingItem(): Promise<IDataObject> {
		const [{ jobId, jobRow }] = outputOf(await behindJob(), 'Find');
		return { status: 'pending', jobId, jobRow };
	}

	describe.each([[true], [false]])('with Include Input Fields %s', (includeInputFields) => {
		const parameters = { includeInputFields };
		const name = includeInputFields ? { name: 'Ada' } : {};

		test('is free where there is no such job', async () => {
			const { json } = await collect({ status: 'pending', jobId: '99', jobRow: 1 }, parameters);
			expect(json).toMatchObject([{ ...name, status: 'failed', credits: 0 }]);
		});

		test('is free where there is no such row', async () => {
			const pending = { ...(await pendingItem()), jobRow: 77 };
			const { json } = await collect(pending, parameters);
			expect(json).toMatchObject([{ ...name, status: expect.any(String), credits: 0 }]);
			expect(json[0].status).not.toBe('found');
		});

		test.each([
			['a row that is none', { status: 'pending', jobId: '99', jobRow: 'x' }],
			['a row without a job', { status: 'pending', jobId: '', jobRow: 2 }],
		])('is free with %s', async (_, item) => {
			const { json } = await collect(item, parameters);
			expect(json).toMatchObject([{ ...name, status: 'invalid_input', credits: 0 }]);
		});

		test('is free where the job has failed', async () => {
			service().variants.jobOutcome = 'failed';
			const { json } = await collect(await pendingItem(), parameters);
			expect(json).toMatchObject([{ ...name, status: 'failed', credits: 0 }]);
		});

		test.each(['continueRegularOutput', 'continueErrorOutput'] as const)(
			'is free where the job goes on, with %s',
			async (onError) => {
				service().variants.jobPolls = 1_000_000;
				const { json, errorItems } = await collect(await pendingItem(), parameters, onError);
				expect(json).toMatchObject([{ ...name, status: 'pending', credits: 0 }]);
				expect(errorItems).toEqual([]);
			},
		);
	});
});

describe('a pending item that gets its row with Simplify off', () => {
	const raw = { simple: false };

	test('is not pending any more, and is what the service sent', async () => {
		const run = await behindJob(collects('Collect', raw));
		const collected = outputOf(run, 'Collect');
		expect(collected).toHaveLength(wanted.length);
		collected.forEach((item, index) => {
			expect(item).toMatchObject(items[index]);
			expect(item.email).toBe(findBulk.answer(wanted[index]).email);
			expect(item.status).not.toBe('pending');
			for (const name of ['reason', 'message', 'jobId', 'jobRow', 'httpCode']) {
				expect(item).not.toHaveProperty(name);
			}
		});
	});

	test('passes a second one as it is, which then asks for nothing', async () => {
		const run = await behindJob(collects('Collect', raw), collects('Again', raw));
		expect(requestsOf(service(), 'getBulkJob')).toHaveLength(2);
		expect(outputOf(run, 'Again').map(({ email }) => email)).toEqual(
			outputOf(run, 'Collect').map(({ email }) => email),
		);
		for (const item of outputOf(run, 'Again')) expect(item.status).not.toBe('pending');
	});

	test('stays pending where the job goes on', async () => {
		service().variants.jobPolls = 1_000_000;
		const run = await behindJob(collects('Collect', raw));
		expect(outputOf(run, 'Collect')).toMatchObject(
			wanted.map((_, index) => ({ status: 'pending', jobRow: index + 1, credits: 0 })),
		);
	});
});
