/**
 * @file What items bring along is passed on: it is not looked up, costs nothing, and nothing hides behind
 * it.
 */

import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';

import { expectedVerification } from '../service/addresses.mts';
import {
	addressOf,
	answerIn,
	findBulk,
	leadOf,
	numbers,
	subjectsOf,
	verifyBulk,
} from '../support/bulk.mts';
import { runWorkflow, type NodeResult } from '../support/engine.mts';
import {
	expectPaidOnce,
	find,
	lookups,
	runLookup,
	verify,
	type Lookup,
	type LookupTest,
} from '../support/lookups.mts';
import { credentialFor, useService } from '../support/service.mts';

const service = useService();

const DAY = 24 * 60 * 60_000;

/** A lookup, and what an item may bring along that makes it needless. */
interface Scene {
	operation: Lookup['operation'];
	lookup: Lookup;
	/** The parameter that holds it, with its expression. */
	existing: INodeParameters;
	/** The fields of an item that brings it along, as it comes out. */
	brings: IDataObject;
	/** A field that the operation needs, as an expression that fails where its value is missing. */
	failing: INodeParameters;
	/** What it brings along as such an expression, and how the field is called. */
	failingExisting: { parameters: INodeParameters; label: string };
}

const scenes = lookups.map((lookup): Scene => {
	const { operation } = lookup;
	return lookup.credits === 'email'
		? {
				operation,
				lookup,
				existing: { existingEmail: '={{ $json.email }}' },
				brings: { email: 'ada@acme.example' },
				failing: { lastName: '={{ $json.last.toTitleCase() }}' },
				failingExisting: {
					parameters: { existingEmail: '={{ $json.email.extractEmail() }}' },
					label: 'Existing Email',
				},
			}
		: {
				operation,
				lookup,
				existing: { existingStatus: '={{ $json.emailStatus }}' },
				brings: { emailStatus: 'valid' },
				failing: { email: '={{ $json.email.extractEmail() }}' },
				failingExisting: {
					parameters: { existingStatus: '={{ $json.emailStatus.toTitleCase() }}' },
					label: 'Existing Status',
				},
			};
});

/** Leads that cost something. */
function paidFor({ subject }: Pick<Lookup, 'subject'>, length: number): number[] {
	return numbers(200)
		.filter((number) => subject(number) !== null)
		.slice(0, length);
}

/** Runs the lookup of a scene, for items that may bring along what it looks up. */
async function run(
	{ lookup, existing }: Pick<Scene, 'lookup' | 'existing'>,
	items: IDataObject[],
	{ parameters, ...test }: LookupTest = {},
): Promise<NodeResult> {
	return await runLookup(lookup, service(), items, {
		...test,
		parameters: { ...existing, ...parameters },
	});
}

const ages = { checkedAt: '={{ $json.checkedAt }}', maxAgeDays: '={{ $json.maxAge }}' };

function summaryOf({ hints }: NodeResult): string | undefined {
	return hints?.[0]?.message;
}

const ago = (days: number) => Date.now() - days * DAY;

const textOf = (moment: number) => new Date(moment).toISOString();

describe.each(scenes)('an item that brings along what $operation looks up', (scene) => {
	const { lookup, brings } = scene;
	const [one, two, three] = paidFor(lookup, 3);
	const known = { status: 'known', ...brings, credits: 0 };

	test('is not sent and costs nothing; the others are looked up, in order', async () => {
		const items = [lookup.item(one), { ...lookup.item(two), ...brings }, lookup.item(three)];
		const { items: output } = await run(scene, items);
		expect(output.map(({ pairedItem }) => pairedItem)).toEqual([0, 1, 2].map((item) => ({ item })));
		expect(output[1].json).toStrictEqual(known);
		expect([0, 2].map((index) => answerIn(output[index].json))).toEqual(
			[one, three].map(lookup.answer),
		);
		expectPaidOnce(service(), lookup, [one, three]);
	});

	test('comes out as it came, with its status and its cost', async () => {
		const input = { id: 'crm-7', status: 'new', note: { by: 'Eve' }, ...lookup.item(one) };
		const { json } = await run(scene, [{ ...input, ...brings }], {
			parameters: { includeInputFields: true },
		});
		expect(json).toStrictEqual([{ ...input, ...brings, status: 'known', credits: 0 }]);
		expect(service().requests).toEqual([]);
	});

	test('does not need any other field', async () => {
		const result = await run(scene, [brings, brings], { options: { incompleteRun: 'fail' } });
		expect(result.error).toBeUndefined();
		expect(result.json).toStrictEqual([known, known]);
		expect(result.run.data.resultData.metadata).toBeUndefined();
		expect(service().requests).toEqual([]);
	});

	test('is known by its own value: the others of the run are not', async () => {
		const wanted = paidFor(lookup, 20);
		const isKnown = (index: number) => index % 3 === 1;
		const items = wanted.map((number, index) => ({
			...lookup.item(number),
			...(isKnown(index) && brings),
		}));
		const { json } = await run(scene, items);
		expect(json.map(({ status }) => status === 'known')).toEqual(
			wanted.map((_, index) => isKnown(index)),
		);
		expectPaidOnce(
			service(),
			lookup,
			wanted.filter((_, index) => !isKnown(index)),
		);
	});

	test.each<[string, IDataObject, boolean]>([
		['now', { checkedAt: textOf(Date.now()) }, true],
		['89 days ago', { checkedAt: textOf(ago(89)) }, true],
		['91 days ago', { checkedAt: textOf(ago(91)) }, false],
		['in a year, which counts as now', { checkedAt: textOf(ago(-365)) }, true],
		['10 days ago, as milliseconds', { checkedAt: ago(10) }, true],
		['10 days ago, as the text of milliseconds', { checkedAt: String(ago(10)) }, true],
		['100 days ago, as milliseconds', { checkedAt: ago(100) }, false],
		['10 days ago, as a date alone', { checkedAt: textOf(ago(10)).slice(0, 10) }, true],
		['100 days ago, as a date alone', { checkedAt: textOf(ago(100)).slice(0, 10) }, false],
		['10 days ago, with a maximum age of 11', { checkedAt: textOf(ago(10)), maxAge: 11 }, true],
		['10 days ago, with a maximum age of "9"', { checkedAt: textOf(ago(10)), maxAge: '9' }, false],
		['now, with a maximum age of 0', { checkedAt: textOf(Date.now()), maxAge: 0 }, false],
		['in a year, with a maximum age of 0', { checkedAt: textOf(ago(-365)), maxAge: 0 }, false],
		['now, with a maximum age below 0', { checkedAt: textOf(Date.now()), maxAge: -1 }, false],
		['nobody knows when', {}, true],
		['nobody knows when, with a maximum age of 0', { maxAge: 0 }, true],
		['at an empty date', { checkedAt: '', maxAge: 1 }, true],
		['at what is no date', { checkedAt: 'a while ago', maxAge: 1 }, true],
		['on a day that does not exist', { checkedAt: '2026-02-30' }, true],
	])('that was checked %s', async (_, fields, isKnown) => {
		const items = [{ ...lookup.item(one), ...brings, ...fields }];
		const { json } = await run(scene, items, { options: ages });
		if (isKnown) expect(json).toStrictEqual([known]);
		else expect(json.map(answerIn)).toEqual([lookup.answer(one)]);
		expectPaidOnce(service(), lookup, isKnown ? [] : [one]);
	});

	test.each([
		'={{ DateTime.now().minus({ days: 3 }) }}',
		'={{ $now.minus(3, "days") }}',
		'={{ DateTime.fromISO($json.day) }}',
		'={{ $json.day.toDateTime() }}',
		'={{ new Date($json.day) }}',
		'={{ $json.day }}',
	])('that was checked three days ago, by the expression %s', async (checkedAt) => {
		const items = [2, 4].map((maxAge, index) => ({
			...lookup.item([one, two][index]),
			...brings,
			day: textOf(ago(3)),
			maxAge,
		}));
		const { json } = await run(scene, items, { options: { ...ages, checkedAt } });
		expect(json.map(({ status }) => status)).toEqual([lookup.answer(one).status, 'known']);
		expectPaidOnce(service(), lookup, [one]);
	});

	test('does not need the fields whose expressions fail for it', async () => {
		const { failing } = scene;
		const items = [brings, {}, lookup.item(one)];
		const { json } = await run(scene, items, { parameters: failing });
		expect(json[0]).toStrictEqual(known);
		expect(json[1]).toMatchObject({
			status: 'invalid_input',
			reason: expect.stringMatching(/^expression: /),
		});
		expect(answerIn(json[2])).toEqual(lookup.answer(one));
		expectPaidOnce(service(), lookup, [one]);
	});

	test('says so where the expression of what it brings, or of its date, fails', async () => {
		const items = [lookup.item(one), { ...lookup.item(two), ...brings }];
		const { parameters, label } = scene.failingExisting;
		const lacking = { ...items[0], email: undefined };
		const without = await run(scene, [lacking, items[1]], { parameters });
		expect(without.json.map(({ status, reason }) => [status, reason])).toEqual([
			['invalid_input', `expression: ${label}`],
			['known', undefined],
		]);
		expect(service().requests).toEqual([]);
		const options = { checkedAt: '={{ $json.checkedAt.toDateTime() }}' };
		const { json } = await run(scene, items, { options });
		expect(answerIn(json[0])).toEqual(lookup.answer(one));
		expect(json[1]).toMatchObject({
			status: 'invalid_input',
			reason: 'expression: Checked At',
		});
		expectPaidOnce(service(), lookup, [one]);
	});

	test.each(['a week', '7 days', ' ', true, 'Infinity'])(
		'and a date says that a maximum age of %j is none; the others are looked up',
		async (maxAge) => {
			const checkedAt = textOf(ago(1));
			const items = [{ ...lookup.item(one), ...brings }, lookup.item(two)].map((item) => ({
				...item,
				checkedAt,
				maxAge,
			}));
			const { json } = await run(scene, items, { options: ages });
			expect(json[0]).toMatchObject({
				status: 'invalid_input',
				reason: 'invalid: Max Age (Days)',
			});
			expect(answerIn(json[1])).toEqual(lookup.answer(two));
			expectPaidOnce(service(), lookup, [two]);
		},
	);

	test('does not count against Max Credits', async () => {
		const items = [brings, lookup.item(one), { ...lookup.item(two), ...brings }, brings];
		const { json } = await run(scene, items, { options: { maxCredits: 1 } });
		const { status } = lookup.answer(one);
		expect(json.map((item) => item.status)).toEqual(['known', status, 'known', 'known']);
		expect(service().ledger.total()).toBe(1);
	});

	test('does not teach the run anything: the same lookup without it is sent', async () => {
		const items = [{ ...lookup.item(one), ...brings }, lookup.item(one)];
		const { json } = await run(scene, items);
		expect(json[0]).toStrictEqual(known);
		expect(answerIn(json[1])).toEqual(lookup.answer(one));
		expectPaidOnce(service(), lookup, [one]);
	});

	test('is summed up above the output, with what has no valid date', async () => {
		const items = [
			{ ...lookup.item(one), ...brings, checkedAt: 'a while ago' },
			{ ...lookup.item(two), ...brings, checkedAt: textOf(ago(1)) },
			{ ...lookup.item(two), ...brings },
			lookup.item(three),
		];
		const result = await run(scene, items, { options: ages });
		const { status } = lookup.answer(three);
		expect(summaryOf(result)).toBe(
			`4 items: 1 ${String(status)},${status === 'found' ? ' 0 not found,' : ''} 3 already known. 1 credit used. 1 known item without a valid date in Checked At.`,
		);
		expect(result.hints).toHaveLength(1);
		expect(result.hints?.[0]).toMatchObject({ type: 'info', location: 'outputPane' });
	});

	test('with Simplify off is the same', async () => {
		const { json } = await run(scene, [brings], { parameters: { simple: false } });
		expect(json).toStrictEqual([known]);
	});

	test('is on the first output, whatever On Error says', async () => {
		for (const onError of ['continueRegularOutput', 'continueErrorOutput'] as const) {
			const { json, errorItems } = await run(scene, [brings], { onError });
			expect([json, errorItems]).toEqual([[known], []]);
		}
	});
});

describe('an existing email', () => {
	const scene = scenes[0];
	const { lookup } = scene;
	const [wanted] = paidFor(lookup, 1);

	test.each([
		...['', ' ', 'n/a', 'ada', 'ada@', 'ada @acme.example', 'a@b.example, c@d.example', null, true],
		{ address: 'ada@acme.example' },
		['ada@acme.example'],
	])('that is no address, as %j, is looked up', async (email) => {
		const { json } = await run(scene, [{ ...lookup.item(wanted), email }]);
		expect(json.map(answerIn)).toEqual([lookup.answer(wanted)]);
		expectPaidOnce(service(), lookup, [wanted]);
	});

	test('has no blanks around it', async () => {
		const { json } = await run(scene, [{ email: ' ada@acme.example\n' }]);
		expect(json).toStrictEqual([{ status: 'known', email: 'ada@acme.example', credits: 0 }]);
	});
});

describe.each([verify, verifyBulk])('the existing status of $operation', (lookup) => {
	const scene = scenes.find(({ operation }) => operation === lookup.operation) ?? scenes[2];
	const email = addressOf(3);

	test.each([
		['valid', 'valid'],
		['VALID', 'valid'],
		[' Valid ', 'valid'],
		['ok', 'valid'],
		['OK', 'valid'],
		['invalid', 'invalid'],
		['nok', 'invalid'],
		['Nok', 'invalid'],
		['catch-all', 'catch-all'],
		['CATCH-ALL', 'catch-all'],
		['oka', 'catch-all'],
	])('%j means %s', async (emailStatus, expected) => {
		const { json } = await run(scene, [{ email, emailStatus, id: 1 }], {
			parameters: { includeInputFields: true },
		});
		expect(json).toStrictEqual([
			{ email, emailStatus: expected, id: 1, status: 'known', credits: 0 },
		]);
		expect(service().requests).toEqual([]);
	});

	test.each(
		[['', null, 'new', 'found', 'verified', true, 1, { status: 'valid' }, ['valid']]].flat(),
	)('%j says nothing, so the email is verified', async (emailStatus) => {
		const { json } = await run(scene, [{ email, emailStatus }]);
		expect(json.map(answerIn)).toEqual([lookup.answer(3)]);
		expectPaidOnce(service(), lookup, [3]);
	});

	test('that is not filled in verifies everything', async () => {
		const { json } = await runLookup(lookup, service(), [{ email, emailStatus: 'valid' }]);
		expect(json.map(answerIn)).toEqual([lookup.answer(3)]);
		expectPaidOnce(service(), lookup, [3]);
	});

	test.each<[string, IDataObject, INodeParameters, boolean]>([
		['without a date', {}, {}, false],
		['at what is no date', { checkedAt: 'soon' }, {}, false],
		['an hour ago', { checkedAt: textOf(ago(1 / 24)) }, {}, true],
		['two days ago', { checkedAt: textOf(ago(2)) }, {}, false],
		['in a year, which counts as now', { checkedAt: textOf(ago(-365)) }, {}, true],
		['two days ago, again after 3', { checkedAt: ago(2) }, { retryUnknownDays: 3 }, true],
		['four days ago, again after 3', { checkedAt: ago(4) }, { retryUnknownDays: '3' }, false],
		['just now, again after 0', { checkedAt: ago(0) }, { retryUnknownDays: 0 }, false],
		['two days ago, but too old', { checkedAt: ago(2), maxAge: 1 }, { retryUnknownDays: 3 }, false],
		['an hour ago, always too old', { checkedAt: ago(1 / 24), maxAge: 0 }, {}, false],
	])('unknown, checked %s', async (_, fields, options, isKnown) => {
		const items = [{ email, emailStatus: 'Unknown', ...fields }];
		const { json } = await run(scene, items, { options: { ...ages, ...options } });
		if (isKnown)
			expect(json).toStrictEqual([{ status: 'known', emailStatus: 'unknown', credits: 0 }]);
		else expect(json.map(answerIn)).toEqual([lookup.answer(3)]);
		expectPaidOnce(service(), lookup, isKnown ? [] : [3]);
	});

	test('refuses days that are none before anything is sent', async () => {
		const { json } = await run(scene, [{ email }], {
			options: { retryUnknownDays: 'soon' },
			onError: 'continueRegularOutput',
		});
		expect(json).toMatchObject([
			{ status: 'invalid_input', reason: 'invalid: Verify Unknown Again After (Days)' },
		]);
		expect(service().requests).toEqual([]);
	});
});

describe.each([verify, verifyBulk])('Skip Items Without Email of $operation', (lookup) => {
	const scene = scenes.find(({ operation }) => operation === lookup.operation) ?? scenes[2];
	const skipped = { status: 'skipped', credits: 0 };
	const options = { skipEmpty: true };

	test.each([[{}], [{ email: '' }], [{ email: ' \t' }], [{ email: null }]])(
		'passes %j on, where it is on',
		async (item) => {
			const input = { id: 1, ...item };
			const skips = await run(scene, [input, lookup.item(3)], { options });
			expect(skips.json[0]).toStrictEqual(skipped);
			expect(answerIn(skips.json[1])).toEqual(lookup.answer(3));
			const parameters = { includeInputFields: true };
			const { json } = await run(scene, [input], { options, parameters });
			expect(json).toStrictEqual([{ ...input, ...skipped }]);
			const asks = await run(scene, [input], { onError: 'continueRegularOutput' });
			expect(asks.json).toMatchObject([{ status: 'invalid_input', reason: 'missing: Email' }]);
			expectPaidOnce(service(), lookup, [3]);
		},
	);

	test('comes after what is known, and before what is incomplete or malformed', async () => {
		const items = [
			{ emailStatus: 'ok' },
			{ emailStatus: '' },
			{ email: 'no-at-sign' },
			{ email: 'no-at-sign', emailStatus: 'catch-all' },
			lookup.item(3),
		];
		const { json } = await run(scene, items, { options });
		expect(json.map(({ status, emailStatus, credits }) => [status, emailStatus, credits])).toEqual([
			['known', 'valid', 0],
			['skipped', undefined, 0],
			['verified', 'invalid', 0],
			['known', 'catch-all', 0],
			['verified', lookup.answer(3).emailStatus, 1],
		]);
		expectPaidOnce(service(), lookup, [3]);
	});

	test('keeps the status that an item has, and never stops an incomplete run', async () => {
		const items = [{ status: 'not_found', reason: 'x', message: 'y' }, lookup.item(3)];
		const { json, error } = await run(scene, items, {
			options: { ...options, incompleteRun: 'fail' },
			parameters: { includeInputFields: true },
		});
		expect(error).toBeUndefined();
		expect(json[0]).toStrictEqual({ ...items[0], credits: 0 });
	});

	test('is no excuse for an expression that fails', async () => {
		const { json } = await run(scene, [{}, lookup.item(3)], {
			options,
			parameters: scene.failing,
		});
		expect(json[0]).toMatchObject({ status: 'invalid_input', reason: 'expression: Email' });
	});

	test('is summed up', async () => {
		const result = await run(scene, [{}, { email: '' }, lookup.item(3)], { options });
		expect(summaryOf(result)).toBe('3 items: 1 verified, 2 skipped. 1 credit used.');
	});

	test('for nothing but such items sends nothing, and does not stop', async () => {
		const { json, error } = await run(scene, [{}, {}], { options });
		expect([error, json]).toEqual([undefined, [skipped, skipped]]);
		expect(service().requests).toEqual([]);
	});
});

describe.each(scenes)('an API key of $operation that is not accepted any more', (scene) => {
	const { lookup, brings } = scene;
	const isVerifier = lookup.credits === 'verifier';
	/** What needs no answer of the service. */
	const needless = [
		brings,
		...(isVerifier ? [{ email: '' }, { email: 'no-at-sign' }] : []),
		{ ...lookup.item(1), ...brings },
	];
	const options = isVerifier ? { skipEmpty: true } : {};

	test.each([401, 402, 500])('cannot hide behind them: a %i stops the workflow', async (status) => {
		service().faults.add({ status });
		const { error, json } = await run(scene, [...needless, lookup.item(2), ...needless], {
			options: { ...options, maxRetries: 0 },
		});
		expect(error).toMatchObject({ httpCode: String(status) });
		expect(error?.message).toContain(`[item ${needless.length}]`);
		expect(json).toEqual([]);
	});

	test('does not matter where nothing has to be sent', async () => {
		service().faults.add({ status: 401 });
		const { error, json } = await run(scene, needless, { options });
		expect(error).toBeUndefined();
		expect(json).toHaveLength(needless.length);
		expect(service().requests).toEqual([]);
	});

	test('does not stop where On Error says to go on, or the service answered a lookup', async () => {
		const [one, two] = paidFor(lookup, 2);
		const items = [...needless, lookup.item(one), lookup.item(two)];
		service().faults.add({ status: 401 });
		const goesOn = await run(scene, items, { options, onError: 'continueRegularOutput' });
		expect(goesOn.error).toBeUndefined();
		expect(goesOn.json.at(-1)).toMatchObject({ reason: 'unauthorized' });
		service().faults.clear();
		if (lookup.perRequest > 1) return;
		service().faults.add({ status: 401, on: { nth: 2 } });
		const answered = await run(scene, items, { options: { ...options, maxConcurrency: 1 } });
		expect(answered.error).toBeUndefined();
		expect(answerIn(answered.json.at(-2) ?? {})).toEqual(lookup.answer(one));
	});
});

describe('a row of find and verify', () => {
	/** Runs the row over leads; gives what each node gave out. */
	async function runRow(leads: IDataObject[]): Promise<IDataObject[][]> {
		const result = await runWorkflow({
			nodes: [
				{ name: 'Start', type: 'start', parameters: { items: JSON.stringify(leads) } },
				{
					name: 'Find',
					type: findBulk.node,
					parameters: {
						...findBulk.parameters,
						includeInputFields: true,
						existingEmail: '={{ $json.email }}',
						options: { checkedAt: '={{ $json.checkedAt }}' },
					},
				},
				{
					name: 'Verify',
					type: verifyBulk.node,
					parameters: {
						...verifyBulk.parameters,
						includeInputFields: true,
						existingStatus: '={{ $json.emailStatus }}',
						options: { checkedAt: '={{ $json.checkedAt }}', skipEmpty: true },
					},
				},
			],
			connections: ['Start > Find', 'Find > Verify'],
			credential: credentialFor(service()),
		});
		return ['Find', 'Verify'].map((name) =>
			(result.data.resultData.runData[name]?.[0]?.data?.main[0] ?? []).map(({ json }) => json),
		);
	}

	test('verifies only what is not known, keeps the order, and costs nothing the second time', async () => {
		const wanted = numbers(60);
		const leads = wanted.map((number) => ({
			...leadOf(number),
			id: number,
			...(number % 10 === 0 && { email: addressOf(1_000 + number) }),
		}));
		const [found, verified] = await runRow(leads);
		expect(verified.map(({ id }) => id)).toEqual(wanted);
		const brought = wanted.filter((number) => number % 10 === 0);
		expect(found.filter(({ status }) => status === 'known')).toHaveLength(brought.length);
		const bought = subjectsOf(
			findBulk,
			wanted.filter((number) => number % 10 !== 0),
		);
		const operationOf = (operation: 'findBulk' | 'verifyBulk') =>
			service()
				.ledger.charges.filter((charge) => charge.operation === operation)
				.map(({ subject }) => subject);
		expect(operationOf('findBulk').toSorted()).toEqual(bought.toSorted());
		// What the finder has just found, and is not sure of, is known for a day.
		expect(operationOf('verifyBulk').toSorted()).toEqual(
			brought.map((number) => addressOf(1_000 + number)).toSorted(),
		);
		for (const { email, emailStatus } of verified) {
			const status = typeof email === 'string' ? expectedVerification(email).email_status : null;
			expect(emailStatus).toBe(status);
		}

		const spent = service().ledger.total();
		const [, again] = await runRow(verified);
		expect(service().ledger.total()).toBe(spent);
		// What the first run said of its own lookups goes with its status.
		const own = ['status', 'credits', 'checkedAt', 'message'];
		const lasting = (lead: IDataObject) =>
			Object.entries(lead).filter(([field]) => !own.includes(field));
		expect(again.map(lasting)).toEqual(verified.map(lasting));
	});
});

test('single and bulk of one lookup treat a known item alike', async () => {
	const outputs = [];
	for (const lookup of [find, findBulk]) {
		const items = [{ email: 'Ada@Acme.Example', checkedAt: ago(1) }];
		const scene = { lookup: { ...find, ...lookup }, existing: scenes[0].existing };
		outputs.push((await run(scene, items, { options: ages })).json);
	}
	expect(outputs[0]).toStrictEqual(outputs[1]);
	expect(outputs[0]).toMatchObject([{ email: 'Ada@Acme.Example', status: 'known' }]);
});
