import type {
	IAllExecuteFunctions,
	IDataObject,
	IHttpRequestOptions,
	IN8nHttpFullResponse,
} from 'n8n-workflow';
import { CREDENTIAL, inheriting } from '../host/context';
import { holdsError, isEmpty, isObject, numberAt, wordsIn } from '../values/json';
import { cleanText, numberOf, parsedUrl, toText, withScheme } from '../values/text';
import { meaningOf } from './codes';
import { assertGoesTo, type Connection } from './connection';
import {
	ABOUT_PATHS,
	asServiceError,
	connectionError,
	ServiceError,
	unexpectedResponse,
} from './errors';
import { withoutKey } from './mask';

/** Sends one request, without retries; in the JSON of its response the key is masked. Throws a {@link ServiceError}. */
export async function sendOnce(
	n8n: IAllExecuteFunctions,
	{ apiKey, baseUrl, credential }: Connection,
	request: IHttpRequestOptions,
): Promise<object> {
	// n8n's timeout counts silence only, so a response that trickles would never end. And when the execution is
	// stopped, n8n would cut off the requests in progress, whose responses may be paid for.
	const { timeout } = request;
	const deadline = timeout === undefined ? undefined : AbortSignal.timeout(timeout);
	const own = inheriting(n8n, { getExecutionCancelSignal: () => deadline });
	const options: IHttpRequestOptions = {
		...request,
		baseURL: baseUrl,
		headers: { Accept: 'application/json' },
		ignoreHttpStatusErrors: true,
		disableFollowRedirect: true,
		returnFullResponse: true,
	};
	// Without these n8n reads the credential of the first item from its database for each request.
	const credentialsDecrypted = { id: '', name: '', type: CREDENTIAL, data: { ...credential } };
	try {
		assertGoesTo(baseUrl, request.url);
		const response: IN8nHttpFullResponse = await n8n.helpers.httpRequestWithAuthentication
			.call(own, CREDENTIAL, options, { credentialsDecrypted })
			.catch((thrown: unknown) => {
				throw connectionError(deadline?.aborted ? { code: 'ETIMEDOUT' } : thrown);
			});
		const body = readResponse(response);
		try {
			return withoutKey(body, apiKey);
		} catch {
			// It is nested too deep for `JSON.stringify`: no item could hold it.
			throw unexpectedResponse('JSON that n8n can store');
		}
	} catch (error) {
		throw asServiceError(error).without(apiKey);
	}
}

/** The longest delay of a timer in Node, in milliseconds. */
export const MAX_TIMEOUT = 2 ** 31 - 1;

/** Reads "Request Options", which n8n adds to every declarative node. Throws a {@link ServiceError} for an invalid proxy. */
export function requestOptionsOf(parameter: unknown): Partial<IHttpRequestOptions> {
	const { timeout, allowUnauthorizedCerts, proxy } = isObject(parameter) ? parameter : {};
	const milliseconds = Math.min(Math.ceil(numberOf(timeout) ?? 0), MAX_TIMEOUT);
	return {
		...(milliseconds > 0 && { timeout: milliseconds }),
		...(allowUnauthorizedCerts === true && { skipSslCertificateValidation: true }),
		...((proxy ?? '') !== '' && { proxy: proxyOf(proxy) }),
	};
}

/**
 * A proxy in the form of n8n's HTTP helper, from `http://user:secret@host:port` or `host:port`. Throws a
 * {@link ServiceError} for any other, as n8n would send the request without it.
 */
function proxyOf(value: unknown): IHttpRequestOptions['proxy'] {
	const url = parsedUrl(withScheme(cleanText(value), 'http'));
	if (!url || !['http:', 'https:'].includes(url.protocol)) {
		throw new ServiceError('refused_by_n8n', {
			message: 'The proxy is not valid',
			description:
				'Check the Request Options of the node. A proxy looks like http://proxy.example.com:3128.',
		});
	}
	const { hostname: host, port, protocol, username, password } = url;
	return {
		host,
		port: Number(port) || (protocol === 'https:' ? 443 : 80),
		protocol: protocol.replace(':', ''),
		...(`${username}${password}` !== '' && {
			auth: { username: decodedForN8n(username), password: decodedForN8n(password) },
		}),
	};
}

/** A part of a URL, decoded but for the percent signs: n8n encodes all other characters again. */
function decodedForN8n(text: string): string {
	try {
		return decodeURIComponent(text).replaceAll('%', '%25');
	} catch {
		return text;
	}
}

/**
 * The JSON of a response (interface specification 1, 7): an object or a list. Throws a
 * {@link ServiceError} for anything else. The status of an error decides what it means, whatever JSON its body is.
 */
export function readResponse(response: IN8nHttpFullResponse): object {
	const { statusCode, headers, body } = response;
	if (statusCode >= 300 && statusCode < 400) throw redirected(statusCode, headers.location);
	if (statusCode < 300 && typeof body === 'object' && body !== null) return body;
	// A proxy on the way sends what holds for now, too, with a web page.
	const isForNow = statusCode >= 400 && ['again', 'pause'].includes(meaningOf(statusCode).next);
	if (isForNow || (statusCode >= 400 && isJson(response))) throw refusalIn(response);
	// Another server sent it, or a proxy cut it off.
	const status = statusCode < 300 ? '' : ` with status ${statusCode}`;
	throw new ServiceError('not_the_service', {
		message: `The response${status} is not JSON, so it did not come from the service`,
		description:
			meaningOf(statusCode).next === 'miss'
				? ABOUT_PATHS
				: 'Check the Base URL of the credential: a web page, a firewall or a proxy responds there.',
		httpCode: statusCode,
		mayBeCharged: statusCode < 300,
		isPath: meaningOf(statusCode).isPath,
	});
}

/** Whether a body is JSON, or empty. n8n parses what it can, so what begins like an object or a list was cut off. */
function isJson({ headers, body }: IN8nHttpFullResponse): boolean {
	if (typeof body !== 'string' || body === '') return true;
	return /json/i.test(toText(headers['content-type'])) && !/^\s*[[{]/.test(body);
}

function refusalIn({ statusCode, headers, body }: IN8nHttpFullResponse): ServiceError {
	const own = isObject(body) ? body : {};
	// A text is the page of a proxy.
	const said = typeof body === 'string' ? null : wordsIn(body);
	const remaining = numberAt(own, 'remaining');
	const { reason, message, advice, next, isPath } = meaningOf(statusCode);
	const credits = remaining === null ? '' : ` (${remaining} remaining)`;
	// The service may say the same in nearly the same words.
	const isNews = said !== null && !said.toLowerCase().startsWith(message.toLowerCase());
	return new ServiceError(reason, {
		message: `${message}${credits}${isNews ? `: ${said}` : ''}`,
		description: advice,
		httpCode: statusCode,
		next,
		isPath,
		remaining: remaining ?? undefined,
		retryAfter: retryAfterOf(headers['retry-after']),
	});
}

/** Redirects are not followed: they would send the key to another host. */
function redirected(statusCode: number, location: unknown): ServiceError {
	const target = parsedUrl(toText(location))?.origin;
	return new ServiceError('redirected', {
		message: `The Base URL redirects${target ? ` to ${target}` : ''}`,
		description:
			'Redirects are not followed, so that the API key stays with the service. Check the Base URL of the credential.',
		httpCode: statusCode,
	});
}

/**
 * The objects of a list. Throws a {@link ServiceError} if the value is no list, or if none of its entries
 * is an object; leaves out single entries that are none.
 */
export function objectsIn(value: unknown, expected: string): IDataObject[] {
	if (Array.isArray(value)) {
		const objects = value.filter(isObject);
		if (objects.length > 0 || value.length === 0) return objects;
	}
	throw unexpectedResponse(expected, isObject(value) ? value : undefined);
}

/**
 * Returns the value if it is an object that has a property with one of these names. Throws a {@link ServiceError} for
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

/** The longest pause that is believed, in milliseconds: a larger number is a point in time, sent in place of a pause. */
const LONGEST_PAUSE = 366 * 24 * 60 * 60_000;

/** The pause that a `Retry-After` header asks for, in seconds or as an HTTP date, in milliseconds. */
export function retryAfterOf(header: unknown, now = Date.now()): number | undefined {
	const text = toText(header);
	const moment = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN;
	const pause = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : Math.max(0, moment - now);
	return pause < LONGEST_PAUSE ? pause : undefined;
}
