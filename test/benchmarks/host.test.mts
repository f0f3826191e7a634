import type { IDataObject } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';

import { n8n2 } from '../hosts/versions.mts';
import { useComponent } from '../support/realN8n/component.mts';
import { listWithId } from '../operations.mts';
import {
	find,
	findBulk,
	leadOf,
	numbers,
	subjectsOf,
	verifyBulk,
} from '../support/leads/lookups.mts';
import { ours } from '../support/realN8n/savedNodes.mts';
import {
	address,
	computedPerson,
	editFields,
	httpRequest,
	lookup,
	MEASURED,
	ourAnswers,
	pagedLeads,
	person,
	personInSheet,
	serviceAnswers,
} from './support/contenders.mts';
import { measureInTurn, printRows, ratioOf, spreadOf } from './support/figures.mts';
import { openHostBench, type Contender, type Task } from './support/hostBench.mts';

// What our nodes take in a real n8n, beside its own nodes with the same expressions over the same
// leads. Machines differ and are busy, so what is judged here are the answers and what they cost: the
// figures are printed.

const LATENCY_MS = 20;
const LIST = 101;

interface Comparison extends Pick<Task, 'leads'> {
	title: string;
	items: number;
	/** Ours comes first. */
	contenders: [Contender, ...Contender[]];
	moreLeads?: number;
	repetitions?: number;
}

describe(`n8n ${n8n2.version}`, { timeout: 30 * 60_000 }, () => {
	const bench = useComponent(async () => await openHostBench());

	/** Runs all in turn, several times, and prints how long ours takes for each unit of the others. */
	async function compare(comparison: Comparison): Promise<void> {
		const { title, items, contenders, moreLeads = 0, repetitions = 3, ...source } = comparison;
		const circumstances = { latencyMs: LATENCY_MS, moreLeads };
		const task: Task = { ...source, circumstances };
		const outcomes = await measureInTurn(
			contenders.map((contender) => async () => {
				const outcome = await bench().run(contender, task);
				expect(outcome, contender.name).toMatchObject({ right: items, violations: [] });
				expect(outcome.paid.toSorted()).toEqual((contender.paid ?? []).toSorted());
				return outcome;
			}),
			repetitions,
		);
		const times = outcomes.map((of) => of.map(({ milliseconds }) => milliseconds));
		const [ours = []] = times;
		const rows = contenders.flatMap(({ name }, index) => {
			const own = times[index] ?? [];
			const time = { name, figure: spreadOf(own), unit: 'ms' as const };
			return index === 0 ? [time] : [time, { name: `Ours / ${name}`, figure: ratioOf(ours, own) }];
		});
		printRows(title, rows);
	}

	test('Find Email, 1,000 leads', async () => {
		const items = 1_000;
		const paid = subjectsOf(find, numbers(items));
		const countRight = serviceAnswers(numbers(items));
		const parameters = { ...person, options: { maxConcurrency: 50 } };
		const nodes = [lookup(bench(), find, parameters)];
		const inCredential = [httpRequest(bench())];
		const inHeader = [httpRequest(bench(), {}, false)];
		await compare({
			title: '1,000 leads, 50 requests at once',
			items,
			leads: bench().leads.urlOf(items),
			contenders: [
				{ name: 'Find Email', nodes, countRight: ourAnswers(find, numbers(items)), paid },
				{ name: 'Key in a credential', nodes: inCredential, countRight, paid },
				{ name: 'Key in a plain header', nodes: inHeader, countRight, paid },
			],
		});
	});

	test.each([
		{ bulk: findBulk, expressions: person },
		{ bulk: verifyBulk, expressions: address },
		{ bulk: findBulk, expressions: computedPerson },
	])('$bulk.operation, 5,000 leads', async ({ bulk, expressions }) => {
		const items = 5_000;
		const field = Object.keys(expressions)[0] ?? '';
		// Edit Fields leaves the letters as they are.
		const startsRight = (json: IDataObject, item: number) =>
			`${String(json[field])}.`.toLowerCase().startsWith(`${leadOf(item).first}.`.toLowerCase());
		await compare({
			title: `5,000 leads, ${Object.values(expressions)[0]}`,
			items,
			leads: bench().leads.urlOf(items),
			contenders: [
				{
					name: bulk.operation,
					nodes: [lookup(bench(), bulk, expressions)],
					countRight: ourAnswers(bulk, numbers(items)),
					paid: subjectsOf(bulk, numbers(items)),
				},
				{
					name: 'Edit Fields',
					nodes: [editFields(expressions)],
					countRight: (fields) => fields.filter(startsRight).length,
				},
			],
		});
	});

	test('Find Emails in Bulk, 20,000 leads of a sheet', async () => {
		const items = 20_000;
		const of = { countRight: ourAnswers(findBulk, numbers(items)) };
		const paid = subjectsOf(findBulk, numbers(items));
		const chosen = lookup(bench(), findBulk, personInSheet);
		const { leadFields: _, ...recognized } = chosen.parameters;
		await compare({
			title: '20,000 leads of a sheet',
			// What is to be seen is smaller than what one repetition differs from the next.
			repetitions: 11,
			items,
			leads: bench().leads.urlOf(items, 'sheet'),
			contenders: [
				{ name: 'Recognized', nodes: [{ ...chosen, parameters: recognized }], paid, ...of },
				{ name: 'Chosen, plain references', nodes: [chosen], paid, ...of },
			],
		});
	});

	test('Get List Leads, 10,000 leads', async () => {
		const { packageName } = bench().host;
		const parameters = { operation: 'getLeads', listId: listWithId(`${LIST}`), returnAll: true };
		const node = ours({ packageName, ...bench() }, MEASURED, 'contactDataList', parameters);
		const countRight: Contender['countRight'] = (leads) => new Set(leads.map(({ id }) => id)).size;
		await compare({
			title: '10,000 leads of a list',
			items: 10_000,
			moreLeads: 9_000,
			contenders: [
				{ name: 'Get List Leads', nodes: [node], countRight },
				{ name: 'HTTP Request, Split Out', nodes: pagedLeads(bench(), LIST), countRight },
			],
		});
	});
});
