/** @file Whatever throws, an expression or code where nothing should: every question is settled, and the run ends. */

import { inspect } from 'node:util';

import type { INodeParameters } from 'n8n-workflow';
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

import { personLookup } from '../../nodes/Finder/person.ts';
import * as bulkFinder from '../../nodes/shared/api/bulkFinder.ts';
import * as finder from '../../nodes/shared/api/finder.ts';
import { forgetRecentAnswers } from '../../nodes/shared/execution/recent.ts';
import {
	answerIn,
	expectPaidOnce,
	find,
	findBulk,
	leadOf,
	lookups,
	numbers,
	runLookup,
	sentAfterwards,
	type LookupTest,
} from '../support/leads/lookups.mts';
import { forgotten } from '../support/measures/garbage.mts';
import { useService } from '../support/servers/service.mts';

const service = useService();

// The files before this one have loaded these modules, and those after it are to have them without spies.
vi.hoisted(() => void vi.resetModules());
vi.mock(import('../../nodes/shared/api/bulkFinder.ts'), { spy: true });
vi.mock(import('../../nodes/shared/api/finder.ts'), { spy: true });
vi.mock(import('../../nodes/Finder/person.ts'), { spy: true });

// Of the modules as they are loaded here.
beforeEach(forgetRecentAnswers);
afterEach(() => void vi.resetAllMocks());
afterAll(() => {
	vi.doUnmock('../../nodes/shared/api/bulkFinder.ts');
	vi.doUnmock('../../nodes/shared/api/finder.ts');
	vi.doUnmock('../../nodes/Finder/person.ts');
	vi.resetModules();
});

/** The functions of these modules by their names. */
const functionsOf = (...modules: object[]) =>
	new Map<string, unknown>(modules.flatMap((functions) => Object.entries(functions)));
const originals = functionsOf(
	await vi.importActual<object>('../../nodes/shared/api/bulkFinder.ts'),
	await vi.importActual<object>('../../nodes/shared/api/finder.ts'),
	(await vi.importActual<{ personLookup: object }>('../../nodes/Finder/person.ts')).personLookup,
);

/** Lets a function of the finder throw, so many times, for what the lead with this name has to do with. */
function failAt(place: string, times: number, lead: string): void {
	const [spy, original] = [
		functionsOf(bulkFinder, finder, personLookup).get(place),
		originals.get(place),
	];
	if (!vi.isMockFunction(spy) || typeof original !== 'function') throw new TypeError(place);
	spy.mockImplementation((...values) => {
		const text = () => inspect(values, { depth: 6, maxArrayLength: null });
		if (times === 0 || !text().includes(lead)) return original(...values);
		times--;
		throw new TypeError('Nobody thought of that');
	});
}

describe.each(lookups)('an expression that fails for one item of $operation', (lookup) => {
	const length = lookup.perRequest > 1 ? 2 * lookup.perRequest + 20 : 60;
	const failed = length / 2;
	const others = numbers(length).filter((number) => number !== failed);
	/** These are functions of n8n, which fail where the item lacks the value. */
	const failing: INodeParameters =
		lookup.credits === 'email'
			? { lastName: '={{ $json.last.toTitleCase() }}' }
			: { email: '={{ $json.email.extractEmail() }}' };

	async function run(test: LookupTest) {
		service().options.latencyMs = 5;
		const items = numbers(length).map(lookup.item).with(failed, { first: 'Ann' });
		const result = await runLookup(lookup, service(), items, { ...test, parameters: failing });
		expect(await sentAfterwards(service())).toEqual([]);
		return result;
	}

	test('goes to the error output, the others are delivered, and nothing is sent afterwards', async () => {
		const { items, errorItems, error } = await run({ onError: 'continueErrorOutput' });
		expect(error).toBeUndefined();
		const problem = { status: 'invalid_input', reason: 'failing_expression' };
		const message = expect.stringContaining('expression');
		const json = { first: 'Ann', error: problem, message };
		expect(errorItems).toMatchObject([{ json, pairedItem: { item: failed } }]);
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual(others.map((item) => ({ item })));
		expect(items.map((item) => answerIn(item.json))).toEqual(others.map(lookup.answer));
		expectPaidOnce(service(), lookup, others);
	});

	test('where an incomplete run is to fail: nothing is sent, before or after the end', async () => {
		const { json, error } = await run({ options: { incompleteRun: 'fail' } });
		expect(error?.message).toContain(`[item ${failed}]`);
		expect(json).toEqual([]);
		expect(service().requests).toEqual([]);
	});
});

test('a field named like something global is read in brackets only, as by the engine of n8n', async () => {
	const items = [{ ...find.item(1), globalThis: find.item(1).first }];
	const read = async (firstName: string) => {
		const test = { parameters: { firstName }, onError: 'continueRegularOutput' } as const;
		return (await runLookup(find, service(), items, test)).json;
	};
	for (const computed of ['', ' + ""']) {
		const json = await read(`={{ $json.globalThis${computed} }}`);
		expect(json).toMatchObject([{ lookupReason: 'failing_expression' }]);
	}
	expect((await read('={{ $json["globalThis"] }}')).map(answerIn)).toEqual([find.answer(1)]);
});

describe.each([find, findBulk])('an exception in the code of $operation', (lookup) => {
	const { perRequest } = lookup;
	const length = perRequest > 1 ? 2 * perRequest + 20 : 30;
	const wanted = numbers(length);
	/** Somebody whose email is known. */
	const failing = wanted.find((number) => number > 3 && lookup.subject(number) !== null) ?? 0;

	async function runWithFault(at: string, times: number, options?: LookupTest) {
		failAt(at, times, leadOf(failing).first);
		const { json, error } = await runLookup(lookup, service(), wanted.map(leadOf), options);
		expect(error).toBeUndefined();
		expect(json).toHaveLength(length);
		return json;
	}

	const withinRequest = wanted.slice(0, Math.max(perRequest, failing + 1));
	const early = 'prepare';
	const ofRequest = perRequest > 1 ? ['bulkBody', 'matchRows'] : ['finderQuery'];
	const late = ['simplifyFoundEmail', 'foundIn', ...ofRequest];

	test.each([early, ...late])(
		'%s: items of other requests have their answers; with Retry On Fail all have',
		async (place) => {
			const affected = place === early ? [failing] : withinRequest;
			const json = await runWithFault(place, Infinity);
			const others = wanted.filter((number) => !affected.includes(number));
			expect(others.map((number) => answerIn(json[number]))).toEqual(others.map(lookup.answer));
			const lookupMessage: unknown = expect.stringContaining('Nobody thought of that');
			const failed = { lookupReason: 'unexpected', lookupMessage, lookupCredits: 0 };
			if (place === early)
				expect(json[failing]).toMatchObject({ lookupStatus: 'failed', ...failed });
			expect(await sentAfterwards(service())).toEqual([]);

			forgetRecentAnswers();
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
