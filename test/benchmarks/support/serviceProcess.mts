import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

import {
	booksSchema,
	requestsSchema,
	startedSchema,
	type Books,
	type Circumstances,
	type Question,
	type Sent,
} from './serviceMessages.mts';

const PROGRAM = fileURLToPath(new URL('serviceProgram.mts', import.meta.url));
const ANSWER_TIMEOUT_MS = 30_000;

/** The emulated service in a process of its own, which ends with the process that started it. */
export class ServiceProcess implements AsyncDisposable {
	readonly #child: ChildProcess;
	readonly baseUrl: string;

	private constructor(child: ChildProcess, baseUrl: string) {
		this.#child = child;
		this.baseUrl = baseUrl;
	}

	static async start(): Promise<ServiceProcess> {
		const child = fork(PROGRAM, [], { execArgv: [] });
		try {
			const { baseUrl } = startedSchema.parse(await messageOf(child));
			return new ServiceProcess(child, baseUrl);
		} catch (error) {
			child.kill();
			throw error;
		}
	}

	/** Forgets all requests and credits, and goes on under these circumstances. */
	async reset(circumstances: Circumstances): Promise<void> {
		await this.#ask({ kind: 'reset', circumstances });
	}

	async books(): Promise<Books> {
		return booksSchema.parse(await this.#ask({ kind: 'books' }));
	}

	/** All requests, as they were sent. */
	async requests(): Promise<Sent[]> {
		return requestsSchema.parse(await this.#ask({ kind: 'requests' }));
	}

	async [Symbol.asyncDispose](): Promise<void> {
		if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
		const exited = once(this.#child, 'exit');
		this.#child.disconnect();
		await exited;
	}

	async #ask(question: Question): Promise<unknown> {
		const answer = messageOf(this.#child);
		this.#child.send(question);
		return await answer;
	}
}

async function messageOf(child: ChildProcess): Promise<unknown> {
	const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS);
	const [message]: unknown[] = await once(child, 'message', { signal });
	return message;
}
