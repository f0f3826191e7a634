/** @file A service whose answers begin and never end: the Timeout of Request Options ends them. */

import { afterEach, describe, expect, test, vi } from 'vitest';

import { runNode, type NodeTest } from '../support/engine.mts';
import { everyOperation, type Sample } from '../support/everyOperation.mts';
import { fixtures } from '../support/expected.mts';
import { trickle, useServer } from '../support/ownServer.mts';

const serve = useServer();

afterEach(() => void vi.restoreAllMocks());

const BULKS = ['findBulk', 'verifyBulk'];

const LOOKUPS = [...BULKS, 'find', 'verify', 'search'];

/** How long a node waits for an answer, and how long its run may take then, in milliseconds. */
const timeout = 150;
const bound = 6_000;

/** A run that has not ended long after that never does. */
const patience = 15_000;

const getBulkJob: Sample = {
	node: 'contactDataFinder',
	operation: 'getBulkJob',
	parameters: { operation: 'getBulkJob', jobId: '5' },
};

describe.each([...everyOperation({ fixtures }), getBulkJob])('$node $operation', (sample) => {
	const { node, operation, parameters } = sample;
	const once = LOOKUPS.includes(operation) && { options: { maxRetries: 0 } };

	async function run(test: Partial<NodeTest> = {}) {
		// Reads are tried again, here without a wait between the tries.
		vi.spyOn(Math, 'random').mockReturnValue(0);
		const begun = performance.now();
		const { json } = await runNode({
			node,
			parameters: { ...parameters, ...once, requestOptions: { timeout } },
			credential: { baseUrl: await serve(trickle), apiKey: 'test-key' },
			onError: 'continueRegularOutput',
			...test,
		});
		expect(performance.now() - begun).toBeLessThan(bound);
		return json;
	}

	test('ends at the timeout', { timeout: patience }, async () => {
		const reason = BULKS.includes(operation) ? 'unknown_outcome' : 'connection';
		expect(await run()).toMatchObject([{ status: 'failed', reason }]);
	});

	test('ends at the timeout after a stop', { timeout: patience }, async () => {
		const stop = new AbortController();
		setTimeout(() => stop.abort(), timeout / 3);
		await run({ stop: stop.signal });
		expect(stop.signal.aborted).toBe(true);
	});
});
