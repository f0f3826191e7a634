import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

import { z } from 'zod';

import type { Books, Circumstances } from './serviceProgram.mts';

const PROGRAM = fileURLToPath(new URL('serviceProgram.mts', import.meta.url));
const ANSWER_TIMEOUT_MS = 30_000;

/** The emulated service in a process of its own, which ends with the process that started it. */
export class ServiceProcess implements AsyncDisposable {
	private constructor(
		private readonly child: ChildProcess,
		readonly baseUrl: string,
	) {}

	static async start(): Promise<ServiceProcess> {
		const child = fork(PROGRAM, [], { execArgv: [] });
		return new ServiceProcess(child, z.string().parse(await messageOf(child)));
	}

	/** Forgets all requests and credits, and goes on under these circumstances. */
	async reset(circumstances: Circumstances): Promise<void> {
		this.child.send(circumstances);
		await messageOf(this.child);
	}

	async books(): Promise<Books> {
		this.child.send('books');
		return z.custom<Books>().parse(await messageOf(this.child));
	}

	async [Symbol.asyncDispose](): Promise<void> {
		if (this.child.exitCode !== null || this.child.signalCode !== null) return;
		const exited = once(this.child, 'exit');
		this.child.disconnect();
		await exited;
	}
}

async function messageOf(child: ChildProcess): Promise<unknown> {
	const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS);
	const [message]: unknown[] = await once(child, 'message', { signal });
	return message;
}
