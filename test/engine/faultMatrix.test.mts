/**
 * @file Every fault of the service, for every operation and every setting of On Error: what comes out, how
 * many requests are sent and what they cost. `npm run faults` writes the table into `docs/faults.md`.
 */

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { afterEach, describe, expect, test, vi } from 'vitest';

import { root } from '../machine/paths.mjs';
import type { Effect } from '../service/faults.mts';
import type { WireRequest } from '../service/wireLog.mts';
import { findBulk, numbers, verifyBulk } from '../support/bulk.mts';
import { runNode, type NodeResult, type OurNode } from '../support/engine.mts';
import { listWithId } from '../support/everyOperation.mts';
import { fixtures } from '../support/expected.mts';
import { find, runLookup, verify } from '../support/lookups.mts';
import { useQuickClock } from '../support/quickClock.mts';
import { credentialFor, KEY, useService } from '../support/service.mts';

const service = useService();
const clock = useQuickClock();

afterEach(() => void vi.restoreAllMocks());

/** Something that goes wrong, in the words of the table. */
interface Trouble {
	what: string;
	effect: Effect;
	/** Only with the first request. */
	once?: boolean;
	/** Only where answers have several rows, or pages. */
	of?: 'bulk' | 'pages';
}

const statuses = [400, 401, 402, 403, 404, 409, 413, 414, 422, 429, 500, 502, 503, 504];
const bodies = ['truncated', 'cut-off', 'html', 'text', 'json-scalar', 'empty'] as const;

/** What the emulator can do, each with every request and, where a retry may help, with the first one alone. */
const troubles: Trouble[] = [
	...statuses.map((status) => ({ what: `${status}`, effect: { status } })),
	...[429, 500, 503].map((status) => ({
		what: `${status}, once`,
		effect: { status },
		once: true,
	})),
	{
		what: '429 with Retry-After: 2, once',
		effect: { status: 429, retryAfter: 'seconds', seconds: 2 },
		once: true,
	},
	{
		what: '503 with a Retry-After that says nothing, once',
		effect: { status: 503, retryAfter: 'nonsense' },
		once: true,
	},
	...(['before-charge', 'after-charge'] as const).flatMap((reset) => {
		const what = `connection lost ${reset === 'before-charge' ? 'before' : 'after'} the charge`;
		return [
			{ what, effect: { reset } },
			{ what: `${what}, once`, effect: { reset }, once: true },
		];
	}),
	...bodies.flatMap((body) => [
		{ what: `${body} body, not charged`, effect: { body } },
		{ what: `${body} body, charged`, effect: { body, charge: true } },
	]),
	{ what: 'an error that repeats the key', effect: { body: 'echo', status: 500 } },
	{ what: 'redirect', effect: { redirect: 'https://elsewhere.example.com/' } },
	{ what: 'slow answer', effect: { delayMs: 30 } },
	{ what: 'a row is missing', effect: { rows: 'missing' }, of: 'bulk' },
	{ what: 'a row comes twice', effect: { rows: 'doubled' }, of: 'bulk' },
	{ what: 'a row nobody asked for', effect: { rows: 'unknown' }, of: 'bulk' },
	{ what: 'rows in another order', effect: { rows: 'shuffled' }, of: 'bulk' },
	{ what: 'a page leads to itself', effect: { repeatCursor: true }, of: 'pages' },
	{ what: 'pages overlap', effect: { duplicatesAcrossPages: true }, of: 'pages' },
];

/** An operation, and what it works on. */
interface Subject {
	label: string;
	node: OurNode;
	operation: NonNullable<WireRequest['operation']>;
	parameters: INodeParameters;
	items: IDataObject[];
	isLookup: boolean;
	/** Brings about what it works on, without the fault. */
	before?: () => Promise<IDataObject[]>;
	/** How many items come out where nothing goes wrong. */
	length: number;
}

/** Two people who are found. */
const pair = numbers(100)
	.filter((number) => find.subject(number) !== null)
	.slice(0, 2);

const [company, other] = fixtures.companies;
const listId = listWithId('102');
const leads = fixtures.list(102)?.leads ?? [];

const subjects: Subject[] = [
	lookup('Find Email', find, 'find'),
	lookup('Find Emails in Bulk', findBulk, 'findBulk'),
	lookup('Verify Email', verify, 'verify'),
	lookup('Verify Emails in Bulk', verifyBulk, 'verifyBulk'),
	{
		label: 'Search Company',
		node: 'contactDataCompany',
		operation: 'searchCompany',
		parameters: { operation: 'search', keyword: '={{ $json.domain }}' },
		items: [company, other].map(({ domain }) => ({ domain })),
		isLookup: true,
		length: 2,
	},
	{
		label: 'Get Bulk Job',
		node: 'contactDataFinder',
		operation: 'getBulkJob',
		parameters: {
			operation: 'getBulkJob',
			jobId: '={{ $json.jobId }}',
			jobRow: '={{ $json.jobRow }}',
		},
		items: [],
		isLookup: false,
		before: pendingPair,
		length: 2,
	},
	read('Get Account', 'contactDataAccount', 'getAccount', { operation: 'get' }),
	read('Estimate Cost', 'contactDataFinder', 'getAccount', { operation: 'estimate' }),
	read('Get Many Lists', 'contactDataList', 'getLists', { operation: 'getAll' }, 2),
	read('Get List', 'contactDataList', 'getList', { operation: 'get', listId }),
	read(
		'Get List Leads',
		'contactDataList',
		'getListLeads',
		{ operation: 'getLeads', listId, returnAll: true },
		leads.length,
	),
	read(
		'Export List Leads',
		'contactDataList',
		'exportLeads',
		{ operation: 'exportLeads', listId },
		leads.length,
	),
	read(
		'Get Company Leads',
		'contactDataCompany',
		'getCompanyLeads',
		{ operation: 'getLeads', companyWebsite: company.domain, returnAll: true },
		fixtures.peopleOf(company).length,
	),
];

function lookup(
	label: string,
	{ node, parameters, item }: Pick<typeof find, 'node' | 'parameters' | 'item'>,
	operation: Subject['operation'],
): Subject {
	return { label, node, operation, parameters, items: pair.map(item), isLookup: true, length: 2 };
}

/** Two people whose bulk job was left pending. */
async function pendingPair(): Promise<IDataObject[]> {
	Object.assign(service().variants, { bulkAnswer: 'job', jobPolls: 1, jobResultShape: 'results' });
	const options = { jobTimeout: 0 };
	return (await runLookup(findBulk, service(), pair.map(find.item), { options })).json;
}

function read(
	label: string,
	node: OurNode,
	operation: Subject['operation'],
	parameters: INodeParameters,
	length = 1,
): Subject {
	return { label, node, operation, parameters, items: [{}], isLookup: false, length };
}

function isBulk({ operation }: Subject): boolean {
	return operation === 'findBulk' || operation === 'verifyBulk';
}

/** What a fault comes to, for one operation. */
interface Cell {
	/** With Continue: the status and reason of the items, and how many have a result. */
	result: string;
	/** With the error output: how many items go there. */
	errorOutput: string;
	/** With Stop Workflow: whether it stops. */
	stop: string;
	requests: number;
	credits: number;
	/** What to do now, by the reason. */
	remedies: Map<string, string>;
}

/** What was there before the run whose figures count. */
let sentBefore = 0;
let paidBefore = 0;

async function run(
	{ node, operation, parameters, items, isLookup, before }: Subject,
	{ effect, once }: Trouble,
	onError: 'stopWorkflow' | 'continueRegularOutput' | 'continueErrorOutput',
): Promise<NodeResult> {
	// What was learned of the account is forgotten.
	clock.forward(11 * 60_000);
	service().reset();
	const own = (await before?.()) ?? items;
	sentBefore = service().requests.length;
	paidBefore = service().ledger.total();
	service().faults.add({ ...effect, on: { operation, ...(once && { nth: 1 }) } });
	vi.spyOn(Math, 'random').mockReturnValue(0);
	return await runNode({
		node,
		parameters: {
			...parameters,
			...(isLookup && { options: { maxConcurrency: 1, maxRetries: 2 } }),
		},
		items: own,
		credential: credentialFor(service()),
		onError,
	});
}

async function cellOf(subject: Subject, trouble: Trouble): Promise<Cell> {
	const stopped = await run(subject, trouble, 'stopWorkflow');
	const onStop = figures();
	const sent = await run(subject, trouble, 'continueErrorOutput');
	const onErrorOutput = figures();
	const continued = await run(subject, trouble, 'continueRegularOutput');
	const own = figures();
	// Only what comes after the end of a run that stops differs.
	expect(onErrorOutput).toEqual(own);
	if (subject.isLookup) expect(onStop).toEqual(own);

	expectNothingLost(subject, trouble, continued);
	for (const { run: stored } of [stopped, sent, continued]) {
		expect(JSON.stringify(stored)).not.toContain(KEY);
	}
	const total = sent.items.length + sent.errorItems.length;
	expect(total).toBe(continued.items.length);
	if (!stopped.error) expect(stopped.items).toHaveLength(continued.items.length);
	return {
		result: wordsOf(continued.json),
		errorOutput: sent.errorItems.length > 0 ? 'yes' : 'no',
		stop: stopped.error ? 'stops' : 'goes on',
		...own,
		remedies: remediesIn(continued.json),
	};
}

function figures(): Pick<Cell, 'requests' | 'credits'> {
	const { requests, ledger } = service();
	return { requests: requests.length - sentBefore, credits: ledger.total() - paidBefore };
}

/** Whatever happens: an item for each item, and what was paid and answered properly is there. */
function expectNothingLost(
	{ isLookup, items, length }: Subject,
	{ effect }: Trouble,
	result: NodeResult,
) {
	if (isLookup) {
		expect(result.items.map(({ pairedItem }) => pairedItem)).toEqual(
			items.map((_, item) => ({ item })),
		);
	} else {
		expect(result.items.length).toBeLessThanOrEqual(length + 1);
	}
	const isUnknown = 'reset' in effect || 'body' in effect || 'rows' in effect;
	const paid = service().ledger.bySubject();
	// Where nobody knows whether it was charged, one lookup may be sent once more.
	for (const credits of paid.values()) expect(credits).toBeLessThanOrEqual(isUnknown ? 2 : 1);
	if (!isLookup || isUnknown) return;
	const delivered = result.json.map(({ email, domain }) => email ?? domain);
	for (const subject of paid.keys()) expect(delivered).toContain(subject);
}

function wordsOf(json: IDataObject[]): string {
	const counts = new Map<string, number>();
	for (const { status, reason } of json) {
		const words = typeof reason === 'string' ? `${String(status)}: ${reason}` : status;
		const isResult = typeof words !== 'string' || ['found', 'verified'].includes(words);
		const key = isResult ? 'the result' : words;
		counts.set(key, (counts.get(key) ?? 0) + 1);
	}
	if (counts.size === 0) return 'nothing';
	if (counts.size === 1) return [...counts.keys()][0];
	const isMany = (counts.get('the result') ?? 0) > 2;
	return [...counts]
		.map(([words, count]) => (isMany ? words : `${count} × ${words}`))
		.join(', then ');
}

function remediesIn(json: IDataObject[]): Map<string, string> {
	const failed = json.filter(({ reason }) => typeof reason === 'string');
	return new Map(failed.map(({ reason, message }) => [String(reason), String(message)]));
}

const rows: Array<{ what: string; label: string; cell: Cell }> = [];
const remedies = new Map<string, string>();

describe.each(subjects)('$label', (subject) => {
	const hasPages = ['getListLeads', 'getCompanyLeads'].includes(subject.operation);
	const own = troubles.filter(({ of }) => !of || (of === 'bulk' ? isBulk(subject) : hasPages));

	test.each(own)('$what', { timeout: 30_000 }, async (trouble) => {
		const cell = await cellOf(subject, trouble);
		rows.push({ what: trouble.what, label: subject.label, cell });
		for (const [reason, remedy] of cell.remedies) {
			if (!remedies.has(reason)) remedies.set(reason, remedy);
		}
	});
});

/** Operations, in few words where they are all of a kind. */
function namesOf(labels: string[]): string {
	const groups = [
		['all', subjects],
		['lookups', subjects.filter(({ isLookup }) => isLookup)],
		['single lookups', subjects.filter((one) => one.isLookup && !isBulk(one))],
		['bulk lookups', subjects.filter(isBulk)],
		['reads', subjects.filter(({ isLookup }) => !isLookup)],
	] as const;
	const names: string[] = [];
	let left = labels;
	for (const [name, group] of groups) {
		if (!group.every(({ label }) => left.includes(label))) continue;
		names.push(name);
		left = left.filter((label) => !group.some((one) => one.label === label));
	}
	return [...names, ...left].join(', ');
}

/** What a fault comes to, in lines that the operations share for which it comes to the same. */
function linesOf(what: string): string[] {
	const groups = new Map<string, string[]>();
	for (const { label, cell } of rows.filter((row) => row.what === what)) {
		const { result, errorOutput, stop, requests, credits } = cell;
		const key = [result, errorOutput, stop, requests, credits].join(' | ');
		groups.set(key, [...(groups.get(key) ?? []), label]);
	}
	return [...groups].map(([key, labels]) => `${namesOf(labels)} | ${key} |`);
}

/** The table, in which faults share their lines that come to the same, and what the reasons mean. */
function tables(): string {
	const byLines = new Map<string, string[]>();
	for (const { what } of troubles) {
		const lines = linesOf(what).join('\n');
		byLines.set(lines, [...(byLines.get(lines) ?? []), what]);
	}
	const lines = [...byLines].flatMap(([shared, whats]) =>
		shared.split('\n').map((line) => `| ${whats.join('; ')} | ${line}`),
	);
	return [
		'| the service answers with | operations | On Error: Continue | to the error output | Stop Workflow | requests | credits |',
		'| --- | --- | --- | --- | --- | --- | --- |',
		...lines,
		'',
		'| reason | what the item says |',
		'| --- | --- |',
		...[...remedies].toSorted().map(([reason, message]) => `| ${reason} | ${message} |`),
	].join('\n');
}

test('docs/faults.md has this table (npm run faults)', async () => {
	const file = join(root, 'docs', 'faults.md');
	const text = await readFile(file, 'utf8').catch(() => '');
	const head = text.slice(0, text.indexOf('\n|'));
	if (process.env.UPDATE_FAULTS) await writeFile(file, `${head}\n${tables()}\n`);
	const cells = (markdown: string) =>
		markdown
			.split('\n')
			.filter((line) => line.startsWith('|') && !line.includes('---'))
			.map((line) => line.split('|').map((cell) => cell.trim()));
	expect(cells(await readFile(file, 'utf8'))).toEqual(cells(tables()));
});
