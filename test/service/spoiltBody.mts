import { Readable } from 'node:stream';

import type { FastifyReply } from 'fastify';

import type { BodyEffect } from './faults.mts';

const page =
	'<!doctype html><html><head><title>Welcome</title></head><body>It works!</body></html>';

/** Replaces the answer by what the fault sends; the length announced is true except for `cut-off`. */
export function spoiltBody(
	reply: FastifyReply,
	payload: string,
	{ body, status }: BodyEffect,
): string | Readable {
	if (status !== undefined) reply.code(status);
	if (typeof body === 'object') return body.json;
	const half = Buffer.from(payload).subarray(0, Math.floor(Buffer.byteLength(payload) / 2));
	switch (body) {
		case 'truncated':
			return half.toString('latin1');
		case 'cut-off':
			reply.header('content-length', Buffer.byteLength(payload)).header('connection', 'close');
			return Readable.from([half]);
		case 'html':
			reply.type('text/html; charset=utf-8');
			return page;
		case 'text':
			reply.type('text/plain; charset=utf-8');
			return 'Something else answered.';
		case 'json-scalar':
			return '42';
		case 'empty':
			return '';
		case 'echo':
			return JSON.stringify({
				error: 'debug',
				message: String(reply.request.headers['x-access-key']),
			});
	}
}
