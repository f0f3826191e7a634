import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { expect, test } from 'vitest';

import { useComponent } from '../support/hosts/component.mts';
import { runNode, type NodeTest } from '../support/node/engine.mts';
import { listWithId } from '../operations.mts';
import { fixtures, known } from '../support/leads/expected.mts';
import {
	answerIn,
	find,
	findBulk,
	numbers,
	subjectsOf,
	verifyBulk,
	type Lookup,
} from '../support/leads/lookups.mts';
import { processorTime } from '../support/measures/processorTime.mts';
import { KEY } from '../support/servers/service.mts';
import { replay } from './support/bareClient.mts';
import { measureInTurn, printRows, ratioOf, spreadOf } from './support/figures.mts';
import { startServiceProcess } from './support/serviceProcess.mts';
import type { Circumstances } from './support/serviceProgram.mts';

// What our nodes take in n8n's engine, beside a client that does nothing but send the same requests.
// What is judged here are the answers and what they cost: the figures are printed.

const REPETITIONS = 5;
const LATENCY_MS = 20;
/** The latency of a request lies so far from its mean at most. */
const JITTER = 0.25;

const service = useComponent(async () => await startServiceProcess());

/** What a node of ours is to do. */
interface Work {
	title: string;
	/** How many items it gets or gives out. */
	items: number;
	atOnce: number;
	circumstances: Circumstances;
	test: Pick<NodeTest, 'node' | 'parameters' | 'items'>;
	/** That the items are right. */
	expectRight: (json: IDataObject[]) => void;
	/** What is to be paid for, once each. */
	paid: string[];
}

/** A lookup of so many different leads. */
function lookup(lookup: Lookup, items: number, { atOnce = 5, latencyMs = LATENCY_MS } = {}): Work {
	const wanted = numbers(items);
	return {
		title: `${lookup.operation}, ${items} leads, ${atOnce} at once, ${latencyMs} ms`,
		items,
		atOnce,
		circumstances: { latencyMs, jitter: JITTER },
		test: {
			node: lookup.node,
			parameters: { ...lookup.parameters, options: { maxConcurrency: atOnce } },
			items: wanted.map(lookup.item),
		},
		expectRight: (json) => expect(json.map(answerIn)).toEqual(wanted.map(lookup.answer)),
		paid: subjectsOf(lookup, wanted),
	};
}

/** A read of so many leads, of which no two have the same in this field. */
function read(
	items: number,
	node: NodeTest['node'],
	parameters: INodeParameters,
	more: Partial<Circumstances>,
	field: string,
): Work {
	return {
		title: `${node}, ${items} leads, ${LATENCY_MS} ms`,
		items,
		atOnce: 1,
		circumstances: { latencyMs: LATENCY_MS, jitter: JITTER, ...more },
		test: { node, parameters: { operation: 'getLeads', returnAll: true, ...parameters } },
		expectRight: (json) => expect(new Set(json.map((lead) => lead[field])).size).toBe(items),
		paid: [],
	};
}

/** Get List Leads: each page says where the next one starts. */
function leadsOfList(items: number): Work {
	const parameters = { resource: 'list', listId: listWithId('101') };
	return read(items, 'contactDataList', parameters, { moreLeads: items - 1_000 }, 'id');
}

/** Get Company Leads of a company where so many people work. */
function peopleAt(items: number): Work {
	const crowded = known(fixtures.companies[0]);
	const parameters = { resource: 'company', companyWebsite: crowded.domain };
	const more = { morePeople: items - fixtures.peopleOf(crowded).length };
	return read(items, 'contactDataCompany', parameters, more, 'fullName');
}

const works: Work[] = [
	lookup(findBulk, 10_000),
	lookup(verifyBulk, 10_000),
	lookup(findBulk, 10_000, { latencyMs: 150 }),
	lookup(verifyBulk, 10_000, { latencyMs: 150 }),
	lookup(find, 200),
	lookup(find, 2_000, { atOnce: 50 }),
	leadsOfList(20_000),
	leadsOfList(100_000),
	peopleAt(5_000),
];

/** What one measurement came to, in milliseconds. */
interface Measured {
	wall: number;
	processor: number;
}

/** Measures what does a work, if each answer is paid for as it should be. */
async function measure(work: Work, run: () => Promise<Measured>): Promise<Measured> {
	await service().reset(work.circumstances);
	const measured = await run();
	const { paid, violations } = await service().books();
	expect(violations).toEqual([]);
	expect(paid.toSorted()).toEqual(work.paid.toSorted());
	return measured;
}

async function byNode({ test: node, expectRight }: Work): Promise<Measured> {
	const processor = processorTime();
	const { json, error, run } = await runNode({
		...node,
		credential: { baseUrl: service().baseUrl, apiKey: KEY },
	});
	const spent = processor();
	expect(error).toBeUndefined();
	expectRight(json);
	const [task] = run.data.resultData.runData.Node ?? [];
	if (!task) throw new Error('The node did not run');
	return { wall: task.executionTime, processor: spent };
}

test.each(works)('$title', { timeout: 10 * 60_000 }, async (work) => {
	await measure(work, async () => await byNode(work));
	const { requests } = await service().books();
	const byBareClient = async () => {
		const processor = processorTime();
		const startedAt = performance.now();
		const answers = await replay(service().baseUrl, requests, work.atOnce);
		const wall = performance.now() - startedAt;
		expect(answers).toHaveLength(requests.length);
		return { wall, processor: processor() };
	};
	const [ours = [], bare = []] = await measureInTurn(
		[async () => await byNode(work), byBareClient].map(
			(run) => async () => await measure(work, run),
		),
		REPETITIONS,
	);
	const walls = (measured: Measured[]) => measured.map(({ wall }) => wall);
	const beyond = ours.map(
		({ processor }, index) => (processor - (bare[index]?.processor ?? Number.NaN)) / work.items,
	);
	printRows(work.title, [
		{ name: 'Ours', figure: spreadOf(walls(ours)), unit: 'ms' },
		{ name: 'Bare client', figure: spreadOf(walls(bare)), unit: 'ms' },
		{ name: 'Ours / bare client', figure: ratioOf(walls(ours), walls(bare)) },
		{ name: 'Processor time beyond it, ms per item', figure: spreadOf(beyond) },
	]);
});
