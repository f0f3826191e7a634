/**
 * @file Recordings of services: each is judged by the document of the interface and run through the nodes.
 * `npm run recordings` makes those of the emulator anew.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { isDeepStrictEqual } from 'node:util';

import type { IDataObject } from 'n8n-workflow';
import { expect, onTestFinished, test } from 'vitest';

import { root } from '../machine/paths.mjs';
import { networkUrl } from '../emulator/operations/profile.mts';
import { problemsIn } from '../emulator/recording/judgement.mts';
import { NO_KEY, startPlayer } from '../emulator/recording/player.mts';
import { startRecorder } from '../emulator/recording/recorder.mts';
import { identityOf, readRecording, type Recording } from '../emulator/recording/recording.mts';
import type { Service } from '../emulator/service.mts';
import { isRecord } from '../emulator/values.mts';
import { mainVariants, type Variants } from '../emulator/variants.mts';
import { emulatorForms, settingsFor } from '../support/servers/emulatorForms.mts';
import { runNode } from '../support/node/engine.mts';
import { everyOperation, ofItems, peopleIn } from '../operations.mts';
import { unfindable } from '../support/leads/expected.mts';
import { PROBLEMS, timeless } from '../support/leads/outcomes.mts';
import { useQuickClock } from '../support/node/quickClock.mts';
import { checksIn, runsOf } from '../support/node/recordedRuns.mts';
import { KEY, openAccount, useService } from '../support/servers/service.mts';

const folder = join(root, 'test', 'recordings');

const service = useService();
useQuickClock();

/** Runs every operation against the emulator in this form, by way of another Base URL, and gives all items. */
async function runEveryOperation(form: Variants, access: Access): Promise<IDataObject[]> {
	Object.assign(service().variants, form);
	for (const { leads } of service().fixtures.lists) leads.splice(4);
	const known = peopleIn(service(), 3);
	const { first, last, company } = unfindable;
	const nobody = { firstName: first, lastName: last, company: company.name };
	const found: IDataObject[] = [];
	const requested = new Set<string>();
	for (const sample of everyOperation(service())) {
		// Another operation has recorded its requests.
		if (requested.has(sample.endpoint)) continue;
		requested.add(sample.endpoint);
		const { options = {}, ...parameters } = ofItems(sample);
		const isPaged = sample.operation === 'getLeads';
		const { json } = await runNode({
			node: sample.node,
			parameters: {
				...parameters,
				...(isPaged && { returnAll: false, limit: 3 }),
				includeInputFields: false,
				// The requests come in the same order each time.
				options: { ...(isRecord(options) && options), maxConcurrency: 1 },
			},
			items:
				sample.node === 'contactDataFinder'
					? [...known, nobody]
					: known.slice(0, sample.node === 'contactDataVerifier' ? 3 : 1),
			credential: { ...access, ...settingsFor(form), customizeInterface: true, listPageSize: 2 },
		});
		expect(json.length, sample.label).toBeGreaterThan(0);
		found.push(...json);
	}
	return timeless(found);
}

type Access = Record<'baseUrl' | 'apiKey', string>;

/** Runs the nodes against a recording, and gives all items. They have to send what is in it, and nothing else. */
async function playBack(recording: Recording): Promise<IDataObject[]> {
	const player = await startPlayer(recording);
	onTestFinished(async () => await player.close());
	const access = { baseUrl: player.baseUrl, apiKey: NO_KEY, customizeInterface: true };
	const found: IDataObject[] = [];
	for (const runsIn of [checksIn, runsOf]) {
		const unplayed = player.unplayed();
		const left = recording.exchanges.filter(({ request }) =>
			unplayed.includes(identityOf(request)),
		);
		for (const { settings, parameters, ...test } of runsIn(left)) {
			const { json } = await runNode({
				...test,
				parameters: { ...parameters, includeInputFields: false },
				credential: { ...access, ...settings },
				onError: 'continueRegularOutput',
			});
			found.push(...json);
		}
	}
	expect(player.unrecorded).toEqual([]);
	expect(player.unplayed()).toEqual([]);
	return timeless(found);
}

/** What stands at each place in a value. */
function leavesOf(value: unknown, place = ''): Array<[place: string, leaf: unknown]> {
	if (typeof value !== 'object' || value === null) return [[place, value]];
	return Object.entries(value).flatMap(([key, one]) => leavesOf(one, `${place}/${key}`));
}

function emailsIn(value: unknown): unknown[] {
	return leavesOf(value).flatMap(([place, leaf]) =>
		place.endsWith('/email') && leaf ? [leaf] : [],
	);
}

/** Fields whose values are no secret. */
const KEPT =
	/\/(status|emailStatus|credits|mailboxType|csvImport|leadCount|quota|used|remaining|type|result)$/;

/** Expects the same items, but for stand-ins: always the same for the same, and never for another. */
function expectSameItems(items: IDataObject[], played: IDataObject[]): void {
	const [original, again] = [leavesOf(items), leavesOf(played)];
	expect(again.map(([place]) => place)).toEqual(original.map(([place]) => place));
	const standIns = new Map<unknown, unknown>();
	const originals = new Map<unknown, unknown>();
	for (const [index, [place, value]] of original.entries()) {
		const [, standIn] = again[index];
		if (KEPT.test(place) || value === null) expect(standIn, place).toBe(value);
		expect(standIns.get(value) ?? standIn, place).toEqual(standIn);
		expect(originals.get(standIn) ?? value, place).toEqual(value);
		standIns.set(value, standIn);
		originals.set(standIn, value);
	}
}

/** Letters and digits only, so that a word is found whatever stands around it. */
function wordsOf(text: string): string {
	return ` ${text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, ' ')} `;
}

/** What the emulator knows of people, companies and accounts. */
function secretsOf({ fixtures }: Service): string[] {
	const { companies, people, lists, accounts } = fixtures;
	return [
		...companies.flatMap(({ id, name, domain }) => [String(id), name, domain]),
		...people.flatMap(({ full, first, last, title }) => [full, first, last, title]),
		...people.flatMap(({ email }) => (email === null ? [] : [email, email.split('@')[0]])),
		...people.flatMap((person) => [person.location, networkUrl(person, mainVariants())]),
		...lists.flatMap(({ name, leads }) => [name, ...leads.map(({ id }) => String(id))]),
		...accounts.flatMap(({ name, email, plan }) => [name, email, plan]),
	];
}

/** Starts `npm run service -- --record` for the emulator, and gives its Base URL and what ends it. */
async function startCommand(file: string): Promise<{ baseUrl: string; end: () => Promise<void> }> {
	const command = join(root, 'test', 'commands', 'service.mts');
	const options = ['--record', file, '--target', service().baseUrl, '--port', '0'];
	const child = spawn(process.execPath, [command, ...options], {
		stdio: ['ignore', 'pipe', 'inherit'],
	});
	onTestFinished(() => void child.kill());
	const [line] = await once(createInterface({ input: child.stdout }), 'line');
	const end = async () => {
		child.kill();
		expect(await once(child, 'exit')).toEqual([0, null]);
	};
	return { baseUrl: /http:\S+/.exec(String(line))?.[0] ?? '', end };
}

test.each(emulatorForms.map((form, index) => ({ form, name: `emulator-${index + 1}.json` })))(
	'the command makes a recording that gives the same items and holds nothing that it was made from: $name',
	async ({ form, name }) => {
		const temporary = await mkdtemp(join(tmpdir(), 'recording-'));
		onTestFinished(async () => await rm(temporary, { recursive: true }));
		const file = join(temporary, name);
		const command = await startCommand(file);
		const wire = await startRecorder(command.baseUrl);
		onTestFinished(async () => await wire.close());
		const apiKey = openAccount(service(), 'secret/key+4711==');
		const items = await runEveryOperation(form, { baseUrl: wire.baseUrl, apiKey });
		await command.end();

		const written = wordsOf(await readFile(file, 'utf8'));
		const sent = wordsOf(JSON.stringify(wire.exchanges));
		const secrets = new Set(secretsOf(service()).map(wordsOf));
		const occurred = [...secrets].filter((secret) => sent.includes(secret));
		expect(occurred.length).toBeGreaterThan(50);
		const key = [apiKey, encodeURIComponent(apiKey), btoa(apiKey), 'secret', '4711'].map(wordsOf);
		expect([...occurred, ...key].filter((secret) => written.includes(secret))).toEqual([]);

		const recording = await readRecording(file);
		expectSameItems(items, await playBack(recording));

		const shipped = join(folder, name);
		const before = await readRecording(shipped).catch(() => undefined);
		const isNew = !isDeepStrictEqual(before?.exchanges, recording.exchanges);
		if (process.env.UPDATE_RECORDINGS && isNew) await copyFile(file, shipped);
		expect((await readRecording(shipped)).exchanges).toEqual(recording.exchanges);
	},
);

test('a recording of Check API is played back by Check API', async () => {
	const recorder = await startRecorder(service().baseUrl);
	onTestFinished(async () => await recorder.close());
	const credential = { baseUrl: recorder.baseUrl, apiKey: KEY };
	const node = 'contactDataAccount';
	const { json } = await runNode({ node, parameters: { operation: 'check' }, credential });
	const played = await playBack(recorder.recording());
	// The words of a refusal are not known to be harmless, so the recording cannot name a form.
	const answers = ({ operations, httpCode }: IDataObject) => ({ operations, httpCode });
	expect(played.map(answers)).toEqual(json.map(answers));
});

test.each(await readdir(folder))(
	'%s is what the document of the interface allows, and gives the nodes what it holds',
	async (name) => {
		const recording = await readRecording(join(folder, name));
		expect(await problemsIn(recording)).toEqual([]);
		const items = await playBack(recording);
		const isRefused = recording.exchanges.some(
			({ response: { status } }) => status >= 400 && status !== 404 && status !== 405,
		);
		const failed = items.filter(({ status }) => PROBLEMS.includes(String(status)));
		expect(isRefused ? [] : failed).toEqual([]);
		const held = recording.exchanges.flatMap(({ response }) => emailsIn(response.body));
		expect(new Set(emailsIn(items))).toEqual(new Set(held));
	},
);
