/**
 * @file Answers that are nearly what the document of the service promises: whatever they hold, each item has its
 * output, which n8n can store, and nothing outlives the run.
 */

import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { expect, test } from 'vitest';

import { forgetRecentAnswers } from '../../nodes/shared/execution/recent.ts';
import { pollingTrigger, searchLists, testCredential } from '../support/node/contexts.mts';
import { expectDefined, expectJson, isProblem, outcomeIn } from '../support/node/definedItems.mts';
import { runNode } from '../support/node/engine.mts';
import {
	bulkJob,
	everyOperation,
	listWithId,
	ofItems,
	peopleIn,
	type Sample,
} from '../operations.mts';
import {
	fuzzedAnswer,
	fuzzedError,
	jsonOf,
	type Fitting,
} from '../support/randomRuns/fuzzedJson.mts';
import { fixtures } from '../support/leads/expected.mts';
import { useQuickClock } from '../support/node/quickClock.mts';
import { credentialFor, useService } from '../support/servers/service.mts';

const service = useService();
const clock = useQuickClock(1_000);

/** The same answers in every run of the tests; a failing one is printed with what it takes to repeat it. */
const seed = 20_261_122;
const runs = 60;

/** What is looked up, and the same people as they wait for a job. */
const people = peopleIn({ fixtures }, 3);
const waiting = people.map((person, index): IDataObject => {
	return { ...person, lookupStatus: 'pending', lookupJobId: '9001', lookupJobRow: index + 1 };
});

/** What an answer says that was asked for. */
const fitting: Fitting = {
	tId: fc.constantFrom<unknown>(1, 2, 3, '1', '2', '3', 4),
	email: fc.constantFrom(...people.map((person) => person.email), ''),
	status: fc.constantFrom(
		...['valid', 'ok', 'completed', 'completed', 'processing', 'failed', 'unheard of'],
	),
	id: fc.constantFrom<unknown>(9_001, 1, 2, 3, '4'),
	next_start: fc.constantFrom(0, 1, 2, 5, 101),
	next_results_id: fc.constantFrom('page 2', 'page 3'),
	total: fc.constantFrom(0, 2, 3, 100_000_000, 1e15),
	total_all: fc.constantFrom(1, 5, 100),
};

const lookups = everyOperation().map((sample) => ({
	...{ ...sample, parameters: ofItems(sample) },
	items: people as IDataObject[],
}));
const [ofJobs] = lookups.filter(({ operation }) => operation === 'findBulk');

const subjects: Array<Sample & { items: IDataObject[] }> = [
	...lookups,
	{ ...bulkJob('9001'), items: people },
	{ ...ofJobs, label: 'Its job', endpoint: 'getBulkJob', items: waiting },
];

/** An answer of the service: its body, and its status where it is not a success. */
interface Answer {
	body: unknown;
	status?: number;
}

/** What the service answers, one after the other; the last again and again. */
function answers(endpoint: Sample['endpoint']): fc.Arbitrary<Answer[]> {
	const body = fuzzedAnswer(endpoint, fitting);
	const refusal = fc.record({
		body: fc.oneof(fuzzedError(fitting), body),
		status: fc.constantFrom(400, 401, 402, 403, 404, 409, 422, 429, 500, 503),
	});
	const success: fc.Arbitrary<Answer> = fc.record({ body });
	const answer = fc.oneof({ weight: 9, arbitrary: success }, { weight: 1, arbitrary: refusal });
	return fc.array(answer, { minLength: 1, maxLength: 3 });
}

function answerWith(operation: Sample['endpoint'], given: Answer[]): void {
	given.forEach(({ body, status = 200 }, index) => {
		const nth = index + 1 < given.length ? { times: 1 } : {};
		service().faults.add({ body: { json: jsonOf(body) }, status, on: { operation, ...nth } });
	});
}

/** What of a request comes from an answer before. */
const OF_THE_SERVICE = /^(querystring\/start|query\/nextId|querystring\/id|params\/jobId) /;

/** Runs it for many answers, and looks that nothing of them is left. */
async function forMany<T>(values: fc.Arbitrary<T>, run: (value: T) => Promise<void>) {
	const before = Object.getOwnPropertyNames(Object.prototype);
	const property = fc.asyncProperty(values, async (value) => {
		service().reset();
		// What was learned of the account is forgotten, and what was bought.
		forgetRecentAnswers();
		clock.forward(11 * 60_000);
		await run(value);
		expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(before);
		expect(Object.keys(Object.assign({}, Object.prototype))).toEqual([]);
		expect(service().requests.length).toBeLessThan(500);
		// A cursor or the id of a job that makes no sense is sent as it came, and nothing else.
		const problems = service().violations.flatMap((one) => one.problems);
		for (const problem of problems) expect(problem).toMatch(OF_THE_SERVICE);
	});
	// Searching for a smaller counterexample would take longer than the test may.
	await fc
		.assert(property, { seed, numRuns: runs, endOnFailure: true })
		.finally(() => service().reset());
}

const onErrors = ['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'] as const;

test.each(subjects)('$label of $node: any answer', async (subject) => {
	const { node, endpoint, items: asked, parameters, isLookup } = subject;
	const given = fc.record({
		answers: answers(endpoint),
		simple: fc.boolean(),
		includeInputFields: fc.boolean(),
		onError: fc.constantFrom(...onErrors),
	});
	await forMany(given, async ({ answers, onError, ...shape }) => {
		answerWith(endpoint, answers);
		const options = { ...Object(parameters.options), maxRetries: 0, jobTimeout: 0 };
		const { error, errorItems, items } = await runNode({
			...{ node, items: asked, credential: credentialFor(service()), onError },
			parameters: { ...parameters, ...shape, options },
		});
		if (onError !== 'stopWorkflow') expect(error).toBeUndefined();
		if (error) {
			expect(error.message).not.toBe('');
			expect(`${error.message} ${JSON.stringify(error)}`).not.toContain('"unexpected"');
			return;
		}
		const all = [...items, ...errorItems];
		if (isLookup) {
			const links = all.map(({ pairedItem }) => JSON.stringify(pairedItem)).toSorted();
			expect(links).toEqual(people.map((_, item) => JSON.stringify({ item })));
		}
		for (const { json } of all) expectJson(json, !shape.simple);
		for (const json of [...items.map((item) => item.json), ...errorItems.map(errorOf)]) {
			const outcome = outcomeIn(json);
			// Only with Simplify off does a read give fields that are not ours.
			if (isLookup || (shape.simple && isProblem(outcome))) expectDefined(outcome);
			if (isLookup || shape.simple) expect(outcome.lookupReason).not.toBe('unexpected');
		}
	});
});

/** What the item of an error output says, as an item of the normal one would. */
function errorOf({ json }: { json: IDataObject }): IDataObject {
	const { status, reason } = Object(json.error);
	return { lookupStatus: status, lookupReason: reason, lookupMessage: json.message };
}

/** What throws says what happened. */
async function messageOrValue<T>(running: Promise<T>): Promise<T | undefined> {
	return await running.catch((thrown: unknown) => {
		expect(thrown).toBeInstanceOf(Error);
		const { message } = Object(thrown);
		expect(message).toMatch(/\S/);
		expect(message).not.toMatch(/call stack|Cannot read|is not a|Invalid array/);
		return undefined;
	});
}

test.each([
	['newLead', 'getListLeads', { listId: listWithId('102') }],
	['lowCredits', 'getAccount', { creditKind: 'any', threshold: 100 }],
] as const)('the trigger, %s: any answer', async (event, endpoint, fields) => {
	const polls = fc.record({
		given: answers(endpoint),
		simple: fc.boolean(),
		mode: fc.constantFrom('trigger', 'manual'),
		isFirst: fc.boolean(),
	});
	await forMany(polls, async ({ given, simple, mode, isFirst }) => {
		answerWith(endpoint, given);
		const memory = { listId: '102', service: `${service().baseUrl}/`, newestId: 1 };
		const before = isFirst ? {} : { 'node:Trigger': { memory } };
		const parameters = { event, ...fields, simple };
		const { poll, state } = pollingTrigger(parameters, credentialFor(service()), before);
		for (let times = 0; times < 3; times++) {
			const items = (await messageOrValue(poll(mode))) ?? [];
			for (const { json } of items) expectJson(json, !simple);
			// n8n stores it with the workflow.
			expect(JSON.stringify(state()).length).toBeLessThan(1_000);
			if (mode === 'manual') expect(state()).toEqual({ ...before });
		}
	});
});

test('the list dropdown and the test of the credential: any answer', async () => {
	const both = fc.record({ lists: answers('getLists'), account: answers('getAccount') });
	await forMany(both, async ({ lists, account }) => {
		answerWith('getAccount', account);
		await testCredential(credentialFor(service())).catch((thrown: unknown) => {
			expect(thrown).toBeInstanceOf(Error);
		});
		answerWith('getLists', lists);
		const found = await messageOrValue(searchLists(credentialFor(service())));
		const entry = { name: expect.any(String), value: expect.any(String) };
		for (const one of found?.results ?? []) expect(one).toEqual(entry);
	});
});
