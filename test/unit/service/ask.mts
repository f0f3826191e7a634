import { request } from 'undici';

import type { Service } from '../../service/service.mts';

export interface Reply {
	status: number;
	headers: Record<string, string | string[] | undefined>;
	text: string;
}

export interface Question {
	method?: 'GET' | 'POST';
	headers?: Record<string, string>;
	body?: unknown;
}

export const key = 'test-key';

/** Sends one request as a well-behaved client does; what is given replaces its headers. */
export async function ask(service: Service, path: string, question: Question = {}): Promise<Reply> {
	const { body } = question;
	const { method = body === undefined ? 'GET' : 'POST' } = question;
	const answer = await request(service.baseUrl + path, {
		method,
		headers: {
			'x-access-key': key,
			accept: 'application/json',
			...(body === undefined ? {} : { 'content-type': 'application/json' }),
			...question.headers,
		},
		body: body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
	});
	return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() };
}

/** The parsed body of an answer with the status expected. */
export async function json(
	service: Service,
	path: string,
	question: Question & { status?: number } = {},
) {
	const { status = 200, ...rest } = question;
	const reply = await ask(service, path, rest);
	if (reply.status !== status) throw new Error(`${path}: ${reply.status} ${reply.text}`);
	return JSON.parse(reply.text);
}

/** A query string in which every value is percent-encoded. */
export function query(values: Record<string, string | number | boolean>): string {
	const texts = Object.entries(values).map(([name, value]) => [name, String(value)]);
	return new URLSearchParams(Object.fromEntries(texts)).toString();
}
