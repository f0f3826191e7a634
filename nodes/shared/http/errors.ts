import type { IDataObject } from 'n8n-workflow';
import { Failure, type Problem, problemOf } from '../failures/failure';
import type { FailedReason, NotSentReason } from '../failures/reasons';
import { isObject, textAt, wordsIn } from '../values/json';
import type { Next } from './codes';
import { withoutKey } from './mask';

interface FailureDetails
	extends Pick<Problem, 'message' | 'description' | 'httpCode'>,
		Partial<Pick<Problem, 'status'>> {
	/** The pause that the service asks for, in milliseconds. */
	retryAfter?: number;
	/** Whether the service may have charged the request. */
	mayBeCharged?: boolean;
	/** How many credits are left, where the service refused a request for them (interface specification 7). */
	remaining?: number;
	/** What happens after it; by default, it is sent again after a lost connection, and else it fails. */
	next?: Next;
	/** Whether the service may not have the path. */
	isPath?: boolean;
	/** The most retries that may help, if fewer than those of the run. */
	maxRetries?: number;
}

/** The longest message, in characters: many items may hold it. */
const MAX_MESSAGE = 500;

/** A request without a usable response: what happened, and what the user can do. */
export class ServiceError extends Failure {
	readonly httpCode: number | null;
	readonly retryAfter: number | undefined;
	readonly mayBeCharged: boolean;

	constructor(
		override readonly reason: FailedReason,
		private readonly details: FailureDetails,
	) {
		const { message, description, httpCode = null, retryAfter, status = 'failed' } = details;
		const stated = retryAfter === undefined ? {} : { retryAfter };
		super({ status, reason, message, description, httpCode, ...stated });
		this.httpCode = httpCode;
		this.retryAfter = retryAfter;
		this.mayBeCharged = details.mayBeCharged ?? false;
	}

	get next(): Next {
		return this.details.next ?? (this.reason === 'connection' ? 'again' : 'end');
	}

	get maxRetries(): number {
		return this.details.maxRetries ?? Number.POSITIVE_INFINITY;
	}

	get isPath(): boolean {
		return this.details.isPath === true;
	}

	/** Whether what was asked for is no more (410), and does not come back. */
	get isGone(): boolean {
		return this.reason === 'not_found' && this.next === 'end' && !this.isPath;
	}

	/** Whether the service was able to respond, and did not refuse the account for now. */
	get isAccepted(): boolean {
		return this.httpCode !== null && this.next !== 'again' && this.next !== 'pause';
	}

	/** A copy whose message says how often the request was sent. */
	after(attempts: number): ServiceError {
		return attempts === 1 ? this : this.saying(` (sent ${attempts} times)`);
	}

	/** A copy whose message says more. */
	saying(more: string): ServiceError {
		const message = `${this.message.replace(/\.+$/, '')}${more}`;
		return new ServiceError(this.reason, { ...this.details, message });
	}

	/** A copy that says what the request may have needed, where there were not enough credits for it. */
	needing(credits: number): ServiceError {
		if (this.reason !== 'out_of_credits' || credits < 2) return this;
		return this.saying(`. This request may have needed ${credits}, and was not charged`);
	}

	/** How many credits are left for a smaller request than one that needed so many; 0 where that is not known. */
	leftOf(credits: number): number {
		const remaining = Math.floor(this.details.remaining ?? 0);
		return this.reason === 'out_of_credits' && remaining < credits ? Math.max(0, remaining) : 0;
	}

	/** A copy in which the key is masked, with a message of at most 500 characters. */
	without(key: string): ServiceError {
		const details = withoutKey({ ...this.details }, key);
		const isLong = details.message.length > MAX_MESSAGE;
		if (isLong) details.message = `${details.message.slice(0, MAX_MESSAGE)}…`;
		return new ServiceError(this.reason, details);
	}
}

/** Returns the error for a response that lacks what the interface specification promises. It quotes what that says. */
export function unexpectedResponse(expected: string, response?: unknown): ServiceError {
	const words = wordsIn(response)?.slice(0, MAX_MESSAGE);
	return new ServiceError('unexpected_answer', {
		message: `The service sent a response without ${expected}${words ? `: ${words}` : ''}`,
		description: words
			? 'The words after the colon are of your provider: check your plan there. If they name a field or a path, run Check API of Contact Data Account.'
			: 'Run again later. If it happens each time, run Check API of Contact Data Account.',
		mayBeCharged: true,
	});
}

/** What to do about a 404 of a path. */
export const ABOUT_PATHS =
	'Run Check API of Contact Data Account: it says whether your provider uses another path. Else check the Base URL.';

/** Returns the error for a 404 of a request that names no list or job. */
export function unknownPath(path: string): ServiceError {
	return new ServiceError('not_found', {
		message: `The service does not know the path ${path}`,
		description: ABOUT_PATHS,
		httpCode: 404,
		isPath: true,
	});
}

/** The exception as a {@link ServiceError}. Any other is a fault of this package: it fails one request only. */
export function asServiceError(thrown: unknown): ServiceError {
	if (thrown instanceof ServiceError) return thrown;
	return new ServiceError('unexpected', {
		...problemOf(thrown),
		status: 'failed',
		mayBeCharged: true,
	});
}

/** Whether the service knows nothing of what was asked. */
export function isMiss(thrown: unknown): boolean {
	return thrown instanceof ServiceError && thrown.next === 'miss';
}

/** Whether the service refuses the account, and so every other request too. */
export function isOfAccount(
	failure: ServiceError,
): failure is ServiceError & { reason: NotSentReason } {
	return failure.next === 'halt';
}

/** Whether the service may not have the path of a request. */
export function isPathError(thrown: unknown): boolean {
	return thrown instanceof ServiceError && thrown.isPath;
}

/** Codes of an HTTP client, or of Node, for a request that could not be put together. */
const NOT_A_REQUEST = /^ERR_(INVALID|UNESCAPED|BAD_OPTION|NOT_SUPPORT|HTTP_INVALID)/;

/** Returns the error for a lost connection where a second request might charge many rows again. */
export function unknownOutcome({ message }: ServiceError): ServiceError {
	return new ServiceError('unknown_outcome', {
		message: `${message}, so it is unclear whether these items were processed`,
		description:
			'The request was not sent again, because it may have been charged. Check the credits of the account, then run again.',
		mayBeCharged: true,
	});
}

/** Codes of Node for a response that breaks HTTP or its own compression. */
const UNREADABLE = /^(HPE|Z)_/;

/** Messages for what the network reports before anything is sent, by a code of Node or by a part of its message. */
const UNREACHABLE: Array<[said: RegExp, message: string, reason?: FailedReason]> = [
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
 * The error for an exception of n8n's HTTP helper. An exception of the network holds the whole request, the
 * key included: only its code and the name of the host are used. An exception without a code comes from n8n or its
 * host, which refused the request before it was sent (no credential, SSRF protection): its message is passed on.
 */
export function connectionError(thrown: unknown): ServiceError {
	const causes = causesOf(thrown);
	const code = causes.map((error) => error.code).find((one) => typeof one === 'string');
	if (typeof code !== 'string' || NOT_A_REQUEST.test(code)) return refusedByN8n(thrown);
	const said = [code, ...causes.map(({ message }) => String(message))];
	const unreachable = UNREACHABLE.find(([pattern]) => said.some((text) => pattern.test(text)));
	if (unreachable) {
		const [, message, reason = 'connection'] = unreachable;
		const host = causes.map((cause) => textAt(cause, 'hostname')).find((name) => name !== null);
		return new ServiceError(reason, {
			message: host ? message.replace('of the Base URL', host) : message,
			// A code goes here, as n8n replaces a message that holds one by its own words.
			description: `Check the Base URL of the credential, and the network of this n8n (${code}).`,
			// A host that does not exist does not come to exist meanwhile. `EAI_AGAIN` may be over soon.
			...(code === 'ENOTFOUND' && { maxRetries: 1 }),
		});
	}
	// The service responded, so it has done its work.
	if (UNREADABLE.test(code)) return unexpectedResponse(`a form that n8n can read (${code})`);
	const isTimeout = ['ETIMEDOUT', 'ECONNABORTED'].includes(code);
	return new ServiceError('connection', {
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

/** Returns the error for a request that n8n itself refused, with n8n's own message. */
export function refusedByN8n(thrown: unknown): ServiceError {
	const cause = causesOf(thrown).at(-1) ?? {};
	return new ServiceError('refused_by_n8n', {
		message: textAt(cause, 'message') ?? 'n8n refused the request',
		description:
			textAt(cause, 'description') ??
			'The request was not sent. Check the credential, the Request Options of the node and the settings of this n8n.',
	});
}
