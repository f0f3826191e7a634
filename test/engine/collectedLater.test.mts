/** @file What each run of a node tells of its costs, where a later one collects the job of an earlier one. */

import { describe, expect, test } from 'vitest';

import { answerIn, asksFor, findBulk, leadOf, numbers, subjectsOf } from '../support/bulk.mts';
import { runWorkflow, type TestNode } from '../support/engine.mts';
import { runLookup, runInLoop, takeOneJob } from '../support/lookups.mts';
import { useQuickClock } from '../support/quickClock.mts';
import { credentialFor, useService } from '../support/service.mts';

/** A job is not finished when it is asked for the first time. */
const service = useService({
	variants: { bulkAnswer: 'job', jobPolls: 1, jobResultShape: 'results' },
});

const options = { jobTimeout: 0, maxConcurrency: 1, maxRetries: 0 };
const continues = { onError: 'continueRegularOutput' } as const;

/** How many credits these leads cost. */
const costOf = (wanted: number[]) => subjectsOf(findBulk, wanted).length;

const itemsOf = (wanted: number[]) => wanted.map(findBulk.item);

describe('a job of 100 leads, collected by a run that asks for five more', () => {
	const ofJob = numbers(100);
	const more = numbers(5, ofJob.length);
	const all = [...ofJob, ...more];

	test('in a loop: each tells what it has spent itself', async () => {
		takeOneJob(service());
		const { rounds } = await runInLoop(findBulk, service(), [itemsOf(ofJob), itemsOf(all)], {
			options,
			...continues,
		});
		const [first, second] = rounds;
		expect(second.json.map(answerIn)).toEqual(all.map(findBulk.answer));
		expect(service().ledger.total()).toBe(costOf(all));
		expect(first.summary).toContain('Up to 100 credits used');
		expect(second.summary).toContain(`. ${costOf(more)} credits used`);
	});

	test('by Retry On Fail: the last try tells what it has spent itself', async () => {
		takeOneJob(service());
		service().faults.add({ status: 503, on: { where: asksFor(more[0]), times: 1 } });
		const { json, hints } = await runLookup(findBulk, service(), itemsOf(all), {
			options: { ...options, incompleteRun: 'fail' },
			retryOnFail: true,
			maxTries: 2,
		});
		expect(json.map(answerIn)).toEqual(all.map(findBulk.answer));
		expect(service().ledger.total()).toBe(costOf(all));
		expect(hints?.[0]?.message).toContain(`. ${costOf(more)} credits used`);
	});

	test('with an unknown outcome for those: it tells the most that it may have spent', async () => {
		takeOneJob(service());
		service().faults.add({ reset: 'before-charge', on: { where: asksFor(more[0]) } });
		const { rounds, run } = await runInLoop(findBulk, service(), [itemsOf(ofJob), itemsOf(all)], {
			options,
			...continues,
		});
		const [, { json, summary }] = rounds;
		expect(json.slice(0, ofJob.length).map(answerIn)).toEqual(ofJob.map(findBulk.answer));
		expect(json.slice(ofJob.length).map(({ reason }) => reason)).toEqual(
			more.map(() => 'unknown_outcome'),
		);
		expect(summary).toContain(`Up to ${more.length} credits used`);
		const spent = service().ledger.total();
		expect(run.data.resultData.metadata).toEqual({
			contact_data_credits: `${spent} to ${spent + more.length} credits spent`,
		});
	});
});

describe('a job whose service leaves out a row that it has charged', () => {
	const wanted = numbers(40)
		.filter((number) => findBulk.subject(number) !== null)
		.slice(0, 3);

	test.each([
		['by the run that asked for it', 0],
		['by a later run', 1],
	])('collected %s: the execution has cost more or less', async (_, jobPolls) => {
		service().variants.jobPolls = jobPolls;
		service().faults.add({
			rows: 'missing',
			on: { operation: 'getBulkJob', nth: jobPolls + 1 },
		});
		const rounds = [itemsOf(wanted), itemsOf(wanted)];
		// What the first run has got is not asked for again, and what it has not got, is.
		if (jobPolls === 0) rounds[1] = itemsOf(wanted.slice(0, 2));
		const { run, rounds: done } = await runInLoop(findBulk, service(), rounds, {
			options,
			...continues,
		});
		expect(done[jobPolls].json.map(({ status }) => status)).toEqual(['found', 'found', 'failed']);
		expect(service().ledger.total()).toBe(wanted.length);
		expect(run.data.resultData.metadata).toEqual({
			contact_data_credits: '2 to 3 credits spent',
		});
	});
});

test.each([50, 100, 200])(
	'what a job turns out not to have cost is for later runs under Max Credits: %i',
	async (more) => {
		takeOneJob(service());
		const ofJob = numbers(100);
		const wanted = itemsOf([...ofJob, ...numbers(more, 100)]);
		const rounds = [itemsOf(ofJob), wanted, wanted];
		const { rounds: done } = await runInLoop(findBulk, service(), rounds, {
			options: { ...options, maxCredits: 100 },
			...continues,
		});
		for (const { json } of done.slice(1)) {
			expect(json.slice(0, 100).map(answerIn)).toEqual(ofJob.map(findBulk.answer));
		}
		// The run that collects the job has no room before it knows what the job has cost.
		const refused = done[1].json.slice(100).map(({ reason }) => reason);
		expect(new Set(refused)).toEqual(new Set(['credit_limit']));
		// In the end everything that the cap allows is spent.
		expect(service().ledger.total()).toBe(100);
	},
);

describe('a job that goes on, under Max Credits', () => {
	useQuickClock();

	test.each([
		['of another node', 'Other', 50],
		['of the node itself', 'Node', 150],
	])('%s: who has room does not wait for it', async (_, name, maxCredits) => {
		takeOneJob(service());
		service().variants.jobPolls = 1_000_000;
		const sentAt: number[] = [];
		service().onRequest(({ operation }) => {
			if (operation === 'findBulk') sentAt.push(Date.now());
		});
		const first = numbers(100);
		const emits = (wanted: number[], jobTimeout: number): TestNode['parameters'] => ({
			items: JSON.stringify(wanted.map((number) => ({ ...leadOf(number), jobTimeout }))),
		});
		const looksUp = (own: string): TestNode => ({
			name: own,
			type: findBulk.node,
			parameters: {
				...findBulk.parameters,
				options: {
					maxCredits: own === name ? maxCredits : 1_000,
					jobTimeout: '={{ $json.jobTimeout }}',
				},
			},
			...continues,
		});
		await runWorkflow({
			nodes: [
				{ name: 'Start', type: 'start', parameters: emits(first, 0), position: [0, 0] },
				{ ...looksUp('Node'), position: [200, 0] },
				{
					name: 'Again',
					type: 'start',
					parameters: emits([...first, ...numbers(60, 300)], 30),
					position: [100, 900],
				},
				{ ...looksUp('Other'), position: [200, 900] },
			],
			connections: ['Start > Node', 'Start > Again', `Again > ${name}`],
			credential: credentialFor(service()),
		});
		expect(sentAt.length).toBeGreaterThanOrEqual(2);
		expect(sentAt[1] - sentAt[0]).toBeLessThan(60_000);
	});

	test('of the same run: who has room does not wait for it', async () => {
		Object.assign(service().variants, { bulkAnswer: 'job', jobPolls: 1_000_000 });
		const sentAt: number[] = [];
		service().onRequest(({ operation }) => {
			if (operation === 'findBulk') sentAt.push(Date.now());
		});
		await runLookup(findBulk, service(), itemsOf(numbers(200)), {
			...continues,
			options: { maxCredits: 150 },
		});
		expect(sentAt).toHaveLength(2);
		expect(sentAt[1] - sentAt[0]).toBeLessThan(60_000);
	});
});
