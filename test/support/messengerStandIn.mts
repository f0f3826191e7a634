import fastify from 'fastify';
import { z } from 'zod';

const messageSchema = z.object({ content: z.string() });

/** A messenger that keeps what is sent to its webhook. */
export class MessengerStandIn implements AsyncDisposable {
	readonly messages: string[] = [];
	readonly #app = fastify({ forceCloseConnections: true });
	#url = '';

	static async open(): Promise<MessengerStandIn> {
		const messenger = new MessengerStandIn();
		messenger.#app.post('/', async ({ body }) => {
			messenger.messages.push(messageSchema.parse(body).content);
			return {};
		});
		messenger.#url = await messenger.#app.listen({ host: '127.0.0.1', port: 0 });
		return messenger;
	}

	get url(): string {
		return this.#url;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.#app.close();
	}
}
