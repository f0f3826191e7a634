import { ServiceError } from '../http/errors';
import { wholeNumber } from '../values/text';

/** The longest that one wait lasts, in milliseconds, whatever the service asks for. */
const LONGEST_WAIT = 60_000;

/** Half of the first step of the exponential back-off, in milliseconds. */
const FIRST_STEP = 500;

/** Whether the same request may succeed later: 429, 500, 502, 503, 504 and lost connections (7). */
export function mayRetry(thrown: unknown): boolean {
	if (!(thrown instanceof ServiceError)) return false;
	const { reason, httpCode } = thrown;
	return reason === 'connection' || [429, 500, 502, 503, 504].includes(httpCode ?? 0);
}

/**
 * How long to wait before a request is sent again, in milliseconds: what the service asked for, or an
 * exponential back-off with full jitter, so that many do not come back at once; whichever is longer.
 * @param attempt how many times the request was sent already, from 1
 * @param random a number from 0 up to 1
 */
export function waitBeforeRetry(
	{ retryAfter = 0 }: ServiceError,
	attempt: number,
	random = Math.random(),
): number {
	const step = Math.min(FIRST_STEP * 2 ** attempt, LONGEST_WAIT);
	return Math.min(Math.max(retryAfter, random * step), LONGEST_WAIT);
}

/** How the requests of one run of a node are sent; users set these in the options of a lookup. */
export interface Pace {
	/** The most requests of the run in progress at once. */
	maxConcurrency: number;
	/** How often one request is sent again. */
	maxRetries: number;
}

export const DEFAULT_MAX_CONCURRENCY = 5;

export const DEFAULT_MAX_RETRIES = 4;

export const DEFAULT_PACE: Pace = {
	maxConcurrency: DEFAULT_MAX_CONCURRENCY,
	maxRetries: DEFAULT_MAX_RETRIES,
};

/**
 * The pace that the options ask for.
 * @param option gives the value of an option, as the user or an AI agent filled it in
 */
export function paceOf(option: (name: string) => unknown): Pace {
	const number = (name: keyof Pace) => wholeNumber(option(name), DEFAULT_PACE[name]);
	return {
		maxConcurrency: Math.max(1, number('maxConcurrency')),
		maxRetries: number('maxRetries'),
	};
}
