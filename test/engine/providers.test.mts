/** @file Finders of several providers in a row: the next one is asked only for what those before it have not given. */

import type { IDataObject, INodeParameters, IRun } from 'n8n-workflow';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';

import { rowsOf } from '../emulator/operations/bulkFinder.mts';
import { startService, type Service } from '../emulator/service.mts';
import { addressOf, find, leadOf, numbers } from '../support/leads/lookups.mts';
import { makeOther, otherEmailOf } from '../support/leads/otherProvider.mts';
import { emits, outputOf } from '../support/node/chains.mts';
import { runWorkflow, type TestNode } from '../support/node/engine.mts';
import { useQuickClock } from '../support/node/quickClock.mts';
import { credentialFor, useService } from '../support/servers/service.mts';

const first = useService();
useQuickClock();

let second: Service;
beforeAll(async () => {
	second = await startService();
	makeOther(second);
});
beforeEach(() => second.reset());
afterAll(async () => await second.close());

const otherEmail = (number: number) => otherEmailOf(leadOf(number));

/** A lead as it stands in a sheet, with a column of the user's own. */
function row(number: number): IDataObject {
	const { first: firstName, last: lastName, domain } = leadOf(number);
	return { id: number, firstName, lastName, domain, list: 'Expo' };
}

/** The nodes with these options in a row, of which only the first one has the first provider. */
async function inARow(items: IDataObject[], nodes: Array<Partial<TestNode>>): Promise<IRun> {
	const inOrder = nodes.map((node, index): TestNode => {
		const credentials = { contactDataApi: { id: '2', name: 'Other' } };
		const own = { name: NAMES[index], type: 'contactDataFinder', ...node } as const;
		return index === 0 ? own : { ...own, credentials };
	});
	const names = ['Start', ...inOrder.map(({ name }) => name)];
	return await runWorkflow({
		nodes: [emits('Start', items), ...inOrder],
		connections: names.slice(1).map((name, index) => `${names[index]} > ${name}`),
		credential: credentialFor(first()),
		otherCredentials: { Other: credentialFor(second) },
	});
}

const NAMES = ['Provider A', 'Provider B', 'Verify'];

function finder(options: INodeParameters = {}, operation = 'findBulk'): Partial<TestNode> {
	return { parameters: { operation, options }, onError: 'continueRegularOutput' };
}

/** Whom a provider was asked for. */
function askedOf({ requests }: Service): string[] {
	const names = requests.flatMap(({ body, query }) =>
		[rowsOf(body), Object(query)].flat().map(({ firstName }) => firstName),
	);
	return [...new Set(names.filter((name) => name !== undefined).map(String))].sort();
}

const nameOf = (number: number) => leadOf(number).first;

describe.each(['find', 'findBulk'])('two providers in a row, by %s', (operation) => {
	const all = numbers(60);
	const ofFirst = (number: number) => find.answer(number);
	const keeping: Record<string, (status: unknown, email: unknown) => boolean> = {
		any: (_, email) => email !== null,
		valid: (status) => status === 'valid',
		notInvalid: (status, email) => email !== null && status !== 'invalid',
	};

	test.each(Object.keys(keeping))('the second one is asked for the rest: %s', async (kept) => {
		const options = { keepEmailIf: kept };
		const run = await inARow(all.map(row), [finder({}, operation), finder(options, operation)]);
		const isKept = (number: number) => {
			const { emailStatus, email } = ofFirst(number);
			return keeping[kept](emailStatus, email);
		};
		const rest = all.filter((number) => !isKept(number));
		expect(rest.length).toBeGreaterThan(10);
		expect(askedOf(second)).toEqual(rest.map(nameOf));
		const found = rest.filter((number) => otherEmail(number) !== null);
		expect(second.ledger.total()).toBe(found.length);
		expect(outputOf(run, 'Provider B')).toMatchObject(
			all.map((number) => {
				const { email, ...said } = ofFirst(number);
				const own = { ...row(number), lookupCredits: email === null ? 0 : 1 };
				if (!found.includes(number)) {
					return { ...own, ...said, email };
				}
				const result = { lookupStatus: 'found', email: otherEmail(number), emailStatus: 'valid' };
				return { ...own, ...result, lookupCredits: own.lookupCredits + 1 };
			}),
		);
	});
});

const caught = {
	...{ lookupStatus: 'found', email: addressOf(1), emailStatus: 'catch-all' },
	lookupCredits: 1,
};

test('an email that is looked up again in vain stays, with all that is said of it', async () => {
	const number = numbers(100).find((one) => otherEmail(one) === null) ?? 0;
	const lead = { ...row(number), ...caught, checkedAt: '2026-01-01' };
	const step = finder({ keepEmailIf: 'valid', maxRetries: 0 });
	const missed = await inARow([lead], [finder(), step]);
	expect(outputOf(missed, 'Provider B')).toEqual([lead]);
	second.faults.add({ status: 500 });
	const failed = await inARow([lead], [finder(), step]);
	expect(outputOf(failed, 'Provider B')).toMatchObject([{ ...lead, lookupStatus: 'failed' }]);
	expect(second.ledger.charges).toEqual([]);
	expect(first().requests).toEqual([]);
});

test('2,000 leads, with trouble of its own at each provider', async () => {
	const all = numbers(2_000);
	const { faults } = first();
	faults.add({ status: 429, retryAfter: 'seconds', seconds: 1, on: { every: 3, times: 4 } });
	faults.add({ status: 503, on: { nth: 5 } });
	// Its plan expires in the middle.
	faults.add({ status: 402, on: { where: () => first().ledger.total() > 500 } });
	second.faults.add({ status: 503, on: { every: 4, times: 3 } });
	second.faults.add({ rows: 'shuffled', on: { every: 2 } });
	const verify: Partial<TestNode> = {
		type: 'contactDataVerifier',
		parameters: { operation: 'verifyBulk' },
	};
	const options = { keepEmailIf: 'valid' };
	const run = await inARow(all.map(row), [finder(options), finder(options), verify]);
	const [a, b, verified] = NAMES.map((name) => outputOf(run, name));
	for (const items of [a, b, verified]) expect(items.map(({ id }) => id)).toEqual(all);
	const rest = all.filter((number) => a[number].emailStatus !== 'valid');
	expect(a.filter((item) => item.lookupReason === 'out_of_credits').length).toBeGreaterThan(500);
	expect(askedOf(second)).toEqual(rest.map(nameOf));
	const emailsOf = (items: IDataObject[], before?: IDataObject[]) =>
		items
			.filter(({ email }, number) => email && email !== (before?.[number] ?? {}).email)
			.map(({ email }) => email);
	const paidFor = ({ ledger }: Service, operation: string) =>
		ledger.charges.filter((one) => one.operation === operation).map(({ subject }) => subject);
	expect(emailsOf(a).sort()).toEqual(paidFor(first(), 'findBulk').sort());
	expect(emailsOf(b, a).sort()).toEqual(paidFor(second, 'findBulk').sort());
	const spent = (name: string, credits: number) => `${name}: ${credits}`;
	const costs = [
		spent('Provider A', first().ledger.total()),
		spent('Provider B', second.ledger.total('findBulk')),
		spent('Verify', second.ledger.total('verifyBulk')),
	];
	expect(run.data.resultData.metadata?.contact_data_credits).toContain(costs.join(', '));
	const total = first().ledger.total() + second.ledger.total();
	expect(verified.reduce((sum, item) => sum + Number(item.lookupCredits), 0)).toBe(total);
});

test('the email of a job takes the place of another one', async () => {
	Object.assign(second.variants, { bulkAnswer: 'job', jobPolls: 1 });
	const number = numbers(100).find((one) => otherEmail(one) !== null) ?? 0;
	const lead = { ...row(number), ...caught };
	const later = finder({ keepEmailIf: 'valid', jobTimeout: 0 });
	const run = await inARow([lead], [finder(), later, { ...later, name: 'Collect' }]);
	expect(outputOf(run, 'Provider B')).toMatchObject([{ lookupStatus: 'pending' }]);
	const found = { lookupStatus: 'found', email: otherEmail(number) };
	expect(outputOf(run, 'Collect')).toMatchObject([found]);
	expect([askedOf(second), second.ledger.total()]).toEqual([[nameOf(number)], 1]);
});

test('a provider that stops the workflow says how to go on to the next one, if there is one', async () => {
	first().faults.add({ status: 402 });
	const stopping: Partial<TestNode> = { parameters: { operation: 'findBulk' } };
	const said = async (nodes: Array<Partial<TestNode>>) =>
		(await inARow([row(1)], nodes)).data.resultData.error?.description;
	const credits = 'Add email credits to the account of the credential "Test", then run again';
	expect(await said([stopping])).toMatch(new RegExp(`^${credits}[^.]*\\.$`));
	const next =
		'To go on with the next provider, set On Error in the Settings of this node to Continue.';
	expect(await said([stopping, finder()])).toMatch(new RegExp(`^${credits}.* ${next}$`));
	expect(second.requests).toEqual([]);
});
