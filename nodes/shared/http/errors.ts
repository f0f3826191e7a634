import type { IDataObject } from 'n8n-workflow';
import { Failure, type Problem } from '../values/failure';
import { isObject, textAt } from '../values/json';
import { withoutKey } from './mask';

/** Why a request failed, in words that a workflow can route by. */
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

interface FailureDetails extends Pick<Problem, 'message' | 'description' | 'httpCode'> {
	/** The pause that the service asks for, in milliseconds. */
	retryAfter?: number;
	/** Whether the service may have charged the request. */
	mayBeCharged?: boolean;
}

/** The longest message, in characters: many items may hold it. */
const MAX_MESSAGE = 500;

/** A request without a usable answer: what happened, and what the user can do. */
export class ServiceError extends Failure {
	readonly httpCode: number | null;

	readonly retryAfter: number | undefined;

	readonly mayBeCharged: boolean;

	constructor(
		override readonly reason: FailureReason,
		private readonly details: FailureDetails,
	) {
		const { message, description, httpCode = null, retryAfter, mayBeCharged = false } = details;
		// The request that ran into the end of the credits was refused, so the item can be sent again.
		const status = reason === 'out_of_credits' ? 'not_processed' : 'failed';
		super({ status, reason, message, description, httpCode });
		this.httpCode = httpCode;
		this.retryAfter = retryAfter;
		this.mayBeCharged = mayBeCharged;
	}

	/** A copy whose message says how often the request was sent. */
	after(attempts: number): ServiceError {
		if (attempts === 1) return this;
		const message = `${this.message} (sent ${attempts} times)`;
		return new ServiceError(this.reason, { ...this.details, message });
	}

	/** A copy in which the key is masked, with a message of at most 500 characters. */
	without(key: string): ServiceError {
		const details = withoutKey({ ...this.details }, key);
		const isLong = details.message.length > MAX_MESSAGE;
		if (isLong) details.message = `${details.message.slice(0, MAX_MESSAGE)}…`;
		return new ServiceError(this.reason, details);
	}
}

/** For an answer that lacks what the interface specification promises. */
export function unexpectedAnswer(expected: string): ServiceError {
	return new ServiceError('unexpected_answer', {
		message: `The service sent a response without ${expected}`,
		description:
			'Run the item again later. If it happens each time, check Customize API Requests in the credential.',
		mayBeCharged: true,
	});
}

/** For a 404 of a request that names no list or job. */
export function unknownPath(): ServiceError {
	return new ServiceError('not_found', {
		message: 'The service does not know the path of this request',
		description:
			'Check the Base URL of the credential, and the path under Customize API Requests if your provider uses another one.',
		httpCode: 404,
	});
}

/** The message and the description in one text, where n8n shows the message alone. */
export function inFull({ message, description }: FailureDetails): string {
	return `${message.replace(/(?<!\.)\.+$/, '')}. ${description}`;
}

/** The exception as a {@link ServiceError}. Any other is a fault of this package: it fails one request only. */
export function asServiceError(thrown: unknown): ServiceError {
	if (thrown instanceof ServiceError) return thrown;
	return new ServiceError('unexpected', {
		message: thrown instanceof Error ? thrown.message : String(thrown),
		description: 'Run the item again. If it happens each time, please report it.',
		mayBeCharged: true,
	});
}

/** Whether the service answered 404. */
export function isNotFound(thrown: unknown): boolean {
	return thrown instanceof ServiceError && thrown.reason === 'not_found';
}

/** Codes of an HTTP client, or of Node, that could not put the request together. */
const NOT_A_REQUEST = /^ERR_(INVALID|UNESCAPED|BAD_OPTION|NOT_SUPPORT|HTTP_INVALID)/;

/** For a lost connection, where the request might be charged a second time for many rows. */
export function unknownOutcome({ message }: ServiceError): ServiceError {
	return new ServiceError('unknown_outcome', {
		message: `${message}, so it is unclear whether these items were processed`,
		description:
			'The request was not sent again, because it may have been charged. Check the credits of the account, then run these items again.',
		mayBeCharged: true,
	});
}

/** What it means when the network says this, by a code of Node or a part of its message: nothing was sent. */
const UNREACHABLE: Array<[said: RegExp, message: string, reason?: FailureReason]> = [
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
		});
	}
	const isTimeout = ['ETIMEDOUT', 'ECONNABORTED'].includes(code);
	return new ServiceError('connection', {
		message: isTimeout
			? 'The service did not respond in time'
			: 'The connection was lost before a response arrived',
		description: `Run the item again later${isTimeout ? ', or check the Base URL of the credential' : ''} (${code}).`,
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

/** With n8n's own message. */
export function refusedByN8n(thrown: unknown): ServiceError {
	const cause = causesOf(thrown).at(-1) ?? {};
	return new ServiceError('refused_by_n8n', {
		message: textAt(cause, 'message') ?? 'n8n refused the request',
		description:
			textAt(cause, 'description') ??
			'The request was not sent. Check the credential, the Request Options of the node and the settings of this n8n.',
	});
}

/** For each reason not to send an item: its short words, what to do first, and whether the service caused it. */
const NOT_SENT = {
	out_of_credits: ['out of credits', 'Add credits to the account', true],
	credit_limit: ['Max Credits reached', 'Raise Max Credits in the options'],
	credit_floor: ['Keep Credits reached', 'Add credits to the account, or lower Keep Credits'],
	manual_limit: [
		'Max Items in Manual Runs reached',
		'Raise Max Items in Manual Runs (0 means all)',
	],
	cancelled: ['execution stopped', 'Check why it was stopped'],
	unauthorized: ['API key not accepted', 'Check the API Key of the credential', true],
	service_down: ['service not responding', 'Wait until the service responds', true],
	rate_limited: ['rate limit still exceeded', 'Wait, or check the rate limit of your plan', true],
	account_unreadable: ['account not readable', 'Check why, or remove Keep Credits', true],
	stopped: ['another item stopped the workflow', 'Check the item named there'],
} satisfies Record<string, [short: string, first: string, isCausedByService?: true]>;

export type NotProcessedReason = keyof typeof NOT_SENT;

const reasons = new Map<string, readonly [string, string, true?]>(Object.entries(NOT_SENT));

/** The reason in a few words; the reason itself if it is none for which an item is not sent. */
export function shortOf(reason: string): string {
	return reasons.get(reason)?.[0] ?? reason;
}

/** Whether items are not sent because of the service, and not because of a setting or a person. */
export function isCausedByService(reason: string): boolean {
	return reasons.get(reason)?.[2] ?? false;
}

/** Thrown instead of sending a request: nothing was sent and nothing charged. */
export class NotProcessed extends Failure {
	constructor(
		override readonly reason: NotProcessedReason,
		cause?: Error,
	) {
		const [short, first] = NOT_SENT[reason];
		super({
			status: 'not_processed',
			reason,
			message: `Not sent: ${short}${cause ? ` (${cause.message})` : ''}`,
			description: `${first}, then run the remaining items again.`,
		});
	}
}
