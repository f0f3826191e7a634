import fastify from 'fastify';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { z } from 'zod';

import type { Credential, RestClient } from '../../hosts/rest.mts';

/** A tool that the model asks for, with arguments of any form: models make mistakes. */
export interface ToolCall {
	tool: string;
	arguments: Record<string, unknown>;
}

/** What the model says next: it asks for tools, or it says its last word. */
export type Turn = readonly ToolCall[] | string;

const messageSchema = z.object({
	role: z.string(),
	content: z.unknown(),
	tool_call_id: z.string().optional(),
});

const requestSchema = z.object({
	messages: z.array(messageSchema),
	stream: z.literal(false).optional(),
	tools: z
		.array(
			z.object({
				type: z.literal('function'),
				function: z.object({
					name: z.string(),
					description: z.string(),
					parameters: z.record(z.unknown()),
				}),
			}),
		)
		.optional(),
});

type ModelRequest = z.infer<typeof requestSchema>;

/** A chat model that says what a test has written down, over the interface of OpenAI's. */
export class ChatModel {
	readonly requests: ModelRequest[] = [];
	readonly #app = fastify({ forceCloseConnections: true });
	#turns: readonly Turn[] = [];
	#calls = 0;
	#baseUrl = '';

	/** The credential with which an n8n finds it. */
	async createCredential(client: RestClient): Promise<Credential> {
		return await client.createCredential('Model', 'openAiApi', {
			apiKey: 'of nobody',
			url: this.#baseUrl,
			header: false,
		});
	}

	/** What it says to the next requests, one turn each. */
	says(...turns: Turn[]): void {
		this.#turns = turns;
		this.requests.length = 0;
	}

	/** What the tools answered, in the order of the calls, as the model reads it. */
	get toolMessages(): string[] {
		const messages = this.requests.at(-1)?.messages ?? [];
		return messages
			.filter(({ role }) => role === 'tool')
			.map(({ content }) => (typeof content === 'string' ? content : JSON.stringify(content)));
	}

	async listen(): Promise<void> {
		this.#app.post('/v1/chat/completions', async (request) => {
			this.requests.push(requestSchema.parse(request.body));
			const turn = this.#turns[this.requests.length - 1];
			if (turn === undefined) throw new Error('The script of the model has no more turns');
			return this.#completion(turn);
		});
		this.#baseUrl = `${await this.#app.listen({ host: '127.0.0.1', port: 0 })}/v1`;
	}

	async close(): Promise<void> {
		await this.#app.close();
	}

	#completion(turn: Turn) {
		const calls = typeof turn === 'string' ? [] : turn;
		return {
			id: `completion-${this.requests.length}`,
			object: 'chat.completion',
			created: 1,
			model: 'scripted',
			choices: [
				{
					index: 0,
					message: {
						role: 'assistant',
						content: typeof turn === 'string' ? turn : null,
						...(calls.length > 0 && { tool_calls: calls.map((call) => this.#toolCall(call)) }),
					},
					finish_reason: calls.length > 0 ? 'tool_calls' : 'stop',
				},
			],
			usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
		};
	}

	#toolCall(call: ToolCall) {
		this.#calls += 1;
		return {
			id: `call-${this.#calls}`,
			type: 'function',
			function: { name: call.tool, arguments: JSON.stringify(call.arguments) },
		};
	}
}

/** A model for the tests of a file; each writes its script. */
export function useChatModel(): () => ChatModel {
	let model: ChatModel | undefined;
	const running = () => {
		if (!model) throw new Error('The model runs inside tests only');
		return model;
	};
	beforeAll(async () => {
		model = new ChatModel();
		await model.listen();
	});
	afterEach(() => running().says());
	afterAll(async () => await model?.close());
	return running;
}
