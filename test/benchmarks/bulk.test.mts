import Table from 'cli-table3';
import { describe, expect, test } from 'vitest';

import {
	addressOf,
	answerIn,
	bulks,
	leadOf,
	numbers,
	requestsOf,
	runBulk,
	subjectsOf,
	type Bulk,
} from '../support/bulk.mts';
import { runNode, type NodeResult } from '../support/engine.mts';
import { report } from '../support/report.mts';
import { credentialFor, useService } from '../support/service.mts';
import { crmLeads, type Leads } from './support/crmLeads.mts';

// The figures of a large run: how few requests it takes, and that nothing is paid twice, though every
// seventh request goes wrong. `npm test` prints them.

const service = useService();

/** Lets every seventh request fail, with a 429, a 503 and a 502 in turn. */
function disturb(operation: 'find' | 'verify' | Bulk['operation']): void {
	[429, 503, 502].forEach((status, turn) => {
		let seen = 0;
		const where = () => ++seen % 21 === 7 * turn;
		service().faults.add({ status, retryAfter: 'seconds', seconds: 0, on: { operation, where } });
	});
}

/** A run as the wire log and the ledger saw it. */
interface Figures {
	items: number;
	distinct: number;
	malformed: number;
	answered: number;
	faulted: number;
	credits: number;
	delivered: number;
	milliseconds: number;
}

const singles = { findBulk: 'find', verifyBulk: 'verify' } as const;

async function measure(
	bulk: Bulk,
	leads: Leads,
	operation: 'find' | 'verify' | Bulk['operation'],
): Promise<{ figures: Figures; result: NodeResult }> {
	service().reset();
	service().options.latencyMs = 20;
	disturb(operation);
	const startedAt = performance.now();
	const result =
		operation === bulk.operation
			? await runBulk(bulk, service(), leads.items)
			: await runNode({
					node: bulk.node,
					parameters: { ...bulk.parameters, operation },
					items: leads.items,
					credential: credentialFor(service()),
					onError: 'continueRegularOutput',
				});
	const milliseconds = performance.now() - startedAt;
	const requests = requestsOf(service(), operation);
	const faulted = requests.filter(({ status }) => status === 429 || (status ?? 0) >= 500).length;
	const { charges } = service().ledger;
	const delivered = result.json.flatMap(({ status, email }) =>
		(status === 'found' || status === 'verified') && typeof email === 'string'
			? [email.toLowerCase()]
			: [],
	);
	const bought = new Set(charges.map(({ subject }) => subject));
	return {
		result,
		figures: {
			items: leads.items.length,
			distinct: leads.distinct.length,
			malformed: leads.malformed,
			answered: requests.length - faulted,
			faulted,
			credits: service().ledger.total(),
			delivered: new Set(delivered.filter((email) => bought.has(email))).size,
			milliseconds,
		},
	};
}

/** Status and status of the address of a malformed item: it is answered without a request. */
const answeredHere = [
	['invalid_input', undefined],
	['verified', 'invalid'],
];

/** That each item has the answer to its own question, each paid for once, and nothing else paid. */
function expectRightAndPaidOnce(bulk: Bulk, leads: Leads, { items, json }: NodeResult): void {
	expect(items.map(({ pairedItem }) => pairedItem)).toEqual(
		leads.items.map((_, item) => ({ item })),
	);
	const answers = json.map((item, index) => {
		if (leads.asks[index] === null) {
			expect([item.status, item.emailStatus]).toBeOneOf(answeredHere);
			return null;
		}
		const { email, ...rest } = answerIn(item);
		return { ...rest, email: typeof email === 'string' ? email.toLowerCase() : email };
	});
	expect(answers).toEqual(leads.asks.map((asks) => (asks === null ? null : bulk.answer(asks))));
	const paid = service().ledger.charges.map(({ subject }) => subject);
	expect(paid.toSorted()).toEqual(subjectsOf(bulk, leads.distinct).toSorted());
}

function print(title: string, columns: Record<string, Figures>): void {
	const runs = Object.values(columns);
	const table = new Table({
		head: [title, ...Object.keys(columns)],
		style: { head: [], border: [], compact: true },
	});
	const row = (name: string, value: (run: Figures) => number | string) =>
		table.push([name, ...runs.map((run) => ({ content: value(run), hAlign: 'right' as const }))]);
	const fastest = Math.min(...runs.slice(1).map(({ milliseconds }) => milliseconds));
	row('Items', ({ items }) => items);
	row('Distinct questions', ({ distinct }) => distinct);
	row('Malformed items', ({ malformed }) => malformed);
	row('Requests answered', ({ answered }) => answered);
	row('Requests faulted', ({ faulted }) => faulted);
	row('Credits charged', ({ credits }) => credits);
	row('Addresses delivered', ({ delivered }) => delivered);
	row('Credits per address', ({ credits, delivered }) => (credits / delivered).toFixed(3));
	row('Time (bulk, 1,000 items = 1)', ({ items, milliseconds }) =>
		items > 1_000 ? '' : (milliseconds / fastest).toFixed(1),
	);
	report(table.toString());
}

describe.each(bulks)('$operation', (bulk) => {
	const single = singles[bulk.operation];

	test('10,000 leads, a fault on every seventh request', { timeout: 300_000 }, async () => {
		const leads = crmLeads(bulk, 10_000, bulk.twin);
		expect(leads).toMatchObject({ malformed: 500, distinct: { length: 7_500 } });
		const large = await measure(bulk, leads, bulk.operation);
		expectRightAndPaidOnce(bulk, leads, large.result);
		const fewest = 7_500 / bulk.perRequest;
		expect(large.figures).toMatchObject({
			items: 10_000,
			answered: fewest,
			faulted: Math.floor((fewest - 1) / 6),
			credits: subjectsOf(bulk, leads.distinct).length,
			delivered: subjectsOf(bulk, leads.distinct).length,
		});

		const sample = crmLeads(bulk, 1_000, bulk.twin);
		const inBulk = await measure(bulk, sample, bulk.operation);
		expectRightAndPaidOnce(bulk, sample, inBulk.result);
		const oneByOne = await measure(bulk, sample, single);
		expectRightAndPaidOnce(bulk, sample, oneByOne.result);
		expect(inBulk.figures.answered).toBe(Math.ceil(750 / bulk.perRequest));
		expect(oneByOne.figures.answered).toBe(750);
		expect(inBulk.figures.credits).toBe(oneByOne.figures.credits);
		expect(inBulk.figures.milliseconds).toBeLessThan(oneByOne.figures.milliseconds);

		print(bulk.operation, {
			'10,000 in bulk': large.figures,
			'1,000 in bulk': inBulk.figures,
			'1,000 one by one': oneByOne.figures,
		});
	});
});

test('the leads are who they seem to be', () => {
	expect(new Set(numbers(10_000).map((number) => leadOf(number).first)).size).toBe(10_000);
	expect(new Set(numbers(10_000).map(addressOf)).size).toBe(10_000);
});
