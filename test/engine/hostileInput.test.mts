/**
 * @file Values that nobody means, in every field of every operation: each gives a status that is documented,
 * a request that differs in the value alone, and costs the items beside it nothing.
 */

import type { IDataObject } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';

import { forgetRecentAnswers } from '../../nodes/shared/execution/recent.ts';
import type { WireRequest } from '../emulator/wireLog.mts';
import { known } from '../support/leads/expected.mts';
import {
	answerIn,
	findBulk,
	lookups,
	numbers,
	runInLoop,
	runLookup,
} from '../support/leads/lookups.mts';
import { expectDefined, expectJson, isProblem, outcomeIn } from '../support/node/definedItems.mts';
import { runNode } from '../support/node/engine.mts';
import {
	listWithId,
	operationOf,
	operations,
	readsJob,
	withField,
	type Sample,
} from '../operations.mts';
import { acceptJob } from '../support/node/operationRow.mts';
import { useServer } from '../support/servers/ownServer.mts';
import { credentialFor, useService } from '../support/servers/service.mts';
import { toolOf } from '../support/node/tool.mts';

const service = useService();

/** Texts of people, and texts that mean something to a URL, a header, a shell or a program. */
const texts = [
	...['Ångström Çağrı', '山田太郎', 'أحمد بن علي', '\u202Eelttil\u202C \u200Fשרה', '👩‍👩‍👧‍👦 🏳️‍🌈'],
	...['e\u0301\u0301\u0301', 'O\'Brien "Ann" <b>&amp;</b>', '\uD83D', 'a\uDE00b', '\uFEFF\u200B'],
	...['ann+tag@c1.bulk.example', '"ann test"@c1.bulk.example', '"ann@x"@c1.bulk.example'],
	...['ann@bücher.example', 'ann@xn--bcher-kva.example', '  ANN.TEST@C1.BULK.EXAMPLE\t'],
	...['ann@[127.0.0.1]', 'a@c.example,b@c', '@evil.example', 'user:pass@evil.example'],
	...['.', '..', '../', '../../account', '..%2f..%2faccount', '..\\..\\account', '?a=b'],
	...['x&email=b@c.example&size=1', '//evil.example', 'https://evil.example/x', '${7*7}', '+'],
	...['a\0b', 'x\r\nX-Access-Key: stolen', '%0d%0aX-Evil: 1', '={{ 1 }}', '{{ $json }}'],
	...['Ann {{$json.x', '$json.x }} ', '__proto__', 'constructor', 'error', 'null', 'NaN', '-1'],
	...['0x10', '102abc', ' 102\t', '١٠٢', '0', '-', ' ', '', 'x'.repeat(10_000)],
	'é 😀 '.repeat(1_000),
];

/** What stands where a text belongs, and is none. */
const others: unknown[] = [
	...[null, true, false, 0, -1, 1.5, 1e21, Number.MAX_SAFE_INTEGER],
	...[[], ['a', 'b'], [null], [['x']], {}, { a: 1 }, { email: 'ann@c1.bulk.example' }],
	...[{ toString: 'x', valueOf: 'y' }, { length: 3 }],
];

const values: unknown[] = [...texts, ...others];

/** A field of an operation that takes a text; everything else is as a good item has it. */
interface Field extends Sample {
	field: string;
	/** What a good item has there. */
	good: string | number;
}

const VALUE = '={{ $json.value }}';

const fields = operations.flatMap((sample) =>
	Object.entries(sample.texts).map(([field, [good]]): Field => {
		return { ...sample, parameters: withField(sample, field, VALUE), field, good };
	}),
);

const { fullName, domain } = operationOf('findBulk').parameters;
const { email } = operationOf('verifyBulk').parameters;

/** A good item of an operation: for one that reads a job, of a job that is there. */
async function goodItem(field: Field): Promise<IDataObject> {
	if (!readsJob(field)) return { value: field.good };
	service().variants.jobResultShape = 'results';
	await acceptJob(service(), { tId: 1, name: fullName, domain });
	return { value: '9001' };
}

/** Runs the operation over these items, and gives what it sent. */
async function runField({ node, parameters, isLookup }: Field, items: IDataObject[]) {
	const { length } = service().requests;
	const own = isLookup
		? { maxRetries: 0 }
		: node === 'contactDataCompany' && { includeInputFields: true };
	const options = { ...own, ...Object(parameters.options) };
	const result = await runNode({
		...{ node, items, credential: credentialFor(service()), onError: 'continueRegularOutput' },
		parameters: { ...parameters, options },
	});
	return { ...result, sent: service().requests.slice(length) };
}

/** The values of requests, in their queries and their bodies. */
function textsOf(requests: WireRequest[]): string[] {
	const all = requests.flatMap(({ rawQuery, body }) => [
		...new URLSearchParams(rawQuery).values(),
		...[body].flat(2).flatMap((row) => Object.values(Object(row))),
	]);
	return all.map((value) => String(value).toLowerCase());
}

const headersOf = ({ headers }: WireRequest) => Object.keys(headers).toSorted().join();

/** Every request is one of those that a good one is, with the same headers; the emulator refuses what none may have. */
function expectNothingElse(good: WireRequest[], sent: WireRequest[]): void {
	for (const request of sent) {
		expect(good.map(({ operation }) => operation)).toContain(request.operation);
		expect(good.map(headersOf)).toContain(headersOf(request));
	}
}

/** Why a value is refused, whichever field holds it. */
function refusalOf(value: unknown): string | undefined {
	if (typeof value === 'string' && /\{\{|\}\}/.test(value)) return 'unevaluated_expression';
	const isNoText = typeof value === 'object' && value !== null;
	return isNoText ? 'invalid_value' : undefined;
}

/** Each item has its own output, in order, and says what became of it; the good ones have a result. */
function expectOwnOutput(
	field: Field,
	{ items: output, error }: Awaited<ReturnType<typeof runField>>,
	items: IDataObject[],
): void {
	const { isLookup } = field;
	expect(error).toBeUndefined();
	const all = output.map(({ pairedItem }) => Number(Object(pairedItem).item));
	expect(all).toEqual(all.toSorted((a, b) => a - b));
	items.forEach(({ value }, item) => {
		const own = output.filter((_, index) => all[index] === item).map(({ json }) => json);
		if (isLookup) expect(own).toHaveLength(1);
		expectJson(own);
		const outcomes = own.map(outcomeIn);
		for (const one of outcomes) if (isLookup || isProblem(one)) expectDefined(one);
		const reason = refusalOf(value);
		if (reason)
			expect(outcomes).toMatchObject([{ lookupStatus: 'invalid_input', lookupReason: reason }]);
		if (item > 0 && item < items.length - 1) return;
		expect(outcomes).not.toEqual([]);
		expect(outcomes.filter(isProblem)).toEqual([]);
		if (isLookup) expect(['found', 'verified']).toContain(outcomes[0].lookupStatus);
	});
}

/** The text that a value may be sent as; what is refused is not sent. */
function sentAs(value: unknown): string {
	const isText = ['string', 'number'].includes(typeof value) && !refusalOf(value);
	const text = isText ? String(value).toWellFormed() : '';
	const visible = text.replace(/\p{Default_Ignorable_Code_Point}/gu, '');
	return visible
		.replaceAll(/[\s\p{Cc}]+/gu, ' ')
		.trim()
		.normalize('NFC')
		.toLowerCase();
}

/** Fields of which no more than a part is sent: the host of a URL, the words of a filter, a number. */
const REDUCED = ['limit', 'domain', 'companyWebsite', 'title', 'location'];

/** What is sent is what stood in the field, or what a good item says. */
function expectVerbatim(of: Field, good: WireRequest[], sent: WireRequest[], from: unknown[]) {
	if (REDUCED.includes(of.field)) return;
	// A full name goes out with its parts turned around, half of one without what is behind a comma, both without emoji.
	const spelt = (value: string) => {
		const text = value.replaceAll('&amp;', '&');
		if (!/Name$/.test(of.field) || of.field === 'companyName') return text;
		const plain = text.replace(/[\p{Extended_Pictographic}\p{Regional_Indicator}]/gu, ' ');
		const words = plain.split(of.field === 'fullName' ? /[\s,]+/ : /\s+/).filter(Boolean);
		return of.field === 'fullName' ? words.toSorted().join(' ') : words.join(' ').split(',')[0];
	};
	const own = new Set([...textsOf(good), ...from.map((value) => sentAs(value))].map(spelt));
	const strange = textsOf(sent).filter((text) => !own.has(spelt(text)) && !/^\d{1,3}$/.test(text));
	expect(strange).toEqual([]);
}

/** What the contract does not have: ids are numbers there, but anything may stand in a field. */
function expectOnlyIdsRefused({ field }: Field): void {
	if (!['listId', 'jobId'].includes(field)) return;
	for (const problem of service().violations.flatMap((one) => one.problems)) {
		expect(problem).toMatch(/^(params\/(jobId|listId)|querystring\/id) /);
	}
	service().reset();
}

test.each(fields)(
	'$operation, $field: whatever stands there, between two good items',
	async (field) => {
		const good = await goodItem(field);
		const { sent: alone } = await runField(field, [good]);
		const all = [good.value, ...values, good.value];
		const items = all.map((value): IDataObject => Object.assign({}, good, { value }));
		const result = await runField(field, items);
		expectOwnOutput(field, result, items);
		expectNothingElse(alone, result.sent);
		expectVerbatim(field, alone, result.sent, all);
		expectOnlyIdsRefused(field);
	},
);

const notForTools = /^(findBulk|verifyBulk|getBulkJob) |^\w+ (existing|firstName|lastName)/;
const forTools = fields.filter(
	({ operation, field }) => !notForTools.test(`${operation} ${field}`),
);

test.each(forTools)('$operation, $field of a tool: whatever the model fills in', async (field) => {
	const { node, parameters, isLookup, good } = field;
	const { sent: alone } = await runField(field, [{ value: good }]);
	const own = JSON.stringify(parameters).replaceAll(VALUE, "={{ $fromAI('value', '', 'json') }}");
	const credential = credentialFor(service());
	const call = toolOf({ node, parameters: JSON.parse(own), credential });
	const told = async (value: unknown) => (await call({ value } as IDataObject)).map(outcomeIn);
	forgetRecentAnswers();
	await told(good);
	expect(textsOf(service().requests.slice(alone.length))).toEqual(textsOf(alone));
	for (const value of values) {
		for (const one of await told(value)) if (isLookup || isProblem(one)) expectDefined(one);
	}
	expectNothingElse(alone, service().requests.slice(alone.length));
	expectOnlyIdsRefused(field);
});

test('Find Emails in Bulk, the row of its job: whatever stands there, each item has its own answer', async () => {
	Object.assign(service().variants, { bulkAnswer: 'job', jobPolls: 1, jobResultShape: 'results' });
	const rows = [1, 1, 2, 1, '3', 101, 1e6, 1e9, 1.5, ...values];
	const wanted = numbers(rows.length);
	const options = { jobTimeout: 0 };
	const test = { options, parameters: { includeInputFields: true } };
	const leads = wanted.map(findBulk.item);
	const { json: pending } = await runLookup(findBulk, service(), leads, test);
	expect(new Set(pending.map(({ lookupStatus }) => lookupStatus))).toEqual(new Set(['pending']));
	const items = pending.map(
		(item, index) => ({ ...item, lookupJobRow: rows[index] }) as IDataObject,
	);
	service().variants.bulkAnswer = 'rows';
	const { json, error } = await runLookup(findBulk, service(), items, test);
	expect([error, json.map(answerIn)]).toEqual([undefined, wanted.map(findBulk.answer)]);
});

describe('a setting', () => {
	/** Where each stands, and an operation that reads it: once for a run, each in a round of a loop. */
	test.each([
		...['maxRetries', 'maxConcurrency', 'maxCredits', 'keepCredits', 'incompleteRun'].map(
			(name) => ['options', name, 'verify'] as const,
		),
		...['refreshAfterDays', 'enrich'].map((name) => ['options', name, 'verify'] as const),
		['options', 'includeCompanyData', 'find'],
		['options', 'jobTimeout', 'findBulk'],
		['node', 'manualLimit', 'verify'],
		// The last, as what they give up may arrive later.
		['requestOptions', 'timeout', 'findBulk'],
		['requestOptions', 'timeout', 'verify'],
	])('%s, %s, of %s: whatever stands there changes nothing but its own part', async (...row) => {
		const [where, setting, operation] = row;
		const setFor = (place: string) => (where === place ? { [setting]: VALUE } : {});
		const lookup = known(lookups.find((one) => one.operation === operation));
		const parameters = {
			...{ ...lookup.parameters, includeInputFields: true, ...setFor('node') },
			requestOptions: setFor('requestOptions'),
		};
		const items = values.map((value, number) => ({ ...lookup.item(number), value, kept: 1 }));
		const { run, rounds } = await runInLoop(
			{ node: lookup.node, parameters },
			service(),
			items.map((item) => [item as IDataObject]),
			{
				...{ onError: 'continueRegularOutput', mode: 'manual' },
				options: { maxRetries: 0, ...setFor('options') },
			},
		);
		expect(run.data.resultData.error).toBeUndefined();
		expect(rounds).toHaveLength(items.length);
		rounds.forEach(({ json }) => {
			expect(json).toHaveLength(1);
			expectJson(json);
			expect(json[0].kept).toBe(1);
			expectDefined(json[0]);
		});
		const sent = new Set(service().requests.map((request): unknown => request.operation));
		expect([operation, 'getAccount']).toEqual(expect.arrayContaining([...sent]));
	});
});

describe('settings of the credential', () => {
	const serve = useServer();
	const others = ['companyNameParameter', 'bulkFinderBody', 'bulkVerifierQuery', 'listPageSize'];

	/** What stands before a host in a path that would lead there, behind the Base URL or in its place. */
	const before = [
		...['//', 'http://', 'HTTP:\\\\', '\\\\', '/\\', '/\t/', '\t//', 'http:/', 'http:', '@'],
		...[':x@', '.', '/..//', '/%2f', '///', 'javascript:alert(1)//', 'file:///etc/'],
	];

	test.each([
		['searchCompany', ['companySearchPath']] as const,
		['verifyBulk', ['bulkVerifierPath']] as const,
		...['find', 'findBulk', 'verifyBulk', 'getLeads'].map((name) => [name, others] as const),
	])('%s, %o: none leads to another host, or costs the items beside it', async (...row) => {
		const [operation, names] = row;
		const seen: unknown[] = [];
		const elsewhere = await serve(({ url, headers }, response) => {
			seen.push([url, headers]);
			response.end('{}');
		});
		const paths = [...before.map((start) => `${start}${new URL(elsewhere).host}/x`), ...texts];
		// An empty setting is the default one.
		const all = ['', ...(names === others ? values : paths), ''];
		const { node, endpoint, isLookup } = operationOf(operation);
		const [company] = operationOf('find').texts.company;
		const { json, error } = await runNode({
			...{ node, items: all.map((value) => ({ value, kept: 1 }) as IDataObject) },
			credential: credentialFor(service(), Object.fromEntries(names.map((name) => [name, VALUE]))),
			parameters: {
				...{ operation, fullName, company, email, keyword: domain, limit: 1 },
				...{ listId: listWithId('102'), options: { maxRetries: 0 } },
			},
			onError: 'continueRegularOutput',
		});
		expect([error, seen]).toEqual([undefined, []]);
		expect(json).toHaveLength(all.length);
		expectJson(json);
		if (isLookup) expect(json).toMatchObject(all.map(() => ({ kept: 1 })));
		const outcomes = json.map(outcomeIn);
		for (const one of outcomes) if (isLookup || isProblem(one)) expectDefined(one);
		for (const end of [outcomes[0], outcomes[all.length - 1]]) {
			expect(isLookup ? ['found', 'verified'] : [undefined]).toContain(end.lookupStatus);
		}
		// The first is a good one.
		const kinds = service().requests.map((one) => `${one.method} ${headersOf(one)}`);
		expect(new Set(kinds).size).toBe(1);
		if (names === others) {
			expect(new Set(service().requests.map((one) => one.operation))).toEqual(new Set([endpoint]));
		}
		// Whoever may change the credential may name any path of the service.
		service().reset();
	});
});
