import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import http from 'node:http';
import https from 'node:https';
import { join } from 'node:path';

import fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import { expect } from 'vitest';

import { makeFolder } from '../../hosts/folder.mts';
import type { SetUp } from '../realN8n/exampleChanges.mts';
import { selfSigned } from './selfSigned.mts';

/** A stand-in for a tool of somebody else. */
export interface Tool {
	/** The host names that n8n asks; the certificate in `selfSigned` names them too. */
	readonly hosts: readonly string[];
	/** Tells it from others at these hosts: n8n sends it as a bearer token. */
	readonly token: string;
	/** A part of the paths that are its own, where others share its hosts and its token. */
	readonly within?: string;
	/** Answers the requests; it needs no port. */
	readonly app: FastifyInstance;
	/** None if its users only name its URL. */
	readonly setUp?: SetUp;
}

type Asked = FastifyRequest<{ Params: Record<string, string> }>;

interface StandIn extends Omit<Tool, 'app' | 'token'> {
	token?: string;
	/** What it answers, by method and path, as JSON. What is thrown is a refusal; see {@link refusal}. */
	readonly routes: Record<string, (request: Asked) => unknown>;
}

/** A tool with these routes. Those who set it up with a credential have to send its token. */
export function standIn({ routes, token = randomUUID(), ...tool }: StandIn): Tool {
	const app = fastify();
	// No answer depends on a form.
	app.addContentTypeParser('application/x-www-form-urlencoded', (_, __, done) => done(null));
	app.addHook('onRequest', async ({ url, headers }) => {
		// Google gives the token out itself.
		const isOpen = url === '/token' || tool.setUp === undefined;
		if (!isOpen && headers.authorization !== `Bearer ${token}`) throw refusal(401, 'Who is it?');
	});
	for (const [route, answer] of Object.entries(routes)) {
		const [method = '', url = ''] = route.split(' ');
		const handler = async (request: Asked) => await answer(request);
		app.route<{ Params: Record<string, string> }>({ method, url, handler });
	}
	return { ...tool, token, app };
}

/** An answer with a status other than 200. */
export function refusal(statusCode: number, message: string): Error {
	return Object.assign(new Error(message), { statusCode });
}

/**
 * Stand-ins that an n8n reaches over TLS under the host names of the real tools: a proxy leads there,
 * and n8n trusts the certificate of tests. No request leaves this machine.
 */
export class Tools implements AsyncDisposable {
	/** What n8n asked for that no stand-in answers. */
	readonly #refused: string[] = [];
	readonly #tools: Tool[] = [];
	readonly #tls = https.createServer(selfSigned, (request, response) => {
		const { headers, url = '' } = request;
		const tools = this.#at(headers.host);
		const own = tools.find(
			({ token, within = '' }) =>
				headers.authorization === `Bearer ${token}` && url.includes(within),
		);
		(own ?? tools.at(-1))?.app.routing(request, response);
	});
	readonly #proxy = http.createServer((request, response) => {
		this.#refused.push(`${request.method} ${request.url}`);
		response.writeHead(403).end();
	});

	private constructor(
		/** That n8n needs to start with. */
		readonly settings: NodeJS.ProcessEnv,
		private readonly resources: AsyncDisposableStack,
	) {
		this.#proxy.on('connect', ({ url }, socket) => {
			socket.on('error', () => {});
			if (this.#at(url).length === 0) {
				this.#refused.push(`CONNECT ${url}`);
				socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
				return;
			}
			socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
			this.#tls.emit('connection', socket);
		});
	}

	static async open(): Promise<Tools> {
		await using resources = new AsyncDisposableStack();
		const { path } = resources.use(await makeFolder());
		const certificate = join(path, 'certificate.pem');
		await writeFile(certificate, selfSigned.cert);
		const settings: NodeJS.ProcessEnv = {
			NODE_EXTRA_CA_CERTS: certificate,
			NO_PROXY: '127.0.0.1,localhost',
		};
		const tools = new Tools(settings, resources.move());
		await new Promise<void>((resolve) => tools.#proxy.listen(0, '127.0.0.1', resolve));
		const address = tools.#proxy.address();
		if (typeof address !== 'object' || address === null) throw new Error('Not listening');
		settings.HTTP_PROXY = settings.HTTPS_PROXY = `http://127.0.0.1:${address.port}`;
		return tools;
	}

	/** Lets n8n reach a stand-in from now on. */
	async use<T extends Tool>(tool: T): Promise<T> {
		await tool.app.ready();
		this.#tools.push(tool);
		return tool;
	}

	/** Ends a test: n8n may have asked for stand-ins only. */
	endTest(): void {
		expect(this.#refused.splice(0)).toEqual([]);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#tls.close();
		this.#proxy.close();
		this.#proxy.closeAllConnections();
		await this.resources.disposeAsync();
	}

	/** The stand-ins at a host and port. */
	#at(authority = ''): Tool[] {
		const { hostname } = new URL(`https://${authority}`);
		return this.#tools.filter(({ hosts }) => hosts.includes(hostname));
	}
}
