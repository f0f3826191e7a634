/** @file The recorder passes everything on and writes nothing that was said; the commands say what is wrong. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

import fc from 'fast-check';
import { request } from 'undici';
import { expect, onTestFinished, test } from 'vitest';

import { root } from '../../machine/paths.mjs';
import { problemsIn } from '../../emulator/recording/judgement.mts';
import { startPlayer } from '../../emulator/recording/player.mts';
import { startRecorder } from '../../emulator/recording/recorder.mts';
import type { Exchange } from '../../emulator/recording/recording.mts';
import { withStandIns } from '../../emulator/recording/standIns.mts';
import { giveJson, giveWebPage, useServer } from '../../support/servers/ownServer.mts';

const server = useServer();

async function record(target: string) {
	const recorder = await startRecorder(target);
	onTestFinished(async () => await recorder.close());
	return recorder;
}

test('passes on what came, and writes only what is known to be harmless', async () => {
	const key = 'key/47+11=';
	const answer = {
		email: 'Ada.Lovelace@Engine.example',
		quality: { status: 'valid', status_message: 'Ada Lovelace, ada.lovelace@engine.example' },
		score: 0.97,
		people: [{ id: 93_004 }, { id: 93_001 }, { id: '93004' }],
		[key]: [`Key ${key}`, btoa(key), null, true],
		checked: '2026-11-21T10:12:13Z',
		website: 'https://www.engine.example/about?by=ada',
	};
	const seen: unknown[] = [];
	const target = await server(({ url, headers }, response) => {
		seen.push([url, headers['x-access-key'], headers.host, headers['accept-encoding']]);
		const own = { 'x-account': 'Ada', 'x-ratelimit-limit': 'of Ada', 'retry-after': '3' };
		giveJson(response, answer, 429, own);
	});
	const recorder = await record(`${target}/base/api/v2/`);
	const url = '/api/v2/find?fullName=Ada%20Lovelace&domain=engine.example&lang=en';
	const { body, headers, statusCode } = await request(recorder.baseUrl + url, {
		headers: { 'x-access-key': key, 'accept-encoding': 'gzip' },
	});
	expect(await body.json()).toEqual(answer);
	expect([statusCode, headers['x-account'], headers['retry-after']]).toEqual([429, 'Ada', '3']);
	expect(seen).toEqual([[`/base${url}`, key, new URL(target).host, 'identity']]);

	const { exchanges, unknown } = recorder.recording();
	expect(exchanges).toEqual([
		{
			request: {
				method: 'GET',
				path: '/api/v2/find',
				query: { fullName: 'Word-1 Word-2', domain: 'word-3.word-4', 'field-1': 'word-5' },
			},
			response: {
				status: 429,
				headers: { 'content-type': 'application/json', 'retry-after': '3' },
				body: {
					email: 'Word-1.Word-2@Word-3.word-4',
					quality: {
						status: 'valid',
						status_message: 'Word-1 Word-2, word-1.word-2@word-3.word-4',
					},
					'field-2': 1,
					people: [{ id: 10_001 }, { id: 10_000 }, { id: '10001' }],
					'field-3': ['Word-6 word-6/10+00=', 'word-7==', null, true],
					'field-4': '2001-01-02T00:00:00Z',
					website: 'https://www.word-3.word-4/word-8?word-9=word-1',
				},
			},
		},
	]);
	expect([...unknown.keys()]).toEqual(['lang', 'score', key, 'checked']);
	const problems = await problemsIn({ version: 1, made: '', exchanges });
	expect(problems).toEqual(
		expect.arrayContaining([
			'GET /api/v2/find: querystring must NOT have additional properties (field-1)',
			"GET /api/v2/find: response must have required property 'error'",
		]),
	);
});

test('passes on that there was no answer: n8n repeats no request that may have been charged', async () => {
	const recorder = await record(await server(({ socket }) => socket.destroy()));
	await expect(request(`${recorder.baseUrl}/v3/verify`)).rejects.toThrow('other side closed');
});

test('writes of a web page what it is and how long, which plays back as such', async () => {
	const recorder = await record(await server(giveWebPage));
	await request(`${recorder.baseUrl}/v3/verify?email=a@b.example`);
	const recording = recorder.recording();
	const [{ request: asked, response }] = recording.exchanges;
	const headers = { 'content-type': 'text/html' };
	expect(response).toEqual({ status: 200, headers, length: 37 });
	const player = await startPlayer(recording);
	onTestFinished(async () => await player.close());
	const played = await request(`${player.baseUrl}${asked.path}`, { query: asked.query });
	expect(played.headers).toMatchObject({ ...headers, 'content-length': '37' });
	expect((await request(`${player.baseUrl}/other`)).statusCode).toBe(422);
	expect(player.unrecorded).toEqual(['GET /other is not in this recording.']);
});

test('no number of a phone can be told from its stand-in', () => {
	const phones = Array.from({ length: 100 }, (_, index) => `+33 (0)6 ${index} 1 2 3 4 5 6 7 8 9`);
	const body = { size: 491_701_234_567, leads: ['49170123456'], used: '49.17012345', phones };
	const { exchanges } = withStandIns([
		{
			request: { method: 'GET', path: '/', query: {} },
			response: { status: 200, headers: {}, body },
		},
	]);
	expect(JSON.stringify(exchanges)).not.toMatch(/4917|49\.17|\+33|1 2 3|\(0\)6/);
});

test('nothing that is said gets into a recording, whatever it looks like and wherever it stands', () => {
	const secret = fc.stringMatching(/^zq[a-z0-9]{1,6}$/);
	const digits = fc.integer({ min: 737_370, max: 737_379 });
	const sign = fc.constantFrom(...'@.:/-_?#%&="\\ \t\n,;<>(){}[]|+é王😀');
	const disguised = fc
		.tuple(secret, digits, sign)
		.chain(([word, number, sign]) =>
			fc.constantFrom(
				`${word}${sign}${word}.com`,
				`https://${word}.com${sign}${number}`,
				`${number}${sign}${word}`,
				`${word.toUpperCase()}${sign}`,
				`+${number}${sign}${number}`,
				`2026-11-21T10:12:13Z${sign}${word}`,
				encodeURIComponent(`${sign}${word}`),
			),
		);
	const said = fc.oneof(secret, digits.map(String), disguised);
	const fields = fc.constantFrom('status', 'email', 'type', 'id', 'tId', 'next_start', 'enrich');
	const name = fc.oneof(fields, said);
	const values = [said, digits, fc.boolean(), fc.constant(null)];
	const body = fc.anything({ key: name, values, maxDepth: 4 });
	const header = fc.oneof(
		said,
		fc.constantFrom('content-type', 'retry-after', 'x-ratelimit-limit'),
	);
	const exchange = fc.record({
		request: fc.record({
			method: fc.constant('POST'),
			path: fc.array(said.map(encodeURIComponent)).map((parts) => `/${parts.join('/')}`),
			query: fc.dictionary(name, fc.oneof(said, fc.array(said))),
			body,
		}),
		response: fc.record({
			status: fc.constant(200),
			headers: fc.dictionary(
				header,
				said.filter((value) => !/^\d+$/.test(value)),
			),
			body,
		}),
	});
	fc.assert(
		fc.property(fc.array(exchange), (exchanges: Exchange[]) => {
			const written = JSON.stringify(withStandIns(exchanges).exchanges);
			expect(written).not.toMatch(/zq|73737/i);
		}),
		{ numRuns: 500 },
	);
});

/** Runs `npm run service` until it has started or stopped. */
async function command(...options: string[]) {
	const file = join(root, 'test', 'commands', 'service.mts');
	const child = spawn(process.execPath, [file, '--port', '0', ...options]);
	onTestFinished(() => void child.kill());
	const exit = once(child, 'exit');
	const said = text(child.stderr);
	const [line] = await Promise.race([once(child.stdout, 'data'), exit]);
	const end = async () => {
		child.kill();
		const [code] = await exit;
		return { code, said: (await said).trim() };
	};
	return { baseUrl: /http:\S+/.exec(String(line))?.[0] ?? '', end };
}

test('a service runs alone until told to stop', async () => {
	const options = ['--variant', 'accountShape=credits', '--credits', '3', '--fail', '503'];
	const { baseUrl, end } = await command(...options);
	const headers = { 'x-access-key': 'test-key', accept: 'application/json' };
	const { body } = await request(`${baseUrl}/api/v2/account`, { headers });
	expect(await body.json()).toMatchObject({ credits: { remaining: 3 } });
	expect(await end()).toEqual({ code: 0, said: '' });
});

test('the commands say what is wrong with their options', async () => {
	const folder = await mkdtemp(join(tmpdir(), 'recording-'));
	onTestFinished(async () => await rm(folder, { recursive: true }));
	const file = join(folder, 'new.json');
	const old = join(folder, 'old.json');
	await writeFile(old, '{}');
	const target = await server((_, response) => response.end());
	const wrong: Array<[options: string[], said: RegExp]> = [
		[['--record', file], /^✖ --record needs a --target\.\n\nGive the Base URL/],
		[
			['--record', file, '--target', 'http://api.example.com'],
			/^✖ "http:\/\/api.* is not the Base/,
		],
		[['--record', file, '--target', 'http://127.0.0.1:9'], /^✖ Nothing answers at .*\n\nCheck/],
		[['--record', old, '--target', target], /^✖ \/old\.json cannot be written: EEXIST/],
		[['--record', '/none/new.json', '--target', target], /^✖ \/none\/new\.json cannot be written/],
		[['--record', join(folder, 'other.json'), '--target', target], /^✖ Nothing was recorded: no/],
		[['--recording', file], /^✖ \/new\.json cannot be read: Error: ENOENT/],
		[['--recording', old], /^✖ \/old\.json is no recording\.\n\nRecordings are made by/],
		[['--variant', 'nothing=1'], /^✖ There is no variant "nothing=1"\.\n\nSee `npm run service/],
	];
	const ended = await Promise.all(
		wrong.map(async ([options]) => await (await command(...options)).end()),
	);
	for (const [index, { said }] of ended.entries()) {
		expect(said.replaceAll(folder, '')).toMatch(wrong[index][1]);
	}
});
