import type { IDataObject } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';

import manifest from '../../package.json' with { type: 'json' };
import { answerIn, findBulk, numbers, subjectsOf, verifyBulk } from '../support/bulk.mts';
import { useComponent } from '../support/component.mts';
import { runNode, type NodeTest } from '../support/engine.mts';
import { listWithId } from '../support/everyOperation.mts';
import { fixtures, known } from '../support/expected.mts';
import { find, type Lookup } from '../support/lookups.mts';
import { processorTime } from '../support/processorTime.mts';
import { report } from '../support/report.mts';
import { KEY } from '../support/service.mts';
import { replay } from './support/bareClient.mts';
import { measureInTurn, ratioOf, spreadOf } from './support/figures.mts';
import { printTable, type Row } from './support/ratioTable.mts';
import { replayInN8n } from './support/requestHelper.mts';
import type { Circumstances } from './support/serviceMessages.mts';
import { ServiceProcess } from './support/serviceProcess.mts';
import { versions } from './support/versions.mts';

// What our nodes take in n8n's engine, beside a client that does nothing but send the same requests.
// What is judged here are the answers and what they cost: the figures are printed.

const REPETITIONS = 5;
/** The latency of a request lies so far from its mean at most. */
const JITTER = 0.25;

const service = useComponent(async () => await ServiceProcess.start());

/** What a node of ours is to do. */
interface Work {
	title: string;
	/** How many items it gets or gives out. */
	items: number;
	atOnce: number;
	latencyMs: number;
	more?: Pick<Circumstances, 'moreLeads' | 'morePeople'>;
	test: Pick<NodeTest, 'node' | 'parameters' | 'items'>;
	/** How many requests it takes at least. */
	requests: number;
	/** That the items are right. */
	expectRight: (json: IDataObject[]) => void;
	/** What is to be paid for, once each. */
	paid: string[];
	/** At most so much longer than the bare client. */
	target: number;
	/** At most so much more of the processor's time per item, in milliseconds. */
	processorTarget?: number;
	/** Whether n8n's own request helper is measured too: with a request per item it takes the most of the time. */
	hasHelper?: boolean;
}

/** A lookup of so many different leads. */
function lookup(lookup: Lookup, items: number, options: Pick<Work, 'atOnce' | 'latencyMs'>) {
	const wanted = numbers(items);
	const { atOnce, latencyMs } = options;
	return {
		title: `${lookup.operation}, ${items.toLocaleString('en')} leads, ${atOnce} at once, ${latencyMs} ms`,
		items,
		...options,
		test: {
			node: lookup.node,
			parameters: { ...lookup.parameters, options: { maxConcurrency: atOnce } },
			items: wanted.map(lookup.item),
		},
		requests: Math.ceil(items / lookup.perRequest),
		expectRight: (json: IDataObject[]) =>
			expect(json.map(answerIn)).toEqual(wanted.map(lookup.answer)),
		paid: subjectsOf(lookup.credits === 'email' ? findBulk : verifyBulk, wanted),
	};
}

/** Get List Leads over a list of so many leads: each page says where the next one starts. */
function leadsOfList(items: number, latencyMs: number) {
	return {
		title: `Get List Leads, ${items.toLocaleString('en')} leads, ${latencyMs} ms`,
		items,
		atOnce: 1,
		latencyMs,
		more: { moreLeads: items - 1_000 },
		test: {
			node: 'contactDataList' as const,
			parameters: {
				resource: 'list',
				operation: 'getLeads',
				listId: listWithId('101'),
				returnAll: true,
			},
		},
		requests: items / 100,
		expectRight: (json: IDataObject[]) => {
			const ids = json.map(({ id }) => Number(id));
			expect(new Set(ids).size).toBe(items);
			expect(ids).toEqual(ids.toSorted((a, b) => b - a));
		},
		paid: [],
	};
}

const crowded = known(fixtures.companies[0]);

/** Get Company Leads of a company where so many people work. */
function peopleAt(items: number, latencyMs: number) {
	return {
		title: `Get Company Leads, ${items.toLocaleString('en')} people, ${latencyMs} ms`,
		items,
		atOnce: 1,
		latencyMs,
		more: { morePeople: items - fixtures.peopleOf(crowded).length },
		test: {
			node: 'contactDataCompany' as const,
			parameters: {
				resource: 'company',
				operation: 'getLeads',
				companyWebsite: crowded.domain,
				returnAll: true,
			},
		},
		requests: Math.ceil(items / 150),
		expectRight: (json: IDataObject[]) =>
			expect(new Set(json.map(({ fullName }) => fullName)).size).toBe(items),
		paid: [],
	};
}

const works: Work[] = [
	...[
		{ latencyMs: 20, target: 1.25 },
		{ latencyMs: 150, target: 1.1 },
	].flatMap(({ latencyMs, target }) =>
		[findBulk, verifyBulk].map((bulk) => ({
			...lookup(bulk, 10_000, { atOnce: 5, latencyMs }),
			target,
			processorTarget: 0.06,
		})),
	),
	...[5, 50].map((atOnce) => ({
		...lookup(find, 40 * atOnce, { atOnce, latencyMs: 20 }),
		target: 1.1,
		hasHelper: true,
	})),
	{ ...leadsOfList(20_000, 20), target: 1.1 },
	{ ...leadsOfList(100_000, 20), target: 1.1 },
	{ ...peopleAt(5_000, 20), target: 1.1 },
];

/** What one measurement came to, in milliseconds. */
interface Measured {
	wall: number;
	processor: number;
}

/** Measures what does a work, if each answer is paid for as it should be and no request is too many. */
async function measure(work: Work, run: () => Promise<Measured>): Promise<Measured> {
	const { latencyMs, more } = work;
	const circumstances: Circumstances = { latencyMs, jitter: JITTER, ...more };
	await service().reset(circumstances);
	const measured = await run();
	const { answers, paid, violations } = await service().books();
	const requests = Object.values(answers).reduce((sum, count) => sum + count, 0);
	expect(violations).toEqual([]);
	expect(requests).toBeLessThanOrEqual(work.requests + (work.paid.length === 0 ? 1 : 0));
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

describe(`n8n-core ${manifest.devDependencies['n8n-core']}`, () => {
	test.each(works)('$title', { timeout: 10 * 60_000 }, async (work) => {
		await measure(work, async () => await byNode(work));
		const requests = await service().requests();
		const byBareClient = async () => {
			const processor = processorTime();
			const startedAt = performance.now();
			const answers = await replay(service().baseUrl, requests, work.atOnce);
			const wall = performance.now() - startedAt;
			expect(answers).toHaveLength(requests.length);
			return { wall, processor: processor() };
		};
		const byHelper = async () => {
			const processor = processorTime();
			const wall = await replayInN8n(service().baseUrl, requests, work.atOnce);
			return { wall, processor: processor() };
		};
		const contenders = [async () => await byNode(work), byBareClient];
		if (work.hasHelper) contenders.push(byHelper);
		const [ours = [], bare = [], helper = []] = await measureInTurn(
			contenders.map((run) => async () => await measure(work, run)),
			REPETITIONS,
		);
		const walls = (measured: Measured[]) => measured.map(({ wall }) => wall);
		const beyond = ours.map(
			({ processor }, index) => (processor - (bare[index]?.processor ?? Number.NaN)) / work.items,
		);
		const { target, processorTarget } = work;
		const rows: Row[] = [
			{ name: 'Ours', figure: spreadOf(walls(ours)), unit: 'ms' },
			{ name: 'Bare client', figure: spreadOf(walls(bare)), unit: 'ms' },
			{ name: 'Ours / bare client', figure: ratioOf(walls(ours), walls(bare)), target },
			{
				name: 'Processor time beyond it, ms per item',
				figure: spreadOf(beyond),
				...(processorTarget !== undefined && { target: processorTarget }),
			},
		];
		if (work.hasHelper) {
			rows.push(
				{ name: "n8n's request helper alone", figure: spreadOf(walls(helper)), unit: 'ms' },
				{ name: 'Ours / the helper alone', figure: ratioOf(walls(ours), walls(helper)) },
			);
		}
		printTable(work.title, rows);
	});

	test('what was measured', async () => {
		report(await versions(`n8n-core ${manifest.devDependencies['n8n-core']}`));
	});
});
