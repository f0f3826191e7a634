import type { IDataObject } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';

import { rowsOf } from '../service/operations/bulkFinder.mts';
import {
	answerIn,
	asksFor,
	findBulk,
	leadOf,
	numbers,
	requestsOf,
	runBulk,
	subjectsOf,
	type BulkTest,
} from '../support/bulk.mts';
import { runNode, runWorkflow, type NodeTest } from '../support/engine.mts';
import { expectPaidOnce } from '../support/lookups.mts';
import { giveJson, useServer } from '../support/ownServer.mts';
import { credentialFor, useService } from '../support/service.mts';

const service = useService({ variants: { bulkAnswer: 'job', jobPolls: 0 } });

/** Asks for a job once and does not wait for it. */
const noWait = { jobTimeout: 0 };
/** The answer to a poll as long as a test wants the job unfinished. */
const unfinished = 1_000_000;

const leads = (wanted: number[]): IDataObject[] => wanted.map(leadOf);

async function find(wanted: number[], test: BulkTest = {}) {
	return await runBulk(findBulk, service(), leads(wanted), { options: noWait, ...test });
}

/** Get Bulk Job for each of these items, which name their job. */
async function collect(
	items: IDataObject[],
	parameters = {},
	onError: NodeTest['onError'] = 'stopWorkflow',
) {
	return await runNode({
		node: 'contactDataFinder',
		parameters: { operation: 'getBulkJob', jobId: '={{ $json.jobId }}', ...parameters },
		items,
		credential: credentialFor(service()),
		onError,
	});
}

const submitted = () => requestsOf(service(), 'findBulk').length;
const polled = () => requestsOf(service(), 'getBulkJob').map(({ path }) => path);

describe('a job that finishes in time', () => {
	const wanted = numbers(130);

	test.each(['bare', 'results', 'people', 'data', 'rows'] as const)(
		'is collected from %s',
		async (jobResultShape) => {
			service().variants.jobResultShape = jobResultShape;
			const { json } = await find(wanted);
			expect(json.map(answerIn)).toEqual(wanted.map(findBulk.answer));
			expect(submitted()).toBe(2);
			expectPaidOnce(service(), findBulk, wanted);
		},
	);

	test.each([404, 405] as const)(
		'is asked for by query where the path answers %i',
		async (refusal) => {
			service().variants.jobPollForm = 'query';
			service().variants.jobPollRefusal = refusal;
			const { json } = await find(wanted);
			expect(json.map(answerIn)).toEqual(wanted.map(findBulk.answer));
			expectPaidOnce(service(), findBulk, wanted);
		},
	);

	test('is asked for after a second, then ever more seldom', async () => {
		service().variants.jobPolls = 1;
		const { json } = await find(numbers(3), { options: {} });
		expect(json.map(answerIn)).toEqual(numbers(3).map(findBulk.answer));
		const [sent, ...polls] = service().requests;
		expect(polls).toHaveLength(2);
		expect(polls[0].startedAt - (sent.finishedAt ?? 0)).toBeGreaterThan(980);
		expect(polls[1].startedAt - (polls[0].finishedAt ?? 0)).toBeGreaterThan(1_200);
	});

	test.each(['shuffled', 'doubled', 'unknown'] as const)('has its rows %s', async (rows) => {
		service().faults.add({ rows, on: { operation: 'getBulkJob' } });
		const { json } = await find(wanted);
		expect(json.map(answerIn)).toEqual(wanted.map(findBulk.answer));
	});

	test('is read again when the connection is lost, for that is free', async () => {
		service().faults.add({ reset: 'after-charge', on: { operation: 'getBulkJob', times: 1 } });
		const { json } = await find(numbers(3));
		expect(json.map(answerIn)).toEqual(numbers(3).map(findBulk.answer));
		expect(submitted()).toBe(1);
		expectPaidOnce(service(), findBulk, numbers(3));
	});

	test('is collected though the credits ran out meanwhile', async () => {
		const left = subjectsOf(findBulk, wanted.slice(0, 100)).length;
		service().options.creditsLeft = { email: left };
		const { json } = await find(wanted, { options: { ...noWait, maxConcurrency: 1 } });
		expect(json.slice(0, 100).map(answerIn)).toEqual(wanted.slice(0, 100).map(findBulk.answer));
		expect(json.at(-1)).toMatchObject({ status: 'not_processed', reason: 'out_of_credits' });
		expectPaidOnce(service(), findBulk, wanted.slice(0, 100));
	});

	test('counts against Max Credits with what it found', async () => {
		const many = numbers(400);
		await find(many, { options: { ...noWait, maxCredits: 150, maxConcurrency: 4 } });
		expect(service().ledger.total()).toBe(150);
	});
});

describe.each(['success', 'completed', 'ready'])(
	'a job that is accepted with the status "%s", and without its rows',
	(status) => {
		const serve = useServer();

		/** A service that knows everybody and takes one job. Gives its address, and notes what it is asked. */
		async function serviceWithJob(asked: string[]): Promise<string> {
			const id = 77;
			let results: IDataObject[] = [];
			return await serve(async (request, response) => {
				asked.push(`${request.method} ${request.url}`);
				if (request.method !== 'POST') return giveJson(response, { id, status, results });
				const sent: unknown = JSON.parse(Buffer.concat(await request.toArray()).toString());
				const quality = { status: 'valid' };
				results = rowsOf(sent).map((row) => ({ ...row, email: `${row.tId}@acme.com`, quality }));
				giveJson(response, { id, status, total: results.length }, 202);
			});
		}

		test.each([false, true])(
			'is asked for them, and not bought again, with Retry On Fail %s',
			async (retryOnFail) => {
				const asked: string[] = [];
				const baseUrl = await serviceWithJob(asked);
				const { json, error } = await find(numbers(3), {
					credential: { baseUrl, apiKey: 'test-key' },
					retryOnFail,
					maxTries: 3,
				});
				expect(error).toBeUndefined();
				expect(json.map((item) => [item.status, item.email])).toEqual(
					[1, 2, 3].map((row) => ['found', `${row}@acme.com`]),
				);
				expect(asked).toEqual(['POST /api/v2/find_bulk', 'GET /api/v2/find_bulk/77']);
			},
		);
	},
);

test('a job that fails: its rows are failed, name the job and cost nothing', async () => {
	service().variants.jobOutcome = 'failed';
	const { json } = await find(numbers(3), { onError: 'continueRegularOutput' });
	expect(json).toEqual(
		numbers(3).map(() =>
			expect.objectContaining({
				status: 'failed',
				reason: 'job_failed',
				message: expect.stringContaining('ended with the status "failed"'),
				jobId: polled()[0].split('/').at(-1),
			}),
		),
	);
	expect(service().ledger.charges).toEqual([]);
});

describe('a job that outlasts Job Timeout', () => {
	const wanted = numbers(130);
	const continues = { onError: 'continueRegularOutput' } as const;

	test('leaves each row pending with the job of its own chunk', async () => {
		service().variants.jobPolls = unfinished;
		const { json, hints } = await find(wanted, continues);
		const ids = json.map(({ jobId }) => jobId);
		expect(new Set(ids.slice(0, 100)).size).toBe(1);
		expect(new Set(ids.slice(100)).size).toBe(1);
		expect(new Set(ids).size).toBe(2);
		json.forEach((item, number) => {
			const { first, last, domain } = leadOf(number);
			expect(item).toMatchObject({
				status: 'pending',
				message: expect.stringContaining('Get Bulk Job'),
				firstName: first,
				lastName: last,
				domain,
			});
		});
		expect(hints?.[0]?.message).toContain('130 waiting for a bulk job');
		expect(submitted()).toBe(2);
	});

	test('with On Error at Stop Workflow no job id is lost, though nothing was answered', async () => {
		service().variants.jobPolls = unfinished;
		const { json, error } = await find(wanted);
		const told = JSON.stringify([json, error?.message, error?.description]);
		expect(submitted()).toBe(2);
		for (const path of polled()) expect(told).toContain(path.split('/').at(-1));
	});

	test('is collected later by Get Bulk Job: exactly those rows, each job once, free', async () => {
		service().variants.jobPolls = unfinished;
		const pending = await find(wanted, continues);
		const spent = service().ledger.total();
		service().variants.jobPolls = 0;
		const before = polled().length;
		const { items } = await collect(pending.json);
		expect(items.map(({ json }) => answerIn(json))).toEqual(wanted.map(findBulk.answer));
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual(
			wanted.map((number) => ({ item: number < 100 ? 0 : 100 })),
		);
		const jobs = new Set(pending.json.map(({ jobId }) => `/api/v2/find_bulk/${String(jobId)}`));
		expect(polled().slice(before)).toEqual([...jobs]);
		expect(service().ledger.total()).toBe(spent);
		expectPaidOnce(service(), findBulk, wanted);
	});

	test.each(['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'] as const)(
		'is still pending for Get Bulk Job, which is no failure with On Error at %s',
		async (onError) => {
			service().variants.jobPolls = unfinished;
			const pending = await find(numbers(3), continues);
			const { error, items, errorItems } = await collect(pending.json, {}, onError);
			expect(error).toBeUndefined();
			expect(errorItems).toEqual([]);
			const jobId = String(pending.json[0].jobId);
			expect(items).toEqual([
				{
					json: {
						status: 'pending',
						reason: 'job_not_finished',
						message: expect.stringMatching(
							new RegExp(`^The bulk job ${jobId} is not finished.*Get Bulk Job`),
						),
						jobId,
						credits: 0,
					},
					pairedItem: { item: 0 },
				},
			]);
		},
	);

	test('is collected by Retry On Fail, and not bought again', async () => {
		service().variants.jobPolls = 1;
		const { json, error } = await find(wanted, {
			options: { ...noWait, incompleteRun: 'fail' },
			retryOnFail: true,
			maxTries: 2,
		});
		expect(error).toBeUndefined();
		expect(json.map(answerIn)).toEqual(wanted.map(findBulk.answer));
		expect(submitted()).toBe(2);
		expect(polled()).toHaveLength(4);
		expectPaidOnce(service(), findBulk, wanted);
	});

	test('fails after it was pending: Retry On Fail sends its rows anew', async () => {
		const { variants } = service();
		variants.jobPolls = 1;
		variants.jobOutcome = 'failed';
		// The first job is bound to fail; the job of the third try is not.
		service().onRequest(() => {
			variants.jobOutcome = submitted() > 1 ? 'completed' : 'failed';
		});
		const { json } = await find(numbers(3), {
			options: { ...noWait, incompleteRun: 'fail' },
			retryOnFail: true,
			maxTries: 4,
		});
		expect(json.map(answerIn)).toEqual(numbers(3).map(findBulk.answer));
		expect(submitted()).toBe(2);
		expectPaidOnce(service(), findBulk, numbers(3));
	});

	test.each<[string, IDataObject]>([
		['the same person', { first: '={{ $json.firstName }}' }],
		[
			'only one of its people',
			{ first: `={{ $json.firstName === '${leadOf(2).first}' ? $json.firstName : '' }}` },
		],
	])(
		'is collected by a later node that asks for %s: no row of another lead',
		async (_, { first }) => {
			service().variants.jobPolls = 2;
			const options = { ...noWait };
			const parameters = {
				...findBulk.parameters,
				firstName: String(first),
				lastName: '={{ $json.lastName }}',
				options,
			};
			const node = { type: 'contactDataFinder', onError: 'continueRegularOutput' } as const;
			const execution = await runWorkflow({
				nodes: [
					{
						name: 'Start',
						type: 'start',
						parameters: { items: JSON.stringify(leads(numbers(3))) },
					},
					{ ...node, name: 'One', parameters: { ...findBulk.parameters, options } },
					{ ...node, name: 'Two', parameters },
					{ ...node, name: 'Three', parameters },
				],
				connections: ['Start > One', 'One > Two', 'Two > Three'],
				credential: credentialFor(service()),
			});
			const output = execution.data.resultData.runData.Three?.[0]?.data?.main[0] ?? [];
			expect(output).toHaveLength(3);
			expect(answerIn(output[2].json)).toEqual(findBulk.answer(2));
			expectPaidOnce(service(), findBulk, numbers(3));
		},
	);
});

describe('a job that cannot be read', () => {
	const wanted = numbers(3);
	const options = { ...noWait, maxRetries: 1 };

	/** That all rows are pending with the one job that there is. */
	function expectPending(json: IDataObject[]): void {
		expect(json.map(({ status }) => status)).toEqual(wanted.map(() => 'pending'));
		expect(new Set(json.map(({ jobId }) => jobId)).size).toBe(1);
		expect(json[0].jobId).toMatch(/^\d+$/);
	}

	test.each([404, 410, 503])('for a %i is not lost', async (status) => {
		const poll = { operation: 'getBulkJob', times: 4 } as const;
		service().faults.add({ status, retryAfter: 'seconds', seconds: 0, on: poll });
		const { json } = await find(wanted, { options, onError: 'continueRegularOutput' });
		expectPending(json);
		service().faults.clear();
		const later = await collect(json);
		expect(later.json.map(answerIn)).toEqual(wanted.map(findBulk.answer));
		expectPaidOnce(service(), findBulk, wanted);
	});

	test('for a web page is not lost', async () => {
		service().faults.add({ body: 'html', on: { operation: 'getBulkJob' } });
		const { json } = await find(wanted, { options, onError: 'continueRegularOutput' });
		expectPending(json);
	});

	test('for the execution was stopped is not lost', async () => {
		service().variants.jobPolls = unfinished;
		const stop = new AbortController();
		setTimeout(() => stop.abort(), 300);
		const startedAt = performance.now();
		const { json } = await find(wanted, { options: {}, stop: stop.signal });
		expect(performance.now() - startedAt).toBeLessThan(5_000);
		expectPending(json);
		expect(polled()).toEqual([]);
	});

	test('whose acceptance was lost on the way is an unknown outcome', async () => {
		service().faults.add({ reset: 'after-charge', on: { where: asksFor(0), times: 1 } });
		const { json } = await find(wanted, { onError: 'continueRegularOutput' });
		expect(new Set(json.map(({ reason }) => reason))).toEqual(new Set(['unknown_outcome']));
		expect(submitted()).toBe(1);
	});
});

describe('Get Bulk Job', () => {
	test('names an item without a job', async () => {
		const { error } = await collect([{}]);
		expect(error).toMatchObject({
			name: 'NodeOperationError',
			message: 'Not sent: this item is missing Job ID [item 0]',
		});
	});

	test('names a job that the account does not have', async () => {
		const { error } = await collect([{ jobId: '77' }]);
		expect(error).toMatchObject({ httpCode: '404', message: expect.stringContaining('[item 0]') });
	});

	/** The items that wait for one job, which can be collected now. */
	async function pendingItems(): Promise<IDataObject[]> {
		service().variants.jobPolls = unfinished;
		const { json } = await find(numbers(3), { onError: 'continueRegularOutput' });
		service().variants.jobPolls = 0;
		return json;
	}

	test("gives the service's own rows with Simplify off", async () => {
		const { json } = await collect(await pendingItems(), { simple: false });
		expect(json.map(({ tId }) => tId)).toEqual([1, 2, 3]);
	});

	test('gives a row once that the service gives twice', async () => {
		const pending = await pendingItems();
		service().faults.add({ rows: 'doubled', on: { operation: 'getBulkJob' } });
		const { json } = await collect(pending);
		expect(json.map(answerIn)).toEqual(numbers(3).map(findBulk.answer));
	});

	test('of a job that cannot be read: every item that names it is on the error output', async () => {
		const pending = await pendingItems();
		service().faults.add({ status: 403, on: { operation: 'getBulkJob', times: 1 } });
		const before = polled().length;
		const { json, errorItems } = await collect(pending, {}, 'continueErrorOutput');
		expect(json).toEqual([]);
		expect(errorItems).toEqual(
			pending.map((_, item) => ({
				json: expect.objectContaining({
					error: expect.objectContaining({ status: 'failed', httpCode: 403 }),
				}),
				pairedItem: { item },
			})),
		);
		expect(polled()).toHaveLength(before + 1);
	});
});
