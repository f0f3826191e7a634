/** @file Expressions that fail, that give what cannot be meant, and that differ from item to item. */

import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';

import { rowsOf } from '../emulator/operations/bulkFinder.mts';
import type { WireRequest } from '../emulator/wireLog.mts';
import { runNode } from '../support/node/engine.mts';
import {
	answerIn,
	expectPaidOnce,
	find,
	findBulk,
	leadOf,
	lookups,
	numbers,
	paidAmong,
	runLookup,
	sentAfterwards,
	subjectsOf,
	type LookupTest,
} from '../support/leads/lookups.mts';
import { credentialFor, useService } from '../support/servers/service.mts';

const service = useService();

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
		const message = expect.stringContaining('expression');
		const problem = { status: 'invalid_input', reason: 'failing_expression', message };
		const json = { first: 'Ann', error: problem };
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
		expect(json).toMatchObject([{ reason: 'failing_expression' }]);
	}
	expect((await read('={{ $json["globalThis"] }}')).map(answerIn)).toEqual([find.answer(1)]);
});

/** Whose key a request carries. */
const keyOf = ({ headers }: WireRequest) => String(headers['x-access-key']);

/** The first names of the leads that a request asks for: each lead has one of its own. */
function subjects({ rawQuery, body }: WireRequest): string[] {
	const names = rowsOf(body).map(({ firstName }) => String(firstName));
	const sent = `${rawQuery} ${names.join()}`.toLowerCase();
	return [...sent.matchAll(/ann\d{5}/g)].map(([name]) => name);
}

const firstNameOf = (number: number) => leadOf(number).first.toLowerCase();

describe('an API key that is an expression', () => {
	const keys = ['test-key', 'second-key'];
	const tenantKey = (number: number) => keys[number % keys.length];
	const keyed = (items: IDataObject[]) =>
		items.map((item, number): IDataObject => ({ tenantKey: tenantKey(number), ...item }));
	const credential = () => ({ ...credentialFor(service()), apiKey: '={{ $json.tenantKey }}' });

	describe.each(lookups)('$operation', (lookup) => {
		const wanted = numbers(2 * lookup.perRequest + 40);
		const items = wanted.map(lookup.item);

		test('every item travels with its own', async () => {
			const test = { credential: credential() };
			const { json } = await runLookup(lookup, service(), keyed(items), test);
			expect(json.map(answerIn)).toEqual(wanted.map(lookup.answer));
			for (const key of keys) {
				const own = wanted.filter((number) => tenantKey(number) === key);
				const asked = service().requests.filter((request) => keyOf(request) === key);
				expect(asked.flatMap(subjects).toSorted()).toEqual(own.map(firstNameOf).toSorted());
				expect(asked).toHaveLength(Math.ceil(own.length / lookup.perRequest));
				const paid = service().ledger.charges.filter(({ account }) => account === key);
				const charged = paid.map(({ subject }) => subject).toSorted();
				expect(charged).toEqual(subjectsOf(lookup, own).toSorted());
			}
		});

		test('one that fails for an item stops a run that is to be complete before it costs anything', async () => {
			const { error } = await runLookup(
				lookup,
				service(),
				keyed(items.with(3, { ...items[3], tenantKey: null })),
				{
					credential: { ...credential(), apiKey: '={{ $json.tenantKey.removeTags() }}' },
					options: { incompleteRun: 'fail' },
				},
			);
			expect(await sentAfterwards(service())).toEqual([]);
			expect(error?.message).toContain('[item 3]');
			expect(service().requests).toEqual([]);
		});
	});

	test('reads: the account of each item answers', async () => {
		const items = keyed(numbers(8).map(() => ({})));
		const parameters = { operation: 'get' };
		const test = { node: 'contactDataAccount', parameters, items } as const;
		const { json } = await runNode({ ...test, credential: credential() });
		expect(json.map(({ email }) => email)).toEqual(
			items.map((item) => service().fixtures.account(String(item.tenantKey))?.email),
		);
	});

	test('Get Bulk Job: each job is collected with the key of its item, and is for nobody else', async () => {
		Object.assign(service().variants, { bulkAnswer: 'job', jobPolls: 1_000_000 });
		const wanted = paidAmong(find, 40).slice(0, 2);
		const test = { credential: credential(), onError: 'continueRegularOutput' } as const;
		const pending = await runLookup(findBulk, service(), keyed(wanted.map(findBulk.item)), {
			...test,
			options: { jobTimeout: 0 },
		});
		service().variants.jobPolls = 0;
		const jobs = pending.json.map(({ jobId }) => ({ jobId }));
		const others = keyed(jobs).map((job, index) => ({ ...job, tenantKey: tenantKey(index + 1) }));
		const before = service().requests.length;
		const { json } = await runNode({
			...test,
			node: 'contactDataFinder',
			parameters: { operation: 'getBulkJob' },
			items: [...keyed(jobs), ...others],
		});
		expect(json.slice(0, 2).map(answerIn)).toEqual(wanted.map(findBulk.answer));
		expect(service().requests.slice(before).map(keyOf).slice(0, 2)).toEqual(keys);
		expect(json.slice(2)).toMatchObject(others.map(() => ({ status: 'failed', httpCode: 404 })));
	});

	test('an item without a key is not sent with that of another', async () => {
		const items = numbers(4).map((number) => find.item(number));
		Object.assign(items[1], { tenantKey: '' });
		Object.assign(items[2], { tenantKey: null });
		const { json } = await runLookup(find, service(), keyed(items), {
			credential: credential(),
			onError: 'continueRegularOutput',
			options: { maxConcurrency: 1 },
		});
		expect([json[0], json[3]].map(answerIn)).toEqual([0, 3].map(find.answer));
		const message = expect.stringContaining('The API Key of the credential is empty');
		expect(json[1]).toMatchObject({ reason: 'unauthorized', message });
		expect(json[2].status).toBe('failed');
		const withKey = service().requests.filter((request) => keys.includes(keyOf(request)));
		expect(withKey.flatMap(subjects).toSorted()).toEqual([0, 3].map(firstNameOf));
	});
});
