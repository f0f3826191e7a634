import { once } from 'node:events';

import type { ITaskData } from 'n8n-workflow';
import { WebSocket } from 'undici';
import { z } from 'zod';

import type { OpenHost } from '../../hosts/open.mts';
import { HANG_MS } from '../../machine/hang.mts';
import { until } from '../../support/until.mts';

const nodeOutputSchema = z.object({
	type: z.literal('nodeExecuteAfterData'),
	data: z.object({
		executionId: z.string(),
		nodeName: z.string(),
		data: z.custom<ITaskData>((value) => typeof value === 'object' && value !== null),
	}),
});

type NodeOutput = z.infer<typeof nodeOutputSchema>['data'];

/** Over which n8n shows an open editor what the executions that it starts come to, node by node. */
export class PushConnection implements AsyncDisposable {
	readonly #outputs: NodeOutput[] = [];

	private constructor(
		/** By which n8n knows the editor that starts an execution. */
		readonly ref: string,
		private readonly socket: WebSocket,
	) {
		socket.addEventListener('message', ({ data }) => this.#receive(data));
	}

	/** Opens that of an editor in which the owner is signed in. */
	static async open({ host: { url }, client }: OpenHost): Promise<PushConnection> {
		const ref = 'the-editor-of-a-test';
		const address = `${url.replace(/^http/, 'ws')}/rest/push?pushRef=${ref}`;
		const socket = new WebSocket(address, { headers: { cookie: client.cookie, origin: url } });
		socket.binaryType = 'arraybuffer';
		const connection = new PushConnection(ref, socket);
		await once(socket, 'open', { signal: AbortSignal.timeout(HANG_MS) });
		return connection;
	}

	/** What the editor shows of a node; waits until n8n tells it. */
	async outputOf(executionId: string, node: string): Promise<ITaskData> {
		const isMeant = (one: NodeOutput) => one.executionId === executionId && one.nodeName === node;
		const output = () => this.#outputs.find(isMeant)?.data;
		return await until(output);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.socket.close();
	}

	#receive(data: unknown): void {
		const text = data instanceof ArrayBuffer ? Buffer.from(data).toString() : String(data);
		const output = nodeOutputSchema.safeParse(JSON.parse(text));
		if (output.success) this.#outputs.push(output.data.data);
	}
}
