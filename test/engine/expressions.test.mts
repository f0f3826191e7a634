/** @file Expressions that fail, that give what cannot be meant, and that differ from item to item. */

import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';

import { rowsOf } from '../service/operations/bulkFinder.mts';
import type { WireRequest } from '../service/wireLog.mts';
import {
	answerIn,
	findBulk,
	leadOf,
	numbers,
	requestsOf,
	subjectsOf,
	verifyBulk,
} from '../support/bulk.mts';
import { runNode } from '../support/engine.mts';
import { listWithId } from '../support/everyOperation.mts';
import { evaluated } from '../support/expression.mts';
import {
	expectPaidOnce,
	find,
	lookups,
	runLookup,
	sentAfterwards,
	verify,
	type Lookup,
} from '../support/lookups.mts';
import { credentialFor, useService } from '../support/service.mts';

const service = useService();

/** Fields whose expressions fail where the item lacks the value: these are functions of n8n. */
function failing({ parameters, credits }: Lookup): INodeParameters {
	return credits === 'email'
		? { ...parameters, lastName: '={{ $json.last.toTitleCase() }}' }
		: { ...parameters, email: '={{ $json.email.extractEmail() }}' };
}

/** The items for so many leads, one of which lacks the value. */
function itemsWithout({ item }: Lookup, lead: number, length: number): IDataObject[] {
	return numbers(length).map((number) => (number === lead ? { first: 'Ann' } : item(number)));
}

/** Some leads that cost something. */
function paidFor({ subject }: Lookup): number[] {
	return numbers(40).filter((number) => subject(number) !== null);
}

describe.each(lookups)('an expression that fails for one item of $operation', (lookup) => {
	const length = lookup.perRequest > 1 ? 2 * lookup.perRequest + 20 : 60;
	const failed = length / 2;
	const others = numbers(length).filter((number) => number !== failed);
	const run = async (test: Parameters<typeof runLookup>[3]) => {
		service().options.latencyMs = 5;
		const items = itemsWithout(lookup, failed, length);
		return await runLookup(lookup, service(), items, { ...test, parameters: failing(lookup) });
	};

	test.each(['stopWorkflow', 'continueRegularOutput'] as const)(
		'with %s: the item says so, the others are delivered, and nothing is sent afterwards',
		async (onError) => {
			const { json, error } = await run({ onError });
			expect(await sentAfterwards(service())).toEqual([]);
			expect(error).toBeUndefined();
			expect(json).toHaveLength(length);
			expect(json[failed]).toMatchObject({
				status: 'invalid_input',
				message: expect.stringContaining('expression'),
			});
			expect(others.map((number) => answerIn(json[number]))).toEqual(others.map(lookup.answer));
			expectPaidOnce(service(), lookup, others);
		},
	);

	test('with Continue (using error output): it goes there, the others do not', async () => {
		const { items, errorItems } = await run({ onError: 'continueErrorOutput' });
		expect(errorItems).toEqual([
			{
				json: {
					first: 'Ann',
					error: expect.objectContaining({ status: 'invalid_input' }),
					message: expect.stringContaining('expression'),
				},
				pairedItem: { item: failed },
			},
		]);
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual(others.map((item) => ({ item })));
		expect(items.map(({ json }) => answerIn(json))).toEqual(others.map(lookup.answer));
		expectPaidOnce(service(), lookup, others);
	});

	test('where an incomplete run is to fail: nothing is sent, before or after the end', async () => {
		const { json, error } = await run({ options: { incompleteRun: 'fail' } });
		expect(await sentAfterwards(service())).toEqual([]);
		expect(error?.message).toContain(`[item ${failed}]`);
		expect(json).toEqual([]);
		expect(service().requests).toEqual([]);
	});
});

describe.each([find, verifyBulk])('Max Credits of $operation as an expression', (lookup) => {
	const wanted = paidFor(lookup).slice(0, 20);
	const run = async (cap: IDataObject['cap'], onError?: 'continueRegularOutput') => {
		const items = wanted.map((number) => ({ ...lookup.item(number), cap }));
		const options = { maxCredits: '={{ $json.cap }}' };
		return await runLookup(lookup, service(), items, { options, onError });
	};

	test.each([
		[7, 7],
		['7', 7],
		[7.9, 7],
		[0, 0],
		[-5, 0],
		['-5', 0],
	])('that gives %j lets it spend %i', async (cap, credits) => {
		const { json } = await run(cap);
		expect(service().ledger.total()).toBe(credits);
		expect(json.at(-1)).toMatchObject({ status: 'not_processed', reason: 'credit_limit' });
	});

	test.each([['many'], [''], [' '], [null], [undefined], [true], [[]], [{}]])(
		'that gives %j is refused before anything is sent',
		async (cap) => {
			const { json } = await run(cap, 'continueRegularOutput');
			expect(json.map(({ status }) => status)).toEqual(wanted.map(() => 'invalid_input'));
			expect(json[0].message).toContain('Max Credits');
			const { error } = await run(cap);
			expect(error?.message).toContain('Max Credits');
			expect(service().requests).toEqual([]);
		},
	);
});

describe.each(lookups)('an option of $operation that is refused', (lookup) => {
	/** The node as it is when it is added: the fields of the input come along. */
	const { includeInputFields: _, ...parameters } = lookup.parameters;
	const input = { ...lookup.item(1), crmId: 7 };
	const run = async (options: INodeParameters) => {
		const { json } = await runLookup({ ...lookup, parameters }, service(), [input], {
			options: { maxCredits: '', ...options },
			onError: 'continueRegularOutput',
		});
		expect(service().requests).toEqual([]);
		expect(json).toHaveLength(1);
		return json[0];
	};
	const refused = {
		status: 'invalid_input',
		message: expect.stringContaining('Max Credits'),
		credits: 0,
	};

	test('leaves the item its fields', async () => {
		expect(await run({})).toMatchObject({ ...input, ...refused });
	});

	test('is told under Put Result in Field, where that is set', async () => {
		expect(await run({ resultField: 'contact' })).toEqual({
			...input,
			contact: expect.objectContaining(refused),
		});
	});
});

describe('a field of the item that is named like something global', () => {
	const items = [{ globalThis: 'Manager' }];
	const read = async (keyword: string) => {
		const { json } = await runNode({
			node: 'contactDataList',
			parameters: {
				operation: 'getLeads',
				listId: listWithId('101'),
				limit: 3,
				options: { keyword },
			},
			items,
			credential: credentialFor(service()),
			onError: 'continueRegularOutput',
		});
		return json;
	};

	test('is what it is for the engine of n8n', async () => {
		const [direct, computed] = ['={{ $json.globalThis }}', '={{ $json.globalThis + "" }}'];
		const ofEngine = (expression: string) => {
			return () => evaluated('contactDataList', {}, expression, items);
		};
		expect(ofEngine(direct)).toThrow();
		expect(ofEngine(computed)).toThrow();
		expect(await read(direct)).toEqual(await read(computed));
		expect(service().requests).toEqual([]);
	});

	test('is read by its name in brackets', async () => {
		expect(await read('={{ $json["globalThis"] }}')).toHaveLength(3);
		expect(service().requests.map(({ rawQuery }) => rawQuery)).toEqual(['kw=Manager&size=3']);
	});
});

/** Whose key a request carries. */
const keyOf = ({ headers }: WireRequest) => String(headers['x-access-key']);

describe('an API key that is an expression', () => {
	const keys = ['test-key', 'second-key'];
	const tenantKey = (number: number) => keys[number % keys.length];
	const credential = () => ({ ...credentialFor(service()), apiKey: '={{ $json.tenantKey }}' });

	test.each(lookups)('$operation: every item travels with its own', async (lookup) => {
		const wanted = numbers(2 * lookup.perRequest + 40);
		const items = wanted.map((number) => ({
			...lookup.item(number),
			tenantKey: tenantKey(number),
		}));
		const { json } = await runLookup(lookup, service(), items, { credential: credential() });
		expect(json.map(answerIn)).toEqual(wanted.map(lookup.answer));
		for (const key of keys) {
			const own = wanted.filter((number) => tenantKey(number) === key);
			const asked = service().requests.filter((request) => keyOf(request) === key);
			const contents = asked.flatMap(subjects);
			expect(contents.toSorted()).toEqual(own.map(firstNameOf).toSorted());
			const paid = service().ledger.charges.filter(({ account }) => account === key);
			const bulk = lookup.credits === 'email' ? findBulk : verifyBulk;
			expect(paid.map(({ subject }) => subject).toSorted()).toEqual(
				subjectsOf(bulk, own).toSorted(),
			);
		}
		expect(service().requests).toHaveLength(
			keys.length * Math.ceil(wanted.length / keys.length / lookup.perRequest),
		);
	});

	test.each(lookups)(
		'$operation: one that fails for an item stops a run that is to be complete before it costs anything',
		async (lookup) => {
			const items = numbers(2 * lookup.perRequest + 4).map((number) => ({
				...lookup.item(number),
				...(number !== 3 && { tenantKey: tenantKey(number) }),
			}));
			const { error } = await runLookup(lookup, service(), items, {
				credential: { ...credential(), apiKey: '={{ $json.tenantKey.removeTags() }}' },
				options: { incompleteRun: 'fail' },
			});
			expect(await sentAfterwards(service())).toEqual([]);
			expect(error?.message).toContain('[item 3]');
			expect(service().requests).toEqual([]);
		},
	);

	test.each([find, verify, findBulk, verifyBulk])(
		'$operation: the same lookup for two accounts is sent once for each',
		async (lookup) => {
			const [paid] = paidFor(lookup);
			const items = numbers(6).map((index) => ({
				...lookup.item(paid),
				tenantKey: tenantKey(index),
			}));
			const { json } = await runLookup(lookup, service(), items, { credential: credential() });
			expect(json.map(answerIn)).toEqual(items.map(() => lookup.answer(paid)));
			expect(service().requests.map(keyOf).toSorted()).toEqual(keys.toSorted());
			expect(
				service()
					.ledger.charges.map(({ account }) => account)
					.toSorted(),
			).toEqual(keys.toSorted());
		},
	);

	test('reads: the account of each item answers', async () => {
		const items = numbers(8).map((index) => ({ tenantKey: tenantKey(index) }));
		const { json } = await runNode({
			node: 'contactDataAccount',
			parameters: { operation: 'get' },
			items,
			credential: credential(),
		});
		expect(json.map(({ email }) => email)).toEqual(
			items.map((item) => service().fixtures.account(item.tenantKey)?.email),
		);
		const leads = await runNode({
			node: 'contactDataList',
			parameters: { operation: 'getLeads', listId: listWithId('102'), returnAll: true },
			items: items.slice(0, 2),
			credential: credential(),
		});
		expect(leads.json).toHaveLength(60);
		const [first, second] = [false, true].map((isOther) =>
			requestsOf(service(), 'getListLeads').filter(
				(request) => (keyOf(request) === 'second-key') === isOther,
			),
		);
		expect(first.length).toBeGreaterThan(0);
		expect(first).toHaveLength(second.length);
	});

	test('Get Bulk Job: each job is collected with the key of its item', async () => {
		Object.assign(service().variants, { bulkAnswer: 'job', jobPolls: 1_000_000 });
		const [first, second] = paidFor(find);
		const items = [first, second].map((number, index) => ({
			...findBulk.item(number),
			tenantKey: tenantKey(index),
		}));
		const pending = await runLookup(findBulk, service(), items, {
			credential: credential(),
			options: { jobTimeout: 0 },
			onError: 'continueRegularOutput',
		});
		service().variants.jobPolls = 0;
		const jobs = pending.json.map(({ jobId }, index) => ({ jobId, tenantKey: tenantKey(index) }));
		const others = jobs.map(({ jobId }, index) => ({ jobId, tenantKey: tenantKey(index + 1) }));
		const before = service().requests.length;
		const { json } = await runNode({
			node: 'contactDataFinder',
			parameters: { operation: 'getBulkJob', jobId: '={{ $json.jobId }}' },
			items: [...jobs, ...others],
			credential: credential(),
			onError: 'continueRegularOutput',
		});
		expect(json.slice(0, 2).map(answerIn)).toEqual([first, second].map(findBulk.answer));
		expect(
			service()
				.requests.slice(before, before + 2)
				.map(keyOf),
		).toEqual(keys);
		// A job is nobody else's, whatever its number.
		expect(json.slice(2)).toMatchObject(others.map(() => ({ status: 'failed', httpCode: 404 })));
	});

	test('an item without a key is not sent with that of another', async () => {
		const items = [0, 1, 2].map((number) => ({
			...find.item(number),
			...(number !== 1 && { tenantKey: 'test-key' }),
		}));
		const { json } = await runLookup(find, service(), items, {
			credential: credential(),
			onError: 'continueRegularOutput',
			options: { maxConcurrency: 1 },
		});
		expect([json[0], json[2]].map(answerIn)).toEqual([0, 2].map(find.answer));
		expect(json[1].status).toBe('failed');
		const withKey = service().requests.filter((request) => keyOf(request) === 'test-key');
		expect(withKey.flatMap(subjects).toSorted()).toEqual([0, 2].map(firstNameOf));
	});
});

/** The first names of the leads that a request asks for: each lead has one of its own. */
function subjects({ rawQuery, body }: WireRequest): string[] {
	const sent = `${rawQuery} ${rowsOf(body)
		.map(({ firstName }) => String(firstName))
		.join()}`;
	return [...sent.toLowerCase().matchAll(/ann\d{5}/g)].map(([name]) => name);
}

function firstNameOf(number: number): string {
	return leadOf(number).first.toLowerCase();
}
