import Table from 'cli-table3';
import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';
import { expect, test } from 'vitest';

import { n8n2 } from '../hosts/versions.mts';
import { answerIn, findBulk, subjectsOf } from '../support/bulk.mts';
import { useComponent } from '../support/component.mts';
import { known } from '../support/expected.mts';
import { report } from '../support/report.mts';
import { node, ours } from '../support/savedNodes.mts';
import { drawBars, type Bar } from './support/chart.mts';
import { httpRequest, MEASURED, person } from './support/contenders.mts';
import { crmLeads } from '../support/crmLeads.mts';
import { measureInTurn, percent, spreadOf, usedRate } from './support/figures.mts';
import { HostBench, type Attempt, type Attempted } from './support/hostBench.mts';
import { versions } from './support/versions.mts';

// What people would pick instead, in a real n8n, with a service that allows so many requests per second:
// a list as it comes out of a CRM, with duplicates and malformed leads. Whoever does not know of the limit
// meets it.

const LEADS = 1_000;
const PER_SECOND = 50;
const LATENCY = { latencyMs: 20, jitter: 0.25 };
const REPETITIONS = 2;
const WARM_UP_MS = 10_000;

const services = [
	{ title: `${PER_SECOND} requests per second allowed`, circumstances: { perSecond: PER_SECOND } },
	{ title: 'every 50th request fails with a 503', circumstances: { failing: 0.02 } },
];

/** What people who know the limit set, with some room to it. */
const BATCH = 40;

type Contender = Omit<Attempt, 'leads' | 'circumstances'> & { isOurs?: boolean };

const leads = crmLeads(findBulk, LEADS);
const owed = subjectsOf(findBulk, leads.distinct).length;

const bench = useComponent(async () => await HostBench.open(LATENCY));

/** Whether an item of ours has the answer to its question; a malformed one has none. */
function isOurAnswer(json: IDataObject, item: number): boolean {
	const number = leads.asks[item];
	if (number === null || number === undefined) return json.status === 'invalid_input';
	const { email } = findBulk.answer(number);
	const found = answerIn(json).email;
	return json.status === (email ? 'found' : 'not_found') && lower(found) === lower(email);
}

/** Whether the answer of the service is the one to the item's question. */
function isTheirAnswer({ email, error }: IDataObject, item: number): boolean {
	const number = leads.asks[item];
	if (number === null || number === undefined) return email === undefined;
	const subject = findBulk.subject(number);
	return subject === null ? error === 'not_found' : lower(email) === lower(subject);
}

const lower = (email: unknown) => (typeof email === 'string' ? email.toLowerCase() : '');

test.each(services)(`n8n ${n8n2.version}: $title`, { timeout: 30 * 60_000 }, async (service) => {
	const { title, circumstances } = service;
	const attempts = contenders();
	const rounds = await measureInTurn(
		attempts.map((attempt) => async () => {
			const came = await bench().attempt({
				...attempt,
				leads: LEADS,
				circumstances: { ...LATENCY, ...circumstances },
			});
			if (attempt.isOurs) expect(came).toMatchObject({ right: LEADS, credits: owed });
			return came;
		}),
		REPETITIONS,
	);
	const table = new Table({
		head: ['', 'leads per second', 'right', 'credits', 'requests', 'refused', 'of the limit'],
		colAligns: ['left', 'right', 'right', 'right', 'right', 'right', 'right'],
		style: { head: [], border: [], compact: true },
	});
	for (const [index, { name }] of attempts.entries()) {
		const runs = known(rounds[index]);
		const spread = (value: (came: Attempted) => number, digits = 0) => {
			const { median, least, most } = spreadOf(runs.map(value));
			const text = (figure: number) => figure.toFixed(digits);
			return least === most ? text(median) : `${text(median)} (${text(least)} to ${text(most)})`;
		};
		const isAllRight = runs.every(({ right }) => right === LEADS);
		table.push([
			name,
			isAllRight ? spread((came) => known(paceOf(came))) : '–',
			`${spread(({ right }) => (100 * right) / LEADS, 1)} %`,
			`${spread(({ credits }) => credits)} of ${owed}`,
			spread(({ requests }) => requests),
			`${spread(({ refused, requests }) => (100 * refused) / requests, 1)} %`,
			'perSecond' in circumstances && runs.every((came) => usedLater(came) > 0)
				? spread((came) => 100 * usedLater(came))
				: '–',
		]);
	}
	report(
		`${LEADS} leads, ${title}, ${LATENCY.latencyMs} ms ± ${percent(LATENCY.jitter)}, median of ${REPETITIONS} (least to most)\n${table.toString()}`,
	);
	report(await versions(`n8n ${n8n2.version}`));
	if (process.env.UPDATE_FIGURES && 'perSecond' in circumstances) {
		await draw(
			attempts,
			rounds.map((runs) => known(middleOf(runs))),
		);
	}
});

/** What people have to choose from. */
function contenders(): Contender[] {
	const { host, credential, headerCredential, service } = bench();

	const own = (operation: string) =>
		ours({ ...host, credential }, MEASURED, findBulk.node, {
			resource: 'email',
			operation,
			...person,
			includeInputFields: false,
		});

	const request = (options: INodeParameters = {}): INode => {
		const contender = httpRequest(service.baseUrl, LEADS, headerCredential).node;
		const parameters = { ...contender.parameters };
		parameters.options = { ...Object(parameters.options), ...options };
		return { id: MEASURED, name: MEASURED, position: [0, 0], ...contender, parameters };
	};

	return [
		{ name: 'Find Emails in Bulk', nodes: [own('findBulk')], isRight: isOurAnswer, isOurs: true },
		{ name: 'Find Email', nodes: [own('find')], isRight: isOurAnswer, isOurs: true },
		{ name: 'HTTP Request', nodes: [request()], isRight: isTheirAnswer },
		{
			name: 'HTTP Request with batching',
			nodes: [request({ batching: { batch: { batchSize: BATCH, batchInterval: 1_000 } } })],
			isRight: isTheirAnswer,
		},
		{
			name: 'Loop Over Items, HTTP Request, Wait',
			nodes: [
				node('Loop', 'n8n-nodes-base.splitInBatches', 3, { batchSize: BATCH, options: {} }),
				request(),
				{
					...node('Wait', 'n8n-nodes-base.wait', 1.1, { amount: 1 }),
					webhookId: 'wait',
				},
			],
			loops: true,
			isRight: isTheirAnswer,
		},
	];
}

/** The run that took neither the longest nor the shortest time. */
function middleOf(runs: Attempted[]): Attempted | undefined {
	return runs.toSorted((a, b) => a.milliseconds - b.milliseconds)[Math.floor(runs.length / 2)];
}

/** Leads per second; a wrong result gets no figure. */
function paceOf({ right, milliseconds }: Attempted): number | undefined {
	return right === LEADS ? (1_000 * LEADS) / milliseconds : undefined;
}

/** Draws how fast each is beside the slowest that gets it right: machines differ, their ratio hardly. */
async function draw(attempts: Contender[], seen: Attempted[]): Promise<void> {
	const slowest = Math.min(...seen.map((came) => paceOf(came) ?? Number.POSITIVE_INFINITY));
	const bars = attempts.map(({ name, isOurs = false }, index): Bar => {
		const came = seen[index];
		const pace = came && paceOf(came);
		const note =
			pace === undefined
				? `only ${percent((came?.right ?? 0) / LEADS)} of the leads have a result`
				: `${(pace / slowest).toFixed(pace < 10 * slowest ? 1 : 0)} ×, ${came?.credits} credits`;
		return { name, value: pace, note, isOurs };
	});
	const title = `${LEADS.toLocaleString('en')} leads of a CRM, ${PER_SECOND} requests per second allowed: how fast, and at what cost`;
	await drawBars('rate-limit', title, bars);
}

/** How much of the limit was used from the tenth second on; 0 where it did not go on for so long. */
function usedLater({ admitted }: Attempted): number {
	const later = admitted.filter((at) => at >= WARM_UP_MS);
	return usedRate(later, PER_SECOND) ?? 0;
}
