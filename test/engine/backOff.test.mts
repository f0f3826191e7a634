/** @file How a run slows down when the service asks for it, and how it gets faster again. */

import type { IDataObject } from 'n8n-workflow';
import { afterEach, describe, expect, test, vi } from 'vitest';

import { answerIn, leadOf, numbers } from '../support/bulk.mts';
import { expectPaidOnce, find, runLookup } from '../support/lookups.mts';
import { useService } from '../support/service.mts';

afterEach(() => void vi.restoreAllMocks());

/** What a service may say that means "at once". */
const atOnce = [
	['0', { retryAfter: 'seconds', seconds: 0 }],
	['a date in the past', { retryAfter: 'date', seconds: -60 }],
] as const;

describe.each(atOnce)('Retry-After: %s', (_, retryAfter) => {
	const service = useService();
	const wanted = numbers(200);

	test('is no licence to hammer: no lead fails while the service refuses for a while', async () => {
		let busyUntil: number | undefined;
		const isBusy = () => Date.now() < (busyUntil ??= Date.now() + 900);
		service().faults.add({ status: 429, ...retryAfter, on: { where: isBusy } });
		const { json } = await runLookup(find, service(), wanted.map(leadOf));
		expect(json.map(answerIn)).toEqual(wanted.map(find.answer));
		const refused = service().requests.filter(({ status }) => status === 429);
		expect(refused.length).toBeLessThan(40);
		expectPaidOnce(service(), find, wanted);
	});
});

describe.each([
	{ status: 429, retryAfter: 'seconds', seconds: 0 },
	{ status: 503, retryAfter: 'date', seconds: -60 },
] as const)('after a $status with Retry-After of now, as $retryAfter', (refusal) => {
	const service = useService();

	test('a request waits for a back-off that grows', async () => {
		// Half of the longest: full jitter takes any part of it.
		vi.spyOn(Math, 'random').mockReturnValue(0.5);
		service().faults.add({ ...refusal, on: { times: 2 } });
		const { json } = await runLookup(find, service(), [leadOf(1)]);
		expect(json.map(answerIn)).toEqual([find.answer(1)]);
		const [first, second, third] = service().requests;
		expect(second.startedAt - (first.finishedAt ?? Infinity)).toBeGreaterThan(450);
		expect(third.startedAt - (second.finishedAt ?? Infinity)).toBeGreaterThan(950);
	});
});

describe('a concurrency that a 429 has halved', () => {
	const service = useService();

	/** People of whom the service has no address. */
	const unknown: IDataObject[] = numbers(80).map((number) => ({
		...leadOf(number),
		domain: 'nowhere.example',
	}));

	test('grows back with every answer, also where nobody is found', async () => {
		service().options.latencyMs = 20;
		service().faults.add({ on: { nth: 10 }, status: 429, retryAfter: 'seconds', seconds: 1 });
		const { json } = await runLookup(find, service(), unknown, { options: { maxConcurrency: 8 } });
		expect(json.map(({ status }) => status)).toEqual(unknown.map(() => 'not_found'));
		const requests = [...service().requests];
		const refused = requests.findIndex(({ status }) => status === 429);
		const atOnce = requests.map(({ inFlight }) => inFlight);
		expect(Math.max(...atOnce.slice(0, refused))).toBe(8);
		// Those on the way when the refusal came are not counted.
		expect(Math.max(...atOnce.slice(refused + 8, refused + 12))).toBeLessThanOrEqual(5);
		expect(Math.max(...atOnce.slice(-10))).toBeGreaterThan(5);
	});
});
