import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';

import type { Service } from '../service/service.mts';
import { bulks, findBulk, subjectsOf, verifyBulk, type Bulk } from './bulk.mts';
import { runNode, type NodeResult, type NodeTest } from './engine.mts';
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

/** For a fault: does something when a request arrives, counted from 1, and hits none. */
export function whenSent({ faults, requests }: Service, nth: number, action: () => unknown): void {
	const where = () => {
		if (requests.length === nth) action();
		return false;
	};
	faults.add({ delayMs: 0, on: { where } });
}
