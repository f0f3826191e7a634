import fastify from 'fastify';

import { problemsOf, serveDocument } from '../validation.mts';
import type { Recording } from './recording.mts';

/** What in the requests and answers of a recording breaks the document of the interface. */
export async function problemsIn({ exchanges }: Recording): Promise<string[]> {
	const problems: string[] = [];
	let current = exchanges[0];
	const app = fastify({ exposeHeadRoutes: false });
	const note = (...found: string[]) => {
		const { method, path } = current.request;
		problems.push(...found.map((problem) => `${method} ${path}: ${problem}`));
	};
	app.setErrorHandler((error, _, reply) => {
		note(...problemsOf(error));
		return reply.code(500).send();
	});
	app.setNotFoundHandler((_, reply) => {
		note('is not in the document');
		return reply.send();
	});
	// A request that breaks it gets its answer nevertheless, so that this is judged too.
	await serveDocument(app, ({ validationError }, reply) => {
		if (validationError) note(...problemsOf(validationError));
		const { status, body, length = 0 } = current.response;
		if (body === undefined) note(`the answer, of ${length} bytes, is no JSON`);
		return reply.code(status).send(body);
	});
	for (current of exchanges) {
		const { method, path, query, body } = current.request;
		await app.inject({
			method: method === 'POST' ? 'POST' : 'GET',
			url: path,
			query,
			headers: { ...(body !== undefined && { 'content-type': 'application/json' }) },
			...(body !== undefined && { payload: JSON.stringify(body) }),
		});
	}
	await app.close();
	return problems;
}
