import { isObject } from '../values/json';
import { withoutTrailing } from '../values/text';
import { withoutKey } from './mask';

/** Why a request brought no answer, in words that a workflow can route by. */
export type FailureReason =
	| 'refused_base_url'
	| 'bad_request'
	| 'unauthorized'
	| 'out_of_credits'
	| 'forbidden'
	| 'not_found'
	| 'conflict'
	| 'rate_limited'
	| 'service_unavailable'
	| 'connection'
	| 'redirected'
	| 'not_the_service'
	| 'unexpected_answer'
	| 'unknown_outcome'
	| 'job_failed'
	| 'refused_by_n8n'
	| 'unexpected';

interface FailureDetails {
	/** What happened, without its remedy. */
	message: string;
	/** What to do now. */
	description: string;
	httpCode?: number;
	/** How long the service asks to wait before the request is repeated, in milliseconds. */
	retryAfter?: number;
	/** Whether the service may have carried out (and charged) the request all the same. */
	mayBeCharged?: boolean;
}

/** A request that brought no usable answer: what happened, and what the user can do. */
export class ServiceError extends Error {
	readonly description: string;

	readonly httpCode: number | null;

	readonly retryAfter: number | undefined;

	readonly mayBeCharged: boolean;

	constructor(
		readonly reason: FailureReason,
		private readonly details: FailureDetails,
	) {
		super(details.message);
		this.name = 'ServiceError';
		this.description = details.description;
		this.httpCode = details.httpCode ?? null;
		this.retryAfter = details.retryAfter;
		this.mayBeCharged = details.mayBeCharged ?? false;
	}

	/** The same, telling how often the request was sent. */
	after(attempts: number): ServiceError {
		if (attempts === 1) return this;
		const message = `${this.message} (sent ${attempts} times)`;
		return new ServiceError(this.reason, { ...this.details, message });
	}

	/** The same, with the key masked wherever the service sent it back. */
	without(key: string): ServiceError {
		const { message, description } = this;
		const masked = withoutKey({ message, description }, key);
		const texts = { ...masked, message: shortened(masked.message) };
		return new ServiceError(this.reason, { ...this.details, ...texts });
	}
}

/** The longest message, in characters: it goes into every item that the same thing happened to. */
const MAX_MESSAGE = 500;

function shortened(message: string): string {
	return message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE)}…` : message;
}

/** For an answer whose JSON lacks what the interface specification promises. */
export function unexpectedAnswer(expected: string): ServiceError {
	return new ServiceError('unexpected_answer', {
		message: `The service sent a response without ${expected}`,
		description:
			'Run the item again later. If it happens each time, check Customize API Requests in the credential.',
		mayBeCharged: true,
	});
}

/** For a 404 where no list or job can be missing: the path itself is not there. */
export function unknownPath(): ServiceError {
	return new ServiceError('not_found', {
		message: 'The service does not know the path of this request',
		description:
			'Check the Base URL of the credential, and the path under Customize API Requests if your provider uses another one.',
		httpCode: 404,
	});
}

/** What happened and what to do, in one text, for where n8n shows no description. */
export function inFull({
	message,
	description,
}: Pick<FailureDetails, 'message' | 'description'>): string {
	return `${withoutTrailing(message, '.')}. ${description}`;
}

/**
 * The exception as a {@link ServiceError}. Any other is a fault in this package: it fails what it hit,
 * and nothing else.
 */
export function asServiceError(thrown: unknown): ServiceError {
	if (thrown instanceof ServiceError) return thrown;
	return new ServiceError('unexpected', {
		message: thrown instanceof Error ? thrown.message : String(thrown),
		description: 'Run the item again. If it happens each time, please report it.',
		mayBeCharged: true,
	});
}

/** Whether the service answered that it does not have something (404). */
export function isNotFound(thrown: unknown): boolean {
	return thrown instanceof ServiceError && thrown.reason === 'not_found';
}

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

/** Why an item was not sent; `stopped`: another item already stops the workflow. */
export type NotProcessedReason =
	| 'out_of_credits'
	| 'credit_limit'
	| 'credit_floor'
	| 'manual_limit'
	| 'cancelled'
	| 'unauthorized'
	| 'service_down'
	| 'rate_limited'
	| 'account_unreadable'
	| 'stopped';

const MESSAGES: Record<NotProcessedReason, [message: string, description: string]> = {
	out_of_credits: [
		'Not sent: the account is out of credits',
		'Add credits to the account, then run the remaining items again.',
	],
	credit_limit: [
		'Not sent: the node has spent what Max Credits allows',
		'Raise Max Credits in the options, then run the remaining items again.',
	],
	credit_floor: [
		'Not sent: this could take the account below the number of credits in Keep Credits',
		'Add credits to the account, or lower Keep Credits in the options, then run the remaining items again.',
	],
	manual_limit: [
		'Not sent: this manual run has looked up as many items as Max Items in Manual Runs allows',
		'Raise Max Items in Manual Runs in the options, or run the workflow in production, where it does not apply.',
	],
	cancelled: ['Not sent: the execution was stopped', 'Run the remaining items again.'],
	unauthorized: [
		'Not sent: the service did not accept the API key',
		'Check the API Key of the credential, then run the remaining items again.',
	],
	service_down: [
		'Not sent: the service did not respond to the last requests',
		'Run the remaining items again when the service responds.',
	],
	rate_limited: [
		'Not sent: the service refused the last requests for its rate limit, after all retries',
		'Run the remaining items later. If it happens each time, check with your provider how many requests your plan allows.',
	],
	account_unreadable: [
		'Not sent: the account could not be read, which Keep Credits needs',
		'See what the service said, or remove Keep Credits from the options.',
	],
	stopped: ['Not sent: another item stopped the workflow', 'See the item named there.'],
};

/** Thrown instead of sending a request: nothing was sent and nothing charged. */
export class NotProcessed extends Error {
	readonly description: string;

	/** @param cause the failure of an earlier request */
	constructor(
		readonly reason: NotProcessedReason,
		cause?: Error,
	) {
		const [message, description] = MESSAGES[reason];
		super(cause ? `${message} (${cause.message})` : message);
		this.name = 'NotProcessed';
		this.description = description;
	}
}
