/**
 * @file What n8n stores of an execution's answers: sealed, bounded, and enough to pay nothing twice over a
 * Wait and over the button Retry.
 */

import type { IDataObject, INodeParameters, IRun } from 'n8n-workflow';
import { afterEach, describe, expect, test, vi } from 'vitest';

import { rowsOf } from '../service/operations/bulkFinder.mts';
import { answerIn, findBulk, leadOf, numbers, requestsOf, subjectsOf } from '../support/bulk.mts';
import {
	chain,
	contextOf,
	emits,
	looksUp,
	outputOf,
	spentText,
	toldBy,
	waits,
} from '../support/chains.mts';
import { runWorkflow, type TestWorkflow } from '../support/engine.mts';
import {
	expectPaidOnce,
	find,
	lookups,
	runLookup,
	verify,
	type Lookup,
	type LookupTest,
} from '../support/lookups.mts';
import { giveJson, useServer } from '../support/ownServer.mts';
import { credentialFor, KEY, openAccount, useService } from '../support/service.mts';

const service = useService();

afterEach(() => void vi.restoreAllMocks());

/** Of the tests of this file, which no text holds by chance. */
const SECRET = 'sk/9+secret of=the%account';

/** A lookup, a Wait, and the same lookup, or another one, in another node for other items. */
function overWait(
	lookup: Pick<Lookup, 'node' | 'parameters'>,
	[first, second]: [IDataObject[], IDataObject[]],
	options: INodeParameters = {},
	later = looksUp('Once', lookup, options),
): TestWorkflow {
	return chain(
		[
			emits('Start', first),
			looksUp('Find', lookup, options),
			waits(),
			emits('Again', second),
			later,
		],
		credentialFor(service()),
	);
}

/** That answers are stored, and that nothing in the context can be read: no name, no address, no key. */
function expectSealed(run: IRun): void {
	const context = contextOf(run);
	const sealed = [...context.matchAll(/"sealed":"([^"]+)"/g)].map(([, text]) => text);
	expect(sealed.length).toBeGreaterThan(0);
	const decoded = sealed.map((text) => Buffer.from(text, 'base64').toString('latin1'));
	for (const text of [context, ...decoded]) {
		expect(text).not.toMatch(/ann\d{5}|bulk\.example/i);
		expect(text).not.toContain(KEY);
	}
}

/** What the custom data of an execution says that it has spent; nothing is the same as no credits. */
function expectTold(run: IRun, told: string): void {
	expect(toldBy(run) ?? spentText(0)).toBe(told);
}

const sent = () => service().requests.length;

describe.each(lookups)('after $operation', (lookup) => {
	const wanted = numbers(lookup.perRequest > 1 ? 130 : 12);
	const items = wanted.map(lookup.item);

	test('the answers are stored, whatever comes next, and sealed', async () => {
		const { json, run } = await runLookup(lookup, service(), items);
		expect(json.map(answerIn)).toEqual(wanted.map(lookup.answer));
		expectSealed(run);
	});

	test('a Wait: the same lookups are not sent again', async () => {
		const workflow = overWait(lookup, [items, items.toReversed()]);
		const waiting = await runWorkflow(workflow);
		expect(waiting.status).toBe('waiting');
		expectSealed(waiting);
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
		expectSealed(ended);
		expect(toldBy(ended)).toBe(spentText(service().ledger.total()));
	});

	test.each([
		['23 hours and 59 minutes: they are not sent again', 24 * 60 - 1, 1],
		['24 hours: they are sent again', 24 * 60, 2],
	])('a Wait of %s', async (_, minutes, times) => {
		const workflow = overWait(lookup, [items, items]);
		const now = Date.now.bind(Date);
		const clock = vi.spyOn(Date, 'now').mockImplementation(() => now() - minutes * 60_000);
		const waiting = await runWorkflow(workflow);
		const [requests, spent] = [sent(), service().ledger.total()];
		clock.mockRestore();
		const ended = await runWorkflow({ ...workflow, resumes: waiting });
		expect(outputOf(ended, 'Once').map(answerIn)).toEqual(wanted.map(lookup.answer));
		expect([sent(), service().ledger.total()]).toEqual([times * requests, times * spent]);
	});

	test('two Waits: what was bought before either is not bought again', async () => {
		const [first, second] = [wanted.slice(0, 8), wanted.slice(4)];
		const { nodes, credential } = overWait(lookup, [
			first.map(lookup.item),
			second.map(lookup.item),
		]);
		const last = [waits('Wait 2'), emits('All', items), looksUp('Last', lookup)];
		const workflow = chain([...nodes, ...last], credential);
		const once = await runWorkflow(workflow);
		const twice = await runWorkflow({ ...workflow, resumes: once });
		expect(twice.status).toBe('waiting');
		const requests = sent();
		const ended = await runWorkflow({ ...workflow, resumes: twice });
		expect(sent()).toBe(requests);
		expect(outputOf(ended, 'Last').map(answerIn)).toEqual(wanted.map(lookup.answer));
		expectPaidOnce(service(), lookup, wanted);
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

	test('a Wait in which the API key is rotated: nothing can be opened, all is sent again', async () => {
		const workflow = overWait(lookup, [items, items]);
		const waiting = await runWorkflow(workflow);
		const requests = sent();
		const apiKey = openAccount(service());
		const credential = { ...workflow.credential, apiKey };
		const ended = await runWorkflow({ ...workflow, credential, resumes: waiting });
		expect(outputOf(ended, 'Once').map(answerIn)).toEqual(wanted.map(lookup.answer));
		expect(sent()).toBe(2 * requests);
		const keys = service().requests.map(({ headers }) => headers['x-access-key']);
		expect(keys.slice(requests)).toEqual(keys.slice(requests).map(() => apiKey));
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
		const [first, second] = [paid.slice(0, 3), paid.slice(2, 8)];
		const workflow = overWait(lookup, [first.map(lookup.item), second.map(lookup.item)], options);
		workflow.connections.splice(-1, 1, 'Again > Find');
		const waiting = await runWorkflow(workflow);
		expect(service().ledger.total()).toBe(3);
		const again = await runWorkflow({ ...workflow, resumes: waiting });
		expect(service().ledger.total()).toBe(4);
		const { status } = lookup.answer(paid[0]);
		expect(outputOf(again, 'Find').map((item) => item.reason ?? item.status)).toEqual([
			...[status, status],
			...numbers(4).map(() => 'credit_limit'),
		]);
		expect(toldBy(again)).toBe(spentText(4));
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

	test('keeps what it has bought: Retry sends only the rest', async () => {
		service().faults.add({ status: 503, on: { nth: 2 } });
		const failed = await run();
		expect(failed.error).toBeDefined();
		const bought = service().ledger.total();
		const requests = sent();
		expect(bought).toBeGreaterThan(0);
		expectSealed(failed.run);
		const again = await run({ retryOf: failed.run });
		expect(again.error).toBeUndefined();
		expect(again.json.map(answerIn)).toEqual(wanted.map(lookup.answer));
		expect(sent() - requests).toBe(1);
		expectPaidOnce(service(), lookup, wanted);
		expectSealed(again.run);
		const spent = service().ledger.total() - bought;
		const inItems = again.json.reduce((sum, { credits }) => sum + Number(credits), 0);
		expect(inItems).toBe(spent);
	});

	test('has spent what it tells, and a retry that spends something tells that alone', async () => {
		service().faults.add({ status: 503, on: { nth: 2 } });
		const failed = await run();
		const bought = service().ledger.total();
		expectTold(failed.run, spentText(bought));
		const again = await run({ retryOf: failed.run });
		expect(service().ledger.total()).toBeGreaterThan(bought);
		expectTold(again.run, spentText(service().ledger.total() - bought));
	});

	test('has spent what it tells, and a retry that spends nothing does not tell it again', async () => {
		service().faults.add({ status: 503, on: { nth: 2 } });
		const failed = await run();
		const bought = service().ledger.total();
		expect(bought).toBeGreaterThan(0);
		const again = await run({ retryOf: failed.run, options: { maxCredits: 0 } });
		expect(again.error).toBeUndefined();
		expect(service().ledger.total()).toBe(bought);
		expectTold(again.run, spentText(0));
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
	const options = { incompleteRun: 'fail', maxRetries: 0, maxConcurrency: 1 };
	const workflow = chain(
		[
			emits('Start', wanted.slice(0, 8).map(leadOf)),
			looksUp('One', findBulk),
			emits('More', wanted.map(leadOf)),
			looksUp('Two', find, options, 'stopWorkflow'),
		],
		credentialFor(service()),
	);
	service().faults.add({ status: 503, on: { nth: 3 } });
	const failed = await runWorkflow(workflow);
	expect(failed.status).toBe('error');
	const again = await runWorkflow({ ...workflow, retryOf: failed });
	expect(outputOf(again, 'Two').map(answerIn)).toEqual(wanted.map(find.answer));
	expectPaidOnce(service(), find, wanted);
	expect(requestsOf(service(), 'find')).toHaveLength(5);
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
		const once = looksUp('Once', later, later === find ? {} : options);
		const workflow = overWait(findBulk, [items, items], options, once);
		const waiting = await runWorkflow(workflow);
		expect(new Set(outputOf(waiting, 'Find').map(({ status }) => status))).toEqual(
			new Set(['pending']),
		);
		expect(toldBy(waiting)).toBe(spentText(0, 130));
		expect(contextOf(waiting)).toContain(String(outputOf(waiting, 'Find')[0].jobId));
		expect(contextOf(waiting)).not.toMatch(/ann\d{5}|bulk\.example/i);
		finish();
		const ended = await runWorkflow({ ...workflow, resumes: waiting });
		const output = outputOf(ended, 'Once');
		expect(output.map(answerIn)).toEqual(wanted.map(findBulk.answer));
		expect(new Set(output.map(({ credits }) => credits))).toEqual(new Set([0]));
		expect(submitted()).toBe(2);
		expect(requestsOf(service(), 'find')).toEqual([]);
		expectPaidOnce(service(), lookup, wanted);
		expect(toldBy(ended)).toBe(spentText(subjectsOf(findBulk, wanted).length));
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

	test('may still cost what it may: other lookups after the Wait do not hide that', async () => {
		takeJobs();
		const emails = numbers(5).map((number) => verify.item(number));
		const workflow = overWait(findBulk, [items, emails], options, looksUp('Once', verify));
		const waiting = await runWorkflow(workflow);
		const ended = await runWorkflow({ ...workflow, resumes: waiting });
		expect(outputOf(ended, 'Once').map(({ status }) => status)).toEqual(
			emails.map(() => 'verified'),
		);
		expect(toldBy(ended)).toBe(spentText(5, 135));
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
