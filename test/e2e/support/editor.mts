import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';

import type { ITaskData } from 'n8n-workflow';
import { WebSocket } from 'undici';
import { z } from 'zod';

import type { Host } from '../../hosts/host.mts';
import { owner, type SavedWorkflow } from '../../hosts/rest.mts';

const REQUEST_TIMEOUT_MS = 60_000;
const POLL_MS = 100;

const nodeOutputSchema = z.object({
	type: z.literal('nodeExecuteAfterData'),
	data: z.object({
		executionId: z.string(),
		nodeName: z.string(),
		data: z.custom<ITaskData>((value) => typeof value === 'object' && value !== null),
	}),
});

type NodeOutput = z.infer<typeof nodeOutputSchema>['data'];

/** An open editor: n8n shows it what the executions that it starts come to, node by node. */
export class Editor implements AsyncDisposable {
	static readonly #pushRef = 'the-editor-of-a-test';
	readonly #outputs: NodeOutput[] = [];

	private constructor(
		private readonly url: string,
		private readonly cookie: string,
		private readonly socket: WebSocket,
	) {
		socket.addEventListener('message', ({ data }) => this.#receive(data));
	}

	/** Opens an editor of the owner's. */
	static async open({ url }: Host): Promise<Editor> {
		const { email, password } = owner;
		const login = await fetch(`${url}/rest/login`, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify({ emailOrLdapLoginId: email, password }),
			signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
		});
		await login.text();
		if (!login.ok) throw new Error(`n8n answered ${login.status} to the login`);
		const cookie = login.headers
			.getSetCookie()
			.map((text) => text.split(';', 1)[0])
			.join('; ');
		const address = `${url.replace(/^http/, 'ws')}/rest/push?pushRef=${Editor.#pushRef}`;
		const socket = new WebSocket(address, { headers: { cookie, origin: url } });
		socket.binaryType = 'arraybuffer';
		const editor = new Editor(url, cookie, socket);
		await once(socket, 'open', { signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) });
		return editor;
	}

	/**
	 * Presses Execute Workflow.
	 *
	 * @returns the execution's id
	 */
	async run(workflow: SavedWorkflow, trigger: string): Promise<string> {
		const path = `/workflows/${workflow.id}/run`;
		const body = { workflowData: workflow, triggerToStartFrom: { name: trigger } };
		const { executionId } = await this.#request(path, z.object({ executionId: z.string() }), body);
		return executionId;
	}

	/** When an execution ended, in milliseconds since 1970. */
	async stoppedAt(executionId: string): Promise<number> {
		const schema = z.object({ stoppedAt: z.string() });
		const { stoppedAt } = await this.#request(`/executions/${executionId}`, schema);
		return Date.parse(stoppedAt);
	}

	/** What the editor shows of a node; waits until n8n tells it. */
	async outputOf(executionId: string, node: string, timeout: number): Promise<ITaskData> {
		const deadline = Date.now() + timeout;
		while (Date.now() < deadline) {
			const output = this.#outputs.find(
				(one) => one.executionId === executionId && one.nodeName === node,
			);
			if (output) return output.data;
			await delay(POLL_MS);
		}
		throw new Error(`The editor was told nothing of ${node} within ${timeout / 1000} seconds`);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		if (this.socket.readyState === WebSocket.CLOSED) return;
		const closed = once(this.socket, 'close');
		this.socket.close();
		await Promise.race([closed, delay(POLL_MS)]);
	}

	#receive(data: unknown): void {
		const text = data instanceof ArrayBuffer ? Buffer.from(data).toString() : String(data);
		const output = nodeOutputSchema.safeParse(JSON.parse(text));
		if (output.success) this.#outputs.push(output.data.data);
	}

	async #request<Schema extends z.ZodTypeAny>(
		path: string,
		schema: Schema,
		body?: object,
	): Promise<z.infer<Schema>> {
		const response = await fetch(`${this.url}/rest${path}`, {
			method: body ? 'POST' : 'GET',
			headers: {
				'content-type': 'application/json',
				cookie: this.cookie,
				'push-ref': Editor.#pushRef,
			},
			...(body && { body: JSON.stringify(body) }),
			signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
		});
		const text = await response.text();
		if (!response.ok) throw new Error(`n8n answered ${response.status} to ${path}: ${text}`);
		return z.object({ data: schema }).parse(JSON.parse(text)).data;
	}
}
