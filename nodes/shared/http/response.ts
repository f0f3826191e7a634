import type { IDataObject, IN8nHttpFullResponse } from 'n8n-workflow';
import { holdsError, isEmpty, isObject, numberAt, wordsIn } from '../values/json';
import { parsedUrl, toText } from '../values/text';
import { ABOUT_PATHS, ServiceError, unexpectedResponse } from './errors';
import type { FailedReason } from '../failures/reasons';

/** The refusals by status code (interface specification 7). */
const STATUS_CODES: Record<number, [reason: FailedReason, message: string, advice: string]> = {
	400: [
		'bad_request',
		'The service did not accept the values of this request',
		'Check the fields of the node for this item. If every item fails, run Check API of Contact Data Account.',
	],
	401: [
		'unauthorized',
		'The service did not accept the API key',
		'Check the API Key of the credential. A rotated key stops working at once.',
	],
	402: [
		'out_of_credits',
		'Not enough credits',
		'Add credits to the account, then run only these items again.',
	],
	403: [
		'forbidden',
		'Your plan does not include this feature',
		'Check your plan with your provider.',
	],
	404: [
		'not_found',
		'The list or job was not found',
		'Check that it still exists and belongs to the account of the credential.',
	],
	409: [
		'conflict',
		'The request conflicts with another one',
		'Try again once the other request finishes.',
	],
	429: [
		'rate_limited',
		'The service refuses requests for its rate limit',
		'Run these items later, or check the rate limit of your plan.',
	],
	// And any other status code below 500.
	405: [
		'bad_request',
		'The service did not accept this request',
		'Check the fields of the node, and Customize API Requests in the credential.',
	],
	// And any other status code from 500.
	503: ['service_unavailable', 'The service is temporarily unavailable', 'Run these items later.'],
};

/**
 * The JSON of a response (interface specification 1, 7): an object or a list. Throws a
 * {@link ServiceError} for anything else. The status of an error decides what it means, whatever JSON its body is.
 */
export function readResponse(response: IN8nHttpFullResponse): object {
	const { statusCode, headers, body } = response;
	if (statusCode >= 300 && statusCode < 400) throw redirected(statusCode, headers.location);
	if (statusCode < 300 && typeof body === 'object' && body !== null) return body;
	// A proxy on the way sends these too, with a web page.
	const isRetryable = statusCode >= 500 || statusCode === 429;
	if (isRetryable || (statusCode >= 400 && isJson(response))) throw refusalIn(response);
	// Another server sent it, or a proxy cut it off.
	const status = statusCode < 300 ? '' : ` with status ${statusCode}`;
	throw new ServiceError('not_the_service', {
		message: `The response${status} is not JSON, so it did not come from the service`,
		description:
			statusCode === 404
				? ABOUT_PATHS
				: 'Check the Base URL of the credential: a web page, a firewall or a proxy responds there.',
		httpCode: statusCode,
		mayBeCharged: statusCode < 300,
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
	const other = statusCode >= 500 ? 503 : 405;
	const [reason, message, description] = STATUS_CODES[statusCode] ?? STATUS_CODES[other];
	const credits = remaining === null ? '' : ` (${remaining} remaining)`;
	// The service may say the same in nearly the same words.
	const isNews = said !== null && !said.toLowerCase().startsWith(message.toLowerCase());
	return new ServiceError(reason, {
		message: `${message}${credits}${isNews ? `: ${said}` : ''}`,
		description,
		httpCode: statusCode,
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
