/**
 * @file Answers that are nearly what the document of the service promises: whatever they hold, each item has its
 * output, which n8n can store, and nothing outlives the run.
 */

import fc from 'fast-check';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';

import { searchLists as listSearch } from '../../nodes/shared/reads/lists.ts';
import type { WireRequest } from '../service/wireLog.mts';
import { testCredential } from '../support/credentialUse.mts';
import { expectDefined, expectJson, isProblem } from '../support/definedItems.mts';
import { runNode, type OurNode } from '../support/engine.mts';
import { listWithId } from '../support/everyOperation.mts';
import { fuzzed, fuzzedList, jsonOf, type Fitting } from '../support/fuzzedJson.mts';
import { fixtures, known, personWith, some } from '../support/expected.mts';
import { loadOptionsContext } from '../support/loadOptions.mts';
import { pollingTrigger } from '../support/poll.mts';
import { processorTime } from '../support/processorTime.mts';
import { useQuickClock } from '../support/quickClock.mts';
import { credentialFor, useService } from '../support/service.mts';

const service = useService();
const clock = useQuickClock();

/** The same answers in every run of the tests; a failing one is printed with what it takes to repeat it. */
const seed = 20_261_122;
const runs = 60;
/** Milliseconds of the processor, for one run of a node. */
const longest = 10_000;

const { email, full, company } = personWith('valid');
const others = some(fixtures.people, (person) => person.email !== null && person.email !== email);
const people = [
	{ full, email, domain: company.domain },
	...others.slice(0, 2).map((person) => ({
		full: person.full,
		email: known(person.email),
		domain: person.company.domain,
	})),
];

/** What an answer says that was asked for. */
const fitting: Fitting = {
	tId: fc.constantFrom<unknown>(1, 2, 3, '1', '2', '3', 4),
	email: fc.constantFrom(...people.map((person) => person.email), ''),
	status: fc.constantFrom(
		'valid',
		'ok',
		'completed',
		'completed',
		'processing',
		'failed',
		'unheard of',
	),
	id: fc.constantFrom<unknown>(9_001, 1, 2, 3, '4'),
	next_start: fc.constantFrom(0, 1, 2, 5, 101),
	next_results_id: fc.constantFrom('page 2', 'page 3'),
	total: fc.constantFrom(0, 2, 3, 100_000_000, 1e15),
	total_all: fc.constantFrom(1, 5, 100),
};

/** An operation, and what its requests are answered with. */
interface Subject {
	node: OurNode;
	operation: string;
	endpoint: NonNullable<WireRequest['operation']>;
	parameters: INodeParameters;
	body: fc.Arbitrary<unknown>;
	/** Whether it gives each item one item. */
	isLookup?: boolean;
}

const who = { fullName: '={{ $json.full }}', domain: '={{ $json.domain }}' };
const address = { email: '={{ $json.email }}' };

const subjects: Subject[] = [
	lookup(
		'contactDataFinder',
		'find',
		'find',
		{ ...who, options: { includeCompanyData: true } },
		fuzzed('FinderResult', fitting),
	),
	lookup(
		'contactDataFinder',
		'findBulk',
		'findBulk',
		who,
		fc.oneof(fuzzed('BulkResult', fitting), fuzzed('BulkJobState', fitting)),
	),
	lookup(
		'contactDataVerifier',
		'verify',
		'verify',
		{ ...address, options: { enrich: true } },
		fuzzed('Verification', fitting),
	),
	lookup(
		'contactDataVerifier',
		'verifyBulk',
		'verifyBulk',
		address,
		fuzzed('Verifications', fitting),
	),
	lookup(
		'contactDataCompany',
		'search',
		'searchCompany',
		{ keyword: '={{ $json.domain }}', returnAllMatches: false },
		fuzzed('CompanyResults', fitting),
	),
	lookup(
		'contactDataFinder',
		'getBulkJob',
		'getBulkJob',
		{ jobId: '9001', jobRow: '={{ $json.row }}' },
		fuzzed('BulkJobResult', fitting),
	),
	read(
		'contactDataFinder',
		'getBulkJob',
		'getBulkJob',
		{ jobId: '9001' },
		fuzzed('BulkJobResult', fitting),
	),
	read('contactDataAccount', 'get', 'getAccount', {}, fuzzed('Account', fitting)),
	read('contactDataFinder', 'estimate', 'getAccount', who, fuzzed('Account', fitting)),
	read(
		'contactDataList',
		'getAll',
		'getLists',
		{ returnAll: true },
		fuzzedList('AnyList', fitting),
	),
	read(
		'contactDataList',
		'get',
		'getList',
		{ listId: listWithId('102') },
		fuzzed('AnyList', fitting),
	),
	read(
		'contactDataList',
		'getLeads',
		'getListLeads',
		{ listId: listWithId('102'), returnAll: true },
		fuzzed('LeadPage', fitting),
	),
	read(
		'contactDataList',
		'exportLeads',
		'exportLeads',
		{ listId: listWithId('102') },
		fuzzedList('ExportedLead', fitting),
	),
	read(
		'contactDataCompany',
		'getLeads',
		'getCompanyLeads',
		{ companyWebsite: '={{ $json.domain }}', returnAll: true },
		fuzzed('CompanyLeads', fitting),
	),
];

function lookup(...subject: Parameters<typeof read>): Subject {
	return { ...read(...subject), isLookup: true };
}

function read(
	node: OurNode,
	operation: string,
	endpoint: Subject['endpoint'],
	parameters: INodeParameters,
	body: Subject['body'],
): Subject {
	return { node, operation, endpoint, parameters, body };
}

/** An answer of the service: its body, and its status where it is not a success. */
interface Answer {
	body: unknown;
	status?: number;
}

/** What the service answers, one after the other; the last again and again. */
function answers(body: fc.Arbitrary<unknown>): fc.Arbitrary<Answer[]> {
	const refusal = fc.record({
		body: fc.oneof(fuzzed('InsufficientCredits', fitting), fuzzed('Error', fitting), body),
		status: fc.constantFrom(400, 401, 402, 403, 404, 409, 422, 429, 500, 503),
	});
	const success: fc.Arbitrary<Answer> = fc.record({ body });
	const answer = fc.oneof({ weight: 9, arbitrary: success }, { weight: 1, arbitrary: refusal });
	return fc.array(answer, { minLength: 1, maxLength: 3 });
}

function answerWith(operation: Subject['endpoint'], given: Answer[]): void {
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
		// What was learned of the account is forgotten.
		clock.forward(11 * 60_000);
		const used = processorTime();
		await run(value);
		expect(used()).toBeLessThan(longest);
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

describe.each(subjects)('$operation of $node', (subject) => {
	const { node, operation, endpoint, parameters, body, isLookup } = subject;
	const items = people.map((person, index) => ({ ...person, row: index + 1 }));

	test('any answer', { timeout: 60_000 }, async () => {
		const settings = fc.record({
			simple: fc.boolean(),
			includeInputFields: fc.boolean(),
			onError: fc.constantFrom(...onErrors),
		});
		await forMany(fc.record({ given: answers(body), settings }), async ({ given, settings }) => {
			answerWith(endpoint, given);
			const { onError, ...shape } = settings;
			const { simple } = shape;
			const result = await runNode({
				node,
				parameters: {
					operation,
					...parameters,
					...shape,
					options: { ...Object(parameters.options), maxRetries: 0, jobTimeout: 0 },
				},
				items,
				credential: credentialFor(service()),
				onError,
			});
			const { error, errorItems } = result;
			if (onError !== 'stopWorkflow') expect(error).toBeUndefined();
			if (error) {
				expect(error.message).not.toBe('');
				expect(`${error.message} ${JSON.stringify(error)}`).not.toContain('"unexpected"');
				return;
			}
			const all = [...result.items, ...errorItems];
			if (isLookup) {
				const links = all.map(({ pairedItem }) => JSON.stringify(pairedItem)).toSorted();
				expect(links).toEqual(items.map((_, item) => JSON.stringify({ item })));
			}
			for (const { json } of all) expectJson(json, !simple);
			for (const json of [...result.json, ...errorItems.map(errorOf)]) {
				const isOurs = simple && isLookup;
				if (isOurs || (simple && isProblem(json))) expectDefined(json);
				if (simple) expect(json.reason).not.toBe('unexpected');
			}
		});
	});
});

/** What the item of an error output says, as an item of the normal one would. */
function errorOf({ json }: { json: IDataObject }): IDataObject {
	return { ...Object(json.error), message: json.message };
}

/** The outcome of something that may throw what it likes, as long as it says what happened. */
async function messageOrValue<T>(running: Promise<T>): Promise<T | undefined> {
	return await running.catch((thrown: unknown) => {
		expect(thrown).toBeInstanceOf(Error);
		const { message } = thrown instanceof Error ? thrown : new Error('');
		expect(message).not.toBe('');
		expect(message).not.toMatch(/call stack|Cannot read|is not a|Invalid array/);
		return undefined;
	});
}

describe('the trigger', () => {
	const modes = fc.constantFrom('trigger', 'manual');
	const stored = fc.constantFrom({}, { 'node:Trigger': { listId: '102', newestId: 1 } });

	const events = [
		['newLead', 'getListLeads', { listId: listWithId('102') }, fuzzed('LeadPage', fitting)],
		['lowCredits', 'getAccount', { creditKind: 'any', threshold: 100 }, fuzzed('Account', fitting)],
	] as const;

	test.each(events)(
		'%s: any answer',
		{ timeout: 60_000 },
		async (event, endpoint, fields, body) => {
			const polls = fc.record({ given: answers(body), simple: fc.boolean(), mode: modes, stored });
			await forMany(polls, async ({ given, simple, mode, stored: before }) => {
				answerWith(endpoint, given);
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
		},
	);
});

describe('the list dropdown', () => {
	test('any answer', { timeout: 60_000 }, async () => {
		await forMany(answers(fuzzedList('AnyList', fitting)), async (given) => {
			answerWith('getLists', given);
			const context = loadOptionsContext('contactDataList', credentialFor(service()));
			const found = await messageOrValue(listSearch.call(context, ''));
			const entry = { name: expect.any(String), value: expect.any(String) };
			for (const one of found?.results ?? []) expect(one).toEqual(entry);
		});
	});
});

describe('the test of the credential', () => {
	test('any answer', { timeout: 60_000 }, async () => {
		await forMany(answers(fuzzed('Account', fitting)), async (given) => {
			answerWith('getAccount', given);
			await testCredential(credentialFor(service())).catch((thrown: unknown) => {
				expect(thrown).toBeInstanceOf(Error);
			});
		});
	});
});
