/**
 * @file Find Emails in Bulk where the service takes a job: it is waited for, and never lost; a later run of a Finder
 * collects it for each item that waits, free, and asks for what no job has. And Get Bulk Job. A node that runs again in its
 * execution is in outlives.test.mts, whose a row is and what a poll says in responses.test.mts.
 */

import type { IDataObject, INodeParameters, IRun } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';

import { forgetRecentAnswers } from '../../nodes/shared/execution/recent.ts';
import type { Effect } from '../emulator/faults.mts';
import type { Variants } from '../emulator/variants.mts';
import {
	chain,
	emits,
	looksUp,
	outputOf,
	runOverWaits,
	spentText,
	toldBy,
	waits,
} from '../support/node/chains.mts';
import { runNode, runWorkflow, type NodeTest, type TestNode } from '../support/node/engine.mts';
import {
	answerIn,
	asksFor,
	continues,
	everyLookup,
	expectAnswers,
	expectPaidOnce,
	find as findOne,
	findBulk,
	leadOf,
	numbers,
	paidAmong,
	requestsOf,
	runLookup,
	subjectsOf,
	withJobs,
	type AnyLookup,
	type LookupTest,
} from '../support/leads/lookups.mts';
import { giveJson, useServer } from '../support/servers/ownServer.mts';
import { useQuickClock } from '../support/node/quickClock.mts';
import { credentialFor, useService } from '../support/servers/service.mts';

const service = useService({
	variants: { bulkAnswer: 'job', jobPolls: 0, jobResultShape: 'results' },
});
const server = useServer();
useQuickClock();

/** Asks for a job once and does not wait for it. */
const noWait = { jobTimeout: 0 };
/** As long as a test wants the jobs unfinished. */
const unfinished = 1_000_000;

/** More than two jobs, the last of them not full. */
const wanted = numbers(230);

async function find(leads: number[], test: LookupTest = {}) {
	return await runLookup(findBulk, service(), leads.map(leadOf), { options: noWait, ...test });
}

/** The lead with a number, as a CRM has it. */
const crmLead = (number: number) => ({ id: `crm-${number}`, ...leadOf(number) });

/** Leads that wait for their jobs, which are done when they are read the next time. */
async function pendingLeads(leads = wanted, jobPolls = 0): Promise<IDataObject[]> {
	service().variants.jobPolls = unfinished;
	const { json } = await collect(leads.map(crmLead), { options: { ...noWait, maxConcurrency: 1 } });
	service().variants.jobPolls = jobPolls;
	return json;
}

/** Another execution of a Finder, with its items; the process has bought nothing before. */
async function collect(items: IDataObject[], test: LookupTest = {}, lookup: AnyLookup = findBulk) {
	forgetRecentAnswers();
	return await runLookup(lookup, service(), items, {
		options: noWait,
		parameters: { includeInputFields: true },
		...test,
	});
}

/** Get Bulk Job, of these jobs. */
async function getJobs(ids: string[], test: Partial<NodeTest> = {}) {
	return await runNode({
		node: findBulk.node,
		parameters: { operation: 'getBulkJob', jobId: '={{ $json.lookupJobId }}' },
		items: ids.map((lookupJobId) => ({ lookupJobId })),
		credential: credentialFor(service()),
		...test,
	});
}

const submitted = () => requestsOf(service(), 'findBulk').length;
const polls = () => requestsOf(service(), 'getBulkJob').map(({ path }) => path);
const inOrder = (items: unknown[]) => items.map((_, item) => ({ pairedItem: { item } }));
const costOf = (number: number) => subjectsOf(findBulk, [number]).length;

/** The ids of the jobs that these items wait for, and the paths of their polls. */
const idsIn = (items: IDataObject[]) => [
	...new Set(items.map(({ lookupJobId }) => String(lookupJobId))),
];
const jobsOf = (items: IDataObject[]) =>
	idsIn(items)
		.map((id) => `/api/v2/find_bulk/${id}`)
		.toSorted();

const nothingLeft = { lookupReason: null, lookupJobId: null, lookupJobRow: null };

/** What a collected row makes of an item of {@link pendingLeads}: nothing is left of the wait. */
const collected = (number: number): IDataObject => ({
	...{ ...findBulk.answer(number), lookupMessage: null, ...crmLead(number) },
	lookupCredits: costOf(number),
	checkedAt: expect.stringMatching(/^\d{4}-.*Z$/),
	...nothingLeft,
});

describe('Find Emails in Bulk', () => {
	const leads = numbers(130);

	test('collects a job though the credits ran out meanwhile', async () => {
		const [bought, rest] = [leads.slice(0, 100), leads.slice(100)];
		// The second request is refused while the job of the first is waited for.
		service().faults.add({ status: 402, on: { where: asksFor(rest[0]) } });
		const { json } = await find(leads, { options: {} });
		expect(json.slice(0, 100).map(answerIn)).toEqual(bought.map(findBulk.answer));
		expect(json.slice(100)).toMatchObject(rest.map(() => ({ lookupReason: 'out_of_credits' })));
		expectPaidOnce(service(), findBulk, bought);
	});

	/** How long jobs take, by a clock that goes as fast as it likes: from the first request to the last item. */
	async function timeOf(jobs: number, jobPolls: number, options: INodeParameters) {
		service().reset();
		forgetRecentAnswers();
		service().variants.jobPolls = jobPolls;
		const begun = Date.now();
		await find(numbers(jobs * 100), { ...continues, options });
		expect(submitted()).toBe(jobs);
		return Date.now() - begun;
	}

	test('waits for jobs side by side, whatever Max Concurrency is', async () => {
		const options = { maxConcurrency: 2 };
		const one = await timeOf(1, 5, options);
		expect(await timeOf(12, 5, options)).toBeLessThan(2.5 * one);
		const atOnce = service().requests.map(({ inFlight }) => inFlight);
		expect(Math.max(...atOnce)).toBeLessThanOrEqual(2);
		expectPaidOnce(service(), findBulk, numbers(1_200));
	});

	test('gives each job the Job Timeout from when it was accepted, and polls five times a second', async () => {
		const options = { maxConcurrency: 1, jobTimeout: 1 };
		const one = await timeOf(1, unfinished, options);
		expect(await timeOf(6, unfinished, options)).toBeLessThan(2 * one);
		const many = await timeOf(40, unfinished, options);
		expect(many).toBeLessThan(3 * one);
		expect(polls().length).toBeLessThan((5.5 * many) / 1_000);
		expect(new Set(polls()).size).toBe(40);
	});

	test('spends no more than Max Credits while jobs are waited for', async () => {
		service().variants.jobPolls = 3;
		const { json } = await find(numbers(600), { options: { maxConcurrency: 2, maxCredits: 250 } });
		// Credits that a job did not use are spent on the next one.
		expect(service().ledger.total()).toBeLessThanOrEqual(250);
		expect(service().ledger.total()).toBeGreaterThan(240);
		const unsent = json.filter(({ lookupStatus }) => lookupStatus === 'not_processed');
		expect(unsent).toMatchObject(unsent.map(() => ({ lookupReason: 'credit_limit' })));
	});

	test('stops at once, and the jobs that it was waiting for are kept with the execution', async () => {
		service().variants.jobPolls = unfinished;
		const stop = new AbortController();
		service().onRequest(({ operation }) => void (operation === 'getBulkJob' && stop.abort()));
		let saved = '';
		const nodes = [emits('Start', numbers(300).map(leadOf)), looksUp('Find', findBulk, {})];
		const run = await runWorkflow({
			...chain(nodes, credentialFor(service())),
			stop: stop.signal,
			save: (stored) => (saved ||= JSON.stringify(stored.data.executionData)),
		});
		expect(polls().length).toBeLessThanOrEqual(3);
		expect(submitted()).toBe(3);
		for (const id of ['9001', '9002', '9003']) expect(saved).toContain(`"${id}"`);
		const waiting = numbers(300).map(() => ({ lookupStatus: 'pending' }));
		expect(outputOf(run, 'Find')).toMatchObject(waiting);
	});

	test('leaves each item pending with the job and the row of its own at the end of Job Timeout', async () => {
		service().variants.jobPolls = unfinished;
		const all = [...leads, 7];
		const { json, error, summary } = await find(all);
		expect(error).toBeUndefined();
		expect(json).toEqual(
			all.map((number, index) =>
				expect.objectContaining({
					...{ lookupStatus: 'pending', lookupReason: 'job_not_finished' },
					lookupJobRow: (number % 100) + 1,
					lookupMessage: expect.stringContaining('is not finished'),
					// Nobody knows yet what it costs, but that it costs nothing twice.
					lookupCredits: index < leads.length ? null : 0,
				}),
			),
		);
		const perJob = [json.slice(0, 100), json.slice(100, 130)].map((items) => jobsOf(items).length);
		expect([...perJob, submitted()]).toEqual([1, 1, 2]);
		expect([...new Set(polls())].toSorted()).toEqual(jobsOf(json));
		expect(summary).toMatch(/131 waiting for a bulk job.*Nothing is lost/);
	});

	test('a job that fails has cost nothing', async () => {
		service().variants.jobOutcome = 'failed';
		const { json } = await find([3, 4], continues);
		// There is nothing to collect any more.
		const lookupMessage = expect.stringContaining('The bulk job 9001 ended');
		const failed = { lookupReason: 'job_failed', lookupMessage, lookupCredits: 0 };
		const said = { lookupStatus: 'failed', ...failed };
		expect(json).toMatchObject([said, said]);
		expect(json[0]).not.toHaveProperty('lookupJobId');
		expect(service().ledger.charges).toEqual([]);
	});
});

describe.each<[Variants['jobResultShape'], Effect]>([
	['bare', { rows: 'shuffled' }],
	['results', { rows: 'doubled' }],
	['people', { rows: 'unknown' }],
	['data', { reset: 'after-charge' }],
	['rows', { delayMs: 1 }],
])('a job that is not finished, with its rows under %s', (jobResultShape, fault) => {
	const leads = numbers(130);
	const pending = { lookupStatus: 'pending', lookupJobId: expect.stringMatching(/^\d+$/) };
	test.each(['empty', 'some'] as const)('shows %s of them: none is lost', async (jobProgress) => {
		Object.assign(service().variants, { jobResultShape, jobProgress, jobPolls: unfinished });
		const { json } = await find(leads, continues);
		const waiting = json.filter(({ lookupStatus }) => lookupStatus !== 'found');
		expect(waiting).toMatchObject(waiting.map(() => pending));
		expect(waiting.length < json.length).toBe(jobProgress === 'some');
		const jobs = idsIn(waiting);
		// A bare list of rows does not say that it is not all.
		if (jobResultShape !== 'bare') {
			expect((await getJobs(jobs)).json).toMatchObject([pending, pending]);
		}
		service().variants.jobPolls = 0;
		expect((await getJobs(jobs)).json.map(answerIn)).toEqual(leads.map(findBulk.answer));
		expectPaidOnce(service(), findBulk, leads);
	});

	test(`is waited for, with ${JSON.stringify(fault)} when it is read first`, async () => {
		Object.assign(service().variants, { jobResultShape, jobProgress: 'some', jobPolls: 1 });
		service().faults.add({ ...fault, on: { operation: 'getBulkJob', times: 1 } });
		const { json } = await find(leads, { options: {} });
		expect(json.map(answerIn)).toEqual(leads.map(findBulk.answer));
		expectPaidOnce(service(), findBulk, leads);
		expect(submitted()).toBe(2);
	});
});

describe('a job in words of its own', () => {
	const leads = numbers(5).map(leadOf);
	const withoutEmail = (row: IDataObject) => ({ ...row, email: null });
	const foundRow = (row: IDataObject) => ({
		...{ ...row, email: `p${row.tId}@x.example` },
		quality: { status: 'valid' },
	});
	const shownForOne = (row: IDataObject) => (row.tId === 1 ? foundRow(row) : withoutEmail(row));

	test.each<[string, shown?: (row: IDataObject) => unknown, polls?: number, most?: number]>([
		['success'],
		['processing', () => null],
		['processing', () => 'queued'],
		['verifying', withoutEmail],
		['50%', shownForOne],
		// Max Credits holds whatever it shows before it is done.
		['completing', shownForOne, 2, 3],
		['processing (2 of 3 done)', shownForOne, 2, 3],
		// It never says that it is done, but all rows are there, and they stay the same.
		['partially_completed', foundRow, Infinity],
	])('%s: it is waited for, and paid once', async (status, shown, doneAfter = 1, most = 5) => {
		const jobs: IDataObject[][] = [];
		let polled = 0;
		const baseUrl = await server(async (request, response) => {
			const isNew = request.method === 'POST';
			if (isNew) jobs.push(JSON.parse((await request.toArray()).join('')));
			else polled++;
			const isDone = !isNew && polled >= doneAfter;
			const results = isDone ? jobs[0].map(foundRow) : shown && jobs[0].map(shown);
			const answer = { id: 1, status: isDone ? 'completed' : status, results };
			giveJson(response, { ...answer, total: jobs[0].length }, isNew ? 202 : 200);
		});
		const credential = { baseUrl, apiKey: `own-words-${status}` };
		const options = { maxCredits: most, jobTimeout: 5 };
		const test = { ...continues, credential, options, retryOnFail: true, maxTries: 3 };
		const { json } = await runLookup(findBulk, service(), leads, test);
		const statuses = leads.map((_, index) => (index < most ? 'found' : 'not_processed'));
		expect(json.map((item) => item.lookupStatus)).toEqual(statuses);
		expect(jobs.map(({ length }) => length)).toEqual([most]);
		if (doneAfter < Infinity) expect(polled).toBe(doneAfter);
		const rows = await getJobs(['1'], { credential });
		expect(rows.json.map((item) => item.lookupStatus)).toEqual(jobs[0].map(() => 'found'));
	});
});

describe('a later run of a Finder', () => {
	test.each([findBulk, findOne])(
		'$operation: gives each item its own row, in order, with its fields; each job is read once, for free',
		async (lookup) => {
			const pending = await pendingLeads();
			const before = service().requests.length;
			const spent = service().ledger.total();
			const order = wanted.toSorted((a, b) => ((a * 37) % 230) - ((b * 37) % 230));
			const items = order.map((number) => pending[number]);
			// It costs nothing, and so needs no room under a limit.
			const options = { ...noWait, maxCredits: 0 };
			const parameters = { includeInputFields: true, manualLimit: 1 };
			const test = { options, parameters, mode: 'manual' } as const;
			const result = await collect(items, test, lookup);
			expect(result.json).toStrictEqual(order.map(collected));
			const names = ['first', 'last', ...Object.keys(collected(0))];
			expect(Object.keys(result.json[0])).toEqual([...new Set(names)]);
			expect(result.items).toMatchObject(inOrder(wanted));
			const sent = service().requests.slice(before);
			expect(sent.map(({ path }) => path).toSorted()).toEqual(jobsOf(pending));
			expect(jobsOf(pending)).toHaveLength(3);
			// What the items say of their cost is the bill of the execution that has bought them.
			const credits = result.json.reduce((sum, item) => sum + Number(item.lookupCredits), 0);
			expect([credits, service().ledger.total()]).toEqual([spent, spent]);
			expect(toldBy(result.run)).toBeUndefined();
		},
	);

	test.each(['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'] as const)(
		'leaves them as they were while their jobs are at work: no failure with %s',
		async (onError) => {
			const pending = await pendingLeads(wanted, unfinished);
			const before = polls().length;
			const result = await collect(pending, { onError });
			expect([result.error, result.errorItems]).toEqual([undefined, []]);
			expect(result.items).toMatchObject(inOrder(wanted));
			expect(result.json).toStrictEqual(pending);
			expect(polls().slice(before)).toHaveLength(3);
			service().variants.jobPolls = 0;
			const { json } = await collect(result.json, { onError });
			expect(json).toStrictEqual(wanted.map(collected));
			expect(submitted()).toBe(3);
		},
	);

	test('waits for them within Job Timeout, but not as Find Email', async () => {
		const pending = await pendingLeads(wanted, 5);
		const { json } = await collect(pending, {}, findOne);
		expect(json).toStrictEqual(pending);
		const waited = await collect(json, { options: {} });
		expect(waited.json).toStrictEqual(wanted.map(collected));
		expectPaidOnce(service(), findBulk, wanted);
	});

	test('tells what a row has cost once, with the fields of its item and without', async () => {
		const [first, second] = paidAmong(findBulk, 60);
		const waiting = await pendingLeads([first, first, second]);
		expect(waiting.map(({ lookupCredits }) => lookupCredits)).toEqual([null, 0, null]);
		for (const includeInputFields of [true, false]) {
			const { json } = await collect(waiting, { parameters: { includeInputFields } });
			expect(json.map(({ lookupCredits }) => lookupCredits)).toEqual([1, 0, 1]);
		}
	});

	test.each(['pending', 'not_processed', 'invalid_input', 'skipped', 'not_found'])(
		'collects for an item that is %s by then, whatever columns the lead has itself',
		async (lookupStatus) => {
			const [hit] = paidAmong(findBulk, 60);
			const [waiting] = await pendingLeads([hit]);
			const own = { status: 'found', message: 'Hi', jobId: '77', jobRow: 2, credits: 7 };
			const why = { lookupStatus, lookupReason: null, lookupMessage: null };
			const { json } = await collect([{ ...waiting, ...why, ...own }]);
			expect(json).toMatchObject([{ ...collected(hit), ...own }]);
			expect(submitted()).toBe(1);
		},
	);

	/** What is wrong with the job or the row of one item among others, and how often it is polled in vain. */
	const path = '/api/v2/find_bulk';
	test.each<[string, IDataObject, vain?: string[]]>([
		[
			'a job that is not known',
			{ lookupJobId: '77' },
			Array(3)
				.fill([`${path}/77`, path])
				.flat(),
		],
		['half a row', { lookupJobRow: 1.5 }],
		['no row', { lookupJobRow: '' }],
		['an object for a job', { lookupJobId: { id: 1 } }],
	])('looks up anew what no job has: %s', async (_, fields, vain = []) => {
		const pending = await pendingLeads([3, 4, 5]);
		const items = pending.map((item, index) => (index === 1 ? { ...item, ...fields } : item));
		const before = polls().length;
		service().variants.bulkAnswer = 'rows';
		const { json } = await collect(items);
		expect(json.map(answerIn)).toEqual([3, 4, 5].map(findBulk.answer));
		expect([json[0], json[2]]).toStrictEqual([3, 5].map(collected));
		const again = requestsOf(service(), 'findBulk').slice(1);
		expect(again.map((one) => [findBulk.asked(one, service()), asksFor(4)(one)])).toEqual([
			[1, true],
		]);
		expect(polls().slice(before).toSorted()).toEqual([...vain, ...jobsOf(pending)].toSorted());
	});

	test('looks up anew what a job that has failed, or is gone, has left', async () => {
		for (const isGone of [false, true]) {
			service().reset();
			Object.assign(service().variants, { jobOutcome: isGone ? 'completed' : 'failed' });
			const pending = await pendingLeads([3, 4]);
			if (isGone) service().faults.add({ status: 410, on: { operation: 'getBulkJob' } });
			service().variants.bulkAnswer = 'rows';
			const { json } = await collect(pending);
			expect(json.map(answerIn)).toEqual([3, 4].map(findBulk.answer));
			expect([submitted(), polls().length]).toEqual([2, 2]);
			if (!isGone) expectPaidOnce(service(), findBulk, [3, 4]);
		}
	});

	test('looks up no more of what a gone job has left than Max Items in Manual Runs', async () => {
		const pending = await pendingLeads([3, 4, 5]);
		service().faults.add({ status: 410, on: { operation: 'getBulkJob' } });
		service().variants.bulkAnswer = 'rows';
		const { json } = await collect(pending, { mode: 'manual', parameters: { manualLimit: 1 } });
		expect(json.filter(({ lookupReason }) => lookupReason === 'manual_limit')).toHaveLength(2);
		expect(requestsOf(service(), 'findBulk').slice(1).map(asksFor(3))).toEqual([true]);
	});

	test('buys once what two executions ask for at once, where the job of their items is gone', async () => {
		service().variants.jobPolls = 1;
		const items = [3, 4, 5].map((number, index) => ({
			...leadOf(number),
			...{ lookupStatus: 'pending', lookupJobId: '777', lookupJobRow: index + 1 },
		}));
		await Promise.all(
			[1, 2].map(async () => await runLookup(findBulk, service(), items, { options: noWait })),
		);
		expectPaidOnce(service(), findBulk, [3, 4, 5]);
	});

	test('gives nobody the row of another, whatever rows the items name', async () => {
		const pending = await pendingLeads([3, 4, 5]);
		const rows = [3, 101, 1];
		const items = pending.map((item, index) => ({ ...item, lookupJobRow: rows[index] }));
		const { json } = await collect(items);
		expect(json.map(answerIn)).toEqual([3, 4, 5].map(findBulk.answer));
		expectPaidOnce(service(), findBulk, [3, 4, 5]);
	});

	test('gives nobody a row that names nobody: another provider may number its jobs alike', async () => {
		const pending = await pendingLeads([3, 4, 5]);
		const results = pending.map((_, index) => ({
			...{ tId: index + 1, email: `somebody-${index}@else.example` },
			quality: { status: 'valid' },
		}));
		const body = { json: JSON.stringify({ status: 'completed', results }) };
		service().faults.add({ body, on: { operation: 'getBulkJob' } });
		service().variants.bulkAnswer = 'rows';
		const { json } = await collect(pending);
		expect(json.map(answerIn)).toEqual([3, 4, 5].map(findBulk.answer));
	});

	const saying = (json: string): [what: string, Effect, times: number] => [
		`one that says ${json}`,
		{ body: { json } },
		Infinity,
	];

	test.each<[what: string, Effect, times: number]>([
		['a job that is not known for a moment', { status: 404 }, 4],
		['a job that is not known, but for an outage', { status: 404 }, 2],
		['one that may not be read', { status: 403 }, Infinity],
		['one whose account is refused', { status: 401 }, Infinity],
		...['{}', '{"status":"error","message":"Busy"}', '{"status":"success"}'].map(saying),
		saying('{"error":"Busy"}'),
	])('leaves them pending where %s is polled', async (what, effect, times) => {
		const pending = await pendingLeads(wanted, unfinished);
		const [jobId] = idsIn(pending);
		const where = ({ path }: { path: string }) => path.endsWith(jobId);
		const faults = service().faults;
		if (what.includes('outage')) faults.add({ status: 503, on: { where, nth: 2 } });
		faults.add({ ...effect, on: { operation: 'getBulkJob', times } });
		const { json, error } = await collect(pending, { options: { jobTimeout: 1 } });
		expect(error).toBeUndefined();
		expect(json).toStrictEqual(pending);
		faults.clear();
		service().variants.jobPolls = 0;
		const again = await collect(json);
		expect(again.json).toStrictEqual(wanted.map(collected));
		expectPaidOnce(service(), findBulk, wanted);
	});
});

describe.each(withJobs)('what $operation leaves with a job', (lookup) => {
	const three = paidAmong(lookup, 60).slice(0, 3);

	test('is collected by a later run of it, each item its own row, for free', async () => {
		service().variants.jobPolls = 1;
		const { json: waiting } = await collect(three.map(lookup.item), {}, lookup);
		const pending = { lookupStatus: 'pending', lookupCredits: null };
		const rows = three.map((_, index) => ({ ...pending, lookupJobRow: index + 1 }));
		expect(waiting).toMatchObject(rows);
		const before = service().requests.length;
		const { json } = await collect(waiting, {}, lookup);
		expectAnswers(lookup, json, three);
		const sent = service().requests.slice(before);
		expect(sent.map(({ operation }) => operation)).toEqual([lookup.job]);
		expectPaidOnce(service(), lookup, three);
	});

	const others = withJobs.filter(({ credits }) => credits !== lookup.credits);

	// The endpoints number their jobs alike.
	test.each(others)('is told from a job of $operation with the same id', async (other) => {
		// Neither is finished when the later execution reads it first.
		service().variants.jobPolls = 2;
		const both = [lookup, other];
		const left: TestNode[] = [];
		for (const one of both) {
			const { json } = await collect(three.map(one.item), {}, one);
			left.push(emits(one.operation, json));
		}
		forgetRecentAnswers();
		const nodes = ['First', 'Again'].flatMap((round) =>
			both.flatMap((one, index) => [
				{ ...left[index], name: `${round} items ${index}` },
				looksUp(`${round} ${one.operation}`, one, noWait),
			]),
		);
		const run = await runWorkflow(
			chain([emits('Start', [{}]), ...nodes], credentialFor(service())),
		);
		for (const one of both) {
			expectAnswers(one, outputOf(run, `Again ${one.operation}`), three);
			expect(requestsOf(service(), one.endpoint)).toHaveLength(1);
		}
	});

	test.each(everyLookup.filter(({ credits }) => credits !== lookup.credits))(
		'is nothing to $operation, whose items wait for it',
		async (other) => {
			service().variants.jobPolls = 1;
			const items = three.map((number) => ({ ...lookup.item(number), ...other.item(number) }));
			const both = [lookup, other];
			const nodes = ['First', 'Again'].flatMap((round) =>
				both.map((one) => {
					const parameters = { ...one.parameters, includeInputFields: true };
					return looksUp(`${round} ${one.operation}`, { ...one, parameters }, noWait);
				}),
			);
			const run = await runWorkflow(
				chain([emits('Start', items), ...nodes], credentialFor(service())),
			);
			for (const one of both) {
				const json = outputOf(run, `Again ${one.operation}`);
				expectAnswers(one, json, three);
				expect(
					requestsOf(service(), one.endpoint).map((sent) => one.asked(sent, service())),
				).toEqual(one.perRequest > 1 ? [3] : [1, 1, 1]);
				expect(one.job ? requestsOf(service(), one.job).length : 2).toBe(2);
			}
			const subjects = both.flatMap((one) => subjectsOf(one, three));
			const charged = service().ledger.charges.map(({ subject }) => subject);
			expect(charged.toSorted()).toEqual(subjects.toSorted());
		},
	);
});

test('Get Bulk Job gives all rows of the jobs, as often as they are asked for, and nothing of its items', async () => {
	const pending = await pendingLeads();
	const before = polls().length;
	for (const _ of ['once', 'again']) {
		const { items, run } = await getJobs(idsIn(pending));
		expect(items).toStrictEqual(
			wanted.map((number) => {
				const { first, last, domain } = crmLead(number);
				// The rows name a person and a company as they were asked for.
				const asked = { fullName: null, firstName: first, lastName: last, company: null, domain };
				const { lookupCredits, checkedAt } = collected(number);
				const json = { ...findBulk.answer(number), ...asked, lookupCredits, checkedAt };
				return { json, pairedItem: { item: Math.floor(number / 100) } };
			}),
		);
		expect(toldBy(run)).toBeUndefined();
	}
	expect(polls().slice(before)).toHaveLength(6);
	expectPaidOnce(service(), findBulk, wanted);
});

test('a node that passes pending items on says so', async () => {
	Object.assign(service().variants, { bulkAnswer: 'job', jobPolls: 1_000_000 });
	const items = [leadOf(0), leadOf(1)];
	const find = looksUp('Find', findBulk, { jobTimeout: 0 });
	const verifier = {
		node: 'contactDataVerifier',
		parameters: { operation: 'verifyBulk', leadFields: 'auto' },
	} as const;
	const run = await runWorkflow(
		chain([emits('Start', items), find, looksUp('Verify', verifier)], credentialFor(service())),
	);
	const said = run.data.resultData.runData.Verify[0].hints?.[0].message;
	expect(said).toContain('2 waiting for a bulk job before this node');
});

describe('what the execution has spent', () => {
	/** Leads that each cost a credit. */
	const hits = paidAmong(findBulk, 40).slice(0, 5);
	const finder = { ...findBulk, parameters: { ...findBulk.parameters, includeInputFields: true } };
	const finds = (name: string, options: INodeParameters = {}) => looksUp(name, finder, options);
	const begin = [emits('Start', hits.map(leadOf)), finds('Find', noWait)];

	/** Nodes behind a finder that has left a job pending, which is done when it is read once more. */
	async function behindJob(...nodes: TestNode[]): Promise<IRun> {
		service().variants.jobPolls = 1;
		const runs = await runOverWaits(chain([...begin, ...nodes], credentialFor(service())));
		return runs[runs.length - 1];
	}

	const ways: Array<[string, TestNode[]]> = [
		['right behind the finder', [finds('Collect', noWait)]],
		['after a Wait', [waits(), finds('Collect', noWait)]],
	];

	/** What the job turns out to be, and the least of what it has cost; the most is told as well. */
	const withRows = (rows: 'unknown' | 'doubled' | 'missing') => () =>
		service().faults.add({ rows, on: { operation: 'getBulkJob', nth: 2 } });
	/** What is sent again is answered at once. */
	const failing = () => {
		service().variants.jobOutcome = 'failed';
		service().onRequest(() => {
			if (polls().length === 2) service().variants.bulkAnswer = 'rows';
		});
	};
	const turns: Array<[string, () => unknown, least: number, most: number]> = [
		['is done', () => {}, 5, 5],
		['has rows of others', withRows('unknown'), 5, 5],
		['has its rows twice', withRows('doubled'), 5, 5],
		['lacks a row so far', withRows('missing'), 4, 5],
		['has failed', failing, 5, 5],
		['goes on', () => service().onRequest(() => (service().variants.jobPolls = unfinished)), 0, 5],
	];

	test.each(
		ways.flatMap(([way, nodes]) => turns.map((turn) => [way, turn[0], nodes, turn] as const)),
	)('is right where a Finder collects it %s and it %s', async (...[, , nodes, turn]) => {
		const [, arrange, least, most] = turn;
		arrange();
		const run = await behindJob(...nodes);
		expect(polls()).toHaveLength(2);
		expect(toldBy(run)).toBe(spentText(least, most));
		expect(service().ledger.total()).toBe(most);
	});

	/** Leads that wait for the first job. */
	const waiting = () =>
		hits.map((number, index) => ({
			...leadOf(number),
			...{ lookupStatus: 'pending', lookupJobId: '9001', lookupJobRow: index + 1 },
			lookupCredits: null,
		}));

	test('is put right once, whoever collects the job again', async () => {
		const run = await behindJob(
			...[finds('One'), emits('Rows', waiting()), finds('Other')],
			...[waits(), emits('Later', waiting()), finds('Third')],
			...[emits('Leads', hits.map(leadOf)), looksUp('Find Again', findBulk, noWait)],
		);
		expect(toldBy(run)).toBe(spentText(5));
		for (const name of ['One', 'Other', 'Third', 'Find Again']) {
			expect(outputOf(run, name).map(answerIn)).toEqual(hits.map(findBulk.answer));
		}
		// The items of the first finder tell of the costs already.
		expect(outputOf(run, 'Find Again')).toMatchObject(hits.map(() => ({ lookupCredits: 0 })));
		expect([submitted(), polls().length]).toEqual([1, 2]);
	});

	test('asks again only for the row that a job never gets', async () => {
		const where = ({ path }: { path: string }) => path.endsWith('/9001');
		service().faults.add({ rows: 'missing', on: { where } });
		const run = await behindJob(finds('Collect', { jobTimeout: 1 }));
		const asked = requestsOf(service(), 'findBulk').map((one) => findBulk.asked(one, service()));
		expect(asked).toEqual([5, 1]);
		expect(outputOf(run, 'Collect').map(answerIn)).toEqual(hits.map(findBulk.answer));
	});

	test('is told though some are not asked for, whose rows are nobody’s until they are', async () => {
		service().faults.add({ rows: 'stranger', on: { operation: 'getBulkJob', nth: 2 } });
		const some = emits('Some', hits.slice(1).map(leadOf));
		const all = emits('All', hits.map(leadOf));
		const run = await behindJob(some, finds('Collect'), all, finds('Find Again'));
		expect(outputOf(run, 'Collect').map(answerIn)).toEqual(hits.slice(1).map(findBulk.answer));
		expect(outputOf(run, 'Find Again').map(answerIn)).toEqual(hits.map(findBulk.answer));
		expect(toldBy(run)).toBe(spentText(5));
		expect(submitted()).toBe(1);
	});

	test('is not changed by the job of somebody else', async () => {
		await behindJob();
		const nodes = [
			...[emits('Start', numbers(5, 100).map(leadOf)), looksUp('Find', findBulk, noWait)],
			...[emits('Other', waiting()), finds('Collect', noWait)],
		];
		const run = await runWorkflow(chain(nodes, credentialFor(service())));
		expect(outputOf(run, 'Collect').map(answerIn)).toEqual(hits.map(findBulk.answer));
		expect(toldBy(run)).toBe(spentText(0, 5));
	});
});
