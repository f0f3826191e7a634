import type { IDataObject } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';

import { n8n2 } from '../hosts/versions.mts';
import { findBulk, verifyBulk } from '../support/bulk.mts';
import { useComponent } from '../support/component.mts';
import { listWithId } from '../support/everyOperation.mts';
import { report } from '../support/report.mts';
import { ours } from '../support/savedNodes.mts';
import {
	address,
	computedPerson,
	editFields,
	findEmail,
	httpRequest,
	inBulk,
	MEASURED,
	pagedLeads,
	person,
	type Contender,
	type Own,
} from './support/contenders.mts';
import { measureInTurn, ratioOf, spreadOf } from './support/figures.mts';
import { HostBench, type NodeRun } from './support/hostBench.mts';
import { printTable, type Row } from './support/ratioTable.mts';
import { versions } from './support/versions.mts';

// What our nodes take in a real n8n, beside its own nodes with the same expressions over the same
// leads. Machines differ and are busy, so what is judged here are the answers and what they cost: the
// figures are printed.

const REPETITIONS = 3;
const LATENCY_MS = 20;
const LIST = 101;

/** A node of n8n, and what part of its time ours may take. */
interface Rival {
	contender: Contender;
	target: number;
}

interface Comparison {
	title: string;
	ours: Contender;
	rivals: Rival[];
	/** The longest that others may wait for n8n while our node works; not looked at unless given. */
	longestWait?: number;
}

describe(`n8n ${n8n2.version}`, { timeout: 30 * 60_000 }, () => {
	const bench = useComponent(async () => await HostBench.open({ latencyMs: LATENCY_MS }));

	const own = (): Own => {
		const { host, credential } = bench();
		return { packageName: host.packageName, credential };
	};

	/** Runs all in turn, several times, and prints how long ours takes for each unit of the others. */
	async function compare({ title, ours, rivals, longestWait }: Comparison): Promise<void> {
		const contenders = [ours, ...rivals.map(({ contender }) => contender)];
		const measures: Array<() => Promise<NodeRun>> = [];
		for (const contender of contenders) {
			measures.push(await bench().prepare(contender, longestWait !== undefined));
		}
		const runs = await measureInTurn(measures, REPETITIONS);
		expect(runs.map(({ length }) => length)).toEqual(contenders.map(() => REPETITIONS));

		const rows = contenders.flatMap(({ name }, index): Row[] => {
			const time = spreadOf(timesOf(runs[index]));
			if (longestWait === undefined) return [{ name, figure: time, unit: 'ms' }];
			const wait: Row = {
				name: `${name}: longest wait of others`,
				figure: spreadOf(runs[index].map((run) => run.longestWait)),
				unit: 'ms',
				...(index === 0 && { target: longestWait }),
			};
			return [{ name, figure: time, unit: 'ms' }, wait];
		});
		const ratios = rivals.map(({ contender, target }, index) => ({
			name: `${ours.name} / ${contender.name}`,
			figure: ratioOf(timesOf(runs[0]), timesOf(runs[index + 1])),
			target,
		}));
		printTable(title, [...rows, ...ratios]);
	}

	test('Find Email, 1,000 leads', async () => {
		const { service, headerCredential } = bench();
		const leads = 1_000;
		await compare({
			title: '1,000 leads, 50 requests at once',
			ours: findEmail(own(), leads, 50),
			rivals: [
				{ contender: httpRequest(service.baseUrl, leads, headerCredential), target: 0.5 },
				{ contender: httpRequest(service.baseUrl, leads), target: 1 },
			],
		});
	});

	test('Find Emails in Bulk, 5,000 leads', async () => {
		const leads = 5_000;
		await compare({
			title: '5,000 leads, plain expressions',
			ours: inBulk(own(), 'Find Emails in Bulk', findBulk, leads, person),
			rivals: [{ contender: editFields(leads, person), target: 0.35 }],
		});
	});

	test('Verify Emails in Bulk, 5,000 leads', async () => {
		const leads = 5_000;
		await compare({
			title: '5,000 leads, plain expressions',
			ours: inBulk(own(), 'Verify Emails in Bulk', verifyBulk, leads, address),
			rivals: [{ contender: editFields(leads, address), target: 0.35 }],
		});
	});

	test('Find Emails in Bulk, 5,000 leads, with expressions that compute', async () => {
		const leads = 5_000;
		await compare({
			title: '5,000 leads, expressions that compute',
			ours: inBulk(own(), 'Find Emails in Bulk', findBulk, leads, computedPerson),
			rivals: [{ contender: editFields(leads, computedPerson), target: 1.15 }],
			longestWait: 250,
		});
	});

	test('Get List Leads, 10,000 leads', async () => {
		const leads = 10_000;
		const { host, credential, headerCredential, service } = bench();
		const circumstances = { latencyMs: LATENCY_MS, moreLeads: leads - 1_000 };
		const parameters = { operation: 'getLeads', listId: listWithId(`${LIST}`), returnAll: true };
		const contenders = [
			{
				name: 'Get List Leads',
				nodes: [ours({ ...host, credential }, MEASURED, 'contactDataList', parameters)],
			},
			{
				name: 'HTTP Request with pagination, Split Out',
				nodes: pagedLeads(service.baseUrl, LIST, headerCredential),
			},
		];
		const runs = await measureInTurn(
			contenders.map((contender) => async () => {
				const seen = new Set<unknown>();
				const isRight = ({ id }: IDataObject) => seen.size < seen.add(id).size;
				const came = await bench().attempt({ ...contender, circumstances, isRight });
				expect(came).toMatchObject({ right: leads, credits: 0 });
				return came;
			}),
			REPETITIONS,
		);
		const [own = [], theirs = []] = runs.map(timesOf);
		printTable('10,000 leads of a list', [
			...contenders.map(({ name }, index): Row => {
				return { name, figure: spreadOf(timesOf(runs[index])), unit: 'ms' };
			}),
			{ name: 'Get List Leads / HTTP Request, Split Out', figure: ratioOf(own, theirs) },
		]);
	});

	test('what was measured', async () => {
		report(await versions(`n8n ${n8n2.version}`));
	});
});

function timesOf(runs: Array<Pick<NodeRun, 'milliseconds'>>): number[] {
	return runs.map(({ milliseconds }) => milliseconds);
}
