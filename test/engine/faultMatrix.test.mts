/**
 * @file Every fault of the service, for every operation and every setting of On Error: what comes out, how
 * many requests are sent and what they cost. `npm run faults` writes the table into `docs/contributing/faults.md`.
 */

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { IDataObject } from 'n8n-workflow';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';

import { forgetRecentAnswers } from '../../nodes/shared/execution/recent.ts';
import { CODES, meaningOf } from '../../nodes/shared/http/codes.ts';
import { root } from '../machine/paths.mjs';
import type { Effect } from '../emulator/faults.mts';
import type { BulkJob } from '../emulator/operations/bulkFinder.mts';
import { isProblem, outcomeIn } from '../support/node/definedItems.mts';
import { runNode, type NodeResult } from '../support/node/engine.mts';
import { ofItems, operations, peopleIn, readsJob, type Sample } from '../operations.mts';
import { fixtures } from '../support/leads/expected.mts';
import { find, runLookup } from '../support/leads/lookups.mts';
import { useQuickClock } from '../support/node/quickClock.mts';
import { credentialFor, KEY, useService } from '../support/servers/service.mts';

const service = useService();
const clock = useQuickClock(1_000);

afterEach(() => void vi.restoreAllMocks());

/** Something that goes wrong, in the words of the table. */
interface Trouble {
	what: string;
	effect: Effect;
	/** With which request alone, counted from 1. */
	nth?: number;
	/** Only where answers have several rows, or pages. */
	of?: 'bulk' | 'pages';
	/** What each item says of it, where no answer is one. */
	said?: string;
}

/** A limit is waited for without end: each of its codes passes. */
const statuses = [...CODES.keys()].filter((status) => meaningOf(status).next !== 'pause');
const bodies = ['truncated', 'cut-off', 'html', 'text', 'json-scalar', 'empty'] as const;

/** What a retry may help against. */
const passing: Record<string, Effect> = {
	...Object.fromEntries([420, 429, 430, 500, 503].map((status) => [`${status}`, { status }])),
	'403 that speaks of a rate limit': { status: 403, words: 'Rate limit exceeded' },
	'429 with Retry-After: 2': { status: 429, retryAfter: 'seconds', seconds: 2 },
	'503 with a Retry-After that says nothing': { status: 503, retryAfter: 'nonsense' },
	'connection lost before the charge': { reset: 'before-charge' },
	'connection lost after the charge': { reset: 'after-charge' },
};

/** JSON that nobody would think of. */
const json = {
	// Nothing recursive gets to the bottom of it.
	'lists in lists': `${'['.repeat(100_000)}${']'.repeat(100_000)}`,
	'rows that are none': '[null, 1, "text", [], {}]',
	'rows without what they are known by': '[{"email": {"at": "b"}}, {"tId": []}]',
	'fields of another kind': '{"email": ["a"], "email_status": {}, "quality": 7, "results": 1}',
	'names that objects have': '{"__proto__": null, "constructor": 1, "results": {"length": 9}}',
};

/** Answers that say nothing of what was asked for, and what the items say of them. */
const empty: Array<[what: string, json: string, said: string]> = [
	['an empty object', '{}', 'without'],
	['an error in a 200', '{"success":false,"error":"Plan has expired"}', ': Plan has expired'],
	['errors in a 200', '{"errors":[{"details":"Plan has expired"}]}', ': Plan has expired'],
	['an envelope in a 200', '{"data":{"email":"ada@acme.com"}}', 'without'],
];

const people = peopleIn({ fixtures }, 2);

/** A result for the first person, in the words of both bulk operations, and this for the second. */
function withSecondRow(json: string): Effect {
	const result = { tId: 1, ...people[0], email_status: 'valid', quality: { status: 'valid' } };
	return { body: { json: `[${JSON.stringify(result)},${json}]` }, charge: true };
}

/** What the emulator can do, each with every request and, where a retry may help, with the first one alone. */
const troubles: Trouble[] = [
	...statuses.map((status) => ({ what: `${status}`, effect: { status } })),
	{
		what: '403 that speaks of credits',
		effect: { status: 403, words: 'No credits left' },
	},
	...[429, 503].map((status) => ({
		what: `${status} with Retry-After: 3600`,
		effect: { status, retryAfter: 'seconds', seconds: 3_600 } as const,
	})),
	...Object.entries(passing).flatMap(([what, effect]) => [
		...('reset' in effect ? [{ what, effect }] : []),
		{ what: `${what}, once`, effect, nth: 1 },
	]),
	...bodies.flatMap((body) => [
		{ what: `${body} body, not charged`, effect: { body } },
		{ what: `${body} body, charged`, effect: { body, charge: true } },
		{ what: `404 with ${body} body`, effect: { body, status: 404 } },
		{ what: `second page with ${body} body`, effect: { body }, nth: 2, of: 'pages' as const },
	]),
	{ what: 'no second page: 404', effect: { status: 404 }, nth: 2, of: 'pages' },
	...['null', '"none"'].map((json) => ({
		what: `404 with the body ${json}`,
		effect: { body: { json }, status: 404 },
	})),
	...Object.entries(json).map(([what, json]) => ({ what, effect: { body: { json } } })),
	...empty.flatMap(([what, json, said]) => [
		{ what: `${what}, not charged`, effect: { body: { json } }, said },
		{ what: `${what}, charged`, effect: { body: { json }, charge: true }, said },
	]),
	{ what: 'an error that repeats the key', effect: { body: 'echo', status: 500 } },
	{ what: 'redirect', effect: { redirect: 'https://elsewhere.example.com/' } },
	{ what: 'slow answer', effect: { delayMs: 10 } },
	{ what: 'a row is missing', effect: { rows: 'missing' }, of: 'bulk' },
	{ what: 'nothing in place of a row', effect: withSecondRow('null'), of: 'bulk' },
	{ what: 'a text in place of a row', effect: withSecondRow('"lost"'), of: 'bulk' },
	{ what: 'an empty object in place of a row', effect: withSecondRow('{}'), of: 'bulk' },
	{ what: 'a row comes twice', effect: { rows: 'doubled' }, of: 'bulk' },
	{ what: 'a row nobody asked for', effect: { rows: 'unknown' }, of: 'bulk' },
	{ what: 'rows in another order', effect: { rows: 'shuffled' }, of: 'bulk' },
	{ what: 'a page leads to itself', effect: { repeatCursor: true }, of: 'pages' },
	{ what: 'pages overlap', effect: { duplicatesAcrossPages: true }, of: 'pages' },
];

/** An operation, and what it works on. */
interface Subject extends Sample {
	items: IDataObject[];
	/** What comes out where nothing goes wrong. */
	sound: IDataObject[];
	/** What the service still works on. */
	jobs: BulkJob[];
}

const subjects = operations
	// Both estimates read the account in the same way. To Check API, a fault is the result.
	.filter(({ node, operation }) => operation !== 'estimate' || node === 'contactDataFinder')
	.filter(({ operation }) => operation !== 'check')
	.map((sample): Subject => {
		const options = { ...(sample.isLookup && { maxConcurrency: 1, maxRetries: 2 }) };
		const parameters = { ...ofItems(sample), includeInputFields: false, returnAll: true, options };
		const items = sample.isLookup ? people : people.slice(0, 1);
		return { ...sample, parameters, items, sound: [], jobs: [] };
	});

/** Gives a read of a job somebody whose job was left pending. */
async function leaveJob(subject: Subject): Promise<void> {
	Object.assign(service().variants, { bulkAnswer: 'job', jobResultShape: 'results' });
	const findBulk = { node: find.node, parameters: { operation: 'findBulk', existingEmail: '' } };
	const options = { jobTimeout: 0 };
	subject.items = (await runLookup(findBulk, service(), people, { options })).json.slice(0, 1);
	subject.jobs = service().jobs;
}

const isBulk = ({ perRequest = 1 }: Subject) => perRequest > 1;

/** Runs it, and gives what it sent and cost besides. */
async function run(
	subject: Subject,
	trouble: Pick<Trouble, 'effect' | 'nth'> | undefined,
	onError: 'stopWorkflow' | 'continueRegularOutput' | 'continueErrorOutput',
) {
	const { node, endpoint, parameters, items, jobs } = subject;
	// What was learned of the account is forgotten, and what was bought.
	clock.forward(11 * 60_000);
	forgetRecentAnswers();
	service().reset();
	Object.assign(service().variants, { jobPolls: 1, jobResultShape: 'results' });
	service().jobs = structuredClone(jobs);
	const { requests, ledger, faults } = service();
	const on = { operation: endpoint, nth: trouble?.nth };
	if (trouble) faults.add({ ...trouble.effect, on });
	vi.spyOn(Math, 'random').mockReturnValue(0);
	const credential = credentialFor(service(), { listPageSize: 10 });
	const result = await runNode({ node, parameters, items, credential, onError });
	// A fault that meets no request would be a row that says nothing.
	if (trouble) expect(requests.flatMap((request) => request.faults)).not.toEqual([]);
	return { ...result, figures: { requests: requests.length, credits: ledger.total() } };
}

/** What a fault comes to, for one operation, in the columns of the table. */
async function cellsOf(subject: Subject, trouble: Trouble): Promise<string> {
	const stopped = await run(subject, trouble, 'stopWorkflow');
	const sent = await run(subject, trouble, 'continueErrorOutput');
	const continued = await run(subject, trouble, 'continueRegularOutput');
	// Only what comes after the end of a run that stops differs.
	expect(sent.figures).toEqual(continued.figures);
	if (subject.isLookup) expect(stopped.figures).toEqual(continued.figures);
	expectNothingLost(subject, trouble, continued);
	for (const { run: stored } of [stopped, sent, continued]) {
		expect(JSON.stringify(stored)).not.toContain(KEY);
	}
	expect(sent.items.length + sent.errorItems.length).toBe(continued.items.length);
	if (!stopped.error) expect(stopped.items).toHaveLength(continued.items.length);
	for (const [reason, remedy] of remediesIn(continued.json)) {
		if (!remedies.has(reason)) remedies.set(reason, remedy);
	}
	const { requests, credits } = continued.figures;
	const [toErrorOutput, stops] = [sent.errorItems.length > 0, stopped.error !== undefined];
	return [
		wordsOf(continued.json),
		...[toErrorOutput ? 'yes' : 'no', stops ? 'stops' : 'goes on', requests, credits],
	].join(' | ');
}

/** Whatever happens: an item for each item, and what was paid and answered properly is there. */
function expectNothingLost(
	{ isLookup, items, sound }: Subject,
	{ effect, said }: Trouble,
	result: NodeResult,
) {
	if (isLookup) {
		expect(result.items.map(({ pairedItem }) => pairedItem)).toEqual(
			items.map((_, item) => ({ item })),
		);
	} else {
		expect(result.items.length).toBeLessThanOrEqual(sound.length + 1);
	}
	if (said !== undefined) {
		const told = {
			lookupReason: 'unexpected_answer',
			lookupMessage: expect.stringContaining(said),
		};
		for (const outcome of result.json.map(outcomeIn)) expect(outcome).toMatchObject(told);
	}
	const isUnknown = 'reset' in effect || 'body' in effect || 'rows' in effect;
	const paid = service().ledger.bySubject();
	// Where nobody knows whether it was charged, one lookup may be sent once more.
	for (const credits of paid.values()) expect(credits).toBeLessThanOrEqual(isUnknown ? 2 : 1);
	if (!isLookup || isUnknown) return;
	const delivered = result.json.map(outcomeIn).flatMap((outcome) => Object.values(outcome));
	for (const subject of paid.keys()) expect(delivered).toContain(subject);
}

function wordsOf(json: IDataObject[]): string {
	const counts = new Map<string, number>();
	for (const { lookupStatus: status, lookupReason: reason } of json.map(outcomeIn)) {
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

/** What the items say to do now, by their reasons. */
function remediesIn(json: IDataObject[]): Map<string, string> {
	const failed = json.map(outcomeIn).filter(isProblem);
	return new Map(
		failed.map(({ lookupReason, lookupMessage }) => [
			String(lookupReason),
			String(lookupMessage).replace(/until (?:[\d-]+ )?\d\d:\d\d/, 'until <time>'),
		]),
	);
}

const rows: Array<{ what: string; label: string; cells: string }> = [];
const remedies = new Map<string, string>();

describe.each(subjects)('$label', (subject) => {
	const hasPages = subject.operation === 'getLeads';

	beforeAll(async () => {
		if (readsJob(subject)) await leaveJob(subject);
		subject.sound = (await run(subject, undefined, 'stopWorkflow')).json;
		expect(subject.sound.length).toBeGreaterThanOrEqual(subject.items.length);
	});

	const own = troubles.filter(({ of }) => !of || (of === 'bulk' ? isBulk(subject) : hasPages));

	test.each(own)('$what', async (trouble) => {
		rows.push({ what: trouble.what, label: subject.label, cells: await cellsOf(subject, trouble) });
	});
});

const kinds: Array<[string, (one: Subject) => boolean]> = [
	['single lookups', (one) => one.isLookup && !isBulk(one)],
	['bulk lookups', isBulk],
	['single reads', ({ isLookup, sound }) => !isLookup && sound.length === 1],
	['reads of many', ({ isLookup, sound }) => !isLookup && sound.length > 1],
];

/** Operations by their kinds. The most of a kind that come to the same are not named: a further one may be like them. */
function namesOf(labels: string[], groups: string[][]): string {
	if (labels.length === subjects.length) return 'all';
	const names = kinds.flatMap(([kind, isOfKind]) => {
		const members = subjects.filter(isOfKind).map(({ label }) => label);
		const ofKind = (group: string[]) => group.filter((label) => members.includes(label));
		const own = ofKind(labels);
		const [most] = groups.map(ofKind).toSorted((one, other) => other.length - one.length);
		const isOfAll = groups.flatMap(ofKind).length === members.length;
		if (!isOfAll || own.length <= 1 || own[0] !== most?.[0]) return own;
		return own.length === members.length ? kind : `other ${kind}`;
	});
	return names.join(', ');
}

/** What a fault comes to, in lines that the operations share for which it comes to the same. */
function linesOf(what: string): string[] {
	const groups = Map.groupBy(
		rows.filter((row) => row.what === what),
		({ cells }) => cells,
	);
	const labels = [...groups.values()].map((same) => same.map(({ label }) => label));
	return [...groups.keys()].map(
		(cells, index) => `${namesOf(labels[index] ?? [], labels)} | ${cells} |`,
	);
}

/** The table, in which faults share their lines that come to the same, and what the reasons mean. */
function tables(): string {
	const byLines = Map.groupBy(troubles, ({ what }) => linesOf(what).join('\n'));
	const lines = [...byLines].flatMap(([shared, same]) => {
		const whats = same.map(({ what }) => what).join('; ');
		return shared.split('\n').map((line) => `| ${whats} | ${line}`);
	});
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

test('docs/contributing/faults.md has this table (npm run faults)', async () => {
	const file = join(root, 'docs', 'contributing', 'faults.md');
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
