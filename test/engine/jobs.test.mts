/**
 * @file Find Emails in Bulk where the service takes a job, and Get Bulk Job: a job is waited for, and never lost; each
 * pending item gets its own row, free, and the job has cost what its rows say. A lookup that runs again and collects the
 * job is in outlives.test.mts; what goes wrong while it is read, and items that wait for no job, are in chaos.test.mts.
 */

import type { IDataObject, INodeParameters, IRun } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';

import type { Effect, Trigger } from '../emulator/faults.mts';
import type { Variants } from '../emulator/variants.mts';
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
} from '../support/node/chains.mts';
import { runNode, runWorkflow, type NodeTest, type TestNode } from '../support/node/engine.mts';
import {
	answerIn,
	asksFor,
	expectPaidOnce,
	findBulk,
	leadOf,
	numbers,
	paidAmong,
	requestsOf,
	runLookup,
	subjectsOf,
	type LookupTest,
} from '../support/leads/lookups.mts';
import { objectOf } from '../support/node/operationRow.mts';
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
const continues = { onError: 'continueRegularOutput' } as const;

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
	const { json } = await runLookup(findBulk, service(), leads.map(crmLead), {
		options: { ...noWait, maxConcurrency: 1 },
		parameters: { includeInputFields: true },
	});
	service().variants.jobPolls = jobPolls;
	return json;
}

/** Get Bulk Job for these items; with {@link wholeJob} all rows of the jobs that they name. */
async function collect(
	items: IDataObject[],
	parameters: INodeParameters = {},
	test: Partial<NodeTest> = {},
) {
	return await runNode({
		node: findBulk.node,
		parameters: { operation: 'getBulkJob', ...parameters },
		items,
		credential: credentialFor(service()),
		...test,
	});
}

const wholeJob = { jobRow: '' };
const submitted = () => requestsOf(service(), 'findBulk').length;
const polls = () => requestsOf(service(), 'getBulkJob').map(({ path }) => path);
const inOrder = (items: unknown[]) => items.map((_, item) => ({ pairedItem: { item } }));
const costOf = (number: number) => subjectsOf(findBulk, [number]).length;

/** The paths of the jobs that these items wait for. */
const jobsOf = (items: IDataObject[]) =>
	[...new Set(items.map(({ jobId }) => `/api/v2/find_bulk/${String(jobId)}`))].toSorted();

const nothingLeft = { reason: null, httpCode: null, jobId: null, jobRow: null };

/** What a collected row makes of an item of {@link pendingLeads}: nothing is left of the wait. */
const collected = (number: number): IDataObject => ({
	...{ ...findBulk.answer(number), message: null, ...crmLead(number), credits: costOf(number) },
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
		expect(json.slice(100)).toMatchObject(rest.map(() => ({ reason: 'out_of_credits' })));
		expectPaidOnce(service(), findBulk, bought);
	});

	/** How long jobs take, by a clock that goes as fast as it likes: from the first request to the last item. */
	async function timeOf(jobs: number, jobPolls: number, options: INodeParameters) {
		service().reset();
		service().variants.jobPolls = jobPolls;
		const begun = Date.now();
		await find(numbers(jobs * 100), { ...continues, options });
		expect(submitted()).toBe(jobs);
		return Date.now() - begun;
	}

	test.each([true, false])(
		'tells each lead what it has cost, with its fields: %s',
		async (includeInputFields) => {
			const parameters = { includeInputFields: true };
			const hits = paidAmong(findBulk, 60).slice(0, 3);
			const capped = await find(hits, { ...continues, parameters, options: { maxCredits: 0 } });
			expect(capped.json[0]).toMatchObject({ status: 'not_processed', credits: 0 });
			service().variants.jobPolls = 3;
			const own = {
				...findBulk,
				parameters: { ...findBulk.parameters, includeInputFields },
			};
			const again = { retryOnFail: true, maxTries: 5, waitBetweenTries: 1 };
			const node = looksUp('Find', own, { ...noWait, incompleteRun: 'fail' }, 'stopWorkflow');
			const nodes = [emits('Start', capped.json), { ...node, ...again }];
			const run = await runWorkflow(chain(nodes, credentialFor(service())));
			const collected = { status: 'found', credits: 1 };
			expect(outputOf(run, 'Find')).toMatchObject(hits.map(() => collected));
			expect(service().ledger.total()).toBe(hits.length);
		},
	);

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
		const unsent = json.filter(({ status }) => status === 'not_processed');
		expect(unsent).toMatchObject(unsent.map(() => ({ reason: 'credit_limit' })));
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
		expect(outputOf(run, 'Find')).toMatchObject(numbers(300).map(() => ({ status: 'pending' })));
	});

	test('leaves each item pending with the job and the row of its own at the end of Job Timeout', async () => {
		service().variants.jobPolls = unfinished;
		const all = [...leads, 7];
		const { json, error, hints } = await find(all);
		expect(error).toBeUndefined();
		expect(json).toEqual(
			all.map((number, index) =>
				expect.objectContaining({
					...{ status: 'pending', reason: 'job_not_finished', jobRow: (number % 100) + 1 },
					message: expect.stringContaining('is not finished'),
					// Nobody knows yet what it costs, but that it costs nothing twice.
					credits: index < leads.length ? null : 0,
				}),
			),
		);
		const perJob = [json.slice(0, 100), json.slice(100, 130)].map((items) => jobsOf(items).length);
		expect([...perJob, submitted()]).toEqual([1, 1, 2]);
		expect([...new Set(polls())].toSorted()).toEqual(jobsOf(json));
		expect(hints?.[0]?.message).toMatch(/131 waiting for a bulk job.*Get Bulk Job/);
	});

	test('asks again for a row that a job lacks, alone, with Retry On Fail', async () => {
		service().faults.add({ rows: 'missing', on: { operation: 'getBulkJob', times: 1 } });
		const options = { ...noWait, incompleteRun: 'fail', maxConcurrency: 1 };
		const { json, error } = await find(leads, { options, retryOnFail: true, maxTries: 2 });
		expect(error).toBeUndefined();
		expect(json.map(answerIn)).toEqual(leads.map(findBulk.answer));
		const asked = requestsOf(service(), 'findBulk').map((one) => findBulk.asked(one, service()));
		expect(asked).toEqual([100, 30, 1]);
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
	const pending = { status: 'pending', jobId: expect.stringMatching(/^\d+$/) };
	const firstRows = [leads[0], leads[100]];

	test.each(['empty', 'some'] as const)('shows %s of them: none is lost', async (jobProgress) => {
		Object.assign(service().variants, { jobResultShape, jobProgress, jobPolls: unfinished });
		const { json } = await find(leads, continues);
		expect(json).toMatchObject(leads.map(() => pending));
		// Each job is named until all are there. A bare list of rows does not say that it is not all.
		const named = firstRows.map((number) => json[number]);
		if (jobResultShape !== 'bare') {
			expect((await collect(named, wholeJob)).json).toMatchObject([pending, pending]);
		}
		// The rows that are there are given to those who ask for their own.
		const { json: some } = await collect(json, {}, continues);
		const open = some.filter(({ status }) => status !== 'found' && status !== 'not_found');
		expect(open.length).toBeGreaterThan(0);
		expect(open).toMatchObject(open.map(() => pending));
		service().variants.jobPolls = 0;
		for (const rows of [await collect(json, wholeJob), await collect(some, {}, continues)]) {
			expect(rows.json.map(answerIn)).toEqual(leads.map(findBulk.answer));
		}
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
		expect(json.map((item) => item.status)).toEqual(statuses);
		expect(jobs.map(({ length }) => length)).toEqual([most]);
		if (doneAfter < Infinity) expect(polled).toBe(doneAfter);
		const rows = await collect([{ jobId: '1' }], wholeJob, { credential });
		expect(rows.json.map((item) => item.status)).toEqual(jobs[0].map(() => 'found'));
	});
});

describe('Get Bulk Job gives each item', () => {
	test('its own row, in order, with its fields; each job is read once, for free', async () => {
		const pending = await pendingLeads();
		const before = polls().length;
		const spent = service().ledger.total();
		const order = wanted.toSorted((a, b) => ((a * 37) % 230) - ((b * 37) % 230));
		const result = await collect(order.map((number) => pending[number]));
		expect(result.json).toStrictEqual(order.map(collected));
		expect(Object.keys(result.json[0])).toEqual(Object.keys(collected(0)));
		expect(result.items).toMatchObject(inOrder(wanted));
		expect(polls().slice(before).toSorted()).toEqual(jobsOf(pending));
		expect(jobsOf(pending)).toHaveLength(3);
		// What the items say of their cost is the bill of the execution that has bought them.
		const credits = result.json.reduce((sum, item) => sum + Number(item.credits), 0);
		expect([credits, service().ledger.total()]).toEqual([spent, spent]);
	});

	const settings = ['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'] as const;

	test.each(settings)('as it was while its job is at work: no failure with %s', async (onError) => {
		const pending = await pendingLeads(wanted, unfinished);
		const before = polls().length;
		const result = await collect(pending, {}, { onError });
		expect([result.error, result.errorItems]).toEqual([undefined, []]);
		expect(result.items).toMatchObject(inOrder(wanted));
		expect(result.json).toStrictEqual(pending);
		expect(polls().slice(before)).toHaveLength(3);
		service().variants.jobPolls = 0;
		const { json } = await collect(result.json, {}, { onError });
		expect(json).toStrictEqual(wanted.map(collected));
	});

	test.each(['verified', 'known'])('its own row once, also if it is %s by then', async (status) => {
		const waiting = (await pendingLeads([3])).map((item) => ({ ...item, status }));
		const { json } = await collect(waiting);
		expect(json).toMatchObject([{ ...findBulk.answer(3), jobId: null, jobRow: null }]);
		const before = polls().length;
		expect((await collect(json)).json).toStrictEqual(json);
		expect(polls()).toHaveLength(before);
	});

	test('what its row has cost, once, also without its fields and where a Finder did not send it meanwhile', async () => {
		const [first, second] = wanted.filter((number) => costOf(number) === 1);
		const waiting = await pendingLeads([first, first, second]);
		const credits = async (items: IDataObject[], parameters: INodeParameters) =>
			(await collect(items, parameters)).json.map((item) => item.credits);
		const told = await credits(waiting, {});
		expect(told.toSorted()).toEqual([0, 1, 1]);
		expect(await credits(waiting, { includeInputFields: false })).toEqual(told);
		const noCredits = { options: { maxCredits: 0 }, parameters: { includeInputFields: true } };
		const refused = await runLookup(findBulk, service(), waiting, noCredits);
		expect(refused.json[0]).toMatchObject({ status: 'not_processed', jobRow: 1 });
		expect(await credits(refused.json, {})).toEqual(told);
	});

	test.each(['', 'lookup'])(
		'its row and what that has cost, whatever becomes of the item meanwhile: "%s"',
		async (resultField) => {
			const hit = paidAmong(findBulk, 60)[0];
			const [waiting] = await pendingLeads([hit]);
			const held = { ...waiting, email: 'old@acme.example' };
			const inField = resultField ? `={{ $json.${resultField}.` : '={{ $json.';
			const existing = { existingEmail: `${inField}email }}` };
			const wrong = { maxCredits: 'many' };
			const days: LookupTest[] = [
				{ parameters: existing },
				{ options: { maxCredits: 0 } },
				{ options: { maxCredits: 0 } },
				{ parameters: existing },
				{ options: wrong },
			];
			let item: IDataObject = resultField ? { ...crmLead(hit), [resultField]: held } : held;
			const own = () => (resultField ? objectOf(item[resultField]) : item);
			const statuses: unknown[] = [];
			for (const { parameters, options } of days) {
				const { json } = await runLookup(findBulk, service(), [item], {
					...continues,
					options: { resultField, ...options },
					parameters: { includeInputFields: true, ...parameters },
				});
				item = json[0];
				statuses.push(own().status);
				expect(own()).toMatchObject({ jobId: waiting.jobId, jobRow: 1, credits: null });
			}
			const [refused, invalid] = ['not_processed', 'invalid_input'];
			expect(statuses).toEqual(['known', refused, refused, 'known', invalid]);
			const jobOf = { jobId: `${inField}jobId }}`, jobRow: `${inField}jobRow }}` };
			const { json } = await collect([item], { ...jobOf, options: { resultField } });
			item = json[0];
			const { id: _, first: __, last: ___, domain: ____, ...said } = collected(hit);
			expect(own()).toMatchObject(said);
			expect(submitted()).toBe(1);
		},
	);

	test('its row, and says what that replaces of the fields of its own', async () => {
		const own = (await pendingLeads([3])).map((item) => ({ ...item, status: 'Hot', reason: null }));
		const { hints } = await collect([...own, { status: 'Cold' }]);
		const said = '2 items had fields of their own that are replaced (status)';
		expect(hints).toMatchObject([{ message: expect.stringContaining(said) }]);
	});

	test('its binary data with its fields', async () => {
		const start = emits('Start', [...(await pendingLeads([3, 4])), {}]);
		start.parameters = { ...start.parameters, file: 'QWRh' };
		const run = await runWorkflow(chain([start, collects('Collect')], credentialFor(service())));
		const [output] = run.data.resultData.runData.Collect?.[0]?.data?.main ?? [];
		const card = { binary: { data: { fileName: 'card.txt' } } };
		expect(output).toMatchObject([card, card, card]);
	});

	/** What goes wrong with one item among others, and what is said of it. */
	const failed = { status: 'failed', reason: 'unexpected_answer', jobRow: 101 };
	const message = expect.stringContaining('Bulk job 77: ');
	const noJob = { message, jobId: null, jobRow: null };
	const unknown = { status: 'failed', reason: 'not_found', httpCode: 404, ...noJob };
	const noRow = { status: 'invalid_input', reason: 'invalid_value' };
	const failing = { status: 'invalid_input', reason: 'failing_expression' };
	test.each<[string, IDataObject, said: IDataObject]>([
		['a row that the job lacks', { jobRow: 101 }, failed],
		['half a row', { jobRow: 1.5 }, noRow],
		['an object for a job', { jobId: { id: 1 } }, noRow],
		['an expression that fails', { jobRow: null }, failing],
		['a job that the service does not know', { jobId: '77', jobRow: 2 }, unknown],
	])('%s: On Error says what becomes of the item', async (_, fields, said) => {
		const pending = await pendingLeads([3, 4, 5]);
		const items = pending.map((item, index) => (index === 1 ? { ...item, ...fields } : item));
		const onError = async (setting: NodeTest['onError'], of = items) => {
			const parameters = said === failing ? { jobRow: '={{ $json.jobRow.toInt() }}' } : {};
			return await collect(of, parameters, { onError: setting });
		};
		// Nobody knows what its row has cost. The others get theirs.
		const marked = await onError('continueRegularOutput');
		expect(marked.json[1]).toMatchObject({ ...crmLead(4), ...said, credits: null });
		expect([marked.json[0], marked.json[2]]).toStrictEqual([3, 5].map(collected));

		const { json, errorItems } = await onError('continueErrorOutput');
		expect(json).toStrictEqual([3, 5].map(collected));
		const { status, reason } = said;
		const error = expect.objectContaining({ status, reason, message: expect.any(String) });
		const message = expect.any(String);
		expect(errorItems).toEqual([
			{ json: { ...items[1], message, error }, pairedItem: { item: 1 } },
		]);

		// What is bought reaches the next node, whatever becomes of the rest.
		const stopped = await onError('stopWorkflow');
		expect(stopped.json[1]).toStrictEqual(marked.json[1]);
		expect([stopped.json[0], stopped.json[2]]).toStrictEqual([3, 5].map(collected));
		// What happened stands in the item, and what to do once, above all of them.
		expect(stopped.hints?.[0].message).toMatch(/^1 item without a whole result: 1 [^.]+\. [A-Z]/);
		const alone = await onError('stopWorkflow', [items[1]]);
		expect(alone.error?.message).toBeDefined();
	});
});

test('of a job that Get Bulk Job cannot read every item stays pending, and says why', async () => {
	const pending = await pendingLeads();
	const [{ jobId }] = pending;
	const where: Trigger = { where: ({ path }) => path.endsWith(String(jobId)) };
	service().faults.add({ status: 403, on: { ...where, operation: 'getBulkJob' } });
	const before = polls().length;
	const { json, hints } = await collect(pending, {}, continues);
	const [{ message: said }] = hints ?? [];
	expect(said).toMatch(/plan.*Nothing is lost: run the Finder again later/);
	expect(polls()).toHaveLength(before + 3);
	expect(json.map(({ status }) => status === 'pending')).toEqual(
		wanted.map((number) => number < 100),
	);
	const unread = { status: 'pending', reason: 'forbidden', httpCode: 403, jobId, jobRow: 6 };
	expect(json[5]).toMatchObject({ id: 'crm-5', ...unread, credits: null });
	service().faults.clear();
	const again = await collect(json.slice(0, 100));
	expect(again.json.map(answerIn)).toEqual(wanted.slice(0, 100).map(findBulk.answer));
	expect(again.json.map(({ credits }) => credits)).toEqual(wanted.slice(0, 100).map(costOf));
});

test.each([
	[401, true],
	[403, true],
	[402, false],
	[503, false],
])('a job that is answered with %i is to be collected later', async (...given) => {
	const [status, isRefused] = given;
	const pending = await pendingLeads([3]);
	service().faults.add({ status, on: { operation: 'getBulkJob' } });
	const { json, hints } = await collect([{}, ...pending], {}, continues);
	expect(json).toMatchObject([{ status: 'skipped' }, { status: 'pending', jobRow: 1 }]);
	expect(hints?.[0].message).toContain('Nothing is lost: run the Finder again later');
	if (!isRefused) expect(hints?.[0].message).not.toContain('again');
	// As in a lookup, what the service causes does not hide behind what is passed on.
	const { error } = await collect([{}, ...pending]);
	expect(error?.description).toContain('Nothing is lost: run the Finder again later');
});

test('of a job that has failed the items have cost nothing', async () => {
	const pending = await pendingLeads([3, 4]);
	service().variants.jobOutcome = 'failed';
	const { json } = await collect(pending, {}, continues);
	// There is nothing to collect any more.
	const message = expect.stringContaining(`The bulk job ${String(pending[0].jobId)} ended`);
	const failed = { status: 'failed', reason: 'job_failed', message, credits: 0 };
	expect(json).toMatchObject([1, 2].map(() => ({ ...failed, jobId: null, jobRow: null })));
});

test.each([{}, { includeInputFields: true }])(
	'every row of a job once, without the fields of the input: %j',
	async (parameters) => {
		const pending = await pendingLeads();
		const before = polls().length;
		const { items } = await collect([...pending, { id: 1 }], { ...wholeJob, ...parameters });
		expect(items.slice(0, -1)).toStrictEqual(
			wanted.map((number) => {
				const { first, last, domain } = crmLead(number);
				// The rows name a person and a company as they were asked for.
				const asked = { fullName: null, firstName: first, lastName: last, company: null, domain };
				const { credits, checkedAt } = collected(number);
				const json = { ...findBulk.answer(number), ...asked, credits, checkedAt };
				return { json, pairedItem: { item: Math.floor(number / 100) * 100 } };
			}),
		);
		expect(items.at(-1)?.json).toMatchObject({ status: 'skipped', credits: 0 });
		expect(polls().slice(before)).toHaveLength(3);
	},
);

test('a node that passes pending items on does not say to look them up again', async () => {
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
	expect(said).toContain(
		'2 items came in without a result: 2 waiting for a bulk job. What waits for a bulk job is paid for: collect it with Get Bulk Job.',
	);
	expect(said).not.toContain('again');
});

describe('what the execution has spent', () => {
	/** Leads that each cost a credit. */
	const hits = paidAmong(findBulk, 40).slice(0, 5);
	const finder = { ...findBulk, parameters: { ...findBulk.parameters, includeInputFields: true } };
	const begin = [emits('Start', hits.map(leadOf)), looksUp('Find', finder, noWait)];

	/** Nodes behind a finder that has left a job pending, which is done when it is read once more. */
	async function behindJob(...nodes: TestNode[]): Promise<IRun> {
		service().variants.jobPolls = 1;
		const runs = await runOverWaits(chain([...begin, ...nodes], credentialFor(service())));
		return runs[runs.length - 1];
	}

	const ways: Array<[string, TestNode[]]> = [
		['right behind the finder', [collects('Collect')]],
		['after a Wait', [waits(), collects('Collect')]],
		['for the whole job', [collects('Collect', wholeJob)]],
		['for the whole job after a Wait', [waits(), collects('Collect', wholeJob)]],
	];

	/** What the job turns out to be, and the least of what it has cost; the most is told as well. */
	const withRows = (rows: 'unknown' | 'doubled' | 'missing') => () =>
		service().faults.add({ rows, on: { operation: 'getBulkJob', nth: 2 } });
	const turns: Array<[string, () => unknown, least: number, most: number]> = [
		['is done', () => {}, 5, 5],
		['has rows of others', withRows('unknown'), 5, 5],
		['has its rows twice', withRows('doubled'), 5, 5],
		['lacks a row', withRows('missing'), 4, 5],
		['has failed', () => (service().variants.jobOutcome = 'failed'), 0, 0],
		['goes on', () => service().onRequest(() => (service().variants.jobPolls = unfinished)), 0, 5],
	];

	test.each(
		ways.flatMap(([way, nodes]) => turns.map((turn) => [way, turn[0], nodes, turn] as const)),
	)('is right where Get Bulk Job reads it %s and it %s', async (...[, , nodes, turn]) => {
		const [, arrange, least, most] = turn;
		arrange();
		const run = await behindJob(...nodes);
		expect(polls().length).toBeGreaterThanOrEqual(2);
		expect(toldBy(run)).toBe(spentText(least, most));
		expect(service().ledger.total()).toBe(most);
	});

	test('is put right once, whoever reads the job again', async () => {
		const rows = hits.map((_, index) => ({ jobId: '9001', jobRow: index + 1 }));
		const later = [emits('Leads', hits.map(leadOf)), looksUp('Find Again', findBulk, noWait)];
		const run = await behindJob(
			...[collects('One'), emits('Rows', rows), collects('Other')],
			...[waits(), emits('Later', rows), collects('Third'), ...later],
		);
		expect(toldBy(run)).toBe(spentText(5));
		for (const name of ['One', 'Other', 'Third', 'Find Again']) {
			expect(outputOf(run, name).map(answerIn)).toEqual(hits.map(findBulk.answer));
		}
		// The items of the first finder tell of the costs already.
		expect(outputOf(run, 'Find Again')).toMatchObject(hits.map(() => ({ credits: 0 })));
		expect(submitted()).toBe(1);
	});

	test.each<[string, () => unknown, again: number[]]>([
		['lacks a row', withRows('missing'), [1]],
		['has failed', () => (service().variants.jobOutcome = 'failed'), [5]],
	])('asks again only for what a job left open: it %s', async (...row) => {
		const [, arrange, again] = row;
		arrange();
		const later = [emits('Leads', hits.map(leadOf)), looksUp('Find Again', findBulk, noWait)];
		await behindJob(collects('Collect'), ...later);
		const asked = requestsOf(service(), 'findBulk').map((one) => findBulk.asked(one, service()));
		expect(asked).toEqual([5, ...again]);
		expect(polls().filter((path) => path.endsWith('/9001'))).toHaveLength(2);
	});

	test('is not changed by the job of somebody else', async () => {
		const [{ jobId }] = outputOf(await behindJob(), 'Find');
		const rows = hits.map((_, index) => ({ jobId, jobRow: index + 1 }));
		const nodes = [
			...[emits('Start', numbers(5, 100).map(leadOf)), looksUp('Find', findBulk, noWait)],
			...[emits('Other', rows), collects('Collect')],
		];
		const run = await runWorkflow(chain(nodes, credentialFor(service())));
		expect(outputOf(run, 'Collect').map(answerIn)).toEqual(hits.map(findBulk.answer));
		expect(toldBy(run)).toBe(spentText(0, 5));
	});
});
