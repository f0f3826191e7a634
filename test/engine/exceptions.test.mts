/** @file Whatever throws, where nothing should: every question is settled, and the run ends. Nothing of it is kept. */

import { inspect } from 'node:util';

import { afterEach, describe, expect, test, vi } from 'vitest';

import {
	answerIn,
	find,
	findBulk,
	leadOf,
	numbers,
	runLookup,
	sentAfterwards,
	type LookupTest,
} from '../support/leads/lookups.mts';
import { forgotten } from '../support/measures/garbage.mts';
import { useService } from '../support/servers/service.mts';

const service = useService();

/** The function of the finder that throws, for what the lead with this name has to do with. */
const fault = vi.hoisted(() => ({ at: '', times: 0, lead: '' }));

/** The same functions, but for the one that throws. */
const throwing = vi.hoisted(
	() =>
		function throwing(module: object): object {
			const functions = Object.entries(module).map(([name, original]): [string, unknown] => {
				// What the operations of a node share is an object of functions.
				const isShared = typeof original === 'object' && original !== null && 'prepare' in original;
				if (isShared) return [name, throwing(original)];
				if (typeof original !== 'function') return [name, original];
				const instead = (...values: unknown[]): unknown => {
					const text = () => inspect(values, { depth: 6, maxArrayLength: null });
					if (name === fault.at && fault.times > 0 && text().includes(fault.lead)) {
						fault.times--;
						throw new TypeError('Nobody thought of that');
					}
					return original(...values);
				};
				return [name, instead];
			});
			return Object.fromEntries(functions);
		},
);

vi.mock(import('../../nodes/Finder/bulk.ts'), async (load) => throwing(await load()));
vi.mock(import('../../nodes/Finder/person.ts'), async (load) => throwing(await load()));

afterEach(() => {
	fault.at = '';
});

describe.each([find, findBulk])('an exception in the code of $operation', (lookup) => {
	const { perRequest } = lookup;
	const length = perRequest > 1 ? 2 * perRequest + 20 : 30;
	const wanted = numbers(length);
	/** Somebody whose email is known. */
	const failing = wanted.find((number) => number > 3 && lookup.subject(number) !== null) ?? 0;

	async function runWithFault(at: string, times: number, options?: LookupTest) {
		Object.assign(fault, { at, times, lead: leadOf(failing).first });
		const { json, error } = await runLookup(lookup, service(), wanted.map(leadOf), options);
		expect(error).toBeUndefined();
		expect(json).toHaveLength(length);
		return json;
	}

	const withinRequest = wanted.slice(0, Math.max(perRequest, failing + 1));
	const [early, ...ofBulk] =
		perRequest > 1 ? ['prepare', 'toRows', 'matchRows'] : ['toPersonQuestion'];
	const late = ['hasEmail', 'simplifyFoundEmail', ...ofBulk];

	// A run that hangs does not end at all.
	test.each([early, ...late])(
		'%s: items of other requests have their answers; with Retry On Fail all have',
		{ timeout: 20_000 },
		async (place) => {
			const affected = place === early ? [failing] : withinRequest;
			const json = await runWithFault(place, Infinity);
			const others = wanted.filter((number) => !affected.includes(number));
			expect(others.map((number) => answerIn(json[number]))).toEqual(others.map(lookup.answer));
			const message: unknown = expect.stringContaining('Nobody thought of that');
			const failed = { status: 'failed', reason: 'unexpected', message, credits: 0 };
			if (place === early) expect(json[failing]).toMatchObject(failed);
			expect(await sentAfterwards(service())).toEqual([]);

			const retried = { options: { incompleteRun: 'fail' }, retryOnFail: true, maxTries: 2 };
			const again = await runWithFault(place, 1, retried);
			expect(again.map(answerIn)).toEqual(wanted.map(lookup.answer));
		},
	);
});

test('the answers are given back when n8n drops the execution', async () => {
	/** The object of n8n that the answers of an execution hang on. */
	async function contextOfRun(): Promise<WeakRef<object>> {
		const { run } = await runLookup(find, service(), numbers(50).map(leadOf));
		const context = run.data.executionData?.contextData.flow;
		if (!context) throw new Error('The execution has no context');
		return new WeakRef(context);
	}
	const context = await contextOfRun();
	// The expression engine of n8n keeps the last execution that it has seen.
	await runLookup(find, service(), [leadOf(60)]);
	await expect.poll(async () => await forgotten([context])).toBe(1);
});
