import { setTimeout as delay } from 'node:timers/promises';

import { z } from 'zod';
import { ALONE } from '../../hosts/host.mts';
import { HANG_MS } from '../../machine/hang.mts';

/** Of the protocol; both hosts speak it. */
const PROTOCOL_VERSION = '2025-06-18';
const POLL_MS = 250;

const messageSchema = z.object({ result: z.unknown(), error: z.unknown() });
const toolsSchema = z.object({
	tools: z.array(
		z.object({
			name: z.string(),
			description: z.string(),
			inputSchema: z.object({ properties: z.unknown(), required: z.unknown() }),
		}),
	),
});
const answerSchema = z.object({
	content: z.tuple([z.object({ type: z.literal('text'), text: z.string() })]),
});

/** A client of the Model Context Protocol over streamable HTTP, as desktop assistants have one. */
export class McpClient {
	#session: string | undefined;
	#requests = 0;

	private constructor(
		private readonly url: string,
		private readonly token: string | undefined,
	) {}

	/**
	 * Opens a session; waits until somebody serves the address.
	 *
	 * @param token which the server wants to see, if any
	 */
	static async connect(url: string, token?: string): Promise<McpClient> {
		const client = new McpClient(url, token);
		await client.#request('initialize', {
			protocolVersion: PROTOCOL_VERSION,
			capabilities: {},
			clientInfo: { name: 'test', version: '1.0.0' },
		});
		await client.#send({ method: 'notifications/initialized' });
		return client;
	}

	async listTools() {
		return toolsSchema.parse(await this.#request('tools/list', {})).tools;
	}

	/** What a tool answers, also where it fails: the text that the model reads. */
	async callTool(name: string, values: object): Promise<string> {
		const result = await this.#request('tools/call', { name, arguments: values });
		const [{ text }] = answerSchema.parse(result).content;
		return text;
	}

	/** Asks, and gives the result; what the server refuses is thrown. */
	async #request(method: string, params: object): Promise<unknown> {
		this.#requests += 1;
		const body = await this.#send({ id: this.#requests, method, params });
		// The answer is the body, or an event in a stream; n8n sends no other messages.
		const [, text = body] = /^data: (.+)$/m.exec(body) ?? [];
		const { result, error } = messageSchema.parse(JSON.parse(text));
		if (result !== undefined) return result;
		throw new Error(`${method} has no result: ${JSON.stringify(error)}`);
	}

	/** Sends a message and gives the body of the response. */
	async #send(message: object): Promise<string> {
		const deadline = Date.now() + HANG_MS;
		for (;;) {
			const response = await fetch(this.url, {
				method: 'POST',
				body: JSON.stringify({ jsonrpc: '2.0', ...message }),
				headers: {
					...ALONE,
					accept: 'application/json, text/event-stream',
					'content-type': 'application/json',
					...(this.token !== undefined && { authorization: `Bearer ${this.token}` }),
					...(this.#session !== undefined && {
						'mcp-protocol-version': PROTOCOL_VERSION,
						'mcp-session-id': this.#session,
					}),
				},
				signal: AbortSignal.timeout(HANG_MS),
			});
			const text = await response.text();
			this.#session ??= response.headers.get('mcp-session-id') ?? undefined;
			if (response.ok) return text;
			// n8n opens the address some time after it said that it did.
			const mayOpen = response.status === 404 && this.#session === undefined;
			if (!mayOpen || Date.now() > deadline) {
				throw new Error(`${this.url} answered ${response.status}: ${text}`);
			}
			await delay(POLL_MS);
		}
	}
}
