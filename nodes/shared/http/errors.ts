import type { IDataObject } from 'n8n-workflow';
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

interface FailureDetails {
	/** What happened. */
	message: string;
	/** What the user can do. */
	description: string;
	httpCode?: number | null;
	/** The pause that the service asks for, in milliseconds. */
	retryAfter?: number;
	/** Whether the service may have charged the request. */
	mayBeCharged?: boolean;
}

/** The longest message, in characters: many items may hold it. */
const MAX_MESSAGE = 500;

/** A request without a usable answer: what happened, and what the user can do. */
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
		this.description = details.description;
		this.httpCode = details.httpCode ?? null;
		this.retryAfter = details.retryAfter;
		this.mayBeCharged = details.mayBeCharged ?? false;
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

/** Codes of Node, and a part of its message, with which the request cannot have reached the service. */
const NEVER_SENT =
	/^E(CONNREFUSED|NOTFOUND|AI_AGAIN|HOSTUNREACH|NETUNREACH|ADDRNOTAVAIL|PROTO)$|before secure TLS connection was established/;

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

/**
 * The error for an exception of n8n's HTTP helper. An exception of the network holds the whole request, the
 * key included: only its code is used. An exception without a code comes from n8n or its host, which refused
 * the request before it was sent (no credential, SSRF protection): its message is passed on.
 */
export function connectionError(thrown: unknown): ServiceError {
	const causes = causesOf(thrown);
	const code = causes.map((error) => error.code).find((one) => typeof one === 'string');
	if (typeof code !== 'string' || NOT_A_REQUEST.test(code)) return refusedByN8n(thrown);
	if (/^ERR_TLS|CERT|SIGNATURE/.test(code)) {
		return new ServiceError('refused_base_url', {
			message: "The Base URL's certificate is not valid",
			description: `Check the Base URL of the credential (${code}).`,
		});
	}
	const said = [code, ...causes.map(({ message }) => String(message))];
	// The code is in the description, as n8n replaces a message that holds one by its own words.
	if (said.some((text) => NEVER_SENT.test(text))) {
		return new ServiceError('connection', {
			message: 'The service cannot be reached',
			description: `Check the Base URL of the credential and the network of this n8n (${code}).`,
		});
	}
	return new ServiceError('connection', {
		message: 'The connection was lost before a response arrived',
		description: `Run the item again later (${code}).`,
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

/** For a request that n8n refused before it was sent, with n8n's own message. */
export function refusedByN8n(thrown: unknown): ServiceError {
	const cause = causesOf(thrown).at(-1) ?? {};
	return new ServiceError('refused_by_n8n', {
		message: textAt(cause, 'message') ?? 'n8n refused the request',
		description:
			textAt(cause, 'description') ??
			'The request was not sent. Check the credential, the Request Options of the node and the settings of this n8n.',
	});
}

/** The message and the description for each reason not to send an item. */
const MESSAGES = {
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
} satisfies Record<string, [message: string, description: string]>;

export type NotProcessedReason = keyof typeof MESSAGES;

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
		this.description = description;
	}
}
