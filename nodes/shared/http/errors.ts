import type { IDataObject } from 'n8n-workflow';
import { Failure } from '../failures/failure';
import { REASONS } from '../failures/reasons';
import { isObject, textAt, wordsIn } from '../values/json';

/** Returns the failure of a response that lacks what the interface specification promises. It quotes what that says. */
export function unexpectedResponse(expected: string, response?: unknown): Failure {
	const words = wordsIn(response);
	const message = `The service sent a response without ${expected}`;
	if (words === null) return new Failure('unexpected_answer', { message });
	return new Failure('unexpected_answer', {
		message: `${message}: ${words}`,
		description: `The words after the colon are of your provider. ${REASONS.unexpected_answer.todo}.`,
	});
}

/** What to do about a 404 of a path. */
export const ABOUT_PATHS =
	'Run Check API of Contact Data Account: it says whether your provider uses another path. Else check the Base URL.';

/** Returns the failure of a 404 of a request that names no list or job. */
export function unknownPath(path: string): Failure {
	return new Failure('not_found', {
		message: `The service does not know the path ${path}`,
		description: ABOUT_PATHS,
		httpCode: 404,
	});
}

/** Codes of an HTTP client, or of Node, for a request that could not be put together. */
const NOT_A_REQUEST = /^ERR_(INVALID|UNESCAPED|BAD_OPTION|NOT_SUPPORT|HTTP_INVALID)/;

/** Codes of Node for a response that breaks HTTP or its own compression. */
const UNREADABLE = /^(HPE|Z)_/;

/** What the network reports before anything is sent, by a code of Node or by a part of its message. */
const UNREACHABLE: Array<[said: RegExp, message: string, reason?: 'refused_base_url']> = [
	[/^(ENOTFOUND|EAI_AGAIN)$/, 'The host of the Base URL was not found'],
	[/^ECONNREFUSED$/, 'The Base URL refused the connection'],
	[/^E(HOSTUNREACH|NETUNREACH|ADDRNOTAVAIL)$/, 'The Base URL cannot be reached'],
	[
		/^ERR_TLS|^[A-Z_]*(CERT|SIGNATURE)/,
		"The Base URL's certificate is not valid",
		'refused_base_url',
	],
	[/^EPROTO$|WRONG_VERSION|before secure TLS connection/, 'The Base URL does not accept https'],
];

/**
 * The failure of a request that n8n's HTTP helper throws at. An exception of the network holds the whole request, the key
 * included: only its code and the name of the host are used. An exception without a code comes from n8n or its host, which
 * refused the request before it was sent (no credential, SSRF protection): its message is passed on.
 */
export function connectionError(thrown: unknown): Failure {
	const causes = causesOf(thrown);
	const code = causes.map((error) => error.code).find((one) => typeof one === 'string');
	if (typeof code !== 'string' || NOT_A_REQUEST.test(code)) return refusedByN8n(thrown);
	// The service responded, so it has done its work.
	if (UNREADABLE.test(code)) return unexpectedResponse(`a form that n8n can read (${code})`);
	const said = [code, ...causes.map(({ message }) => String(message))];
	const unreachable = UNREACHABLE.find(([pattern]) => said.some((text) => pattern.test(text)));
	if (unreachable) {
		const [, message, reason = 'connection'] = unreachable;
		const host = causes.map((cause) => textAt(cause, 'hostname')).find((name) => name !== null);
		return new Failure(reason, {
			message: host ? message.replace('of the Base URL', host) : message,
			// A code goes here, as n8n replaces a message that holds one by its own words.
			description: `Check the Base URL of the credential, and the network of this n8n (${code}).`,
			// A host that does not exist does not come to exist meanwhile. `EAI_AGAIN` may be over soon.
			...(code === 'ENOTFOUND' && { maxRetries: 1 }),
		});
	}
	const isTimeout = ['ETIMEDOUT', 'ECONNABORTED'].includes(code);
	return new Failure('connection', {
		message: isTimeout
			? 'The service did not respond in time'
			: 'The connection was lost before a response arrived',
		description: `Run again later${isTimeout ? ', or check the Base URL of the credential' : ''} (${code}).`,
		mayBeCharged: true,
	});
}

/** An exception and its causes, the first cause last. */
function causesOf(thrown: unknown): IDataObject[] {
	const causes: IDataObject[] = [];
	for (let error = thrown; isObject(error) && causes.length < 5; error = error.cause) {
		causes.push(error);
	}
	return causes;
}

/** Returns the failure of a request that n8n itself refused, with n8n's own words. */
export function refusedByN8n(thrown: unknown): Failure {
	const cause = causesOf(thrown).at(-1) ?? {};
	const [message, description] = [textAt(cause, 'message'), textAt(cause, 'description')];
	return new Failure('refused_by_n8n', {
		...(message !== null && { message }),
		...(description !== null && { description }),
	});
}
