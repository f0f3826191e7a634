import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { request } from 'undici';
import { expect } from 'vitest';

import type { Fault } from '../service/faults.mts';
import type { Service } from '../service/service.mts';
import { isRecord } from '../service/values.mts';
import type { Variants } from '../service/variants.mts';
import type { WireRequest } from '../service/wireLog.mts';
import type { ServiceOptions } from '../service/world.mts';
import { withoutCosts } from './costs.mts';
import { runNode, type NodeTest, type OurNode } from './engine.mts';
import { credentialFor } from './service.mts';

/** A request as it should come over the wire, its query decoded. */
export interface ExpectedRequest {
	method: string;
	path: string;
	query: Record<string, string | string[]>;
	body?: unknown;
}

/** One case of one operation: what it is given, what it sends, what it gives out, what it costs. */
export interface Row {
	title: string;
	/** Besides the operation. */
	parameters?: NodeTest['parameters'];
	/** Interface settings of the credential. */
	settings?: NonNullable<Parameters<typeof credentialFor>[1]>;
	variants?: Partial<Variants>;
	options?: ServiceOptions;
	fault?: Fault;
	items?: IDataObject[];
	onError?: NodeTest['onError'];
	/** Done first; its requests and credits do not count. */
	before?: (service: Service) => Promise<unknown>;
	requests: ExpectedRequest[];
	/** For items that are looked up at the same time. */
	inAnyOrder?: boolean;
	/** The query strings as sent, where the encoding matters. */
	rawQueries?: string[];
	/** All items, or what they are for these answers of the service, one per request. */
	output: INodeExecutionData[] | ((answers: unknown[]) => INodeExecutionData[]);
	/** Credits; none unless given. */
	credits?: number;
}

/** An item of the output. */
export function item(index: number, json: IDataObject): INodeExecutionData {
	return { json, pairedItem: { item: index } };
}

export function get(path: string, query: ExpectedRequest['query'] = {}): ExpectedRequest {
	return { method: 'GET', path, query };
}

export function post(path: string, body: unknown): ExpectedRequest {
	return { method: 'POST', path, query: {}, body };
}

/** The object in an answer of the service, or under a key of it. */
export function objectOf(answer: unknown, key?: string): IDataObject {
	const value = key === undefined ? answer : objectOf(answer)[key];
	if (!isRecord(value)) throw new Error('The service sent no object');
	return JSON.parse(JSON.stringify(value));
}

/** The objects in a list of the service, or under a key of its answer. */
export function objectsOf(answer: unknown, key?: string): IDataObject[] {
	const value = key === undefined ? answer : objectOf(answer)[key];
	if (!Array.isArray(value) || value.length === 0) throw new Error('The service sent no objects');
	return value.map((entry) => objectOf(entry));
}

/** Operations whose items tell what they cost. */
const LOOKUPS = new Set(['find', 'findBulk', 'getBulkJob', 'verify', 'verifyBulk', 'search']);

/** Runs the case in the engine, against the service in the variant of the case. */
export async function check(
	service: Service,
	node: OurNode,
	operation: string,
	row: Row,
): Promise<void> {
	Object.assign(service.variants, row.variants);
	Object.assign(service.options, row.options);
	if (row.fault) service.faults.add(row.fault);
	await row.before?.(service);
	const earlier = service.requests.length;
	const spentBefore = service.ledger.total();

	const isLookup = LOOKUPS.has(operation);
	const { error, errorItems, items } = await runNode({
		node,
		parameters: { operation, ...(isLookup && { includeInputFields: false }), ...row.parameters },
		items: row.items,
		onError: row.onError,
		credential: credentialFor(service, row.settings),
	});
	const sent = service.requests.slice(earlier);
	const spent = service.ledger.total() - spentBefore;

	expect(error).toBeUndefined();
	const order = row.inAnyOrder ? sorted : (requests: ExpectedRequest[]) => requests;
	expect(order(sent.map(asSent))).toEqual(order(row.requests));
	for (const { headers } of sent) {
		expect(headers).toMatchObject({ 'x-access-key': 'test-key', accept: 'application/json' });
	}
	if (row.rawQueries) expect(sent.map(({ rawQuery }) => rawQuery)).toEqual(row.rawQueries);
	const expected =
		typeof row.output === 'function'
			? row.output(await Promise.all(sent.map((one) => answerTo(service, one))))
			: row.output;
	const { items: bare, credits } = isLookup ? withoutCosts(items) : { items, credits: 0 };
	expect(bare).toStrictEqual(expected);
	expect(errorItems).toEqual([]);
	expect(spent).toBe(row.credits ?? 0);
	// What the items say of their cost is what the ledger has.
	if (items.every(({ json }) => 'credits' in json)) expect(credits ?? spent).toBe(spent);
	expect(service.violations).toEqual([]);
}

function asSent({ method, path, rawQuery, body }: WireRequest): ExpectedRequest {
	const query: ExpectedRequest['query'] = {};
	const parameters = new URLSearchParams(rawQuery);
	for (const name of parameters.keys()) {
		const values = parameters.getAll(name);
		query[name] = values.length === 1 ? values.join() : values;
	}
	return { method, path, query, ...(method !== 'GET' && { body }) };
}

/** What the service answers to the same request: its own objects, as they come over the wire. */
async function answerTo({ baseUrl }: Service, sent: WireRequest): Promise<unknown> {
	const query = sent.rawQuery === '' ? '' : `?${sent.rawQuery}`;
	const { body } = await request(`${baseUrl}${sent.path}${query}`, {
		method: sent.method,
		headers: {
			'x-access-key': 'test-key',
			accept: 'application/json',
			...(sent.method !== 'GET' && { 'content-type': 'application/json' }),
		},
		body: sent.method === 'GET' ? undefined : JSON.stringify(sent.body),
	});
	return await body.json();
}

function sorted(requests: ExpectedRequest[]): ExpectedRequest[] {
	return requests.toSorted((a, b) => (JSON.stringify(a.query) < JSON.stringify(b.query) ? -1 : 1));
}
