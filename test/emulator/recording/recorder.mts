import { request } from 'undici';

import {
	bodyIn,
	passedOn,
	requestIn,
	serverFor,
	type Exchange,
	type Recording,
} from './recording.mts';
import { withStandIns } from './standIns.mts';

/** What the nodes leave out at the end of a Base URL: a slash, or a path of the API that was pasted with it. */
const LEFT_OUT = /\/+(?:(?:api\/v2|v3)(?:\/.*)?)?$/i;

export type Recorder = Awaited<ReturnType<typeof startRecorder>>;

/**
 * Starts a proxy on 127.0.0.1 that passes everything on, and remembers it.
 *
 * @param target the Base URL of the service
 * @param tell is given a line for each request
 */
export async function startRecorder(
	target: string,
	{ port = 0, tell = () => {} }: { port?: number; tell?: (line: string) => void } = {},
) {
	const begun: Array<Partial<Exchange>> = [];
	const base = target.replace(LEFT_OUT, '');
	const app = serverFor(async ({ method, url, headers, body }, reply) => {
		const exchange: Partial<Exchange> = { request: requestIn(method, url, body) };
		begun.push(exchange);
		const { pathname, search } = new URL(url, 'http://service');
		const answer = await request(`${base}${pathname}${search}`, {
			method,
			headers: { ...passedOn(headers), 'accept-encoding': 'identity' },
			body: Buffer.isBuffer(body) ? body : null,
		});
		const bytes = Buffer.from(await answer.body.arrayBuffer());
		const passed = passedOn(answer.headers);
		const texts = Object.entries(passed).map(([name, value]) => [name, `${value}`]);
		exchange.response = {
			status: answer.statusCode,
			headers: Object.fromEntries(texts),
			...bodyIn(bytes),
		};
		tell(`${method} ${pathname} ${answer.statusCode}`);
		return reply.code(answer.statusCode).headers(passed).send(bytes);
	});
	// No status stands for a lost connection: n8n would repeat what may have been charged.
	app.setErrorHandler((error, { method, url, socket }, reply) => {
		tell(`${method} ${url} got no answer: ${String(error)}`);
		reply.hijack();
		socket.destroy();
	});
	const answered = () => begun.filter((one): one is Exchange => one.response !== undefined);
	return {
		baseUrl: await app.listen({ host: '127.0.0.1', port }),
		/** As they came over the wire, but for the headers of the requests: these hold the key. */
		get exchanges(): Exchange[] {
			return answered();
		},
		/** What is sent to others, and what in it the specification does not have. */
		recording(): Recording & { unknown: Map<string, string> } {
			const made = new Date().toISOString().slice(0, 10);
			return { version: 1, made, ...withStandIns(answered()) };
		},
		close: async () => await app.close(),
	};
}
