/**
 * @file What is made from what comes out: the tables and samples of `docs/output.md` (`npm run output`), and the
 * previews in n8n's output panel before a node's first run (`npm run previews`). Without these the files are held to it.
 */

import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { expect, test } from 'vitest';

import { forgetRecentAnswers } from '../../nodes/shared/execution/recent.ts';
import { root } from '../machine/paths.mjs';
import { expectedVerification } from '../emulator/addresses.mts';
import type { Fault } from '../emulator/faults.mts';
import { isRecord } from '../emulator/values.mts';
import type { Variants } from '../emulator/variants.mts';
import { runNode, type OurNode } from '../support/node/engine.mts';
import {
	bulkJob,
	everyOperation,
	operationOf,
	operations,
	readsJob,
	type Sample,
} from '../operations.mts';
import { fixtures, personWith, some, unfindable } from '../support/leads/expected.mts';
import { acceptJob } from '../support/node/operationRow.mts';
import { timeless } from '../support/leads/outcomes.mts';
import { expectMade, readPage } from '../support/madePage.mts';
import { credentialFor, useService } from '../support/servers/service.mts';

const service = useService();

/** Somebody with a valid email, whose name everybody can read. */
const person = some(fixtures.people, ({ email, full }) => {
	const isValid = email !== null && expectedVerification(email).email_status === 'valid';
	return isValid && /^[A-Z][a-z]+ [A-Z][a-z]+$/.test(full);
})[0];
const { domain } = person.company;
const lead = { crmId: 7, fullName: person.full, domain };
const withEmail = { ...lead, email: person.email };

interface Scene {
	node?: OurNode;
	item?: IDataObject;
	options?: INodeParameters;
	fault?: Fault;
	variants?: Partial<Variants>;
}

/** The first item that comes out, answered at a time that does not change. */
async function first(operation: string, scene: Scene = {}, more: INodeParameters = {}) {
	const { node = 'contactDataFinder', item = lead, options, fault, variants } = scene;
	service().reset();
	forgetRecentAnswers();
	Object.assign(service().variants, variants);
	if (fault) service().faults.add(fault);
	const isJob = readsJob(operationOf(operation, node));
	if (isJob) await acceptJob(service(), { tId: 1, name: lead.fullName, domain });
	const { json } = await runNode({
		node,
		parameters: {
			operation,
			options: { maxRetries: 0, jobTimeout: 0, ...options },
			...(isJob && { jobId: '9001' }),
			...more,
		},
		items: [item],
		credential: credentialFor(service()),
		onError: 'continueRegularOutput',
	});
	const [{ ...output }] = timeless(json);
	const text = JSON.stringify(output).replaceAll('"then"', '"2026-11-21T09:30:00.000Z"');
	const dated: IDataObject = JSON.parse(text);
	return dated;
}

function table(...rows: string[][]): string {
	const [head, ...body] = rows.map((cells) => `| ${cells.join(' | ')} |`);
	return [head, `|${' --- |'.repeat(rows[0].length)}`, ...body].join('\n');
}

const code = (value: unknown) => `\`${String(value)}\``;

const verifier = { node: 'contactDataVerifier', item: withEmail } as const;
const withoutEmail: Scene = { ...verifier, item: lead };
const missed: Scene = { item: { ...lead, fullName: unfindable.full } };
const job = { bulkAnswer: 'job', jobPolls: 1, jobResultShape: 'results' } as const;

/** What can become of an item, in the words of the page. */
const outcomes: Array<[operation: string, Scene, meaning: string, todo: string]> = [
	['find', {}, 'the service has an email', 'see `emailStatus`'],
	['verify', verifier, 'the email was checked', 'see `emailStatus`'],
	['find', { item: withEmail }, 'your input already had it; free', 'see `emailStatus`'],
	['verify', withoutEmail, 'no email to verify, or Look Up Only If says no; free', ''],
	['find', missed, 'the service has no result; free. Not a failure', 'try another source'],
	['find', { item: { crmId: 7 } }, "a field is missing or can't be right", 'fill in the field'],
	['find', { fault: { status: 402 } }, 'not sent', 'what the summary says, then run it again'],
	[
		'findBulk',
		{ variants: job },
		'a bulk job is still in progress',
		'run it again: the job is collected, for free',
	],
	['find', { fault: { status: 500 } }, 'sent, but no result', 'what the summary says'],
];

async function statusTable(): Promise<string> {
	const rows = [];
	for (const [operation, scene, meaning, todo] of outcomes) {
		const output = await first(operation, scene);
		const own = Object.entries(output).filter(
			([name]) => !(name in lead) && name !== 'lookupStatus',
		);
		const filled = own.flatMap(([name, value]) => (value === null ? [] : [code(name)]));
		rows.push([code(output.lookupStatus), meaning, filled.join(', '), todo]);
	}
	return table(['`lookupStatus`', 'meaning', 'fields that are filled', 'what to do'], ...rows);
}

const advice = [
	['valid', 'the mailbox accepts mail', 'safe to send'],
	['catch-all', 'the domain accepts everything', 'send with caution'],
	['invalid', 'the mailbox does not exist', "don't send"],
	['unknown', 'the mail server did not respond', 'verify again in a day'],
] as const;

async function emailStatusTable(): Promise<string> {
	const rows = [];
	for (const [status, meaning, todo] of advice) {
		const item = { email: personWith(status).email };
		const { emailStatus } = await first('verify', { ...verifier, item });
		rows.push([code(emailStatus), meaning, todo]);
	}
	return table(['`emailStatus`', 'meaning', 'what to do'], ...rows);
}

/** A row that was found a year ago, and what a second lookup makes of it. */
async function rowTable(): Promise<string> {
	const row = {
		...{ lookupStatus: 'found', email: 'old@acme.example', emailStatus: 'unknown' },
		...{ lookupCredits: 1, checkedAt: '2025-11-21' },
	};
	const own = Object.keys(row);
	const item = { ...lead, ...row };
	const again = { existingEmail: '' };
	const scenes: Array<[string, Parameters<typeof first>]> = [
		['Find Email finds another email', ['find', { item }, again]],
		['Find Email finds none', ['find', { item, fault: { status: 404 } }, again]],
		['Find Email, with Existing Email', ['find', { item }]],
		['Verify Email', ['verify', { ...verifier, item }]],
		['Verify Email, out of credits', ['verify', { ...verifier, item, fault: { status: 402 } }]],
		[
			'Verify Email, the service is down',
			['verify', { ...verifier, item, fault: { status: 503 } }],
		],
	];
	const cells = (output: IDataObject) => own.map((name) => code(output[name]));
	const rows = [['the row that comes in', ...cells(item)]];
	for (const [words, scene] of scenes) rows.push([words, ...cells(await first(...scene))]);
	return table(['then', ...own.map(code)], ...rows);
}

/** An item of each operation; those whose items have the same fields share one. Each stays where the page has it. */
async function sampleTexts(page: string): Promise<string> {
	const byFields = new Map<string, { json: IDataObject; labels: Set<string> }>();
	const places = [...page.matchAll(/^### (.*)$/gm)].flatMap(([, labels]) => labels.split(', '));
	const placeOf = ({ label }: Sample) => places.indexOf(label) + 1 || Infinity;
	for (const sample of operations.toSorted((a, b) => placeOf(a) - placeOf(b))) {
		const { node, label, operation, parameters } = sample;
		const { listId } = parameters;
		const scene = node === 'contactDataVerifier' ? verifier : { node };
		const json = await first(operation, scene, { ...(listId && { listId }) });
		const fields = Object.keys(json).join();
		const group = byFields.get(fields) ?? { json, labels: new Set() };
		byFields.set(fields, { json: group.json, labels: group.labels.add(label) });
	}
	const texts = [...byFields.values()].map(({ labels, json }) => {
		const text = JSON.stringify(json, null, '\t');
		return `### ${[...labels].join(', ')}\n\n\`\`\`json\n${text}\n\`\`\``;
	});
	return texts.join('\n\n');
}

test('docs/output.md has these tables and samples (npm run output)', async () => {
	await expectMade('output.md', {
		statuses: await statusTable(),
		'email statuses': await emailStatusTable(),
		rows: await rowTable(),
		samples: await sampleTexts(await readPage('output.md')),
	});
});

/** The schema that all of the values have in common; a value that is `null` once and text once is text. */
function schemaOf(values: unknown[]): object {
	const known = values.filter((value) => value !== null && value !== undefined);
	if (known.length === 0) return { type: 'null' };
	if (known.every(Array.isArray)) return { type: 'array', items: schemaOf(known.flat()) };
	if (!known.every(isRecord)) return { type: typeof known[0] };
	const names = new Set(known.flatMap((value) => Object.keys(value)));
	const properties = [...names].map((name) => [name, schemaOf(known.map((value) => value[name]))]);
	return { type: 'object', properties: Object.fromEntries(properties) };
}

/** Where n8n looks for the preview of an operation. */
function fileOf({ node, operation, parameters: { resource } }: Sample): string {
	const folder = join('nodes', node.replace('contactData', ''), '__schema__', 'v1.0.0');
	return join(folder, String(resource), `${operation}.json`);
}

test('the output previews are up to date (npm run previews)', async () => {
	const samples = [...everyOperation(service()), bulkJob('9001')];
	service().variants.finderExtras = true;
	for (const sample of samples) {
		const { node, operation, parameters } = sample;
		if (readsJob(sample)) {
			await acceptJob(service(), { tId: 1, name: lead.fullName, domain });
		}
		const { json } = await runNode({ node, parameters, credential: credentialFor(service()) });
		expect(json, operation).not.toEqual([]);
		const text = `${JSON.stringify({ ...schemaOf(json), version: 1 }, null, '\t')}\n`;
		const file = join(root, fileOf(sample));
		if (process.env.UPDATE_PREVIEWS) {
			await mkdir(dirname(file), { recursive: true });
			await writeFile(file, text);
		}
		expect(await readFile(file, 'utf8').catch(() => 'missing'), file).toBe(text);
	}
	const files = await readdir(join(root, 'nodes'), { recursive: true });
	const previews = files.filter((file) => file.includes('__schema__') && file.endsWith('.json'));
	const expected = samples.map(fileOf).toSorted();
	expect(previews.map((file) => join('nodes', file)).toSorted()).toEqual(expected);
});
