import { readFile } from 'node:fs/promises';

import fastify, { type FastifyInstance, type RouteHandlerMethod } from 'fastify';

import { Failure } from '../../machine/failure.mjs';
import { isRecord } from '../values.mts';

/** A request and its answer, as they came over the wire or with stand-ins. */
export interface Exchange {
	request: {
		method: string;
		path: string;
		/** A list where a parameter is repeated. */
		query: Record<string, string | string[]>;
		body?: unknown;
	};
	response: {
		status: number;
		headers: Record<string, string>;
		body?: unknown;
		/** How many bytes a body has that is no JSON: they are not written. */
		length?: number;
	};
}

/** The content of a file of `test/recordings/`. */
export interface Recording {
	version: 1;
	/** A day. */
	made: string;
	exchanges: Exchange[];
}

/** The largest body of a request, in bytes. */
const BODY_LIMIT = 50_000_000;

/** A server that hands on every request, with its body as it came. */
export function serverFor(answer: RouteHandlerMethod): FastifyInstance {
	const app = fastify({ forceCloseConnections: true, bodyLimit: BODY_LIMIT });
	app.removeAllContentTypeParsers();
	app.addContentTypeParser('*', { parseAs: 'buffer' }, async (_: unknown, body: Buffer) => body);
	app.all('/*', answer);
	return app;
}

/** Headers of one connection only, and the codings of a body: a recording needs it in clear. */
const OF_CONNECTION =
	/^(?:host|connection|keep-alive|te|trailer|upgrade|expect|proxy-.*|transfer-encoding|content-length|accept-encoding)$/;

/** The headers that a proxy passes on. */
export function passedOn(headers: Record<string, string | string[] | undefined>) {
	const passed = Object.entries(headers).filter(([name]) => !OF_CONNECTION.test(name));
	return Object.fromEntries(passed);
}

/** A request by its URL and its body; a body that is no JSON is left out. */
export function requestIn(method: string, url: string, body: unknown): Exchange['request'] {
	const { pathname, searchParams } = new URL(url, 'http://service');
	const query: Exchange['request']['query'] = {};
	for (const name of new Set(searchParams.keys())) {
		const values = searchParams.getAll(name);
		query[name] = values.length === 1 ? values.join() : values;
	}
	return { method, path: pathname, query, ...bodyIn(body) };
}

/** The JSON of a body, or its length if it is none. */
export function bodyIn(bytes: unknown): Pick<Exchange['response'], 'body' | 'length'> {
	const text = Buffer.isBuffer(bytes) ? bytes.toString() : '';
	try {
		return { body: JSON.parse(text) };
	} catch {
		return text === '' ? {} : { length: Buffer.byteLength(text) };
	}
}

/** The same for requests that ask the same, whatever the order of their parameters. */
export function identityOf({ method, path, query, body }: Exchange['request']): string {
	const parameters = Object.entries(query).toSorted(([a], [b]) => (a < b ? -1 : 1));
	return JSON.stringify([method, path, parameters, body]);
}

/** Reads a file that `npm run service -- --record` has written. */
export async function readRecording(file: string): Promise<Recording> {
	const content: unknown = await readFile(file, 'utf8')
		.then((text) => JSON.parse(text))
		.catch((cause: unknown) => {
			throw new Failure(`${file} cannot be read: ${String(cause)}`);
		});
	if (isRecording(content)) return content;
	throw new Failure(`${file} is no recording.`, {
		remedy: 'Recordings are made by `npm run service -- --record FILE --target URL`.',
	});
}

function isRecording(content: unknown): content is Recording {
	return isRecord(content) && content.version === 1 && Array.isArray(content.exchanges);
}
