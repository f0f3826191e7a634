/** @file On Low Credits: once for each time that a kind falls below the threshold. */

import fc from 'fast-check';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { expect, test } from 'vitest';

import type { CreditKind } from '../emulator/ledger.mts';
import { runNode } from '../support/node/engine.mts';
import { listWithId } from '../operations.mts';
import { giveJson, useServer } from '../support/servers/ownServer.mts';
import { type Polled, pollingTrigger } from '../support/node/contexts.mts';
import { credentialFor, KEY, useService } from '../support/servers/service.mts';

const service = useService();
const serve = useServer();

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

test('a kind comes when it falls below the threshold, and again only after it was not below', async () => {
	const kinds = ['email', 'verifier', 'search'] as const;
	const left = fc.constantFrom(0, 49, 50, 99, 100, 150, 199, 200, 1_000);
	const step = fc.record({
		leave: fc.record({ email: left, verifier: left, search: left }, { requiredKeys: [] }),
		creditKind: fc.constantFrom('any', 'any', ...kinds),
		threshold: fc.constantFrom(50, 100, 200),
		mode: fc.constantFrom(undefined, undefined, 'manual'),
		fails: fc.constantFrom(false, false, false, true),
	});
	const shape = fc.constantFrom('full', 'credits');
	const seen = { told: 0, silent: 0, failed: 0 };
	const property = fc.asyncProperty(shape, fc.array(step, { maxLength: 12 }), async (...given) => {
		const [accountShape, steps] = given;
		service().reset();
		service().variants.accountShape = accountShape;
		// Of one counter every kind is that one.
		const has = accountShape === 'full' ? kinds : (['all'] as const);
		const below = new Set<string>();
		let [stored, remaining]: [IDataObject, Record<string, number>] = [{}, {}];
		for (const { leave: credits, mode, fails, ...parameters } of steps) {
			leave(credits);
			const { email = 250_000, ...others } = service().options.creditsLeft ?? {};
			remaining = { verifier: 250_000, search: 250_000, ...others, email, all: email };
			const { creditKind, threshold } = parameters;
			const watched = has.filter((kind) => ['any', kind].includes(creditKind) || kind === 'all');
			const fallen = watched.filter((kind) => remaining[kind] < threshold && !below.has(kind));
			const due = mode ? watched : fallen;
			// Each poll is one of another process.
			const polling = trigger(parameters, stored);
			if (fails) {
				service().faults.add({ status: 403 });
				await expect(polling.poll(mode)).rejects.toThrow('Your plan does not include this feature');
				service().faults.clear();
			} else {
				expect(await told(polling, mode)).toEqual(due.map((kind) => `${kind} ${remaining[kind]}`));
			}
			const kept = { 'node:Trigger': {}, ...stored };
			if (mode || fails) expect({ ...kept, ...polling.state() }).toEqual(kept);
			else {
				for (const kind of due) below.add(kind);
				for (const kind of has) if (remaining[kind] >= threshold) below.delete(kind);
				stored = polling.state();
			}
			seen[fails ? 'failed' : due.length > 0 ? 'told' : 'silent']++;
			expect(JSON.stringify(stored).length).toBeLessThan(150);
			expect(JSON.stringify(stored)).not.toContain(KEY);
		}
		expect(service().requests).toHaveLength(steps.length);
		expect(service().ledger.charges).toEqual([]);
	});
	await fc.assert(property, { numRuns: 100 });
	for (const times of Object.values(seen)) expect(times).toBeGreaterThan(50);
});

test('an item has the fields of Get Account; with Simplify off, the account as sent', async () => {
	leave({ email: 7 });
	const first = { kind: 'email', remaining: 7, threshold: 10 };
	for (const simple of [true, false]) {
		const account = await runNode({
			node: 'contactDataAccount',
			parameters: { operation: 'get', simple },
			credential: credentialFor(service()),
		});
		const [json] = account.json;
		const items = await trigger({ threshold: 10, simple }).poll();
		expect(items).toEqual([{ json: { ...first, ...(simple ? json : { account: json }) } }]);
	}
});

test.each([' 20 ', '={{ 4 * 5 }}', 19.5])('a threshold of %j', async (threshold) => {
	leave({ email: 20, verifier: 19 });
	const items = await trigger({ threshold }).poll();
	const meant = threshold === 19.5 ? 19.5 : 20;
	expect(items).toMatchObject([{ json: { kind: 'verifier', threshold: meant } }]);
});

test.each(['many', '', 0, 'Infinity', '={{ undefined }}', '={{ $json.few }}'])(
	'a threshold that cannot be right, %o, is refused before anything is sent',
	async (threshold) => {
		const polling = trigger({ threshold });
		const refusal = String(threshold).includes('$json')
			? /the expression of Threshold cannot be evaluated/
			: /Threshold must be a number above 0/;
		for (const mode of ['trigger', 'manual'] as const) {
			await expect(polling.poll(mode)).rejects.toThrow(refusal);
		}
		expect(service().requests).toEqual([]);
		expect(polling.state()).toEqual({ 'node:Trigger': {} });
	},
);

test('a kind that the account does not have: says so, and which it has', async () => {
	service().variants.creditCounters = ['email', 'verifier'];
	for (const mode of ['manual', 'trigger'] as const) {
		await expect(trigger({ creditKind: 'search' }).poll(mode)).rejects.toMatchObject({
			message: 'The account has no counter for search credits',
			description: expect.stringContaining('email, verifier'),
		});
	}
	leave({ email: 1 });
	expect(await told(trigger())).toEqual(['email 1']);
});

test('with another account, or after another event, it begins again', async () => {
	leave({ email: 1 });
	const polling = trigger();
	expect(await told(polling)).toEqual(['email 1']);
	const other = trigger({}, polling.state(), { apiKey: 'second-key' });
	expect(await told(other)).toEqual(['email 1']);
	expect(await told(other)).toEqual([]);
	const leads = trigger({ event: 'newLead', listId: listWithId('101') }, polling.state());
	expect(await leads.poll()).toEqual([]);
	const memory = { listId: '101', service: expect.any(String), newestId: expect.any(Number) };
	expect(leads.state()).toEqual({ 'node:Trigger': { memory } });
	expect(await told(trigger({}, leads.state()))).toEqual(['email 1']);
});

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
	expect(await tell({ email: email(960), other: email(999) })).toEqual(['other 1']);
	expect(await tell({ email: email(0), verifier: { quota: 10, used: 1 } })).toEqual([]);
	expect(await tell({ email: email(990) })).toEqual(['email 10']);
	const before = polling.state();
	await expect(tell({})).rejects.toThrow('no counter for any credits');
	await expect(tell(undefined)).rejects.toThrow('a response without an account');
	expect(polling.state()).toEqual(before);
});
