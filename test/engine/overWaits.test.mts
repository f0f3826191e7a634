/** @file Over a Wait nothing is bought twice, and nothing that it may have cost is lost or counted twice. */

import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';

import {
	answerIn,
	findBulk,
	leadOf,
	numbers,
	requestsOf,
	subjectsOf,
	verifyBulk,
} from '../support/bulk.mts';
import {
	chain,
	collects,
	contextOf,
	emits,
	looksUp,
	outputOf,
	outputsOf,
	runOverWaits,
	spentText,
	toldBy,
	waits,
} from '../support/chains.mts';
import { runWorkflow, type TestNode, type TestWorkflow } from '../support/engine.mts';
import { expectPaidOnce, find, lookups, takeOneJob, verify } from '../support/lookups.mts';
import { credentialFor, useService } from '../support/service.mts';

/** A job is not finished when it is asked for the first time. */
const service = useService({ variants: { jobPolls: 1, jobResultShape: 'results' } });

const noWait = { jobTimeout: 0 };
const finder = { ...findBulk, parameters: { ...findBulk.parameters, includeInputFields: true } };

const hits = numbers(400).filter((number) => findBulk.subject(number) !== null);
const misses = numbers(400).filter((number) => findBulk.subject(number) === null);

const costOf = (wanted: number[]) => subjectsOf(findBulk, wanted).length;
const sent = () => service().requests.length;
const statuses = (items: IDataObject[]) => items.map(({ reason, status }) => reason ?? status);

function inRow(...nodes: TestNode[]): TestWorkflow {
	return chain(nodes, credentialFor(service()));
}

/** A lookup right behind the start, and behind a Wait as well. */
function onBothWays(lookup: TestNode, items: IDataObject[]): TestWorkflow {
	return {
		nodes: [
			{ ...emits('Start', items), position: [0, 0] },
			{ ...lookup, position: [200, 0] },
			{ ...waits(), position: [100, 900] },
		],
		connections: [`Start > ${lookup.name}`, 'Start > Wait', `Wait > ${lookup.name}`],
		credential: credentialFor(service()),
	};
}

describe('a node that runs before a Wait that leads back to it', () => {
	test.each(lookups)('buys nothing twice: $operation', async (lookup) => {
		const wanted = numbers(lookup.perRequest > 1 ? 130 : 12);
		const workflow = onBothWays(looksUp('Find', lookup), wanted.map(lookup.item));
		const waiting = await runWorkflow(workflow);
		expect(waiting.status).toBe('waiting');
		expect(outputsOf(waiting, 'Find')).toHaveLength(1);
		const requests = sent();
		const ended = await runWorkflow({ ...workflow, resumes: waiting });
		const outputs = outputsOf(ended, 'Find');
		expect(outputs.map((items) => items.map(answerIn))).toEqual(
			[1, 2].map(() => wanted.map(lookup.answer)),
		);
		expect(outputs[1].map(({ credits }) => credits)).toEqual(wanted.map(() => 0));
		expect(sent()).toBe(requests);
		expectPaidOnce(service(), lookup, wanted);
		expect(toldBy(ended)).toBe(spentText(service().ledger.total()));
	});

	test('collects the jobs that it has left pending', async () => {
		service().variants.bulkAnswer = 'job';
		const wanted = numbers(130);
		const workflow = onBothWays(looksUp('Find', findBulk, noWait), wanted.map(leadOf));
		const [waiting, ended] = await runOverWaits(workflow);
		expect(new Set(statuses(outputOf(waiting, 'Find')))).toEqual(new Set(['job_not_finished']));
		expect(toldBy(waiting)).toBe(spentText(0, 130));
		expect(outputOf(ended, 'Find').map(answerIn)).toEqual(wanted.map(findBulk.answer));
		expect(requestsOf(service(), 'findBulk')).toHaveLength(2);
		expectPaidOnce(service(), find, wanted);
		expect(toldBy(ended)).toBe(spentText(costOf(wanted)));
	});
});

describe('the answers of Search Company', () => {
	const parameters: INodeParameters = { operation: 'search', keyword: '={{ $json.keyword }}' };
	const search = { node: 'contactDataCompany', parameters } as const;

	test(
		'of 40 matches each are kept as far as they fit: the latest',
		{ timeout: 60_000 },
		async () => {
			const many = 250;
			const { companies } = service().fixtures;
			const nameOf = (number: number) => `Big${String(number).padStart(4, '0')}`;
			const matches = numbers(many * 40).map((index) => ({
				...companies[0],
				id: 100_000 + index,
				name: `${nameOf(index % many)} ${index}`,
				domain: `b${index}.example`,
			}));
			const before = companies.splice(0, companies.length, ...matches);
			try {
				const items = numbers(many).map((number) => ({ keyword: nameOf(number) }));
				const asNode = (name: string): TestNode => ({
					name,
					type: search.node,
					parameters: { ...parameters, options: { maxConcurrency: 1 } },
				});
				const workflow = inRow(
					emits('Start', items),
					asNode('Search'),
					waits(),
					emits('Again', items),
					asNode('Once'),
				);
				const waiting = await runWorkflow(workflow);
				expect(sent()).toBe(many);
				expect(Buffer.byteLength(contextOf(waiting))).toBeLessThan(5_100_000);
				const ended = await runWorkflow({ ...workflow, resumes: waiting });
				expect(outputOf(ended, 'Once').map(({ name }) => name)).toEqual(
					outputOf(waiting, 'Search').map(({ name }) => name),
				);
				const again = service()
					.requests.slice(many)
					.map(({ query }) => JSON.stringify(query));
				// All of them do not fit; many of them do.
				expect(again.length).toBeGreaterThan(0);
				expect(again.length).toBeLessThan(0.6 * many);
				again.forEach((query, index) => expect(query).toContain(nameOf(index)));
				expect(service().ledger.total()).toBe(many + again.length);
				expect(toldBy(ended)).toBe(spentText(many + again.length));
			} finally {
				companies.splice(0, companies.length, ...before);
			}
		},
	);
});

describe('the cost of a job that was collected before a Wait', () => {
	const wanted = numbers(20);
	const items = wanted.map(leadOf);
	const addresses = numbers(5, 500);
	const emails = addresses.map(verify.item);
	const total = costOf(wanted);

	test('is not counted again after it', async () => {
		service().variants.bulkAnswer = 'job';
		const [waiting, ended] = await runOverWaits(
			inRow(
				emits('Start', items),
				looksUp('Find', finder, noWait),
				collects('Collect'),
				waits(),
				emits('Emails', emails),
				looksUp('Verify', verifyBulk),
			),
		);
		expect(outputOf(waiting, 'Collect').map(answerIn)).toEqual(wanted.map(findBulk.answer));
		expect(toldBy(waiting)).toBe(spentText(total));
		expect(toldBy(ended)).toBe(spentText(total + emails.length));
		expect(service().ledger.total()).toBe(total + emails.length);
	});

	test('is not counted again after a second one, where a first one went before', async () => {
		service().variants.bulkAnswer = 'job';
		const runs = await runOverWaits(
			inRow(
				emits('Start', items),
				looksUp('Find', finder, noWait),
				waits(),
				collects('Collect'),
				waits('Wait 2'),
				emits('Emails', emails),
				looksUp('Verify', verifyBulk),
			),
		);
		expect(runs.map(toldBy)).toEqual([
			spentText(0, wanted.length),
			spentText(total),
			spentText(total + emails.length),
		]);
	});

	test('is not counted again by those who ask for the same leads', async () => {
		service().variants.bulkAnswer = 'job';
		const runs = await runOverWaits(
			inRow(
				emits('Start', items),
				looksUp('Find', finder, noWait),
				collects('Collect'),
				waits(),
				emits('Again', items),
				looksUp('Once', findBulk, noWait),
				waits('Wait 2'),
				emits('And Again', items),
				looksUp('Twice', findBulk, noWait),
			),
		);
		expect(runs.map(toldBy)).toEqual(runs.map(() => spentText(total)));
		for (const name of ['Once', 'Twice']) {
			expect(outputOf(runs[2], name).map(answerIn)).toEqual(wanted.map(findBulk.answer));
		}
		expect(requestsOf(service(), 'findBulk')).toHaveLength(1);
		expectPaidOnce(service(), find, wanted);
	});

	test('is not counted again by those who ask for the rest of its leads', async () => {
		service().variants.bulkAnswer = 'job';
		const [waiting, ended] = await runOverWaits(
			inRow(
				emits('Start', items),
				looksUp('Find', finder, noWait),
				emits('Half', items.slice(0, 10)),
				looksUp('First Half', findBulk, noWait),
				waits(),
				emits('Rest', items.slice(10)),
				looksUp('Second Half', findBulk, noWait),
			),
		);
		expect([waiting, ended].map(toldBy)).toEqual([spentText(total), spentText(total)]);
		expect(outputOf(ended, 'Second Half').map(answerIn)).toEqual(
			wanted.slice(10).map(findBulk.answer),
		);
		expectPaidOnce(service(), find, wanted);
	});

	test('is counted for each job as it is done', async () => {
		service().variants.bulkAnswer = 'job';
		const many = numbers(150);
		const runs = await runOverWaits(
			inRow(
				emits('Start', many.map(leadOf)),
				looksUp('Find', finder, { ...noWait, maxConcurrency: 1 }),
				waits(),
				emits('Some', many.slice(0, 100).map(leadOf)),
				looksUp('First', findBulk, noWait),
				waits('Wait 2'),
				emits('Others', many.slice(100).map(leadOf)),
				looksUp('Second', findBulk, noWait),
			),
		);
		const ofFirst = costOf(many.slice(0, 100));
		expect(runs.map(toldBy)).toEqual([
			spentText(0, 150),
			spentText(ofFirst, ofFirst + 50),
			spentText(costOf(many)),
		]);
	});
});

describe('costs of before a Wait that nobody knows', () => {
	test('stay in the range after it', async () => {
		service().faults.add({ reset: 'after-charge', on: { operation: 'findBulk' } });
		const wanted = numbers(20);
		const runs = await runOverWaits(
			inRow(
				emits('Start', wanted.map(leadOf)),
				looksUp('Find', findBulk, { maxRetries: 0 }),
				waits(),
				emits('Emails', numbers(5, 500).map(verify.item)),
				looksUp('Verify', verifyBulk),
				waits('Wait 2'),
				emits('Email', numbers(1, 600).map(verify.item)),
				looksUp('Last', verify),
			),
		);
		expect(runs.map(toldBy)).toEqual([spentText(0, 20), spentText(5, 25), spentText(6, 26)]);
		const total = service().ledger.total();
		expect(total).toBe(costOf(wanted) + 6);
	});

	test('stay where a job turns out to have left something out', async () => {
		service().variants.bulkAnswer = 'job';
		service().faults.add({ rows: 'missing', on: { operation: 'getBulkJob', nth: 2 } });
		const wanted = hits.slice(0, 4);
		const items = wanted.map(leadOf);
		const runs = await runOverWaits(
			inRow(
				emits('Start', items),
				looksUp('Find', findBulk, noWait),
				waits(),
				emits('Again', items),
				looksUp('Once', findBulk, noWait),
				waits('Wait 2'),
				emits('Email', numbers(1, 600).map(verify.item)),
				looksUp('Verify', verify),
			),
		);
		expect(runs.map(toldBy)).toEqual([spentText(0, 4), spentText(3, 4), spentText(4, 5)]);
	});
});

describe('Max Credits of a node that collects its own job after a Wait', () => {
	const ofJob = [...hits.slice(0, 4), ...misses.slice(0, 6)];

	/** The node runs three times: for these leads, and with more and more of them. */
	function threeTimes(maxCredits: number, [second, third]: [number[], number[]]): TestWorkflow {
		return {
			...inRow(
				emits('Start', ofJob.map(leadOf)),
				looksUp('Find', findBulk, { ...noWait, maxCredits }),
				waits(),
				emits('Again', second.map(leadOf)),
				waits('Wait 2'),
				emits('And Again', third.map(leadOf)),
			),
			connections: [
				...['Start > Find', 'Start > Wait', 'Wait > Again', 'Again > Find'],
				...['Again > Wait 2', 'Wait 2 > And Again', 'And Again > Find'],
			],
		};
	}

	/** In the order in which the branches are to run. */
	function placed(workflow: TestWorkflow): TestWorkflow {
		const nodes = workflow.nodes.map(
			(node, index): TestNode => ({
				...node,
				position: [index * 100, node.name === 'Find' ? 0 : 900],
			}),
		);
		return { ...workflow, nodes };
	}

	test('has what the job did not cost, once, from its next request on', async () => {
		takeOneJob(service());
		const second = [...ofJob, ...hits.slice(4, 7)];
		const third = [...second, ...hits.slice(7, 12)];
		const runs = await runOverWaits(placed(threeTimes(10, [second, third])));
		expect(runs.map(({ status }) => status)).toEqual(['waiting', 'waiting', 'success']);
		expect(runs.map(toldBy)).toEqual([spentText(0, 10), spentText(4), spentText(10)]);
		const ofSecond = ofJob.map((number) => findBulk.answer(number).status);
		expect(statuses(outputOf(runs[1], 'Find'))).toEqual([
			...ofSecond,
			...['credit_limit', 'credit_limit', 'credit_limit'],
		]);
		expect(statuses(outputOf(runs[2], 'Find'))).toEqual([
			...ofSecond,
			...Array(6).fill('found'),
			...['credit_limit', 'credit_limit'],
		]);
		expect(service().ledger.total()).toBe(10);
	});

	test('has nothing of it as long as the job goes on', async () => {
		takeOneJob(service());
		service().variants.jobPolls = 1_000_000;
		const second = [...ofJob, ...hits.slice(4, 7)];
		const runs = await runOverWaits(placed(threeTimes(10, [second, second])));
		expect(runs.map(toldBy)).toEqual(runs.map(() => spentText(0, 10)));
		expect(statuses(outputOf(runs[2], 'Find')).slice(ofJob.length)).toEqual([
			'credit_limit',
			'credit_limit',
			'credit_limit',
		]);
		expect(requestsOf(service(), 'findBulk')).toHaveLength(1);
	});
});

describe('a retry', () => {
	const wanted = numbers(20);
	const emails = numbers(5, 500).map(verify.item);

	/** Finds, and then verifies in a node that stops the workflow where it cannot. */
	function findAndVerify(): TestWorkflow {
		return inRow(
			emits('Start', wanted.map(leadOf)),
			looksUp('Find', findBulk),
			emits('Emails', emails),
			looksUp('Verify', verifyBulk, { incompleteRun: 'fail', maxRetries: 0 }, 'stopWorkflow'),
		);
	}

	test('that spends nothing does not show what the execution before has spent', async () => {
		service().faults.add({ status: 503, on: { operation: 'verifyBulk', times: 2 } });
		const failed = await runWorkflow(findAndVerify());
		expect([failed.status, toldBy(failed)]).toEqual(['error', spentText(costOf(wanted))]);
		const again = await runWorkflow({ ...findAndVerify(), retryOf: failed });
		expect([again.status, toldBy(again)]).toEqual(['error', spentText(0)]);
		// A retry of the retry shows its own.
		const third = await runWorkflow({ ...findAndVerify(), retryOf: again });
		expect([third.status, toldBy(third)]).toEqual(['success', spentText(emails.length)]);
		expect(service().ledger.total()).toBe(costOf(wanted) + emails.length);
	});

	test('does not show what the execution before may have spent', async () => {
		service().faults.add({ reset: 'after-charge', on: { operation: 'findBulk' } });
		service().faults.add({ status: 503, on: { operation: 'verifyBulk', times: 1 } });
		const workflow = () => {
			const test = findAndVerify();
			test.nodes[1] = looksUp('Find', findBulk, { maxRetries: 0 });
			return test;
		};
		const failed = await runWorkflow(workflow());
		expect([failed.status, toldBy(failed)]).toEqual(['error', spentText(0, 20)]);
		const again = await runWorkflow({ ...workflow(), retryOf: failed });
		expect([again.status, toldBy(again)]).toEqual(['success', spentText(emails.length)]);
	});

	test('that waits, and goes on, shows what it has spent before and after', async () => {
		service().faults.add({ status: 503, on: { operation: 'verifyBulk', times: 1 } });
		const longer = (): TestWorkflow => {
			const { nodes } = findAndVerify();
			const more = emits('More', numbers(3, 600).map(verify.item));
			return inRow(...nodes, waits(), more, looksUp('Last', verify));
		};
		const failed = await runWorkflow(longer());
		const waiting = await runWorkflow({ ...longer(), retryOf: failed });
		expect([waiting.status, toldBy(waiting)]).toEqual(['waiting', spentText(5)]);
		const ended = await runWorkflow({ ...longer(), resumes: waiting });
		expect([ended.status, toldBy(ended)]).toEqual(['success', spentText(8)]);
	});

	test('does not put right what the execution before has spent on a job', async () => {
		takeOneJob(service());
		service().faults.add({ status: 503, on: { operation: 'verifyBulk', times: 1 } });
		const workflow = () => {
			const { nodes } = findAndVerify();
			nodes[1] = looksUp('Find', findBulk, noWait);
			return inRow(...nodes, emits('Again', wanted.map(leadOf)), looksUp('Once', findBulk, noWait));
		};
		const failed = await runWorkflow(workflow());
		expect([failed.status, toldBy(failed)]).toEqual(['error', spentText(0, 20)]);
		const again = await runWorkflow({ ...workflow(), retryOf: failed });
		expect(outputOf(again, 'Once').map(answerIn)).toEqual(wanted.map(findBulk.answer));
		expect(toldBy(again)).toBe(spentText(emails.length));
		expectPaidOnceBesides(emails.length);
	});

	function expectPaidOnceBesides(more: number): void {
		expect(requestsOf(service(), 'findBulk')).toHaveLength(1);
		expect(service().ledger.total()).toBe(costOf(wanted) + more);
	}
});

describe('what n8n has stored, and somebody has damaged,', () => {
	const wanted = numbers(5);
	const items = wanted.map(leadOf);

	test.each<[string, (batch: IDataObject) => unknown]>([
		['another text', (batch) => ({ ...batch, sealed: 'x'.repeat(400) })],
		['nothing sealed', (batch) => ({ ...batch, sealed: '' })],
		['less of it', (batch) => ({ ...batch, sealed: String(batch.sealed).slice(0, -8) })],
		['one other letter', (batch) => ({ ...batch, sealed: changedIn(String(batch.sealed)) })],
		['no batch', () => null],
		['the answers of another account', (batch) => ({ ...batch, connection: 'x'.repeat(22) })],
	])('is no answer where it is %s: the leads are asked again', async (_, damage) => {
		const workflow = inRow(
			emits('Start', items),
			looksUp('Find', findBulk),
			waits(),
			emits('Again', items),
			looksUp('Once', findBulk),
		);
		const waiting = await runWorkflow(workflow);
		const flow = waiting.data.executionData?.contextData.flow ?? {};
		const batches = flow.contactDataAnswers;
		if (!Array.isArray(batches)) throw new Error('n8n stores the answers in batches');
		flow.contactDataAnswers = batches.map(damage);
		const ended = await runWorkflow({ ...workflow, resumes: waiting });
		expect(ended.status).toBe('success');
		expect(outputOf(ended, 'Once').map(answerIn)).toEqual(wanted.map(findBulk.answer));
		expect(requestsOf(service(), 'findBulk')).toHaveLength(2);
	});
});

function changedIn(text: string): string {
	return `${text.slice(0, 40)}${text[40] === 'A' ? 'B' : 'A'}${text.slice(41)}`;
}
