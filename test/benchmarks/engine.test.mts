import { expect, test } from 'vitest';

import manifest from '../../package.json' with { type: 'json' };
import { answerIn, findBulk, leadOf, numbers, subjectsOf } from '../support/bulk.mts';
import { useComponent } from '../support/component.mts';
import { runNode } from '../support/engine.mts';
import { report } from '../support/report.mts';
import { KEY } from '../support/service.mts';
import { findAll } from './support/bareClient.mts';
import { measureInTurn, ratioOf, spreadOf } from './support/figures.mts';
import { printTable } from './support/ratioTable.mts';
import { ServiceProcess } from './support/serviceProcess.mts';
import { versions } from './support/versions.mts';

// What Find Emails in Bulk takes in n8n's engine, beside a client that does nothing but send the same
// requests. What is judged here are the answers and what they cost: the figures are printed.

const LEADS = 10_000;
const AT_ONCE = 5;
const LATENCY_MS = 20;
const REPETITIONS = 5;
const TARGET = 1.35;

const service = useComponent(async () => await ServiceProcess.start(LATENCY_MS));

/** Measures what asks for all leads, if each of them is paid for as it should be. */
async function paidOnce(ask: () => Promise<number>): Promise<number> {
	await service().reset();
	const milliseconds = await ask();
	const { answers, paid, violations } = await service().books();
	expect(answers).toEqual({ 'findBulk 200': LEADS / findBulk.perRequest });
	expect(paid.toSorted()).toEqual(subjectsOf(findBulk, numbers(LEADS)).toSorted());
	expect(violations).toEqual([]);
	return milliseconds;
}

async function byNode(): Promise<number> {
	const { json, run } = await runNode({
		node: findBulk.node,
		parameters: { ...findBulk.parameters, options: { maxConcurrency: AT_ONCE } },
		items: numbers(LEADS).map(leadOf),
		credential: { baseUrl: service().baseUrl, apiKey: KEY },
	});
	expect(json.map(answerIn)).toEqual(numbers(LEADS).map(findBulk.answer));
	const [task] = run.data.resultData.runData.Node ?? [];
	if (!task) throw new Error('The node did not run');
	return task.executionTime;
}

async function byBareClient(bodies: unknown[]): Promise<number> {
	const startedAt = performance.now();
	const rows = await findAll(service().baseUrl, bodies, AT_ONCE);
	const milliseconds = performance.now() - startedAt;
	// A row without an address has an empty one.
	const found = rows.flatMap(({ email }) => (typeof email === 'string' ? email || [] : []));
	expect(rows).toHaveLength(LEADS);
	expect(found.toSorted()).toEqual(subjectsOf(findBulk, numbers(LEADS)).toSorted());
	return milliseconds;
}

test('Find Emails in Bulk, 10,000 leads', { timeout: 10 * 60_000 }, async () => {
	await paidOnce(byNode);
	const bodies = await service().bodies();
	const [ours = [], bare = []] = await measureInTurn(
		[
			async () => await paidOnce(byNode),
			async () => await paidOnce(async () => await byBareClient(bodies)),
		],
		REPETITIONS,
	);
	printTable('10,000 leads, 5 requests at once', [
		{ name: 'Find Emails in Bulk', figure: spreadOf(ours), unit: 'ms' },
		{ name: 'Bare client', figure: spreadOf(bare), unit: 'ms' },
		{ name: 'Find Emails in Bulk / bare client', figure: ratioOf(ours, bare), target: TARGET },
	]);
	report(await versions(`n8n-core ${manifest.devDependencies['n8n-core']}`));
});
