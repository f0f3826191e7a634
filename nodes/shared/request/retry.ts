import { toText } from '../values/text';
import { ServiceError } from './serviceError';

/** The longest that one wait lasts, in milliseconds, whatever the service asks for. */
const LONGEST_WAIT = 60_000;

/** The first step of the exponential back-off, in milliseconds. */
const FIRST_STEP = 500;

/**
 * What a `Retry-After` header asks for, in milliseconds from now: it holds seconds or an HTTP date.
 * `undefined` when there is none or it cannot be read.
 */
export function retryAfterOf(header: unknown, now = Date.now()): number | undefined {
	const text = toText(header);
	if (text === '') return undefined;
	if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000;
	const moment = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN;
	return Number.isNaN(moment) ? undefined : Math.max(0, moment - now);
}

/**
 * How long to wait before a request is repeated, in milliseconds: what the service asked for, else
 * an exponential back-off with full jitter, so that many waiting items do not come back at once.
 * @param attempt how many times the request was sent already, from 1
 * @param random a number from 0 up to 1
 */
export function waitBeforeRetry(
	error: ServiceError,
	attempt: number,
	random = Math.random(),
): number {
	const step = Math.min(FIRST_STEP * 2 ** attempt, LONGEST_WAIT);
	return Math.min(error.retryAfter ?? random * step, LONGEST_WAIT);
}

/** Whether the same request may succeed later: 429, server answers and lost connections (7.1). */
export function mayRetry(thrown: unknown): boolean {
	if (!(thrown instanceof ServiceError)) return false;
	const { reason, httpCode } = thrown;
	if (reason === 'connection') return true;
	return httpCode !== null && [429, 500, 502, 503, 504].includes(httpCode);
}
