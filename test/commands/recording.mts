import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import net from 'node:net';
import { styleText } from 'node:util';

import { describe, Failure } from '../machine/failure.mjs';
import { NO_KEY, startPlayer } from '../emulator/recording/player.mts';
import { startRecorder, type Recorder } from '../emulator/recording/recorder.mts';
import { readRecording } from '../emulator/recording/recording.mts';

const REACH_TIMEOUT_MS = 10_000;

/** Ends with the command. */
interface Running {
	port: number;
	signal: AbortSignal;
}

/** Passes everything on to a service until the command is stopped, then writes the file. */
export async function record(
	file: string,
	target: string | undefined,
	{ port, signal }: Running,
): Promise<void> {
	const url = checkedTarget(target);
	await reach(url);
	const recorder = await startRecorder(url, { port, tell: console.log });
	try {
		await claim(file);
		console.log(`${styleText('bold', 'Base URL')}  ${recorder.baseUrl}

Enter it in the credential, with your own API key, and run a workflow. Its lookups cost credits as always.
Ctrl-C ends this and writes ${file}.
`);
		await untilAborted(signal);
		await save(file, recorder).catch((error: unknown) => {
			// The command would only say that it was interrupted, which is how it always ends.
			console.error(`\n${describe(error)}`);
			throw error;
		});
	} finally {
		await recorder.close();
	}
}

async function save(file: string, recorder: Recorder): Promise<void> {
	const { unknown, ...recording } = recorder.recording();
	if (recording.exchanges.length === 0) {
		await rm(file);
		throw new Failure('Nothing was recorded: no request got an answer.');
	}
	await writeFile(file, `${JSON.stringify(recording, null, '\t')}\n`);
	console.log(`\n${file} holds ${recording.exchanges.length} requests with their responses.`);
	if (unknown.size === 0) return;
	const lines = [...unknown].map(([own, standIn]) => `  ${standIn}  ${own}`);
	console.log(`
These fields and words are not in the specification, so the file only has the stand-ins on the left.
If nothing in this list is private, send it with the file.
${lines.join('\n')}`);
}

/** Answers as the recording does, until the command is stopped. */
export async function play(file: string, { port, signal }: Running): Promise<void> {
	const recording = await readRecording(file);
	const player = await startPlayer(recording, { port, tell: console.log });
	const requests = recording.exchanges.map(({ request: { method, path, query }, response }) => {
		const asked = Object.keys(query).length > 0 ? ` ${JSON.stringify(query)}` : '';
		return `  ${method} ${path}${asked} → ${response.status}`;
	});
	console.log(`${styleText('bold', 'Base URL')}  ${player.baseUrl}
${styleText('bold', 'API key')}   ${NO_KEY}

It answers these requests, of ${recording.made}:
${requests.join('\n')}

Copied to test/recordings/, the file is run through the nodes by test/engine/recordings.test.mts. Ctrl-C ends this.
`);
	await untilAborted(signal);
	await player.close();
}

export async function untilAborted(signal: AbortSignal): Promise<void> {
	if (!signal.aborted) await once(signal, 'abort');
}

/** The key goes there: not in clear, but to this machine. */
function checkedTarget(target = ''): string {
	const { protocol, hostname } = URL.canParse(target) ? new URL(target) : {};
	const isHere = ['localhost', '127.0.0.1', '[::1]'].includes(hostname ?? '');
	if (protocol === 'https:' || (protocol === 'http:' && isHere)) return target;
	const missing = '--record needs a --target.';
	throw new Failure(target === '' ? missing : `"${target}" is not the Base URL of a service.`, {
		remedy:
			'Give the Base URL of your credential, with https, e.g. --target https://api.example.com.',
	});
}

/** Throws if nobody listens there; sends nothing. */
async function reach(url: string): Promise<void> {
	const { protocol, hostname, port } = new URL(url);
	const host = hostname.replace(/^\[(.*)\]$/, '$1');
	const socket = net.connect({ host, port: Number(port || (protocol === 'https:' ? 443 : 80)) });
	const signal = AbortSignal.timeout(REACH_TIMEOUT_MS);
	await once(socket, 'connect', { signal }).catch((cause: NodeJS.ErrnoException) => {
		throw new Failure(`Nothing answers at ${url} (${cause.code}).`, {
			remedy: 'Check the URL, and the network of this machine.',
		});
	});
	socket.destroy();
}

/** Makes the file, so that a recording of an hour has somewhere to go. */
async function claim(file: string): Promise<void> {
	await writeFile(file, '', { flag: 'wx' }).catch((cause: Error) => {
		throw new Failure(`${file} cannot be written: ${cause.message}`, {
			remedy: 'Give the name of a new file in a folder of yours.',
		});
	});
}
