import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import { pipeline } from 'node:stream/promises';

import { request } from 'undici';
import { afterEach } from 'vitest';

import { selfSigned } from './selfSigned.mts';

/** The servers of a test are open until its end. */
function useServers(): (server: net.Server) => Promise<string> {
	const servers: net.Server[] = [];
	afterEach(() => {
		for (const server of servers.splice(0)) {
			server.close();
			const isHttp = server instanceof http.Server || server instanceof https.Server;
			if (isHttp) server.closeAllConnections();
		}
	});
	return async (server) => {
		servers.push(server);
		await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
		const address = server.address();
		if (typeof address !== 'object' || address === null) throw new Error('Not listening');
		return `127.0.0.1:${address.port}`;
	};
}

/** Servers for answers that the service would never give. Gives the address of each. */
export function useServer(): (handler: http.RequestListener) => Promise<string> {
	const listen = useServers();
	return async (handler) => `http://${await listen(http.createServer(handler))}`;
}

/** Answers with JSON. */
export function giveJson(
	response: http.ServerResponse,
	body: unknown,
	status = 200,
	headers: http.OutgoingHttpHeaders = {},
): void {
	response.writeHead(status, { 'content-type': 'application/json', ...headers });
	response.end(JSON.stringify(body));
}

/** Answers with a web page. */
export function giveWebPage(_: http.IncomingMessage, response: http.ServerResponse): void {
	response.writeHead(200, { 'content-type': 'text/html' });
	response.end('<!doctype html><title>Welcome</title>');
}

/** What a request says in its query. */
export function queryOf({ url = '' }: http.IncomingMessage): URLSearchParams {
	return new URL(url, 'http://x').searchParams;
}

/** An answer that begins, and goes on and on as slowly as bytes can come, while anybody listens. */
export function trickle(_: http.IncomingMessage, response: http.ServerResponse): void {
	response.writeHead(200, { 'content-type': 'application/json' }).write('{"message":"');
	const timer = setInterval(() => response.write('.'), 20);
	response.on('close', () => clearInterval(timer));
}

/** Servers that do something to each connection as soon as anything comes of it. Gives the address of each. */
export function useTcpServer(): (onData: (socket: net.Socket) => void) => Promise<string> {
	const listen = useServers();
	return async (onData) =>
		await listen(
			net.createServer((socket) => {
				socket.on('error', () => {});
				socket.once('data', () => onData(socket));
			}),
		);
}

/** The service behind a certificate that nobody vouches for. Gives its address. */
export function useSelfSigned(): (serviceUrl: string) => Promise<string> {
	const listen = useServers();
	return async (serviceUrl) => {
		const server = https.createServer(selfSigned, (request, response) => {
			void forward(new URL(request.url ?? '/', serviceUrl), request, response);
		});
		return `https://${await listen(server)}`;
	};
}

/** Proxies that forward plain requests and tunnel others. Gives the host of each, and what it was asked to do. */
export function useProxy() {
	const listen = useServers();
	return async () => {
		/** The addresses of pages, or of hosts to connect with. */
		const asked: string[] = [];
		/** The names and passwords with which it was asked. */
		const users: Array<string | undefined> = [];
		const note = ({ url, headers }: http.IncomingMessage) => {
			asked.push(url ?? '');
			const [, encoded] = headers['proxy-authorization']?.split(' ') ?? [];
			users.push(encoded && Buffer.from(encoded, 'base64').toString());
		};
		const server = http.createServer((request, response) => {
			note(request);
			void forward(new URL(request.url ?? ''), request, response);
		});
		server.on('connect', (request, socket) => {
			note(request);
			const { hostname, port } = new URL(`http://${request.url}`);
			const tunnel = net.connect(Number(port), hostname, () => {
				socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
			});
			pipeline(socket, tunnel, socket).catch(() => {});
		});
		return { host: await listen(server), asked, users };
	};
}

/** Headers of one connection only, and the codings of a body. */
const OF_CONNECTION =
	/^(?:host|connection|keep-alive|te|trailer|upgrade|expect|proxy-.*|transfer-encoding|content-length|accept-encoding)$/;

/** The headers that a proxy passes on. */
function passedOn(headers: http.IncomingHttpHeaders) {
	return Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_CONNECTION.test(name)));
}

/** Sends the request on to another address, and its answer back; where that breaks off, the connection ends. */
async function forward(
	url: URL,
	from: http.IncomingMessage,
	to: http.ServerResponse,
): Promise<void> {
	try {
		const { statusCode, headers, body } = await request(url, {
			method: from.method,
			headers: passedOn(from.headers),
			body: from.method === 'POST' ? from : null,
		});
		to.writeHead(statusCode, passedOn(headers));
		await pipeline(body, to);
	} catch {
		to.destroy();
	}
}
