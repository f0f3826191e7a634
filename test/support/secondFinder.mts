import fastify from 'fastify';
import { z } from 'zod';

const querySchema = z.object({ name: z.string(), domain: z.string() });

/** Whom somebody asked for. */
export type Asked = z.infer<typeof querySchema>;

/** Another service that finds addresses: it knows some people and answers 404 for the others. */
export class SecondFinder implements AsyncDisposable {
	readonly asked: Asked[] = [];
	readonly #app = fastify({ forceCloseConnections: true });
	#url = '';

	/** @param known the address of a person, undefined for a miss */
	static async open(known: (person: Asked) => string | undefined): Promise<SecondFinder> {
		const finder = new SecondFinder();
		finder.#app.get('/find', async ({ query }, reply) => {
			const person = querySchema.parse(query);
			finder.asked.push(person);
			const email = known(person);
			return email === undefined ? await reply.code(404).send({ message: 'Unknown' }) : { email };
		});
		finder.#url = await finder.#app.listen({ host: '127.0.0.1', port: 0 });
		return finder;
	}

	get url(): string {
		return this.#url;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.#app.close();
	}
}
