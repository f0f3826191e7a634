/**
 * @file Values that nobody means, in every field of every operation: each gives a status that is documented,
 * a request that differs in the value alone, and costs the items beside it nothing.
 */

import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';

import type { WireRequest } from '../service/wireLog.mts';
import { expectDefined, expectJson, isProblem } from '../support/definedItems.mts';
import { runNode, type NodeResult, type OurNode } from '../support/engine.mts';
import { listWithId } from '../support/everyOperation.mts';
import { personWith, fixtures } from '../support/expected.mts';
import { useServer } from '../support/ownServer.mts';
import { processorTime } from '../support/processorTime.mts';
import { credentialFor, useService } from '../support/service.mts';
import { callTool } from '../support/tool.mts';

const service = useService();

/** Texts of people, and texts that mean something to a URL, a header, a shell or a program. */
const texts = [
	'Ångström Çağrı',
	'Αλέξανδρος Νικολάου',
	'山田太郎',
	'김철수',
	'أحمد بن علي',
	'\u202Eelttil\u202C \u200Fשרה',
	'👩‍👩‍👧‍👦 🏳️‍🌈',
	'e\u0301\u0301\u0301',
	'O\'Brien "Ann" <b>&amp;</b>',
	'\uD83D',
	'a\uDE00b',
	'\uFEFF\u200B',
	'ann+tag@c1.bulk.example',
	'"ann test"@c1.bulk.example',
	'"ann@x"@c1.bulk.example',
	'ann@bücher.example',
	'ann@xn--bcher-kva.example',
	'  ANN.TEST@C1.BULK.EXAMPLE\t',
	'a@b@c.example',
	'ann@[127.0.0.1]',
	'a@c.example,b@c.example',
	'.',
	'..',
	'../',
	'../../account',
	'%2e%2e%2f',
	'..%2f..%2faccount',
	'/../account',
	'?a=b',
	'x&email=b@c.example&size=1',
	'x;y=z',
	'#x',
	'//evil.example',
	'https://evil.example/x',
	'@evil.example',
	'user:pass@evil.example',
	'\\\\evil.example\\x',
	'..\\..\\account',
	'a\0b',
	'%00',
	'x\r\nX-Access-Key: stolen',
	'x\nHost: evil.example',
	'%0d%0aX-Evil: 1',
	'+',
	'a+b c%20d',
	'{a,b}',
	'${7*7}',
	'{{ $json }}',
	'={{ 1 }}',
	'__proto__',
	'constructor',
	'prototype',
	'toString',
	'error',
	'null',
	'NaN',
	'-1',
	'0x10',
	'1e400',
	'102abc',
	' 102\t',
	'١٠٢',
	'１０２',
	'2026-13-45',
	'0',
	'-',
	' ',
	'',
	'x'.repeat(10_000),
	'é 😀 '.repeat(1_000),
];

/** What stands where a text belongs, and is none. */
const others: unknown[] = [
	null,
	true,
	false,
	0,
	-1,
	1.5,
	1e21,
	Number.MAX_SAFE_INTEGER,
	[],
	['a', 'b'],
	[null],
	[['x']],
	{},
	{ a: 1 },
	{ email: 'ann@c1.bulk.example' },
	{ toString: 'x', valueOf: 'y' },
	{ length: 3 },
];

const values: unknown[] = [...texts, ...others];

/** A field of an operation, with everything else as a good item has it. */
interface Field {
	node: OurNode;
	operation: string;
	field: string;
	parameters: INodeParameters;
	/** What a good item has there. */
	good: string | number;
	/** The path of its requests, where it is not the same for all values. */
	path?: RegExp;
	/** Whether the operation is one of those that give each item one item. */
	isLookup?: boolean;
}

const VALUE = '={{ $json.value }}';

const { email, first, last, full, company } = personWith('valid');
const leadsOf = (id: number) => fixtures.list(id)?.leads ?? [];

const inFinder = ['find', 'findBulk'].flatMap((operation): Field[] => {
	const finder = { node: 'contactDataFinder', operation, isLookup: true } as const;
	const who = { fullName: full, domain: company.domain };
	const named = { firstName: first, lastName: last, domain: company.domain };
	const old = { ...who, existingEmail: email, options: { checkedAt: '2020-01-01' } };
	return [
		{ ...finder, field: 'fullName', parameters: { ...who, fullName: VALUE }, good: full },
		{ ...finder, field: 'firstName', parameters: { ...named, firstName: VALUE }, good: first },
		{ ...finder, field: 'lastName', parameters: { ...named, lastName: VALUE }, good: last },
		{ ...finder, field: 'domain', parameters: { ...who, domain: VALUE }, good: company.domain },
		{
			...finder,
			field: 'company',
			parameters: { fullName: full, company: VALUE },
			good: company.name,
		},
		{
			...finder,
			field: 'country',
			parameters: { ...who, options: { country: VALUE } },
			good: 'Peru',
		},
		{ ...finder, field: 'existingEmail', parameters: { ...who, existingEmail: VALUE }, good: '' },
		{
			...finder,
			field: 'checkedAt',
			parameters: { ...old, options: { checkedAt: VALUE } },
			good: '2020-01-01',
		},
		{
			...finder,
			field: 'maxAgeDays',
			parameters: { ...old, options: { ...old.options, maxAgeDays: VALUE } },
			good: 1,
		},
	];
});

const inVerifier = ['verify', 'verifyBulk'].flatMap((operation): Field[] => {
	const verifier = { node: 'contactDataVerifier', operation, isLookup: true } as const;
	return [
		{ ...verifier, field: 'email', parameters: { email: VALUE }, good: email },
		{
			...verifier,
			field: 'existingStatus',
			parameters: { email, existingStatus: VALUE },
			good: '',
		},
	];
});

/** Every field that takes a text. */
const fields: Field[] = [
	...inFinder,
	...inVerifier,
	{
		node: 'contactDataCompany',
		operation: 'search',
		field: 'keyword',
		parameters: { keyword: VALUE },
		good: company.domain,
		isLookup: true,
	},
	...(['companyWebsite', 'companyName'] as const).map(
		(field): Field => ({
			node: 'contactDataCompany',
			operation: 'getLeads',
			field,
			parameters: { [field]: VALUE, limit: 1 },
			good: field === 'companyName' ? company.name : company.domain,
		}),
	),
	...(['title', 'location'] as const).map(
		(field): Field => ({
			node: 'contactDataCompany',
			operation: 'getLeads',
			field,
			parameters: {
				companyWebsite: company.domain,
				limit: 1,
				options: { [field]: VALUE, [`${field}Match`]: 'any' },
			},
			good: '',
		}),
	),
	...['get', 'getLeads', 'exportLeads'].map(
		(operation): Field => ({
			node: 'contactDataList',
			operation,
			field: 'listId',
			parameters: { listId: listWithId(VALUE), limit: 1 },
			good: '102',
			path: /^\/api\/v2\/list\/\d+(\/leads|\/data)?$/,
		}),
	),
	{
		node: 'contactDataList',
		operation: 'getLeads',
		field: 'keyword',
		parameters: { listId: listWithId('102'), limit: 1, options: { keyword: VALUE } },
		good: leadsOf(102)[0].person.first,
	},
	...['getAll', 'getLeads'].map(
		(operation): Field => ({
			node: 'contactDataList',
			operation,
			field: 'limit',
			parameters: { listId: listWithId('102'), limit: VALUE },
			good: 1,
		}),
	),
	{
		node: 'contactDataFinder',
		operation: 'getBulkJob',
		field: 'jobRow',
		parameters: { jobId: '={{ $json.jobId }}', jobRow: VALUE },
		good: 1,
	},
	{
		node: 'contactDataFinder',
		operation: 'getBulkJob',
		field: 'jobId',
		parameters: { jobId: VALUE, jobRow: '1' },
		good: '',
		// One segment, whatever stands in it: nothing there leads out of it.
		path: /^\/api\/v2\/find_bulk(\/(?!\.+$)[^/]+)?$/,
	},
];

/** The id of a job that is there to be collected. */
async function finishedJob(): Promise<string> {
	Object.assign(service().variants, { bulkAnswer: 'job', jobPolls: 1, jobResultShape: 'results' });
	const { json } = await runNode({
		node: 'contactDataFinder',
		parameters: {
			operation: 'findBulk',
			fullName: full,
			domain: company.domain,
			options: { jobTimeout: 0 },
		},
		credential: credentialFor(service()),
	});
	service().variants.jobPolls = 0;
	return String(json[0].jobId);
}

async function runField(
	{ node, operation, parameters, isLookup }: Field,
	items: IDataObject[],
): Promise<NodeResult> {
	const options = { ...(isLookup && { maxRetries: 0 }), ...Object(parameters.options) };
	return await runNode({
		node,
		parameters: { operation, ...parameters, options },
		items,
		credential: credentialFor(service()),
		onError: 'continueRegularOutput',
	});
}

/** What may not differ from request to request: all but the values. */
function shapeOf({ method, path, rawQuery, headers, body }: WireRequest) {
	const rows = [body].flat(2).map((row) => Object.keys(Object(row)));
	return {
		method,
		path,
		query: [...new URLSearchParams(rawQuery).keys()],
		headers: Object.keys(headers).toSorted(),
		rows: [...new Set(rows.flat())],
	};
}

/** The parameters of a request that hold nothing of the value. */
const ITS_OWN = ['size', 'start', 'tId', 'name', 'fullName', 'id'];

/** Every request goes where a good one goes, with no other parameters and headers than a good one has. */
function expectNothingElse({ path, field }: Field, good: WireRequest[], sent: WireRequest[]): void {
	const wanted = good.map(shapeOf);
	const known = (name: 'query' | 'rows' | 'headers') =>
		new Set([...wanted.flatMap((shape) => shape[name]), field, ...ITS_OWN]);
	for (const shape of sent.map(shapeOf)) {
		if (path) expect(shape.path).toMatch(path);
		else expect(wanted.map((one) => one.path)).toContain(shape.path);
		expect(wanted.map(({ method }) => method)).toContain(shape.method);
		expect(wanted.map(({ headers }) => headers)).toContainEqual(shape.headers);
		expect([...known('query')]).toEqual(expect.arrayContaining(shape.query));
		expect([...known('rows')]).toEqual(expect.arrayContaining(shape.rows));
	}
}

/** The items of the output that are linked to one of the input. */
function itemsOf({ items }: NodeResult, item: number): IDataObject[] {
	return items
		.filter(({ pairedItem }) => JSON.stringify(pairedItem) === `{"item":${item}}`)
		.map(({ json }) => json);
}

/** Each item has its own output, in order, and says what became of it; the good ones have a result. */
function expectOwnOutput(
	{ isLookup }: Field,
	result: NodeResult,
	items: unknown[],
	good: number[],
) {
	expect(result.error).toBeUndefined();
	const outputs = items.map((_, item) => itemsOf(result, item));
	expect(outputs.flat()).toEqual(result.json);
	outputs.forEach((output, item) => {
		if (isLookup) expect(output).toHaveLength(1);
		for (const json of output) {
			if (isLookup || isProblem(json)) expectDefined(json);
			expectJson(json);
		}
		if (!good.includes(item)) return;
		expect(output).not.toEqual([]);
		for (const json of output) {
			expect(isProblem(json)).toBe(false);
			if (isLookup) expect(['found', 'verified']).toContain(json.status);
		}
	});
}

/** The texts that a value may be sent as. */
function sentAs(value: unknown): string[] {
	const text = ['string', 'number'].includes(typeof value) ? String(value) : '';
	return [text.trim().toWellFormed().toLowerCase()];
}

/** Fields of which no more than a part is sent: the host of a URL, the words of a filter, a number. */
const REDUCED = ['limit', 'domain', 'companyWebsite', 'title', 'location'];

/** What is sent is what stood in the field, or what a good item says. */
function expectVerbatim(
	{ field }: Field,
	good: WireRequest[],
	sent: WireRequest[],
	from: unknown[],
) {
	if (REDUCED.includes(field)) return;
	const own = new Set([...good.flatMap(textsIn), ...from.flatMap(sentAs)]);
	for (const request of sent) {
		for (const text of textsIn(request)) expect(own.has(text) || /^\d{1,3}$/.test(text)).toBe(true);
	}
}

/** The values of a request, in its query and its body. */
function textsIn({ rawQuery, body }: WireRequest): string[] {
	const rows = [body].flat(2).flatMap((row) => Object.values(Object(row)));
	return [...new URLSearchParams(rawQuery).values(), ...rows].map((one) =>
		String(one).toLowerCase(),
	);
}

/** A good item of an operation. */
async function goodItem({ operation, field, good }: Field): Promise<IDataObject> {
	if (operation !== 'getBulkJob') return { value: good };
	const jobId = await finishedJob();
	return field === 'jobId' ? { value: jobId } : { value: good, jobId };
}

/** What the contract does not have: ids are numbers there, but anything may stand in a field. */
function expectOnlyIdsRefused(): void {
	const problems = service().violations.flatMap((one) => one.problems);
	for (const problem of problems) {
		expect(problem).toMatch(/^(params\/(jobId|listId)|querystring\/id) /);
	}
	service().reset();
}

describe.each(fields)('$operation, $field', (field) => {
	const { isLookup } = field;

	/** Runs the values, between two good items. */
	async function runBetween(among: unknown[]): Promise<IDataObject[]> {
		const good = await goodItem(field);
		const before = service().requests.length;
		await runField(field, [good]);
		const alone = service().requests.slice(before);
		const values = [good.value, ...among, good.value];
		const items = values.map((value): IDataObject => Object.assign({}, good, { value }));
		const { length } = service().requests;
		const result = await runField(field, items);
		const sent = service().requests.slice(length);
		expectOwnOutput(field, result, items, [0, items.length - 1]);
		expectNothingElse(field, alone, sent);
		expectVerbatim(field, alone, sent, values);
		if (field.path) expectOnlyIdsRefused();
		return result.json;
	}

	test('whatever stands there', async () => {
		const json = await runBetween(values);
		if (isLookup) expect(json).toHaveLength(values.length + 2);
	});

	test('a text of a megabyte', async () => {
		const json = await runBetween(['x'.repeat(1_000_000)]);
		if (isLookup) expect(json).toHaveLength(3);
	});

	test('a text that is four times as long takes no more than some times as long', async () => {
		const good = await goodItem(field);
		const timeOf = async (value: string) => {
			const used = processorTime();
			await runField(field, [{ ...good, value }]);
			return used();
		};
		for (const part of ['.', 'a@', 'www.', 'a://', ' ', '1', '+{,', '%2e/']) {
			const text = (length: number) => `a${part.repeat(length / part.length)}b`;
			const times: Array<[short: number, long: number]> = [];
			for (let round = 0; round < 2; round++) {
				times.push([await timeOf(text(50_000)), await timeOf(text(200_000))]);
			}
			const [short, long] = [0, 1].map((at) => Math.min(...times.map((time) => time[at])));
			// What takes time by the square takes sixteen times as long.
			expect(long).toBeLessThan(8 * short + 150);
		}
		if (field.path) expectOnlyIdsRefused();
	});
});

describe('a path of the credential', () => {
	const serve = useServer();

	/** Paths that would lead elsewhere, if they were put behind the Base URL, or in its place. */
	const leadingTo = (host: string) => [
		`//${host}/x`,
		`http://${host}/x`,
		`HTTP:\\\\${host}\\x`,
		`\\\\${host}\\x`,
		`/\\${host}/x`,
		`/\t/${host}/x`,
		`\t//${host}/x`,
		`http:/${host}/x`,
		`http:${host}/x`,
		`@${host}/x`,
		`:x@${host}/x`,
		`.${host}/x`,
		`/..//${host}/x`,
		`/%2f${host}/x`,
		`///${host}/x`,
		`javascript:alert(1)//${host}`,
		`file:///etc/passwd`,
		...texts,
	];

	const settings = [
		['companySearchPath', 'contactDataCompany', { operation: 'search', keyword: company.domain }],
		['bulkVerifierPath', 'contactDataVerifier', { operation: 'verifyBulk', email }],
	] as const;

	test.each(settings)(
		'%s leads to no other host, and costs the items beside it nothing',
		async (setting, node, parameters) => {
			const seen: unknown[] = [];
			const elsewhere = await serve(({ url, headers }, response) => {
				seen.push([url, headers]);
				response.end('{}');
			});
			const paths = leadingTo(new URL(elsewhere).host);
			// An empty path is the default one.
			const items = ['', ...paths, ''].map((path) => ({ path }));
			const { json, error } = await runNode({
				node,
				parameters: { ...parameters, options: { maxRetries: 0 } },
				items,
				credential: credentialFor(service(), { [setting]: '={{ $json.path }}' }),
				onError: 'continueRegularOutput',
			});
			expect(error).toBeUndefined();
			expect(seen).toEqual([]);
			expect(json).toHaveLength(items.length);
			for (const item of json) expectDefined(item);
			for (const item of [json[0], json.at(-1)]) {
				expect(['found', 'verified']).toContain(item?.status);
			}
			const headers = service().requests.map((request) => shapeOf(request).headers);
			expect(new Set(headers.map(String)).size).toBe(1);
			expect(new Set(service().requests.map(({ method }) => method))).toEqual(new Set(['GET']));
			// Whoever may change the credential may name any path of the service.
			service().reset();
		},
	);

	test.each(['companyNameParameter', 'bulkFinderBody', 'bulkVerifierQuery', 'listPageSize'])(
		'%s: what is not among its values changes nothing but its own part',
		async (setting) => {
			for (const value of values) {
				const credential = credentialFor(service(), { [setting]: '={{ $json.value }}' });
				for (const [node, parameters] of [
					['contactDataFinder', { operation: 'find', fullName: full, company: company.name }],
					['contactDataFinder', { operation: 'findBulk', fullName: full, company: company.name }],
					['contactDataVerifier', { operation: 'verifyBulk', email }],
					['contactDataList', { operation: 'getLeads', listId: listWithId('102'), limit: 1 }],
				] as const) {
					const { json, error } = await runNode({
						node,
						parameters: { ...parameters, options: {} },
						items: [{ value }] as IDataObject[],
						credential,
						onError: 'continueRegularOutput',
					});
					expect(error).toBeUndefined();
					expect(json).toHaveLength(1);
					if ('status' in json[0]) expectDefined(json[0]);
				}
			}
			const paths = new Set(service().requests.map(({ path }) => path));
			expect([...paths].toSorted()).toEqual([
				'/api/v2/find',
				'/api/v2/find_bulk',
				'/api/v2/list/102/leads',
				'/v3/verify_bulk',
			]);
			service().reset();
		},
	);
});

describe('the name of the field for the result', () => {
	test.each(['find', 'verifyBulk'])(
		'%s: any text is taken literally, or refused',
		async (operation) => {
			for (const value of values) {
				const { json, error } = await runNode({
					node: operation === 'find' ? 'contactDataFinder' : 'contactDataVerifier',
					parameters: {
						operation,
						fullName: full,
						domain: company.domain,
						email,
						options: { resultField: '={{ $json.value }}' },
					},
					items: [{ value, kept: 1 }] as IDataObject[],
					credential: credentialFor(service()),
					onError: 'continueRegularOutput',
				});
				expect(error).toBeUndefined();
				expect(json).toHaveLength(1);
				expectJson(json);
				expect(json[0].kept).toBe(1);
				const [name] = Object.keys(json[0]).filter((key) => !['value', 'kept'].includes(key));
				// What every object inherits, and what n8n takes for a failure, is no name.
				expect(['__proto__', 'constructor', 'prototype', 'error']).not.toContain(name);
				const result = 'status' in json[0] ? json[0] : json[0][name];
				expect(result).toMatchObject({
					status: expect.stringMatching(/^(found|verified|invalid_input)$/),
				});
			}
		},
	);
});

describe('an option of a lookup', () => {
	const options = [
		...['maxRetries', 'maxConcurrency', 'maxCredits', 'keepCredits', 'manualLimit', 'jobTimeout'],
		...['incompleteRun', 'retryUnknownDays', 'skipEmpty', 'enrich', 'includeCompanyData'],
	];

	test.each([...options, 'requestOptions'])('%s: whatever stands there', async (option) => {
		for (const value of values) {
			for (const operation of ['findBulk', 'verify']) {
				const { json, error } = await runNode({
					node: operation === 'verify' ? 'contactDataVerifier' : 'contactDataFinder',
					parameters: {
						operation,
						fullName: full,
						domain: company.domain,
						email,
						...(option === 'requestOptions'
							? { requestOptions: { timeout: VALUE }, options: { maxRetries: 0 } }
							: { options: { [option]: VALUE } }),
					},
					items: [{ value }] as IDataObject[],
					credential: credentialFor(service()),
					onError: 'continueRegularOutput',
				});
				expect(error).toBeUndefined();
				expect(json).toHaveLength(1);
				expectDefined(json[0]);
				expectJson(json);
			}
		}
	});
});

describe('a tool, whose model fills in whatever it likes', () => {
	const forTools = fields.filter(
		({ operation, field }) =>
			!['findBulk', 'verifyBulk', 'getBulkJob'].includes(operation) &&
			!/^(existing|checkedAt|maxAge)/.test(field),
	);

	test.each(forTools)('$operation, $field', async (field) => {
		const { node, operation, parameters } = field;
		const own = JSON.parse(
			JSON.stringify(parameters).replaceAll(VALUE, "={{ $fromAI('value', '', 'json') }}"),
		);
		await runField(field, [{ value: field.good }]);
		const alone = service().requests.slice();
		for (const value of values) {
			const told = await callTool({
				node,
				parameters: { operation, ...own, options: { ...own.options } },
				credential: credentialFor(service()),
				args: { value } as IDataObject,
			});
			for (const json of told) if (field.isLookup || isProblem(json)) expectDefined(json);
		}
		expectNothingElse(field, alone, service().requests.slice(alone.length));
		if (field.path) expectOnlyIdsRefused();
	});
});
