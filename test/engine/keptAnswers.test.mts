/**
 * @file What n8n stores of an execution's answers: nothing where nothing can wait, and enough to pay
 * nothing twice over a Wait and over the button Retry.
 */

import type { IDataObject, INodeParameters, IRun } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';

import { rowsOf } from '../service/operations/bulkFinder.mts';
import { answerIn, findBulk, leadOf, numbers, requestsOf, subjectsOf } from '../support/bulk.mts';
import { runWorkflow, type TestNode, type TestWorkflow } from '../support/engine.mts';
import {
	expectPaidOnce,
	find,
	lookups,
	runLookup,
	takeOneJob,
	verify,
	type Lookup,
	type LookupTest,
} from '../support/lookups.mts';
import { outputsOf, runOverWaits } from '../support/chains.mts';
import { giveJson, useServer } from '../support/ownServer.mts';
import { credentialFor, openAccount, useService } from '../support/service.mts';

const service = useService();

/** Of the tests of this file, which no text holds by chance. */
const SECRET = 'sk/9+secret of=the%account';

type OurLookup = Pick<Lookup, 'node' | 'parameters'>;

/** What a workflow has behind its first lookup. */
interface Tail {
	nodes: TestNode[];
	connections: string[];
}

const wait: TestNode = { name: 'Wait', type: 'n8n-nodes-base.wait' };

function start(name: string, items: IDataObject[]): TestNode {
	return { name, type: 'start', parameters: { items: JSON.stringify(items) } };
}

function nodeOf(name: string, { node, parameters }: OurLookup, options: INodeParameters): TestNode {
	return {
		name,
		type: node,
		parameters: { ...parameters, options },
		onError: 'continueRegularOutput',
	};
}

/** A lookup, a Wait, and the same lookup in another node, for other items. */
function overWait(
	lookup: OurLookup,
	[first, second]: [IDataObject[], IDataObject[]],
	options: INodeParameters = {},
): TestWorkflow {
	return {
		nodes: [
			start('Start', first),
			nodeOf('Find', lookup, options),
			wait,
			start('Again', second),
			nodeOf('Once', lookup, options),
		],
		connections: ['Start > Find', 'Find > Wait', 'Wait > Again', 'Again > Once'],
		credential: credentialFor(service()),
	};
}

/** Runs a lookup and what is behind it. */
async function withTail(lookup: OurLookup, items: IDataObject[], tail: Tail): Promise<IRun> {
	return await runWorkflow({
		nodes: [start('Start', items), nodeOf('Find', lookup, {}), ...tail.nodes],
		connections: ['Start > Find', ...tail.connections],
		credential: credentialFor(service()),
	});
}

function outputOf({ data }: IRun, name: string): IDataObject[] {
	const [items] = data.resultData.runData[name]?.at(-1)?.data?.main ?? [];
	return (items ?? []).map(({ json }) => json);
}

/** What n8n stores in the context of the execution. */
function contextOf({ data }: IRun): string {
	return JSON.stringify(data.executionData?.contextData ?? {});
}

/** Two counts of credits for two nodes and the execution take no more. */
const COUNTS_ALONE = 400;

/** That no answer and no job is stored. */
function expectNothingKept(run: IRun, wanted: number[]): void {
	const context = contextOf(run);
	expect(context.length).toBeLessThan(COUNTS_ALONE);
	for (const number of wanted) {
		expect(context.toLowerCase()).not.toContain(leadOf(number).first.toLowerCase());
	}
}

/** What the custom data of an execution says that it has spent; nothing is the same as no credits. */
function expectTold({ data }: IRun, told: string): void {
	expect(data.resultData.metadata?.contact_data_credits ?? '0 credits spent').toBe(told);
}

const sent = () => service().requests.length;

describe.each(lookups)('after $operation', (lookup) => {
	const wanted = numbers(lookup.perRequest > 1 ? 130 : 12);
	const items = wanted.map(lookup.item);
	const end: TestNode = { name: 'End', type: 'end' };

	test.each<[string, Tail]>([
		['nothing at all', { nodes: [], connections: [] }],
		['a node that does not wait', { nodes: [end], connections: ['Find > End'] }],
		[
			'a Wait that is disabled',
			{ nodes: [{ ...wait, disabled: true }], connections: ['Find > Wait'] },
		],
		['a Wait that nothing leads to', { nodes: [wait], connections: [] }],
	])('%s: nothing is stored', async (_, tail) => {
		const run = await withTail(lookup, items, tail);
		expect(outputOf(run, 'Find').map(answerIn)).toEqual(wanted.map(lookup.answer));
		expectNothingKept(run, wanted);
	});

	test('a Wait: the answers are stored, and the same lookups are not sent again', async () => {
		const workflow = overWait(lookup, [items, items.toReversed()]);
		const waiting = await runWorkflow(workflow);
		expect(waiting.status).toBe('waiting');
		for (const number of wanted) {
			if (lookup.subject(number) === null) continue;
			expect(contextOf(waiting).toLowerCase()).toContain(leadOf(number).first.toLowerCase());
		}
		const requests = sent();
		const ended = await runWorkflow({ ...workflow, resumes: waiting });
		expect(ended.status).toBe('success');
		expect(sent()).toBe(requests);
		expect(outputOf(ended, 'Once')).toStrictEqual(
			outputOf(waiting, 'Find')
				.toReversed()
				.map((item) => ({ ...item, credits: 0 })),
		);
		expectPaidOnce(service(), lookup, wanted);
		expectNothingKept(ended, wanted);
		const spent = service().ledger.total();
		expect(ended.data.resultData.metadata).toEqual({
			contact_data_credits: `${spent} credits spent`,
		});
	});

	test('a Wait on another branch: they are stored too', async () => {
		const run = await runWorkflow({
			nodes: [
				{ ...start('Start', items), position: [0, 0] },
				{ ...nodeOf('Find', lookup, {}), position: [200, 0] },
				{ ...wait, position: [200, 900] },
			],
			connections: ['Start > Find', 'Start > Wait'],
			credential: credentialFor(service()),
		});
		expect(run.status).toBe('waiting');
		expect(contextOf(run).length).toBeGreaterThan(COUNTS_ALONE);
	});

	test('a Wait before it that runs again: they are stored too', async () => {
		const between = (name: string, y: number): TestNode => ({
			name,
			type: 'end',
			position: [100, y],
		});
		const runs = await runOverWaits({
			nodes: [
				{ ...start('Start', items), position: [0, 0] },
				between('Left', 0),
				between('Right', 900),
				{ ...wait, position: [200, 0] },
				{ ...nodeOf('Find', lookup, {}), position: [300, 0] },
			],
			connections: ['Start > Left', 'Start > Right', 'Left > Wait', 'Right > Wait', 'Wait > Find'],
			credential: credentialFor(service()),
		});
		expect(outputsOf(runs[runs.length - 1], 'Find')).toHaveLength(2);
		expectPaidOnce(service(), lookup, wanted);
	});

	test('two Waits: what was bought before either is not bought again', async () => {
		const [first, second] = [wanted.slice(0, 8), wanted.slice(4)];
		const workflow: TestWorkflow = {
			...overWait(lookup, [first.map(lookup.item), second.map(lookup.item)]),
			connections: [
				...['Start > Find', 'Find > Wait', 'Wait > Again', 'Again > Once', 'Once > Wait 2'],
				...['Wait 2 > All', 'All > Last'],
			],
		};
		workflow.nodes.push(
			{ ...wait, name: 'Wait 2' },
			start('All', items),
			nodeOf('Last', lookup, {}),
		);
		const once = await runWorkflow(workflow);
		const twice = await runWorkflow({ ...workflow, resumes: once });
		expect(twice.status).toBe('waiting');
		const requests = sent();
		const ended = await runWorkflow({ ...workflow, resumes: twice });
		expect(sent()).toBe(requests);
		expect(outputOf(ended, 'Last').map(answerIn)).toEqual(wanted.map(lookup.answer));
		expectPaidOnce(service(), lookup, wanted);
		expectNothingKept(ended, wanted);
	});

	test('a Wait: only what is new is sent', async () => {
		const more = numbers(5, 500);
		const workflow = overWait(lookup, [items, [...wanted, ...more].map(lookup.item)]);
		const waiting = await runWorkflow(workflow);
		const spent = service().ledger.total();
		const ended = await runWorkflow({ ...workflow, resumes: waiting });
		expect(outputOf(ended, 'Once').map(answerIn)).toEqual([...wanted, ...more].map(lookup.answer));
		const costs = outputOf(ended, 'Once').map(({ credits }) => Number(credits));
		expect(costs.slice(0, wanted.length)).toEqual(wanted.map(() => 0));
		expect(costs.reduce((sum, cost) => sum + cost)).toBe(service().ledger.total() - spent);
		expectPaidOnce(service(), lookup, [...wanted, ...more]);
	});

	test('a Wait: the answers of one account are not given to another', async () => {
		const workflow = overWait(lookup, [items, items]);
		const waiting = await runWorkflow(workflow);
		const requests = sent();
		const credential = { ...workflow.credential, apiKey: 'second-key' };
		const ended = await runWorkflow({ ...workflow, credential, resumes: waiting });
		expect(outputOf(ended, 'Once').map(answerIn)).toEqual(wanted.map(lookup.answer));
		expect(sent()).toBe(2 * requests);
		const keys = service().requests.map(({ headers }) => headers['x-access-key']);
		expect(keys.slice(requests)).toEqual(keys.slice(requests).map(() => 'second-key'));
	});

	test('a Wait: the key of the account is stored nowhere', async () => {
		openAccount(service(), SECRET);
		const workflow = overWait(lookup, [items, items]);
		const credential = { ...workflow.credential, apiKey: SECRET };
		service().faults.add({ status: 403, on: { nth: 2 } });
		const waiting = await runWorkflow({ ...workflow, credential });
		const stored = JSON.stringify(waiting);
		expect(waiting.status).toBe('waiting');
		const forms = [
			SECRET,
			JSON.stringify(SECRET).slice(1, -1),
			encodeURIComponent(SECRET),
			Buffer.from(SECRET).toString('base64').replaceAll('=', ''),
			Buffer.from(SECRET).toString('base64url'),
			Buffer.from(SECRET).toString('hex'),
		];
		for (const form of forms) expect(stored).not.toContain(form);
		expect(stored).not.toMatch(/secret/i);
	});

	test('Max Credits holds over a Wait: the same node spends no more after it', async () => {
		const paid = numbers(300).filter((number) => lookup.subject(number) !== null);
		const options = { maxCredits: 4, maxConcurrency: 1 };
		const workflow: TestWorkflow = {
			nodes: [
				start('Start', paid.slice(0, 3).map(lookup.item)),
				nodeOf('Find', lookup, options),
				wait,
				start('Again', paid.slice(2, 8).map(lookup.item)),
			],
			connections: ['Start > Find', 'Find > Wait', 'Wait > Again', 'Again > Find'],
			credential: credentialFor(service()),
		};
		const waiting = await runWorkflow(workflow);
		expect(service().ledger.total()).toBe(3);
		const again = await runWorkflow({ ...workflow, resumes: waiting });
		expect(service().ledger.total()).toBe(4);
		const { status } = lookup.answer(paid[0]);
		expect(outputOf(again, 'Find').map((item) => item.reason ?? item.status)).toEqual([
			...[status, status],
			...numbers(4).map(() => 'credit_limit'),
		]);
		expect(again.data.resultData.metadata).toEqual({ contact_data_credits: '4 credits spent' });
	});
});

describe.each(lookups)('a node of $operation that stops the workflow', (lookup) => {
	/** Leads that cost something. */
	const wanted = numbers(400)
		.filter((number) => lookup.subject(number) !== null)
		.slice(0, lookup.perRequest > 1 ? 250 : 12);
	const run = async (test: LookupTest = {}) =>
		await runLookup(lookup, service(), wanted.map(lookup.item), {
			options: { incompleteRun: 'fail', maxRetries: 0, maxConcurrency: 1 },
			...test,
		});

	test('keeps what it has bought: Retry sends only the rest, and leaves nothing', async () => {
		service().faults.add({ status: 503, on: { nth: 2 } });
		const failed = await run();
		expect(failed.error).toBeDefined();
		const bought = service().ledger.total();
		const requests = sent();
		expect(bought).toBeGreaterThan(0);
		expect(contextOf(failed.run).length).toBeGreaterThan(COUNTS_ALONE);
		const again = await run({ retryOf: failed.run });
		expect(again.error).toBeUndefined();
		expect(again.json.map(answerIn)).toEqual(wanted.map(lookup.answer));
		expect(sent() - requests).toBe(1);
		expectPaidOnce(service(), lookup, wanted);
		expectNothingKept(again.run, wanted);
		const spent = service().ledger.total() - bought;
		const inItems = again.json.reduce((sum, { credits }) => sum + Number(credits), 0);
		expect(inItems).toBe(spent);
	});

	const words = (credits: number) => `${credits} ${credits === 1 ? 'credit' : 'credits'} spent`;

	test('has spent what it tells, and a retry that spends something tells that alone', async () => {
		service().faults.add({ status: 503, on: { nth: 2 } });
		const failed = await run();
		const bought = service().ledger.total();
		expectTold(failed.run, words(bought));
		const again = await run({ retryOf: failed.run });
		expect(service().ledger.total()).toBeGreaterThan(bought);
		expectTold(again.run, words(service().ledger.total() - bought));
	});

	test('has spent what it tells, and a retry that spends nothing does not tell it again', async () => {
		service().faults.add({ status: 503, on: { nth: 2 } });
		const failed = await run();
		const bought = service().ledger.total();
		expect(bought).toBeGreaterThan(0);
		const again = await run({ retryOf: failed.run, options: { maxCredits: 0 } });
		expect(again.error).toBeUndefined();
		expect(service().ledger.total()).toBe(bought);
		expectTold(again.run, '0 credits spent');
	});

	test('keeps it over several retries', async () => {
		const parts = Math.ceil(wanted.length / lookup.perRequest);
		service().faults.add({ status: 503, on: { nth: 2 } });
		service().faults.add({ status: 503, on: { nth: parts + 1 } });
		const first = await run();
		const second = await run({ retryOf: first.run });
		expect(second.error).toBeDefined();
		const third = await run({ retryOf: second.run });
		expect(third.json.map(answerIn)).toEqual(wanted.map(lookup.answer));
		expectPaidOnce(service(), lookup, wanted);
		expectNothingKept(third.run, wanted);
	});

	test('keeps nothing of the key', async () => {
		openAccount(service(), SECRET);
		service().faults.add({ status: 503, on: { nth: 2 } });
		const credential = { ...credentialFor(service()), apiKey: SECRET };
		const failed = await run({ credential });
		expect(failed.error).toBeDefined();
		expect(JSON.stringify(failed.run)).not.toMatch(/secret/i);
	});
});

test('a node that stops the workflow keeps what others have bought as well', async () => {
	const wanted = numbers(12);
	const workflow = (retryOf?: IRun): TestWorkflow => ({
		nodes: [
			start('Start', wanted.slice(0, 8).map(leadOf)),
			nodeOf('One', findBulk, {}),
			start('More', wanted.map(leadOf)),
			{
				...nodeOf('Two', find, { incompleteRun: 'fail', maxRetries: 0, maxConcurrency: 1 }),
				onError: undefined,
			},
		],
		connections: ['Start > One', 'One > More', 'More > Two'],
		credential: credentialFor(service()),
		retryOf,
	});
	service().faults.add({ status: 503, on: { nth: 3 } });
	const failed = await runWorkflow(workflow());
	expect(failed.status).toBe('error');
	const again = await runWorkflow(workflow(failed));
	expect(outputOf(again, 'Two').map(answerIn)).toEqual(wanted.map(find.answer));
	expectPaidOnce(service(), find, wanted);
	expect(requestsOf(service(), 'find')).toHaveLength(5);
	expectNothingKept(again, wanted);
});

describe('a bulk job that is left pending', () => {
	const wanted = numbers(130);
	const items = wanted.map(leadOf);
	const options = { jobTimeout: 0 };
	const lookup = { ...find, ...findBulk };

	function takeJobs(): void {
		Object.assign(service().variants, { bulkAnswer: 'job', jobPolls: 1_000_000 });
	}

	const finish = () => Object.assign(service().variants, { jobPolls: 0 });
	const submitted = () => requestsOf(service(), 'findBulk').length;

	test.each<[string, Lookup]>([
		['another Find Emails in Bulk', lookup],
		['Find Email', find],
	])('is collected after a Wait by %s, not bought again', async (_, later) => {
		takeJobs();
		const workflow = overWait(findBulk, [items, items], options);
		workflow.nodes.splice(-1, 1, nodeOf('Once', later, later === find ? {} : options));
		const waiting = await runWorkflow(workflow);
		expect(new Set(outputOf(waiting, 'Find').map(({ status }) => status))).toEqual(
			new Set(['pending']),
		);
		expect(waiting.data.resultData.metadata).toEqual({
			contact_data_credits: '0 to 130 credits spent',
		});
		finish();
		const ended = await runWorkflow({ ...workflow, resumes: waiting });
		const output = outputOf(ended, 'Once');
		expect(output.map(answerIn)).toEqual(wanted.map(findBulk.answer));
		expect(new Set(output.map(({ credits }) => credits))).toEqual(new Set([0]));
		expect(submitted()).toBe(2);
		expect(requestsOf(service(), 'find')).toEqual([]);
		expectPaidOnce(service(), lookup, wanted);
		expect(ended.data.resultData.metadata).toEqual({
			contact_data_credits: `${subjectsOf(findBulk, wanted).length} credits spent`,
		});
		expectNothingKept(ended, wanted);
		expect(contextOf(ended)).not.toContain(String(outputOf(waiting, 'Find')[0].jobId));
	});

	test('is collected in part, by whom it concerns', async () => {
		takeJobs();
		const part = [7, 120, 3];
		const workflow = overWait(findBulk, [items, part.map(leadOf)], options);
		const waiting = await runWorkflow(workflow);
		finish();
		const ended = await runWorkflow({ ...workflow, resumes: waiting });
		expect(outputOf(ended, 'Once').map(answerIn)).toEqual(part.map(findBulk.answer));
		expect(submitted()).toBe(2);
	});

	/** A node that leaves a job pending, and then runs again for the same leads and more of them. */
	function looped(between: TestNode[], connections: string[], maxCredits: number): TestWorkflow {
		const hits = numbers(100).filter((number) => findBulk.subject(number) !== null);
		const misses = numbers(100).filter((number) => findBulk.subject(number) === null);
		const ofJob = [...hits.slice(0, 4), ...misses.slice(0, 6)];
		const more = hits.slice(4, 10);
		return {
			nodes: [
				{ ...start('Start', ofJob.map(leadOf)), position: [0, 0] },
				{ ...nodeOf('Find', findBulk, { ...options, maxCredits }), position: [200, 0] },
				{ ...start('Again', [...ofJob, ...more].map(leadOf)), position: [200, 900] },
				...between,
			],
			connections: ['Start > Find', ...connections, 'Again > Find'],
			credential: credentialFor(service()),
		};
	}

	/** What the second run gave out: ten of the job, then six more under a cap of ten. */
	const reasonsOf = (run: IRun) =>
		outputOf(run, 'Find').map(({ status, reason }) => reason ?? status);

	const underCap = [
		...numbers(4).map(() => 'found'),
		...numbers(6).map(() => 'not_found'),
		...numbers(6).map(() => 'found'),
	];

	test('gives back to Max Credits what it did not cost: in a loop', async () => {
		takeOneJob(service());
		service().variants.jobPolls = 1;
		const run = await runWorkflow(looped([], ['Start > Again'], 10));
		expect(reasonsOf(run)).toEqual(underCap);
		expect(service().ledger.total()).toBe(10);
	});

	test('gives back to Max Credits what it did not cost: over a Wait', async () => {
		takeOneJob(service());
		service().variants.jobPolls = 1;
		const workflow = looped([wait], ['Find > Wait', 'Wait > Again'], 10);
		const waiting = await runWorkflow(workflow);
		expect(reasonsOf(waiting)).toEqual(numbers(10).map(() => 'job_not_finished'));
		const run = await runWorkflow({ ...workflow, resumes: waiting });
		expect(reasonsOf(run)).toEqual(underCap);
		expect(service().ledger.total()).toBe(10);
	});

	test('may still cost what it may: other lookups after the Wait do not hide that', async () => {
		takeJobs();
		const emails = numbers(5).map((number) => verify.item(number));
		const workflow = overWait(findBulk, [items, emails], options);
		workflow.nodes.splice(-1, 1, nodeOf('Once', verify, {}));
		const waiting = await runWorkflow(workflow);
		const ended = await runWorkflow({ ...workflow, resumes: waiting });
		expect(outputOf(ended, 'Once').map(({ status }) => status)).toEqual(
			emails.map(() => 'verified'),
		);
		expectTold(ended, '5 to 135 credits spent');
	});

	test('is still pending after the Wait where it goes on: it names the same job and row', async () => {
		takeJobs();
		const workflow = overWait(findBulk, [items, items], options);
		const waiting = await runWorkflow(workflow);
		const ended = await runWorkflow({ ...workflow, resumes: waiting });
		const named = ({ status, jobId, jobRow }: IDataObject) => [status, jobId, jobRow];
		expect(outputOf(ended, 'Once').map(named)).toEqual(outputOf(waiting, 'Find').map(named));
		expect(submitted()).toBe(2);
	});

	test('is collected by Retry where the run failed for it', async () => {
		takeJobs();
		const run = async (test: LookupTest = {}) =>
			await runLookup(findBulk, service(), items, {
				options: { ...options, incompleteRun: 'fail' },
				...test,
			});
		const failed = await run();
		expect(failed.error?.description).toMatch(/Unfinished jobs: 90\d\d, 90\d\d\./);
		finish();
		const again = await run({ retryOf: failed.run });
		expect(again.json.map(answerIn)).toEqual(wanted.map(findBulk.answer));
		expect(new Set(again.json.map(({ credits }) => credits))).toEqual(new Set([0]));
		expect(submitted()).toBe(2);
		expectPaidOnce(service(), lookup, wanted);
		expectNothingKept(again.run, wanted);
	});

	test('is not stored where nothing can wait', async () => {
		takeJobs();
		const { run, json } = await runLookup(findBulk, service(), items, { options });
		expect(json[0].status).toBe('pending');
		expectNothingKept(run, wanted);
		expect(contextOf(run)).not.toContain(String(json[0].jobId));
	});
});

describe('how much is stored', () => {
	const serve = useServer();

	test('is 10,000 answers at most: the oldest are asked again', { timeout: 120_000 }, async () => {
		const many = numbers(10_400);
		const items = many.map(leadOf);
		const bulk = overWait(findBulk, [items, items], { maxConcurrency: 10 });
		const waiting = await runWorkflow(bulk);
		expect(sent()).toBe(104);
		expect(contextOf(waiting).length).toBeLessThan(5_100_000);
		const ended = await runWorkflow({ ...bulk, resumes: waiting });
		expect(outputOf(ended, 'Once').map(answerIn)).toEqual(many.map(findBulk.answer));
		const again = service()
			.requests.slice(104)
			.reduce((sum, { body }) => sum + rowsOf(body).length, 0);
		expect(again).toBeGreaterThanOrEqual(400);
		expect(again).toBeLessThan(1_000);
	});

	test('is 5 MB at most, however large the answers are', { timeout: 120_000 }, async () => {
		const asked: number[] = [];
		const baseUrl = await serve(async (request, response) => {
			const sentRows = rowsOf(JSON.parse(Buffer.concat(await request.toArray()).toString()));
			asked.push(sentRows.length);
			const pattern = 'ä'.repeat(10_000);
			giveJson(
				response,
				sentRows.map((row) => ({
					...row,
					email: `${String(row.firstName)}@acme.example`,
					pattern,
					quality: { status: 'valid' },
				})),
			);
		});
		const items = numbers(600).map(leadOf);
		const workflow = {
			...overWait(findBulk, [items, items]),
			credential: { baseUrl, apiKey: 'test-key' },
		};
		const waiting = await runWorkflow(workflow);
		expect(asked).toEqual(numbers(6).map(() => 100));
		expect(Buffer.byteLength(contextOf(waiting))).toBeLessThan(5_200_000);
		const ended = await runWorkflow({ ...workflow, resumes: waiting });
		expect(outputOf(ended, 'Once').map(({ status }) => status)).toEqual(items.map(() => 'found'));
		const again = asked.slice(6).reduce((sum, length) => sum + length, 0);
		expect(again).toBeGreaterThan(0);
		expect(again).toBeLessThan(600);
	});
});
