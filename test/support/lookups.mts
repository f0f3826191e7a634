import type { IDataObject, INodeParameters, IRun } from 'n8n-workflow';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';

import type { Service } from '../service/service.mts';
import { bulks, findBulk, requestsOf, subjectsOf, verifyBulk, type Bulk } from './bulk.mts';
import { runNode, runWorkflow, type NodeResult, type NodeTest, type TestNode } from './engine.mts';
import { credentialFor } from './service.mts';

/** A lookup for one item or for many, seen from the outside; the leads are told apart by numbers. */
export interface Lookup extends Omit<Bulk, 'operation'> {
	operation: 'find' | 'verify' | Bulk['operation'];
}

export const find: Lookup = {
	...findBulk,
	operation: 'find',
	perRequest: 1,
	parameters: { ...findBulk.parameters, operation: 'find' },
	asked: () => 1,
};

export const verify: Lookup = {
	...verifyBulk,
	operation: 'verify',
	perRequest: 1,
	parameters: { ...verifyBulk.parameters, operation: 'verify' },
	asked: () => 1,
};

/** For a refusal: a pause that the service does not ask for long. */
export const atOnce = { retryAfter: 'seconds', seconds: 0 } as const;

/** The lookups that know every lead of {@link Lookup.item}. */
export const lookups: readonly Lookup[] = [find, verify, ...bulks];

/** How a test runs a lookup; `options` are those of the node. */
export interface LookupTest extends Partial<Omit<NodeTest, 'node' | 'items'>> {
	options?: INodeParameters;
}

/** Runs a lookup over these items. */
export async function runLookup(
	lookup: Pick<Lookup, 'node' | 'parameters'>,
	service: Service,
	items: IDataObject[],
	{ options = {}, parameters, ...test }: LookupTest = {},
): Promise<NodeResult> {
	return await runNode({
		node: lookup.node,
		credential: credentialFor(service),
		...test,
		parameters: { ...lookup.parameters, options, ...parameters },
		items,
	});
}

/** What came of one of the runs of a node. */
export interface Round {
	json: IDataObject[];
	/** What it tells above its output. */
	summary: string;
}

/** Runs a lookup several times in one execution, as a loop does, each time over other items. */
export async function runInLoop(
	lookup: Pick<Lookup, 'node' | 'parameters'>,
	service: Service,
	[first, ...others]: IDataObject[][],
	{ options = {}, onError }: Pick<LookupTest, 'options' | 'onError'> = {},
): Promise<{ run: IRun; rounds: Round[] }> {
	const start = (items: IDataObject[]) =>
		({ type: 'start', parameters: { items: JSON.stringify(items) } }) as const;
	const run = await runWorkflow({
		nodes: [
			{ name: 'Start', ...start(first), position: [0, 0] },
			{
				name: 'Node',
				type: lookup.node,
				parameters: { ...lookup.parameters, options },
				onError,
				position: [200, 0],
			},
			...others.map(
				(items, index): TestNode => ({
					name: `Again ${index}`,
					...start(items),
					position: [200, 900 + index * 100],
				}),
			),
		],
		connections: [
			'Start > Node',
			...others.flatMap((_, index) => [`Start > Again ${index}`, `Again ${index} > Node`]),
		],
		credential: credentialFor(service),
	});
	const rounds = (run.data.resultData.runData.Node ?? []).map(({ data, hints }) => ({
		json: (data?.main[0] ?? []).map(({ json }) => json),
		summary: hints?.[0]?.message ?? '',
	}));
	return { run, rounds };
}

/** The ledger holds each of these leads once, as far as they cost anything, and nothing else. */
export function expectPaidOnce(service: Service, lookup: Lookup, wanted: number[]): void {
	const paid = service.ledger.charges.map(({ subject }) => subject);
	const owed =
		lookup.credits === 'email' ? subjectsOf(findBulk, wanted) : subjectsOf(verifyBulk, wanted);
	expect(paid.toSorted()).toEqual(owed.toSorted());
}

/** Longer than a request of the tests takes: what is still to come has come then. */
const AFTERMATH = 300;

/** Waits a while after the end of an execution and gives what was sent nevertheless. */
export async function sentAfterwards({ requests }: Service): Promise<string[]> {
	const { length } = requests;
	await delay(AFTERMATH);
	return requests.slice(length).map(({ path, rawQuery }) => `${path}?${rawQuery}`);
}

/** Does something when a request arrives, counted from 1. */
export function whenSent(service: Service, nth: number, action: () => unknown): void {
	service.onRequest(() => {
		if (service.requests.length === nth) action();
	});
}

/** The first bulk search becomes a job, those after it are answered at once. */
export function takeOneJob(service: Service): void {
	service.onRequest(() => {
		const isFirst = requestsOf(service, 'findBulk').length <= 1;
		service.variants.bulkAnswer = isFirst ? 'job' : 'rows';
	});
}
