import fastify from 'fastify';
import { afterEach } from 'vitest';
import { z } from 'zod';

import type { Credential, RestClient } from '../../hosts/rest.mts';
import { useComponent } from '../realN8n/component.mts';

/** A tool that the model asks for, with arguments of any form: models make mistakes. */
export interface ToolCall {
	tool: string;
	arguments: Record<string, unknown>;
}

/** What the model says next: it asks for tools, or it says its last word. */
export type Turn = readonly ToolCall[] | string;

const messageSchema = z.object({ role: z.string(), content: z.unknown() });

const toolSchema = z.object({
	name: z.string(),
	description: z.string(),
	parameters: z.record(z.unknown()),
});
const requestSchema = z.object({
	messages: z.array(messageSchema),
	stream: z.literal(false).optional(),
	tools: z.array(z.object({ type: z.literal('function'), function: toolSchema })).optional(),
});

/** A chat model that says what a test has written down, over the interface of OpenAI's. */
export class ChatModel implements AsyncDisposable {
	readonly requests: Array<z.infer<typeof requestSchema>> = [];
	readonly #app = fastify({ forceCloseConnections: true });
	#turns: readonly Turn[] = [];
	#calls = 0;
	#baseUrl = '';

	static async open(): Promise<ChatModel> {
		const model = new ChatModel();
		model.#app.post('/v1/chat/completions', async (request) => {
			model.requests.push(requestSchema.parse(request.body));
			const turn = model.#turns[model.requests.length - 1];
			if (turn === undefined) throw new Error('The script of the model has no more turns');
			return model.#completion(turn);
		});
		model.#baseUrl = `${await model.#app.listen({ host: '127.0.0.1', port: 0 })}/v1`;
		return model;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.#app.close();
	}

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

	#completion(turn: Turn) {
		const isLast = typeof turn === 'string';
		const calls = (isLast ? [] : turn).map(({ tool: name, arguments: values }) => ({
			id: `call-${(this.#calls += 1)}`,
			type: 'function',
			function: { name, arguments: JSON.stringify(values) },
		}));
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
						content: isLast ? turn : null,
						...(calls.length > 0 && { tool_calls: calls }),
					},
					finish_reason: calls.length > 0 ? 'tool_calls' : 'stop',
				},
			],
			usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
		};
	}
}

/** A model for the tests of a file; each writes its script. */
export function useChatModel(): () => ChatModel {
	const model = useComponent(async () => await ChatModel.open());
	afterEach(() => model().says());
	return model;
}
