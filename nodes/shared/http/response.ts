import type { IDataObject, IN8nHttpFullResponse } from 'n8n-workflow';
import { Failure } from '../failures/failure';
import { holdsError, idAt, isEmpty, isObject, numberAt, objectAt, wordsIn } from '../values/json';
import { numberOf, parsedUrl, toText } from '../values/text';
import { meaningOf } from './codes';
import { ABOUT_PATHS, unexpectedResponse } from './errors';
import { inJson } from './mask';

/**
 * The JSON of a response (interface specification 1, 7): an object or a list, which is empty where there is no body. Throws a
 * {@link Failure} for anything else. The status of an error decides what it means, whatever JSON its body is.
 */
export function readResponse(response: IN8nHttpFullResponse): object {
	const { statusCode, headers, body } = response;
	const isError = statusCode >= 400;
	if (!isError && statusCode >= 300) throw redirected(statusCode, headers.location);
	if (!isError && typeof body === 'object' && body !== null) return body;
	if (!isError && (body ?? '') === '') return [];
	const { isPath, next } = meaningOf(statusCode);
	// A proxy on the way sends what holds for now, too, with a web page.
	if (isOfService(response) || next === 'again' || next === 'pause') {
		throw isError ? refusalIn(response) : unexpectedResponse('an object or a list in JSON');
	}
	// Another server sent it.
	const status = isError ? ` with status ${statusCode}` : '';
	throw new Failure('not_the_service', {
		message: `The response${status} is not JSON, so it did not come from the service`,
		...(next === 'miss' && { description: ABOUT_PATHS }),
		httpCode: statusCode,
		mayBeCharged: !isError,
		// The page of a firewall, which may be there for some seconds.
		...(statusCode === 403 && { next: 'pause' }),
		isPath,
	});
}

/** Whether a body is JSON, is empty, or begins like JSON that was cut off. */
function isOfService({ headers, body }: IN8nHttpFullResponse): boolean {
	const isText = typeof body === 'string' && body !== '';
	return !isText || /json/i.test(toText(headers['content-type'])) || /^\s*[[{]/.test(body);
}

/** Texts, numbers that lose digits in JavaScript, and what other languages write for numbers that are none. */
const TOKENS = /"(?:[^"\\]|\\[^])*"|(?<![\d.])-?\d{16,}(?![\d.eE])|-?\b(?:NaN|Infinity)\b/g;

/**
 * The JSON in the bytes of a body; a text for anything else. Integers that JavaScript cannot hold become texts, so that
 * they keep their digits; control characters in texts and NaN are read as meant.
 */
export function bodyIn({ body }: IN8nHttpFullResponse): IN8nHttpFullResponse['body'] {
	if (!(body instanceof Uint8Array)) return body;
	const text = new TextDecoder().decode(body);
	// Nearly all are, and the rest takes longer.
	const parsed = /\d{16}/.test(text) ? undefined : parsedJson(text);
	// Some send their JSON as a text in JSON.
	if (typeof parsed === 'string') return parsedJson(parsed) ?? text;
	if (parsed !== undefined) return parsed;
	const readable = text.replace(TOKENS, (token) => {
		if (token.startsWith('"')) return token.replace(/\p{Cc}/gu, inJson);
		if (!/\d/.test(token)) return 'null';
		return Number.isSafeInteger(Number(token)) ? token : `"${token}"`;
	});
	return parsedJson(readable) ?? text;
}

function parsedJson(text: string): IN8nHttpFullResponse['body'] | undefined {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

/** How the headers that state a limit begin, those that say when it ends, and the fields of a body that state a pause. */
const LIMITS = ['ratelimit', 'x-ratelimit', 'x-rate-limit'];
const RESETS = LIMITS.flatMap((name) => [`${name}-reset`, `${name}-reset-after`]);
const PAUSES = ['retry_after', 'retry_after_seconds', 'retryAfter'];

/** The pause that a refusal states, in milliseconds; 0 hides no other one. */
function pauseIn(headers: IDataObject, body: IDataObject, isLimit: boolean): number | undefined {
	const fields = { ...objectAt(body, 'error'), ...body };
	const [, left] = /\bt=(\d+)/.exec(toText(headers.ratelimit)) ?? [];
	const stated = [
		Number(headers['retry-after-ms'] ?? fields.retry_after_ms) / 1000,
		headers['retry-after'],
		...(isLimit ? [...RESETS.map((name) => headers[name]), left] : []),
		...PAUSES.map((name) => fields[name]),
	];
	const pauses = stated.flatMap((value) => retryAfterOf(value) ?? []);
	return pauses.find((pause) => pause > 0) ?? pauses[0];
}

/** How many requests a limit still takes, and how long until its reset, in milliseconds. */
export interface Quota {
	remaining: number;
	reset: number;
}

/** The quota that the headers of a response state, if they do. */
export function quotaIn(headers: IDataObject): Quota | undefined {
	const [, left] = /\br=(\d+)/.exec(toText(headers.ratelimit)) ?? [];
	const stated = [...LIMITS.map((name) => headers[`${name}-remaining`]), left];
	const [remaining] = stated.flatMap((value) => numberOf(value) ?? []);
	if (remaining === undefined) return undefined;
	const reset = pauseIn(headers, {}, true);
	return reset === undefined ? undefined : { remaining, reset };
}

function refusalIn({ statusCode, headers, body }: IN8nHttpFullResponse): Failure {
	const own = isObject(body) ? body : {};
	// A text is the page of a proxy.
	const said = (typeof body !== 'string' && wordsIn(body)) || '';
	const meaning = meaningOf(statusCode, said);
	const { message, next } = meaning;
	const remaining = numberAt(own, 'remaining') ?? undefined;
	const left = remaining === undefined ? '' : `, ${remaining} remaining`;
	// The service may say the same in nearly the same words.
	const isNews = said !== '' && !said.toLowerCase().startsWith(message.toLowerCase());
	return new Failure(meaning.reason, {
		...meaning,
		message: `${message} (${statusCode}${left})${isNews ? `: ${said}` : ''}`,
		httpCode: statusCode,
		remaining,
		retryAfter: pauseIn(headers, own, next === 'pause'),
	});
}

/** Redirects are not followed: they would send the key to another host. */
function redirected(httpCode: number, location: unknown): Failure {
	const target = parsedUrl(toText(location))?.origin;
	const message = `The Base URL redirects${target ? ` to ${target}` : ''}`;
	return new Failure('redirected', { message, httpCode });
}

/**
 * The objects of a list; none for `null`. Throws a {@link Failure} if the value is no list, or if none of its entries
 * is an object; leaves out single entries that are none.
 */
export function objectsIn(value: unknown, expected: string): IDataObject[] {
	if (value === null) return [];
	if (Array.isArray(value)) {
		const objects = value.filter(isObject);
		if (objects.length > 0 || value.length === 0) return objects;
	}
	throw unexpectedResponse(expected, isObject(value) ? value : undefined);
}

/**
 * Returns the value if it is an object that has a property with one of these names. Throws a {@link Failure} for
 * any other value, and for an object that has an error, and only empty properties with these names.
 */
export function objectWith(names: string[], value: unknown, expected: string): IDataObject {
	if (isObject(value)) {
		const held = names.filter((name) => name in value).map((name) => value[name]);
		const isError = held.flat().every(isEmpty) && holdsError(value);
		if (held.length > 0 && !isError) return value;
	}
	throw unexpectedResponse(expected, value);
}

/** What services send in place of the cursor of a next page, at the end: nothing, 0 or a word. */
const END = /^(?:[0.]*|-1|null|none|end|true|false)$/i;

/**
 * The cursor of the next page in a page; `null` at the end. Of a URL it is the parameter. Returns a {@link Failure} for what
 * cannot be used.
 */
export function cursorIn(page: IDataObject, field: string, parameter: string): Cursor {
	const { [field]: sent } = page;
	const text = toText(sent);
	const isUrl = /^https?:\/\/|\?/.test(text);
	const { searchParams } = (isUrl && parsedUrl(text, 'https://service.invalid')) || {};
	const cursor = isUrl
		? idAt(Object.fromEntries(searchParams ?? []), parameter, field)
		: idAt(page, field);
	const isEnd = END.test(String(sent ?? '').trim());
	return isEnd ? null : (cursor ?? unexpectedResponse('a usable next page'));
}

export type Cursor = string | number | null | Failure;

/** The longest pause that is believed, in milliseconds. */
const LONGEST_PAUSE = 366 * 24 * 60 * 60_000;

/** The pause that a value asks for, in milliseconds: a number of seconds, an HTTP date, or a point in time as a number. */
export function retryAfterOf(header: unknown, now = Date.now()): number | undefined {
	const text = toText(header);
	const moment = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN;
	const [, seconds] = /^(\d+(?:\.\d+)?)s?$/i.exec(text) ?? [];
	const pause = seconds === undefined ? Math.max(0, moment - now) : Number(seconds) * 1000;
	// As a point in time it may be in milliseconds, too.
	const since = [pause, pause / 1000].map((point) => Math.max(0, point - now));
	return [pause, ...since].find((one) => one < LONGEST_PAUSE);
}
