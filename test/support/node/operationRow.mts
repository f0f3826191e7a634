/** @file How a table of cases becomes tests of the operations of a node. */

import type { IDataObject } from 'n8n-workflow';
import { request } from 'undici';
import { describe, expect, test } from 'vitest';

import type { Service } from '../../emulator/service.mts';
import { isRecord } from '../../emulator/values.mts';
import type { Variants } from '../../emulator/variants.mts';
import { withoutCosts } from '../leads/costs.mts';
import { runNode, type NodeTest, type OurNode } from './engine.mts';
import { operationOf, operations, readsJob } from '../../operations.mts';
import { useQuickClock } from './quickClock.mts';
import { credentialFor, KEY, useService } from '../servers/service.mts';

/** A request as it has to come over the wire: the parameters of its query, encoded, in any order. */
export interface ExpectedRequest {
	method: string;
	path: string;
	query: string[];
	body?: unknown;
}

/** One case of one operation: what it is given, what it sends, what it gives out, what it costs. */
export interface Row {
	title: string;
	/** Besides the operation. */
	parameters?: NodeTest['parameters'];
	variants?: Partial<Variants>;
	items?: IDataObject[];
	onError?: NodeTest['onError'];
	/** Done first; its requests and credits do not count. */
	before?: (service: Service) => Promise<unknown>;
	requests: ExpectedRequest[];
	/** The `json` of all items. */
	output: IDataObject[];
	/** The item of the input that each is linked to, where it is not its own or the only one. */
	links?: number[];
	/** Credits; none unless given. */
	credits?: number;
}

export function get(path: string, query: Record<string, string | string[]> = {}): ExpectedRequest {
	const pairs = Object.entries(query).flatMap(([name, values]) =>
		[values].flat().map((value) => `${name}=${encodeURIComponent(value)}`),
	);
	return { method: 'GET', path, query: pairs.toSorted() };
}

export function post(path: string, body: unknown): ExpectedRequest {
	return { method: 'POST', path, query: [], body };
}

export function objectOf(value: unknown): IDataObject {
	if (!isRecord(value)) throw new Error('This is no object');
	return JSON.parse(JSON.stringify(value));
}

/** Sends the service a request of the test's own, with a body if there is one, and gives the answer. */
export async function ask({ baseUrl }: Service, path: string, body?: unknown): Promise<unknown> {
	const hasBody = isRecord(body) || Array.isArray(body);
	const response = await request(`${baseUrl}${path}`, {
		method: hasBody ? 'POST' : 'GET',
		headers: {
			'x-access-key': KEY,
			accept: 'application/json',
			...(hasBody && { 'content-type': 'application/json' }),
		},
		body: hasBody ? JSON.stringify(body) : undefined,
	});
	return await response.body.json();
}

/** Lets the service take these people as a job, and end it: job 9001, if it is the first. */
export async function acceptJob(service: Service, ...people: object[]): Promise<void> {
	Object.assign(service.variants, { bulkAnswer: 'job', jobPolls: 0 });
	await ask(service, '/api/v2/find_bulk', people);
}

/**
 * Runs the cases of every operation of a node in the real engine, against the service in the main form of the
 * interface or in that of the case: each operation must have some.
 */
export function testOperations(node: OurNode, table: Record<string, Row[]>): void {
	const service = useService();
	// A job is read again after a while.
	useQuickClock();

	test('the table has every operation', () => {
		const own = operations.filter((one) => one.node === node).map(({ operation }) => operation);
		expect(Object.keys(table).toSorted()).toEqual(own.toSorted());
	});

	describe.each(Object.entries(table))('%s', (operation, rows) => {
		test.each(rows)('$title', async (row) => await check(service(), node, operation, row));
	});
}

async function check(service: Service, node: OurNode, operation: string, row: Row): Promise<void> {
	const { items = [{}], onError, output } = row;
	Object.assign(service.variants, row.variants);
	await row.before?.(service);
	const earlier = service.requests.length;
	const spentBefore = service.ledger.total();

	const sample = operationOf(operation, node);
	const { isLookup, columns = [] } = sample;
	// A row of a job says what it has cost, as a lookup does.
	const isJob = readsJob(sample);
	const hasCosts = isLookup || isJob;
	const result = await runNode({
		node,
		parameters: { operation, ...(isLookup && { includeInputFields: false }), ...row.parameters },
		items,
		onError,
		credential: credentialFor(service),
	});
	const spent = service.ledger.total() - spentBefore;

	expect(result.error).toBeUndefined();
	const sent = service.requests.slice(earlier);
	const asSent = sent.map(({ method, path, rawQuery, body }) => ({
		...{ method, path, query: rawQuery.split('&').filter(Boolean).toSorted() },
		...(method !== 'GET' && { body }),
	}));
	expect(inOrder(asSent)).toEqual(inOrder(row.requests));
	for (const { headers } of sent) {
		expect(headers).toMatchObject({ 'x-access-key': KEY, accept: 'application/json' });
	}
	const bare = hasCosts ? withoutCosts(result.items) : { items: result.items, credits: null };
	const linked = output.map((json, index) => ({
		json,
		pairedItem: { item: row.links?.[index] ?? (items.length > 1 ? index : 0) },
	}));
	expect(bare.items).toStrictEqual(linked);
	// A table shows first what a lead is looked up for.
	const first = columns.slice(0, columns.includes('email') ? 3 : 1);
	for (const { json } of result.items) {
		const names = Object.keys(json);
		const start = names.indexOf(first[0] ?? names[0]);
		expect(names.slice(start, start + first.length)).toEqual(first);
		// Whom it is about stands before them.
		const subject = ['fullName', 'firstName', 'lastName', 'keyword'];
		if (isLookup) expect(subject).toEqual(expect.arrayContaining(names.slice(0, start)));
	}
	expect(result.errorItems).toEqual([]);
	expect(spent).toBe(row.credits ?? 0);
	// What the items say of their cost is what the ledger has. A job was paid for before.
	if (!isJob) expect(bare.credits ?? spent).toBe(spent);
}

/** Items are looked up at the same time. */
function inOrder(requests: ExpectedRequest[]): ExpectedRequest[] {
	return requests.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}
