import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

import type { Books, Circumstances } from './serviceProgram.mts';

const PROGRAM = fileURLToPath(new URL('serviceProgram.mts', import.meta.url));
const ANSWER_TIMEOUT_MS = 30_000;

/** Starts the emulated service in a process of its own, which ends with the process that started it. */
export async function startServiceProcess() {
	const child = fork(PROGRAM, [], { execArgv: [] });
	const answer = async () => {
		const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS);
		const [message] = await once(child, 'message', { signal });
		return message;
	};
	const baseUrl: string = await answer();
	return {
		baseUrl,
		/** Forgets all requests and credits, and goes on under these circumstances. */
		async reset(circumstances: Circumstances): Promise<void> {
			child.send(circumstances);
			await answer();
		},
		async books(): Promise<Books> {
			child.send('books');
			return await answer();
		},
		async [Symbol.asyncDispose](): Promise<void> {
			if (child.exitCode !== null || child.signalCode !== null) return;
			const exited = once(child, 'exit');
			child.disconnect();
			await exited;
		},
	};
}
