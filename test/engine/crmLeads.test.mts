import { describe, expect, it, test } from 'vitest';

import {
	addressOf,
	answerIn,
	bulks,
	leadOf,
	numbers,
	requestsOf,
	subjectsOf,
	type Bulk,
} from '../support/bulk.mts';
import { runNode, type NodeResult } from '../support/engine.mts';
import { atOnce, expectPaidOnce } from '../support/lookups.mts';
import { useQuickClock } from '../support/quickClock.mts';
import { report } from '../support/report.mts';
import { credentialFor, useService } from '../support/service.mts';
import { crmLeads, type Leads } from '../support/crmLeads.mts';

// 1,000 leads as they come out of a CRM, in bulk and one by one: how few requests they take, and that nothing is
// paid twice, though every seventh request goes wrong. The figures are those of the wire and the ledger.

const LEADS = 1_000;

const service = useService();
// Each 429 slows the requests down. A response takes its own time: by this clock that may be minutes.
useQuickClock();
const requestOptions = { timeout: 3_600_000 };

type Operation = 'find' | 'verify' | Bulk['operation'];

/** Lets every seventh request fail, with a 429, a 503 and a 502 in turn. */
function disturb(operation: Operation): void {
	[429, 503, 502].forEach((status, turn) => {
		let seen = 0;
		const where = () => ++seen % 21 === 7 * turn;
		service().faults.add({ status, ...atOnce, on: { operation, where } });
	});
}

const singles = { findBulk: 'find', verifyBulk: 'verify' } as const;

/** A run as the wire log and the ledger saw it. */
interface Figures {
	answered: number;
	faulted: number;
	credits: number;
	delivered: number;
}

function figuresOf(operation: Operation, { json }: NodeResult): Figures {
	const requests = requestsOf(service(), operation);
	const faulted = requests.filter(({ status }) => status === 429 || (status ?? 0) >= 500).length;
	const bought = new Set(service().ledger.charges.map(({ subject }) => subject));
	const delivered = json.flatMap(({ status, email }) =>
		(status === 'found' || status === 'verified') && typeof email === 'string'
			? [email.toLowerCase()]
			: [],
	);
	return {
		answered: requests.length - faulted,
		faulted,
		credits: service().ledger.total(),
		delivered: new Set(delivered.filter((email) => bought.has(email))).size,
	};
}

/** `status` and `emailStatus` of a malformed item: it is answered without a request. */
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
	expectPaidOnce(service(), bulk, leads.distinct);
}

describe.each(bulks)('$operation', (bulk) => {
	const leads = crmLeads(bulk, LEADS, bulk.twin);
	const single = singles[bulk.operation];
	const paid = subjectsOf(bulk, leads.distinct).length;

	test('are duplicates by a fifth, and malformed by a twentieth', () => {
		expect(leads).toMatchObject({ malformed: 50, distinct: { length: 750 } });
	});

	it.each([
		{ operation: bulk.operation, perRequest: bulk.perRequest },
		{ operation: single, perRequest: 1 },
	])(`${LEADS} leads by $operation, a fault on every seventh request`, async (sent) => {
		const { operation, perRequest } = sent;
		disturb(operation);
		const { node, parameters } = bulk;
		const result = await runNode({
			node,
			parameters: { ...parameters, operation, requestOptions },
			items: leads.items,
			credential: credentialFor(service()),
			onError: 'continueRegularOutput',
		});
		expectRightAndPaidOnce(bulk, leads, result);
		const answered = Math.ceil(leads.distinct.length / perRequest);
		const figures = figuresOf(operation, result);
		expect(figures).toEqual({
			answered,
			faulted: Math.floor((answered - 1) / 6),
			credits: paid,
			delivered: paid,
		});
		const { faulted, credits, delivered } = figures;
		report(
			`${operation}: ${answered} requests answered, ${faulted} faulted, ${credits} credits, ${delivered} emails delivered`,
		);
	});
});

test('the leads are who they seem to be', () => {
	expect(new Set(numbers(10_000).map((number) => leadOf(number).first)).size).toBe(10_000);
	expect(new Set(numbers(10_000).map(addressOf)).size).toBe(10_000);
});
