import type { IDataObject, INode } from 'n8n-workflow';
import { expect, test } from 'vitest';

import { openHost } from '../hosts/open.mts';
import { n8n2 } from '../hosts/versions.mts';
import { chain } from '../hosts/workflow.mts';
import {
	answerIn,
	findBulk,
	numbers,
	subjectsOf,
	verifyBulk,
	type Bulk,
} from '../support/leads/lookups.mts';
import { useComponent } from '../support/realN8n/component.mts';
import { listWithId } from '../operations.mts';
import { createCredential } from '../support/realN8n/host.mts';
import { byWebhook, node, ours } from '../support/realN8n/savedNodes.mts';
import { printTable } from './support/figures.mts';
import { openLeadSource } from './support/leadSource.mts';
import { forgetPeak, processFigures } from './support/processFigures.mts';
import { startServiceProcess } from './support/serviceProcess.mts';

// What a run takes as it grows. Each runs in an n8n of its own, so that the most memory that n8n ever held is
// that of this run; executions are not saved, as people with many leads have it. What is judged are the last
// item and what was paid.

const SIZES = [1_000, 10_000, 100_000];
const MANY = 500_000;
const LATENCY_MS = 20;
const JITTER = 0.25;
const MEASURED = 'Measured';
const EXECUTION_TIMEOUT_MS = 10 * 60_000;

const service = useComponent(async () => await startServiceProcess());
const source = useComponent(async () => await openLeadSource());

interface Work {
	/** The nodes that do it, for so many leads. */
	nodes: (host: Parameters<typeof ours>[0], size: number) => INode[];
	/** That this is the last of so many items. */
	expectLast: (json: IDataObject, size: number) => void;
	/** What is to be paid for, once each. */
	paid: (size: number) => string[];
	requests: (size: number) => number;
}

interface Measured {
	last: IDataObject;
	/** Below the columns of the table; memory is the most held at once, beyond what n8n held before. */
	figures: string[];
}

/** n8n fetches the leads, one item each. */
const leadsOf = (size: number) =>
	node('Leads', 'n8n-nodes-base.httpRequest', 4.5, { url: source().urlOf(size), options: {} });

function inBulk(bulk: Bulk): Work {
	return {
		nodes: (host, size) => [
			leadsOf(size),
			ours(host, MEASURED, bulk.node, { resource: 'email', ...bulk.parameters }),
		],
		expectLast: (json, size) => expect(answerIn(json)).toEqual(bulk.answer(size - 1)),
		paid: (size) => subjectsOf(bulk, numbers(size)),
		requests: (size) => size / bulk.perRequest,
	};
}

const listLeads: Work = {
	nodes: (host) => [
		ours(host, MEASURED, 'contactDataList', {
			resource: 'list',
			operation: 'getLeads',
			listId: listWithId('101'),
			returnAll: true,
		}),
	],
	expectLast: ({ id }) => expect(id).toBeTypeOf('number'),
	paid: () => [],
	requests: (size) => size / 100,
};

/** n8n's Edit Fields, which gives each lead the fields that an item of ours has. */
function editFields(example: IDataObject): Work {
	const { lookupStatus, ...fields } = example;
	return {
		nodes: (_host, size) => [
			leadsOf(size),
			node(MEASURED, 'n8n-nodes-base.set', 3.5, {
				mode: 'raw',
				jsonOutput: `={{ ({ ...$json, ...${JSON.stringify({ lookupStatus: lookupStatus ?? null, ...fields })}, email: $json.email }) }}`,
				options: {},
			}),
		],
		expectLast: (json) =>
			expect(Object.keys(json)).toEqual(expect.arrayContaining(Object.keys(fields))),
		paid: () => [],
		requests: () => 0,
	};
}

/** Runs it in a new n8n. */
async function measure(work: Work, size: number): Promise<Measured> {
	await service().reset({ latencyMs: LATENCY_MS, jitter: JITTER, moreLeads: size - 1_000 });
	await using opened = await openHost({ name: 'n8n-scale', version: n8n2 });
	const { client, host, packageName } = opened;
	const credential = await createCredential(client, service());
	const nodes = work.nodes({ packageName, credential }, size);
	const workflow = await client.createWorkflow({
		name: 'Scale',
		nodes: [
			byWebhook('scale', 'lastNode'),
			...nodes,
			node('Last', 'n8n-nodes-base.limit', 1, { maxItems: 1, keep: 'lastItems' }),
		],
		connections: chain('Start', ...nodes.map(({ name }) => name), 'Last'),
		settings: { executionOrder: 'v1', saveDataSuccessExecution: 'none' },
	});
	await client.activateWorkflow(workflow);
	await forgetPeak(host.pid);
	const before = await processFigures(host.pid);
	const startedAt = performance.now();
	const answer = await client.callWebhook('scale', {}, EXECUTION_TIMEOUT_MS);
	const last: IDataObject = Object(JSON.parse(answer));
	const milliseconds = performance.now() - startedAt;
	const after = await processFigures(host.pid);
	const { requests, paid, violations } = await service().books();
	expect(violations).toEqual([]);
	expect(paid.toSorted()).toEqual(work.paid(size).toSorted());
	expect(requests).toBeLessThanOrEqual(work.requests(size) + 1);
	work.expectLast(last, size);
	return {
		last,
		figures: [
			size.toLocaleString('en'),
			(milliseconds / 1_000).toFixed(1),
			((after.processor - before.processor) / size).toFixed(2),
			(after.peak - before.held).toFixed(0),
			`${requests}`,
			`${paid.length}`,
		],
	};
}

test.each([
	{ name: 'Find Emails in Bulk', work: inBulk(findBulk), sizes: SIZES },
	{ name: 'Verify Emails in Bulk', work: inBulk(verifyBulk), sizes: SIZES },
	{ name: 'Get List Leads', work: listLeads, sizes: [...SIZES, MANY] },
])(`n8n ${n8n2.version}: $name`, { timeout: 60 * 60_000 }, async ({ name, work, sizes }) => {
	const columns = [
		'items',
		'seconds',
		'processor, ms per item',
		'memory, MB',
		'requests',
		'credits',
	];
	const rows: string[][] = [];
	for (const size of sizes) {
		const own = await measure(work, size);
		rows.push([name, ...own.figures]);
		// Edit Fields would need many minutes.
		if (size === MANY) continue;
		const rival = await measure(editFields(own.last), size);
		rows.push(['Edit Fields with these fields', ...rival.figures]);
	}
	printTable([`${LATENCY_MS} ms`, ...columns], rows);
});
