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

/** The network code anywhere in a chain of causes, `ECONNRESET` say. */
function networkCode(thrown: unknown): string | undefined {
	for (let error = thrown, depth = 0; isObject(error) && depth < 5; error = error.cause, depth++) {
		if (typeof error.code === 'string') return error.code;
	}
	return undefined;
}

/** A connection lost where a repetition might be charged a second time for many rows. */
export function unknownOutcome({ message }: ServiceError): ServiceError {
	return new ServiceError('unknown_outcome', {
		message: `${message}, so it is not known whether these rows were looked up`,
		description:
			'The request was not repeated, because it may have been charged. Check the credits of the account, then run these items again.',
		mayBeCharged: true,
	});
}

/**
 * What to make of an exception of the HTTP client. Nothing of the exception is kept but its code:
 * it holds the whole request, the key included.
 */
export function connectionError(thrown: unknown): ServiceError {
	const code = networkCode(thrown);
	if (code?.startsWith('ERR_TLS') || code?.includes('CERT') || code?.includes('SIGNATURE')) {
		return new ServiceError('refused_base_url', {
			message: 'The Base URL has no valid certificate',
			description: `Check the Base URL of the credential (${code}).`,
		});
	}
	const neverSent = code !== undefined && NEVER_SENT.has(code);
	// The code stands in the description: n8n replaces a message that holds one by its own words.
	const told = code === undefined ? '' : ` (${code})`;
	return new ServiceError('connection', {
		message: neverSent
			? 'The service cannot be reached'
			: 'The connection was lost before the answer came',
		description: neverSent
			? `Check the Base URL of the credential and the network of this n8n${told}.`
			: `Run the item again later${told}.`,
		mayBeCharged: !neverSent,
	});
}
