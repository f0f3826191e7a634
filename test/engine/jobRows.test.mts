/** @file Get Bulk Job by row: each pending item gets its own result, one item in and one item out. */

import type { IDataObject } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';

import {
	addressOf,
	answerIn,
	findBulk,
	leadOf,
	numbers,
	requestsOf,
	subjectsOf,
} from '../support/bulk.mts';
import { runNode, runWorkflow, type NodeResult, type NodeTest } from '../support/engine.mts';
import { runLookup } from '../support/lookups.mts';
import { besideInput, timeless } from '../support/outcomes.mts';
import { credentialFor, useService } from '../support/service.mts';

/** As long as a test wants the jobs unfinished. */
const unfinished = 1_000_000;

const service = useService({
	variants: { bulkAnswer: 'job', jobPolls: unfinished, jobResultShape: 'results' },
});

/** More than two jobs, the last of them not full. */
const wanted = numbers(230);
const noWait = { jobTimeout: 0 };
const byRow = { jobRow: '={{ $json.jobRow }}', includeInputFields: true };

/** Leads as a CRM has them, waiting for their jobs. */
async function pendingLeads(leads = wanted): Promise<IDataObject[]> {
	const items = leads.map((number) => ({ id: `crm-${number}`, ...leadOf(number) }));
	const { json } = await runLookup(findBulk, service(), items, {
		options: { ...noWait, maxConcurrency: 1 },
		parameters: { includeInputFields: true },
	});
	return json;
}

/** Get Bulk Job for these items. */
async function collect(
	items: IDataObject[],
	parameters: NodeTest['parameters'] = byRow,
	test: Partial<NodeTest> = {},
): Promise<NodeResult> {
	return await runNode({
		node: 'contactDataFinder',
		parameters: { operation: 'getBulkJob', jobId: '={{ $json.jobId }}', ...parameters },
		items,
		credential: credentialFor(service()),
		...test,
	});
}

const finish = () => Object.assign(service().variants, { jobPolls: 0 });
const polls = () => requestsOf(service(), 'getBulkJob').map(({ path }) => path);
const links = ({ items }: NodeResult) => items.map(({ pairedItem }) => pairedItem);
const inOrder = (items: unknown[]) => items.map((_, item) => ({ item }));
const isJobText = expect.stringMatching(/^90\d\d$/);

describe('a pending item', () => {
	test('names its job and its row, counted from 1 in each job', async () => {
		const pending = await pendingLeads();
		expect(pending.map(({ status, jobRow }) => [status, jobRow])).toEqual(
			wanted.map((number) => ['pending', (number % 100) + 1]),
		);
		const jobs = pending.map(({ jobId }) => jobId);
		expect(jobs).toEqual(wanted.map(() => isJobText));
		for (const start of [0, 100, 200]) {
			expect(new Set(jobs.slice(start, start + 100)).size).toBe(1);
		}
		expect(new Set(jobs).size).toBe(3);
		expect(pending[0]).toMatchObject({
			id: 'crm-0',
			reason: 'job_not_finished',
			message: expect.stringContaining('Get Bulk Job'),
			credits: null,
		});
	});

	test('that repeats another has the row of that one', async () => {
		const pending = await pendingLeads([5, 6, 5]);
		expect(pending.map(({ jobRow }) => jobRow)).toEqual([1, 2, 1]);
		finish();
		const { json } = await collect(pending);
		expect(json.map(answerIn)).toEqual([5, 6, 5].map(findBulk.answer));
	});

	test('of a service that is asked again keeps the row of its first request', async () => {
		const run = await runWorkflow({
			nodes: [
				{
					name: 'Start',
					type: 'start',
					parameters: { items: JSON.stringify([7, 8, 9].map(leadOf)) },
				},
				{
					name: 'One',
					type: findBulk.node,
					parameters: { ...findBulk.parameters, options: noWait },
				},
				{ name: 'Later', type: 'start', parameters: { items: JSON.stringify([9, 7].map(leadOf)) } },
				{
					name: 'Two',
					type: findBulk.node,
					parameters: { ...findBulk.parameters, options: noWait },
				},
			],
			connections: ['Start > One', 'One > Later', 'Later > Two'],
			credential: credentialFor(service()),
		});
		const [two] = run.data.resultData.runData.Two?.[0]?.data?.main ?? [];
		expect((two ?? []).map(({ json }) => [json.status, json.jobRow])).toEqual([
			['pending', 3],
			['pending', 1],
		]);
		expect(requestsOf(service(), 'findBulk')).toHaveLength(1);
	});

	test('of a row that the job failed to answer names job and row as well', async () => {
		Object.assign(service().variants, { jobPolls: 0, jobOutcome: 'failed' });
		const { json } = await runLookup(findBulk, service(), [1, 2].map(leadOf), {
			options: noWait,
			onError: 'continueRegularOutput',
		});
		expect(json).toMatchObject(
			[1, 2].map((jobRow) => ({ status: 'failed', jobId: isJobText, jobRow })),
		);
	});
});

describe('Get Bulk Job with Job Row', () => {
	test('gives each item its own row, in order, with its fields; each job is read once', async () => {
		const pending = await pendingLeads();
		const before = polls().length;
		const spent = service().ledger.total();
		finish();
		const result = await collect(pending);
		expect(result.json.map(answerIn)).toEqual(wanted.map(findBulk.answer));
		expect(links(result)).toEqual(inOrder(wanted));
		result.json.forEach((item, number) => {
			expect(item).toMatchObject({ id: `crm-${number}`, ...leadOf(number), credits: 0 });
			for (const stale of ['reason', 'message', 'jobId', 'jobRow', 'httpCode']) {
				expect(item).not.toHaveProperty(stale);
			}
		});
		const jobs = new Set(pending.map(({ jobId }) => `/api/v2/find_bulk/${String(jobId)}`));
		expect(polls().slice(before).toSorted()).toEqual([...jobs].toSorted());
		expect(service().ledger.total()).toBe(spent);
		expect(spent).toBe(subjectsOf(findBulk, wanted).length);
	});

	test('reads a job once for items in any order, with others between them', async () => {
		const pending = await pendingLeads();
		const before = polls().length;
		finish();
		const order = wanted.toSorted((a, b) => ((a * 37) % 230) - ((b * 37) % 230));
		const result = await collect(order.map((number) => pending[number]));
		expect(result.json.map(({ id }) => id)).toEqual(order.map((number) => `crm-${number}`));
		expect(result.json.map(answerIn)).toEqual(order.map(findBulk.answer));
		expect(polls().slice(before)).toHaveLength(3);
	});

	test.each(['shuffled', 'doubled', 'unknown'] as const)('and rows that come %s', async (rows) => {
		const pending = await pendingLeads([3, 4, 5, 6]);
		finish();
		service().faults.add({ rows, on: { operation: 'getBulkJob' } });
		const { json } = await collect(pending);
		expect(json.map(answerIn)).toEqual([3, 4, 5, 6].map(findBulk.answer));
	});

	test.each(['bare', 'people', 'data', 'rows'] as const)(
		'and rows in %s',
		async (jobResultShape) => {
			const pending = await pendingLeads([3, 4]);
			finish();
			Object.assign(service().variants, { jobResultShape });
			const { json } = await collect(pending);
			expect(json.map(answerIn)).toEqual([3, 4].map(findBulk.answer));
		},
	);

	test('takes a row as text, and as a value that is the same for all', async () => {
		const pending = await pendingLeads([3, 4]);
		finish();
		const asText = await collect(
			pending.map((item) => ({ ...item, jobRow: ` ${String(item.jobRow)} ` })),
		);
		expect(asText.json.map(answerIn)).toEqual([3, 4].map(findBulk.answer));
		const fixed = await collect(pending, { ...byRow, jobRow: '2' });
		expect(fixed.json.map(answerIn)).toEqual([4, 4].map(findBulk.answer));
	});

	test('does to the fields of the input what a lookup does', async () => {
		const pending = await pendingLeads([3, 4, 5]);
		finish();
		const items = pending.map((item) => ({
			...item,
			firstName: 'Of the user',
			country: '',
			email: 'old@acme.com',
			error: 'of an earlier node',
		}));
		const alone = await collect(items, { ...byRow, includeInputFields: false });
		expect(alone.json.map(answerIn)).toEqual([3, 4, 5].map(findBulk.answer));
		const beside = await collect(items);
		expect(timeless(beside.json)).toStrictEqual(
			timeless(alone.json.map((row, index) => besideInput(items[index], row))),
		);
	});

	test("gives the service's own row with Simplify off", async () => {
		const found = wanted.filter((number) => findBulk.subject(number) !== null).slice(0, 2);
		const pending = await pendingLeads(found);
		finish();
		const { json } = await collect(pending, { ...byRow, simple: false, includeInputFields: false });
		expect(json).toMatchObject(
			found.map((number, index) => ({ tId: index + 1, firstName: leadOf(number).first })),
		);
		for (const item of json) expect(item).not.toHaveProperty('status');
	});

	test.each(['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'] as const)(
		'leaves items pending whose job is still at work, which is no failure with %s',
		async (onError) => {
			const pending = await pendingLeads();
			const before = polls().length;
			const result = await collect(pending, byRow, { onError });
			expect(result.error).toBeUndefined();
			expect(result.errorItems).toEqual([]);
			expect(links(result)).toEqual(inOrder(wanted));
			expect(result.json).toEqual(
				pending.map(({ id, jobId, jobRow }) =>
					expect.objectContaining({
						id,
						jobId,
						jobRow,
						status: 'pending',
						reason: 'job_not_finished',
					}),
				),
			);
			expect(polls().slice(before)).toHaveLength(3);
			// They wait no worse than before, and can be collected later.
			finish();
			const { json } = await collect(result.json, byRow, { onError });
			expect(json.map(answerIn)).toEqual(wanted.map(findBulk.answer));
		},
	);

	test('keeps the binary data of an item with its fields', async () => {
		const pending = await pendingLeads([3, 4]);
		finish();
		for (const includeInputFields of [true, false]) {
			const parameters = { ...byRow, operation: 'getBulkJob', jobId: '={{ $json.jobId }}' };
			const run = await runWorkflow({
				nodes: [
					{
						name: 'Start',
						type: 'start',
						parameters: { items: JSON.stringify([...pending, {}]), file: 'QWRh' },
					},
					{
						name: 'Collect',
						type: 'contactDataFinder',
						parameters: { ...parameters, includeInputFields },
					},
				],
				connections: ['Start > Collect'],
				credential: credentialFor(service()),
			});
			const [output] = run.data.resultData.runData.Collect?.[0]?.data?.main ?? [];
			expect((output ?? []).map(({ binary }) => binary?.data.fileName)).toEqual(
				[1, 2, 3].map(() => (includeInputFields ? 'card.txt' : undefined)),
			);
		}
	});

	test('passes items on as they came that wait for no job', async () => {
		const found = { id: 1, status: 'found', email: addressOf(1), credits: 1, message: 'x' };
		const others = [
			found,
			{ id: 2, status: 'known', email: addressOf(2) },
			{ id: 3, status: 'not_found', jobId: '', jobRow: '' },
			{ id: 4, jobId: null, jobRow: null },
			{ id: 5 },
		];
		const pending = await pendingLeads([3]);
		finish();
		const before = polls().length;
		const result = await collect([...others, ...pending]);
		expect(result.error).toBeUndefined();
		expect(links(result)).toEqual(inOrder([...others, ...pending]));
		expect(result.json.slice(0, -1)).toEqual([
			{ ...found, credits: 0 },
			{ ...others[1], credits: 0 },
			{ ...others[2], credits: 0 },
			{ ...others[3], status: 'skipped', credits: 0 },
			{ ...others[4], status: 'skipped', credits: 0 },
		]);
		expect(result.json.slice(-1).map(answerIn)).toEqual([findBulk.answer(3)]);
		expect(polls()).toHaveLength(before + 1);
	});

	/** What goes wrong with one item among others, and what is said of it. */
	const troubles: Array<[string, IDataObject, IDataObject]> = [
		[
			'a row that the job lacks',
			{ jobRow: 101 },
			{ status: 'failed', reason: 'unexpected_answer', jobRow: 101 },
		],
		['a row of nothing', { jobRow: '' }, { status: 'invalid_input', reason: 'missing: Job Row' }],
		[
			'a row without its job',
			{ jobId: '' },
			{ status: 'invalid_input', reason: 'missing: Job ID' },
		],
		['row 0', { jobRow: 0 }, { status: 'invalid_input', reason: 'invalid: Job Row' }],
		['half a row', { jobRow: 1.5 }, { status: 'invalid_input', reason: 'invalid: Job Row' }],
		['a row in words', { jobRow: 'one' }, { status: 'invalid_input', reason: 'invalid: Job Row' }],
		[
			'a job that the service does not know',
			{ jobId: '77', jobRow: 2 },
			{ status: 'failed', reason: 'not_found', httpCode: 404, jobId: '77', jobRow: 2 },
		],
	];

	describe.each(troubles)('and %s', (_, fields, said) => {
		const leads = [3, 4, 5];

		async function withTrouble(onError: NodeTest['onError']) {
			const pending = await pendingLeads(leads);
			finish();
			const items = pending.map((item, index) => (index === 1 ? { ...item, ...fields } : item));
			return { inputs: items, ...(await collect(items, byRow, { onError })) };
		}

		test('marks the item, with its fields; the others get their rows', async () => {
			const { json, error } = await withTrouble('continueRegularOutput');
			expect(error).toBeUndefined();
			expect(json).toHaveLength(3);
			expect(json[1]).toMatchObject({ id: 'crm-4', ...leadOf(4), ...said });
			expect([json[0], json[2]].map(answerIn)).toEqual([3, 5].map(findBulk.answer));
		});

		test('sends the item to the error output', async () => {
			const { inputs, json, errorItems } = await withTrouble('continueErrorOutput');
			expect(json.map(answerIn)).toEqual([3, 5].map(findBulk.answer));
			const { status, reason } = said;
			expect(errorItems).toEqual([
				{
					json: {
						...inputs[1],
						message: expect.any(String),
						error: expect.objectContaining({ status, reason, message: expect.any(String) }),
					},
					pairedItem: { item: 1 },
				},
			]);
		});

		test('stops the workflow, and names the item', async () => {
			const { json, error } = await withTrouble('stopWorkflow');
			expect(json).toEqual([]);
			expect(error?.message).toContain('[item 1]');
		});
	});

	test.each([true, false])(
		'of a lead who is not found erases nothing, with Simplify %j',
		async (simple) => {
			const [lost] = wanted.filter((number) => findBulk.subject(number) === null);
			const [pending] = await pendingLeads([lost]);
			finish();
			const before = { email: 'old@gone.example', checkedAt: '2020-01-01T00:00:00.000Z' };
			const { json } = await collect([{ ...pending, ...before }], { ...byRow, simple });
			expect(json).toMatchObject([{ id: `crm-${lost}`, status: 'not_found', ...before }]);
		},
	);

	test('of a job that failed: every item of it is failed, the others are not', async () => {
		const pending = await pendingLeads();
		finish();
		const [first] = pending;
		service().faults.add({
			status: 403,
			on: { operation: 'getBulkJob', where: ({ path }) => path.endsWith(String(first.jobId)) },
		});
		const { json } = await collect(pending, byRow, { onError: 'continueRegularOutput' });
		expect(json.map(({ status }) => status === 'failed')).toEqual(
			wanted.map((number) => number < 100),
		);
		expect(json[5]).toMatchObject({ id: 'crm-5', httpCode: 403, jobId: first.jobId, jobRow: 6 });
	});

	test('whose expression fails for an item marks that item alone', async () => {
		const pending = await pendingLeads([3, 4]);
		finish();
		const jobRow = '={{ $json.jobRow.toInt() }}';
		const items = [...pending, { id: 9, jobId: pending[0].jobId }];
		const { json } = await collect(
			items,
			{ ...byRow, jobRow },
			{ onError: 'continueRegularOutput' },
		);
		expect(json.slice(0, 2).map(answerIn)).toEqual([3, 4].map(findBulk.answer));
		expect(json[2]).toMatchObject({
			id: 9,
			status: 'invalid_input',
			reason: 'expression: Job Row',
		});
	});

	test('asks each account for its own job', async () => {
		const items = ['test-key', 'second-key'].map((key, index) => ({ ...leadOf(index), key }));
		const credential = { ...credentialFor(service()), apiKey: '={{ $json.key }}' };
		const { json } = await runLookup(findBulk, service(), items, {
			options: noWait,
			parameters: { includeInputFields: true },
			credential,
		});
		expect(json).toMatchObject([1, 1].map((jobRow) => ({ status: 'pending', jobRow })));
		finish();
		const collected = await collect(json, byRow, { credential });
		expect(collected.json.map(answerIn)).toEqual([0, 1].map(findBulk.answer));
		expect(collected.json.map(({ key }) => key)).toEqual(['test-key', 'second-key']);
	});
});

describe('Get Bulk Job without Job Row', () => {
	test('gives every row of a job once, without the fields of the input', async () => {
		const pending = await pendingLeads();
		finish();
		const before = polls().length;
		for (const parameters of [{}, { includeInputFields: true }, { jobRow: '' }]) {
			const result = await collect(pending, parameters);
			expect(result.json.map(answerIn)).toEqual(wanted.map(findBulk.answer));
			expect(links(result)).toEqual(
				wanted.map((number) => ({ item: Math.floor(number / 100) * 100 })),
			);
			for (const item of result.json) expect(item).not.toHaveProperty('id');
		}
		expect(polls().slice(before)).toHaveLength(9);
	});

	test('names an item without a job', async () => {
		const { error } = await collect([{ id: 1 }], {});
		expect(error?.message).toContain('missing Job ID [item 0]');
	});
});

test('find, wait and collect, in one execution: a job is bought and read once', async () => {
	const items = wanted.map((number) => ({ id: `crm-${number}`, ...leadOf(number) }));
	const workflow: Parameters<typeof runWorkflow>[0] = {
		nodes: [
			{ name: 'Start', type: 'start', parameters: { items: JSON.stringify(items) } },
			{
				name: 'Find',
				type: 'contactDataFinder',
				parameters: { ...findBulk.parameters, includeInputFields: true, options: noWait },
			},
			{ name: 'Wait', type: 'n8n-nodes-base.wait' },
			{
				name: 'Collect',
				type: 'contactDataFinder',
				parameters: { operation: 'getBulkJob', jobId: '={{ $json.jobId }}', ...byRow },
			},
		],
		connections: ['Start > Find', 'Find > Wait', 'Wait > Collect'],
		credential: credentialFor(service()),
	};
	const waiting = await runWorkflow(workflow);
	expect(waiting.status).toBe('waiting');
	finish();
	const before = polls().length;
	const ended = await runWorkflow({ ...workflow, resumes: waiting });
	const [output] = ended.data.resultData.runData.Collect?.[0]?.data?.main ?? [];
	const json = (output ?? []).map((item) => item.json);
	expect(json.map(answerIn)).toEqual(wanted.map(findBulk.answer));
	expect(json.map(({ id }) => id)).toEqual(items.map(({ id }) => id));
	expect(polls().slice(before)).toHaveLength(3);
	const spent = subjectsOf(findBulk, wanted).length;
	expect(service().ledger.total()).toBe(spent);
	// What the jobs may have cost is known now.
	expect(ended.data.resultData.metadata).toEqual({
		contact_data_credits: `${spent} credits spent`,
	});
});
