/**
 * @file Bulk lookups: what goes wrong with one request costs the others nothing, and nothing is sent once a run is to
 * end. That each row comes to its lead, in the fewest requests, is in properties.test.mts.
 */

import { describe, expect, test } from 'vitest';

import type { Effect } from '../emulator/faults.mts';
import {
	addressOf,
	answerIn,
	asksFor,
	atOnce,
	bulks,
	expectPaidOnce,
	numbers,
	requestsOf,
	runLookup,
	verifyBulk,
	type LookupTest,
} from '../support/leads/lookups.mts';
import { useQuickClock } from '../support/node/quickClock.mts';
import { credentialFor, ofNewAccount, useService } from '../support/servers/service.mts';

const service = useService();

describe.each(bulks)('$operation', (bulk) => {
	const { perRequest } = bulk;
	/** With an account of its own: nothing but the options of the node sets the pace. */
	const run = async (wanted: number[], test: LookupTest = {}) => {
		const credential = ofNewAccount(service());
		return await runLookup(bulk, service(), wanted.map(bulk.item), { credential, ...test });
	};

	test.each([1, 3])('sends as many at once as Max Concurrency allows: %i', async (most) => {
		// The first are under way until the last of them has come.
		service().faults.add({ delayMs: 300, on: { times: most } });
		await run(numbers(9 * perRequest), { options: { maxConcurrency: most } });
		expect(service().maxInFlight).toBe(most);
		expect(service().requests).toHaveLength(9);
	});

	test.each([{}, { maxCredits: 100_000 }])(
		'the last request waits for no other: %o',
		async (options) => {
			service().options.latencyMs = 300;
			await run(numbers(perRequest + 1), { options });
			expect(service().maxInFlight).toBe(2);
		},
	);

	describe('when the second of three requests goes wrong', () => {
		useQuickClock();
		const wanted = numbers(3 * perRequest);
		const second = wanted.slice(perRequest, 2 * perRequest);
		/** Two halves of what is refused, until one item stands alone. */
		const halves = 2 * Math.ceil(Math.log2(perRequest));

		test.each<[effect: Effect, reason: string, requests?: number]>([
			[{ body: 'html' }, 'not_the_service'],
			// A bulk request whose outcome is unknown is never sent again.
			[{ body: 'cut-off', charge: true }, 'unknown_outcome'],
			[{ reset: 'after-charge' }, 'unknown_outcome'],
			[{ status: 403 }, 'forbidden'],
			[{ status: 503, ...atOnce }, 'service_unavailable', 5],
			...[400, 413, 414, 422].map((status): [Effect, string, number] => {
				return [{ status }, 'bad_request', 3 + halves];
			}),
		])('%o fails its own items only: %s', async (effect, reason, requests = 3) => {
			service().faults.add({ ...effect, on: { where: asksFor(perRequest) } });
			// What was reserved for the request that is refused is there for its halves.
			const options = { maxRetries: 2, maxCredits: wanted.length, maxConcurrency: 1 };
			const { json } = await run(wanted, { options });
			const failing = reason === 'bad_request' ? [perRequest] : second;
			const failed = { lookupStatus: 'failed', lookupReason: reason };
			expect(failing.map((number) => json[number])).toMatchObject(failing.map(() => failed));
			const others = wanted.filter((number) => !failing.includes(number));
			expect(others.map((number) => answerIn(json[number]))).toEqual(others.map(bulk.answer));
			expect(service().requests).toHaveLength(requests);
			expectPaidOnce(service(), bulk, reason === 'unknown_outcome' ? wanted : others);
		});
	});

	test.each([
		[2 * perRequest + 10, 6 * perRequest, 1],
		[2 * perRequest + 10, 6 * perRequest, 5],
		[2, 12, 1],
	])(
		'%i credits for %i items, %i at once: the last one is used',
		async (left, items, maxConcurrency) => {
			const wanted = numbers(items);
			service().options.creditsLeft = { [bulk.credits]: left };
			const { json, error, hints, summary } = await run(wanted, { options: { maxConcurrency } });
			expect(error).toBeUndefined();
			const bought = wanted.filter((number) => json[number].lookupStatus !== 'not_processed');
			expect(bought.map((number) => answerIn(json[number]))).toEqual(bought.map(bulk.answer));
			expectPaidOnce(service(), bulk, bought);
			const rest = json.filter(({ lookupStatus }) => lookupStatus === 'not_processed');
			for (const item of rest) {
				const lookupMessage = expect.stringMatching(/out of credits|Not enough credits/);
				const said = { lookupReason: 'out_of_credits', lookupMessage, lookupCredits: 0 };
				expect(item).toMatchObject(said);
			}
			const spent = service().ledger.total();
			expect(spent).toBe(left);
			const told = `, ${rest.length} not sent (out of credits). ${spent} credits used.<br>`;
			expect(hints).toMatchObject([{ message: expect.stringContaining(told), type: 'warning' }]);
			expect(summary).toContain('account of the credential "Test", then run again');
			// The first refusal says what is left.
			const refused = service().requests.filter(({ status }) => status === 402);
			if (maxConcurrency === 1) expect(refused).toHaveLength(1);
		},
	);
});

describe('verifyBulk alone', () => {
	test.each([
		['long ones', 'x'.repeat(200)],
		['some that grow when they are encoded', 'ü'.repeat(30)],
	])('no URL over 6,000 characters: %s', async (_, part) => {
		const items = numbers(60).map((number) => ({ email: `${part}${number}@long.bulk.example` }));
		const { json } = await runLookup(verifyBulk, service(), items);
		expect(json.map(({ email }) => email)).toEqual(items.map(({ email }) => email));
		const requests = requestsOf(service(), 'verifyBulk');
		const lengths = requests.map(
			({ path, rawQuery }) => `${service().baseUrl}${path}?${rawQuery}`.length,
		);
		expect(Math.max(...lengths)).toBeLessThanOrEqual(6_000);
		// No more requests than that takes.
		expect(Math.max(...lengths)).toBeGreaterThan(5_000);
		const asked = requests.map((request) => verifyBulk.asked(request, service()));
		expect(asked.reduce((sum, size) => sum + size)).toBe(60);
	});

	test('a comma inside of an address makes no second address of it', async () => {
		service().variants.verifyBulkQuery = 'comma';
		const credential = credentialFor(service(), { bulkVerifierQuery: 'comma' });
		const items = [{ email: `one,${addressOf(0)}` }, ...numbers(49, 1).map(verifyBulk.item)];
		const { json } = await runLookup(verifyBulk, service(), items, { credential });
		expect(json.slice(1).map(answerIn)).toEqual(numbers(49, 1).map(verifyBulk.answer));
		expect(service().ledger.total()).toBeLessThanOrEqual(50);
	});
});
