import type { INodeParameters } from 'n8n-workflow';
import { expect, test } from 'vitest';

import { n8n2 } from '../hosts/versions.mts';
import { useComponent } from '../support/realN8n/component.mts';
import { crmLeads } from '../support/leads/crmLeads.mts';
import { known } from '../support/leads/expected.mts';
import { find, findBulk, subjectsOf, type Lookup } from '../support/leads/lookups.mts';
import { node } from '../support/realN8n/savedNodes.mts';
import { drawBars, type Bar } from './support/chart.mts';
import { httpRequest, lookup, ourAnswers, person, serviceAnswers } from './support/contenders.mts';
import { measureInTurn, printTable, spreadOf } from './support/figures.mts';
import { openHostBench, type Contender, type Outcome } from './support/hostBench.mts';

// What people would pick instead, in a real n8n, with a service that allows so many requests per second:
// a list as it comes out of a CRM, with duplicates and malformed leads. Whoever does not know of the limit
// meets it.

const LEADS = 1_000;
const PER_SECOND = 50;
const LATENCY = { latencyMs: 20, jitter: 0.25 };
const REPETITIONS = 2;

/** What people who know the limit set, with some room to it. */
const BATCH = 40;

const leads = crmLeads(findBulk, LEADS);
const owed = subjectsOf(findBulk, leads.distinct);

const bench = useComponent(async () => await openHostBench());

test.each([
	{ title: `${PER_SECOND} requests per second allowed`, limit: { perSecond: PER_SECOND } },
	{ title: 'every 50th request fails with a 503', limit: { failingEvery: 50 } },
])(`n8n ${n8n2.version}: $title`, { timeout: 30 * 60_000 }, async ({ title, limit }) => {
	const task = {
		leads: bench().leads.urlOf(LEADS, 'crm'),
		circumstances: { ...LATENCY, ...limit },
	};
	const contenders = [...ours(), ...theirs()];
	const rounds = await measureInTurn(
		contenders.map((contender, index) => async () => {
			const outcome = await bench().run(contender, task);
			if (index < ours().length) {
				expect(outcome).toMatchObject({ right: LEADS, violations: [] });
				expect(outcome.paid.toSorted()).toEqual(owed.toSorted());
			}
			return outcome;
		}),
		REPETITIONS,
	);
	const head = ['leads per second', 'right, %', 'credits', 'requests', 'refused, %'];
	printTable(
		[`${LEADS} leads, ${title}, median of ${REPETITIONS} (least to most)`, ...head],
		contenders.map(({ name }, index) => [name, ...figuresOf(rounds[index] ?? [])]),
	);
	if (process.env.UPDATE_FIGURES && 'perSecond' in limit) await draw(contenders, rounds);
});

/** What a contender came to, for the table. */
function figuresOf(outcomes: Outcome[]): string[] {
	const spread = (value: (outcome: Outcome) => number, digits = 0) => {
		const { median, least, most } = spreadOf(outcomes.map(value));
		const text = (figure: number) => figure.toFixed(digits);
		return least === most ? text(median) : `${text(median)} (${text(least)} to ${text(most)})`;
	};
	return [
		outcomes.every(isRight) ? spread(paceOf) : '–',
		spread(({ right }) => (100 * right) / LEADS, 1),
		spread(({ paid }) => paid.length),
		spread(({ requests }) => requests),
		spread(({ refused, requests }) => (100 * refused) / requests, 1),
	];
}

function ours(): Contender[] {
	const own = (name: string, operation: Lookup): Contender => ({
		name,
		nodes: [lookup(bench(), operation, person)],
		countRight: ourAnswers(operation, leads.asks),
	});
	return [own('Find Emails in Bulk', findBulk), own('Find Email', find)];
}

/** What people have to choose from besides. */
function theirs(): Contender[] {
	const request = (options: INodeParameters = {}) => httpRequest(bench(), options);
	const batching = { batching: { batch: { batchSize: BATCH, batchInterval: 1_000 } } };
	const loop = node('Loop', 'n8n-nodes-base.splitInBatches', 3, { batchSize: BATCH, options: {} });
	const wait = { ...node('Wait', 'n8n-nodes-base.wait', 1.1, { amount: 1 }), webhookId: 'wait' };
	const countRight = serviceAnswers(leads.asks);
	return [
		{ name: 'HTTP Request', nodes: [request()], countRight },
		{ name: 'HTTP Request with batching', nodes: [request(batching)], countRight },
		{
			name: 'Loop Over Items, HTTP Request, Wait',
			nodes: [loop, request(), wait],
			countRight,
			loops: true,
		},
	];
}

/** A wrong result gets no figure for its pace. */
function isRight({ right }: Outcome): boolean {
	return right === LEADS;
}

/** Leads per second. */
function paceOf({ milliseconds }: Outcome): number {
	return (1_000 * LEADS) / milliseconds;
}

/** Draws how fast each is beside the slowest that gets it right: machines differ, their ratio hardly. */
async function draw(contenders: Contender[], rounds: Outcome[][]): Promise<void> {
	// The run that took neither the longest nor the shortest time.
	const seen = rounds.map((outcomes) =>
		known(outcomes.toSorted((a, b) => paceOf(b) - paceOf(a))[Math.floor(outcomes.length / 2)]),
	);
	const slowest = Math.min(...seen.filter(isRight).map(paceOf));
	const bars = contenders.map(({ name }, index): Bar => {
		const outcome = known(seen[index]);
		const isOurs = index < ours().length;
		if (!isRight(outcome)) {
			const share = ((100 * outcome.right) / LEADS).toFixed(1);
			const note = `only ${share} % of the leads have a result`;
			return { name, value: undefined, note, isOurs };
		}
		const times = paceOf(outcome) / slowest;
		const note = `${times.toFixed(times < 10 ? 1 : 0)} ×, ${outcome.paid.length} credits`;
		return { name, value: paceOf(outcome), note, isOurs };
	});
	const title = `${LEADS.toLocaleString('en')} leads of a CRM, ${PER_SECOND} requests per second allowed: how fast, and at what cost`;
	await drawBars('rate-limit', title, bars);
}
