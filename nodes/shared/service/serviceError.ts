import { withoutTrailing } from '../values/text';
import { withoutKey } from './secret';

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
