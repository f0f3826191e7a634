import { ExecuteContext } from 'n8n-core';
import type { IDataObject } from 'n8n-workflow';
import { afterEach, describe, expect, test, vi } from 'vitest';

import { expectedVerification } from '../service/addresses.mts';
import type { BodyEffect } from '../service/faults.mts';
import {
	addressOf,
	answerIn,
	asksFor,
	bulks,
	findBulk,
	leadOf,
	numbers,
	requestsOf,
	runBulk,
	subjectsOf,
	verifyBulk,
	type Bulk,
} from '../support/bulk.mts';
import { runWorkflow, type NodeResult } from '../support/engine.mts';
import { atOnce, expectPaidOnce, whenSent } from '../support/lookups.mts';
import { credentialFor, useService } from '../support/service.mts';

const service = useService();
/** One that never asks for a pause, so that nothing but the options of the node sets the pace. */
const untroubled = useService();
/** One that asks for pauses, which the gate of its account remembers for a while. */
const pausing = useService();

afterEach(() => {
	vi.restoreAllMocks();
});

function sizes(bulk: Bulk): number[] {
	return requestsOf(service(), bulk.operation).map((request) => bulk.asked(request, service()));
}

function statuses({ json }: NodeResult): unknown[] {
	return json.map(({ status }) => status);
}

/** That each item holds the answer to its own question and is linked to its input. */
function expectAnswers(bulk: Bulk, { items, json }: NodeResult, wanted: number[]): void {
	expect(json.map(answerIn)).toEqual(wanted.map(bulk.answer));
	expect(items.map(({ pairedItem }) => pairedItem)).toEqual(wanted.map((_, item) => ({ item })));
}

describe.each(bulks)('$operation', (bulk) => {
	const { perRequest, operation } = bulk;
	const itemsOf = (wanted: number[]) => wanted.map(bulk.item);
	const run = async (wanted: number[], test = {}) =>
		await runBulk(bulk, service(), itemsOf(wanted), test);

	describe('asks in the fewest requests', () => {
		test.each([1, perRequest, perRequest + 1, 3 * perRequest, 3 * perRequest + 7])(
			'%i items',
			async (size) => {
				const wanted = numbers(size);
				expectAnswers(bulk, await run(wanted), wanted);
				expect(sizes(bulk)).toHaveLength(Math.ceil(size / perRequest));
				expect(Math.max(...sizes(bulk))).toBeLessThanOrEqual(perRequest);
				expectPaidOnce(service(), bulk, wanted);
			},
		);

		test('several at once, and never more than Max Concurrency', async () => {
			untroubled().options.latencyMs = 20;
			const wanted = numbers(9 * perRequest);
			const options = { maxConcurrency: 3 };
			expectAnswers(bulk, await runBulk(bulk, untroubled(), itemsOf(wanted), { options }), wanted);
			expect(untroubled().maxInFlight).toBe(3);
			expect(untroubled().requests).toHaveLength(9);
		});

		test('one after the other where Max Concurrency is 1', async () => {
			service().options.latencyMs = 5;
			await run(numbers(4 * perRequest), { options: { maxConcurrency: 1 } });
			expect(service().maxInFlight).toBe(1);
		});

		test('identical questions once, whatever the letter case, and all items get the answer', async () => {
			const distinct = numbers(perRequest);
			const items = [...itemsOf(distinct), ...distinct.map(bulk.twin), ...itemsOf(distinct)];
			const { json, items: output } = await runBulk(bulk, service(), items);
			expect(sizes(bulk)).toEqual([perRequest]);
			expectPaidOnce(service(), bulk, distinct);
			expect(output.map(({ pairedItem }) => pairedItem)).toEqual(
				items.map((_, item) => ({ item })),
			);
			const answers = distinct.map(bulk.answer);
			const lowerCase = json.map(({ email, ...item }) =>
				answerIn({ ...item, email: typeof email === 'string' ? email.toLowerCase() : email }),
			);
			expect(lowerCase).toEqual([...answers, ...answers, ...answers]);
		});
	});

	describe('gives every row to the lead that it belongs to', () => {
		const wanted = numbers(perRequest + 20);

		test.each(['doubled', 'unknown', 'shuffled'] as const)('with rows %s', async (rows) => {
			service().faults.add({ rows });
			expectAnswers(bulk, await run(wanted), wanted);
			expectPaidOnce(service(), bulk, wanted);
		});

		test('with rows missing: those are failed, and no others', async () => {
			service().faults.add({ rows: 'missing' });
			const { json } = await run(wanted);
			const lost = new Set([perRequest - 1, wanted.length - 1]);
			expect(json.map(answerIn)).toEqual(
				wanted.map((number) =>
					lost.has(number) ? expect.objectContaining({ status: 'failed' }) : bulk.answer(number),
				),
			);
			expect(json[perRequest - 1]).toMatchObject({
				status: 'failed',
				reason: 'unexpected_answer',
				message: expect.stringContaining('without a result for this item'),
			});
		});

		test('with the chunks answered in another order', async () => {
			service().faults.add({ delayMs: 120, on: { where: asksFor(0) } });
			service().faults.add({ delayMs: 60, on: { where: asksFor(perRequest) } });
			const three = numbers(3 * perRequest);
			expectAnswers(bulk, await run(three), three);
		});
	});

	describe('when a request goes wrong', () => {
		const wanted = numbers(3 * perRequest);
		const second = wanted.slice(perRequest, 2 * perRequest);
		const others = wanted.filter((number) => !second.includes(number));

		/** That the second chunk alone is failed, for this reason, and was sent but once. */
		function expectSecondFailed({ json }: NodeResult, fields: IDataObject): void {
			const failed = expect.objectContaining({ status: 'failed', ...fields });
			expect(json).toEqual(
				wanted.map((number) =>
					second.includes(number) ? failed : expect.objectContaining(bulk.answer(number)),
				),
			);
		}

		const bodies = ['truncated', 'html', 'text', 'json-scalar', 'empty'] as const;
		test.each<BodyEffect['body']>(bodies)('a body %s fails its own chunk only', async (body) => {
			service().faults.add({ body, on: { where: asksFor(perRequest) } });
			expectSecondFailed(await run(wanted), { reason: 'not_the_service', httpCode: 200 });
			expect(service().requests).toHaveLength(3);
			expectPaidOnce(service(), bulk, others);
		});

		test.each(bodies)('a body %s that was charged counts against Max Credits', async (body) => {
			service().faults.add({ body, charge: true, on: { where: asksFor(0) } });
			const maxCredits = perRequest + 10;
			await run(wanted, { options: { maxCredits, maxConcurrency: 1 } });
			expect(service().ledger.total()).toBeLessThanOrEqual(maxCredits);
		});

		test('a row that is missing but was charged counts against Max Credits', async () => {
			service().faults.add({ rows: 'missing' });
			const maxCredits = 2 * perRequest;
			const many = numbers(6 * perRequest);
			await run(many, { options: { maxCredits, maxConcurrency: 1 } });
			expect(service().ledger.total()).toBeLessThanOrEqual(maxCredits);
		});

		test.each([true, false])(
			'an answer cut off on the way (charged: %s) is an unknown outcome, not repeated',
			async (charge) => {
				service().faults.add({ body: 'cut-off', charge, on: { where: asksFor(perRequest) } });
				expectSecondFailed(await run(wanted), { reason: 'unknown_outcome', httpCode: null });
				expect(service().requests).toHaveLength(3);
				expectPaidOnce(service(), bulk, charge ? wanted : others);
			},
		);

		test.each(['before-charge', 'after-charge'] as const)(
			'a connection reset %s is an unknown outcome, not repeated',
			async (reset) => {
				service().faults.add({ reset, on: { where: asksFor(perRequest) } });
				const result = await run(wanted);
				expectSecondFailed(result, { reason: 'unknown_outcome', httpCode: null });
				expect(result.json[perRequest].message).toMatch(/unclear whether.*Check the credits/s);
				expect(service().requests).toHaveLength(3);
				expectPaidOnce(service(), bulk, reset === 'after-charge' ? wanted : others);
			},
		);

		test.each([429, 500, 502, 503, 504])('a %i is repeated', async (status) => {
			service().faults.add({ status, ...atOnce, on: { where: asksFor(perRequest), times: 2 } });
			expectAnswers(bulk, await run(wanted), wanted);
			expect(service().requests).toHaveLength(5);
			expectPaidOnce(service(), bulk, wanted);
		});

		test.each([429, 503])('a %i is repeated no more often than Max Retries', async (status) => {
			service().faults.add({ status, ...atOnce, on: { where: asksFor(perRequest) } });
			const result = await run(wanted, { options: { maxRetries: 2 } });
			const reason = status === 429 ? 'rate_limited' : 'service_unavailable';
			expectSecondFailed(result, { reason, httpCode: status });
			expect(result.json[perRequest].message).toContain('sent 3 times');
			expect(service().requests).toHaveLength(5);
			expectPaidOnce(service(), bulk, others);
		});

		test.each(['seconds', 'date'] as const)('Retry-After as %s is obeyed', async (retryAfter) => {
			const seconds = retryAfter === 'date' ? 2 : 1;
			pausing().faults.add({ status: 429, retryAfter, seconds, on: { times: 1 } });
			const one = numbers(1);
			expectAnswers(bulk, await runBulk(bulk, pausing(), itemsOf(one)), one);
			const [refused, repeated] = pausing().requests;
			// A date has full seconds only.
			const atLeast = retryAfter === 'date' ? 1_000 : 980;
			expect(repeated.startedAt - (refused.finishedAt ?? 0)).toBeGreaterThan(atLeast);
		});

		test.each([403, 409])('a %i is not repeated', async (status) => {
			service().faults.add({ status, on: { where: asksFor(perRequest) } });
			expectSecondFailed(await run(wanted), { httpCode: status });
			expect(service().requests).toHaveLength(3);
		});

		test.each([400, 413, 414, 422])(
			'a %i costs no item its answer but the one that is refused',
			async (status) => {
				untroubled().faults.add({ status, on: { where: asksFor(perRequest) } });
				const { json } = await runBulk(bulk, untroubled(), itemsOf(wanted));
				const refused = { status: 'failed', reason: 'bad_request', httpCode: status };
				expect(json).toEqual(
					wanted.map((number) =>
						expect.objectContaining(number === perRequest ? refused : bulk.answer(number)),
					),
				);
				// The second request, and two halves of what was refused, until the item stands alone.
				const halvings = Math.ceil(Math.log2(perRequest));
				expect(untroubled().requests).toHaveLength(3 + 2 * halvings);
				expectPaidOnce(
					untroubled(),
					bulk,
					wanted.filter((number) => number !== perRequest),
				);
			},
		);

		test('a redirect is not followed', async () => {
			const redirect = `${service().baseUrl}/api/v2/account`;
			service().faults.add({ redirect, on: { where: asksFor(perRequest) } });
			expectSecondFailed(await run(wanted), { reason: 'redirected' });
			expect(requestsOf(service(), 'getAccount')).toEqual([]);
		});
	});

	describe('when the key is not accepted', () => {
		const wanted = numbers(3 * perRequest);

		test('nothing more is sent, and the workflow stops', async () => {
			const credential = { ...credentialFor(service()), apiKey: 'wrong-key-of-test' };
			const { error, items } = await run(wanted, { credential, options: { maxConcurrency: 1 } });
			expect(items).toEqual([]);
			expect(error?.message).toMatch(/API key.*\[item 0\]/);
			expect(error?.message).not.toContain('wrong-key-of-test');
			expect(error).toMatchObject({
				httpCode: '401',
				description: expect.stringMatching(/API Key/),
			});
			expect(service().requests).toHaveLength(1);
		});

		test('after the first answers: those are delivered, the rest is not sent', async () => {
			service().faults.add({ status: 401, on: { nth: 2 } });
			const { json, error } = await run(wanted, { options: { maxConcurrency: 1 } });
			expect(error).toBeUndefined();
			expect(json.slice(0, perRequest).map(answerIn)).toEqual(
				wanted.slice(0, perRequest).map(bulk.answer),
			);
			expect(json[perRequest]).toMatchObject({ status: 'failed', reason: 'unauthorized' });
			expect(json.at(-1)).toMatchObject({ status: 'not_processed', reason: 'unauthorized' });
			expect(service().requests).toHaveLength(2);
		});
	});

	describe('when the execution is stopped', () => {
		const wanted = numbers(8 * perRequest);

		test('no request starts after it, and what was bought is in the output', async () => {
			untroubled().options.latencyMs = 60;
			const stop = new AbortController();
			let sent = 0;
			whenSent(untroubled(), 1, () =>
				setTimeout(() => {
					sent = untroubled().requests.length;
					stop.abort();
				}, 20),
			);
			const result = await runBulk(bulk, untroubled(), itemsOf(wanted), {
				stop: stop.signal,
				options: { maxConcurrency: 3 },
			});
			expect(sent).toBe(3);
			expect(untroubled().requests).toHaveLength(sent);
			const bought = wanted.slice(0, 3 * perRequest);
			expect(result.json.slice(0, bought.length).map(answerIn)).toEqual(bought.map(bulk.answer));
			expect(result.json.slice(bought.length)).toEqual(
				wanted
					.slice(bought.length)
					.map(() => expect.objectContaining({ status: 'not_processed', reason: 'cancelled' })),
			);
			const paid = untroubled().ledger.charges.map(({ subject }) => subject);
			expect(paid.toSorted()).toEqual(subjectsOf(bulk, bought).toSorted());
		});

		test('a wait for the service ends at once', async () => {
			const stop = new AbortController();
			pausing().faults.add({ status: 429, retryAfter: 'seconds', seconds: 50 });
			setTimeout(() => stop.abort(), 200);
			const startedAt = performance.now();
			// The gate of this account stays closed for the whole pause.
			const credential = { ...credentialFor(pausing()), apiKey: 'second-key' };
			const { json, run: execution } = await runBulk(bulk, pausing(), itemsOf(wanted), {
				stop: stop.signal,
				credential,
			});
			expect(performance.now() - startedAt).toBeLessThan(10_000);
			expect(execution.status).toBe('canceled');
			expect(json).toHaveLength(wanted.length);
			expect(new Set(json.map(({ reason }) => reason))).toEqual(new Set(['cancelled']));
			expect(pausing().ledger.charges).toEqual([]);
		});
	});

	describe('when credits run out', () => {
		const wanted = numbers(6 * perRequest);

		test.each([1, 5])(
			'what was bought is delivered, the rest is not sent (%i requests at once)',
			async (maxConcurrency) => {
				const left = 2 * perRequest + 10;
				service().options.creditsLeft = { [bulk.credits]: left };
				const { json, error } = await run(wanted, { options: { maxConcurrency } });
				expect(error).toBeUndefined();
				const bought = wanted.filter((number) => statusOf(json[number]) !== 'not_processed');
				expect(bought.length).toBeGreaterThanOrEqual(2 * perRequest);
				expect(bought.map((number) => answerIn(json[number]))).toEqual(bought.map(bulk.answer));
				expectPaidOnce(service(), bulk, bought);

				const rest = wanted.filter((number) => !bought.includes(number));
				const remaining = left - service().ledger.total();
				for (const number of rest) {
					expect(json[number]).toMatchObject({ status: 'not_processed', reason: 'out_of_credits' });
					expect(json[number].message).toMatch(/Add credits to the account/);
				}
				if (maxConcurrency > 1) return;
				expect(json[wanted.length - 1].message).toContain(`${remaining} remaining`);
				expect(
					requestsOf(service(), operation).filter(({ status }) => status === 402),
				).toHaveLength(1);
			},
		);

		test("the service's own words are passed on", async () => {
			service().variants.paymentWording = 'refused';
			service().options.creditsLeft = { [bulk.credits]: 0 };
			const { error } = await run(wanted);
			expect(error?.message).toContain('The parameters were valid but the request failed.');
		});

		test.each([1, 4, 8])('Max Credits holds with %i requests at once', async (maxConcurrency) => {
			service().options.latencyMs = 5;
			const maxCredits = 2 * perRequest + 3;
			const { json } = await run(wanted, { options: { maxCredits, maxConcurrency } });
			expect(service().ledger.total()).toBe(maxCredits);
			const bought = wanted.filter((number) => statusOf(json[number]) !== 'not_processed');
			expect(bought.map((number) => answerIn(json[number]))).toEqual(bought.map(bulk.answer));
			expectPaidOnce(service(), bulk, bought);
			expect(json[wanted.length - 1]).toMatchObject({
				status: 'not_processed',
				reason: 'credit_limit',
				message: expect.stringMatching(/Max Credits allows.*Raise Max Credits/),
			});
		});

		test('without Max Credits there is no cap', async () => {
			expectAnswers(bulk, await run(wanted), wanted);
			expectPaidOnce(service(), bulk, wanted);
		});

		test.each([0, -1, '0', ' -5 ', 0.9])(
			'with Max Credits %j nothing is sent',
			async (maxCredits) => {
				const { json, error } = await run(wanted, { options: { maxCredits } });
				expect(error).toBeUndefined();
				expect(json).toHaveLength(wanted.length);
				for (const item of json) {
					expect(item).toMatchObject({ status: 'not_processed', reason: 'credit_limit' });
				}
				expect(service().requests).toEqual([]);
			},
		);

		test.each(['={{ "7" }}', ' 7.9 ', 7.9])('Max Credits %j are 7', async (maxCredits) => {
			await run(wanted, { options: { maxCredits } });
			expect(service().ledger.total()).toBe(7);
		});

		test.each(['', 'plenty', '={{ $json.nothing }}', '={{ null }}', true])(
			'Max Credits %j are refused before anything is sent',
			async (maxCredits) => {
				const refused = await run(wanted, { options: { maxCredits } });
				expect(refused.items).toEqual([]);
				expect(refused.error).toMatchObject({
					name: 'NodeOperationError',
					message: expect.stringContaining('Max Credits must be a number'),
				});
				const { json } = await run(wanted, {
					options: { maxCredits },
					onError: 'continueRegularOutput',
				});
				expect(json).toHaveLength(wanted.length);
				for (const item of json) {
					expect(item).toMatchObject({ status: 'invalid_input', reason: 'invalid: Max Credits' });
				}
				expect(service().requests).toEqual([]);
			},
		);
	});

	describe('On Error', () => {
		// Asked one by one: the first has its answer, the second lacks a field, the third is over the cap.
		const one = firstHits(bulk, 2);
		const incomplete: IDataObject = { first: 'Nobody', note: 'kept' };
		const items = [bulk.item(one[0]), incomplete, bulk.item(one[1])];
		const complete = [bulk.item(one[0]), bulk.item(one[1])];
		const missing =
			operation === 'findBulk'
				? 'Full Name (or First Name and Last Name) and Company Domain (or Company Name)'
				: 'Email';
		const queryOf = (number: number): IDataObject => {
			const { first, last, domain } = leadOf(number);
			return operation === 'findBulk'
				? { firstName: first, lastName: last, domain }
				: { email: addressOf(number) };
		};
		const fill =
			'Fill in the field, or check that its expression finds a value in this item of the input.';
		const lacking = `Not sent: this item is missing ${missing}`;
		const capped = 'Not sent: the node has spent what Max Credits allows';
		const raise = 'Raise Max Credits in the options, then run the remaining items again.';
		const answered = {
			json: expect.objectContaining(bulk.answer(one[0])),
			pairedItem: { item: 0 },
		};
		const free = { credits: 0 };
		const statusItems = [
			answered,
			{
				json: {
					status: 'invalid_input',
					reason: `missing: ${missing}`,
					message: `${lacking}. ${fill}`,
					...free,
				},
				pairedItem: { item: 1 },
			},
			{
				json: {
					status: 'not_processed',
					reason: 'credit_limit',
					message: `${capped}. ${raise}`,
					...queryOf(one[1]),
					...free,
				},
				pairedItem: { item: 2 },
			},
		];
		const options = { maxCredits: 1, maxConcurrency: 1 };
		const failing = { ...options, incompleteRun: 'fail' };

		test('Stop Workflow, Return Partial Results: every item comes out with its status', async () => {
			const result = await runBulk(bulk, service(), items, { options });
			expect(result.error).toBeUndefined();
			expect(result.items).toEqual(statusItems);
		});

		test('Stop Workflow, On Incomplete Run too: an item that lacks a field stops it before a credit', async () => {
			const { error, items: output } = await runBulk(bulk, service(), items, { options: failing });
			expect(output).toEqual([]);
			expect(error).toMatchObject({
				name: 'NodeOperationError',
				message: `${lacking} [item 1]`,
				description: fill,
			});
			expect(service().requests).toEqual([]);
		});

		test('Stop Workflow, On Incomplete Run too: the error tells how far the run got', async () => {
			const { error, items: output } = await runBulk(bulk, service(), complete, {
				options: failing,
			});
			expect(output).toEqual([]);
			expect(error).toMatchObject({
				name: 'NodeApiError',
				message: `${capped} [item 1]`,
				description: `1 of 2 items are done. ${raise}`,
			});
		});

		test('Stop Workflow, On Incomplete Run too: a complete run is not stopped', async () => {
			const { error, items: output } = await runBulk(bulk, service(), complete, {
				options: { incompleteRun: 'fail' },
			});
			expect(error).toBeUndefined();
			expect(output).toHaveLength(2);
		});

		test.each(['return', 'fail'])(
			'Continue, Incomplete Run %s: status items',
			async (incompleteRun) => {
				const result = await runBulk(bulk, service(), items, {
					options: { ...options, incompleteRun },
					onError: 'continueRegularOutput',
				});
				expect(result.error).toBeUndefined();
				expect(result.items).toEqual(statusItems);
			},
		);

		test.each(['return', 'fail'])(
			'Continue (using error output), Incomplete Run %s: with input fields and link',
			async (incompleteRun) => {
				const result = await runBulk(bulk, service(), items, {
					options: { ...options, incompleteRun },
					onError: 'continueErrorOutput',
				});
				expect(result.error).toBeUndefined();
				expect(result.items).toEqual([answered]);
				expect(result.errorItems).toEqual([
					{
						json: {
							...incomplete,
							error: {
								status: 'invalid_input',
								reason: `missing: ${missing}`,
								message: lacking,
							},
							message: `${lacking}. ${fill}`,
						},
						pairedItem: { item: 1 },
					},
					{
						json: {
							...bulk.item(one[1]),
							error: { status: 'not_processed', reason: 'credit_limit', message: capped },
							message: `${capped}. ${raise}`,
						},
						pairedItem: { item: 2 },
					},
				]);
			},
		);

		test('nothing answered at all stops the workflow, naming the item and what to do', async () => {
			service().faults.add({ status: 503, ...atOnce });
			const { error, items: output } = await runBulk(bulk, service(), complete, {
				options: { maxRetries: 1 },
			});
			expect(output).toEqual([]);
			expect(error).toMatchObject({
				name: 'NodeApiError',
				httpCode: '503',
				message: expect.stringMatching(/temporarily unavailable.*\(sent 2 times\) \[item 0\]$/),
				description: 'Run the remaining items later.',
			});
		});

		test('nothing answered at all with Continue: status items all the same', async () => {
			service().faults.add({ status: 503, ...atOnce });
			const { error, json } = await runBulk(bulk, service(), complete, {
				options: { maxRetries: 0 },
				onError: 'continueRegularOutput',
			});
			expect(error).toBeUndefined();
			expect(json).toEqual([
				expect.objectContaining({ status: 'failed', httpCode: 503, ...queryOf(one[0]) }),
				expect.objectContaining({ status: 'failed', httpCode: 503, ...queryOf(one[1]) }),
			]);
			for (const item of json) expect(item).not.toHaveProperty('error');
		});

		test('a Base URL that is refused stops the workflow before anything is sent', async () => {
			const { error } = await runBulk(bulk, service(), complete, {
				credential: { ...credentialFor(service()), baseUrl: 'http://api.example.com' },
			});
			expect(error?.message).toMatch(/does not start with https:\/\/ \[item 0\]/);
		});
	});

	describe('options of the output', () => {
		test('Include Input Fields puts the fields of the input item first', async () => {
			const [hit] = firstHits(bulk, 1);
			const input = { id: 7, status: 'lead', ...bulk.item(hit) };
			const { json } = await runBulk(bulk, service(), [input, { id: 8 }], {
				parameters: { includeInputFields: true },
			});
			expect(json[0]).toMatchObject({ id: 7, ...bulk.answer(hit) });
			expect(Object.keys(json[0]).slice(0, 2)).toEqual(['id', 'status']);
			expect(json[1]).toMatchObject({ id: 8, status: 'invalid_input' });
		});

		test('without it no field of the input item comes out', async () => {
			const { json } = await runBulk(bulk, service(), [{ id: 7, ...bulk.item(0) }]);
			expect(json[0]).not.toHaveProperty('id');
		});

		test("Simplify off gives the service's own object", async () => {
			const [hit] = firstHits(bulk, 1);
			const { json } = await runBulk(bulk, service(), [bulk.item(hit)], {
				parameters: { simple: false },
			});
			const own =
				operation === 'findBulk'
					? { tId: 1, quality: { status: bulk.answer(hit).emailStatus } }
					: { ...expectedVerification(addressOf(hit)) };
			expect(json[0]).toMatchObject(own);
			expect(json[0]).not.toHaveProperty('emailStatus');
		});
	});

	describe('the summary', () => {
		test('of a complete run agrees with the ledger', async () => {
			const distinct = numbers(perRequest + 30);
			const { hints } = await run([...distinct, ...distinct.slice(0, 25)]);
			const hits = [...distinct, ...distinct.slice(0, 25)].filter((number) => bulk.subject(number));
			const items = distinct.length + 25;
			const results =
				operation === 'findBulk'
					? `${hits.length} found, ${items - hits.length} not found`
					: `${items} verified`;
			expect(hints).toEqual([
				{
					message: expect.stringContaining(
						`${items} items: ${results}. ` +
							`${service().ledger.total()} credits used. 25 items cost nothing (duplicate).`,
					),
					type: 'info',
					location: 'outputPane',
				},
			]);
		});

		test('of an incomplete run tells how many were not processed and why', async () => {
			service().options.creditsLeft = { [bulk.credits]: 2 * perRequest + 10 };
			const wanted = numbers(5 * perRequest);
			const { hints, json } = await run(wanted, { options: { maxConcurrency: 1 } });
			const unsent = json.filter((item) => statusOf(item) === 'not_processed').length;
			expect(unsent).toBeGreaterThan(0);
			expect(hints).toMatchObject([
				{
					message: expect.stringContaining(
						`. ${service().ledger.total()} credits used. ${unsent} not sent (out of credits).`,
					),
					type: 'warning',
				},
			]);
		});

		test('tells how long the rate limit made the run wait', async () => {
			pausing().faults.add({ status: 429, retryAfter: 'seconds', seconds: 1, on: { times: 1 } });
			const { hints } = await runBulk(bulk, pausing(), itemsOf([1]));
			expect(hints?.[0]?.message).toContain('Waited 1 second for the rate limit');
		});
	});

	test.each([{}, { maxCredits: 100_000 }])(
		'the last request does not wait for the others: %o',
		async (options) => {
			untroubled().options.latencyMs = 100;
			await runBulk(bulk, untroubled(), itemsOf(numbers(perRequest + 1)), { options });
			expect(untroubled().maxInFlight).toBe(2);
		},
	);

	test('a long run tells its progress in the log, at most every few seconds', async () => {
		const info = await infoLines();
		const { now } = Date;
		let later = 0;
		vi.spyOn(Date, 'now').mockImplementation(() => now() + later);
		untroubled().onRequest(() => (later += 6_000));
		const wanted = numbers(4 * perRequest);
		await runBulk(bulk, untroubled(), itemsOf(wanted), { options: { maxConcurrency: 1 } });
		const lines = info.mock.calls.map(([line]) => line);
		// The last requests may arrive before the results of those before them are counted.
		const done = lines.map((line) => Number(/(\d+) of \d+ items done/.exec(String(line))?.[1]));
		const firsts = numbers(4).map((request) => request * perRequest + 1);
		expect(done.length).toBeGreaterThanOrEqual(3);
		expect(firsts).toEqual(expect.arrayContaining(done));
		expect(lines.at(-1)).toContain(` of ${4 * perRequest} items done`);
	});

	test('a short run leaves no line in the log', async () => {
		const info = await infoLines();
		await run(numbers(2 * perRequest));
		expect(info).not.toHaveBeenCalled();
	});

	describe('within one execution', () => {
		const wanted = numbers(perRequest + 5);
		const start = {
			name: 'Start',
			type: 'start',
			parameters: { items: JSON.stringify(itemsOf(wanted)) },
		} as const;

		test('a second node pays for nothing that the first one has', async () => {
			const parameters = { ...bulk.parameters, includeInputFields: true };
			const execution = await runWorkflow({
				nodes: [
					start,
					{ name: 'One', type: bulk.node, parameters },
					{ name: 'Two', type: bulk.node, parameters },
				],
				connections: ['Start > One', 'One > Two'],
				credential: credentialFor(service()),
			});
			const items = execution.data.resultData.runData.Two?.[0]?.data?.main[0] ?? [];
			expect(items.map(({ json }) => answerIn(json))).toEqual(wanted.map(bulk.answer));
			expect(service().requests).toHaveLength(2);
			expectPaidOnce(service(), bulk, wanted);
		});

		test('a loop pays once and keeps to one Max Credits', async () => {
			const maxCredits = 20;
			const execution = await runWorkflow({
				nodes: [
					start,
					{ name: 'Loop', type: 'end' },
					{
						name: 'Node',
						type: bulk.node,
						parameters: { ...bulk.parameters, options: { maxCredits } },
					},
				],
				connections: ['Start > Node', 'Start > Loop', 'Loop > Node'],
				credential: credentialFor(service()),
			});
			const runs = execution.data.resultData.runData.Node ?? [];
			const outputs = runs.map(({ data }) => data?.main[0]?.map(({ json }) => json) ?? []);
			expect(outputs.map((items) => items.length)).toEqual([wanted.length, wanted.length]);
			const bought = wanted.filter((number) => statusOf(outputs[0][number]) !== 'not_processed');
			expect(bought.length).toBeGreaterThanOrEqual(maxCredits);
			for (const output of outputs) {
				expect(bought.map((number) => answerIn(output[number]))).toEqual(bought.map(bulk.answer));
			}
			expect(service().ledger.total()).toBe(maxCredits);
		});

		test('the next execution starts anew: it pays again, and has its own Max Credits', async () => {
			const options = { maxCredits: perRequest + 5 };
			expectAnswers(bulk, await run(wanted, { options }), wanted);
			expectAnswers(bulk, await run(wanted, { options }), wanted);
			expectPaidOnce(service(), bulk, [...wanted, ...wanted]);
		});
	});
});

function statusOf(item: IDataObject | undefined): unknown {
	return item?.status;
}

/** Listens to what the nodes write to the log of n8n at the level info. */
async function infoLines() {
	const getter = vi.spyOn(ExecuteContext.prototype, 'logger', 'get');
	await runBulk(findBulk, service(), [leadOf(0)]);
	const [result] = getter.mock.results;
	if (result?.type !== 'return') throw new Error('No node has asked for the log');
	return vi.spyOn(result.value, 'info').mockReturnValue(undefined);
}

/** The first numbers whose answer costs a credit. */
function firstHits(bulk: Bulk, count: number): number[] {
	return numbers(50)
		.filter((number) => bulk.subject(number) !== null)
		.slice(0, count);
}

describe('findBulk alone', () => {
	const wanted = numbers(130);
	const items = wanted.map(leadOf);

	test.each(['as-sent', 'number', 'text'] as const)('tId comes back %s', async (bulkIdType) => {
		service().variants.bulkIdType = bulkIdType;
		expectAnswers(findBulk, await runBulk(findBulk, service(), items), wanted);
	});

	test.each(['not-found', 'empty', 'null', 'missing'] as const)(
		'a miss is %s',
		async (finderMiss) => {
			service().variants.finderMiss = finderMiss;
			expectAnswers(findBulk, await runBulk(findBulk, service(), items), wanted);
			expectPaidOnce(service(), findBulk, wanted);
		},
	);

	test('the body holds its rows under people', async () => {
		service().variants.bulkBody = 'people';
		const credential = credentialFor(service(), { bulkFinderBody: 'people' });
		expectAnswers(findBulk, await runBulk(findBulk, service(), items, { credential }), wanted);
	});

	test('items that lack a field are named and cost nothing', async () => {
		const lead = leadOf(0);
		const incomplete: IDataObject[] = [
			{ first: lead.first, last: lead.last },
			{ first: lead.first, domain: lead.domain },
			{ ...lead, last: '   ' },
			{ ...lead, domain: null },
			{},
		];
		const { json } = await runBulk(findBulk, service(), [lead, ...incomplete]);
		const name = 'Full Name (or First Name and Last Name)';
		const place = 'Company Domain (or Company Name)';
		expect(json.slice(1).map(({ status, reason }) => [status, reason])).toEqual([
			['invalid_input', `missing: ${place}`],
			['invalid_input', `missing: ${name}`],
			['invalid_input', `missing: ${name}`],
			['invalid_input', `missing: ${place}`],
			['invalid_input', `missing: ${name} and ${place}`],
		]);
		expect(sizes(findBulk)).toEqual([1]);
	});

	test('a miss is free and repeats what was asked', async () => {
		const miss = numbers(50).find((number) => findBulk.subject(number) === null) ?? -1;
		const lead = leadOf(miss);
		const { json } = await runBulk(findBulk, service(), [lead]);
		expect(json[0]).toMatchObject({
			status: 'not_found',
			email: null,
			firstName: lead.first,
			lastName: lead.last,
			domain: lead.domain,
		});
		expect(service().ledger.charges).toEqual([]);
	});

	test('a cap of 10 among 100 hits and misses is used up and not exceeded', async () => {
		const hundred = numbers(100);
		const options = { maxCredits: 10 };
		const result = await runBulk(findBulk, service(), hundred.map(leadOf), { options });
		expect(service().ledger.total()).toBe(10);
		expect(statuses(result).filter((status) => status === 'found')).toHaveLength(10);
		expect(statuses(result).filter((status) => status === 'not_found').length).toBeGreaterThan(0);
	});
});

describe('verifyBulk alone', () => {
	test('long addresses: no URL over 6,000 characters, and no more requests than that takes', async () => {
		const long = numbers(60).map((number) => `${'x'.repeat(200)}+${number}@long.bulk.example`);
		const { json } = await runBulk(
			verifyBulk,
			service(),
			long.map((email) => ({ email })),
		);
		expect(json.map(({ email }) => email)).toEqual(long);
		const lengths = service().requests.map(
			({ path, rawQuery }) => `${service().baseUrl}${path}?${rawQuery}`.length,
		);
		expect(Math.max(...lengths)).toBeLessThanOrEqual(6_000);
		expect(lengths).toHaveLength(3);
		expect(sizes(verifyBulk).reduce((sum, size) => sum + size)).toBe(60);
	});

	test('addresses that grow when they are encoded count with their length in the URL', async () => {
		const long = numbers(50).map((number) => `${'ü'.repeat(30)}${number}@long.bulk.example`);
		const { json } = await runBulk(
			verifyBulk,
			service(),
			long.map((email) => ({ email })),
		);
		expect(json.map(({ email }) => email)).toEqual(long);
		for (const { path, rawQuery } of service().requests) {
			expect(`${service().baseUrl}${path}?${rawQuery}`.length).toBeLessThanOrEqual(6_000);
		}
	});

	test.each(['/v3/verify_bulk', '/api/v2/find_bulk'] as const)(
		'addresses as a list, at %s',
		async (path) => {
			service().variants.verifyBulkQuery = 'comma';
			service().variants.verifyBulkPath = path;
			const credential = credentialFor(service(), {
				bulkVerifierQuery: 'comma',
				bulkVerifierPath: path,
			});
			const wanted = numbers(60);
			const result = await runBulk(verifyBulk, service(), wanted.map(verifyBulk.item), {
				credential,
			});
			expectAnswers(verifyBulk, result, wanted);
			expect(sizes(verifyBulk)).toEqual([50, 10]);
		},
	);

	test('a comma inside of an address makes no second address of it', async () => {
		service().variants.verifyBulkQuery = 'comma';
		const credential = credentialFor(service(), { bulkVerifierQuery: 'comma' });
		const items = [{ email: `one,${addressOf(0)}` }, ...numbers(49, 1).map(verifyBulk.item)];
		const { json } = await runBulk(verifyBulk, service(), items, { credential });
		expect(json.slice(1).map(answerIn)).toEqual(numbers(49, 1).map(verifyBulk.answer));
		expect(service().ledger.total()).toBeLessThanOrEqual(50);
	});

	test('what cannot be an address is answered here', async () => {
		const texts = ['no-at-sign', 'no-domain@', 'white space@c1.bulk.example'];
		const items = [...texts.map((email) => ({ email })), verifyBulk.item(0), { email: '' }];
		const { json, hints } = await runBulk(verifyBulk, service(), items);
		expect(json.slice(0, 3)).toEqual(
			texts.map((email) =>
				expect.objectContaining({
					status: 'verified',
					email,
					format: 'invalid',
					emailStatus: 'invalid',
					message: expect.stringContaining('Not sent'),
				}),
			),
		);
		expect(json[4]).toMatchObject({ status: 'invalid_input', reason: 'missing: Email' });
		expectPaidOnce(service(), verifyBulk, [0]);
		expect(sizes(verifyBulk)).toEqual([1]);
		expect(hints?.[0]?.message).toContain('3 items cost nothing (not a valid email)');
	});

	test('only local answers: no request at all', async () => {
		const { json } = await runBulk(verifyBulk, service(), [{ email: 'no-at-sign' }]);
		expect(json).toMatchObject([{ status: 'verified', emailStatus: 'invalid' }]);
		expect(service().requests).toEqual([]);
	});
});
