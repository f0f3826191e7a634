import { isObject } from '../values/json';
import { ServiceError } from './serviceError';

/** Network conditions in which the request cannot have reached the service. */
const NEVER_SENT = new Set([
	'ECONNREFUSED',
	'ENOTFOUND',
	'EAI_AGAIN',
	'EHOSTUNREACH',
	'ENETUNREACH',
	'EADDRNOTAVAIL',
	'EPROTO',
]);

/** What Node says of a connection that was lost before it was secure. */
const IN_HANDSHAKE = 'before secure TLS connection was established';

/** What an HTTP client, or Node, says of a request that it could not put together. */
const NOT_A_REQUEST = /^ERR_(INVALID|UNESCAPED|BAD_OPTION|NOT_SUPPORT|HTTP_INVALID)/;

/** For the connection lost where sending again might be charged a second time for many rows. */
export function unknownOutcome({ message }: ServiceError): ServiceError {
	return new ServiceError('unknown_outcome', {
		message: `${message}, so it is unclear whether these items were processed`,
		description:
			'The request was not sent again, because it may have been charged. Check the credits of the account, then run these items again.',
		mayBeCharged: true,
	});
}

/**
 * What to make of an exception of n8n's HTTP helper. Of an exception of the network nothing is kept but
 * its code: it holds the whole request, the key included. An exception without a code comes from n8n or
 * its host, which refused the request before it was sent (no credential, SSRF protection): its message
 * is passed on.
 */
export function connectionError(thrown: unknown): ServiceError {
	const causes = causesOf(thrown);
	const code = causes.map((error) => error.code).find((one) => typeof one === 'string');
	if (typeof code !== 'string' || NOT_A_REQUEST.test(code)) return refusedByN8n(thrown);
	if (code.startsWith('ERR_TLS') || code.includes('CERT') || code.includes('SIGNATURE')) {
		return new ServiceError('refused_base_url', {
			message: "The Base URL's certificate is not valid",
			description: `Check the Base URL of the credential (${code}).`,
		});
	}
	const neverSent = NEVER_SENT.has(code) || causes.some(isHandshake);
	// The code stands in the description: n8n replaces a message that holds one by its own words.
	return new ServiceError('connection', {
		message: neverSent
			? 'The service cannot be reached'
			: 'The connection was lost before a response arrived',
		description: neverSent
			? `Check the Base URL of the credential and the network of this n8n (${code}).`
			: `Run the item again later (${code}).`,
		mayBeCharged: !neverSent,
	});
}

function isHandshake({ message }: Record<string, unknown>): boolean {
	return typeof message === 'string' && message.includes(IN_HANDSHAKE);
}

/** An exception and its causes, from the outermost to the one that was first. */
function causesOf(thrown: unknown): Array<Record<string, unknown>> {
	const causes: Array<Record<string, unknown>> = [];
	for (let error = thrown; isObject(error) && causes.length < 5; error = error.cause) {
		causes.push(error);
	}
	return causes;
}

/** What n8n refused before anything was sent: its own message is passed on. */
export function refusedByN8n(thrown: unknown): ServiceError {
	const { message, description } = causesOf(thrown).at(-1) ?? {};
	return new ServiceError('refused_by_n8n', {
		message: typeof message === 'string' && message !== '' ? message : 'n8n refused the request',
		description:
			typeof description === 'string' && description !== ''
				? description
				: 'The request was not sent. Check the credential, the Request Options of the node and the settings of this n8n.',
	});
}
