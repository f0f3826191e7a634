/** @file On Low Credits: once for each time that a kind falls below the threshold. */

import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { beforeEach, describe, expect, test, vi } from 'vitest';

import type { CreditKind } from '../service/fixtures.mts';
import { giveJson, useServer } from '../support/ownServer.mts';
import { pollingTrigger, type Polled } from '../support/poll.mts';
import { runNode } from '../support/engine.mts';
import { listWithId } from '../support/everyOperation.mts';
import { credentialFor, KEY, useService } from '../support/service.mts';

const service = useService();

/** What the account has left. */
function leave(credits: Partial<Record<CreditKind, number>>): void {
	service().options.creditsLeft = { ...service().options.creditsLeft, ...credits };
}

const trigger = (parameters: INodeParameters = {}, stored: IDataObject = {}, credential = {}) =>
	pollingTrigger(
		{ event: 'lowCredits', ...parameters },
		{ ...credentialFor(service()), ...credential },
		stored,
	);

/** What a poll tells of: `kind remaining`. */
async function told({ poll }: Polled, mode?: 'manual'): Promise<string[]> {
	return (await poll(mode)).map(({ json }) => `${String(json.kind)} ${String(json.remaining)}`);
}

test('a kind comes once when it falls below the threshold, and again only after it was not below', async () => {
	const polling = trigger();
	expect(await told(polling)).toEqual([]);
	leave({ verifier: 100 });
	expect(await told(polling)).toEqual([]);
	leave({ verifier: 99 });
	expect(await told(polling)).toEqual(['verifier 99']);
	leave({ verifier: 50 });
	expect(await told(polling)).toEqual([]);
	leave({ verifier: 100 });
	expect(await told(polling)).toEqual([]);
	leave({ verifier: 0 });
	expect(await told(polling)).toEqual(['verifier 0']);
	expect(await told(polling)).toEqual([]);
	expect(service().requests.map(({ operation }) => operation)).toEqual(
		Array.from({ length: 7 }, () => 'getAccount'),
	);
	expect(service().ledger.charges).toEqual([]);
});

test('what lookups spend is seen', async () => {
	leave({ verifier: 101 });
	const polling = trigger({ creditKind: 'verifier' });
	expect(await told(polling)).toEqual([]);
	await runNode({
		node: 'contactDataVerifier',
		parameters: { operation: 'verifyBulk', email: '={{ $json.email }}' },
		items: ['a@valid.example', 'b@valid.example'].map((email) => ({ email })),
		credential: credentialFor(service()),
	});
	expect(service().ledger.total()).toBe(2);
	expect(await told(polling)).toEqual(['verifier 99']);
	service().ledger.topUp(500, 'verifier');
	expect(await told(polling)).toEqual([]);
});

test('the first poll tells of what is below already, several kinds at once, an item for each', async () => {
	leave({ email: 3, search: 0 });
	const polling = trigger();
	const items = await polling.poll();
	expect(items.map(({ json }) => json)).toMatchObject([
		{ kind: 'email', remaining: 3, threshold: 100, plan: 'Business', name: 'Ada Lovelace' },
		{ kind: 'search', remaining: 0, threshold: 100 },
	]);
	expect(await told(polling)).toEqual([]);
});

test('an item has the fields of Get Account; with Simplify off, the account as sent', async () => {
	leave({ email: 7 });
	const credential = credentialFor(service());
	const get = async (simple: boolean) =>
		(
			await runNode({
				node: 'contactDataAccount',
				parameters: { operation: 'get', simple },
				credential,
			})
		).json[0];
	const first = { kind: 'email', remaining: 7, threshold: 10 };
	const simplified = await trigger({ threshold: 10 }).poll();
	expect(simplified.map(({ json }) => json)).toEqual([{ ...first, ...(await get(true)) }]);
	const raw = await trigger({ threshold: 10, simple: false }).poll();
	expect(raw.map(({ json }) => json)).toEqual([{ ...first, account: await get(false) }]);
});

test('only the chosen kind; another one that is chosen later comes then', async () => {
	leave({ email: 5, verifier: 6 });
	const polling = trigger({ creditKind: 'verifier' });
	expect(await told(polling)).toEqual(['verifier 6']);
	const any = trigger({ creditKind: 'any' }, polling.state());
	expect(await told(any)).toEqual(['email 5']);
	// While only the email credits are watched, the others recover and fall again.
	const email = trigger({ creditKind: 'email' }, any.state());
	leave({ verifier: 600 });
	expect(await told(email)).toEqual([]);
	leave({ verifier: 4 });
	expect(await told(email)).toEqual([]);
	expect(await told(trigger({}, email.state()))).toEqual(['verifier 4']);
});

test('another threshold: what is not below it has recovered, what was told does not come again', async () => {
	leave({ email: 90, verifier: 150 });
	const polling = trigger();
	expect(await told(polling)).toEqual(['email 90']);
	const higher = trigger({ threshold: 200 }, polling.state());
	expect(await told(higher)).toEqual(['verifier 150']);
	const lower = trigger({ threshold: 50 }, higher.state());
	expect(await told(lower)).toEqual([]);
	leave({ email: 49 });
	expect(await told(lower)).toEqual(['email 49']);
});

test.each([
	['a text', ' 20 '],
	['an expression', '={{ 4 * 5 }}'],
	['a fraction', 19.5],
])('a threshold that is %s', async (_, threshold) => {
	leave({ email: 20, verifier: 19 });
	const [item, ...others] = await trigger({ threshold }).poll();
	expect(others).toEqual([]);
	expect(item?.json).toMatchObject({ kind: 'verifier', threshold: threshold === 19.5 ? 19.5 : 20 });
});

test.each(['many', '', 'NaN', -5, 0, 'Infinity', '={{ undefined }}'])(
	'a threshold that cannot be meant, %o, is refused before anything is sent',
	async (threshold) => {
		const polling = trigger({ threshold });
		await expect(polling.poll()).rejects.toMatchObject({
			message: expect.stringContaining('Threshold must be a number above 0'),
		});
		await expect(polling.poll('manual')).rejects.toThrow('Threshold');
		expect(service().requests).toEqual([]);
		expect(polling.state()).toEqual({});
	},
);

test('a threshold whose expression needs an input, which a trigger does not have', async () => {
	await expect(trigger({ threshold: '={{ $json.few }}' }).poll()).rejects.toMatchObject({
		message: expect.stringContaining('the expression of Threshold cannot be evaluated'),
		description: expect.stringContaining('no input items'),
	});
	expect(service().requests).toEqual([]);
});

describe('an account with one counter', () => {
	beforeEach(() => void (service().variants.accountShape = 'credits'));

	test.each(['any', 'email', 'verifier', 'search'])(
		'is watched for %s, in one item',
		async (creditKind) => {
			leave({ email: 42 });
			const polling = trigger({ creditKind });
			expect(await told(polling, 'manual')).toEqual(['all 42']);
			expect(await told(polling)).toEqual(['all 42']);
			expect(await told(polling)).toEqual([]);
			service().ledger.topUp(58);
			expect(await told(polling)).toEqual([]);
			leave({ email: 0 });
			expect(await told(polling)).toEqual(['all 58']);
		},
	);
});

test('a kind that the account does not have: says so, and which it has', async () => {
	service().variants.creditCounters = ['email', 'verifier'];
	for (const mode of ['manual', 'trigger'] as const) {
		await expect(trigger({ creditKind: 'search' }).poll(mode)).rejects.toMatchObject({
			message: 'The account has no counter for Search credits',
			description: expect.stringContaining('Email, Verifier'),
		});
	}
	leave({ email: 1 });
	expect(await told(trigger())).toEqual(['email 1']);
});

test('a manual run gives each kind as it stands and remembers nothing', async () => {
	leave({ search: 8 });
	const polling = trigger();
	expect(await told(polling, 'manual')).toEqual(['email 250000', 'verifier 250000', 'search 8']);
	expect(await told(trigger({ creditKind: 'search' }), 'manual')).toEqual(['search 8']);
	expect(polling.state()).toEqual({});
	expect(await told(polling)).toEqual(['search 8']);
});

test('what is remembered survives a restart, is small, and holds no key', async () => {
	leave({ email: 1, verifier: 1, search: 1 });
	const polling = trigger();
	expect(await told(polling)).toHaveLength(3);
	const stored = JSON.stringify(polling.state());
	expect(stored.length).toBeLessThan(150);
	expect(stored).not.toContain(KEY);
	expect(await told(trigger({}, polling.state()))).toEqual([]);
});

test('another account begins again', async () => {
	leave({ email: 1 });
	const polling = trigger();
	expect(await told(polling)).toEqual(['email 1']);
	const other = trigger({}, polling.state(), { apiKey: 'second-key' });
	expect(await told(other)).toEqual(['email 1']);
	expect(await told(other)).toEqual([]);
});

test('another event begins again, in both directions', async () => {
	leave({ email: 1 });
	const polling = trigger();
	await polling.poll();
	const leads = trigger({ event: 'newLead', listId: listWithId('101') }, polling.state());
	await leads.poll();
	expect(leads.state()).toEqual({
		'node:Trigger': { listId: '101', newestId: expect.any(Number) },
	});
	expect(await told(trigger({}, leads.state()))).toEqual(['email 1']);
});

test('an account that cannot be read: says why, and what is remembered stays', async () => {
	leave({ email: 1 });
	const polling = trigger();
	await polling.poll();
	const before = polling.state();
	service().faults.add({ status: 403 });
	await expect(polling.poll()).rejects.toThrow('Your plan does not include this feature');
	expect(polling.state()).toEqual(before);
});

test('polls at the same time tell once, and an older answer that comes later changes nothing', async () => {
	const polling = trigger();
	await polling.poll();
	// The service has worked out this answer while there were plenty of credits.
	service().faults.add({ delayMs: 400, on: { nth: 1 } });
	const late = polling.poll();
	await vi.waitUntil(() => service().requests.length === 2);
	leave({ email: 10 });
	const both = await Promise.all([told(polling), told(polling)]);
	expect(both.flat()).toEqual(['email 10']);
	leave({ email: 10_000 });
	expect(await late).toEqual([]);
	leave({ email: 10 });
	expect(await told(polling)).toEqual([]);
});

describe('counters that come and go', () => {
	const serve = useServer();

	test('a counter that an answer lacks decides nothing', async () => {
		let credit: unknown;
		const baseUrl = await serve((_, response) => giveJson(response, { name: 'Ada', credit }));
		const polling = trigger({}, {}, { baseUrl });
		const tell = async (next: unknown) => {
			credit = next;
			return await told(polling);
		};
		const email = (used: number) => ({ quota: 1_000, used });
		expect(await tell({ email: email(950), verifier: null })).toEqual(['email 50']);
		expect(await tell({ email: { quota: 1_000 }, verifier: null })).toEqual([]);
		expect(await tell({ verifier: { quota: 10, used: 0 } })).toEqual(['verifier 10']);
		expect(await tell({ email: email(960), other: email(999) })).toEqual([]);
		expect(await tell({ email: email(0), verifier: { quota: 10, used: 1 } })).toEqual([]);
		expect(await tell({ email: email(990) })).toEqual(['email 10']);
		const before = polling.state();
		await expect(tell({})).rejects.toThrow('no credit counters');
		expect(polling.state()).toEqual(before);
	});
});
