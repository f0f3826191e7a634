import { describe, expect, test } from 'vitest';

import type { Fault } from '../service/faults.mts';
import { answerIn, asksFor, bulks, numbers, requestsOf, runBulk } from '../support/bulk.mts';
import { atOnce, expectPaidOnce } from '../support/lookups.mts';
import { useService } from '../support/service.mts';

const service = useService();

describe.each(bulks)('Retry On Fail of $operation', (bulk) => {
	const { perRequest, operation } = bulk;
	const wanted = numbers(3 * perRequest);
	const second = asksFor(perRequest);
	const retried = async (options = {}, maxTries = 2) =>
		await runBulk(bulk, service(), wanted.map(bulk.item), {
			options: { maxConcurrency: 1, maxRetries: 1, incompleteRun: 'fail', ...options },
			retryOnFail: true,
			maxTries,
		});

	test.each<[string, number, Fault]>([
		['a 429 to the last', 5, { status: 429, ...atOnce, on: { where: second, times: 2 } }],
		['a 503 to the last', 5, { status: 503, ...atOnce, on: { where: second, times: 2 } }],
		['a 409', 4, { status: 409, on: { where: second, times: 1 } }],
		['a reset before the charge', 4, { reset: 'before-charge', on: { where: second, times: 1 } }],
		['a web page', 4, { body: 'html', on: { where: second, times: 1 } }],
		['half an answer', 4, { body: 'truncated', on: { where: second, times: 1 } }],
		['a 401', 4, { status: 401, on: { where: second, times: 1 } }],
	])('after %s: the second try sends only the rest and pays nothing twice', async (...row) => {
		const [, requests, fault] = row;
		service().faults.add(fault);
		const { json, error } = await retried();
		expect(error).toBeUndefined();
		expect(json.map(answerIn)).toEqual(wanted.map(bulk.answer));
		expect(requestsOf(service(), operation)).toHaveLength(requests);
		expectPaidOnce(service(), bulk, wanted);
	});

	test('after a 400 of one item: the second try sends that item alone', async () => {
		// The request, and the halves that hold the item, down to the item itself.
		const times = 1 + Math.ceil(Math.log2(perRequest));
		service().faults.add({ status: 400, on: { where: second, times } });
		const { json, error } = await retried();
		expect(error).toBeUndefined();
		expect(json.map(answerIn)).toEqual(wanted.map(bulk.answer));
		const asked = requestsOf(service(), operation).map((request) => bulk.asked(request, service()));
		expect(asked).toHaveLength(3 + 2 * (times - 1) + 1);
		expect(asked.at(-1)).toBe(1);
		expectPaidOnce(service(), bulk, wanted);
	});

	test('after a reset after the charge: only the rows of unknown outcome are paid again', async () => {
		service().faults.add({ reset: 'after-charge', on: { where: second, times: 1 } });
		const { json, error } = await retried();
		expect(error).toBeUndefined();
		expect(json.map(answerIn)).toEqual(wanted.map(bulk.answer));
		expect(requestsOf(service(), operation)).toHaveLength(4);
		expectPaidOnce(service(), bulk, [...wanted, ...wanted.slice(perRequest, 2 * perRequest)]);
	});

	test('after a missing row: that row alone is asked for again', async () => {
		service().faults.add({ rows: 'missing', on: { where: second, times: 1 } });
		const { json, error } = await retried();
		expect(error).toBeUndefined();
		expect(json.map(answerIn)).toEqual(wanted.map(bulk.answer));
		const asked = requestsOf(service(), operation).map((request) => bulk.asked(request, service()));
		expect(asked).toEqual([perRequest, perRequest, perRequest, 1]);
	});

	test('after the credits ran out and were topped up: only the rest is sent', async () => {
		const { options, ledger, requests } = service();
		options.creditsLeft = { [bulk.credits]: perRequest + 10 };
		let toppedUp = false;
		service().onRequest(() => {
			if (!toppedUp && requests.some(({ status }) => status === 402)) {
				toppedUp = true;
				ledger.topUp(1_000, bulk.credits);
			}
		});
		const { json, error } = await retried();
		expect(toppedUp).toBe(true);
		expect(error).toBeUndefined();
		expect(json.map(answerIn)).toEqual(wanted.map(bulk.answer));
		expect(requests.filter(({ status }) => status === 402)).toHaveLength(1);
		expect(requests.filter(({ status }) => status === 200)).toHaveLength(3);
		expectPaidOnce(service(), bulk, wanted);
	});

	test('without a top-up: each try asks once, and the error tells how far the run got', async () => {
		service().options.creditsLeft = { [bulk.credits]: perRequest };
		const { error } = await retried({}, 3);
		const refused = service().requests.filter(({ status }) => status === 402);
		expect(refused).toHaveLength(3);
		expect(error?.description).toMatch(
			new RegExp(`^${perRequest} of ${3 * perRequest} items are done\\. Add credits`),
		);
		expectPaidOnce(service(), bulk, wanted.slice(0, perRequest));
	});

	test('Max Credits is one cap for all tries', async () => {
		const maxCredits = perRequest + 3;
		const { error } = await retried({ maxCredits }, 3);
		expect(error?.message).toContain('Max Credits');
		expect(service().ledger.total()).toBe(maxCredits);
		expect(Math.max(...service().ledger.bySubject().values())).toBe(1);
	});

	test('with Continue (using error output) n8n may run the node again, and nothing is paid twice', async () => {
		service().faults.add({ status: 503, ...atOnce, on: { where: asksFor(0), times: 2 } });
		const { items, errorItems } = await runBulk(bulk, service(), wanted.map(bulk.item), {
			options: { maxConcurrency: 1, maxRetries: 1 },
			onError: 'continueErrorOutput',
			retryOnFail: true,
			maxTries: 2,
		});
		expect(errorItems).toEqual([]);
		expect(items.map(({ json }) => answerIn(json))).toEqual(wanted.map(bulk.answer));
		expectPaidOnce(service(), bulk, wanted);
	});
});
