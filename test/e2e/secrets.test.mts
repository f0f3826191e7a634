/**
 * @file The key is nowhere in n8n: not in its database, its logs or an execution, whatever the service does,
 * and though it sends the key back.
 */

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { INode } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';

import type { Credential, SavedWorkflow } from '../hosts/rest.mts';
import { n8n1, n8n2 } from '../hosts/versions.mts';
import { chain } from '../hosts/workflow.mts';
import type { Effect } from '../emulator/faults.mts';
import type { WireRequest } from '../emulator/wireLog.mts';
import { everyOperation, type Sample } from '../operations.mts';
import { onlyLong } from '../support/depth.mts';
import { useHost } from '../support/realN8n/host.mts';
import { report } from '../support/measures/report.mts';
import { openAccount, useService } from '../support/servers/service.mts';
import { manually, node, ours } from '../support/realN8n/savedNodes.mts';
import { formsOf } from './support/formsOf.mts';

/** What the keys begin with, which n8n has in its credentials alone, in a form of which no part is there by chance. */
const SECRET = 'xq7-J9f+zW/2kT4vBn8';

/** At the log level "debug" n8n 1 writes down what a service answers to a credential test that fails. */
const OF_N8N = /debug\s+Credential test failed.*/g;

const LOOKUPS = ['find', 'findBulk', 'verify', 'verifyBulk', 'searchCompany'] as const;

function isLookup(operation: string | null | undefined): boolean {
	return LOOKUPS.some((one) => one === operation);
}

/** A word that is in the executions, and shows that they are looked through. */
const MARK = 'mark-of-this-run';

const service = useService();

/** What the service does to a run with this key, if anything. */
function effectsOf(key: string): Array<Effect | undefined> {
	return [
		undefined,
		...[400, 401, 403, 500].map((status) => ({ body: 'echo' as const, status })),
		{ body: { json: answerWith(key) } },
		{ body: { json: answerWith(Buffer.from(`user:${key}`).toString('base64')) } },
		{ body: 'html' },
		{ reset: 'after-charge' },
		{ redirect: `https://elsewhere.example/?key=${key}` },
		{ body: 'echo', status: 429 },
	];
}

/** Reads are retried after these, which would take long. */
function isRetried(effect: Effect): boolean {
	return (
		'reset' in effect || ('status' in effect && (effect.status === 429 || effect.status === 500))
	);
}

/** Something for everybody who reads an answer, with a text in it. */
function answerWith(text: string): string {
	const row = { tId: 1, id: 1, name: text, email: `${text}@acme.example`, first_name: text };
	const lists = { data: [row], results: [row], lists: [row], next_start: null };
	return JSON.stringify({ ...row, ...lists, quality: { status: text }, message: text });
}

describe.each([n8n2, ...onlyLong(n8n1)])('n8n $version', (version) => {
	const running = useHost(service, {
		name: `n8n-secrets-${version.version}`,
		version,
		settings: { N8N_LOG_LEVEL: 'debug' },
		isLean: true,
	});

	/** A workflow of all operations side by side, and one for each of some that stops with it. */
	async function createWorkflows(credential: Credential): Promise<SavedWorkflow[]> {
		const all = everyOperation(service());
		const stopping = all.filter(({ operation }) =>
			['find', 'findBulk', 'getLeads'].includes(operation),
		);
		const groups = [
			all.map((sample) => nodeFor(sample, credential, 'continueErrorOutput')),
			...stopping.map((sample) => [nodeFor(sample, credential, 'stopWorkflow')]),
		];
		const set = { mode: 'raw', jsonOutput: JSON.stringify({ mark: MARK }) };
		const start = [manually(), node('Mark', 'n8n-nodes-base.set', 3.4, set)];
		return await Promise.all(
			groups.map(async (nodes, index) => {
				const ends = nodes.map(({ name }) => ({ node: name, type: 'main' as const, index: 0 }));
				return await running().client.createWorkflow({
					name: `Secrets ${index}`,
					nodes: [...start, ...nodes],
					connections: { ...chain('Start', 'Mark'), Mark: { main: [ends] } },
					settings: { executionOrder: 'v1' },
				});
			}),
		);
	}

	function nodeFor(
		{ node: type, operation, endpoint, parameters }: Sample,
		credential: Credential,
		onError: INode['onError'],
	): INode {
		const { packageName } = running();
		const options = { ...Object(parameters.options), maxRetries: 1, maxRateLimitWait: 0.02 };
		const name = `${type} ${operation}`;
		const own = { ...parameters, ...(isLookup(endpoint) && { options }) };
		return { ...ours({ packageName, credential }, name, type, own), onError };
	}

	test('holds the key nowhere', async () => {
		const { client, host, userFolder } = running();
		const seen: string[] = [];
		let executions = 0;
		/** Runs all workflows with a key of their own, to which the service does the same each time. */
		const runAll = async (index: number) => {
			// What n8n has of the account before, it would not ask for.
			const apiKey = openAccount(service(), `${SECRET}${index}`);
			const isOwn = ({ headers }: WireRequest) => headers['x-access-key'] === apiKey;
			const effect = effectsOf(apiKey)[index];
			const data = { baseUrl: service().baseUrl, apiKey };
			const credential = await client.createCredential('Secret', 'contactDataApi', data);
			const workflows = await createWorkflows(credential);
			if (effect) {
				const where = (request: WireRequest) =>
					isOwn(request) && (isLookup(request.operation) || !isRetried(effect));
				service().faults.add({ ...effect, on: { where } });
			}
			seen.push(JSON.stringify(await client.testCredential(credential, data)));
			const started = workflows.map(async (saved) => await client.startWorkflow(saved, 'Start'));
			for (const id of await Promise.all(started)) {
				seen.push(JSON.stringify(await client.waitForExecution(id)));
				executions++;
			}
			const sent = service().requests.filter(isOwn);
			const asked = new Set<unknown>(sent.map(({ operation }) => operation));
			expect(LOOKUPS.filter((operation) => !asked.has(operation))).toEqual([]);
			const charges = service().ledger.charges.filter(({ account }) => account === apiKey);
			if (!effect) expect(charges.length).toBeGreaterThan(0);
		};
		// Many of them wait for their next try.
		await Promise.all([...effectsOf('').keys()].map(runAll));
		service().reset();
		await host.stop();
		const files = [host.log, ...(await filesIn(userFolder))];
		for (const file of files) seen.push(await readFile(file, 'latin1'));
		const all = seen.join('\n').replaceAll(OF_N8N, '');
		expect(all.split(MARK).length).toBeGreaterThan(executions);
		for (const form of formsOf(SECRET)) expect(found(all, form)).toEqual([]);
		const sizes = `${files.length} files and ${Math.round(all.length / 1e6)} MB`;
		report(`n8n ${version.version}: the key is not in ${executions} executions, ${sizes}`);
	});
});

/** What n8n has written: its database, settings and event logs; not the programs that are installed. */
async function filesIn(folder: string): Promise<string[]> {
	const entries = await readdir(folder, { recursive: true, withFileTypes: true });
	return entries
		.filter((entry) => entry.isFile() && !entry.parentPath.includes('node_modules'))
		.map((entry) => join(entry.parentPath, entry.name));
}

/** Where a text stands, with what is around it. */
function found(all: string, text: string): string[] {
	const places: string[] = [];
	for (let at = all.indexOf(text); at >= 0; at = all.indexOf(text, at + 1)) {
		places.push(all.slice(Math.max(0, at - 80), at + 80));
	}
	return places;
}
